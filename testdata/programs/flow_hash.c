#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry { char *key; int value; struct entry *next; };

static struct entry *table[13];

static unsigned hash(const char *key) {
    unsigned h = 5381;
    while (*key) h = h * 33 ^ (unsigned char)*key++;
    return h % (sizeof table / sizeof *table);
}

static struct entry **find(const char *key) {
    struct entry **at = &table[hash(key)];
    while (*at && strcmp((*at)->key, key) != 0) at = &(*at)->next;
    return at;
}

static int put(const char *key, int value) {
    struct entry **at = find(key);
    if (*at) { int old = (*at)->value; (*at)->value = value; return old; }
    struct entry *entry = malloc(sizeof *entry);
    if (!entry || !(entry->key = malloc(strlen(key) + 1))) exit(1);
    strcpy(entry->key, key), entry->value = value, entry->next = NULL;
    *at = entry;
    return 0;
}

static int discard(const char *key) {
    struct entry **at = find(key), *entry = *at;
    if (!entry) return 0;
    *at = entry->next; free(entry->key); free(entry);
    return 1;
}

static int all(int count, ...) {
    va_list list;
    va_start(list, count);
    int found = 0;
    for (; count > 0; count--)
        found += *find(va_arg(list, const char *)) != NULL;
    va_end(list);
    return found;
}

int main(void) {
    char key[16];
    int sum = 0;
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < 40; i++) {
            sprintf(key, "key%d", i * (round + 1) % 37);
            sum += put(key, i);
            if (i % 4 == 0) sum -= discard(key);
        }
    printf("%d %d\n", sum, all(4, "key1", "key2", "none", "key9"));
    for (unsigned i = 0; i < sizeof table / sizeof *table; i++)
        while (table[i]) discard(table[i]->key);
}
