this is deep/down/only.c
