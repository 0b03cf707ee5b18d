/* Runs a network with the plain kernels on its vectors:
 *     models_eval MODEL inputs.npz outputs.npz
 * Integers must be equal; floats within 1e-4, absolute or relative. */
#include "front/front.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void set(const Val *v, void *data, int64_t i, double x)
{
    Val w = *v;

    w.data = data;
    if (v->type == T_f32)
        ((float *)data)[i] = (float)x;
    else
        val_set(&w, i, llrint(x));
}

/* A state begins at its zero point. */
static void *state(Arena *a, const Val *v)
{
    void *data = arena_get(a, (size_t)val_count(v) + 1, 8);
    int64_t i;

    for (i = 0; i < val_count(v); i++)
        set(v, data, i, (double)v->zero);
    return data;
}

/* The elements of an input, in its own type. */
static void *input(Arena *a, const Val *v, const Array *from)
{
    void *data = arena_get(a, (size_t)val_count(v) + 1, 8);
    int64_t i;

    if (!from || from->n != val_count(v))
        err(ERR_MODEL, "input '%s' has no vector of its size", v->name);
    for (i = 0; i < from->n; i++)
        set(v, data, i, array_get(from, i));
    return data;
}

static const Array *next(const Array *v)
{
    while (v && !v->n)
        v = v->next;
    return v;
}

/* Elements that differ, and by how much at most. */
static int64_t compare(const Val *v, void *data, const Array *want,
                       double *most)
{
    Val w = *v;
    int64_t i, bad = 0;
    double x, y, d;

    w.data = data;
    if (!want || want->n != val_count(v))
        err(ERR_MODEL, "output '%s' has no expected vector of its size",
            v->name);
    for (i = 0; i < want->n; i++) {
        x = val_num(&w, i);
        y = array_get(want, i);
        d = fabs(x - y);
        if (!(x == y))
            *most = fmax(*most, d);
        bad += v->type == T_f32 ? !(x == y || d <= 1e-4 * fmax(1, fabs(y)))
                                : x != y;
    }
    return bad;
}

int main(int argc, char **argv)
{
    Arena *a = arena_new();
    FrontOpts o = {0};
    const Array *in, *out;
    Graph *g;
    Eval *e;
    void **data;
    int64_t bad = 0, n = 0;
    double most = 0;
    int i;

    if (argc < 4)
        err(ERR_USAGE, "models_eval MODEL inputs.npz outputs.npz");
    o.vectors = npz_read(a, argv[2]);
    out = npz_read(a, argv[3]);
    g = front_read(a, argv[1], &o);
    graph_check(g, "front");
    data = NEWN(a, void *, (size_t)g->nin + 1);
    for (i = 0, in = next(o.vectors); i < g->nin; i++) {
        if (graph_next_state(g, g->in[i])) {
            data[i] = state(a, g->in[i]);
            continue;
        }
        data[i] = input(a, g->in[i], in);
        in = in ? next(in->next) : NULL;
    }
    e = graph_eval(a, g, data);
    for (i = 0; i < g->nout; i++, out = out ? out->next : NULL) {
        out = next(out);
        if (g->out[i]->state && !out)
            continue;
        bad += compare(g->out[i], e->data[g->out[i]->id], out, &most);
        n += val_count(g->out[i]);
    }
    printf("%s: %lld of %lld elements differ, by %g at most%s\n", argv[1],
           (long long)bad, (long long)n, most, g->exact ? " (exact)" : "");
    return bad ? ERR_DIFFER : OK;
}
