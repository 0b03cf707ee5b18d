/* Programs of several chips, which run one network by shares: each is built, then
 * all are simulated together. */
#include "dev/dev.h"

bool dev_run_chips(Arena *mem, ChipsRun *c)
{
    Dev *d = NEWN(mem, Dev, c->n);
    const char **elf = NEWN(mem, const char *, c->n);
    const char **dir = NEWN(mem, const char *, c->n);
    bool ok = true;
    int i;

    c->cycles = -1;
    for (i = 0; i < c->n; i++) {
        d[i] = (Dev){.mem = mem, .p = c->plan[i], .o = &c->o[i]};
        dev_begin(&d[i]);
    }
    for (i = 0; i < c->n && ok; i++) {
        progress("building", i, c->n);
        elf[i] = dev_find_tools(&d[i]) ? dev_prepare(&d[i]) : NULL;
        ok = elf[i] != NULL;
        dir[i] = ok ? dev_path(&d[i], "") : NULL;
        c->run[i] = d[i].r;
    }
    progress("simulating", 0, 0);
    if (!ok || !sim_chips(mem, c, elf, dir))
        return false;
    for (i = 0; i < c->n && ok; i++) {
        d[i].r = c->run[i];
        ok = dev_results(&d[i], false);
        c->run[i] = d[i].r;
    }
    return ok;
}
