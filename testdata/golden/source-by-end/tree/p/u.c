this is p/u.c
