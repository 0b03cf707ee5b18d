/* Attention and rotary embedding. */
#include "front/onnx/import.h"

#include <math.h>
#include <string.h>

static const int64_t SWAP[] = {0, 2, 1, 3};

/* [B,S,heads*D] -> [B,heads,S,D]; what has heads already stays. */
static Val *heads(Call *c, Val *x, int64_t n)
{
    const int64_t *d = x->shape.dim;

    if (x->shape.rank == 4)
        return x;
    if (x->shape.rank != 3 || n < 1 || d[2] % n)
        call_err(c, "'%s' has shape %s; wanted 4 dimensions, or 3 with a "
                 "multiple of %lld heads", x->name,
                 shape_str(c->mem, x->shape), (long long)n);
    x = to_shape(c, x, SHAPE(d[0], d[1], n, d[2] / n));
    return perm(c, x, SWAP);
}

/* [B,heads,S,D] -> [B,S,heads*D] */
static Val *no_heads(Call *c, Val *x)
{
    const int64_t *d;

    x = perm(c, x, SWAP);
    d = x->shape.dim;
    return to_shape(c, x, SHAPE(d[0], d[1], d[2] * d[3]));
}

/* Each of the key's heads serves several of the query's, next to each other. */
static Val *share_heads(Call *c, Val *x, int64_t n)
{
    Shape s = x->shape;
    int64_t have = s.dim[1];

    if (have == n)
        return x;
    if (!have || n % have)
        call_err(c, "%lld heads of queries for %lld of keys", (long long)n,
                 (long long)have);
    x = to_shape(c, x, SHAPE(s.dim[0], have, 1, s.dim[2], s.dim[3]));
    x = spread(c, x, SHAPE(s.dim[0], have, n / have, s.dim[2],
                                 s.dim[3]));
    s.dim[1] = n;
    return to_shape(c, x, s);
}

static Val *after(Call *c, Val *past, Val *now)
{
    Val *both[2] = {past, now};

    return past ? join(c, 2, 2, both) : now;
}

/* A query at position p sees keys p + from to p + to. */
typedef struct Sight {
    int64_t from, to;
} Sight;

enum { FAR = 1 << 28 }; /* no bound: beyond all positions */

static int64_t window_size(Call *c, const char *name)
{
    int64_t n = call_int(c, name, -1);

    return n < 0 ? FAR : MIN(n, FAR);
}

static Sight sight_of(Call *c)
{
    Sight s = {-window_size(c, "left_window_size"),
               window_size(c, "right_window_size")};

    if (call_int(c, "is_causal", 0))
        s.to = MIN(s.to, 0);
    return s;
}

/* 0 where query i of m sees key j of n, else minus infinity; the queries come
 * behind `before` keys. */
static Val *window(Call *c, Sight s, int64_t m, int64_t n, int64_t before)
{
    float *v;
    int64_t i, j;

    room(c, m * n);
    v = NEWN(c->mem, float, (size_t)(m * n) + 1);
    for (i = 0; i < m; i++)
        for (j = 0; j < n; j++)
            if (j < i + before + s.from || j > i + before + s.to)
                v[i * n + j] = -INFINITY;
    return nums(c, SHAPE(m, n), v);
}

/* What is to be added where a condition holds or not. */
static Val *masked(Call *c, Val *shown)
{
    return op3(c, OP_where, shown, graph_const_f32(c->g, 0),
               graph_const_f32(c->g, -INFINITY));
}

/* A mask as something to add, padded to n keys with minus infinity. */
static Val *bias_of(Call *c, Val *mask, int64_t n)
{
    int64_t pads[2 * RANK] = {0};
    int rank = mask->shape.rank;

    if (mask->type == T_b8)
        mask = masked(c, mask);
    if (!rank || mask->shape.dim[rank - 1] >= n ||
        mask->shape.dim[rank - 1] == 1)
        return mask;
    pads[2 * rank - 1] = n - mask->shape.dim[rank - 1];
    return pad(c, mask, pads, -INFINITY, 0);
}

/* j - i + more for query i of m and key j of n. */
static Val *distances(Call *c, Type t, int64_t m, int64_t n, int64_t more)
{
    int64_t *v, i;

    room(c, m * n);
    v = NEWN(c->mem, int64_t, (size_t)(m * n) + 1);
    for (i = 0; i < m * n; i++)
        v[i] = i % n - i / n + more;
    return ints(c, t, SHAPE(m, n), v);
}

/* The window where each batch has a length of its own, and its m queries are
 * its last: query i is at i + len - m.  Keys from len on are out of sight. */
static Val *window_len(Call *c, Sight s, int64_t m, int64_t n, Val *len)
{
    Val *shown, *left;
    Type t = len->type;

    len = to_rank(c, len, 4, 0);
    if (s.to <= 0) /* which ends before len too */
        shown = op2(c, OP_lesseq, distances(c, t, m, n, m - s.to), len);
    else
        shown = op2(c, OP_less, distances(c, t, 1, n, 0), len);
    if (s.to > 0 && s.to < FAR) {
        left = op2(c, OP_lesseq, distances(c, t, m, n, m - s.to), len);
        shown = op2(c, OP_and, shown, left);
    }
    if (s.from > -FAR) {
        left = op2(c, OP_greatereq, distances(c, t, m, n, m - s.from), len);
        shown = op2(c, OP_and, shown, left);
    }
    return masked(c, shown);
}

static Val *softcap(Call *c, Val *x, double cap)
{
    if (!(cap > 0))
        return x;
    x = op1(c, OP_tanh, op_num(c, OP_mul, x, 1 / cap));
    return op_num(c, OP_mul, x, cap);
}

static Val *plus(Call *c, Val *a, Val *b)
{
    return a && b ? op2(c, OP_add, a, b) : a ? a : b;
}

/* All there is to add to the products of m queries and n keys; or NULL. */
static Val *bias_all(Call *c, int64_t m, int64_t n, int64_t before)
{
    Val *y = arg_at(c, 3) ? bias_of(c, c->arg[3], n) : NULL;
    Sight s = sight_of(c);

    if (arg_at(c, 6))
        return plus(c, y, window_len(c, s, m, n, c->arg[6]));
    if (s.from == -FAR && s.to == FAR)
        return y;
    return plus(c, y, window(c, s, m, n, before));
}

static bool any_set(const Val *v)
{
    int64_t i;

    for (i = 0; i < val_count(v); i++)
        if (val_int(v, i))
            return true;
    return false;
}

/* A query that may look at no key at all sees zeros. */
static Val *blank_rows(Call *c, Val *x, Val *bias)
{
    int64_t last;
    Val *none;

    if (!bias || !bias->shape.rank)
        return x;
    last = bias->shape.rank - 1;
    none = reduce(c, OP_rmax, bias, 1, &last, true);
    none = op2(c, OP_equal, none, graph_const_f32(c->g, -INFINITY));
    if (none->data && !any_set(none))
        return x;
    return op3(c, OP_where, none, graph_const_f32(c->g, 0), x);
}

void import_attention(Call *c)
{
    Val *q = heads(c, c->arg[0], call_int(c, "q_num_heads", 0));
    Val *k = heads(c, c->arg[1], call_int(c, "kv_num_heads", 0));
    Val *v = heads(c, c->arg[2], call_int(c, "kv_num_heads", 0));
    Val *x, *raw, *bias, *y;
    int64_t mode = call_int(c, "qk_matmul_output_mode", 0), n;
    int64_t before = arg_at(c, 4) ? c->arg[4]->shape.dim[2] : 0;
    double scale = call_num(c, "scale", 0);

    if (!arg_at(c, 4) != !arg_at(c, 5))
        call_err(c, "past_key and past_value come together or not at all");
    if (arg_at(c, 4) && arg_at(c, 6))
        call_err(c, "past_key with nonpad_kv_seqlen; wanted one of them");
    if (arg_at(c, 6) && val_count(c->arg[6]) != q->shape.dim[0])
        call_err(c, "%lld lengths in nonpad_kv_seqlen for %lld batches",
                 (long long)val_count(c->arg[6]),
                 (long long)q->shape.dim[0]);
    k = after(c, arg_at(c, 4), k);
    v = after(c, arg_at(c, 5), v);
    give(c, 1, k);
    give(c, 2, v);
    n = q->shape.dim[1];
    if (scale == 0)
        scale = 1 / sqrt((double)q->shape.dim[3]);
    q = op_num(c, OP_mul, q, scale);
    x = matmul(c, q, share_heads(c, k, n), NULL, false, true);
    raw = x;
    x = softcap(c, x, call_num(c, "softcap", 0));
    raw = mode ? x : raw;
    bias = bias_all(c, x->shape.dim[2], x->shape.dim[3], before);
    x = plus(c, x, bias);
    raw = mode == 2 ? x : raw;
    x = blank_rows(c, softmax(c, x, 3), bias);
    give(c, 3, mode == 3 ? x : raw);
    y = matmul(c, x, share_heads(c, v, n), NULL, false, false);
    give(c, 0, c->arg[0]->shape.rank == 3 ? no_heads(c, y) : y);
}

/* Halves of the last axis, or its even and odd elements. */
static void halves(Call *c, Val *x, bool mixed, Val **two)
{
    int64_t n = x->shape.dim[3] / 2;

    two[0] = part(c, x, 3, 0, n, mixed ? 2 : 1);
    two[1] = part(c, x, 3, mixed ? 1 : n, n, mixed ? 2 : 1);
}

static Val *rejoin(Call *c, Val **two, bool mixed)
{
    Shape s = two[0]->shape, pairs = s;
    int i;

    if (!mixed)
        return join(c, 3, 2, two);
    pairs.dim[pairs.rank++] = 1;
    for (i = 0; i < 2; i++)
        two[i] = to_shape(c, two[i], pairs);
    s.dim[3] *= 2;
    return to_shape(c, join(c, 4, 2, two), s);
}

/* A cache [B,S,D/2], or [positions,D/2] looked up, beside [B,S,heads,D/2]. */
static Val *angles(Call *c, Val *cache, Val *at)
{
    const int64_t *d;

    if (at)
        cache = take(c, cache, at, 0);
    d = cache->shape.dim;
    if (cache->shape.rank == 2)
        return to_shape(c, cache, SHAPE(1, d[0], 1, d[1]));
    if (cache->shape.rank != 3)
        call_err(c, "cache '%s' has %d dimensions; wanted 2 or 3",
                 cache->name, cache->shape.rank);
    return to_shape(c, cache, SHAPE(d[0], d[1], 1, d[2]));
}

/* x of shape [B,S,heads,D]: its first `dim` elements are turned. */
static Val *rotate(Call *c, Val *x, Val *cosine, Val *sine, int64_t dim,
                   bool mixed)
{
    int64_t d = x->shape.dim[3];
    Val *two[2], *turned[2], *whole[2];

    if (!dim)
        dim = d;
    if (dim > d || dim % 2)
        call_err(c, "rotates %lld of %lld elements", (long long)dim,
                 (long long)d);
    halves(c, part(c, x, 3, 0, dim, 1), mixed, two);
    turned[0] = op2(c, OP_sub, op2(c, OP_mul, cosine, two[0]),
                    op2(c, OP_mul, sine, two[1]));
    turned[1] = op2(c, OP_add, op2(c, OP_mul, sine, two[0]),
                    op2(c, OP_mul, cosine, two[1]));
    whole[0] = rejoin(c, turned, mixed);
    if (dim == d)
        return whole[0];
    whole[1] = part(c, x, 3, dim, d - dim, 1);
    return join(c, 3, 2, whole);
}

void import_rotaryembedding(Call *c)
{
    Val *x = c->arg[0], *at = arg_at(c, 3);
    int64_t n = call_int(c, "num_heads", 0), *d = x->shape.dim;
    Shape s = x->shape;

    if (s.rank == 4)
        x = perm(c, x, SWAP);
    else if (s.rank == 3 && n > 0 && d[2] % n == 0)
        x = to_shape(c, x, SHAPE(d[0], d[1], n, d[2] / n));
    else
        call_err(c, "input has shape %s with %lld heads",
                 shape_str(c->mem, s), (long long)n);
    x = rotate(c, x, angles(c, c->arg[1], at), angles(c, c->arg[2], at),
               call_int(c, "rotary_embedding_dim", 0),
               call_int(c, "interleaved", 0));
    give(c, 0, s.rank == 4 ? perm(c, x, SWAP) : to_shape(c, x, s));
}
