/* A cache of which the line that was not used for longest goes. */
#include "timing.h"

#include <stdlib.h>
#include <string.h>

bool cache_make(Cache *c, uint32_t size, uint32_t ways, uint32_t line)
{
    if (!size || !ways || !line || line & (line - 1) || size % (ways * line))
        return false;
    *c = (Cache){size / (ways * line), ways, line, NULL};
    if (c->sets & (c->sets - 1))
        return false;
    c->tag = malloc(sizeof *c->tag * c->sets * ways);
    if (!c->tag)
        return false;
    memset(c->tag, 0xff, sizeof *c->tag * c->sets * ways);
    return true;
}

bool cache_has(Cache *c, uint32_t address)
{
    uint32_t tag = address / c->line, i;
    uint32_t *set = c->tag + (tag & (c->sets - 1)) * c->ways;

    for (i = 0; i < c->ways - 1 && set[i] != tag; i++)
        ;
    if (!i && set[0] == tag)
        return true;
    bool has = set[i] == tag;
    memmove(set + 1, set, i * sizeof *set);
    set[0] = tag;
    return has;
}
