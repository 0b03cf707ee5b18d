/* tune: measures the kernels that come into question for each layer, and keeps
 * what they took in a ledger, by which compile, report and run choose then.
 *
 * The whole network runs, once for each place in the layers' lists of kernels:
 * in run k every layer has its k-th.  A run counts only if all its outputs
 * are those of the reference kernels.  What the ledger has is not measured
 * again. */
#include "cli/cli.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Tune {
    Job *j;
    Ledger *l;
    const char *path;
    RunOpts run;
    int runs, lines;
} Tune;

static const Step *step_of(const Job *j, int i)
{
    return &j->r.plan->step[j->r.plan->layer[i].first];
}

/* Layers whose kernel is a choice, and takes the layer's time alone. */
static bool is_choice(const Job *j, int i)
{
    const Layer *l = &j->r.plan->layer[i];

    return l->why.contenders > 0 && step_of(j, i)->kern && l->tiles <= 1 &&
           l->node->op != OP_concat;
}

static uint64_t key_of(const Tune *t, int i)
{
    return ledger_key(t->l, step_of(t->j, i)->kern,
                      t->j->r.plan->layer[i].node, 0);
}

static bool is_known(const Tune *t, int i)
{
    int unit;

    for (unit = 0; unit < LEDGER_UNITS; unit++)
        if (ledger_find(t->l, key_of(t, i), unit) >= 0)
            return true;
    return false;
}

static bool all_known(const Tune *t)
{
    int i;

    for (i = 0; i < t->j->r.plan->nlayer; i++)
        if (is_choice(t->j, i) && !is_known(t, i))
            return false;
    return true;
}

static int most_contenders(const Job *j)
{
    int i, most = 0;

    for (i = 0; i < j->r.plan->nlayer; i++)
        if (is_choice(j, i))
            most = MAX(most, j->r.plan->layer[i].why.contenders);
    return most;
}

/* Of what was measured the best to go by; the unit in *unit. */
static int64_t best_value(const RunLayer *l, int *unit)
{
    int64_t v[LEDGER_UNITS] = {l->cycles, l->estimate, l->instructions};

    for (*unit = 0; *unit < LEDGER_UNITS && v[*unit] < 0; ++*unit)
        ;
    return *unit < LEDGER_UNITS ? v[*unit] : -1;
}

/* ---- the ledger ---- */

static const char header[] =
    "# tilewright tune: key, unit, value, kernel, operator, result, target,"
    " measured on, compiler.\n# Lines may be added and sorted; `--ledger` uses"
    " the last of a key.\n";

static void put_line(const Tune *t, int i, const RunLayer *l,
                     const char *compiler, Str *out)
{
    const Node *n = t->j->r.plan->layer[i].node;
    const Val *y = n->res[0];
    int unit;
    int64_t v = best_value(l, &unit);

    if (v < 0)
        return;
    str_fmt(out, "%016" PRIx64 "\t%s\t%" PRId64 "\t%s\t%s\t%s%s\t%s\t%s\t%s\n",
            key_of(t, i), ledger_unit[unit], v, step_of(t->j, i)->kern->name,
            op_info[n->op].name, type_info[y->type].name,
            shape_str(t->j->o.mem, y->shape), t->j->soc->name,
            t->j->o.device ? t->j->o.device : t->j->soc->run, compiler);
}

static void append(Tune *t, const Str *text)
{
    FILE *f = fopen(t->path, "a");
    long at = f && !fseek(f, 0, SEEK_END) ? ftell(f) : 0;

    if (!f || (!at && fputs(header, f) < 0) || fputs(text->s, f) < 0 ||
        fclose(f))
        err(ERR_TOOL, "cannot write %s: %s", t->path, strerror(errno));
}

static void record(Tune *t, const Run *run)
{
    const char *compiler = run->toolchain ? run->toolchain : "";
    Str b = {.mem = t->j->o.mem};
    int i;

    str_put(&b, "");
    for (i = 0; i < run->nlayer; i++)
        if (is_choice(t->j, i) && !is_known(t, i))
            put_line(t, i, &run->layer[i], compiler, &b);
    if (!b.n)
        return;
    append(t, &b);
    t->l = ledger_read(t->j->o.mem, t->j->soc, t->path);
}

/* ---- runs ---- */

static void run_now(Tune *t, Run *run)
{
    t->j->o.force = t->runs > 0; /* over what we wrote */
    job_run(t->j, &t->run, run);
    t->runs++;
    t->j->r.match = job_same_outputs(t->j, run, false);
    if (!t->j->r.match)
        err(ERR_DIFFER, "a kernel of run %d is wrong: tilewright validate "
            "finds which", t->runs);
}

static int64_t sum_of(const Job *j, const Run *run)
{
    int64_t sum = 0, v;
    int i, unit;

    for (i = 0; i < j->r.plan->nlayer; i++) {
        v = best_value(&run->layer[i], &unit);
        sum += MAX(0, v);
    }
    return sum;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Median of how far off predictions of the plan's layers are, percent. */
static double median_error(const Job *j, const Run *run)
{
    double *e = NEWN(j->o.mem, double, run->nlayer + 1);
    int i, n = 0, unit;

    for (i = 0; i < run->nlayer; i++) {
        double v = (double)best_value(&run->layer[i], &unit);

        if (is_choice(j, i) && v > 0)
            e[n++] = 100 * fabs((double)step_of(j, i)->cycles - v) / v;
    }
    qsort(e, (size_t)n, sizeof *e, by_size);
    return n ? e[n / 2] : 0;
}

static void tune(Tune *t)
{
    Job *j = t->j;
    int turn, most = 1, limit = j->o.samples ? j->o.samples : INT32_MAX;

    for (turn = 1; turn <= most && t->runs < limit; turn++) {
        Run *run = NEW(j->o.mem, Run);

        j->turn = turn;
        job_plan(j);
        most = most_contenders(j);
        if (all_known(t))
            continue;
        run_now(t, run);
        record(t, run);
    }
    j->turn = 0;
}

/* The kernels by heads alone, and by the ledger, side by side. */
static void put_table(Tune *t, const Plan *before, Str *out)
{
    const Plan *p = t->j->r.plan;
    int i;

    str_fmt(out, "%5s  %-20s %-26s %s\n", "layer", "name", "kernel",
            "instead of");
    for (i = 0; i < p->nlayer && i < before->nlayer; i++) {
        const Kern *now = step_of(t->j, i)->kern;
        const Kern *was = before->step[before->layer[i].first].kern;

        if (now && was && now != was && strcmp(now->name, was->name))
            str_fmt(out, "%5d  %-20.20s %-26s %s\n", i + 1,
                    p->layer[i].node->name, now->name, was->name);
    }
}

static const Plan *plan_with(Job *j, const char *ledger)
{
    j->o.ledger = ledger;
    job_plan(j);
    return j->r.plan;
}

/* What a plan took, and what was said before. */
typedef struct Sum {
    int64_t all;
    double error;
} Sum;

static void show(Tune *t, const Plan *before, Sum was, Sum is, int samples)
{
    Str out = {.mem = t->j->o.mem};

    put_table(t, before, &out);
    str_fmt(&out, "%d runs to measure, ledger %s\n", samples, t->path);
    if (was.all > 0)
        str_fmt(&out, "layers together: %" PRId64 " by heads, %" PRId64
                " tuned (%+.1f %%)\nprediction off by %.1f %% and %.1f %%"
                " (medians of layers)\n", was.all, is.all,
                100.0 * (double)(is.all - was.all) / (double)was.all,
                was.error, is.error);
    job_say(t->j, &out);
}

int verb_tune(int argc, char **argv)
{
    Job *j = job_new("tune", argc, argv);
    Run *first = NEW(j->o.mem, Run), *last = NEW(j->o.mem, Run);
    Tune t = {.j = j, .path = j->o.ledger ? j->o.ledger : "tilewright.ledger"};
    Sum was = {0, 0}, is = {0, 0};
    const Plan *before;
    int samples;

    job_front(j);
    job_pass(j);
    before = plan_with(j, NULL);
    if (j->r.plan->tiled || !strcmp(j->soc->run, "host"))
        err(ERR_USAGE, "tune: %s has %s; the Cortex-M and rv32imc chips can be "
            "tuned", j->soc->name, j->r.plan->tiled ? "tiles, whose kernels "
            "are chosen with their sizes" : "no counter");
    job_example(j);
    t.l = ledger_read(j->o.mem, j->soc, t.path);
    t.run = (RunOpts){.dir = job_dir(j), .name = j->o.name, .in = j->in,
                      .steps = j->steps, .value = j->value,
                      .states_reset = !j->states_given,
                      .runner = j->o.runner, .device = j->o.device};
    tune(&t);
    samples = t.runs;
    if (samples) {
        before = plan_with(j, ""); /* heads alone, and contenders */
        run_now(&t, first);
        was = (Sum){sum_of(j, first), median_error(j, first)};
    }
    plan_with(j, t.path);
    if (samples) {
        run_now(&t, last);
        is = (Sum){sum_of(j, last), median_error(j, last)};
    }
    show(&t, before, was, is, samples);
    job_files(j);
    return OK;
}
