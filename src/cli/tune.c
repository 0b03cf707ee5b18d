/* tune: measures the kernels that come into question for each layer, and keeps
 * what they took in a ledger, by which compile, report and run choose then.
 *
 * The whole network runs, in each run every layer with a kernel, or a variant
 * of one, that was not measured yet; layers alike take different ones.  Before
 * times count all layers' results are compared with those of the reference
 * kernels; a kernel that is wrong is marked so in the ledger, and what ran
 * behind it is measured again.  What the ledger has is not measured again. */
#include "cli/tune.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const Plan *plan_of(const Tune *t)
{
    return t->j->r.plan;
}

static const Step *step_of(const Plan *p, int i)
{
    return &p->step[p->layer[i].first];
}

/* Layers whose kernel is a choice. */
static bool is_choice(const Plan *p, int i)
{
    const Layer *l = &p->layer[i];

    return l->why.contenders > 0 && step_of(p, i)->kern &&
           l->node->op != OP_concat;
}

static int count_open(const Plan *p)
{
    int i, n = 0;

    for (i = 0; i < p->nlayer; i++)
        n += is_choice(p, i) ? p->layer[i].why.open : 0;
    return n;
}

/* Does it measure anything? */
static bool is_sample(const Plan *p)
{
    int i;

    for (i = 0; i < p->nlayer; i++)
        if (is_choice(p, i) && p->layer[i].node->forced)
            return true;
    return false;
}

/* ---- what a layer took ---- */

/* Of what was measured the best to go by; the unit in *unit. */
static int64_t best_value(const RunLayer *l, int *unit)
{
    int64_t v[] = {l->cycles, l->estimate, l->instructions};

    for (*unit = 0; *unit < (int)LEN(v) && v[*unit] < 0; ++*unit)
        ;
    return *unit < (int)LEN(v) ? v[*unit] : -1;
}

/* Predicted cycles of the steps of layer i in kernel k; NULL: in others than
 * `not`. */
static int64_t steps_in(const Plan *p, int i, const Kern *k, const Kern *not)
{
    int64_t sum = 0;
    int s;

    for (s = 0; s < p->nstep; s++)
        if (p->step[s].layer == i && step_starts_kernel(p, &p->step[s]) &&
            (k ? p->step[s].kern == k : p->step[s].kern != not))
            sum += p->step[s].cycles;
    return sum;
}

/* Of tiles: what kernel k took, in thousandths of what was predicted, if most
 * of the layer is in it; else -1.  Waits for code and data are left out, where
 * they are known: planners count them apart. */
static int64_t permille(const Plan *p, int i, const Kern *k, const RunLayer *l)
{
    int64_t mine = steps_in(p, i, k, NULL), others = steps_in(p, i, NULL, k);
    int64_t beside = p->layer[i].cycles - mine - others;
    int64_t took = l->known ? l->warm : l->cycles - MAX(0, beside);

    if (k->row || mine < 4 * others || !plan_is_alone(p, i) || l->cycles < 0)
        return -1;
    return MAX(1, 1000 * (took - others) / MAX(1, mine));
}

/* The kernel of layer i whose time the ledger is to have: the one that was to
 * be measured; with tiles, whose time depends on where they lie, any; NULL:
 * none. */
static const Kern *kept_kernel(const Plan *p, int i)
{
    const Kern *forced = p->layer[i].node->forced;

    if (!is_choice(p, i))
        return NULL;
    return forced || !p->tiled ? forced : step_of(p, i)->kern;
}

/* By how much the ledger has corrected what heads predict of kernel k. */
static int64_t correction(const Tune *t, const Kern *k, const Node *n)
{
    int64_t v = n->forced == k ? -1
        : ledger_find(t->l, ledger_key(t->l, k, n->task), LEDGER_permille);

    return v < 0 ? 1000 : v;
}

/* What the ledger is to have of kernel k in layer i. */
static int64_t value_of(const Tune *t, int i, const Kern *k,
                        const RunLayer *l, int *unit)
{
    const Plan *p = plan_of(t);
    int64_t v;

    if (p->tiled) {
        *unit = LEDGER_permille;
        v = permille(p, i, k, l) * correction(t, k, p->layer[i].node) / 1000;
    } else {
        v = step_of(p, i)->kern == k ? best_value(l, unit) : -1;
    }
    if (v >= 0)
        return v;
    *unit = LEDGER_unfit;
    return 0;
}

/* ---- the ledger ---- */

static const char header[] =
    "# tilewright tune: key, unit, value, kernel, operator, result, target,"
    " measured on, compiler.\n# Lines may be added and sorted; `--ledger` uses"
    " the least of a key, of permille and beside the mean.\n";

static const char *measured_on(const Job *j)
{
    return j->o.device ? j->o.device : j->soc->run;
}

static void put_line(const Tune *t, int i, const Kern *k, int unit, int64_t v,
                     const char *compiler, Str *out)
{
    const Node *n = plan_of(t)->layer[i].node;
    const Val *y = n->res[0];

    str_fmt(out, "%016" PRIx64 "\t%s\t%" PRId64 "\t%s\t%s\t%s%s\t%s\t%s\t%s\n",
            ledger_key(t->l, k, n->task), ledger_unit[unit], v, k->name,
            op_info[n->op].name, type_info[y->type].name,
            shape_str(t->j->o.mem, y->shape), t->j->soc->name,
            measured_on(t->j), compiler);
}

void tune_append(Tune *t, const char *text)
{
    FILE *f = fopen(t->path, "a");
    long at = f && !fseek(f, 0, SEEK_END) ? ftell(f) : 0;

    if (!f || (!at && fputs(header, f) < 0) || fputs(text, f) < 0 ||
        fclose(f))
        err(ERR_TOOL, "cannot write %s: %s", t->path, strerror(errno));
    t->l = ledger_read(t->j->o.mem, t->j->soc, t->path);
}

/* What layer i took beside its kernels and waits for data, in thousandths of
 * what was predicted; -1: unknown. */
static int64_t beside_of(const Plan *p, int i, const RunLayer *l)
{
    const Layer *of = &p->layer[i];
    int64_t said = of->cycles - steps_in(p, i, NULL, NULL) - of->wait;

    if (!p->tiled || !l->known || said <= 0)
        return -1;
    return 1000 * MAX(0, l->cycles - l->warm - l->dma_wait) / said;
}

/* Of layers before `wrong` (from 1; 0: all) the times; of that one that its
 * kernel is wrong. */
static void record(Tune *t, const Run *run, int wrong)
{
    const char *compiler = run->toolchain ? run->toolchain : "";
    const Plan *p = plan_of(t);
    Str b = {.mem = t->j->o.mem};
    int i, unit;
    int64_t v, beside;

    str_put(&b, "");
    for (i = 0; i < run->nlayer && (!wrong || i < wrong); i++) {
        const Kern *k = kept_kernel(p, i);

        if (!k)
            continue;
        v = value_of(t, i, k, &run->layer[i], &unit);
        if (unit == LEDGER_unfit && k != p->layer[i].node->forced)
            continue;
        if (i + 1 == wrong)
            unit = LEDGER_wrong, v = 1;
        put_line(t, i, k, unit, v, compiler, &b);
        beside = beside_of(p, i, &run->layer[i]);
        if (unit == LEDGER_permille && beside >= 0)
            put_line(t, i, k, LEDGER_beside, beside, compiler, &b);
    }
    if (b.n)
        tune_append(t, b.s);
}

/* ---- runs ---- */

static void run_now(Tune *t, Run *run)
{
    t->j->o.force = t->runs > 0; /* over what we wrote */
    job_run(t->j, &t->run, run);
    t->runs++;
}

/* The first layer whose kernel is wrong, from 1; 0: none is. */
static int wrong_layer(Tune *t, Run *run)
{
    const char *why;
    int layer = job_wrong_layer(t->j, &t->run, run, &why);
    bool same = job_same_outputs(t->j, run, false);

    if (layer > 0) {
        const Layer *l = &plan_of(t)->layer[layer - 1];

        if (!l->node->forced)
            err(ERR_DIFFER, "layer %d, '%s', is wrong with kernel %s, which is "
                "not to be measured", layer, l->node->name,
                step_of(plan_of(t), layer - 1)->kern->name);
        warn("kernel %s is wrong for layer %d, '%s': it is left out",
             l->node->forced->name, layer, l->node->name);
        return layer;
    }
    if (!same)
        err(ERR_DIFFER, "a kernel of run %d is wrong, and it is not known "
            "which%s%s", t->runs, why ? ": " : "", why ? why : "");
    return 0;
}

void tune_measure(Tune *t)
{
    Run *run = NEW(t->j->o.mem, Run);

    run_now(t, run);
    record(t, run, wrong_layer(t, run));
}

/* One plan, in which every layer measures what is part `part` of that. */
int tune_plan(Tune *t, int part)
{
    t->j->part = part;
    t->j->o.ledger = t->path;
    job_plan(t->j);
    return count_open(plan_of(t));
}

/* Of `most` parts, how many measure something; the first is planned then. */
static int useful_parts(Tune *t, int most)
{
    int n = 1;

    while (n < most && tune_plan(t, n + 1) > 0 && is_sample(plan_of(t)))
        n++;
    if (most > 1)
        tune_plan(t, 1);
    return n;
}

static void tune(Tune *t)
{
    const int limit = t->j->o.samples ? t->j->o.samples : INT32_MAX;
    int open, last = INT32_MAX, now, jobs = MAX(1, t->j->o.jobs);

    while (t->samples < limit && (open = tune_plan(t, 1)) > 0) {
        if (open >= last && !t->j->o.halving)
            err(ERR_TOOL, "run %d measured nothing new", t->samples);
        last = open;
        now = useful_parts(t, MIN(jobs, limit - t->samples));
        if (now > 1 || t->j->o.worker)
            tune_workers(t, now);
        else
            tune_measure(t);
        t->samples += now;
    }
}

/* ---- what came of it ---- */

static int64_t sum_of(const Plan *p, const Run *run)
{
    int64_t sum = 0, v;
    int i, unit;

    for (i = 0; i < p->nlayer; i++) {
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
static double median_error(Arena *mem, const Plan *p, const Run *run)
{
    double *e = NEWN(mem, double, run->nlayer + 1);
    int i, n = 0, unit;

    for (i = 0; i < run->nlayer; i++) {
        double v = (double)best_value(&run->layer[i], &unit);
        double said = (double)(p->tiled ? p->layer[i].cycles
                                        : step_of(p, i)->cycles);

        if (is_choice(p, i) && v > 0 && plan_is_alone(p, i))
            e[n++] = 100 * fabs(said - v) / v;
    }
    qsort(e, (size_t)n, sizeof *e, by_size);
    return n ? e[n / 2] : 0;
}

/* The layer of a plan that computes a node; -1: none does. */
static int layer_of(const Plan *p, const Node *node)
{
    int i;

    for (i = p->nlayer - 1; i >= 0 && p->layer[i].node != node; i--)
        ;
    return i;
}

/* The kernels by heads alone, and by the ledger, side by side. */
static void put_table(const Plan *p, const Plan *before, Str *out)
{
    int i, old;

    str_fmt(out, "%5s  %-20s %-26s %s\n", "layer", "name", "kernel",
            "instead of");
    for (i = 0; i < p->nlayer; i++) {
        const Kern *now = step_of(p, i)->kern, *was;

        if ((old = layer_of(before, p->layer[i].node)) < 0)
            continue;
        was = step_of(before, old)->kern;
        if (now && was && strcmp(now->name, was->name))
            str_fmt(out, "%5d  %-20.20s %-26s %s\n", i + 1,
                    p->layer[i].node->name, now->name, was->name);
    }
}

/* What a plan took, and what was said before. */
typedef struct Sum {
    const Plan *p;
    const Run *run;
    int64_t all;
    double error;
} Sum;

static Sum run_with(Tune *t, const char *ledger)
{
    Run *run = NEW(t->j->o.mem, Run);
    Sum s = {NULL, NULL, 0, 0};

    t->j->part = 0;
    t->j->o.ledger = ledger;
    job_plan(t->j);
    s.p = plan_of(t);
    if (!t->samples)
        return s;
    run_now(t, run);
    t->j->r.match = job_same_outputs(t->j, run, false);
    if (!t->j->r.match)
        err(ERR_DIFFER, "results differ from those of the reference kernels");
    s.run = run;
    s.all = sum_of(s.p, run);
    s.error = median_error(t->j->o.mem, s.p, run);
    return s;
}

/* Kernels that take longer here than those that heads alone would have chosen,
 * for code of both must come in, are marked; how many. */
static int mark_slower(Tune *t, const Sum *was, const Sum *is)
{
    Str b = {.mem = t->j->o.mem};
    int i, old, n = 0, unit;

    str_put(&b, "");
    for (i = 0; i < is->p->nlayer; i++) {
        const Kern *now = step_of(is->p, i)->kern, *before;
        const Node *node = is->p->layer[i].node;

        if (!is_choice(is->p, i) || (old = layer_of(was->p, node)) < 0)
            continue;
        before = step_of(was->p, old)->kern;
        if (now == before || !strcmp(now->name, before->name) ||
            best_value(&is->run->layer[i], &unit) <=
                best_value(&was->run->layer[old], &unit))
            continue;
        put_line(t, i, now, LEDGER_slower,
                 best_value(&is->run->layer[i], &unit), "", &b);
        n++;
    }
    if (n)
        tune_append(t, b.s);
    return n;
}

/* What was found makes the network slower, although no kernel is. */
static void mark_network(Tune *t, const Sum *is)
{
    Str b = {.mem = t->j->o.mem};

    str_fmt(&b, "%016" PRIx64 "\t%s\t%" PRId64 "\tall\t%s\t-\t%s\t%s\t\n",
            ledger_key(t->l, NULL, t->j->tasks), ledger_unit[LEDGER_slower],
            is->all, t->j->o.name, t->j->soc->name, measured_on(t->j));
    tune_append(t, b.s);
}

static void show(Tune *t)
{
    enum { ROUNDS = 4 };
    Str out = {.mem = t->j->o.mem};
    Sum was = run_with(t, t->samples ? "" : NULL), is = run_with(t, t->path);
    int i;

    for (i = 0; t->samples && i < ROUNDS && mark_slower(t, &was, &is); i++)
        is = run_with(t, t->path);
    if (is.all > was.all) {
        mark_network(t, &is);
        is = was;
    }
    put_table(is.p, was.p, &out);
    str_fmt(&out, "%d runs to measure, ledger %s\n", t->samples, t->path);
    if (was.all > 0)
        str_fmt(&out, "layers together: %" PRId64 " by heads, %" PRId64
                " tuned (%+.1f %%)\nprediction off by %.1f %% and %.1f %%"
                " (medians of layers)\n", was.all, is.all,
                100.0 * (double)(is.all - was.all) / (double)was.all,
                was.error, is.error);
    job_say(t->j, &out);
}

/* Whose times vary from run to run: those of servers of others. */
static bool is_noisy(const char *device)
{
    return device && strchr(device, ':');
}

int verb_tune(int argc, char **argv)
{
    Job *j = job_new("tune", argc, argv);
    Tune t = {.j = j, .path = j->o.ledger ? j->o.ledger : "tilewright.ledger",
              .argc = argc, .argv = argv};

    if (!strcmp(j->soc->run, "host"))
        err(ERR_USAGE, "tune: %s has no counter; the other chips can be tuned",
            j->soc->name);
    j->o.halving = j->o.halving || is_noisy(j->o.device);
    job_front(j);
    j->o.ledger = t.path;
    job_pass(j);
    if (!tune_plan(&t, MAX(1, j->o.part)) && j->o.part)
        return OK;
    job_example(j);
    t.l = ledger_read(j->o.mem, j->soc, t.path);
    t.run = (RunOpts){.dir = job_dir(j), .name = j->o.name, .in = j->in,
                      .steps = j->steps, .value = j->value,
                      .states_reset = !j->states_given,
                      .runner = j->o.runner, .device = j->o.device,
                      .flash = j->o.flash};
    if (j->o.part) {
        tune_measure(&t);
        return OK;
    }
    tune(&t);
    show(&t);
    job_files(j);
    return OK;
}
