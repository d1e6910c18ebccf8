#include <stdio.h>

static int fib(int n) {
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static int twice(int n) {
    return fib(n) + fib(n - 1);
}

int main(void) {
    printf("%d\n", twice(6) + fib(3));
    return 0;
}
