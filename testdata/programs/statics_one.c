/* With statics_two.c: static functions of one name in two files. */
long two(int n);

static long step(int n)
{
    return n + 1;
}

static long helper(int n)
{
    long sum = 0;
    for (int i = 0; i < n; i++)
        sum += step(i);
    return sum;
}

long one(int n)
{
    return helper(n) + two(n / 2);
}

int main(void)
{
    long sum = 0;
    for (int i = 0; i < 10; i++)
        sum += one(i) + helper(2);
    return sum == 0;
}
