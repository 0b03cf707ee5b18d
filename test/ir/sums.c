/* The evaluator's convolutions against six loops: shapes whose sums are made
 * apart (src/ir/sums.c) and others.
 *
 *     sums SEED RUNS */
#include "ir/ir.h"
#include "test/lib/rng.h"

#include <stdlib.h>

typedef struct Conv {
    int n, g, c, m, h, w, kh, kw, stride, dilation, pad, padv;
    bool wide; /* some operands need 16 bits */
} Conv;

static Conv draw(Rng *r)
{
    Conv k = {.n = between(r, 1, 2), .g = between(r, 1, 3),
              .c = between(r, 6, 21), .m = between(r, 1, 5),
              .kh = between(r, 1, 3), .kw = between(r, 1, 4),
              .stride = between(r, 1, 2), .dilation = between(r, 1, 2),
              .pad = between(r, 0, 2), .padv = between(r, -9, 9),
              .wide = between(r, 0, 3) == 0};

    k.h = between(r, 0, 4) + (k.kh - 1) * k.dilation + 1;
    k.w = between(r, 0, 5) + (k.kw - 1) * k.dilation + 1;
    return k;
}

static Node *make(Arena *a, const Conv *k)
{
    const char *text = arena_fmt(
        a, "graph \"s\" exact\nx = input : %s[%d,%d,%d,%d]\n"
        "w = input : s8[%d,%d,%d,%d]\nb = input : s16[%d]\n"
        "y = conv x w b group=%d stride=%d,%d dilation=%d,%d pad=%d,%d,%d,%d "
        "padvalue=%d\n",
        k->wide ? "s16" : "u8", k->n, k->g * k->c, k->h, k->w, k->g * k->m,
        k->c, k->kh, k->kw, k->g * k->m, k->g, k->stride, k->stride,
        k->dilation, k->dilation, k->pad, k->pad, k->pad, k->pad, k->padv);

    return graph_parse(a, "sums", text)->first;
}

static void *fill(Arena *a, Rng *r, Val *v)
{
    Val u = *v;
    int64_t i;

    u.data = arena_get(a, (size_t)val_count(v),
                       (size_t)type_info[v->type].bytes);
    for (i = 0; i < val_count(v); i++)
        val_set(&u, i, v->lo + (int64_t)(rng(r) % (uint64_t)(v->hi - v->lo +
                                                             1)));
    return u.data;
}

static int64_t at(const Val *v, void *data, int64_t i)
{
    Val u = *v;

    u.data = data;
    return val_int(&u, i);
}

static int64_t wanted(const Conv *k, const Node *y, void **arg, int b, int m,
                      int oy, int ox)
{
    int64_t sum = at(y->arg[2], arg[2], m);
    int first = m / k->m * k->c, c, i, j;

    for (c = 0; c < k->c; c++)
        for (i = 0; i < k->kh; i++)
            for (j = 0; j < k->kw; j++) {
                int row = oy * k->stride - k->pad + i * k->dilation;
                int col = ox * k->stride - k->pad + j * k->dilation;
                bool in = row >= 0 && row < k->h && col >= 0 && col < k->w;
                int64_t channel = (int64_t)b * k->g * k->c + first + c;
                int64_t x = in ? at(y->arg[0], arg[0],
                                    (channel * k->h + row) * k->w + col)
                               : k->padv;

                sum += x * at(y->arg[1], arg[1],
                              (((int64_t)m * k->c + c) * k->kh + i) * k->kw +
                                  j);
            }
    return sum;
}

static bool right(Arena *a, Rng *r)
{
    Conv k = draw(r);
    const Node *n = make(a, &k);
    const Val *y = n->res[0];
    const int64_t *d = y->shape.dim;
    void *arg[3], *res[NRES];
    int64_t i;

    for (i = 0; i < 3; i++)
        arg[i] = fill(a, r, n->arg[i]);
    node_eval(a, n, arg, res);
    for (i = 0; i < val_count(y); i++)
        if (at(y, res[0], i) !=
            wanted(&k, n, arg, (int)(i / (d[1] * d[2] * d[3])),
                   (int)(i / (d[2] * d[3]) % d[1]), (int)(i / d[3] % d[2]),
                   (int)(i % d[3])))
            return false;
    return true;
}

int main(int argc, char **argv)
{
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
    int runs = argc > 2 ? atoi(argv[2]) : 100, i, wrong = 0;

    for (i = 0; i < runs; i++) {
        Rng r = {seed + (uint64_t)i};
        Arena *a = arena_new();
        bool ok = right(a, &r);

        if (!ok)
            printf("FAIL seed %llu\n", (unsigned long long)seed + i);
        wrong += !ok;
        arena_end(a);
    }
    printf("%d convolutions from seed %llu, %d wrong\n", runs,
           (unsigned long long)seed, wrong);
    return wrong > 0;
}
