#include "app.h"

int main(int count, char **arguments)
{
  int total = 0;
  for (int n = 0; n < 100; n++) {
    total += sum_of(arguments[0]);
  }
  return total & 63;
}
