/* A program that needs no C library, so that it can be compiled for machines without one. */
int table[64];

static int
twice(int n)
{
    return n * 2;
}

static inline int
clamp(int n)
{
    if (n > 1000)
        return 1000;
    return n;
}

int even(int n);

int
odd(int n)
{
    return n == 0 ? 0 : even(n - 1);
}

int
even(int n)
{
    return n == 0 ? 1 : odd(n - 1);
}

int
fill(int n)
{
    int i, sum = 0;
    for (i = 0; i < 64; i++) {
        table[i] = clamp(i * n);
        sum += table[i] > 10 ? twice(i) : 1;
    }
    return sum;
}

int
main(void)
{
    int i, sum = 0;
    for (i = 0; i < 100; i++)
        sum += fill(i) + even(i);
    return sum & 1;
}

__attribute__((no_instrument_function)) void
mcount(void)
{
}

__attribute__((no_instrument_function)) void
_start(void)
{
    main();
    for (;;)
        ;
}

/* As in the C library: the last symbol that gprof knows, to which it gives no time. */
__asm__(".data\n.weak data_start\ndata_start: .long 0\n.text\n");
