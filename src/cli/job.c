/* The road from a model to a plan and a project, one step a function. */
#include "cli/cli.h"
#include "plan/kernel/offer.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static int write_json(int status, void *arg)
{
    Job *j = arg;
    Str out = {.mem = j->o.mem};

    if (!j->o.json)
        return status;
    report_json(&j->r, status, &out);
    return json_save(j->o.json, &out, status);
}

static bool is_dash(const char *path)
{
    return path && !strcmp(path, "-");
}

void job_say(const Job *j, const Str *text)
{
    progress_end();
    if (!quiet && !is_dash(j->o.json) && !is_dash(j->o.html) &&
        !is_dash(j->o.csv)) {
        Str safe = {.mem = j->o.mem};

        str_safe(&safe, text->s, "\n");
        fputs(safe.s, stdout);
    }
}

/* What cannot be written later is told before there is work. */
static void check_outputs(const Opts *o)
{
    file_check_output(o->json);
    file_check_output(o->html);
    file_check_output(o->csv);
}

/* The C prefix, of -n or from the model's file. */
static void set_name(Job *j)
{
    const char *given = j->o.name, *taken_by;
    const char *from = is_dash(j->o.model) ? "model" : j->o.model;

    j->o.name = gen_name(j->o.mem, given ? given : from, &taken_by);
    if (given && strcmp(given, j->o.name))
        err(ERR_USAGE, "-n %s: %s; %s would do", given, taken_by ? taken_by
            : "not a name in C, or a reserved one", j->o.name);
    if (taken_by)
        warn("the network is called %s, because that without _net is %s; "
             "-n NAME gives another name", j->o.name, taken_by);
    j->r.name = j->o.name;
}

Job *job_new(const char *verb, int argc, char **argv)
{
    Arena *mem = arena_new();
    Job *j = NEW(mem, Job);

    j->start_ns = now_ns();
    j->o.mem = mem;
    j->r = (Report){.verb = verb, .match = -1, .max_abs_diff = -1,
                    .compile_ms = -1};
    end_with(write_json, j);
    opts_read(mem, &j->o, verb, argc, argv);
    if (!j->o.model)
        err(ERR_USAGE, "%s: no model given; see `tilewright help %s`", verb,
            verb);
    check_outputs(&j->o);
    j->r.model = is_dash(j->o.model) ? "standard input" : j->o.model;
    set_name(j);
    j->r.target = j->o.target;
    if (j->o.target)
        j->soc = soc_read(mem, j->o.target);
    j->r.soc = j->soc;
    return j;
}

/* The model knows how many inputs there are. */
static void check_vectors(const Job *j)
{
    if (j->o.expected && !j->o.in && j->g->nin)
        err(ERR_USAGE, "-e %s: outputs of which inputs? give those with -i",
            j->o.expected);
    if (j->o.in && !j->vectors && j->g->nin) {
        err_file(j->o.in);
        err(ERR_MODEL, "no arrays; the model has %d inputs", j->g->nin);
    }
}

static void read_vocab(Job *j)
{
    if (!j->o.tokenizer)
        return;
    if (!j->g->context)
        err(ERR_USAGE, "--tokenizer is of language models; %s is none",
            j->r.model);
    j->vocab = front_vocab(j->o.mem, j->o.tokenizer, val_count(j->g->out[0]));
    err_file(j->r.model);
}

void job_front(Job *j)
{
    if (j->o.in) {
        err_file(j->o.in);
        j->vectors = npz_read(j->o.mem, j->o.in);
        j->o.front.vectors = j->vectors;
        j->o.front.vectors_file = j->o.in;
    }
    err_file(j->r.model);
    progress("reading the model", 0, 0);
    j->g = front_read(j->o.mem, j->o.model, &j->o.front);
    j->r.g = j->g;
    check_vectors(j);
    read_vocab(j);
    job_weights(j);
}

static void print_graph(Job *j)
{
    Str out = {.mem = j->o.mem};

    graph_print(j->g, &out);
    progress_end();
    fputs(out.s, stderr);
}

void job_leave_pass(Opts *o, const char *name)
{
    if (o->noff + 1 < (int)LEN(o->off))
        o->off[o->noff++] = name;
}

bool job_leaves_pass(const Opts *o, const char *name)
{
    int i;

    for (i = 0; i < o->noff && strcmp(o->off[i], name); i++)
        ;
    return i < o->noff;
}

/* Passes whose operators the chip has no kernels for, or none that gain. */
static void leave_passes(Job *j)
{
    const bool one = j->soc->ncore == 1;
    const bool dsp = isa_has(j->soc->isa, "dsp", strlen("dsp"));

    j->heads_stay = job_leaves_pass(&j->o, "heads");
    if (one || job_leaves_pass(&j->o, "dead"))
        job_leave_pass(&j->o, "dead4");
    else /* their kernels read words of channels */
        job_leave_pass(&j->o, "dead");
    if (j->o.objective != AIM_memory) /* only where it does not fit: groups.c */
        job_leave_pass(&j->o, "heads");
    if (one) /* gains less than its numbers take of the flash */
        job_leave_pass(&j->o, "siblings");
    if (one && !dsp)
        job_leave_pass(&j->o, "prompt");
    if (!one || !dsp)
        job_leave_pass(&j->o, "few");
    if (!one)
        job_leave_pass(&j->o, "divided");
}

void job_pass(Job *j)
{
    if (j->soc)
        leave_passes(j);
    if (j->o.print && !strcmp(j->o.print, "front"))
        print_graph(j);
    progress("simplifying the graph", 0, 0);
    quant_lower(j->g);
    if (j->o.print && !strcmp(j->o.print, "quant"))
        print_graph(j);
    pass_all(j->g, j->o.off, j->o.print);
    job_channels(j);
    graph_number(j->g);
    j->tasks = j->o.ledger ? ledger_tasks(j->g) : 0;
}

/* Heads decide where what the ledger says makes the whole network slower. */
static const char *useful_ledger(const Job *j)
{
    Ledger *l;

    if (!j->o.ledger || j->part)
        return j->o.ledger;
    l = ledger_read(j->o.mem, j->soc, j->o.ledger);
    return ledger_find(l, ledger_key(l, NULL, j->tasks), LEDGER_slower) < 0
        ? j->o.ledger : NULL;
}

/* The planner and the runtime take what is left of the cores. */
static void set_cores(Job *j)
{
    if (j->o.cores > j->soc->ncore)
        err(ERR_USAGE, "--cores %d: %s has %d", j->o.cores, j->soc->name,
            j->soc->ncore);
    if (j->o.cores)
        j->soc->ncore = j->o.cores;
}

static void set_clock(Job *j)
{
    if (j->o.mhz > 0 && !soc_clock(j->soc, j->o.mhz))
        err(ERR_USAGE, "--mhz: the description of %s has no clock rate",
            j->soc->name);
}

static void set_battery(Job *j)
{
    if (j->o.battery[0] > 0 && isnan(soc_energy(j->soc, "core_cycle")))
        err(ERR_USAGE, "--battery: the description of %s has no line "
            "`energy core_cycle pj=N`", j->soc->name);
    j->r.battery_mwh = j->o.battery[0];
    j->r.battery_every = j->o.battery[1];
}

/* --no-engine NAME,NAME */
static void drop_engines(Job *j)
{
    const char *s = j->o.no_engine, *name;
    size_t n;

    for (; s && *s; s += n + (s[n] == ',')) {
        n = strcspn(s, ",");
        name = arena_fmt(j->o.mem, "%.*s", (int)n, s);
        if (!soc_engine_off(j->soc, name))
            err(ERR_USAGE, "--no-engine %s: %s has no such accelerator; "
                "`tilewright targets %s` lists them", name, j->soc->name,
                j->soc->name);
    }
}

static void set_limits(Job *j, PlanOpts *p)
{
    int i, k;

    for (k = 0; k < (int)LEN(p->limit); k++)
        p->limit[k] = -1;
    for (i = 0; i < j->o.nmem; i++) {
        Mem *m = soc_mem(j->soc, j->o.mem_name[i]);

        if (!m)
            err(ERR_USAGE, "--mem %s: %s has no such memory; `tilewright "
                "targets %s` lists them", j->o.mem_name[i], j->soc->name,
                j->soc->name);
        if (j->o.mem_size[i] > m->size && strcmp(j->soc->run, "host") &&
            strcmp(j->soc->run, "sim"))
            err(ERR_USAGE, "--mem %s=%lld: the chip has %lld bytes", m->name,
                (long long)j->o.mem_size[i], (long long)m->size);
        if (j->o.mem_size[i] > m->size - m->reserved &&
            !strcmp(j->soc->run, "sim"))
            soc_grow(j->soc, m, j->o.mem_size[i]);
        p->limit[m - j->soc->mems] = j->o.mem_size[i];
    }
}

void job_text(const Job *j, Str *out)
{
    report_text(&j->r, !j->o.explain ? EXPLAIN_none
                : j->o.verbose ? EXPLAIN_all : EXPLAIN_short, out);
}

bool job_limits(Job *j, const Mem *m)
{
    int i;

    for (i = 0; i < j->o.nmem; i++)
        if (soc_mem(j->soc, j->o.mem_name[i]) == m)
            return true;
    return false;
}

/* Is the self-test's example that of the user?  A large one is drawn, where it
 * would lie in memory that values spill from. */
static bool keeps_example(const Job *j)
{
    const Engine *io = soc_hop(j->soc, 1);
    int64_t n = 0;
    int i;

    for (i = 0; i < j->g->nin; i++)
        n += val_bytes(j->g->in[i]);
    return j->vectors && (!io || n <= j->soc->mems[io->near].size / 8);
}

/* The self-test of a project: its code, a line for each layer, and the example
 * if it is stored. */
static int64_t test_bytes(const Job *j)
{
    enum { CODE = 2560, LAYER = 16 };
    int64_t n = CODE;
    const Node *k;
    int i;

    for (k = j->g->first; k; k = k->next)
        n += LAYER;
    for (i = 0; i < j->g->nin && keeps_example(j); i++)
        n += val_bytes(j->g->in[i]) + 8;
    return n;
}

/* Least energy is known only of chips that say what costs how much; cores of
 * those with DMA do not read weights where they lie. */
static void check_objective(const Job *j)
{
    int i;

    if (j->o.objective == AIM_flash && tiled_fits(j->soc))
        err(ERR_USAGE, "--objective flash: cores of %s read no weights from "
            "flash; say memory", j->soc->name);
    if (j->o.objective != AIM_energy)
        return;
    for (i = 0; i <= j->soc->nhop; i++) {
        const char *event = i ? soc_hop(j->soc, i - 1)->energy : "core_cycle";

        if (isnan(soc_energy(j->soc, event)))
            err(ERR_USAGE, "--objective energy: the description of %s has no "
                "line `energy %s pj=N`", j->soc->name, event);
    }
}

void job_plan(Job *j)
{
    PlanOpts p = {.kernels = j->o.kernels, .aim = j->o.objective,
                  .straight = j->o.straight,
                  .no_copies = j->o.no_copies,
                  .part = j->part, .like = j->like,
                  .exhaustive = j->o.exhaustive,
                  .halving = j->o.halving,
                  .until = j->o.budget ? plan_clock() + j->o.budget : 0};
    const char *wrong;
    Plan *plan;

    if (!j->soc)
        err(ERR_USAGE, "%s: wants -t TARGET; `tilewright targets` lists them",
            j->r.verb);
    check_objective(j);
    job_fit_groups(j);
    job_fit_engines(j);
    if (j->o.ledger && *j->o.ledger && strcmp(j->r.verb, "tune") &&
        !file_exists(j->o.ledger))
        err(ERR_USAGE, "--ledger %s: no such file; `tilewright tune` writes it",
            j->o.ledger);
    set_cores(j);
    set_clock(j);
    set_battery(j);
    drop_engines(j);
    set_limits(j, &p);
    p.ledger = useful_ledger(j);
    if (j->project)
        p.beside = test_bytes(j);
    j->r.missing = plan_missing;
    progress("planning", 0, 0);
    longest_begin(j);
    plan = plan_make(j->o.mem, j->g, j->soc, &p);
    longest_end();
    j->r.missing = NULL;
    progress("verifying the plan", 0, 0);
    wrong = verify_plan(j->o.mem, plan);
    if (wrong)
        die("the plan is wrong: %s", wrong);
    j->r.plan = plan;
    if (j->o.verbose) {
        Str out = {.mem = j->o.mem};

        plan_print(plan, &out);
        progress_end();
        fputs(out.s, stderr);
    }
}

/* Axes of more than one element, in order, make the same layout. */
static bool same_layout(const Array *a, Shape s)
{
    int i = 0, k = 0;

    for (;; i++, k++) {
        while (i < a->rank && a->dim[i] == 1)
            i++;
        while (k < s.rank && s.dim[k] == 1)
            k++;
        if (i == a->rank || k == s.rank)
            return i == a->rank && k == s.rank;
        if (a->dim[i] != s.dim[k])
            return false;
    }
}

void job_shapes(Job *j, const Array *a, const Val *v, Shape s)
{
    if (same_layout(a, s))
        return;
    warn("array '%s' has shape %s, '%s' has %s: elements are taken in order",
         a->name, shape_str(j->o.mem, shape_of(MIN(a->rank, RANK), a->dim)),
         v->name, shape_str(j->o.mem, s));
}

void job_gen(Job *j, const char *dir)
{
    GenOpts o = {
        .name = j->o.name, .dir = dir, .force = j->o.force,
        .weights = j->o.weights,
        .example = j->in, .value = j->value, .drawn = !keeps_example(j),
        .expected = j->expected, .tolerance = j->o.tolerance, .version = VERSION,
        .runtime = j->o.runtime, .package = j->o.package,
        .vocab = j->vocab,
    };

    if (o.drawn && j->vectors) {
        void **in = NEWN(j->o.mem, void *, j->g->nin + 1);

        gen_draw_inputs(j->o.mem, j->g, in);
        o.example = in;
        o.value = NULL;
        o.expected = graph_eval(j->o.mem, j->g, in);
    }
    gen_project(j->r.plan, &o);
    progress_end();
    j->r.dir = dir;
    j->r.compile_ms = (double)(now_ns() - j->start_ns) / 1e6;
}
