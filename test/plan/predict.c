/* predict CHIP <lines: what test/sim/ext.c measured, against what the chip's
 * description says of its DMA engines. */
#include "soc/soc.h"

#include <math.h>
#include <string.h>

static int bad, all;
static double worst;

/* 5 %; of small ones, what the instruction cache and the rounds of whoever
 * looks for the end make of it. */
static void compare(const Engine *d, bool in, int64_t n, int64_t rows,
                    double cycles)
{
    double want = dma_cycles(d, in, n, rows), off = fabs(cycles - want);
    double slack = d->in.gap > 0 ? 25 + 15 * (double)rows : 6;

    all++;
    if (off > slack && off / want > worst)
        worst = off / want;
    if (off <= 0.05 * want || off <= slack)
        return;
    bad++;
    printf("%s %s, %lld bytes in %lld rows: %g cycles, predicted %.0f\n",
           d->name, in ? "in" : "out", (long long)n, (long long)rows, cycles,
           want);
}

int main(int argc, char **argv)
{
    Arena *a = arena_new();
    const Soc *s = soc_read(a, argc > 1 ? argv[1] : "gap8");
    const Engine *mchan = soc_hop(s, 0), *hyper = soc_hop(s, 1);
    unsigned in, n, rows, cycles;
    char name[40];

    while (scanf("%39s", name) == 1) {
        if (scanf(" %x %x %x %x", &in, &n, &rows, &cycles) != 4)
            continue;
        if (!strcmp(name, "mchan"))
            compare(mchan, in, n, rows, cycles);
        if (!strcmp(name, "hyper"))
            compare(hyper, in, n, rows, cycles);
        if (!strcmp(name, "hyper_queue"))
            compare(hyper, in, (int64_t)n * rows, rows, cycles);
    }
    printf("%s: %d transfers, worst %.1f %%\n", s->name, all, 100 * worst);
    return bad || !all;
}
