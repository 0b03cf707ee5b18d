/* SoC control: the register that ends the program. */
#include "sim/chip.h"

enum { CORE_STATUS = 0xa0 };

static void store(Device *d, Access *a)
{
    if (a->off == CORE_STATUS && a->value >> 31)
        sim_exit(d->chip, (int)(a->value & 0x7fffffff));
}

static const Model model = {.name = "soc_control", .store = store};
MODEL(model)
