void g(void)
{ f(0); }
