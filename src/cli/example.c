/* The inputs of a run, and what the reference kernels make of them.
 *
 * With --sequence arrays have one more leading axis: runs follow one another
 * without reset, each output that is a state being that input of the next run.
 * Arrays for states hold what they are at first, without that axis; without
 * any, all states begin as zeros. */
#include "cli/cli.h"

#include <math.h>
#include <string.h>

static bool is_state(const Job *j, const Val *v)
{
    return graph_next_state(j->g, v) != NULL;
}

static void take_element(const Val *v, Val *w, int64_t i, const Array *in)
{
    double x = array_get(in, i);

    if (!val_is_int(v)) {
        ((float *)w->data)[i] = (float)x;
        return;
    }
    if (!(rint(x) >= (double)v->lo && rint(x) <= (double)v->hi))
        err(ERR_MODEL, "array '%s' has %g at element %lld, input '%s' "
            "is %s: give --input-type %s=TYPE", in->name, x, (long long)i,
            v->name, type_info[v->type].name, v->name);
    val_set(w, i, (int64_t)rint(x));
}

/* Element i of shape s in an array with fewer rows; -1: there is none. */
static int64_t element_in(const Array *in, Shape s, int64_t i)
{
    int64_t at = 0, step = 1;
    int a;

    for (a = s.rank - 1; a >= 0; a--) {
        if (i % s.dim[a] >= in->dim[a])
            return -1;
        at += i % s.dim[a] * step;
        step *= in->dim[a];
        i /= s.dim[a];
    }
    return at;
}

/* An array for a cache, or of one, may have fewer rows than there is room for:
 * the first ones; the others are zeros. */
const Array *job_rows(const Job *j, const Val *v, const Array *in)
{
    int64_t i, at, n = val_count(v);
    Array *all;
    int a;

    if ((!is_state(j, v) && !v->state) || in->rank != v->shape.rank ||
        in->n == n)
        return in;
    for (a = 0; a < in->rank; a++)
        if (in->dim[a] > v->shape.dim[a])
            return in;
    all = NEW(j->o.mem, Array);
    *all = *in;
    all->n = n;
    memcpy(all->dim, v->shape.dim, (size_t)in->rank * sizeof *all->dim);
    strcpy(all->type, "f8");
    all->data = NEWN(j->o.mem, double, n + 1);
    for (i = 0; i < n; i++) {
        at = element_in(in, v->shape, i);
        ((double *)all->data)[i] = at < 0 ? (double)v->zero
                                          : array_get(in, at);
    }
    return all;
}

static void *take_input(Job *j, const Val *v, const Array *in, int steps)
{
    Val w = *v;
    int64_t i, n = steps == 1 ? job_count(j, v, 0) : job_before(j, v, steps);

    if (in->n != n)
        err(ERR_MODEL, "array '%s' has %lld elements, input '%s' %s wants "
            "%lld%s", in->name, (long long)in->n, v->name,
            shape_str(j->o.mem, job_shape(j, v, 0)), (long long)n, steps > 1
            ? arena_fmt(j->o.mem, " for %d runs", steps) : "");
    if (steps == 1 && !j->o.sequence)
        job_shapes(j, in, v, job_shape(j, v, 0));
    w.data = arena_get(j->o.mem, (size_t)n + 1,
                       (size_t)type_info[v->type].bytes);
    for (i = 0; i < n; i++)
        take_element(v, &w, i, in);
    return w.data;
}

static void *zeros(Job *j, const Val *v)
{
    Val w = *v;
    int64_t i;

    w.data = arena_get(j->o.mem, (size_t)val_count(v) + 1,
                       (size_t)type_info[v->type].bytes);
    memset(w.data, 0, (size_t)val_bytes(v));
    for (i = 0; v->zero && i < val_count(v); i++)
        val_set(&w, i, v->zero);
    return w.data;
}

const Array *skip_empty(const Array *v)
{
    while (v && !v->n)
        v = v->next;
    return v;
}

int count_arrays(const Array *v)
{
    int n = 0;

    for (v = skip_empty(v); v; v = skip_empty(v->next))
        n++;
    return n;
}

/* Of the first array that is not a state's. */
static int count_steps(const Job *j)
{
    const Array *in = skip_empty(j->vectors);
    int i;

    if (!j->o.sequence)
        return 1;
    if (!j->vectors)
        err(ERR_USAGE, "--sequence: wants arrays of a step each, with -i");
    for (i = 0; i < j->g->nin && in; i++) {
        const Val *v = j->g->in[i];
        int64_t one = job_count(j, v, 0);

        if (is_state(j, v) && !j->states_given)
            continue;
        if (!is_state(j, v) && one && in->n % one == 0)
            return (int)(in->n / one);
        if (!is_state(j, v))
            err(ERR_MODEL, "array '%s' has %lld elements, no multiple of the "
                "%lld of input '%s' %s", in->name, (long long)in->n,
                (long long)one, v->name,
                shape_str(j->o.mem, job_shape(j, v, 0)));
        in = skip_empty(in->next);
    }
    err(ERR_USAGE, "--sequence: no input that is not a state");
}

static void take_inputs(Job *j)
{
    const Array *in = skip_empty(j->vectors);
    int i;

    for (i = 0; i < j->g->nin; i++) {
        const Val *v = j->g->in[i];
        bool state = is_state(j, v);

        if (state && !j->states_given) {
            j->in[i] = zeros(j, v);
            continue;
        }
        if (!in)
            err(ERR_MODEL, "%d arrays, the model has %d inputs ('%s' is "
                "missing)", i, j->g->nin, v->name);
        j->in[i] = take_input(j, v, job_rows(j, v, in),
                              state ? 1 : j->steps);
        in = skip_empty(in->next);
    }
}

static char *step_of(const Job *j, void *all, const Val *v, int step)
{
    return (char *)all + job_before(j, v, step) * type_info[v->type].bytes;
}

/* What is an input then, of a state's next value. */
static void next_inputs(Job *j, const Eval *e, int step, void **in)
{
    const Graph *g = j->g;
    int i;

    for (i = 0; i < g->nin; i++) {
        const Val *y = graph_next_state(g, g->in[i]);

        if (!y) {
            in[i] = step_of(j, j->in[i], g->in[i], step);
        } else {
            in[i] = arena_get(j->o.mem, (size_t)val_bytes(y) + 1, 1);
            memcpy(in[i], e->data[y->id], (size_t)val_bytes(y));
        }
    }
}

static void keep_outputs(Job *j, const Eval *e, int step)
{
    const Graph *g = j->g;
    int i;

    for (i = 0; i < g->nout; i++) {
        const Val *v = g->out[i];

        memcpy(step_of(j, j->want[i], v, step),
               v->data ? v->data : e->data[v->id], (size_t)val_bytes(v));
    }
}

static void eval_steps(Job *j)
{
    const Graph *g = j->g;
    void **in = NEWN(j->o.mem, void *, g->nin + 1);
    int i, t;

    j->want = NEWN(j->o.mem, void *, g->nout + 1);
    for (i = 0; i < g->nout; i++)
        j->want[i] = arena_get(
            j->o.mem, (size_t)job_before(j, g->out[i], j->steps) + 1,
            (size_t)type_info[g->out[i]->type].bytes);
    memcpy(in, j->in, (size_t)g->nin * sizeof *in);
    job_set_numbers(j, 0);
    j->expected = graph_eval(j->o.mem, j->g, in);
    keep_outputs(j, j->expected, 0);
    next_inputs(j, j->expected, MIN(1, j->steps - 1), in);
    for (t = 1; t < j->steps; t++) {
        Arena *own = arena_new();
        Eval *e;

        job_set_numbers(j, t);
        e = graph_eval(own, j->g, in);

        keep_outputs(j, e, t);
        next_inputs(j, e, MIN(t + 1, j->steps - 1), in);
        arena_end(own);
    }
    graph_numbers_most(j->g);
}

void job_example(Job *j)
{
    err_file(j->o.in);
    j->in = NEWN(j->o.mem, void *, j->g->nin + 1);
    j->states_given = !j->vectors || count_arrays(j->vectors) >= j->g->nin;
    job_numbers_first(j);
    j->steps = count_steps(j);
    job_numbers_all(j);
    job_set_numbers(j, 0);
    if (!j->vectors)
        gen_draw_inputs(j->o.mem, j->g, j->in);
    graph_numbers_most(j->g);
    if (j->vectors)
        take_inputs(j);
    err_file(j->r.model);
    eval_steps(j);
}

