/* A table of words: open addressing, grown when three quarters full. */
#ifndef WORDS_H
#define WORDS_H

#include <stddef.h>
#include <string.h>

struct word {
    const char *text;
    size_t length;
    unsigned count;
};

struct table {
    struct word *slots;
    size_t size, used;
};

static inline size_t hash(const char *text, size_t length)
{
    size_t h = 5381;
    for (size_t i = 0; i < length; i++)
        h = h * 33 + (unsigned char)text[i];
    return h;
}

static inline int is_same(const struct word *word, const char *text, size_t length)
{
    return word->length == length && memcmp(word->text, text, length) == 0;
}

#endif
