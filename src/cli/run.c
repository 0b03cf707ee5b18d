/* run: compile, build, run, compare. */
#include "cli/cli.h"

#include <string.h>

static int same_arrays(Job *j, const Run *run)
{
    const Array *want;
    int i, bad = 0;

    err_file(j->o.expected);
    want = npz_read(j->o.mem, j->o.expected);
    j->r.max_abs_diff = 0;
    for (i = 0; i < j->g->nout; i++, want = want->next) {
        const Val *v = j->g->out[i];
        Diff d;

        while (want && !want->n)
            want = want->next;
        if (!want)
            err(ERR_MODEL, "%d arrays, the model has %d outputs ('%s' is "
                "missing)", i, j->g->nout, v->name);
        if (want->n != val_count(v))
            err(ERR_MODEL, "array '%s' has %lld elements, output '%s' %s has "
                "%lld", want->name, (long long)want->n, v->name,
                shape_str(j->o.mem, v->shape), (long long)val_count(v));
        job_shapes(j, want, v);
        d = compare(v, run->out[i], want, j->o.tolerance);
        j->r.max_abs_diff = MAX(j->r.max_abs_diff, d.max_abs);
        if (d.match)
            continue;
        bad++;
        fprintf(stderr, "output '%s': %lld of %lld elements differ, by up to "
                "%g; the first is element %lld\n", v->name,
                (long long)d.ndiff, (long long)want->n, d.max_abs,
                (long long)d.first);
    }
    return !bad;
}

static Array *as_array(Arena *a, const Val *v, int i, void *data)
{
    Array *x = NEW(a, Array);

    x->name = arena_fmt(a, "output_%d", i);
    strcpy(x->type, type_info[v->type].npy);
    x->rank = v->shape.rank;
    memcpy(x->dim, v->shape.dim, sizeof x->dim);
    x->n = val_count(v);
    x->data = data;
    return x;
}

static Array *as_arrays(Job *j, void **data)
{
    Array *list = NULL;
    int i;

    for (i = j->g->nout; i--;) {
        Array *x = as_array(j->o.mem, j->g->out[i], i, data[i]);

        x->next = list;
        list = x;
    }
    return list;
}

/* With no expected outputs: against the reference kernels on this machine. */
static int same_eval(Job *j, const Run *run)
{
    int i, bad = 0;

    j->r.max_abs_diff = 0;
    for (i = 0; i < j->g->nout; i++) {
        const Val *v = j->g->out[i];
        void *data = v->data ? v->data : j->expected->data[v->id];
        Diff d = compare(v, run->out[i], as_array(j->o.mem, v, i, data),
                         j->o.tolerance);

        j->r.max_abs_diff = MAX(j->r.max_abs_diff, d.max_abs);
        bad += !d.match;
        if (!d.match)
            fprintf(stderr, "output '%s' differs from the reference by up to "
                    "%g\n", v->name, d.max_abs);
    }
    return !bad;
}

static void show(Job *j)
{
    Str out = {.mem = j->o.mem};

    report_text(&j->r, j->o.explain, &out);
    str_fmt(&out, "\n%s %s, greatest difference %g\n",
            j->o.expected ? "expected outputs" : "reference kernels",
            j->r.match ? "match" : "DIFFER", j->r.max_abs_diff);
    job_say(j, &out);
}

/* The program took more of a memory than was kept for it: what it took, for
 * the planner to go by, if that is in its hands; of a tiled plan constants are,
 * whatever there may be of buffers. */
static bool make_room(Job *j, const Run *run)
{
    bool any = false;
    int i;

    if (run->ok || run->status != ERR_FIT)
        return false;
    for (i = 0; i < j->soc->nmem; i++) {
        Mem *m = &j->soc->mems[i];

        if (run->missing[i] <= 0 || !(m->holds & HOLDS_buffers) ||
            (job_limits(j, m) && !j->r.plan->tiled))
            continue;
        m->program = m->size - m->reserved + run->missing[i] -
                     j->r.plan->consts[i] - j->r.plan->used[i] -
                     (m->holds & HOLDS_code ? j->r.plan->program_room : 0);
        any = true;
    }
    return any;
}

static void say_again(const Job *j, const Run *run)
{
    if (j->o.verbose)
        fprintf(stderr, "planned again: %s\n", run->why);
}

/* Builds and runs; plans again where only the linker found how much code there
 * is. */
static void build_and_run(Job *j, const char *dir, Run *run)
{
    enum { ROUNDS = 4 };
    RunOpts o = {.dir = dir, .name = j->o.name, .in = j->in,
                 .dump = j->o.dump, .runner = j->o.runner,
                 .emulate = j->o.emulate};
    int64_t begin;
    int i;

    for (i = 1;; i++) {
        job_gen(j, dir);
        err_file(NULL); /* from here on the tools are at fault */
        begin = now_ns();
        *run = dev_run(j->o.mem, j->r.plan, &o);
        if (i == ROUNDS || !make_room(j, run))
            return;
        say_again(j, run);
        err_file(j->r.model);
        j->start_ns += now_ns() - begin;
        j->o.force = true; /* over what we wrote */
        job_plan(j);
    }
}

int verb_run(int argc, char **argv)
{
    Job *j = job_new("run", argc, argv);
    Run *run = NEW(j->o.mem, Run); /* --json reads it at exit */
    const char *dir;

    if (j->o.runtime)
        err(ERR_USAGE, "--runtime: only to compile; nothing here runs %s",
            j->o.runtime);
    file_check_output(j->o.out);
    if (j->o.keep)
        gen_check_place(j->o.keep, j->o.force);
    job_front(j);
    job_pass(j);
    job_plan(j);
    job_example(j);
    dir = j->o.keep;
    if (!dir)
        dir = arena_fmt(j->o.mem, "%s/%s", dir_temp(j->o.mem), j->o.name);
    if (j->o.emulate && j->soc->ncore < 2 && !j->r.plan->tiled)
        err(ERR_USAGE, "--emulate: %s has one core and no DMA: nothing to "
            "emulate", j->soc->name);
    build_and_run(j, dir, run);
    if (!run->ok) {
        if (run->status == ERR_FIT)
            j->r.missing = run->missing;
        err(run->status, "%s", run->why);
    }
    j->r.run = run;
    if (j->o.out)
        npz_write(j->o.out, as_arrays(j, run->out));
    j->r.match = j->o.expected ? same_arrays(j, run) : same_eval(j, run);
    show(j);
    job_html(j);
    if (!j->r.match)
        err(ERR_DIFFER, "results differ from %s", j->o.expected ?
            "the expected ones" : "those of the reference kernels");
    return OK;
}
