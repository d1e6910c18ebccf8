#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int collatz(long n) {
    int steps = 0;
    while (n != 1) {
        if (n & 1)
            n = 3 * n + 1;
        else
            n /= 2;
        steps++;
    }
    return steps;
}

int main(int argc, char **argv) {
    long total = 0;
    int limit = argc > 1 ? atoi(argv[1]) : 300;
    char *buffer = malloc(1000);
    for (int i = 1; i < limit; i++) {
        total += collatz(i);
        if (i % 10 == 0)
            memset(buffer, i, 1000);
    }
    printf("%ld\n", total);
    free(buffer);
    return 0;
}
