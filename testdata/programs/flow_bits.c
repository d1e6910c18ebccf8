#include <stdint.h>
#include <stdio.h>

#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define CLAMP(x, low, high) ((x) < (low) ? (low) : (x) > (high) ? (high) : (x))

static int ones(uint32_t x) { int n = 0; for (; x; x >>= 1) n += x & 1; return n; }
static int zeros(uint32_t x) { return x == 0 ? 32 : x & 1 ? 0 : 1 + zeros(x >> 1); }

static uint32_t crc(const char *text) {
    uint32_t c = ~0u;
    for (int i = 0; text[i]; i++) {
        c ^= (unsigned char)text[i];
        for (int bit = 0; bit < 8; bit++)
            c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
    }
    return ~c;
}

static int leap(int year) {
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static int gcd(int a, int b) {
    while (b) { int t = a % b; a = b; b = t; }
    return a;
}

static int classify(int a, int b, int c) {
    int flags = 0;
    if (a && (b || c))
        flags |= 1;
    if (!a || (b && !c)) flags |= 2; else if (c) flags |= 4;
    flags |= a > b ? b > c ? 8 : 16 : b < c ? 32 : 64;
    return flags & (a + b == c ? -1 : 0x7f);
}

static int primes(int to) {
    int found = 0;
    for (int n = 2, is_prime; n < to; n++, found += is_prime) {
        is_prime = 1;
        for (int d = 2; d * d <= n; d++) if (n % d == 0) { is_prime = 0; break; }
    }
    return found;
}

int main(void) {
    int sum = 0;
    for (int i = 0; i < 25; i++)
        sum += ones(i * 77) + zeros(i) + MIN(i, 9) + CLAMP(i * 3, 10, 40);
    for (int a = 0; a < 3; a++) for (int b = 0; b < 3; b++) for (int c = 0; c < 3; c++)
        sum += classify(a, b, c);
    for (int year = 1890; year < 2010; year += 10)
        if (leap(year)) sum++; else sum--;
    printf("%d %x %d %d\n", sum, crc("the quick brown fox"), gcd(462, 1071), primes(60));
}
