/* With -O3 -fno-toplevel-reorder GCC makes a copy of `repeat` for the depth of 5. The copy is a
   local function that follows `repeat` and has its name in the debug information. Its own name,
   `repeat.constprop.0`, is one that gprof keeps, because the next one in the table of names, the
   function `later`, has no dot. */
static volatile unsigned sink;

__attribute__((noinline)) unsigned repeat(unsigned x, int depth)
{
    for (int i = 0; i < depth * 100; i++)
        sink = x = x * 1664525u + i;
    return x;
}

int main(int count, char **names)
{
    unsigned x = names == 0;
    for (int i = 0; i < 10000; i++) {
        x += repeat(x, 5);
        x += repeat(x + 1, 5);
        x += repeat(x, count);
    }
    __asm__ volatile (".type later, @function\nlater:");
    return x == 1;
}
