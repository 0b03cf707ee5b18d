/* round COUNT SEED: rescaling as TensorFlow Lite's kernels do it, against its
 * functions written down one by one: SRDHM, RDP and their product MBQM, MBQM64
 * of 64-bit accumulators, and the form that rounds once.
 *
 * Random multipliers and exponents become a requant node, as doc/il.md says;
 * random sums, most of them at ties, go through it, once as constants and once
 * behind a product and a convolution that take it in as their epilogue. */
#include "pass/pass.h"

#include <stdlib.h>
#include <string.h>

static uint64_t state;

static int64_t below(int64_t n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (int64_t)((state >> 1) % (uint64_t)n);
}

static int64_t between(int64_t lo, int64_t hi)
{
    return lo + below(hi - lo + 1);
}

static bool maybe(int percent)
{
    return below(100) < percent;
}

/* --- the formulas --- */

typedef enum Form { TWICE, ONCE, LONG, NFORM } Form;
static const char *const form_name[] = {"twice", "once", "of 64 bits"};

static int64_t srdhm(int64_t a, int64_t m)
{
    return (a * m + (INT64_C(1) << 30)) >> 31;
}

static int64_t rdp(int64_t a, int r)
{
    return r ? (a + (INT64_C(1) << (r - 1)) - (a < 0)) >> r : a;
}

static int64_t wrap32(int64_t x)
{
    return (int32_t)(uint32_t)(uint64_t)x;
}

static int64_t shifted(int64_t x, int e)
{
    return e > 0 ? wrap32((int64_t)((uint64_t)x << e)) : x;
}

/* m to 16 bits, as kernels with 64-bit accumulators have it */
static int64_t short_of(int64_t m)
{
    return m < 0x7fff0000 ? (m + (1 << 15)) >> 16 : 0x7fff;
}

static int64_t formula(Form f, int64_t x, int64_t m, int e)
{
    switch (f) {
    case TWICE:
        return rdp(srdhm(shifted(x, e), m), e < 0 ? -e : 0);
    case ONCE:
        return (x * m + (INT64_C(1) << (30 - e))) >> (31 - e);
    default:
        return (x * short_of(m) + (INT64_C(1) << (14 - e))) >> (15 - e);
    }
}

static int64_t clamp(int64_t v, int64_t lo, int64_t hi)
{
    return v < lo ? lo : v > hi ? hi : v;
}

/* --- the same as a node --- */

enum { CHANNELS = 3, EACH = 16, COUNT = CHANNELS * EACH };

typedef struct Case {
    Form form;
    int64_t z, lo, hi, m[CHANNELS], x[COUNT], most; /* abs x <= most */
    int e[CHANNELS];
} Case;

static int shift_of(const Case *c, int i)
{
    return (c->form == LONG ? 15 : 31) - c->e[i];
}

static int64_t add_of(const Case *c, int i)
{
    int s = shift_of(c, i);
    int64_t half = s ? INT64_C(1) << (s - 1) : 0;

    return c->z * (INT64_C(1) << s) + half +
           (c->form == TWICE && s > 31 ? 1 << 30 : 0);
}

/* A sum whose product lies next to one that is rounded up. */
static int64_t near_tie(const Case *c, int i)
{
    int64_t m = c->form == LONG ? short_of(c->m[i]) : c->m[i], y;
    int s = shift_of(c, i);

    y = between(c->lo - c->z - 2, c->hi - c->z + 2);
    y = y * (INT64_C(1) << s) + (s ? INT64_C(1) << (s - 1) : 0);
    return clamp(y / (m ? m : 1) + between(-2, 2), -c->most, c->most);
}

static void draw(Case *c)
{
    bool same = maybe(20);
    int i;

    c->form = (Form)below(NFORM);
    c->z = maybe(30) ? -128 : between(-128, 127);
    c->lo = maybe(40) ? c->z : -128;
    c->hi = maybe(20) ? between(c->lo, 127) : 127;
    c->most = c->form == LONG ? INT64_C(1) << 38 : 1 << between(8, 23);
    for (i = 0; i < CHANNELS; i++) {
        c->m[i] = maybe(10) ? 1 << 30 : maybe(10) ? INT32_MAX
                  : maybe(3) ? 0 : between(1 << 30, INT32_MAX);
        c->e[i] = (int)(maybe(20) ? between(-3, 3) : between(-18, 0));
        if (same) {
            c->m[i] = c->m[0];
            c->e[i] = c->e[0];
        }
    }
    for (i = 0; i < COUNT; i++)
        c->x[i] = maybe(75) ? near_tie(c, i / EACH)
                            : between(-c->most, c->most);
}

static void put_list(Str *o, const char *name, const char *type,
                     const char *shape, int n, const int64_t *v)
{
    int i;

    str_fmt(o, "%s = const : %s[%s] {", name, type, shape);
    for (i = 0; i < n; i++)
        str_fmt(o, "%s%lld", i ? "," : "", (long long)v[i]);
    str_put(o, "}\n");
}

static void put_scaling(Str *o, const Case *c)
{
    int64_t v[CHANNELS];
    int i;

    for (i = 0; i < CHANNELS; i++)
        v[i] = c->form == LONG ? short_of(c->m[i]) : c->m[i];
    put_list(o, "m", "s32", "3,1", CHANNELS, v);
    for (i = 0; i < CHANNELS; i++)
        v[i] = add_of(c, i);
    put_list(o, "a", "s64", "3,1", CHANNELS, v);
    for (i = 0; i < CHANNELS; i++)
        v[i] = shift_of(c, i);
    put_list(o, "s", "u8", "3,1", CHANNELS, v);
}

static void put_requant(Str *o, const Case *c, const char *y, const char *x)
{
    str_fmt(o, "%s = requant %s m a s round=%d lo=%lld hi=%lld\noutput %s\n", y,
            x, c->form == TWICE, (long long)c->lo, (long long)c->hi, y);
}

/* y of sums as they are; p of a product with 1, q of a convolution that takes
 * 7 off and adds it again as its bias. */
static const char *text_of(Arena *a, const Case *c)
{
    static const char *const seven[] = {"s32", "s64"};
    const char *type = c->form == LONG ? "s64" : "s32";
    int64_t less[COUNT], one[CHANNELS] = {1, 1, 1}, bias[] = {7, 7, 7};
    Str o = {.mem = a};
    int i;

    for (i = 0; i < COUNT; i++)
        less[i] = c->x[i] - 7;
    str_put(&o, "graph \"round\" exact\n");
    put_list(&o, "x", type, "1,3,16", COUNT, c->x);
    put_list(&o, "t", type, "1,3,16", COUNT, less);
    put_list(&o, "w", "s8", "3,1,1", CHANNELS, one);
    put_list(&o, "k", "s8", "1", 1, one);
    put_list(&o, "b", seven[c->form == LONG], "3", CHANNELS, bias);
    put_scaling(&o, c);
    put_requant(&o, c, "y", "x");
    str_put(&o, "u = mul x k\n");
    put_requant(&o, c, "p", "u");
    str_put(&o, "v = conv t w b group=3\n");
    put_requant(&o, c, "q", "v");
    return o.s;
}

/* --- judging --- */

static int judge(const Case *c, const Graph *g, const Eval *e, const char *when)
{
    int i, j, wrong = 0;

    for (j = 0; j < g->nout; j++) {
        Val y = *g->out[j];

        y.data = e->data[y.id];
        for (i = 0; i < COUNT; i++) {
            int k = i / EACH;
            int64_t is = val_int(&y, i), want =
                clamp(c->z + formula(c->form, c->x[i], c->m[k], c->e[k]),
                      c->lo, c->hi);

            if (is != want && !wrong++)
                printf("%s, %s, %s: MBQM(%lld, %lld, %d) + %lld is %lld, "
                       "want %lld\n", form_name[c->form], when, y.name,
                       (long long)c->x[i], (long long)c->m[k], c->e[k],
                       (long long)c->z, (long long)is, (long long)want);
        }
    }
    return wrong;
}

static long fused, kept, dropped, each;

static void count(const Graph *g)
{
    const Node *n;

    for (n = g->first; n; n = n->next) {
        bool has = n->op != OP_requant && node_arg(n, "mul");

        fused += has;
        kept += has && attr_int(n, A_round);
        each += has && node_arg(n, "shifts");
    }
}

static int try(unsigned seed)
{
    Arena *a = arena_new();
    Case c;
    Graph *g;
    const char *text;
    int wrong;

    state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    below(9);
    draw(&c);
    text = text_of(a, &c);
    g = graph_parse(a, "round", text);
    graph_infer(g);
    wrong = judge(&c, g, graph_eval(a, g, NULL), "as read");
    pass_one(g, "fuse");
    count(g);
    dropped += c.form == TWICE;
    wrong += judge(&c, g, graph_eval(a, g, NULL), "fused");
    if (wrong)
        printf("seed %u:\n%s", seed, text);
    arena_end(a);
    return wrong;
}

/* Where acc << e leaves 32 bits theirs wraps, which a cast says. */
static int try_wrap(unsigned seed)
{
    Arena *a = arena_new();
    Str o = {.mem = a};
    int64_t x[COUNT], m = between(1 << 30, INT32_MAX), is, want;
    int e = (int)between(1, 12), i, wrong = 0;
    Graph *g;
    Eval *r;
    Val y;

    for (i = 0; i < COUNT; i++)
        x[i] = between(INT32_MIN, INT32_MAX) >> between(0, e);
    str_put(&o, "graph \"wrap\" exact\n");
    put_list(&o, "x", "s32", "48", COUNT, x);
    str_fmt(&o, "k = const : s32[] {%d}\nm = const : s32[] {%lld}\n"
            "a = const : s64[] {%d}\nu = mul x k\nv = cast u to=s32\n"
            "y = requant v m a shift=31 round=1\noutput y\n", 1 << e,
            (long long)m, 1 << 30);
    g = graph_parse(a, "wrap", o.s);
    graph_infer(g);
    r = graph_eval(a, g, NULL);
    y = *g->out[0];
    y.data = r->data[y.id];
    for (i = 0; i < COUNT; i++) {
        is = val_int(&y, i);
        want = formula(TWICE, x[i], m, e);
        if (is != want && !wrong++)
            printf("seed %u, wrapped: MBQM(%lld, %lld, %d) is %lld, want "
                   "%lld\n", seed, (long long)x[i], (long long)m, e,
                   (long long)is, (long long)want);
    }
    arena_end(a);
    return wrong;
}

int main(int argc, char **argv)
{
    unsigned i, n = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 0) : 2000;
    unsigned seed = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 0) : 1;
    int wrong = 0;

    for (i = 0; i < n && wrong < 5; i++)
        wrong += try(seed + i) + try_wrap(seed + i);
    printf("%u cases from seed %u: %s; of %ld epilogues %ld round twice, of "
           "%ld drawn so; %ld have shifts\n", i, seed,
           wrong ? "they differ" : "as the formulas", fused, kept, 2 * dropped,
           each);
    return wrong > 0;
}
