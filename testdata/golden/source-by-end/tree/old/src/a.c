this is old/src/a.c
