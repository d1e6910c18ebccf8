this is proj/src/c.c
