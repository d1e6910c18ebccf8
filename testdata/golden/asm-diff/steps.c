#include <stdio.h>
#include <stdlib.h>

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

static int largest(int count) {
    int most = 0;
    for (int n = 1; n <= count; n++) {
        int steps = collatz(n);
        if (steps > most)
            most = steps;
    }
    return most;
}

int main(int argc, char **argv) {
    int count = argc > 1 ? atoi(argv[1]) : 100;
    if (argc > 2)
        puts("verbose");
    printf("%d\n", largest(count));
    return 0;
}
