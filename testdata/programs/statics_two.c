/* The other half of statics_one.c. */
static long helper(int n)
{
    return n > 0 ? helper(n - 1) + 2 : 0;
}

long two(int n)
{
    return helper(n) + helper(1);
}
