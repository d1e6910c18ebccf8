// Classes, templates, exceptions, destructors, lambdas and constructors of one name at several addresses.
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

static inline int clamp(int x, int low, int high) {
    if (x < low)
        return low;
    return x > high ? high : x;
}

struct Log {
    static int opened, closed;
    Log() {
        opened++;
    }
    ~Log() {
        closed++;
    }
};
int Log::opened = 0;
int Log::closed = 0;

struct Shape {
    double size;
    explicit Shape(double s) : size(s) {
        if (s < 0)
            throw std::invalid_argument("negative");
    }
    virtual ~Shape() = default;
    virtual double area() const = 0;
};

struct Square : Shape {
    explicit Square(double s) : Shape(s) {
        size = s;
    }
    double area() const override {
        return size * size;
    }
};

struct Circle : Shape {
    explicit Circle(double s) : Shape(s) {
        size = s / 2;
    }
    ~Circle() override {
        if (size > 2)
            size = 0;
    }
    double area() const override {
        double sum = 0;
        for (int i = 0; i < 3; i++) sum += size;
        return sum * size;
    }
};

template <typename T> struct Stack {
    std::vector<T> items;
    void push(T item) {
        items.push_back(item);
    }
    T pop() {
        if (items.empty())
            return T();
        T last = items.back();
        items.pop_back();
        return last;
    }
};

template <typename T> T power(T base, int n) {
    T result = 1;
    while (n-- > 0)
        result *= base;
    return result;
}

static std::unique_ptr<Shape> make(int kind, double size) {
    if (kind % 3 == 0)
        return std::make_unique<Square>(size);
    if (kind % 3 == 1)
        return std::make_unique<Circle>(size);
    return nullptr;
}

static int parse(const char *text) {
    Log log;
    int value = 0;
    for (; *text; text++) {
        if (*text < '0' || *text > '9')
            throw std::runtime_error("digit");
        value = value * 10 + (*text - '0');
    }
    if (value > 1000)
        throw value;
    return value;
}

static int tried(const char *text) {
    Log log;
    try {
        return parse(text);
    } catch (int large) {
        return large % 7;
    }
}

int main() {
    double sum = 0;
    int failed = 0;
    for (int i = 0; i < 60; i++) {
        try {
            std::unique_ptr<Shape> shape = make(i, i - 10.0);
            if (shape)
                sum += shape->area();
        } catch (const std::invalid_argument &) {
            failed++;
        }
    }
    const char *inputs[] = {"12", "9x", "5000", "", "77", "abc", "1001"};
    for (const char *input : inputs) {
        try {
            sum += tried(input);
        } catch (...) {
            failed++;
        }
    }
    Stack<int> numbers;
    Stack<double> reals;
    for (int i = 0; i < 20; i++) {
        numbers.push(i);
        if (i % 3 == 0)
            reals.push(i);
    }
    int total = 0;
    while (!numbers.items.empty())
        total += clamp(numbers.pop(), 2, 5);
    while (!reals.items.empty())
        total += int(reals.pop());
    auto add =
        [&](int x) {
            if (x % 2)
                total += x;
        };
    for (int i = 0; i < 10; i++)
        add(i);
    if (failed > 1000)
        printf("never\n");
    printf("%.1f %d %d %d %d %d\n", sum, failed, total, Log::opened, Log::closed, power(3, 5));
}
