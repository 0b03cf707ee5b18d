/* validate: a network on a device, layer by layer, against the reference
 * kernels on this machine.
 *
 * Before a layer its operands are compared, after it its result and whatever a
 * later layer still reads.  What differs is put right on the device, so that
 * each layer is judged by itself.  A cause is what the memory shows: a kernel
 * that had right operands and gives something else is wrong; one whose result
 * lies elsewhere has a wrong address; a value that was right and is not any
 * more was overwritten, by the layer that ran in between. */
#include "cli/cli.h"

#include <inttypes.h>
#include <string.h>

enum { AROUND = 8192 }; /* bytes around its place in which a result is sought */

typedef struct Finding {
    bool known, good;      /* its result could be looked at; is right */
    const char *cause;     /* of what is wrong */
    int64_t cycles, instructions;
} Finding;

typedef struct Validate {
    Job *j;
    Watch w;
    Finding *of;           /* by layer */
    char *before;          /* what lay in the place of the result */
} Validate;

static const Node *node_of(const Validate *v, int layer)
{
    return v->j->r.plan->layer[layer].node;
}

static int layers(const Validate *v)
{
    return v->j->r.plan->nlayer;
}

/* Of the copies of a concat the last. */
static bool is_last(const Validate *v, int layer)
{
    return layer + 1 == layers(v) || node_of(v, layer) != node_of(v, layer + 1);
}

/* Values that stay in one place as long as they matter. */
static bool has_places(const Validate *v)
{
    return !v->j->r.plan->tiled && !v->j->r.plan->program->team;
}

static int64_t bytes_of(const Validate *v, const Val *x)
{
    return job_count(v->j, x, 0) * type_info[x->type].bytes;
}

static const void *expected(const Validate *v, const Val *x)
{
    return v->j->expected->data[x->id];
}

static Diff differs(const Validate *v, const Val *x, const void *got)
{
    return compare(x, got, job_array(v->j, x, 0, 1,
                                     v->j->expected->data[x->id]),
                   v->j->o.tolerance);
}

/* The value as it is on the device; NULL: it cannot be looked at. */
static char *read_value(Validate *v, const Val *x)
{
    uint32_t at = x->data || !expected(v, x) ? 0 : watch_address(&v->w, x);
    int64_t n = bytes_of(v, x);
    char *p;

    if (!at || !n)
        return NULL;
    p = arena_get(v->j->o.mem, (size_t)n, 1);
    return watch_read(&v->w, at, p, n) ? p : NULL;
}

static void put_right(Validate *v, const Val *x)
{
    watch_write(&v->w, watch_address(&v->w, x), expected(v, x),
                bytes_of(v, x));
}

static void blame(Validate *v, int layer, const Diff *d, const char *cause)
{
    v->of[layer].good = false;
    v->of[layer].known = true;
    if (!v->of[layer].cause)
        v->of[layer].cause = cause;
    if (v->j->r.wrong_layer)
        return;
    v->j->r.wrong_layer = layer + 1;
    v->j->r.wrong = *d;
    v->j->r.cause = cause;
}

/* ---- before a layer ---- */

static void check_operand(Validate *v, int layer, const Val *x)
{
    char *got = read_value(v, x);
    Diff d;

    if (!got)
        return;
    d = differs(v, x, got);
    if (d.match)
        return;
    blame(v, layer, &d, arena_fmt(v->j->o.mem, "its operand '%s' at 0x%08"
        PRIx32 " is not what it was: overwritten by an interrupt, by what runs "
        "beside, or never written", x->name, watch_address(&v->w, x)));
    put_right(v, x);
}

static void look_before(Validate *v, int layer)
{
    const Node *n = node_of(v, layer);
    int i;

    for (i = 0; has_places(v) && i < n->narg; i++)
        if (n->arg[i])
            check_operand(v, layer, n->arg[i]);
    v->before = read_value(v, n->res[0]);
}

/* ---- after it ---- */

/* The memory of the chip that an address is in; NULL: none. */
static const Mem *mem_at(const Validate *v, uint32_t at, uint64_t *base)
{
    int i;

    for (i = 0; i < v->j->soc->nmem; i++) {
        const Mem *m = &v->j->soc->mems[i];

        for (int emu = 0; emu < 2; emu++) {
            *base = emu ? m->emu_base : m->base;
            if (m->mapped && at >= *base && at < *base + (uint64_t)m->size)
                return m;
        }
    }
    return NULL;
}

/* How far from its place the result lies; 0: not near. */
static int64_t find_result(Validate *v, const Val *x)
{
    uint32_t at = watch_address(&v->w, x);
    int64_t n = bytes_of(v, x);
    uint64_t base, from, to;
    const Mem *m = mem_at(v, at, &base);
    char *p, *found;

    if (!m || n < 8)
        return 0;
    from = MAX(base, (uint64_t)MAX(0, (int64_t)at - AROUND));
    to = MIN(base + (uint64_t)m->size, (uint64_t)at + (uint64_t)n + AROUND);
    p = arena_get(v->j->o.mem, (size_t)(to - from), 1);
    if (!watch_read(&v->w, (uint32_t)from, p, (int64_t)(to - from)))
        return 0;
    found = memmem(p, (size_t)(to - from), expected(v, x), (size_t)n);
    return found ? (int64_t)from + (found - p) - (int64_t)at : 0;
}

/* Code or a constant that is not what was loaded; NULL: there is none. */
static const char *overwritten(Validate *v, bool quick, bool by_this)
{
    uint32_t at;
    const char *what = watch_overwritten(&v->w, quick, &at);

    if (!what)
        return NULL;
    return arena_fmt(v->j->o.mem, "overwritten constant: %s at 0x%08" PRIx32
        " is not what was loaded: %s", what, at, by_this
        ? "the layer, or an interrupt, writes there"
        : "a layer before, an interrupt or the stack wrote there");
}

/* On emulators, where it takes no time, all that must stay is looked at. */
static void check_image(Validate *v, int layer)
{
    const char *cause = overwritten(v, true, true);
    Diff none = {0};

    if (cause)
        blame(v, layer, &none, cause);
}

static const char *why_wrong(Validate *v, int layer, const char *got)
{
    const Val *x = node_of(v, layer)->res[0];
    Arena *a = v->j->o.mem;
    uint32_t at = watch_address(&v->w, x);
    int64_t by = find_result(v, x);
    const Step *s = &v->j->r.plan->step[v->j->r.plan->layer[layer].first];
    const char *cause = overwritten(v, false, false);

    if (cause)
        return cause;
    if (by)
        return arena_fmt(a, "wrong address: the result is right, but lies at "
            "0x%08" PRIx32 ", %" PRId64 " bytes %s its place",
            (uint32_t)(at + by), by < 0 ? -by : by,
            by < 0 ? "before" : "behind");
    if (v->before && !memcmp(v->before, got, (size_t)bytes_of(v, x)))
        return arena_fmt(a, "wrong address: nothing was written at its place, "
                         "0x%08" PRIx32, at);
    return arena_fmt(a, "wrong kernel: %s, compiled for this core, makes "
        "something else of right operands", s->kern ? s->kern->name : "it");
}

static void check_result(Validate *v, int layer)
{
    const Val *x = node_of(v, layer)->res[0];
    char *got = read_value(v, x);
    Diff d;

    if (!got)
        return;
    v->of[layer].known = true;
    d = differs(v, x, got);
    if (d.match)
        return;
    blame(v, layer, &d, why_wrong(v, layer, got));
    put_right(v, x);
}

/* Does a later layer read it? */
static bool is_read(const Validate *v, int layer, const Val *x)
{
    int i, k;

    for (i = layer + 1; i < layers(v); i++)
        for (k = 0; k < node_of(v, i)->narg; k++)
            if (node_of(v, i)->arg[k] == x)
                return true;
    return false;
}

static void check_other(Validate *v, int layer, const Val *x)
{
    char *got = is_read(v, layer, x) ? read_value(v, x) : NULL;
    uint32_t at = watch_address(&v->w, x);
    Diff d;

    if (!got)
        return;
    d = differs(v, x, got);
    if (d.match)
        return;
    blame(v, layer, &d, arena_fmt(v->j->o.mem, "overwritten buffer: it writes "
        "into '%s' at 0x%08" PRIx32 ", from byte %" PRId64 " on, which a later "
        "layer reads", x->name, at, d.first * type_info[x->type].bytes));
    put_right(v, x);
}

static void look_after(Validate *v, int layer)
{
    const Graph *g = v->j->g;
    int i;

    v->of[layer].cycles = v->w.cycles;
    v->of[layer].instructions = v->w.instructions;
    if (is_last(v, layer))
        check_result(v, layer);
    check_image(v, layer);
    for (i = 0; has_places(v) && i < g->nin; i++)
        check_other(v, layer, g->in[i]);
    for (i = 0; has_places(v) && i < layer; i++)
        if (is_last(v, i) && node_of(v, i) != node_of(v, layer))
            check_other(v, layer, node_of(v, i)->res[0]);
}

static void look(Watch *w, int layer, bool after)
{
    Validate *v = w->arg;

    (after ? look_after : look_before)(v, layer);
}

/* ---- the verb ---- */

static void put_number(int64_t n, Str *out)
{
    if (n < 0)
        str_fmt(out, " %11s", "-");
    else
        str_fmt(out, " %11" PRId64, n);
}

static void put_layers(const Validate *v, Str *out)
{
    int i;

    str_fmt(out, "%5s  %-20s %-12s %11s %11s  %s\n", "layer", "name",
            "operator", "cycles", "instr.", "bits");
    for (i = 0; i < layers(v); i++) {
        const Finding *f = &v->of[i];

        str_fmt(out, "%5d  %-20.20s %-12s", i + 1, node_of(v, i)->name,
                op_info[node_of(v, i)->op].name);
        put_number(f->cycles, out);
        put_number(f->instructions, out);
        str_fmt(out, "  %s%s%s\n", !f->known ? "not in one place"
                : f->good ? "equal" : "DIFFER", f->cause ? ": " : "",
                f->cause ? f->cause : "");
    }
}

static void begin(Validate *v)
{
    int i, n = layers(v);

    v->of = NEWN(v->j->o.mem, Finding, n + 1);
    for (i = 0; i < n; i++)
        v->of[i] = (Finding){.good = true, .cycles = -1, .instructions = -1};
    v->w = (Watch){.arg = v, .look = look};
    v->j->watch = &v->w;
}

static void run_it(Validate *v, Run *run)
{
    Job *j = v->j;
    RunOpts o = {.dir = job_dir(j), .name = j->o.name, .in = j->in,
                 .steps = 1, .value = j->value,
                 .states_reset = !j->states_given, .device = j->o.device,
                      .flash = j->o.flash};

    begin(v);
    j->steps = 1;
    job_run(j, &o, run);
}

int verb_validate(int argc, char **argv)
{
    Job *j = job_new("validate", argc, argv);
    Run *run = NEW(j->o.mem, Run); /* --json reads it at exit */
    Validate v = {.j = j};
    Str out = {.mem = j->o.mem};

    if (!j->o.device)
        err(ERR_USAGE, "validate: wanted --device WHERE; `tilewright devices` "
            "lists what there is");
    if (j->o.keep)
        gen_check_place(j->o.keep, j->o.force);
    job_front(j);
    job_pass(j);
    job_plan(j);
    job_example(j);
    run_it(&v, run);
    put_layers(&v, &out);
    job_say(j, &out);
    j->r.match = job_same_outputs(j, run, j->o.expected) && !j->r.wrong_layer;
    job_files(j);
    if (j->r.wrong_layer)
        err(ERR_DIFFER, "layer %d, '%s' (%s), is the first that differs: %s",
            j->r.wrong_layer, node_of(&v, j->r.wrong_layer - 1)->name,
            op_info[node_of(&v, j->r.wrong_layer - 1)->op].name, j->r.cause);
    if (!j->r.match)
        err(ERR_DIFFER, "every layer is what the reference kernels give: "
            "other outputs were expected");
    return OK;
}
