/* Something to debug. */
#include "rt.h"

static volatile int32_t total;

__attribute__((noinline)) int addition(int a, int b)
{
    return a + b;
}

int main(void)
{
    volatile int a = 20, b = 22;
    int sum = addition(a, b);

    rt_print_hex("total ", (uint32_t)total);
    rt_print("\n");
    return sum == 42 ? 3 : 4;
}
