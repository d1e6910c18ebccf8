int f(int n) {
    while (n > 1)
        n /= 2;
    return n;
}
