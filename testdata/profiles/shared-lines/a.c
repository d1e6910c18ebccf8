int f(void);

    return f() + f();


int f(void)
{
    n > 0 ? f() : 0;
    g(); g(); g();
}
