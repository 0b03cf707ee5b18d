/* Names of addresses, by the symbols of the program. */
#include "sim/chip.h"

const char *symbol_at(const Chip *c, uint32_t pc, char *text, size_t n)
{
    int lo = 0, hi = c->nsym;

    while (lo < hi) {
        int mid = (lo + hi) / 2;

        if (c->sym[mid].addr <= pc)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (!lo)
        snprintf(text, n, "0x%08x", pc);
    else if (pc == c->sym[lo - 1].addr)
        snprintf(text, n, "%s", c->sym[lo - 1].name);
    else
        snprintf(text, n, "%s+0x%x", c->sym[lo - 1].name,
                 pc - c->sym[lo - 1].addr);
    return text;
}
