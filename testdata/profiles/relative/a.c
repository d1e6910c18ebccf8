static inline __attribute__((always_inline)) int twice(int x)
{
    volatile int y = x;
    return y * 2;
}

void _start(void)
{
    volatile int sum = 0;
    for (int i = 0; i < 100; i++)
        sum += twice(i);
    __asm__ volatile("syscall" : : "a"(60L), "D"(0L));
}
