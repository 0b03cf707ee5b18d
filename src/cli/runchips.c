/* run --chips N: a network on several simulated chips, all together. */
#include "cli/chips.h"

#include <math.h>
#include <string.h>

static void check_words(const Job *j)
{
    const Item *link = j->soc ? soc_next(j->soc, "link", NULL) : NULL;

    if (!j->soc || strcmp(j->soc->run, "sim"))
        err(ERR_USAGE, "run --chips: of simulated chips only; `tilewright "
            "shard` makes processes for -t host");
    if (j->o.device || j->o.runner || j->o.emulate || j->o.dump)
        err(ERR_USAGE, "run --chips: not with --device, --runner, --emulate or "
            "--dump");
    if (!link)
        err(ERR_USAGE, "run --chips: %s has no links to other chips",
            j->soc->name);
    if (isnan(item_num(link, "latency_ns", NAN)))
        err(ERR_USAGE, "run --chips: how long a message of %s takes is not "
            "known (latency_ns=null of its `link`); siracusa-500 says what it "
            "assumes", j->soc->name);
}

static void put_project(Job *chip, int i, const char *dir)
{
    GenOpts o = {
        .name = chip->o.name, .force = true, .dir = dir,
        .weights = chip->o.weights, .tolerance = chip->o.tolerance,
        .version = VERSION,
    };

    (void)i;
    gen_project(chip->r.plan, &o);
}

static ChipsRun *begin(const Job *j, const Shard *s, Job *chip)
{
    ChipsRun *c = NEW(j->o.mem, ChipsRun);
    const char *dir = job_dir(j);
    int i;

    *c = (ChipsRun){.n = s->o.chips, .plan = NEWN(j->o.mem, const Plan *,
                                                  s->o.chips),
                    .o = NEWN(j->o.mem, RunOpts, s->o.chips),
                    .run = NEWN(j->o.mem, Run, s->o.chips),
                    .timeline = j->o.timeline};
    dir_make(dir);
    for (i = 0; i < c->n; i++) {
        chip[i].steps = j->steps;
        chip[i].value = j->value;
        c->o[i] = (RunOpts){
            .dir = arena_fmt(j->o.mem, "%s/chip%d", dir, i),
            .name = j->o.name, .in = chips_inputs(&chip[i], s, i, j->in),
            .steps = j->steps, .value = j->value,
            .states_reset = !j->states_given,
        };
        put_project(&chip[i], i, c->o[i].dir);
        c->plan[i] = chip[i].r.plan;
    }
    return c;
}

/* Has chip i the bits of one chip in output k, or in its share of it, in all
 * steps? */
static bool same(const Job *j, const Shard *s, int i, int k, const void *got)
{
    const Val *v = s->whole->out[k];
    const char *all = j->want[k], *part = got;
    int t;

    for (t = 0; t < j->steps; t++) {
        Val w = *v, own = *s->g[i]->out[k], share;

        w.shape = job_shape(j, v, t);
        share = w;
        share.shape = own.shape = shard_shape(s, s->out[k], w.shape, i);
        share.data = shard_data(s, s->out[k], &w, all, i);
        own.data = (void *)(uintptr_t)part;
        if (!vals_same(&share, &own))
            return false;
        all += val_bytes(&w);
        part += val_bytes(&own);
    }
    return true;
}

static bool all_same(const Job *j, const Shard *s, const ChipsRun *c)
{
    bool ok = true;
    int i, k;

    for (i = 0; i < c->n; i++)
        for (k = 0; k < s->whole->nout; k++)
            if (!same(j, s, i, k, c->run[i].out[k])) {
                say(NULL, arena_fmt(j->o.mem, "output '%s' of chip %d is not "
                                    "that of one chip", s->whole->out[k]->name,
                                    i));
                ok = false;
            }
    return ok;
}

/* Where a chip's cycles went. */
typedef struct Spent {
    int64_t cycles, links, dma, work;
} Spent;

static Spent spent(const Plan *p, const Run *r)
{
    Spent n = {.cycles = r->cycles};
    int i;

    for (i = 0; i < r->nlayer; i++) {
        const RunLayer *l = &r->layer[i];
        bool link = op_info[p->layer[i].node->op].family == FAM_exchange;

        if (link)
            n.links += MAX(0, l->cycles);
        else
            n.dma += MAX(0, l->dma_wait);
    }
    n.work = n.cycles - n.links - n.dma;
    return n;
}

static int64_t in_memory(const Plan *p, int m)
{
    return p->used[m] + p->consts[m];
}

static void put_text(const Job *j, const Shard *s, const ChipsRun *c, Str *out)
{
    int i, m;

    str_fmt(out, "%d of %d layers are shared by %d chips; exchanges: %d\n\n",
            shard_split(s), s->nnode, c->n, s->nexchange);
    str_fmt(out, "%4s %12s %12s %12s %12s", "chip", "cycles", "work", "DMA",
            "links");
    for (m = 0; m < j->soc->nmem; m++)
        if (in_memory(c->plan[0], m))
            str_fmt(out, " %10s", j->soc->mems[m].name);
    str_put(out, "\n");
    for (i = 0; i < c->n; i++) {
        Spent n = spent(c->plan[i], &c->run[i]);

        str_fmt(out, "%4d %12lld %12lld %12lld %12lld", i, (long long)n.cycles,
                (long long)n.work, (long long)n.dma, (long long)n.links);
        for (m = 0; m < j->soc->nmem; m++)
            if (in_memory(c->plan[0], m))
                str_fmt(out, " %10lld", (long long)in_memory(c->plan[i], m));
        str_put(out, "\n");
    }
    str_fmt(out, "\ncycles        %lld, from the first chip's begin to the last"
            " one's end", (long long)c->cycles);
    if (report_ms(&j->r, c->cycles) > 0)
        str_fmt(out, " (%.3f ms)", report_ms(&j->r, c->cycles));
    str_fmt(out, "\noutputs       %s\n", j->r.match
            ? "are those of one chip, bit by bit" : "DIFFER from one chip's");
}

static void put_layers(const Plan *p, const Run *r, Json *j)
{
    int i;

    json_key(j, "layers"), json_arr(j);
    for (i = 0; i < r->nlayer; i++) {
        const Node *n = p->layer[i].node;

        json_obj(j);
        json_key(j, "name"), json_str(j, n->name);
        json_key(j, "op"), json_str(j, op_info[n->op].name);
        json_key(j, "cycles"), json_int(j, r->layer[i].cycles);
        json_key(j, "dma_wait"), json_int(j, r->layer[i].dma_wait);
        json_end(j);
    }
    json_end(j);
}

static void put_json(const Job *job, const ChipsRun *c, Json *j)
{
    int i, m;

    json_key(j, "chips"), json_arr(j);
    for (i = 0; i < c->n; i++) {
        Spent n = spent(c->plan[i], &c->run[i]);

        json_obj(j);
        json_key(j, "cycles"), json_int(j, n.cycles);
        json_key(j, "work"), json_int(j, n.work);
        json_key(j, "dma"), json_int(j, n.dma);
        json_key(j, "links"), json_int(j, n.links);
        json_key(j, "memory"), json_obj(j);
        for (m = 0; m < job->soc->nmem; m++) {
            json_key(j, job->soc->mems[m].name);
            json_int(j, in_memory(c->plan[i], m));
        }
        json_end(j);
        put_layers(c->plan[i], &c->run[i], j);
        json_end(j);
    }
    json_end(j);
}

typedef struct Told {
    Job *j;
    ChipsRun *c; /* NULL: not run yet */
} Told;

static int write_json(int status, void *arg)
{
    Told *t = arg;
    Str out = {.mem = t->j->o.mem};
    Json *j = json_new(&out);

    if (!t->j->o.json)
        return status;
    json_obj(j);
    json_trouble(j, status);
    json_key(j, "target"), json_str(j, t->j->r.target);
    json_key(j, "name"), json_str(j, t->j->r.name);
    json_key(j, "match"), json_bool(j, t->j->r.match > 0);
    json_key(j, "cycles"), json_int(j, t->c ? t->c->cycles : -1);
    if (t->c)
        put_json(t->j, t->c, j);
    json_end(j);
    str_put(&out, "\n");
    return json_save(t->j->o.json, &out, status);
}

int verb_run_chips(Job *j)
{
    Told *told = NEW(j->o.mem, Told);
    Str out = {.mem = j->o.mem};
    Shard *s;
    Job *chip;
    ChipsRun *c;

    told->j = j;
    end_with(write_json, told);
    check_words(j);
    s = chips_shares(j);
    chip = chips_plan(j, s);
    job_example(j);
    c = begin(j, s, chip);
    err_file(NULL);
    if (!dev_run_chips(j->o.mem, c)) {
        int i = 0;

        while (i + 1 < c->n && c->run[i].ok)
            i++;
        err(c->run[i].status, "chip %d: %s", i, c->run[i].why);
    }
    told->c = c;
    j->r.match = all_same(j, s, c);
    put_text(j, s, c, &out);
    job_say(j, &out);
    if (!j->r.match)
        err(ERR_DIFFER, "results differ from those of one chip");
    return OK;
}
