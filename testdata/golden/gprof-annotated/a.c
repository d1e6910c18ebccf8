// a.c
void f(int n)
{
}

void h(void)
{ f(1); }

int main(void)
{
}
