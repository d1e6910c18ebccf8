#include <stdio.h>
#include <stdlib.h>

static int compare(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static void bubble(int *v, int n) {
    int swapped;
    do {
        swapped = 0;
        for (int i = 1; i < n; i++) {
            if (v[i - 1] > v[i]) {
                int t = v[i];
                v[i] = v[i - 1];
                v[i - 1] = t;
                swapped = 1;
            }
        }
    } while (swapped);
}

static int search(const int *v, int n, int key) {
    int low = 0, high = n - 1;
    while (low <= high) {
        int middle = low + (high - low) / 2;
        if (v[middle] == key)
            return middle;
        else if (v[middle] < key)
            low = middle + 1;
        else
            high = middle - 1;
    }
    return -1;
}

static void heap(int *v, int root, int n) {
    for (int child; (child = 2 * root + 1) < n; root = child) {
        if (child + 1 < n && v[child] < v[child + 1])
            child++;
        if (v[root] >= v[child])
            return;
        int t = v[root];
        v[root] = v[child];
        v[child] = t;
    }
}

int main(void) {
    enum { N = 60 };
    int v[N], w[N];
    unsigned seed = 7;
    for (int i = 0; i < N; i++) {
        seed = seed * 1103515245 + 12345;
        v[i] = w[i] = (int)(seed >> 16) % 100;
    }
    bubble(v, N);
    qsort(w, N, sizeof *w, compare);
    int found = 0;
    for (int key = 0; key < 100; key++)
        if (search(v, N, key) >= 0)
            found++;
    for (int i = N / 2; i-- > 0;)
        heap(w, i, N);
    for (int end = N; end > 1; end--) {
        int t = w[0];
        w[0] = w[end - 1];
        w[end - 1] = t;
        heap(w, 0, end - 1);
    }
    printf("%d %d %d\n", found, v[0], w[N - 1]);
    return 0;
}
