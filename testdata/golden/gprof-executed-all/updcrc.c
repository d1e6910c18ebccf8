#include <stddef.h>
#include <stdio.h>

typedef unsigned char uch;
typedef unsigned long ulg;
static ulg crc_32_tab[256];

static ulg updcrc(uch *s, unsigned n)
{
    register ulg c;

    static ulg crc = (ulg)0xffffffffL;

    if (s == NULL) {
        c = 0xffffffffL;
    } else {
        c = crc;
        if (n) do {
            c = crc_32_tab[((int)c ^ (*s++)) & 0xff] ^ (c >> 8);
        } while (--n);
    }
    crc = c;
    return c ^ 0xffffffffL;
}

int main(void)
{
    static uch text[300];
    for (int i = 0; i < 256; i++) {
        ulg c = i;
        for (int k = 0; k < 8; k++)
            c = c & 1 ? 0xedb88320 ^ (c >> 1) : c >> 1;
        crc_32_tab[i] = c;
        text[i] = i;
    }
    updcrc(NULL, 0);
    printf("%lx\n", updcrc(text, 300));
    return 0;
}
