template <class F> static inline long sum(F f, int n) {
  long all = 0;
  for (int i = 0; i < n; i++)
    all += f(i);
  return all;
}

static long __attribute__((noinline)) work(int n) {
  auto twice = [](int x) {
    volatile int y = x;
    return 2L * y;
  };
  auto next = [](int x) {
    volatile int y = x;
    return 1L + y;
  };
  return sum(twice, n) + sum(next, n);
}

int main() { return work(10) & 1; }
