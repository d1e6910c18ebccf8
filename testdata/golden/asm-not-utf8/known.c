int a;
int b; /* Zähler */
