/* --json, written whatever the exit status.  A key that does not apply is
 * null, never absent. */
#include "report/report.h"

#include <math.h>

static void put_int(Json *j, const char *key, int64_t v)
{
    json_key(j, key);
    if (v < 0)
        json_null(j);
    else
        json_int(j, v);
}

static void put_num(Json *j, const char *key, double v)
{
    json_key(j, key);
    json_num(j, v);
}

static void put_str(Json *j, const char *key, const char *s)
{
    json_key(j, key);
    json_str(j, s);
}

static void put_missing(Json *j, const Report *r)
{
    int i;

    json_key(j, "missing");
    if (!r->missing || !r->soc) {
        json_null(j);
        return;
    }
    json_arr(j);
    for (i = 0; i < r->soc->nmem; i++) {
        if (r->missing[i] <= 0)
            continue;
        json_obj(j);
        put_str(j, "name", r->soc->mems[i].name);
        put_int(j, "bytes", r->missing[i]);
        json_end(j);
    }
    json_end(j);
}

static void put_memory(Json *j, const Report *r)
{
    int i;

    json_key(j, "memory");
    if (!r->plan) {
        json_null(j);
        return;
    }
    json_arr(j);
    for (i = 0; i < r->soc->nmem; i++) {
        json_obj(j);
        put_str(j, "name", r->soc->mems[i].name);
        put_int(j, "used", r->plan->used[i] + r->plan->consts[i]);
        put_int(j, "constants", r->plan->consts[i]);
        json_key(j, "mapped");
        json_bool(j, r->soc->mems[i].mapped);
        put_int(j, "size", r->soc->mems[i].size);
        json_end(j);
    }
    json_end(j);
}

/* Values that are away for a while. */
static void put_spills(Json *j, const Report *r)
{
    Spills s;
    int i;

    json_key(j, "spilled");
    if (!r->plan || !r->plan->tiled) {
        json_null(j);
        return;
    }
    s = report_spills(r);
    json_obj(j);
    put_int(j, "out", s.out);
    put_int(j, "in", s.in);
    json_key(j, "values");
    json_arr(j);
    for (i = 0; i < r->plan->nbuf; i++)
        if (report_is_spilled(r, &r->plan->buf[i]))
            json_str(j, r->plan->buf[i].val->name);
    json_end(j);
    json_end(j);
}

/* Bytes moved for a layer, by engine. */
static void put_moved(Json *j, const Report *r, const Layer *l)
{
    const Engine *e;
    int i;

    json_key(j, "moved");
    if (!r->plan->tiled) {
        json_null(j);
        return;
    }
    json_obj(j);
    for (i = 0; (e = soc_hop(r->soc, i)); i++)
        put_int(j, e->label, l->moved[e->row]);
    json_end(j);
}

/* Where the cycles of a layer on a simulated chip went, beside waits. */
static void put_lost(Json *j, const RunLayer *l)
{
    json_key(j, "lost");
    if (!l) {
        json_null(j);
        return;
    }
    json_obj(j);
    put_int(j, "cold", l->cold);
    put_int(j, "uneven", l->uneven);
    put_int(j, "banks", l->banks);
    put_int(j, "program", l->program);
    json_end(j);
}

static void put_layer(Json *j, const Report *r, Row l)
{
    const Node *n = l.step->node;

    json_obj(j);
    put_str(j, "name", n->name);
    put_str(j, "op", op_info[n->op].name);
    put_str(j, "kernel", l.step->kern ? l.step->kern->name : NULL);
    put_str(j, "engine", l.step->engine ? r->soc->engine[l.step->engine].name
                                        : report_engine(r));
    put_int(j, "macs", l.macs);
    put_num(j, "ms", report_ms(r, l.cycles));
    put_num(j, "predicted_ms", report_ms(r, l.predicted));
    put_num(j, "percent", report_percent(l));
    put_int(j, "cycles", l.cycles);
    put_int(j, "instructions", l.instructions);
    put_int(j, "estimated_cycles", l.estimate);
    put_int(j, "predicted_cycles", l.predicted);
    put_int(j, "predicted_kernels", l.predicted < 0 ? -1 : l.kernels);
    put_int(j, "kernel_cycles", l.in_kernels);
    put_int(j, "kernel_warm", l.lost ? l.lost->warm : -1);
    put_lost(j, l.lost);
    put_int(j, "dma_wait", l.wait);
    put_int(j, "predicted_wait", l.predicted_wait);
    put_int(j, "predicted_cold", l.predicted_wait < 0 ? -1 : l.layer->miss);
    put_str(j, "tile", l.layer->tile);
    put_int(j, "tiles", l.layer->tiles);
    put_int(j, "chained", l.layer->after);
    put_moved(j, r, l.layer);
    put_num(j, "energy_uj", energy_all(report_energy_of(r, l.layer)));
    json_end(j);
}

static void put_layers(Json *j, const Report *r)
{
    int i, n = report_rows(r);
    Row *row;

    json_key(j, "layers");
    if (!r->plan) {
        json_null(j);
        return;
    }
    row = report_table(r, r->plan->mem);
    json_arr(j);
    for (i = 0; i < n; i++)
        put_layer(j, r, row[i]);
    json_end(j);
}

/* Of a sequence, run by run; cycles and instructions elsewhere are means. */
static void put_steps(Json *j, const Run *run)
{
    int i, n = run && run->nstep > 1 ? run->nstep : 0;

    json_key(j, "steps");
    if (!n) {
        json_null(j);
        return;
    }
    json_arr(j);
    for (i = 0; i < n; i++) {
        json_obj(j);
        put_int(j, "cycles", run->step[i].cycles);
        put_int(j, "instructions", run->step[i].instructions);
        json_end(j);
    }
    json_end(j);
}

/* What a language model wrote, the prompt first. */
static void put_tokens(Json *j, const Report *r, const Run *run)
{
    int i;

    put_int(j, "prompt_tokens", run && run->token ? run->nprompt : -1);
    put_int(j, "prompt_runs", run && run->token ? run->prompt_runs : -1);
    put_num(j, "token_cycles",
            run && run->token ? report_token_cost(run, true) : NAN);
    put_num(j, "token_instructions",
            run && run->token ? report_token_cost(run, false) : NAN);
    put_num(j, "token_uj", run && run->token
                               ? energy_all(report_token_energy(r)) : NAN);
    json_key(j, "tokens");
    if (!run || !run->token) {
        json_null(j);
        return;
    }
    json_arr(j);
    for (i = 0; i < run->ntoken; i++)
        json_int(j, run->token[i]);
    json_end(j);
}

static void put_run(Json *j, const Report *r)
{
    const Run *run = r->run && r->run->ok ? r->run : NULL;
    const Plan *p = r->plan;

    put_int(j, "cycles", run ? run->cycles : -1);
    put_int(j, "idle_cycles", run ? run->idle : -1);
    put_int(j, "instructions", run ? run->instructions : -1);
    put_int(j, "estimated_cycles", run ? run->estimate : -1);
    put_steps(j, run);
    put_tokens(j, r, run);
    put_int(j, "predicted_cycles", report_cycles(r));
    put_num(j, "ms", run ? report_ms(r, run->cycles) : NAN);
    put_num(j, "predicted_ms", p ? report_ms(r, report_cycles(r)) : NAN);
    put_num(j, "energy_uj", energy_all(report_energy(r)));
    put_num(j, "battery_runs", report_battery_runs(r));
    put_num(j, "battery_days", report_battery_days(r));
    put_int(j, "program_bytes", p && p->program && p->program->team
                                    ? program_bytes(p->program) : -1);
    put_int(j, "dims_bytes", p && p->program && !p->program->team
                                 ? plan_dims_bytes(p) : -1);
    put_num(j, "calls", p && p->program && !p->program->team
                            ? plan_calls(p) : NAN);
    put_int(j, "flash_bytes", run ? run->flash_bytes : -1);
    put_int(j, "weights_bytes", p ? p->weights : -1);
    put_int(j, "code_bytes", run ? run->code_bytes : -1);
    put_int(j, "ram_bytes", p ? p->ram : -1);
    put_int(j, "ram_lower_bound", p ? p->bound : -1);
    put_int(j, "stack_bytes", p ? p->stack : -1);
    put_int(j, "stack_used", run ? run->stack_used : -1);
}

static void put_diff(Json *j, const Diff *d)
{
    json_key(j, "match");
    if (d)
        json_bool(j, d->match);
    else
        json_null(j);
    put_int(j, "elements_differ", d ? d->ndiff : -1);
    put_int(j, "first_element", d ? d->first : -1);
    put_num(j, "max_abs_diff", d ? d->max_abs : NAN);
    put_num(j, "rmse", d ? d->rmse : NAN);
    put_num(j, "cosine", d ? d->cosine : NAN);
}

static void put_end(Json *j, const Val *v)
{
    int i;

    put_str(j, "name", v->name);
    put_str(j, "type", type_info[v->type].name);
    json_key(j, "shape");
    json_arr(j);
    for (i = 0; i < v->shape.rank; i++)
        json_int(j, v->shape.dim[i]);
    json_end(j);
    put_num(j, "scale", v->scale > 0 ? v->scale : NAN);
    json_key(j, "zero_point");
    if (v->scale > 0)
        json_int(j, v->zero);
    else
        json_null(j);
}

/* Inputs; outputs with how far they are from what was expected. */
static void put_ends(Json *j, const Report *r, bool out)
{
    int i, n = r->g ? out ? r->g->nout : r->g->nin : 0;

    json_key(j, out ? "outputs" : "inputs");
    if (!r->g) {
        json_null(j);
        return;
    }
    json_arr(j);
    for (i = 0; i < n; i++) {
        json_obj(j);
        put_end(j, out ? r->g->out[i] : r->g->in[i]);
        if (out)
            put_diff(j, r->diff ? &r->diff[i] : NULL);
        json_end(j);
    }
    json_end(j);
}

/* The first layer that is not what the reference kernels make of it. */
static void put_wrong(Json *j, const Report *r)
{
    const Node *n;

    json_key(j, "first_difference");
    if (!r->wrong_layer) {
        json_null(j);
        return;
    }
    n = r->plan->layer[r->wrong_layer - 1].node;
    json_obj(j);
    put_int(j, "layer", r->wrong_layer);
    put_str(j, "name", n->name);
    put_str(j, "op", op_info[n->op].name);
    put_diff(j, &r->wrong);
    put_str(j, "cause", r->cause);
    json_end(j);
}

static void put_tried(Json *j, const Tried *t)
{
    bool several = !t->status && t->bound > 0;

    json_obj(j);
    put_str(j, "about", t->about);
    put_str(j, "option", t->option);
    put_int(j, "status", t->status);
    put_str(j, "error", t->status ? t->message : NULL);
    put_int(j, "predicted_cycles", t->status ? -1 : t->cycles);
    put_int(j, "layer_cycles", t->status ? -1 : t->layer);
    put_int(j, "ram_bytes", t->status ? -1 : t->ram);
    put_int(j, "weights_bytes", t->status ? -1 : t->weights);
    put_int(j, "moved_bytes", t->status ? -1 : t->moved);
    put_num(j, "energy_uj", t->status ? NAN : t->uj);
    put_num(j, "predicted_ms", t->status ? NAN : t->ms);
    put_int(j, "link_bytes", several ? t->link_bytes : -1);
    put_num(j, "bound_cycles", several ? t->bound : NAN);
    put_num(j, "speedup", several ? t->speedup : NAN);
    put_num(j, "efficiency", several ? t->efficiency : NAN);
    json_end(j);
}

/* Plans with one thing changed. */
static void put_trials(Json *j, const char *key, const Trials *w)
{
    int i;

    json_key(j, key);
    if (!w) {
        json_null(j);
        return;
    }
    json_obj(j);
    put_str(j, "of", w->what);
    json_key(j, "base");
    put_tried(j, &w->base);
    put_num(j, "resolution", w->resolution > 0 ? w->resolution : NAN);
    json_key(j, "tried");
    json_arr(j);
    for (i = 0; i < w->n; i++)
        put_tried(j, &w->v[i]);
    json_end(j);
    json_end(j);
}

static void put_pairs(Json *j, const char *key, const Pairs *p, bool kernels)
{
    int i;

    json_key(j, key);
    json_arr(j);
    for (i = 0; i < p->n; i++) {
        const Pair *x = &p->v[i];

        json_obj(j);
        put_str(j, "name", x->name);
        put_num(j, "a", x->a);
        put_num(j, "b", x->b);
        put_num(j, "percent", x->a > 0 ? 100 * x->b / x->a - 100 : NAN);
        if (kernels) {
            put_str(j, "kernel_a", x->kernel_a);
            put_str(j, "kernel_b", x->kernel_b);
        }
        json_end(j);
    }
    json_end(j);
}

/* Two reports side by side. */
static void put_compared(Json *j, const Compared *c)
{
    int i;

    json_key(j, "compare");
    if (!c) {
        json_null(j);
        return;
    }
    json_obj(j);
    for (i = 0; i < 2; i++) {
        json_key(j, i ? "b" : "a");
        json_obj(j);
        put_str(j, "file", c->file[i]);
        put_str(j, "model", c->model[i]);
        put_str(j, "target", c->target[i]);
        json_end(j);
    }
    put_pairs(j, "totals", &c->totals, false);
    put_pairs(j, "memory", &c->memory, false);
    put_str(j, "layers_of", c->of);
    put_pairs(j, "layers", &c->layers, true);
    json_end(j);
}

static void put_estimate(Json *j, const Report *r)
{
    CodeSize c = report_code(r);

    json_key(j, "estimate");
    if (c.flash < 0) {
        json_null(j);
        return;
    }
    json_obj(j);
    put_int(j, "flash_bytes", c.flash);
    put_int(j, "code_bytes", c.code);
    put_int(j, "kernels", c.kernels);
    put_int(j, "libraries", c.libraries);
    put_int(j, "network", c.network);
    put_int(j, "runtime", c.runtime);
    put_int(j, "constants", c.constants);
    put_int(j, "weights", c.weights);
    put_int(j, "guessed_kernels", c.guessed);
    json_end(j);
}

/* How many plans were tried, and whether there was time for all. */
static void put_search(Json *j, const Plan *p)
{
    json_key(j, "search");
    if (!p || !p->tiled) {
        json_null(j);
        return;
    }
    json_obj(j);
    put_int(j, "plans", p->tried);
    json_key(j, "ended");
    json_bool(j, p->ended);
    json_end(j);
}

/* Where the predicted cycles go. */
static void put_binds(Json *j, const Report *r)
{
    const Engine *e;
    Binds b;

    json_key(j, "binds");
    if (!r->plan || !r->plan->tiled) {
        json_null(j);
        return;
    }
    b = report_binds(r);
    json_obj(j);
    put_str(j, "what", b.what);
    put_int(j, "kernels", b.kernels);
    for (e = r->soc->engine + 1; e < r->soc->engine + r->soc->nengine; e++)
        if (e->row <= r->soc->nhop || b.wait[e->row])
            put_int(j, arena_fmt(r->plan->mem, "%s_wait", e->label),
                    b.wait[e->row]);
    put_int(j, "starts", b.starts);
    put_str(j, "full", b.full < 0 ? NULL : r->soc->mems[b.full].name);
    json_end(j);
}

void report_json(const Report *r, int status, Str *out)
{
    Json *j = json_new(out);

    json_obj(j);
    json_trouble(j, status);
    put_missing(j, r);
    put_str(j, "verb", r->verb);
    put_str(j, "target", r->target);
    put_str(j, "model", r->model);
    put_str(j, "name", r->name);
    json_key(j, "match");
    if (r->match < 0)
        json_null(j);
    else
        json_bool(j, r->match);
    put_num(j, "max_abs_diff", r->max_abs_diff < 0 ? NAN : r->max_abs_diff);
    put_int(j, "macs", r->g ? report_macs(r) : -1);
    put_int(j, "macs_removed", r->g ? report_macs_removed(r) : -1);
    put_int(j, "bytes_removed", r->g ? report_bytes_removed(r) : -1);
    put_run(j, r);
    put_estimate(j, r);
    put_ends(j, r, false);
    put_ends(j, r, true);
    put_wrong(j, r);
    put_memory(j, r);
    put_spills(j, r);
    put_num(j, "compile_ms", r->compile_ms < 0 ? NAN : r->compile_ms);
    put_search(j, r->plan);
    put_str(j, "objective", r->plan ? objective_name[r->plan->aim] : NULL);
    put_num(j, "gap", r->plan ? r->plan->gap : NAN);
    put_int(j, "bound_cycles", r->plan && r->plan->tiled &&
                               r->plan->aim == AIM_time ? r->plan->least : -1);
    put_num(j, "bound_uj", report_least_energy(r));
    put_str(j, "toolchain", r->run ? r->run->toolchain : NULL);
    put_str(j, "project", r->dir);
    put_binds(j, r);
    put_layers(j, r);
    put_trials(j, "why", r->why);
    put_trials(j, "sweep", r->sweep);
    put_compared(j, r->compared);
    json_end(j);
}
