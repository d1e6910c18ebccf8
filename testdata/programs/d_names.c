/* Functions with names of D. */
#define NAMED(name) __asm__(name) __attribute__((noinline))

int put(int) NAMED("_D3std3xml12checkCharRefFNaNfKAyaJwZv");
int find(int) NAMED("_D3gcc9backtrace10formatLineFxSQBdQBc10SymbolInfoNkKG1536aZAa");
int make(int) NAMED("_D3std6int1286Int1286__ctorMFNaNbNcNiNflZSQBoQBnQBj");
int each(int) NAMED("_D5words4eachFxAiDFKiZvZv");
int other(int) NAMED("_Z5otheri");

int put(int n) { return n ^ 1; }
int find(int n) { return put(n) + put(n + 1); }
int make(int n) { return n & 7; }
int each(int n) { return find(n) * make(n); }
int other(int n) { return n - 1; }

int main(void) {
    int sum = 0;
    for (int n = 0; n < 3000000; n++) {
        sum += each(n) + other(n);
    }
    return sum == 1;
}
