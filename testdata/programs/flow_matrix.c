#include <math.h>
#include <stdio.h>

#define N 8

static double a[N][N], b[N][N], c[N][N];

static void multiply(void) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double sum = 0;
            for (int k = 0; k < N; k++)
                sum += a[i][k] * b[k][j];
            c[i][j] = sum;
        }
}

static int pivot(double (*m)[N], int column) {
    int best = -1;
    double most = 1e-9;
    for (int row = column; row < N; row++) {
        double here = m[row][column] < 0 ? -m[row][column] : m[row][column];
        if (here > most)
            most = here, best = row;
    }
    return best;
}

static double determinant(double (*m)[N]) {
    double result = 1;
    for (int column = 0; column < N; column++) {
        int row = pivot(m, column);
        if (row < 0)
            return 0;
        if (row != column) {
            for (int k = 0; k < N; k++) {
                double swap = m[row][k];
                m[row][k] = m[column][k];
                m[column][k] = swap;
            }
            result = -result;
        }
        result *= m[column][column];
        for (int below = column + 1; below < N; below++) {
            double factor = m[below][column] / m[column][column];
            if (factor != 0 && factor == factor)
                for (int k = column; k < N; k++)
                    m[below][k] -= factor * m[column][k];
        }
    }
    return result;
}

int main(void) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            a[i][j] = i == j ? 2 : (i * 7 + j * 3) % 5;
            b[i][j] = i > j && (i + j) % 3 ? i - j : 1;
        }
    multiply();
    double of_a = determinant(a), of_b = determinant(b), of_c = determinant(c);
    printf("%.3f %.3f %.3f\n", of_a, of_b, of_c);
    if (fabs(of_a * of_b - of_c) > 1e-3 || isnan(of_c)) puts("different");
}
