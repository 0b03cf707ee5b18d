/* Characters for the user.  Every core has an address of its own, so lines of
 * cores that print at once do not mix: a line goes out when it is whole. */
#include "sim/chip.h"

enum { WRITERS = 512 };

typedef struct Stdout {
    Str line[WRITERS];
} Stdout;

static void flush(Device *d, Str *s)
{
    sim_put(d->chip, s->s, s->n);
    s->n = 0;
}

static void store(Device *d, Access *a)
{
    Str *s = &((Stdout *)d->state)->line[a->off / 8 % WRITERS];
    char ch = (char)a->value;

    s->mem = d->chip->sim->mem;
    str_mem(s, &ch, 1);
    if (ch == '\n')
        flush(d, s);
}

static void end(Device *d)
{
    Stdout *v = d->state;
    int i;

    for (i = 0; i < WRITERS; i++)
        if (v->line[i].n)
            flush(d, &v->line[i]);
}

static const Model model = {
    .name = "stdout", .size = sizeof(Stdout), .store = store, .end = end,
};
MODEL(model)
