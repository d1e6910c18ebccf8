"""Counts words, the slow way: a linear search for each."""


def find(words, word):
    for entry in words:
        if entry[0] == word:
            return entry
    words.append([word, 0])
    return words[-1]


def count(text):
    words = []
    for word in text.split():
        find(words, word.lower())[1] += 1
    return words


def most(words):
    return max(words, key=lambda entry: entry[1])


text = " ".join(f"word{i % 97} Word{i % 13}" for i in range(3000))
print(most(count(text)))
