#include <stdio.h>

#define SUM(to, into) do { for (int m = 0; m < (to); m++) (into) += m & 3; } while (0)

static long nested(int n) {
    long sum = 0;
    for (int i = 0; i < n; i++) for (int j = 0; j < i; j++) sum += i ^ j;
    SUM(n, sum);
    return sum;
}

static int spiral(int n) {
    int x = 0;
outer:
    for (int i = 0; i < n; i++) {
        int j = n;
        do {
            x += i < j ? 1 : 2;
            if (x > 400)
                goto done;
        } while (--j);
        if (x % 5 == 3) { x++; goto outer; }
    }
done:
    return x;
}

static void rows(int n) {
    int i = 0;
    while (1) {
        int j;
        for (j = 0; j < 9; j++)
            if (j * i > 40)
                break;
            else if ((j + i) & 1)
                continue;
            else
                printf("%d ", i * j);
        printf("\n");
        if (++i == n) return;
    }
}

static int count(int n) { int c = 0; while (n) { n &= n - 1; c++; } return c; }

int main(void) {
    int total = 0;
    for (int i = 3; i < 40; i += 4)
        total += nested(i) % 7 + spiral(i);
    rows(12);
    for (int i = 0; i < 50; i++) total += count(i);
    for (; total > 100; total /= 2) ;
    printf("%d\n", total);
}
