/* Functions that call themselves, once and twice, and one that calls the others while it does. */
static volatile long sum;

long fact(int n)
{
    return n < 2 ? 1 : n * fact(n - 1);
}

long fib(int n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

long ackermann(long m, long n)
{
    if (m == 0)
        return n + 1;
    return ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}

void walk(int depth)
{
    sum += fact(depth);
    if (depth > 0) {
        walk(depth - 1);
        walk(depth / 2);
    }
    sum += fib(depth);
}

int main(void)
{
    walk(8);
    sum += ackermann(2, 3) + fib(12);
    return 0;
}
