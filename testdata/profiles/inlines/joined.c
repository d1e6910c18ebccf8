static int values[64] = {1};

/* Inlined where it is called: the copy that others could call does not run. */
void scale(int value, int by)
{
    value *= by;
    values[value & 63]++;
}

static int kind(int value)
{
    switch (value & 7) {
    case 0:
        return 1;
    case 1:
        return 2;
    default:
        return 0;
    }
}

static int limited(int value)
{
    if (value > 1000)
        return -1;
    return value;
}

__attribute__((noipa)) int work(int rounds)
{
    int sum = 0;
    for (int i = 0; i < rounds; i++) {
        scale(i, 3);
        switch (kind(i)) {
        case 1:
            sum += 5;
            break;
        case 2:
            sum -= 3;
            break;
        }
        sum += limited(i);
    }
    return sum;
}

#ifdef COVERAGE
int main(void)
{
    return work(96) & 1;
}
#else
void _start(void)
{
    int status = work(96) & 1;
    __asm__ volatile("syscall" : : "a"(60), "D"(status) : "rcx", "r11", "memory");
}
#endif
