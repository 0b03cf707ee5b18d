/* plan FILE.nn TARGET [MEM=BYTES ...]: the plan of a graph in text form.
 * plan random TARGET SEED COUNT: plans of random graphs, each verified.
 * plan share: small graphs with the steps and bytes they must come to.
 * plan fit TARGET SEED COUNT: the same in memories made too small: what is
 * said to be missing must be enough, and must be needed. */
#include "test/lib/random.h"
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

/* What shares storage: steps, and bytes on host (aligned to 16). */
static const struct Shared {
    const char *what;
    int steps;
    int64_t bytes;
    const char *graph;
} shared[] = {
    {"in place: two values of 64 bytes, as the output is no input's", 3, 128,
     "x = input : f32[16]\n"
     "a = exp x\n" "b = tanh a\n" "y = abs b\n" "output y\n"},
    {"in place on the operand that dies", 3, 192,
     "x = input : f32[16]\n"
     "a = exp x\n" "b = tanh x\n" "y = add a b\n" "output y\n"
     "output a\n"},
    {"not in place: the result has smaller elements", 2, 80,
     "x = input : f32[16]\n" "a = cast x to=s8\n" "y = abs a\n"
     "output y\n"},
    {"not in place: the operand is repeated", 2, 132,
     "x = input : f32[4,4]\n" "s = input : f32[1,1]\n"
     "a = exp s\n" "y = add a x\n" "output y\n"},
    {"concat without copies", 3, 192,
     "x = input : f32[16]\n" "a = exp x\n" "b = tanh x\n"
     "y = concat a b axis=0\n" "z = abs y\n" "output z\n"},
    {"concat along an inner axis copies both", 4, 256,
     "x = input : f32[4,4]\n" "a = exp x\n" "b = tanh x\n"
     "y = concat a b axis=1\n" "output y\n"},
    {"one value twice in a concat: one copy", 2, 192,
     "x = input : f32[16]\n" "a = exp x\n"
     "y = concat a a axis=0\n" "output y\n"},
    {"slices that are runs are views", 3, 192,
     "x = input : f32[2,16]\n" "h = exp x\n"
     "a = slice h start=0,0 step=1,1 count=1,16\n"
     "b = slice h start=1,0 step=1,1 count=1,16\n"
     "c = abs a\n" "y = add c b\n" "output y\n"},
    {"a slice with steps is a copy", 2, 96,
     "x = input : f32[16]\n"
     "a = slice x start=0 step=2 count=8\n" "y = abs a\n" "output y\n"},
    {"a transpose of axes of 1 is a view", 1, 128,
     "x = input : f32[1,16,1]\n" "a = transpose x perm=1,0,2\n"
     "y = exp a\n" "output y\n"},
    {"an output that is an input is a copy", 1, 128,
     "x = input : f32[16]\n" "y = reshape x shape=4,4\n" "output y\n"},
    {"an output that is a constant is a copy", 2, 128,
     "x = input : f32[16]\n" "c = const : f32[4] {1,2,3,4}\n"
     "y = exp x\n" "output y\n" "output c\n"},
    {"an output twice is a copy", 2, 128,
     "x = input : f32[16]\n" "y = exp x\n" "output y\n" "output y\n"},
    {"a separable block in place: beside x a row of scratch", 4,
     1024 + 128,
     "x = input : f32[1,8,8,4]\n" "v = const : f32[4,1,1,4] {1,2,3,4,5,6,7,8,"
     "1,2,3,4,5,6,7,8}\n" "w = const : f32[4,1,1,1] {1,2,3,4}\n"
     "a = conv x v last=1\n" "b = conv a w last=1 group=4\n"
     "c = conv b v last=1\n" "y = mean c axes=1,2 keep=1\n" "output y\n"},
    {"one branch is done before the other is begun", 6, 4224,
     "x = input : f32[1,16]\n"
     "b = expand x shape=64,16\n" "c = expand x shape=64,16\n"
     "d = sum b axes=0 keep=1\n" "e = sum c axes=0 keep=1\n"
     "f = add d e\n" "y = abs f\n" "output y\n"},
};

static bool share_one(const struct Shared *t)
{
    Arena *a = arena_new();
    PlanOpts o;
    Str s = {.mem = a};
    const char *bad;
    Plan *p;

    open_opts(&o);
    o.limit[0] = t->bytes; /* crowded: memory is saved where it can be */
    str_fmt(&s, "graph \"g\"\n%s", t->graph);
    p = plan_make(a, graph_parse(a, "share", s.s), soc_read(a, "host"), &o);
    bad = verify_plan(a, p);
    if (bad || p->nstep != 2 * t->steps || p->ram != t->bytes) {
        Str text = {.mem = a};

        plan_print(p, &text);
        printf("%s: wanted %d steps, %lld bytes%s%s\n%s", t->what, t->steps,
               (long long)t->bytes, bad ? "; unsound: " : "", bad ? bad : "",
               text.s);
        return false;
    }
    arena_end(a);
    return true;
}

static int plan_share(void)
{
    size_t i;
    int failed = 0;

    for (i = 0; i < LEN(shared); i++)
        failed += !share_one(&shared[i]);
    printf("%zu graphs share storage, %d otherwise than they must\n",
           LEN(shared), failed);
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
    if (argc == 2 && !strcmp(argv[1], "share"))
        return plan_share();
    if (argc == 5 && !strcmp(argv[1], "fit"))
        return plan_fit(argv[2], strtoull(argv[3], NULL, 0), atoi(argv[4]));
    if (argc < 3)
        err(ERR_USAGE, "usage: plan FILE.nn TARGET [MEM=BYTES ...]");
    return plan_file(arena_new(), argc, argv);
}
