/* plan FILE.nn TARGET [MEM=BYTES ...]: the plan of a graph in text form.
 * plan random TARGET SEED COUNT: plans of random graphs, each verified.
 * plan fit TARGET SEED COUNT: the same in memories made too small: what is
 * said to be missing must be enough, and must be needed. */
#include "random.h"
#include "verify/verify.h"

#include <setjmp.h>
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

static jmp_buf refused;

static void come_back(const Trouble *t)
{
    longjmp(refused, t->status);
}

/* Plans a random graph within o; the status of err(). */
static int status_of(const char *target, uint64_t seed, const PlanOpts *o,
                     const char **bad)
{
    Arena *a = arena_new();
    int status = setjmp(refused);

    *bad = NULL;
    if (!status) {
        Plan *p = plan_make(a, random_graph(a, seed, 4 + (int)(seed % 40)),
                            soc_read(a, target), o);

        *bad = verify_plan(a, p);
    }
    arena_end(a);
    return status;
}

/* Random limits for every memory that holds buffers; how many there are. */
static int small_limits(Arena *a, const char *target, Rng *r, PlanOpts *o)
{
    Soc *soc = soc_read(a, target);
    int i, n = 0;

    open_opts(o);
    for (i = 0; i < soc->nmem; i++)
        if (soc->mems[i].holds & HOLDS_buffers) {
            o->limit[i] = pick(r, 4) ? pick(r, 3000) : 64 << pick(r, 6);
            n++;
        }
    return n;
}

/* What is wrong with one graph in small memories; NULL: nothing. */
static const char *try_fit(const char *target, uint64_t seed, int *nrefused)
{
    Arena *a = arena_new();
    PlanOpts o;
    const char *bad;
    Rng r = {seed};
    int m, status, nmem = small_limits(a, target, &r, &o);

    arena_end(a);
    status = status_of(target, seed, &o, &bad);
    if (status != ERR_FIT)
        return status ? "refused for another reason" : bad;
    ++*nrefused;
    for (m = 0; m < 16 && !plan_missing[m]; m++)
        ;
    if (m == 16)
        return "refused, but nothing is missing";
    o.limit[m] += plan_missing[m];
    if (status_of(target, seed, &o, &bad))
        return "refused with what was missing";
    if (bad)
        return bad;
    o.limit[m]--;
    if (nmem == 1 && status_of(target, seed, &o, &bad) != ERR_FIT)
        return "a byte less is enough";
    return NULL;
}

static int plan_fit(const char *target, uint64_t seed, int count)
{
    int i, failed = 0, nrefused = 0;

    err_hook = come_back;
    for (i = 0; i < count; i++) {
        const char *bad = try_fit(target, seed + (uint64_t)i, &nrefused);

        if (bad)
            printf("seed %llu: %s\n",
                   (unsigned long long)seed + (unsigned long long)i, bad);
        failed += bad != NULL;
    }
    printf("%d random graphs in small memories of %s: %d refused, %d "
           "wrong\n", count, target, nrefused, failed);
    return failed != 0;
}

int main(int argc, char **argv)
{
    if (argc == 5 && !strcmp(argv[1], "random"))
        return plan_random(argv[2], strtoull(argv[3], NULL, 0),
                           atoi(argv[4]));
    if (argc == 5 && !strcmp(argv[1], "fit"))
        return plan_fit(argv[2], strtoull(argv[3], NULL, 0), atoi(argv[4]));
    if (argc < 3)
        err(ERR_USAGE, "usage: plan FILE.nn TARGET [MEM=BYTES ...]");
    return plan_file(arena_new(), argc, argv);
}
