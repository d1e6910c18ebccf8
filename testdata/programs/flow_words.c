#include <ctype.h>
#include <stdio.h>
#include <string.h>

typedef int (*test)(int);

static int is_vowel(int c) { return strchr("aeiou", c) != NULL; }
static int is_upper(int c) { return c >= 'A' && c <= 'Z'; }

static int count(const char *text, test is) {
    int n = 0;
    while (*text)
        if (is(*text++))
            n++;
    return n;
}

static unsigned hash(const char *s) {
    unsigned h = 5381;
    for (; *s; s++) h = h * 33 + (unsigned char)*s;
    return h;
}

static int words(const char *text) {
    int n = 0, in_word = 0;
    for (const char *p = text; *p; p++) {
        if (isspace((unsigned char)*p)) {
            in_word = 0;
        } else if (!in_word) {
            in_word = 1;
            n++;
        }
    }
    return n;
}

static void reverse(char *s) {
    char *end = s + strlen(s) - 1;
    while (s < end) {
        char c = *s;
        *s++ = *end;
        *end-- = c;
    }
}

int main(void) {
    char text[] = "The quick Brown fox jumps over the lazy Dog";
    test tests[] = {is_vowel, is_upper};
    int total = 0;
    for (unsigned i = 0; i < sizeof tests / sizeof *tests; i++)
        total += count(text, tests[i]);
    unsigned h = 0;
    for (int i = 0; i < 5; i++) {
        reverse(text);
        h ^= hash(text);
    }
    int sum = 0;
    for (int i = 0; i < 4; i++) for (int j = 0; j < 3; j++) sum += i * j;
    printf("%d %u %d %d\n", total, h, words(text), sum);
    return 0;
}
