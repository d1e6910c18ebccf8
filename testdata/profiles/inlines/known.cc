// Each function costs what its nop instructions cost, and what calls need.
#define NOPS(n) asm volatile(".rept " #n "\n\tnop\n\t.endr")
#define ALWAYS __attribute__((always_inline)) inline
#define NEVER __attribute__((noipa))

namespace cache {
struct List {
    ALWAYS void detach() { NOPS(10); }
    ALWAYS void push() { NOPS(5); detach(); }
};
List list;
int size = 1;

NEVER void grow() { NOPS(100); }

ALWAYS void get() {
    NOPS(20);
    list.detach();
    list.push();
}

NEVER void put() {
    NOPS(30);
    list.push();
    grow();
    NOPS(1);
}
}

NEVER void work() {
    cache::get();
    cache::put();
    cache::get();
    NOPS(2);
}

extern "C" void _start() {
    work();
    asm volatile("syscall" : : "a"(60), "D"(0));
}
