/* Every kernel against its reference, at random: kern SEED RUNS.
 *
 * For each instance of build/test/kern/insts.c a graph of one operator is
 * drawn, in the text form, with shapes and attributes that the kernel may like;
 * what it is told comes from dims.c.  Where its `when` holds, it is run on
 * random operands in memory of exactly the right size, and once more with its
 * result on top of an operand where `inplace` allows it; results are compared
 * with those of the reference kernel in wide types: integers are to be the
 * same, floats to agree within 1e-5 of the largest result.  A kernel that
 * splits itself must make the same bits on 2 to 8 cores. */
#include "test/kern/kern.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- memory --- */

/* Elements of type t, of the exact size, as the sanitizer wants them. */
static void *memory(int64_t n, Type t)
{
    void *p = malloc((size_t)(n * type_info[t].bytes) + !n);

    if (!p)
        die("no memory");
    return memset(p, 0xa5, (size_t)(n * type_info[t].bytes));
}

static Type wide(Type t)
{
    return t == T_f32 ? T_f32 : T_s64;
}

static Val view(void *data, Type t)
{
    return (Val){.type = t, .data = data};
}

/* Random elements within the range of v, or its own, native and wide. */
/* Of odd multiples of 2^30 the lower 31 bits, and what they are. */
enum { HALF = 1 << 30, OTHERS = INT32_MAX };

static void fill(const Val *v, void *native, void *other)
{
    Val a = view(native, v->type), b = view(other, wide(v->type));
    int64_t i, x;

    for (i = 0; i < val_count(v); i++) {
        if (v->type == T_f32) {
            ((float *)native)[i] = (float)(roll(2001) - 1000) / 250;
            ((float *)other)[i] = ((float *)native)[i];
        } else {
            x = v->data ? val_int(v, i) : roll64(v->lo, v->hi);
            if ((v->lo & v->hi & OTHERS) == HALF && (x & OTHERS) != HALF)
                x = (x & ~OTHERS) | HALF;
            val_set(&a, i, x);
            val_set(&b, i, x);
        }
    }
}

typedef struct Run {
    const Kern *k;
    Node *n;
    Dims d;
    void *native[NARG], *wide[NARG];
    void *got, *want;
    Fn *ref;
    int64_t room; /* bytes of scratch memory that the kernel is told of; or 0 */
} Run;

/* Bytes for references, which have heads of their own. */
enum { REF_SCRATCH = 1 << 16 };

/* Of constant weights the largest sum there is; how often it was within a
 * hundredth of the end of 32 bits. */
static int nedge;
/* How often a result was made a little ahead of what it is made of. */
static int nahead;

static void fill_edge(Run *r)
{
    Val x = view(r->native[0], r->n->arg[0]->type);
    Val other = view(r->wide[0], wide(r->n->arg[0]->type));
    int64_t top = edge_meet(r->n, &r->d, &x, &other);

    nedge += top > INT64_C(2126000000) && top <= INT32_MAX;
}

static void run_open(Run *r)
{
    const Val *y = r->n->res[0];
    int i;

    for (i = 0; i < r->n->narg; i++) {
        const Val *v = r->n->arg[i];

        if (!v)
            continue;
        r->native[i] = memory(val_count(v), v->type);
        r->wide[i] = memory(val_count(v), wide(v->type));
        fill(v, r->native[i], r->wide[i]);
    }
    fill_edge(r);
    r->got = memory(val_count(y), y->type);
    r->want = memory(val_count(y), wide(y->type));
}

static void run_close(Run *r)
{
    int i;

    for (i = 0; i < r->n->narg; i++) {
        free(r->native[i]);
        free(r->wide[i]);
    }
    free(r->got);
    free(r->want);
}

/* Core number `core` of ncore alone. */
static void call_core(Run *r, Fn *fn, void *const *in, void *out, int part,
                      int core, int ncore)
{
    struct io io = {.out = {out}, .core = core, .ncore = ncore};
    int i;

    for (i = 0; i < r->n->narg && r->n->op != OP_concat; i++)
        io.in[i] = in[i];
    if (r->n->op == OP_concat)
        io.in[0] = in[part];
    io.more.room = fn == r->ref ? 0 : r->room;
    io.tmp = malloc(fn == r->ref ? REF_SCRATCH : r->room ? (size_t)r->room
                                 : (size_t)kern_expr(r->k, r->k->scratch, r->n,
                                                     &r->d) + 1);
    fn(&r->d, &io);
    free(io.tmp);
}

static void call(Run *r, Fn *fn, void *const *in, void *out, int part)
{
    call_core(r, fn, in, out, part, 0, 1);
}

/* The cores of a team one after the other, from the last to the first if
 * `back`: they run in any order. */
static void call_team(Run *r, Fn *fn, void *const *in, void *out, int part,
                      int ncore, bool back)
{
    int i;

    for (i = 0; i < ncore; i++)
        call_core(r, fn, in, out, part, back ? ncore - 1 - i : i, ncore);
}

/* --- comparing --- */

static bool near(const float *got, const float *want, int64_t n)
{
    float top = 1e-6f;
    int64_t i;

    for (i = 0; i < n; i++)
        if (isfinite(want[i]))
            top = fmaxf(top, fabsf(want[i]));
    for (i = 0; i < n; i++)
        if (!(fabsf(got[i] - want[i]) <= 1e-5f * top) &&
            got[i] != want[i] && !(isnan(got[i]) && isnan(want[i])))
            return false;
    return true;
}

/* v as type t keeps it. */
static int64_t kept(int64_t v, Type t)
{
    int64_t data = 0;
    Val one = view(&data, t);

    val_set(&one, 0, v);
    return val_int(&one, 0);
}

/* Only a cast may have to drop bits. */
static bool same(const Val *y, void *got, void *want)
{
    Val a = view(got, y->type), b = view(want, T_s64);
    bool drops = y->def->op == OP_cast;
    int64_t i;

    if (y->type == T_f32)
        return near(got, want, val_count(y));
    for (i = 0; i < val_count(y); i++)
        if (val_int(&a, i) != (drops ? kept(val_int(&b, i), y->type)
                                     : val_int(&b, i)))
            return false;
    return true;
}

static void print(const char *what, const Val *v, void *data)
{
    Val a = view(data, v->type);
    int64_t i;

    printf("  %s:", what);
    for (i = 0; i < val_count(v) && i < 60; i++)
        printf(" %g", v->type == T_f32 ? (double)((float *)data)[i]
                                       : (double)val_int(&a, i));
    printf("\n");
}

static int report(const Run *r, const char *text, unsigned from)
{
    Val w = *r->n->res[0];
    int i;

    printf("%s differs from its reference (draw %u)\n%s", r->k->name, from,
           text);
    for (i = 0; i < r->n->narg; i++)
        if (r->n->arg[i])
            print(r->n->arg[i]->name, r->n->arg[i], r->native[i]);
    w.type = wide(w.type);
    print("gives", r->n->res[0], r->got);
    print("wanted", &w, r->want);
    return 0;
}

/* The result on top of operand i, as `inplace` promises it may be: both begin
 * together, or, if the result is larger, both end together. */
static bool run_inplace(Run *r, const Inst *in, int i)
{
    const Val *x = r->n->arg[i], *y = r->n->res[0];
    const int xb = type_info[x->type].bytes, yb = type_info[y->type].bytes;
    const bool larger = val_bytes(y) > val_bytes(x);
    void *keep = r->native[i], *both;
    char *at;
    bool ok;

    if ((r->n->op != OP_conv && val_count(x) != val_count(y)) ||
        (larger && xb != yb && xb != 1))
        return true;
    both = larger ? memory(val_count(y), y->type)
                  : memory(val_count(x), x->type);
    at = (char *)both + (larger ? val_bytes(y) - val_bytes(x) : 0);
    memcpy(at, keep, (size_t)val_bytes(x));
    r->native[i] = at;
    call(r, in->fn, r->native, both, 0);
    ok = same(y, both, r->want);
    if (!ok)
        memcpy(r->got, both, (size_t)val_bytes(y));
    r->native[i] = keep;
    free(both);
    return ok;
}

/* The result ahead of operand 0 by no more than the head wants. */
static bool run_ahead(Run *r, const Inst *in)
{
    const Val *x = r->n->arg[0], *y = r->n->res[0];
    int64_t ahead = kern_expr(r->k, r->k->ahead, r->n, &r->d);
    void *keep = r->native[0];
    char *both;
    bool ok;

    if (!r->k->ahead || ahead < 0)
        return true;
    both = malloc((size_t)MAX(ahead + val_bytes(x), val_bytes(y)) + 1);
    r->native[0] = memcpy(both + ahead, keep, (size_t)val_bytes(x));
    call(r, in->fn, r->native, both, 0);
    ok = same(y, both, r->want);
    if (!ok)
        memcpy(r->got, both, (size_t)val_bytes(y));
    r->native[0] = keep;
    free(both);
    nahead++;
    return ok;
}

static bool splits(const Run *r)
{
    return r->k->split && *r->k->split;
}

/* May the result lie on operand i while several cores work? */
static bool may_share(const Run *r, int i)
{
    const Val *x = r->n->arg[i], *y = r->n->res[0];

    return val_count(x) == val_count(y) &&
           type_info[x->type].bytes == type_info[y->type].bytes;
}

/* Every number of cores from 2 to 8 makes the bits that one made; on top of
 * operand `over`, or of none (-1). */
static bool run_split(Run *r, const Inst *in, int over)
{
    const Val *y = r->n->res[0];
    size_t bytes = (size_t)val_bytes(y);
    void *keep = over < 0 ? NULL : r->native[over];
    void *got = memory(val_count(y), y->type);
    bool ok = true;
    int ncore, i;

    for (ncore = 2; ok && ncore <= 8; ncore++) {
        if (keep)
            memcpy(r->native[over] = got, keep, bytes);
        else
            memset(got, ncore & 1 ? 0xa5 : 0x5a, bytes);
        for (i = 0; i < (r->n->op == OP_concat ? r->n->narg : 1); i++) {
            if (r->n->op == OP_concat)
                dims_fill_concat(r->n, i, &r->d);
            call_team(r, in->fn, r->native, got, i, ncore, ncore & 2);
        }
        ok = !memcmp(got, r->got, bytes);
    }
    if (keep)
        r->native[over] = keep;
    if (!ok) {
        printf("%d cores:\n", ncore - 1);
        memcpy(r->got, got, bytes);
    }
    free(got);
    return ok;
}

static bool may_lie_on(const Run *r, const Inst *in, int i)
{
    const char *name = r->k->sig[in->sig].arg[i].operand;
    const char *s = r->n->op == OP_concat ? NULL : strstr(r->k->inplace, name);

    return s && (!s[strlen(name)] || s[strlen(name)] == ' ') && r->n->arg[i];
}

/* --- one draw --- */

static Kern *find(Kern **k, int n, const char *name)
{
    int i;

    for (i = 0; i < n; i++)
        if (!strcmp(k[i]->name, name))
            return k[i];
    die("no kernel %s", name);
}

/* The graph's node with the types of the instance, if the values fit. */
static Node *node_for(const Inst *in, const char *text)
{
    Graph *g = graph_parse(mem, "draw", text);
    Val *y = g->last->res[0];

    if ((in->upper && !upper_fits(g->last)) ||
        node_round(g->last) != in->round)
        return NULL;
    if (in->res != T_f32 && !in->upper && roll(2) && edge_make(g, g->last) && roll(4))
        edge_scale(g, g->last);
    if (in->small && (g->last->acc.lo < INT32_MIN ||
                      g->last->acc.hi > INT32_MAX))
        return NULL;
    if (in->res != T_f32 && (y->lo < type_info[in->res].lo ||
                             y->hi > type_info[in->res].hi))
        return NULL;
    y->type = in->res;
    return g->last;
}

/* What the kernel must have, or somewhere between that and what it can use. */
static int64_t draw_room(const Run *r)
{
    int64_t least = kern_expr(r->k, r->k->scratch, r->n, &r->d);
    int64_t most = kern_expr(r->k, r->k->most, r->n, &r->d);

    return most <= least || roll(3) ? 0
           : least + (int64_t)roll((int)(most - least + 1));
}

/* 1: ran, -1: differs, 0: not for this kernel. */
static int attempt(const Kern *k, const Inst *in)
{
    unsigned from = seed;
    OpCode op = k->op[roll(k->nop)];
    const char *text = draw(op, in);
    Run r = {.k = k, .n = node_for(in, text), .ref = in->ref};
    bool ok;
    int i;

    if (!r.n || !kern_takes(k, r.n))
        return 0;
    dims_fill(r.n, &r.d);
    if (k->when && !kern_expr(k, k->when, r.n, &r.d))
        return 0;
    r.room = draw_room(&r);
    run_open(&r);
    for (i = 0; i < (op == OP_concat ? r.n->narg : 1); i++) {
        if (op == OP_concat)
            dims_fill_concat(r.n, i, &r.d);
        if (k->when && !kern_expr(k, k->when, r.n, &r.d)) {
            run_close(&r);
            return 0;
        }
        call(&r, in->ref, r.wide, r.want, i);
        call(&r, in->fn, r.native, r.got, i);
    }
    ok = same(r.n->res[0], r.got, r.want);
    for (i = 0; ok && i < r.n->narg; i++)
        if (may_lie_on(&r, in, i))
            ok = run_inplace(&r, in, i) &&
                 (!splits(&r) || !may_share(&r, i) || run_split(&r, in, i));
    ok = ok && run_ahead(&r, in);
    if (ok && splits(&r))
        ok = run_split(&r, in, -1);
    if (!ok)
        report(&r, text, from);
    run_close(&r);
    return ok ? 1 : -1;
}

/* Runs of one instance; a kernel that none of many draws suits is a mistake
 * too, but for the reference, whose `int` may be too narrow a result. */
static int instance(const Kern *k, const Inst *in, int runs)
{
    int done = 0, i, ran;

    for (i = 0; done < runs && i < 1500 * runs; i++) {
        mem = arena_new();
        ran = attempt(k, in);
        arena_end(mem);
        if (ran < 0)
            return -1;
        done += ran;
    }
    if (done || str_starts(k->path, "kern/ref/"))
        return done;
    printf("%s: nothing drawn satisfies its head\n", k->name);
    return -1;
}

int main(int argc, char **argv)
{
    Arena *all = arena_new();
    int nkern, i, ran, runs = argc > 2 ? atoi(argv[2]) : 20, total = 0;
    int bad = 0;
    Kern **kerns = kern_load(all, NULL, &nkern);

    seed = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 0) : 1;
    for (i = 0; i < ninst; i++) {
        ran = instance(find(kerns, nkern, insts[i].name), &insts[i], runs);
        bad += ran < 0;
        total += MAX(ran, 0);
    }
    arena_end(all);
    printf("%d kernels for certain types, %d runs like their reference, "
           "%d of them at the end of 32 bits, %d with results ahead of "
           "operands, %d failed\n", ninst, total, nedge, nahead, bad);
    return bad || (total > 1000 && (!nedge || !nahead));
}
