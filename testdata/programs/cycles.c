/* Two separate cycles, one that calls into the other, and a function that both call. */
static volatile long sum;

static void work(int n)
{
    for (int i = 0; i < n; i++)
        sum += i;
}

void ping(int n);
void pong(int n);
void red(int n);
void green(int n);
void blue(int n);

void pong(int n)
{
    work(n);
    if (n > 0)
        ping(n - 1);
    red(n % 3);
}

void ping(int n)
{
    work(2 * n);
    if (n > 0)
        pong(n - 1);
}

void red(int n)
{
    if (n > 0)
        green(n - 1);
}

void green(int n)
{
    work(3);
    if (n > 0)
        blue(n - 1);
    if (n > 4)
        green(n - 4);
}

void blue(int n)
{
    if (n > 0)
        red(n - 1);
}

int main(void)
{
    for (int i = 0; i < 20; i++) {
        ping(i);
        red(2 * i);
        blue(i % 4);
    }
    pong(7);
    return 0;
}
