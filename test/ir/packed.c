/* packed SEED COUNT: weights as accelerators read them, made by the operator
 * pack and by what is published of N-Eureka's and NE16's words, bit by bit. */
#include "ir/ir.h"
#include "test/lib/rng.h"

#include <stdlib.h>
#include <string.h>

/* Words of `bytes` for each output, group of channels and, where bit is, bit of
 * the codes. */
typedef struct Form {
    const char *name;
    int taps, group, bytes;
    bool slots; /* N-Eureka's 1x1: bits of four channels lie together */
} Form;

static const Form forms[] = {
    {"N-Eureka 3x3", 9, 28, 32, false}, {"N-Eureka 1x1", 1, 32, 32, true},
    {"second N-Eureka 3x3", 9, 32, 36, false},
    {"second N-Eureka 1x1", 1, 32, 4, false},
    {"NE16 3x3", 9, 16, 18, false}, {"NE16 1x1", 1, 16, 2, false},
};

typedef struct Case {
    const Form *f;
    int o, c, bits, words; /* words: of an output */
} Case;

/* Of bit b of tap t, channel c, output o. */
static int64_t place(const Case *k, int o, int t, int c, int b)
{
    const Form *f = k->f;
    int64_t group = c / f->group, in = c % f->group;
    int64_t word = (int64_t)o * k->words +
                   (f->slots ? group : group * k->bits + b);

    return word * f->bytes * 8 + (f->slots ? in / 4 * 32 + b * 4 + in % 4
                                           : t * f->group + in);
}

static char *text_of(Arena *a, const Case *k)
{
    const Form *f = k->f;
    int word = f->bytes * 8;
    Str s = {.mem = a};

    str_fmt(&s, "graph \"p\"\nw = input : s8[%d,%d,%d]\nb = clip w lo=%d "
            "hi=%d\ny = pack b p0=%d p1=%d shape=%d,%d ", k->o, f->taps, k->c,
            -(1 << (k->bits - 1)), (1 << (k->bits - 1)) - 1,
            1 << (k->bits - 1), k->bits, k->o, k->words * f->bytes);
    if (f->slots)
        str_fmt(&s, "count=%d,4 step=%d,0,%d,32,1,4", f->group,
                k->words * word, word);
    else
        str_fmt(&s, "count=%d step=%d,%d,%d,1,%d", f->group, k->words * word,
                f->group, word * k->bits, word);
    str_put(&s, "\noutput y\n");
    return s.s;
}

static bool check(const Case *k, const int8_t *w, const unsigned char *y)
{
    const Form *f = k->f;
    int64_t size = (int64_t)k->o * k->words * f->bytes;
    unsigned char *want = calloc((size_t)size, 1);
    int o, t, c, b;
    bool same;

    for (o = 0; o < k->o; o++)
        for (t = 0; t < f->taps; t++)
            for (c = 0; c < k->c; c++)
                for (b = 0; b < k->bits; b++) {
                    int code = *(w + ((int64_t)o * f->taps + t) * k->c + c) +
                               (1 << (k->bits - 1));
                    int64_t at = place(k, o, t, c, b);

                    want[at / 8] |= (unsigned char)((code >> b & 1)
                                                    << at % 8);
                }
    same = !memcmp(want, y, (size_t)size);
    free(want);
    return same;
}

static bool try_case(Rng *r)
{
    Arena *a = arena_new();
    Case k = {.f = &forms[pick(r, (int)LEN(forms))]};
    int8_t *w;
    void *in[1];
    Graph *g;
    Eval *e;
    int i, n, groups;
    bool ok;

    k.o = between(r, 1, 9);
    k.c = between(r, 1, 70);
    k.bits = between(r, 2, 8);
    groups = (k.c + k.f->group - 1) / k.f->group;
    k.words = k.f->slots ? groups : groups * k.bits;
    n = k.o * k.f->taps * k.c;
    in[0] = w = arena_get(a, (size_t)n, 1);
    for (i = 0; i < n; i++)
        w[i] = (int8_t)(pick(r, 1 << k.bits) - (1 << (k.bits - 1)));
    g = graph_parse(a, "pack", text_of(a, &k));
    graph_number(g);
    e = graph_eval(a, g, in);
    ok = check(&k, w, e->data[g->out[0]->id]);
    if (!ok)
        printf("%s: %d outputs of %d channels of %d bits: other bytes\n",
               k.f->name, k.o, k.c, k.bits);
    arena_end(a);
    return ok;
}

int main(int argc, char **argv)
{
    int i, bad = 0, count;
    uint64_t seed;

    if (argc != 3)
        return 2;
    seed = strtoull(argv[1], NULL, 0);
    count = atoi(argv[2]);
    for (i = 0; i < count; i++)
        bad += !try_case(&(Rng){seed * 1000 + (uint64_t)i});
    printf("%d weights packed from seed %s, %d wrong\n", count, argv[1], bad);
    return bad != 0;
}
