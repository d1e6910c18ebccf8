#include <stdbool.h>
#include <stdio.h>

#define SIZE 6

static int columns[SIZE];
static long solutions, tries;

static bool is_free(int row, int column) {
    for (int above = 0; above < row; above++) {
        int distance = row - above;
        if (columns[above] == column
            || columns[above] == column - distance
            || columns[above] == column + distance)
            return false;
    }
    return true;
}

static void place(int row) {
    if (row == SIZE) {
        solutions++;
        return;
    }
    for (int column = 0; column < SIZE; column++) {
        tries++;
        if (!is_free(row, column))
            continue;
        columns[row] = column;
        place(row + 1);
    }
}

static int ackermann(int m, int n) {
    return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

static bool is_odd(int n);
static bool is_even(int n) { return n == 0 || is_odd(n - 1); }
static bool is_odd(int n) { return n != 0 && is_even(n - 1); }

int main(void) {
    place(0);
    printf("%ld %ld %d %d\n", solutions, tries, ackermann(2, 3), is_even(13));
}
