#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static jmp_buf again;
static volatile sig_atomic_t signals;

static void handler(int number) {
    if (number == SIGUSR1)
        signals++;
}

static int parse(const char *text) {
    int value = 0;
    for (; *text; text++) {
        if (*text < '0' || *text > '9')
            longjmp(again, *text);
        value = value * 10 + *text - '0';
    }
    return value;
}

static int add(int value) { return value + 3; }
static int twice(int value) { return value * 2; }

static int run(const unsigned char *code) {
    static int (*const steps[])(int) = { NULL, add, twice };
    int value = 0;
    for (;; code++) {
        if (!*code) break;
        if (*code == 3) { code++; continue; }
        value = steps[*code](value);
    }
    return value;
}

struct wide { char bytes[200]; };

static int clear(int n) {
    struct wide wide = { { 0 } };
    struct wide other;
    wide.bytes[n] = 1;
    other = wide;
    return memcmp(&wide, &other, sizeof wide) + other.bytes[n];
}

int main(void) {
    static const char *const words[] = { "12", "3x", "400", "y", "5", "zz" };
    static const unsigned char code[] = { 1, 2, 1, 3, 2, 1, 2, 2, 0 };
    volatile unsigned at = 0;
    volatile int bad = 0, sum = 0;
    if (setjmp(again))
        bad++;
    while (at < sizeof words / sizeof *words) {
        const char *word = words[at++];
        sum += parse(word);
    }
    signal(SIGUSR1, handler);
    for (int i = 0; i < 5; i++)
        raise(SIGUSR1);
    for (int i = 0; i < 7; i++)
        sum += run(code) + clear(i);
    printf("%d %d %d\n", sum, bad, (int)signals);
}
