this is q/u.c
