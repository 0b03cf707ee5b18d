/* plan FILE.nn TARGET [MEM=BYTES ...]: the plan of a graph in text form.
 * plan random TARGET SEED COUNT: plans of random graphs, each verified. */
#include "random.h"
#include "verify/verify.h"

#include <stdlib.h>
#include <string.h>

static void open_opts(PlanOpts *o)
{
    int i;

    *o = (PlanOpts){.host_isa = ""};
    for (i = 0; i < 16; i++)
        o->limit[i] = -1;
}

static void read_limit(PlanOpts *o, Soc *soc, const char *word)
{
    char name[64];
    long long bytes;
    Mem *m;

    if (sscanf(word, "%63[^=]=%lld", name, &bytes) != 2 ||
        !(m = soc_mem(soc, name)))
        err(ERR_USAGE, "what is %s?", word);
    o->limit[m - soc->mems] = bytes;
}

static int plan_file(Arena *a, int argc, char **argv)
{
    PlanOpts o;
    Str out = {.mem = a};
    Soc *soc = soc_read(a, argv[2]);
    const char *bad;
    size_t n;
    Graph *g;
    Plan *p;
    int i;

    open_opts(&o);
    for (i = 3; i < argc; i++)
        read_limit(&o, soc, argv[i]);
    g = graph_parse(a, path_base(argv[1]), file_read(a, argv[1], &n));
    p = plan_make(a, g, soc, &o);
    plan_print(p, &out);
    fputs(out.s, stdout);
    bad = verify_plan(a, p);
    if (bad)
        printf("UNSOUND: %s\n", bad);
    return bad != NULL;
}

static int plan_random(const char *target, uint64_t seed, int count)
{
    int64_t used = 0, bound = 0, steps = 0;
    int i, failed = 0;

    for (i = 0; i < count; i++) {
        Arena *a = arena_new();
        PlanOpts o;
        const char *bad;
        Graph *g;
        Plan *p;

        open_opts(&o);
        g = random_graph(a, seed + (uint64_t)i, 4 + i % 40);
        p = plan_make(a, g, soc_read(a, target), &o);
        bad = verify_plan(a, p);
        if (bad) {
            printf("UNSOUND: seed %llu: %s\n",
                   (unsigned long long)seed + (unsigned long long)i, bad);
            failed++;
        }
        used += p->ram;
        bound += p->bound;
        steps += p->nstep / 2;
        arena_end(a);
    }
    printf("%d random graphs on %s: %d unsound, %lld steps, %lld bytes, "
           "bound %lld\n", count, target, failed, (long long)steps,
           (long long)used, (long long)bound);
    return failed != 0;
}

int main(int argc, char **argv)
{
    if (argc == 5 && !strcmp(argv[1], "random"))
        return plan_random(argv[2], strtoull(argv[3], NULL, 0),
                           atoi(argv[4]));
    if (argc < 3)
        err(ERR_USAGE, "usage: plan FILE.nn TARGET [MEM=BYTES ...]");
    return plan_file(arena_new(), argc, argv);
}
