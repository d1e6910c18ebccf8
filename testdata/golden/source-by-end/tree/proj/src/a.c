this is proj/src/a.c
