// Virtual calls, templates, recursion through a template, a lambda and a static object.
struct Shape {
    virtual ~Shape() {}
    virtual long area() const = 0;
};

struct Square : Shape {
    long side;
    explicit Square(long s) : side(s) {}
    long area() const override { return side * side; }
};

struct Pair : Shape {
    const Shape &a, &b;
    Pair(const Shape &x, const Shape &y) : a(x), b(y) {}
    long area() const override { return a.area() + b.area(); }
};

template <int N> long sum_to() { return N + sum_to<N - 1>(); }
template <> long sum_to<0>() { return 0; }

template <typename T> T half(T n) { return n < 2 ? n : half(n / 2); }

namespace {
struct Counter {
    long calls;
    Counter() : calls(0) {}
    void count() { calls++; }
} counter;
}

int main()
{
    Square small(2), large(5);
    Pair both(small, large), all(both, small);
    auto twice = [](const Shape &s) { counter.count(); return 2 * s.area(); };
    long sum = 0;
    for (int i = 0; i < 10; i++)
        sum += twice(all) + twice(small) + half(i * 100) + half(i * 3L);
    sum += sum_to<6>();
    return sum == counter.calls;
}
