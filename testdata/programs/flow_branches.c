#include <stdio.h>
#include <stdlib.h>

enum kind { PLUS, MINUS, TIMES, OTHER };

static enum kind kind_of(int c) {
    switch (c) {
    case '+':
        return PLUS;
    case '-':
        return MINUS;
    case '*':
        return TIMES;
    default:
        return OTHER;
    }
}

static int both(int a, int b) {
    if (a > 3 && b > 3)
        return 1;
    if (a == 1 || b == 1)
        return 2;
    return a < b ? 3 : 4;
}

static int early(int n) {
    for (;;) {
        if (n > 100)
            break;
        if (n % 7 == 0) {
            n += 3;
            continue;
        }
        n *= 2;
    }
    return n;
}

static int again(int n) {
    int rounds = 0;
retry:
    rounds++;
    if (n % 5 != 0) {
        n++;
        goto retry;
    }
    return rounds;
}

int main(void) {
    long sum = 0;
    const char *text = "1+2*3-4*5+6";
    for (const char *p = text; *p; p++)
        sum += kind_of(*p);
    for (int a = 0; a < 10; a++)
        for (int b = 0; b < 10; b++)
            sum += both(a, b);
    int n = 1;
    do {
        sum += early(n);
        n += 2;
    } while (n < 40);
    while (n-- > 0)
        sum += again(n);
    if (sum < 0)
        abort();
    printf("%ld\n", sum);
    return 0;
}
