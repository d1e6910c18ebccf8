static inline unsigned mixed(unsigned n, unsigned by) {
    return n * by ^ n >> 3;
}

static unsigned __attribute__((noinline)) folded(unsigned n) {
    unsigned sum = 0;
    while (n > 0) {
        sum += n % 10;
        n /= 10;
    }
    return sum;
}
