struct node { int key; struct node *left, *right; };
static struct node pool[127];
static int used = 1;

static int sum(const struct node *n)
{
    if (!n)
        return 0;
    int l = sum(n->left);
    int r = sum(n->right);
    return l + r + n->key;
}

static __attribute__((noipa)) struct node *build(int depth)
{
    if (!depth)
        return 0;
    struct node *n = &pool[used++ - 1];
    n->key = depth;
    n->left = build(depth - 1);
    n->right = build(depth - 1);
    return n;
}

void _start(void)
{
    int status = sum(build(7)) & 1;
    __asm__ volatile("syscall" : : "a"(60), "D"(status) : "rcx", "r11", "memory");
}
