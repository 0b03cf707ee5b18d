/* What weights meet: of each matrix the sum of x x', x being what one sum is
 * of: a row of a product's operand, or a convolution's window. */
#include "ptq/calib.h"

#include <string.h>

enum { MOST_ROWS = 1 << 14, MOST_LENGTH = 2048 };

const Met *met_find(const Met *m, const char *name)
{
    for (; m; m = m->next)
        if (!strcmp(m->w->name, name))
            return m;
    return NULL;
}

static bool has_rows(const Node *n)
{
    const Val *w = n->arg[1];

    if (!w->data || w->type != T_f32 || n->arg[0]->data)
        return false;
    if (n->op == OP_matmul)
        return w->shape.rank == 2 && !attr_int(n, A_transa);
    return n->op == OP_conv && !attr_int(n, A_last) && w->shape.rank <= 4;
}

Met *meets_new(Arena *mem, const Graph *g)
{
    Met *first = NULL, **end = &first;
    const Node *n;

    for (n = g->first; n; n = n->next) {
        Shape s;
        Met *m;

        if ((n->op != OP_conv && n->op != OP_matmul) || !has_rows(n) ||
            met_find(first, n->arg[1]->name))
            continue;
        s = n->arg[1]->shape;
        m = NEW(mem, Met);
        *m = (Met){.w = n->arg[1], .x = n->arg[0], .n = n, .groups = 1};
        m->k = n->op == OP_conv ? shape_product(s, 1, s.rank)
               : s.dim[attr_int(n, A_transb) ? 1 : 0];
        if (n->op == OP_conv)
            m->groups = attr_int(n, A_group);
        if (m->k > MOST_LENGTH)
            continue;
        m->h = NEWN(mem, double, (size_t)(m->groups * m->k * m->k));
        *end = m;
        end = &m->next;
    }
    return first;
}

static void add_row(double *h, const double *x, int64_t k)
{
    int64_t i, j;

    for (i = 0; i < k; i++)
        for (j = 0; x[i] != 0 && j <= i; j++)
            h[i * k + j] += x[i] * x[j];
}

/* Every so many rows, lest one example have more than its part. */
static int64_t apart(int64_t rows, int examples)
{
    int64_t most = MAX(MOST_ROWS / MAX(examples, 1), 1);

    return (rows + most - 1) / most;
}

static void add_product(Met *m, const float *x, int examples, double *row)
{
    int64_t rows = val_count(m->x) / MAX(m->k, 1), i, j;
    int64_t by = apart(rows, examples);

    for (i = m->seen++ % by; i < rows; i += by) {
        for (j = 0; j < m->k; j++)
            row[j] = (double)x[i * m->k + j];
        add_row(m->h, row, m->k);
    }
}

/* The window of group g at (oy, ox) of image x [channels][height][width]. */
static void window(const Met *m, const float *x, int64_t g, int64_t oy,
                   int64_t ox, double *row)
{
    const Node *n = m->n;
    bool flat = m->x->shape.rank == 3;
    int64_t d = m->x->shape.dim[flat ? 2 : 3];
    int64_t h = flat ? 1 : m->x->shape.dim[2], c, i, j;
    int64_t kh = flat ? 1 : m->w->shape.dim[2];
    int64_t kw = m->w->shape.dim[flat ? 2 : 3], per = m->w->shape.dim[1];
    int64_t y0 = flat ? 0 : oy * attr_at(n, A_stride, 0, 1) -
                            attr_at(n, A_pad, 0, 0);
    int64_t x0 = ox * attr_at(n, A_stride, !flat, 1) -
                 attr_at(n, A_pad, !flat, 0);
    int64_t dy = flat ? 1 : attr_at(n, A_dilation, 0, 1);
    int64_t dx = attr_at(n, A_dilation, !flat, 1);

    for (c = 0; c < per; c++)
        for (i = 0; i < kh; i++)
            for (j = 0; j < kw; j++) {
                int64_t y = y0 + i * dy, z = x0 + j * dx;

                *row++ = y >= 0 && y < h && z >= 0 && z < d
                    ? (double)x[((g * per + c) * h + y) * d + z] : 0;
            }
}

static void add_windows(Met *m, const float *x, int examples, double *row)
{
    const Shape y = m->n->res[0]->shape, in = m->x->shape;
    int64_t width = y.dim[y.rank - 1];
    int64_t height = y.rank == 3 ? 1 : y.dim[2], all, by, i, g, at;
    int64_t image = shape_product(in, 1, in.rank);

    all = in.dim[0] * height * width;
    by = apart(all, examples);
    for (i = m->seen++ % by; i < all; i += by)
        for (g = 0; g < m->groups; g++) {
            at = i % (height * width);
            window(m, x + i / (height * width) * image, g, at / width,
                   at % width, row);
            add_row(m->h + g * m->k * m->k, row, m->k);
        }
}

void meets_add(Met *first, const Eval *e, int examples)
{
    Arena *a = arena_new();
    double *row = NEWN(a, double, MOST_LENGTH);
    Met *m;

    for (m = first; m; m = m->next)
        if (m->n->op == OP_conv)
            add_windows(m, e->data[m->x->id], examples, row);
        else
            add_product(m, e->data[m->x->id], examples, row);
    arena_end(a);
}

void meets_end(Met *first)
{
    int64_t g, i, j;
    Met *m;

    for (m = first; m; m = m->next)
        for (g = 0; g < m->groups; g++) {
            double *h = m->h + g * m->k * m->k;

            for (i = 0; i < m->k; i++)
                for (j = 0; j < i; j++)
                    h[j * m->k + i] = h[i * m->k + j];
        }
}
