#include <stdio.h>
#include <stdlib.h>

struct node {
    int key;
    struct node *left, *right;
};

static struct node *insert(struct node *tree, int key) {
    if (tree == NULL) {
        tree = calloc(1, sizeof *tree);
        tree->key = key;
    } else if (key < tree->key) {
        tree->left = insert(tree->left, key);
    } else if (key > tree->key) {
        tree->right = insert(tree->right, key);
    }
    return tree;
}

static int depth(const struct node *tree) {
    if (!tree)
        return 0;
    int left = depth(tree->left), right = depth(tree->right);
    return 1 + (left > right ? left : right);
}

static int is_even(int n);
static int is_odd(int n) { return n == 0 ? 0 : is_even(n - 1); }
static int is_even(int n) { return n == 0 ? 1 : is_odd(n - 1); }

static long ackermann(long m, long n) {
    if (m == 0)
        return n + 1;
    if (n == 0)
        return ackermann(m - 1, 1);
    return ackermann(m - 1, ackermann(m, n - 1));
}

static int queens(int row, unsigned columns, unsigned left, unsigned right) {
    if (row == 6)
        return 1;
    int found = 0;
    for (int i = 0; i < 6; i++) {
        unsigned bit = 1u << i;
        if (columns & bit || left & bit || right & bit)
            continue;
        found += queens(row + 1, columns | bit, (left | bit) << 1, (right | bit) >> 1);
    }
    return found;
}

int main(void) {
    struct node *tree = NULL;
    unsigned seed = 3;
    for (int i = 0; i < 100; i++) {
        seed = seed * 1103515245 + 12345;
        tree = insert(tree, (int)(seed >> 20));
    }
    int evens = 0;
    for (int i = 0; i < 20; i++)
        evens += is_even(i);
    printf("%d %d %ld %d\n", depth(tree), evens, ackermann(2, 3), queens(0, 0, 0, 0));
    return 0;
}
