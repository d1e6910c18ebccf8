static __attribute__((noinline)) int sum_of(const char *text)
{
  int sum = 0;
  while (*text)
    sum += *text++;
  return sum;
}

static inline __attribute__((always_inline)) int fast_sum(const char *text)
{
  int sum = 0;
  for (; *text; text++)
    sum += *text;
  return sum;
}
