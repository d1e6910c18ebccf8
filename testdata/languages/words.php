<?php
// Counts words, the slow way: a linear search for each.

function find(array &$words, string $word): int
{
    foreach ($words as $i => $entry) {
        if ($entry[0] === $word) {
            return $i;
        }
    }
    $words[] = [$word, 0];
    return count($words) - 1;
}

function count_words(string $text): array
{
    $words = [];
    foreach (explode(' ', $text) as $word) {
        $words[find($words, strtolower($word))][1]++;
    }
    return $words;
}

$text = [];
for ($i = 0; $i < 100; $i++) {
    $text[] = 'word' . $i % 97 . ' Word' . $i % 13;
}
echo count(count_words(implode(' ', $text))), "\n";
