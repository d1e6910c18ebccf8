#include <stdio.h>
#include <stdlib.h>

struct node { int key; struct node *left, *right; };

static int depth;

static struct node *insert(struct node *node, int key) {
    if (!node) {
        node = calloc(1, sizeof *node);
        if (!node)
            abort();
        node->key = key;
        return node;
    }
    if (key < node->key)
        node->left = insert(node->left, key);
    else if (key > node->key)
        node->right = insert(node->right, key);
    return node;
}

static void walk(const struct node *node, void (*visit)(int, void *), void *data) {
    if (!node) return;
    depth++;
    walk(node->left, visit, data);
    visit(node->key, data);
    walk(node->right, visit, data);
    depth--;
}

static void sum(int key, void *data) { *(long *)data += key; }
static void deepest(int key, void *data) { int *most = data; if (depth > *most) *most = depth; (void)key; }

static void release(struct node *node) {
    while (node) {
        struct node *right = node->right;
        release(node->left);
        free(node);
        node = right;
    }
}

static unsigned random_number(unsigned *state) {
    return *state = *state * 1103515245u + 12345u;
}

int main(void) {
    struct node *root = NULL;
    unsigned state = 7;
    for (int i = 0; i < 150; i++)
        root = insert(root, random_number(&state) >> 20);
    long total = 0;
    int most = 0;
    void (*visits[])(int, void *) = { sum, deepest };
    void *data[] = { &total, &most };
    for (unsigned i = 0; i < sizeof visits / sizeof *visits; i++)
        walk(root, visits[i], data[i]);
    printf("%ld %d\n", total, most);
    release(root);
}
