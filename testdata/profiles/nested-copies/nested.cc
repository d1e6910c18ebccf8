static inline int twice(int value) {
  return value * 2 + value / 3;
}

template <typename F> static inline int apply(F function, int count) {
  int sum = 0;
  for (int i = 0; i < count; i++)
    sum += function(i);
  return sum;
}

__attribute__((noinline)) int work(int n) {
  return apply([](int value) { return twice(value); }, n);
}

int main(int argc, char **) {
  return work(argc * 1000) & 1;
}
