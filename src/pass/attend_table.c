/* Tables of an attention: what becomes of scores, of distances from the
 * greatest and of weights (attend.c). */
#include "pass/attention.h"

static int64_t scaled(const Node *n, int64_t x)
{
    int64_t y = (x * val_int(node_arg(n, "mul"), 0) +
                 val_int(node_arg(n, "add"), 0)) >> attr_int(n, A_shift);

    return MIN(MAX(y, attr_int(n, A_lo)), attr_int(n, A_hi));
}

/* The power of t below the greatest score; -1: too large.  That of itamax is
 * 256 halved so often, at most eight times, that nothing is lost: its weights,
 * floor(256 hi / sum) halved as often, are floor(power hi / sum) too. */
static int64_t power(const Node *n, int64_t t)
{
    int64_t b = attr_int(n, A_p1), log2 = attr_int(n, A_p3), z, p;

    if (n->op == OP_itamax)
        return BYTES >> ((t + 16) >> 5);
    if (log2 < 1)
        return -1;
    z = t / log2;
    p = z * log2 - t + b;
    p = (attr_int(n, A_p0) * p * p + attr_int(n, A_p2)) >> MIN(z, 31);
    return p <= INT32_MAX ? p : -1;
}

static Val *table_of(Graph *g, const char *name, int64_t n, Type t,
                     const int64_t *value)
{
    Val *v = const_vector(g, name, n, t);
    int64_t i;

    for (i = 0; i < n; i++)
        val_set(v, i, value[i]);
    val_range(v);
    return v;
}

/* How far the bytes of a type without sign are above those with one. */
int64_t attention_above(const Val *v)
{
    return v->type == T_u8 ? -LEAST : 0;
}

/* In a table, of what x can be; places below 0 count from the end. */
static int64_t looked_up(const Node *n, int64_t x)
{
    const Val *table = n->arg[0], *of = n->arg[1];

    x = MIN(MAX(x, of->lo), of->hi);
    return val_int(table, x < 0 ? x + val_count(table) : x);
}

/* By score + 128, and by its distance from the greatest + 255. */
Val *attention_scores(Graph *g, const Attention *a)
{
    int64_t x[BYTES], i, less = attention_above(a->score->res[0]);

    for (i = 0; i < BYTES; i++) {
        x[i] = MIN(MAX(i + LEAST + less, attr_int(a->score, A_lo)),
                   attr_int(a->score, A_hi));
        if (a->before && a->before->op == OP_gather)
            x[i] = looked_up(a->before, x[i]);
        else if (a->before)
            x[i] = scaled(a->before, x[i]);
        x[i] -= attention_above(a->bytes);
    }
    return table_of(g, "scores", BYTES, T_s8, x);
}

Val *attention_powers(Graph *g, const Attention *a)
{
    int64_t x[BYTES], i, below;

    for (i = 0; i < BYTES; i++) {
        below = BYTES - 1 - i;
        x[i] = attention_divides(a) || attention_rounds(a)
               ? val_int(a->soft->arg[1], below) : power(a->soft, below);
        if (x[i] < 0)
            return NULL;
    }
    return table_of(g, "powers", BYTES, attention_divides(a) ? T_u8 : T_s32, x);
}

/* By the weight that the softmax gives. */
Val *attention_parts(Graph *g, const Attention *a)
{
    int64_t x[BYTES], i, hi = attr_int(a->soft, A_hi);

    if (attention_divides(a) || attention_rounds(a))
        return NULL;
    for (i = 0; i < BYTES; i++)
        x[i] = a->after ? scaled(a->after, MIN(i, hi)) : MIN(i, hi);
    return table_of(g, "parts", BYTES, a->sum->arg[0]->type, x);
}

Val *attention_scale(Graph *g, const Attention *a)
{
    int64_t x[4] = {
        val_int(node_arg(a->score, "mul"), 0),
        val_int(node_arg(a->score, "add"), 0),
    };
    int i;

    if (attention_rounds(a)) {
        x[1] = attention_zero(a->score) - attention_above(a->score->res[0]);
        x[2] = val_int(node_arg(a->sum, "mul"), 0);
        x[3] = attention_zero(a->sum) - attention_above(a->sum->res[0]);
    } else if (attention_divides(a)) {
        x[2] = val_int(a->end->arg[1]->def->arg[0], 0);
        x[3] = attention_zero(a->end);
    } else {
        x[2] = val_int(node_arg(a->sum, "mul"), 0);
        x[3] = val_int(node_arg(a->sum, "add"), 0);
    }
    for (i = 0; i < 4; i++)
        if (x[i] < INT32_MIN || x[i] > INT32_MAX)
            return NULL;
    return table_of(g, "scale", 4, T_s32, x);
}
