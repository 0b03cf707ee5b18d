/* least SEED COUNT [LAYERS]: random small networks (tiles.h) and sizes of L1
 * and L2: what a refusal names is enough, its step less is not; and what is
 * enough stays so with more. */
#include "test/lib/tiles.h"

#include "pass/pass.h"
#include "plan/plan.h"
#include "verify/verify.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

enum { GRID = 10 };

static jmp_buf refused;
static char message[2048];

static void refuse(const Trouble *t)
{
    snprintf(message, sizeof message, "%s", t->message);
    longjmp(refused, t->status);
}

typedef struct Case {
    uint64_t seed;
    int layers;
    int64_t l1, l2;
} Case;

enum { L1, L2, NONE };

static int mem_of(Soc *s, int which)
{
    return (int)(soc_mem(s, which == L1 ? "L1" : "L2") - s->mems);
}

/* A limit beyond the chip is of another that has so much. */
static void set_limit(Soc *s, PlanOpts *o, int which, int64_t bytes)
{
    Mem *m = &s->mems[mem_of(s, which)];

    o->limit[mem_of(s, which)] = bytes;
    if (bytes > m->size)
        soc_grow(s, m, bytes);
}

/* 0 or the status; of a refusal, *which memory lacks *bytes. */
static int try(const Case *c, int *which, int64_t *bytes)
{
    Arena *a = arena_new();
    Rng r = {c->seed};
    Graph *g = draw_network(a, &r, c->layers);
    Soc *s = soc_read(a, "gap8");
    PlanOpts o = {.host_isa = ""};
    const char *bad;
    Plan *p;
    int status;

    memset(o.limit, 0xff, sizeof o.limit);
    set_limit(s, &o, L1, c->l1);
    set_limit(s, &o, L2, c->l2);
    *which = NONE;
    memset(plan_missing, 0, sizeof plan_missing);
    status = setjmp(refused);
    if (!status) {
        pass_all(g, NULL, NULL);
        p = plan_make(a, g, s, &o);
        bad = verify_plan(a, p);
        if (bad) {
            printf("seed %llu: %s\n", (unsigned long long)c->seed, bad);
            status = 99;
        }
    } else {
        for (*which = L1; *which < NONE; ++*which)
            if ((*bytes = plan_missing[mem_of(s, *which)]))
                break;
    }
    arena_end(a);
    return status;
}

typedef struct Count {
    int nets, refused, wrong, unfit;
} Count;

static void tell(const Case *c, const char *what)
{
    printf("seed %llu, %d layers, L1 %lld, L2 %lld: %s (%s)\n",
           (unsigned long long)c->seed, c->layers, (long long)c->l1,
           (long long)c->l2, what, message);
}

/* What is more is enough, what is less is not. */
static void check_others(Case *c, int64_t *size, int64_t least, Rng *r,
                         Count *n)
{
    int64_t bytes;
    int i, which;

    for (i = 0; i < GRID; i++) {
        bool more = pick(r, 2);

        *size = more ? least + pick(r, (int)least) : pick(r, (int)least);
        if (!pick(r, 3))
            *size = more ? least + 8 * pick(r, 9)
                         : least - 8 * (1 + pick(r, 9));
        *size = MAX(0, *size);
        if ((try(c, &which, &bytes) == 0) != more) {
            n->wrong++;
            printf("least %lld: ", (long long)least);
            tell(c, more ? "more is not enough" : "less is enough");
            return;
        }
    }
}

static void check_size(Case c, Rng *r, Count *n)
{
    int which, at;
    int64_t bytes, *size, least;

    if (try(&c, &which, &bytes) != ERR_FIT)
        return;
    if (which == NONE) {
        n->unfit++;
        tell(&c, "what is missing?");
        return;
    }
    n->refused++;
    size = which == L1 ? &c.l1 : &c.l2;
    least = *size + bytes;
    *size = least;
    if (try(&c, &at, &bytes)) {
        n->wrong++;
        tell(&c, "what is missing is not enough");
        return;
    }
    *size = least - 1;
    if (try(&c, &at, &bytes) != ERR_FIT) {
        n->wrong++;
        tell(&c, "a byte less is enough");
        return;
    }
    check_others(&c, size, least, r, n);
}

/* layers: 0: a few. */
static void check(uint64_t seed, int layers, Count *n)
{
    Arena *a = arena_new();
    Rng r = {seed};
    Case c = {.seed = seed, .layers = layers ? layers : between(&r, 1, 4)};
    bool empty;

    r.s = seed;
    empty = !draw_network(a, &r, c.layers);
    arena_end(a);
    if (empty)
        return;
    n->nets++;
    c.l1 = 64 << pick(&r, 11);
    c.l1 += pick(&r, (int)c.l1);
    c.l2 = pick(&r, 2) ? 200000 : between(&r, 500, 100000);
    check_size(c, &r, n);
    c.l2 = between(&r, 10, 2000);
    c.l1 = 4000 + pick(&r, 40000);
    check_size(c, &r, n);
}

int main(int argc, char **argv)
{
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    int i, n = argc > 2 ? atoi(argv[2]) : 40;
    int layers = argc > 3 ? atoi(argv[3]) : 0;
    Count c = {0};

    err_hook = refuse;
    for (i = 0; i < n; i++)
        check(seed + (uint64_t)i, layers, &c);
    printf("%d networks from seed %llu: %d sizes refused, %d unfit, %d wrong\n",
           c.nets, (unsigned long long)seed, c.refused, c.unfit, c.wrong);
    return c.wrong || c.unfit || !c.refused;
}
