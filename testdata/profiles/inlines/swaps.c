static int values[64] = {1};

__attribute__((noipa)) int swap(int *of, int count)
{
    int swaps = 0;
    for (int i = 0; i < count; i++)
        for (int j = 0; j + 1 < count - i; j++)
            if (of[j] > of[j + 1]) {
                int higher = of[j];
                of[j] = of[j + 1];
                of[j + 1] = higher;
                swaps++;
            }
    return swaps;
}

__attribute__((noipa)) int is_even(int value)
{
    return value % 2 == 0;
}

__attribute__((noipa)) int work(int *of)
{
    int sum = 0;
    for (int round = 0; round < 5; round++) {
        of[round] += 40;
        sum += swap(of, 16 + round);
    }
    for (int value = 0; value < 30; value++)
        sum += is_even(value);
    return sum;
}

#ifdef COVERAGE
int main(void)
{
    return work(values) & 1;
}
#else
void _start(void)
{
    int status = work(values) & 1;
    __asm__ volatile("syscall" : : "a"(60), "D"(status) : "rcx", "r11", "memory");
}
#endif
