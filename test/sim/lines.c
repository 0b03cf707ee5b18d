/* Each chip prints a line by three pieces, the last chip first; chip 0 ends
 * first.  The second piece is of a file in the program's folder. */
#include "pulp.h"
#include "rt.h"

enum { ID = 0x00, CHIPS = 0x04 };

static void wait(uint32_t cycles)
{
    uint32_t from = pulp_cycles();

    while (pulp_cycles() - from < cycles)
        ;
}

int main(void)
{
    uint32_t id = PULP_REG(PULP_LINK + ID), n = PULP_REG(PULP_LINK + CHIPS);
    int f = rt_open("name", 0);
    char name[2] = "";

    if (f < 0 || rt_read(f, name, 1) != 1)
        return 1;
    wait(2000 * (n - id));
    rt_print("chip ");
    wait(5000);
    rt_print(name);
    wait(5000);
    rt_print("!\n");
    wait(20000 * id);
    return 0;
}
