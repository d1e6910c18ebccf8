/* Functions that the C library calls, and calls through pointers. */
#include <stdlib.h>

static long sum;

static void add(int n)
{
    sum += n;
}

static void take(int n)
{
    sum -= n;
}

static int compare(const void *a, const void *b)
{
    add(1);
    return *(const int *)a - *(const int *)b;
}

static void at_end(void)
{
    take(3);
}

static void each(int n, void (*what)(int))
{
    for (int i = 0; i < n; i++)
        what(i);
}

int main(void)
{
    int numbers[50];
    atexit(at_end);
    for (int i = 0; i < 50; i++)
        numbers[i] = i * 37 % 50;
    qsort(numbers, 50, sizeof numbers[0], compare);
    each(12, add);
    each(7, take);
    return 0;
}
