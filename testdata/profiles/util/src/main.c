int main(void)
{
    work();
    sort();
}

int less(void) { return
    alloc(); }
