/* Functions with the names that GCJ gave to methods. */
#define NAMED(name) __asm__(name) __attribute__((noinline))

int value_of(int) NAMED("_ZN4java4lang6String7valueOfEJPS1_P6JArrayIwE");
int put(int) NAMED("_ZN4java4util7HashMap3putEJPNS_4lang6ObjectES3_S3_");
int print(int) NAMED("_ZN4java2io11PrintStream7printlnEJvb");
int make(int) NAMED("_ZN5words6ReaderC1EP6JArrayIPS1_IcEEx");
int other(int) NAMED("_Z5otheri");

int value_of(int n) { return n ^ 1; }
int put(int n) { return value_of(n) + value_of(n + 1); }
int print(int n) { return n & 7; }
int make(int n) { return put(n) * print(n); }
int other(int n) { return n - 1; }

int main(void) {
    int sum = 0;
    for (int n = 0; n < 3000000; n++) {
        sum += make(n) + other(n);
    }
    return sum == 1;
}
