void work(void)
{
    alloc();
}
