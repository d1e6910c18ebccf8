main

MACRO

a
b
