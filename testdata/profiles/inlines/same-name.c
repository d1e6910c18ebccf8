/* Instances of a generic function, as Rust names them. */
#define INSTANCE(digit) asm("_ZN5stack7biggest17h" digit "E")
int of_numbers(int) INSTANCE("1111111111111111");
int of_floats(int) INSTANCE("2222222222222222");
int of_numbers(int a) { return a + 1; }
int of_floats(int a) { return a + 2; }
int main(void) { return of_numbers(1) + of_floats(2); }
