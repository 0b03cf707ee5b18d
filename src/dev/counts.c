/* What QEMU's plugin counts: instructions, and cycles as a model of the core
 * has them (plugin/), layer by layer. */
#include "dev/dev.h"

#include <inttypes.h>
#include <stdio.h>

int dev_steps(const Dev *d)
{
    return d->o->talk ? d->r.nrun : MAX(1, d->o->steps);
}

static void put_caches(const Dev *d, Str *out)
{
    const Item *it;

    for (it = NULL; (it = soc_next(d->p->soc, "cache", it));)
        str_fmt(out, ",%s=%" PRId64 ":%" PRId64 ":%" PRId64, it->name,
                item_int(it, "size", 0), item_int(it, "ways", 1),
                item_int(it, "line", 32));
}

static void put_memories(const Dev *d, Str *out)
{
    const Soc *s = d->p->soc;
    int i;

    for (i = 0; i < s->nmem; i++) {
        const Mem *m = &s->mems[i];
        int64_t fill = item_int(m->item, "fill", 0);

        if (fill)
            str_fmt(out, ",memory=%" PRIu64 ":%" PRId64 ":%" PRId64,
                    m->emu_base, item_int(m->item, "emu_size", m->size), fill);
    }
}

const char *counts_options(const Dev *d)
{
    const char *core = item_word(soc_compute(d->p->soc), "pipeline", NULL);
    Str out = {.mem = d->mem};

    str_put(&out, " -plugin ./count.so,out=counts");
    if (core) {
        str_fmt(&out, ",core=%s", core);
        put_caches(d, &out);
        put_memories(d, &out);
    }
    return out.s;
}

static void forget(Dev *d)
{
    int i;

    for (i = 0; i < d->r.nlayer; i++)
        d->r.layer[i].instructions = d->r.layer[i].estimate = -1;
}

/* A line for each layer, and one for what is left of the run after them; and
 * so for every run. */
void counts_read(Dev *d)
{
    FILE *f = fopen(dev_path(d, "counts"), "r");
    int lines = d->r.nlayer + 1, steps = dev_steps(d), i;
    int64_t sum = 0, cycles = 0, n, estimate;

    if (!f)
        return;
    d->r.step = NEWN(d->mem, RunStep, steps);
    for (i = 0; fscanf(f, "%" SCNd64 " %" SCNd64, &n, &estimate) == 2; i++) {
        RunLayer *l = &d->r.layer[i % lines];

        sum += n;
        cycles += estimate;
        if (i / lines < steps)
            d->r.step[i / lines].instructions += n;
        if (i % lines < d->r.nlayer) {
            l->instructions = MAX(0, l->instructions) + n;
            l->estimate = estimate < 0 ? -1 : MAX(0, l->estimate) + estimate;
        }
    }
    fclose(f);
    if (i != lines * steps) {
        forget(d);
        return;
    }
    d->r.instructions = sum;
    d->r.estimate = cycles < 0 ? -1 : cycles;
    d->r.nstep = steps;
    for (i = 0; i < steps; i++)
        d->r.step[i].cycles = -1;
}
