#include <stdio.h>
#include "of_header.h"

static unsigned twice(unsigned n) {
    return mixed(n, 7) + mixed(n + 1, 9);
}

int main(void) {
    unsigned sum = 0;
    for (unsigned n = 0; n < 3000000; n++) {
        sum += n % 3 ? twice(n) : folded(n);
    }
    printf("%u\n", sum);
    return 0;
}
