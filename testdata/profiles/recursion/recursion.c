struct node {
    int value;
    const struct node *left, *right;
};

int total(const struct node *n);

static inline __attribute__((always_inline)) int sum(const struct node *n) {
    int of_children = 0;
    if (n->left)
        of_children += total(n->left);
    if (n->right)
        of_children += total(n->right);
    return of_children;
}

__attribute__((noinline, noclone)) int total(const struct node *n) {
    return 3 * n->value + sum(n);
}

static const struct node one = {1, 0, 0}, two = {2, &one, &one}, three = {3, &two, &two};

void _start(void) {
    int status = total(&three) == 39 ? 0 : 1;
    __asm__ volatile("syscall" : : "a"(60), "D"(status));
}
