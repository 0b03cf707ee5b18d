/* run: compile, build, run, compare. */
#include "cli/chips.h"

#include <string.h>

/* Of a sequence with the axis of steps before; flat, where sizes are others in
 * each. */
Array *job_array(const Job *j, const Val *v, int i, int steps, void *data)
{
    Arena *a = j->o.mem;
    Array *x = NEW(a, Array);
    Shape s = job_shape(j, v, 0);
    int more = j->o.sequence && s.rank < RANK;

    x->name = arena_fmt(a, "output_%d", i);
    strcpy(x->type, type_info[v->type].npy);
    x->n = steps == 1 ? job_count(j, v, 0) : job_before(j, v, steps);
    x->rank = s.rank + more;
    x->dim[0] = 1;
    memcpy(x->dim + more, s.dim, (size_t)s.rank * sizeof *x->dim);
    x->dim[0] = more ? steps : x->dim[0] * steps;
    if (x->n != job_count(j, v, 0) * steps) {
        x->rank = 1;
        x->dim[0] = x->n;
    }
    x->data = data;
    return x;
}

static Array *as_arrays(Job *j, void **data)
{
    Array *list = NULL;
    int i;

    for (i = j->g->nout; i--;) {
        Array *x = job_array(j, j->g->out[i], i, j->steps, data[i]);

        x->next = list;
        list = x;
    }
    return list;
}

/* ---- comparing ---- */

static const Array *of_reference(Job *j, int i)
{
    const Val *v = j->g->out[i];

    return job_array(j, v, i, j->steps, j->want[i]);
}

/* The array of -e for output i; *next: where to look. */
static const Array *of_user(Job *j, int i, const Array **next)
{
    const Val *v = j->g->out[i];
    const Array *want = *next;

    while (want && !want->n)
        want = want->next;
    if (!want)
        err(ERR_MODEL, "%d arrays, the model has %d outputs ('%s' is "
            "missing)", i, j->g->nout, v->name);
    *next = want->next;
    want = job_rows(j, v, want);
    if (want->n != job_before(j, v, j->steps))
        err(ERR_MODEL, "array '%s' has %lld elements, output '%s' %s has "
            "%lld in %d runs", want->name, (long long)want->n, v->name,
            shape_str(j->o.mem, job_shape(j, v, 0)),
            (long long)job_before(j, v, j->steps), j->steps);
    if (!j->o.sequence)
        job_shapes(j, want, v, job_shape(j, v, 0));
    return want;
}

static void say_diff(Job *j, const Val *v, const Diff *d)
{
    say(NULL, arena_fmt(j->o.mem, "output '%s': %lld of %lld elements differ, "
        "the first is element %lld; largest difference %g, RMSE %.4g, cosine "
        "%.6f", v->name, (long long)d->ndiff,
        (long long)job_before(j, v, j->steps),
        (long long)d->first, d->max_abs, d->rmse, d->cosine));
}

/* All outputs, with what -e has or else with the reference kernels'.  Those of
 * states may be left out by -e, all of them. */
bool job_same_outputs(Job *j, const Run *run, bool user)
{
    const Array *next = NULL;
    Diff *d = NEWN(j->o.mem, Diff, j->g->nout + 1);
    bool same = true, states = true;
    int i;

    err_file(user ? j->o.expected : NULL);
    if (user) {
        next = npz_read(j->o.mem, j->o.expected);
        states = count_arrays(next) >= j->g->nout;
    }
    j->r.max_abs_diff = 0;
    j->r.diff = d;
    for (i = 0; i < j->g->nout; i++) {
        const Val *v = j->g->out[i];

        if (v->state && !states) {
            d[i].match = true;
            continue;
        }
        d[i] = compare(v, run->out[i],
                       user ? of_user(j, i, &next) : of_reference(j, i),
                       j->o.tolerance);
        j->r.max_abs_diff = MAX(j->r.max_abs_diff, d[i].max_abs);
        same &= d[i].match;
        if (!d[i].match)
            say_diff(j, v, &d[i]);
    }
    return same;
}

static bool is_reference(Job *j, const Run *run)
{
    bool same = true;
    int i;

    for (i = 0; i < j->g->nout; i++)
        same &= compare(j->g->out[i], run->out[i],
                        of_reference(j, i), j->o.tolerance).match;
    return same;
}

/* The first layer whose result is not what the reference kernels give; of a
 * sequence in its first run. */
static bool find_wrong(Job *j, const Run *run)
{
    int i;

    for (i = 0; i < run->nlayer; i++) {
        const Val *v = j->r.plan->layer[i].node->res[0];

        if (!run->made[i])
            continue;
        j->r.wrong = compare(v, run->made[i],
                             job_array(j, v, 0, 1, j->expected->data[v->id]),
                             j->o.tolerance);
        if (!j->r.wrong.match) {
            j->r.wrong_layer = i + 1;
            return true;
        }
    }
    return false;
}

int job_wrong_layer(Job *j, const RunOpts *o, Run *run, const char **why)
{
    RunOpts first = *o;

    first.steps = 1;
    *why = run->made ? NULL : dev_layers(j->o.mem, j->r.plan, &first, run);
    return *why ? -1 : find_wrong(j, run) ? j->r.wrong_layer : 0;
}

/* Who is at fault, the kernels or what is expected of them? */
static const char *why_different(Job *j, const RunOpts *o, Run *run)
{
    const Diff *d = &j->r.wrong;
    const char *why;
    const Node *n;
    int layer;

    if (is_reference(j, run))
        return "every output is what the reference kernels give for these "
               "inputs: others were expected";
    layer = job_wrong_layer(j, o, run, &why);
    if (layer < 0)
        return arena_fmt(j->o.mem, "which layer is the first that differs is "
                         "not known: %s", why);
    if (!layer)
        return "every layer that can be looked at is what the reference "
               "kernels give";
    n = j->r.plan->layer[layer - 1].node;
    return arena_fmt(j->o.mem, "the first layer that differs from the reference"
                     " kernels is %d, '%s' (%s): %lld elements, from element "
                     "%lld on, by up to %g, RMSE %.4g", layer,
                     n->name, op_info[n->op].name, (long long)d->ndiff,
                     (long long)d->first, d->max_abs, d->rmse);
}

static void show(Job *j)
{
    Str out = {.mem = j->o.mem};

    job_text(j, &out);
    str_fmt(&out, "\n%s %s, greatest difference %g\n",
            j->o.expected ? "expected outputs" : "reference kernels",
            j->r.match ? "match" : "DIFFER", j->r.max_abs_diff);
    job_say(j, &out);
}

int verb_run(int argc, char **argv)
{
    Job *j = job_new("run", argc, argv);
    Run *run = NEW(j->o.mem, Run); /* --json reads it at exit */
    const char *dir;
    RunOpts o;

    if (j->o.runtime)
        err(ERR_USAGE, "--runtime: only to compile; nothing here runs %s",
            j->o.runtime);
    if (j->o.device && (j->o.runner || j->o.emulate))
        err(ERR_USAGE, "--device: not with --runner or --emulate");
    if (j->o.package)
        err(ERR_USAGE, "--package: only to compile");
    file_check_output(j->o.out);
    if (j->o.keep)
        gen_check_place(j->o.keep, j->o.force);
    if (j->o.chips)
        return verb_run_chips(j);
    job_front(j);
    job_pass(j);
    job_plan(j);
    job_example(j);
    dir = job_dir(j);
    if (j->o.emulate && j->soc->ncore < 2 && !j->r.plan->tiled)
        err(ERR_USAGE, "--emulate: %s has one core and no DMA: nothing to "
            "emulate", j->soc->name);
    o = (RunOpts){.dir = dir, .name = j->o.name, .in = j->in,
                  .steps = j->steps, .value = j->value, .states_reset = !j->states_given,
                  .dump = j->o.dump, .runner = j->o.runner,
                  .device = j->o.device,
                      .flash = j->o.flash, .emulate = j->o.emulate};
    job_run(j, &o, run);
    if (j->o.out)
        npz_write(j->o.out, as_arrays(j, run->out));
    j->r.match = job_same_outputs(j, run, j->o.expected);
    if (!j->r.match)
        say(NULL, why_different(j, &o, run));
    show(j);
    job_files(j);
    if (!j->r.match)
        err(ERR_DIFFER, "results differ from %s", j->o.expected ?
            "the expected ones" : "those of the reference kernels");
    return OK;
}
