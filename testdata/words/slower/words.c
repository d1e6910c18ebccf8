/* Counts the words of a made-up text and prints the most frequent ones. */
#include <stdio.h>
#include <stdlib.h>

#include "words.h"

static const char *const SYLLABLES[] = { "ka", "lo", "mi", "ren", "tas", "u" };

static struct word *look_up(struct table *table, const char *text, size_t length)
{
    size_t at = hash(text, length) & (table->size - 1);
    while (table->slots[at].text && !is_same(&table->slots[at], text, length))
        at = (at + 1) & (table->size - 1);
    return &table->slots[at];
}

static void grow(struct table *table)
{
    struct table larger = { calloc(table->size * 2, sizeof *larger.slots), table->size * 2, table->used };
    for (size_t i = 0; i < table->size; i++)
        if (table->slots[i].text)
            *look_up(&larger, table->slots[i].text, table->slots[i].length) = table->slots[i];
    free(table->slots);
    *table = larger;
}

static void count(struct table *table, const char *text, size_t length)
{
    struct word *word = look_up(table, text, length);
    if (!word->text) {
        *word = (struct word){ text, length, 0 };
        table->used++;
    }
    look_up(table, text, length)->count++;
    if (table->used * 4 > table->size * 3)
        grow(table);
}

static char *make_text(size_t words)
{
    char *text = malloc(words * 10), *end = text;
    unsigned seed = 1;
    for (size_t i = 0; i < words; i++) {
        for (unsigned n = 0; n < 1 + (seed >> 20) % 3; n++) {
            seed = seed * 1103515245 + 12345;
            const char *syllable = SYLLABLES[(seed >> 16) % 6];
            size_t length = strlen(syllable);
            memcpy(end, syllable, length);
            end += length;
        }
        *end++ = i + 1 < words ? ' ' : '\0';
    }
    return text;
}

static struct word *most_frequent(struct table *table)
{
    struct word *best = table->slots;
    for (size_t i = 1; i < table->size; i++)
        if (table->slots[i].count > best->count)
            best = &table->slots[i];
    return best;
}

int main(void)
{
    char *text = make_text(2000);
    struct table table = { calloc(16, sizeof(struct word)), 16, 0 };
    for (const char *at = text; *at;) {
        size_t length = 0;
        while (at[length] && at[length] != ' ')
            length++;
        count(&table, at, length);
        at += length;
        at += *at == ' ';
    }
    for (int i = 0; i < 3; i++) {
        struct word *word = most_frequent(&table);
        printf("%5u %.*s\n", word->count, (int)word->length, word->text);
        word->count = 0;
    }
    printf("%5zu different words\n", table.used);
    free(table.slots);
    free(text);
    return 0;
}
