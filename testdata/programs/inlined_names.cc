// Lambdas, whose classes have no names, in a function and in methods that are defined outside of their class, and a function
// whose linkage name cannot be demangled.
#include <limits>
#include <type_traits>
#define SPEND(n) asm volatile(".rept " #n "\nnop\n.endr")
namespace made {
template <class T> __attribute__((always_inline)) inline
typename std::enable_if<std::numeric_limits<T>::is_signed>::type spend(T &) { SPEND(3000); }
}
struct Made { void f(); void f(int); };
void Made::f() { auto local = []() __attribute__((always_inline)) { SPEND(4000); }; local(); }
void Made::f(int) { auto local = []() __attribute__((always_inline)) { SPEND(5000); }; local(); }
int main() {
    auto first = []() __attribute__((always_inline)) { SPEND(1000); };
    auto second = []() __attribute__((always_inline)) { SPEND(2000); };
    int value = 0;
    first();
    second();
    made::spend(value);
    Made made;
    made.f();
    made.f(value);
}
