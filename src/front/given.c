/* --given IN=WHAT: inputs that the application need not give.
 *
 *     a number      all elements: of a mask, where nothing is hidden
 *     position      the value of the run-time number: of position ids
 *     FILE          an array whose row that value is, counted from 0, as of a
 *                   rotary table (.npy, or the first of an .npz)
 *
 * The run-time number is the graph's first one; the network gets a constant, or
 * looks its row up. */
#include "front/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Given {
    Graph *g;
    const char *name, *what;
    Val *v;             /* the input */
} Given;

static _Noreturn void no_given(const Given *d, const char *why)
{
    err(ERR_USAGE, "--given %s=%s: %s", d->name, d->what, why);
}

/* It is an input no more. */
static Val *take_input(Given *d)
{
    Graph *g = d->g;
    int i;

    for (i = 0; i < g->nin && strcmp(g->in[i]->name, d->name); i++)
        ;
    if (i == g->nin)
        no_given(d, "the model has no such input");
    d->v = g->in[i];
    if (graph_next_state(g, d->v))
        no_given(d, "it is a state");
    memmove(g->in + i, g->in + i + 1,
            (size_t)(--g->nin - i) * sizeof *g->in);
    return d->v;
}

static void put(const Given *d, Val *to, int64_t i, double x)
{
    const Val *v = d->v;

    if (!val_is_int(v)) {
        ((float *)to->data)[i] = (float)x;
        return;
    }
    if (x != rint(x) || !(x >= (double)v->lo && x <= (double)v->hi))
        no_given(d, arena_fmt(d->g->mem, "%g is no %s from %lld to %lld", x,
                              type_info[v->type].name, (long long)v->lo,
                              (long long)v->hi));
    val_set(to, i, (int64_t)x);
}

static void replace(Given *d, Node *n)
{
    node_infer(d->g, n);
    graph_replace(d->g, d->v, n->res[0]);
}

/* One number, as often as is wanted. */
static void give_number(Given *d, double x)
{
    Shape one = {.rank = d->v->shape.rank};
    Val *c;
    Node *n;
    int i;

    for (i = 0; i < one.rank; i++)
        one.dim[i] = 1;
    c = graph_const(d->g, NULL, d->v->type, one, NULL);
    put(d, c, 0, x);
    val_range(c);
    n = graph_node(d->g, d->g->first, OP_expand, NULL, 1, &c);
    attr_set_shape(d->g, n, A_shape, d->v->shape);
    replace(d, n);
}

/* The row of the number in a table [values][elements of the input]. */
static void give_row(Given *d, Val *table)
{
    const Number *k = d->g->num[0];
    Shape at = {.rank = 2}, step = at, count = table->shape;
    Node *n;

    val_range(table);
    step.dim[0] = step.dim[1] = count.dim[0] = 1;
    shape_put(&at, 0, (Size){k->hi - k->lo, {k, 1}});
    n = graph_node(d->g, d->g->first, OP_slice, NULL, 1, &table);
    attr_set_shape(d->g, n, A_start, at);
    attr_set_shape(d->g, n, A_step, step);
    attr_set_shape(d->g, n, A_count, count);
    node_infer(d->g, n);
    n = graph_node(d->g, n->next, OP_reshape, NULL, 1, &n->res[0]);
    attr_set_shape(d->g, n, A_shape, d->v->shape);
    replace(d, n);
}

static Val *table_of(Given *d, int64_t *values, int64_t *each)
{
    const Number *k = d->g->nnum ? d->g->num[0] : NULL;

    if (!k)
        no_given(d, "there is no run-time number");
    if (shape_varies(d->v->shape))
        no_given(d, "the input follows a run-time number itself");
    *values = k->hi - k->lo + 1;
    *each = val_count(d->v);
    return graph_const(d->g, NULL, d->v->type, SHAPE(*values, *each), NULL);
}

static void give_position(Given *d)
{
    int64_t n, each, i;
    Val *t = table_of(d, &n, &each);

    for (i = 0; i < n * each; i++)
        put(d, t, i, (double)(d->g->num[0]->lo + i / each));
    give_row(d, t);
}

static void give_file(Given *d)
{
    Arena *tmp = arena_new();
    const Array *a = npz_read(tmp, d->what);
    int64_t n, each, from, i;
    Val *t = table_of(d, &n, &each);

    from = d->g->num[0]->lo * each;
    if (!a || a->n < from + n * each || a->n % each)
        no_given(d, arena_fmt(d->g->mem, "%lld rows of %lld elements were "
                              "wanted", (long long)(from / each + n),
                              (long long)each));
    for (i = 0; i < n * each; i++)
        put(d, t, i, array_get(a, from + i));
    arena_end(tmp);
    give_row(d, t);
}

void front_given(Graph *g, const FrontOpts *o)
{
    int i;

    for (i = 0; i < o->ngiven; i++) {
        Given d = {.g = g, .name = o->given_in[i], .what = o->given_as[i]};
        char *end;
        double x = strtod(d.what, &end);

        take_input(&d);
        if (*d.what && !*end)
            give_number(&d, x);
        else if (!strcmp(d.what, "position"))
            give_position(&d);
        else
            give_file(&d);
    }
    if (o->ngiven) {
        graph_sort(g);
        graph_infer(g);
        graph_sweep(g);
        graph_number(g);
    }
}
