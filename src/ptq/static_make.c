/* What decoders of integers are made of: nodes, and products whose columns and
 * rows have scales. */
#include "ptq/static.h"

#include <math.h>
#include <string.h>

Node *make_node(Make *m, OpCode op, int n, Val *a, Val *b, Val *c, Val *d)
{
    Val *arg[4] = {a, b, c, d};

    return graph_node(m->q, NULL, op, NULL, n, arg);
}

Val *make_end(Make *m, Node *n)
{
    node_infer(m->q, n);
    return n->res[0];
}

void make_bounds(Make *m, Node *n, int64_t shift, Type t)
{
    attr_set_int(m->q, n, A_shift, shift);
    attr_set_int(m->q, n, A_lo, type_info[t].lo);
    attr_set_int(m->q, n, A_hi, type_info[t].hi);
}

Val *make_shaped(Make *m, Val *x, Shape s)
{
    Node *n = make_node(m, OP_reshape, 1, x, NULL, NULL, NULL);

    shape_put(&s, 0, size_times(m->tokens, s.dim[0]));
    attr_set_shape(m->q, n, A_shape, s);
    return make_end(m, n);
}

Val *make_part(Make *m, Val *x, int axis, Size start, Size count)
{
    Shape from = {.rank = x->shape.rank}, by = from, len = x->shape;
    Node *n;
    int i;

    if (size_is(start, 0) && size_same(count, size_at(len, axis)))
        return x;
    for (i = 0; i < by.rank; i++)
        by.dim[i] = 1;
    shape_put(&from, axis, start);
    shape_put(&len, axis, count);
    n = make_node(m, OP_slice, 1, x, NULL, NULL, NULL);
    attr_set_shape(m->q, n, A_start, from);
    attr_set_shape(m->q, n, A_step, by);
    attr_set_shape(m->q, n, A_count, len);
    return make_end(m, n);
}

Val *make_some(Make *m, Val *x, int axis, int64_t start, int64_t count)
{
    return make_part(m, x, axis, size_const(start), size_const(count));
}

Val *make_rows(Make *m, Val *table, Val *at)
{
    Node *n = make_node(m, OP_gather, 2, table, at, NULL, NULL);

    attr_set_int(m->q, n, A_axis, 0);
    return make_end(m, n);
}

const char *make_name(Make *m, const char *name)
{
    return m->layer < 0
               ? name
               : arena_fmt(m->d.mem, "layer%lld.%s", (long long)m->layer, name);
}

Val *make_numbers(Make *m, const char *name, Type t, Shape s, const double *v)
{
    Val *y = graph_const(m->q, make_name(m, name), t, s, NULL);
    int64_t i;

    for (i = 0; i < val_count(y); i++)
        val_set(y, i,
                (int64_t)rint(fmin(fmax(v[i], (double)type_info[t].lo),
                                   (double)type_info[t].hi)));
    val_range(y);
    return y;
}

double *make_doubles(Make *m, int64_t n)
{
    return NEWN(m->d.mem, double, (size_t)n);
}

/* --- products --- */

static const Met *met_of(const Make *m, const Val *w)
{
    int i;

    for (i = 0; i < m->nmet; i++)
        if (m->met[i].w == w)
            return &m->met[i];
    return NULL;
}

/* H of x / unit. */
static double *met_in(Make *m, const Met *met, const double *unit, int64_t k)
{
    double *h = make_doubles(m, k * k);
    int64_t i, j;

    for (i = 0; i < k; i++)
        for (j = 0; j < k; j++)
            h[i * k + j] = met->h[i * k + j] / unit[i] / unit[j];
    return h;
}

static void note(Make *m, const Val *w, double sqnr)
{
    LmReport *r = m->r;

    GROW(m->d.mem, r->matrix, (size_t)r->nmatrix);
    r->matrix[r->nmatrix++] = (LmMatrix){arena_str(m->d.mem, w->name),
                                         8,
                                         (int)w->shape.dim[1],
                                         w->shape.dim[0],
                                         w->shape.dim[1],
                                         sqnr};
}

/* Weights w, columns times unit, as integers and a scale of each row. */
static Rounded round_matrix(Make *m, const Val *w, const double *unit)
{
    int64_t rows = w->shape.dim[0], k = w->shape.dim[1], i;
    const Met *met = met_of(m, w);
    float *v = NEWN(m->d.mem, float, (size_t)(rows * k));
    double *h = met && met->h[0] > 0 ? met_in(m, met, unit, k) : NULL;
    Rounded r;

    for (i = 0; i < rows * k; i++)
        v[i] = (float)((double)((const float *)w->data)[i] * unit[i % k]);
    r = round_rows(m->d.mem, v, rows, k, 8, k, h, 0);
    note(m, w, h ? rounded_sqnr(v, &r, rows, k, h) : NAN);
    return r;
}

/* The epilogue of rows: factors and addends such that no product leaves 32
 * bits. */
typedef struct Epilogue {
    double *gain, *bias; /* of each row: result = acc * gain + bias */
    double *most;        /* of each row: the greatest |acc| */
    int64_t rows;
} Epilogue;

static int shift_of(const Epilogue *e)
{
    int shift = 24;
    double top;
    int64_t i;

    for (; shift > 1; shift--) {
        for (i = 0, top = 0; i < e->rows; i++)
            top = fmax(
                top, ldexp(e->most[i] * fabs(e->gain[i]) + fabs(e->bias[i]) + 1,
                           shift));
        if (top < 2147483648.0)
            break;
    }
    return shift;
}

static Val *product(Make *m, Val *x, Val *w, const Epilogue *e, Type to,
                    const char *name)
{
    int shift = shift_of(e);
    double *mul = make_doubles(m, e->rows), *add = make_doubles(m, e->rows);
    int64_t i;
    Val *arg[5] = {x, w, NULL};
    Node *n;

    for (i = 0; i < e->rows; i++) {
        mul[i] = rint(ldexp(e->gain[i], shift));
        add[i] = ldexp(e->bias[i] + 0.5, shift);
    }
    arg[3] = make_numbers(m, arena_fmt(m->d.mem, "%s.mul", name), T_s32,
                          SHAPE(e->rows), mul);
    arg[4] = make_numbers(m, arena_fmt(m->d.mem, "%s.add", name), T_s32,
                          SHAPE(e->rows), add);
    n = graph_node(m->q, NULL, OP_matmul, make_name(m, name), 5, arg);
    attr_set_int(m->q, n, A_transb, 1);
    make_bounds(m, n, shift, to);
    return make_end(m, n);
}

/* Rows of a part behind those that e and w have. */
static void append(Make *m, const Part *p, const double *unit, double below,
                   Epilogue *e, int8_t *w)
{
    const Val *from = decoder_const(&m->d, m->layer, p->name);
    int64_t rows = from->shape.dim[0], k = from->shape.dim[1], i, j;
    Rounded r = round_matrix(m, from, unit);

    memcpy(w + e->rows * k, r.w, (size_t)(rows * k));
    for (i = 0; i < rows; i++) {
        double sum = 0, size = 0, scale = (double)half_value(r.scale[i]);
        int64_t to = e->rows + i;

        for (j = 0; j < k; j++) {
            sum += r.w[i * k + j];
            size += fabs((double)r.w[i * k + j]) * 128;
        }
        e->gain[to] = scale / p->scale[i];
        e->bias[to] = sum * below * e->gain[to];
        e->most[to] = size;
    }
    e->rows += rows;
}

Val *make_products(Make *m, const char *name, Val *x, const double *unit,
                   double below, const Part *p, int n, Type to)
{
    int64_t rows = 0, k = x->shape.dim[1];
    Epilogue e = {0};
    int8_t *w;
    int i;

    for (i = 0; i < n; i++)
        rows += decoder_const(&m->d, m->layer, p[i].name)->shape.dim[0];
    e.gain = make_doubles(m, rows);
    e.bias = make_doubles(m, rows);
    e.most = make_doubles(m, rows);
    w = NEWN(m->d.mem, int8_t, (size_t)(rows * k));
    for (i = 0; i < n; i++)
        append(m, &p[i], unit, below, &e, w);
    return product(m, x,
                   graph_const(m->q,
                               make_name(m, arena_fmt(m->d.mem, "%s.w", name)),
                               T_s8, SHAPE(rows, k), w),
                   &e, to, name);
}
