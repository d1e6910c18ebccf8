this is proj/src/d.c
