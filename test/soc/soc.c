/* DMA engines and energy of the built-in chips, against what their lines
 * say; and lines that make no sense. */
#include "soc/soc.h"

#include <math.h>
#include <string.h>

static int bad, all;

static void want(const char *what, double is, double wanted)
{
    all++;
    if (fabs(is - wanted) < 1e-9 || (isnan(is) && isnan(wanted)))
        return;
    printf("%s: %g, wanted %g\n", what, is, wanted);
    bad++;
}

/* A chip without rates counts all clocks alike. */
static double per(const Soc *s, const char *clock)
{
    double own = item_num(soc_item(s, "clock", clock), "mhz", 1);

    return own / item_num(soc_item(s, "clock", "cluster"), "mhz", 1);
}

static void check_mchan(const Soc *s)
{
    const Engine *d = soc_hop(s, 0);
    double fixed = item_num(d->item, "in_setup", 0) +
                   item_num(d->item, "program", 0) +
                   item_num(d->item, "wait", 0);

    want("mchan", strcmp(d->name, "mchan"), 0);
    want("setup in", d->in.setup, fixed);
    want("rate out", d->out.bytes_per_cycle, 8);
    want("no gap", d->in.gap, 0);
    want("a byte", dma_cycles(d, true, 1, 1), fixed + 1 + 2);
    want("a KB and one", dma_cycles(d, true, 1025, 1), fixed + 129 + 5 * 2);
    want("rows out", dma_cycles(d, false, 6 * 12, 6) - d->out.setup,
         6 * (2 + 3 * (1 + 11.0 / 256)));
}

static void check_hyper(const Soc *s)
{
    const Engine *d = soc_hop(s, 1);

    want("hyper", strcmp(d->name, "hyper"), 0);
    want("far", s->mems[d->far].mapped, 0);
    want("near", strcmp(s->mems[d->near].name, "L2"), 0);
    want("rate in", d->in.bytes_per_cycle, per(s, "periph"));
    want("rate out", d->out.bytes_per_cycle, 0.8 * per(s, "fc"));
    want("rows", dma_cycles(d, false, 900, 9) - dma_cycles(d, false, 900, 1),
         8 * d->out.gap);
    want("no third", soc_hop(s, 2) != NULL, 0);
}

static void check_energy(Arena *a)
{
    Soc *siracusa = soc_read(a, "siracusa"), *gap8 = soc_read(a, "gap8");

    want("a core's cycle", soc_energy(siracusa, "core_cycle"), 26);
    want("a byte of L3", soc_energy(siracusa, "ext_byte"), 100);
    want("no source", soc_energy(gap8, "dma_byte"), NAN);
    want("no such event", soc_energy(siracusa, "dice"), NAN);
}

int main(int argc, char **argv)
{
    static const char *const chip[] = {"pulp-open", "gap8", "gap9",
                                       "siracusa"};
    Arena *a = arena_new();
    size_t i;

    if (argc > 1) { /* a chip to be refused */
        soc_read(a, argv[1]);
        return 0;
    }
    for (i = 0; i < LEN(chip); i++) {
        const Soc *s = soc_read(a, chip[i]);

        check_mchan(s);
        check_hyper(s);
    }
    want("host has none", soc_read(a, "host")->nengine, 1);
    check_energy(a);
    printf("%d facts of DMA engines and energy, %d wrong\n", all, bad);
    return bad != 0;
}
