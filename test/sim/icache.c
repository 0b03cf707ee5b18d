/* Straight lines of code, cold and warm, and one that never fits. */
#include "pulp.h"
#include "rt.h"

#define TEN(x) x x x x x x x x x x
#define LINE(name, body)                                                      \
    static void __attribute__((noinline)) name(void)                          \
    {                                                                         \
        __asm__ volatile(".option push\n .option norvc\n .balign 16\n"        \
                         body ".option pop");                                 \
    }
#define FIVE_HUNDRED TEN(TEN("nop\n nop\n nop\n nop\n nop\n"))
LINE(two_kb, FIVE_HUNDRED)
LINE(eight_kb, FIVE_HUNDRED FIVE_HUNDRED FIVE_HUNDRED FIVE_HUNDRED)

static void measure(const char *name, void (*f)(void))
{
    uint32_t t = pulp_cycles();

    f();
    t = pulp_cycles() - t;
    rt_print_hex(name, t);
    rt_print("\n");
}

int main(void)
{
    int i;

    measure("cold ", two_kb);
    measure("second ", two_kb);
    for (i = 0; i < 6; i++)
        two_kb();
    measure("warm ", two_kb);
    eight_kb();
    measure("never ", eight_kb);
    return 0;
}
