/* Functions that are never called, and a cycle through main, which nothing in the program enters. */
static volatile long sum;

int main(int argc, char **argv);

static void unused(int n)
{
    sum += n;
}

void unused_too(int n)
{
    unused(n);
    unused_too(n - 1);
}

static void again(int n)
{
    sum += n;
    if (n > 0)
        main(n, 0);
}

int main(int argc, char **argv)
{
    if (argv == 0)
        again(argc - 1);
    else
        again(5);
    if (argc > 1000)
        unused_too(argc);
    return 0;
}
