/* tiles run SEED COUNT [TARGET...]: random networks (tiles.h) in little memory.
 * tiles plan SEED COUNT [TARGET...]: their plans alone, played (play.h).
 * tiles show SEED COUNT [TARGET...]: the networks, and their memory.
 * tiles model FILE TARGET L1 L2: the plan of a model (*.nn: a graph as text),
 * played; -1: all memory.
 * tiles build FILE TARGET L1 L2: and run, on the chip and on the emulated team.
 *
 * Each is compiled for one of the targets (default: gap8 siracusa) with random
 * limits for L1 and L2, runs on it, and must give, bit by bit, what the
 * evaluator gives for the network as it was drawn.  Or it is refused, and what
 * is then missing must be enough: the limits are raised by that and it runs
 * (where the chip has that much, else it is planned and verified). */
#include "test/lib/play.h"
#include "test/lib/tiles.h"

#include "dev/dev.h"
#include "front/front.h"
#include "gen/gen.h"
#include "pass/pass.h"
#include "quant/quant.h"
#include "verify/verify.h"

#include <setjmp.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct Case {
    uint64_t seed;
    const char *target;
    int64_t l1, l2; /* bytes; -1: all there is */
    int cores;
    bool chains, small; /* small: for least memory */
} Case;

enum { RAN, REFUSED, ENLARGED, EMPTY, WRONG, NCODE };

static const char *const usual[] = {"gap8", "siracusa"};
static int ntarget = LEN(usual);
static const char *const *target = usual;
static bool builds; /* or else plans alone */
static jmp_buf stopped;
static struct Seen { /* by all processes together */
    int layers, cut, wide, chained, kept; /* wide: along columns; kept: rows
                                             are */
    int far, out, both; /* transfers from outside, and to it; both: of values,
                           for chains */
    int ends; /* inputs and outputs there */
} *seen;

static void stop(const Trouble *t)
{
    longjmp(stopped, t->status);
}

/* Small sizes as often as large ones. */
static int64_t some_bytes(Rng *r, double lo, double hi)
{
    return (int64_t)(lo * pow(hi / lo, pick(r, 1001) / 1000.0)) / 4 * 4;
}

static Case draw_case(Rng *r, uint64_t seed)
{
    Case c = {.seed = seed, .cores = 8};

    c.target = target[pick(r, ntarget)];
    c.l1 = some_bytes(r, 4000, 64000);
    c.l2 = pick(r, 3) ? some_bytes(r, pick(r, 2) ? 1000 : 20000, 300000) : -1;
    if (!pick(r, 4))
        c.cores = between(r, 1, 8);
    c.chains = !pick(r, 2);
    c.small = !c.chains && !pick(r, 6);
    return c;
}

static void say_case(const Case *c)
{
    printf("seed %llu: -t %s --l1 %lld --l2 %lld --cores %d%s%s: ",
           (unsigned long long)c->seed, c->target, (long long)c->l1,
           (long long)c->l2, c->cores, c->chains ? ", chains" : "",
           c->small ? ", small" : "");
}

static Graph *network_of(Arena *a, uint64_t seed)
{
    Rng r = {seed * 2 + 1};

    return draw_network(a, &r, between(&r, 1, 12));
}

static void **draw_arrays(Arena *a, const Graph *g, uint64_t seed)
{
    void **in = NEWN(a, void *, g->nin);
    Rng r = {seed};
    int64_t j;
    int i;

    for (i = 0; i < g->nin; i++) {
        in[i] = arena_get(a, (size_t)val_bytes(g->in[i]), 1);
        for (j = 0; j < val_bytes(g->in[i]); j++)
            ((unsigned char *)in[i])[j] = (unsigned char)rng(&r);
    }
    return in;
}

/* An output as drawn, with its elements. */
static Val *evaluated(Arena *a, Graph *g, void **in)
{
    Val *out = NEWN(a, Val, g->nout);
    Eval *e;
    int i;

    graph_number(g);
    e = graph_eval(a, g, in);
    for (i = 0; i < g->nout; i++) {
        out[i] = *g->out[i];
        out[i].data = e->data[out[i].id];
    }
    return out;
}

static bool same(const Val *want, Val is, void *data)
{
    int64_t i;

    is.data = data;
    for (i = 0; i < val_count(want); i++)
        if (val_int(want, i) != val_int(&is, i))
            return false;
    return true;
}

/* Limits beyond the chip are of another that has so much. */
static void grow(Soc *soc, const char *name, int64_t limit)
{
    Mem *m = soc_mem(soc, name);

    if (limit > m->size)
        soc_grow(soc, m, limit);
}

static Plan *make_plan(Arena *a, Graph *g, const Case *c)
{
    Soc *soc = soc_read(a, c->target);
    PlanOpts o;

    grow(soc, "L2", c->l2);
    if (getenv("NO_ENGINE"))
        soc_engine_off(soc, getenv("NO_ENGINE"));
    memset(&o, 0, sizeof o);
    memset(o.limit, 0xff, sizeof o.limit);
    o.limit[soc_mem(soc, "L1") - soc->mems] = c->l1;
    o.limit[soc_mem(soc, "L2") - soc->mems] = c->l2;
    o.fuse_always = c->chains;
    o.aim = c->small ? AIM_memory : AIM_time;
    soc->ncore = c->cores;
    return plan_make(a, g, soc, &o);
}

/* Does the chip have what the case may use? */
static bool chip_has(Arena *a, const Case *c)
{
    Soc *soc = soc_read(a, c->target);

    return c->l1 < soc_mem(soc, "L1")->size - (16 << 10) &&
           c->l2 < soc_mem(soc, "L2")->size;
}

/* *fits: or only its weights are too large. */
static const char *run_plan(Arena *a, Plan *p, void **in, const Val *want,
                            bool emulate, bool *fits)
{
    GenOpts o = {.name = "net", .dir = dir_temp(a), .example = in,
                 .force = true, .version = "test"};
    RunOpts ro = {.dir = o.dir, .name = o.name, .in = in, .timeout = 300,
                  .emulate = emulate};
    Run r;
    int i;

    o.expected = graph_eval(a, p->g, in);
    gen_project(p, &o);
    r = dev_run(a, p, &ro);
    *fits = r.ok || r.status != ERR_FIT;
    if (!r.ok)
        return r.why;
    for (i = 0; i < p->g->nout; i++)
        if (!same(&want[i], *p->g->out[i], r.out[i]))
            return arena_fmt(a, "output %d differs", i);
    return NULL;
}

static const char *play_plan(Arena *a, Plan *p, void **in, const Val *want)
{
    static const char *const when[] = {"at once", "at the last moment"};
    void **out = NEWN(a, void *, p->g->nout);
    int i;
    Moment m;

    for (m = EARLY; m <= LATE; m++) {
        play(a, p, m, in, out);
        for (i = 0; i < p->g->nout; i++)
            if (!same(&want[i], *p->g->out[i], out[i]))
                return arena_fmt(a, "output %d differs with transfers %s", i,
                                 when[m]);
    }
    return NULL;
}

/* A kernel is waited for at once: core 0 has a part in it. */
static bool keeps_from_kernels(const Plan *p)
{
    int i;

    for (i = 0; i + 1 < p->nstep; i++) {
        const Step *s = &p->step[i];

        if (s->kind == STEP_start && s->engine == ENG_cores &&
            (s[1].kind != STEP_wait || s[1].token != s->token))
            return true;
    }
    return false;
}

static const char *wrong_with(Arena *a, Plan *p, void **in, const Val *want)
{
    const char *why = play_plan(a, p, in, want);

    if (!why)
        why = verify_plan(a, p);
    if (!why && keeps_from_kernels(p))
        why = "something stands between a kernel and the wait for it";
    return why;
}

static bool is_out(const Plan *p, const Step *s)
{
    return !p->soc->mems[p->buf[s->move.to.buf].mem].mapped;
}

/* Is it of a value, while layers are computed in turn? */
static bool is_of_chain(const Plan *p, const Step *s)
{
    return p->buf[s->move.from.buf].kind != BUF_const &&
           (p->layer[s->layer].after ||
            (s->layer && p->layer[s->layer - 1].after));
}

/* Is it a tile behind the first of columns? */
static bool is_beside(const Step *s)
{
    return s->kind == STEP_start && s->engine == ENG_cores &&
           s->at[CUT_batch] && cut_columns(s->node);
}

static void count_tiles(const Plan *p)
{
    int i;

    for (i = 0; i < p->nlayer; i++) {
        if (p->layer[i].tiles > 1)
            __atomic_add_fetch(&seen->cut, 1, __ATOMIC_RELAXED);
        __atomic_add_fetch(&seen->wide, is_beside(&p->step[p->layer[i].last]),
                           __ATOMIC_RELAXED);
        if (p->layer[i].after)
            __atomic_add_fetch(&seen->chained, 1, __ATOMIC_RELAXED);
    }
    for (i = 0; i < p->nbuf; i++) {
        const Buf *b = &p->buf[i];

        if (strstr(b->name, " kept"))
            __atomic_add_fetch(&seen->kept, 1, __ATOMIC_RELAXED);
        if ((b->kind == BUF_input || b->kind == BUF_output) &&
            !p->soc->mems[b->mem].mapped)
            __atomic_add_fetch(&seen->ends, 1, __ATOMIC_RELAXED);
    }
    for (i = 0; i < p->nstep; i++) {
        const Step *s = &p->step[i];

        if (s->kind != STEP_start || s->engine != ENG_hops + 1)
            continue;
        __atomic_add_fetch(is_out(p, s) ? &seen->out : &seen->far, 1,
                           __ATOMIC_RELAXED);
        __atomic_add_fetch(&seen->both, is_of_chain(p, s), __ATOMIC_RELAXED);
    }
    __atomic_add_fetch(&seen->layers, p->nlayer, __ATOMIC_RELAXED);
}

/* 0: as it should be; a status of the compiler; WRONG + 100: *why. */
static int attempt(const Case *c, const char **why)
{
    Arena *a = arena_new();
    int status = setjmp(stopped);
    bool fits = true;
    Graph *g;
    Plan *p;
    void **in;
    Val *want;

    if (status)
        return status;
    g = network_of(a, c->seed);
    in = draw_arrays(a, g, c->seed);
    want = evaluated(a, g, in);
    pass_all(g, NULL, NULL);
    graph_number(g);
    memset(plan_missing, 0, sizeof plan_missing);
    p = make_plan(a, g, c);
    count_tiles(p);
    *why = p->cost < p->least ? "takes less than the bound"
                              : wrong_with(a, p, in, want);
    if (!*why && builds && chip_has(a, c))
        *why = run_plan(a, p, in, want, false, &fits);
    if (!fits)
        return 0;
    return *why ? WRONG + 100 : 0;
}

/* Raises the limits by what is missing; false: it is other memory. */
static bool enlarge(Arena *a, Case *c)
{
    Soc *soc = soc_read(a, c->target);
    int l1 = (int)(soc_mem(soc, "L1") - soc->mems);
    int l2 = (int)(soc_mem(soc, "L2") - soc->mems);

    c->l1 += plan_missing[l1];
    if (c->l2 >= 0)
        c->l2 += plan_missing[l2];
    return plan_missing[l1] > 0 || (plan_missing[l2] > 0 && c->l2 >= 0);
}

static int judge(Case c)
{
    Arena *a = arena_new();
    const char *why = "";
    Case first = c;
    int status, code = RAN;

    if (!network_of(a, c.seed))
        return EMPTY;
    status = attempt(&c, &why);
    if (status == ERR_FIT) {
        code = chip_has(a, &c) ? ENLARGED : REFUSED;
        if (!enlarge(a, &c))
            return REFUSED;
        if (!chip_has(a, &c))
            code = REFUSED;
        status = attempt(&c, &why);
        if (status == ERR_FIT)
            why = arena_fmt(a, "what is missing is not enough: L1 %lld, L2 "
                            "%lld", (long long)c.l1, (long long)c.l2);
    }
    if (!status)
        return code;
    say_case(&first);
    printf("%s\n", status < 100 && status != ERR_FIT ? trouble.message : why);
    return WRONG;
}

typedef struct Child {
    pid_t pid;
    Case c;
} Child;

/* A compiler that wants gigabytes or minutes for these is wrong.  Under ASan
 * shadow memory takes terabytes of addresses. */
static void set_bounds(void)
{
    const struct rlimit cpu = {60, 60};

    setrlimit(RLIMIT_CPU, &cpu);
#ifndef __SANITIZE_ADDRESS__
    const struct rlimit room = {3ul << 30, 3ul << 30};
    setrlimit(RLIMIT_AS, &room);
#endif
}

/* In a process of its own: it may stop in any way. */
static void begin(Child *k, uint64_t seed)
{
    Rng r = {seed};

    k->c = draw_case(&r, seed);
    fflush(stdout);
    k->pid = fork();
    if (k->pid)
        return;
    set_bounds();
    exit(judge(k->c));
}

/* Waits for one of them: its code. */
static int finish(Child *k, int n)
{
    int status, i;
    pid_t pid = wait(&status);

    for (i = 0; i < n && k[i].pid != pid; i++)
        ;
    k[i].pid = 0;
    if (WIFEXITED(status) && WEXITSTATUS(status) < NCODE)
        return WEXITSTATUS(status);
    say_case(&k[i].c);
    printf("stopped with status %#x\n", (unsigned)status);
    return WRONG;
}

/* Two at a time. */
static int run_all(uint64_t seed, int count)
{
    Child k[2] = {{0}};
    int n[NCODE] = {0}, i;

    for (i = 0; i < count; i++) {
        if (i > 1)
            n[finish(k, 2)]++;
        begin(k[0].pid ? &k[1] : &k[0], seed + (uint64_t)i);
    }
    for (i = 0; i < MIN(count, 2); i++)
        n[finish(k, 2)]++;
    printf("seed %llu: %d random networks %s as given, %d with what was "
           "missing, %d with more than the chip has; %d of %d layers were "
           "cut, %d along columns, %d results stayed within chains, of %d "
           "rows were kept, %d transfers from L3 and %d to it, %d of values "
           "of chains; %d inputs and outputs there; %d wrong\n",
           (unsigned long long)seed, n[RAN], builds ? "ran" : "played",
           n[ENLARGED], n[REFUSED], seen->cut, seen->layers, seen->wide,
           seen->chained, seen->kept, seen->far, seen->out, seen->both,
           seen->ends, n[WRONG]);
    return n[WRONG] || !n[RAN] ||
           (count >= 200 && target == usual &&
            !(seen->wide && seen->both && seen->ends));
}

static int show(uint64_t seed)
{
    Arena *a = arena_new();
    Rng r = {seed};
    Case c = draw_case(&r, seed);
    Graph *g = network_of(a, seed);
    Str out = {.mem = a};

    say_case(&c);
    if (g)
        graph_print(g, &out);
    printf("\n%s", out.s ? out.s : "nothing\n");
    arena_end(a);
    return 0;
}

static Graph *read_model(Arena *a, const char *path)
{
    FrontOpts o = {.ndim = 0};
    size_t n;

    return strstr(path, ".nn") ? graph_parse(a, path, file_read(a, path, &n))
                               : front_read(a, path, &o);
}

/* Loads of constants, and how many of them begin before a kernel of a layer
 * that is two before theirs, or earlier. */
static void count_loads(const Plan *p, int *loads, int *ahead)
{
    int i, layer = p->nlayer;

    *loads = *ahead = 0;
    for (i = p->nstep - 1; i >= 0; i--) {
        const Step *s = &p->step[i];

        if (s->kind != STEP_start)
            continue;
        if (s->engine == ENG_cores)
            layer = s->layer;
        else if (p->buf[s->move.from.buf].kind == BUF_const) {
            ++*loads;
            *ahead += s->layer > layer + 1;
        }
    }
}

static int play_model(const char *path, const Case *c)
{
    Arena *a = arena_new();
    Graph *g = read_model(a, path);
    void **in = draw_arrays(a, g, 1);
    const char *why;
    bool fits;
    Val *want;
    Plan *p;
    int i, cut = 0, loads, ahead;

    quant_lower(g);
    want = evaluated(a, g, in);
    pass_all(g, NULL, NULL);
    graph_number(g);
    p = make_plan(a, g, c);
    why = wrong_with(a, p, in, want);
    for (i = 0; i < 2 && builds && !why; i++)
        why = run_plan(a, p, in, want, i, &fits);
    for (i = 0; i < p->nlayer; i++)
        cut += p->layer[i].tiles > 1;
    count_loads(p, &loads, &ahead);
    printf("%s: %d of %d layers in tiles, %d loads of constants, %d far ahead, "
           "%lld cycles predicted: %s\n", path, cut, p->nlayer, loads, ahead,
           (long long)p->cycles, why ? why : "right");
    arena_end(a);
    return why != NULL;
}

int main(int argc, char **argv)
{
    uint64_t seed;
    int i, count;

    if (argc < 4)
        return 2;
    builds = !strcmp(argv[1], "run") || !strcmp(argv[1], "build");
    if (argc == 6 && (!strcmp(argv[1], "model") || !strcmp(argv[1], "build")))
        return play_model(argv[2], &(Case){
            .target = argv[3], .l1 = atoll(argv[4]), .l2 = atoll(argv[5]),
            .cores = 8});
    seed = strtoull(argv[2], NULL, 0);
    count = atoi(argv[3]);
    if (argc > 4) {
        ntarget = argc - 4;
        target = (const char *const *)argv + 4;
    }
    for (i = 0; i < count && !strcmp(argv[1], "show"); i++)
        show(seed + (uint64_t)i);
    if (i)
        return 0;
    err_hook = stop;
    seen = mmap(NULL, sizeof *seen, PROT_READ | PROT_WRITE,
                MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (seen == MAP_FAILED)
        return 2;
    return run_all(seed, count);
}
