#include <stdio.h>

static inline long square(long n) {
    return n * n;
}

static inline long distance(long a, long b) {
    return square(a - b) + 1;
}

static inline long weight(long a, long b) {
    return a > b ? distance(a, b) : distance(b, 2 * a) + 3;
}

int main(void) {
    long sum = 0;
    for (long i = 0; i < 40; i++)
        sum += weight(i * 7 % 13, i);
    printf("%ld\n", sum);
    return 0;
}
