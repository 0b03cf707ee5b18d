/* run --chips N: a network on several simulated chips, all together. */
#include "cli/chips.h"

#include <math.h>
#include <string.h>

void chips_check(const Job *j)
{
    const Item *link = j->soc ? soc_next(j->soc, "link", NULL) : NULL;

    if (!j->soc || strcmp(j->soc->run, "sim"))
        err(ERR_USAGE, "%s --chips: of simulated chips only; `tilewright "
            "shard` makes processes for -t host", j->r.verb);
    if (j->o.device || j->o.runner || j->o.emulate || j->o.dump)
        err(ERR_USAGE, "%s --chips: not with --device, --runner, --emulate or "
            "--dump", j->r.verb);
    if (!link)
        err(ERR_USAGE, "%s --chips: %s has no links to other chips",
            j->r.verb, j->soc->name);
    if (isnan(item_num(link, "latency_ns", NAN)))
        err(ERR_USAGE, "%s --chips: how long a message of %s takes is not "
            "known (latency_ns=null of its `link`); siracusa-500 says what it "
            "assumes", j->r.verb, j->soc->name);
}

static void put_project(const Job *chip, const char *dir)
{
    GenOpts o = {
        .name = chip->o.name, .force = true, .dir = dir,
        .weights = chip->o.weights, .tolerance = chip->o.tolerance,
        .vocab = chip->vocab, .version = VERSION,
    };

    gen_project(chip->r.plan, &o);
}

/* What a chip runs: one of a language model that writes prints it. */
static RunOpts opts_of(const Job *j, const Shard *s, Job *chip, int i,
                       const Talk *talk)
{
    RunOpts o = {.name = j->o.name, .steps = j->steps, .value = j->value,
                 .states_reset = !j->states_given};

    if (talk) {
        Talk *own = NEW(j->o.mem, Talk);

        *own = *talk;
        own->silent = i > 0;
        o.talk = own;
    } else {
        o.in = chips_inputs(chip, s, i, j->in);
    }
    return o;
}

static ChipsRun *begin(const Job *j, const Shard *s, Job *chip,
                       const Talk *talk)
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
        c->o[i] = opts_of(j, s, &chip[i], i, talk);
        c->o[i].dir = arena_fmt(j->o.mem, "%s/chip%d", dir, i);
        put_project(&chip[i], c->o[i].dir);
        c->plan[i] = chip[i].r.plan;
    }
    return c;
}

ChipsRun *chips_run(const Job *j, const Shard *s, Job *chip, const Talk *talk)
{
    ChipsRun *c = begin(j, s, chip, talk);
    int i = 0;

    err_file(NULL);
    if (!dev_run_chips(j->o.mem, c)) {
        while (i + 1 < c->n && c->run[i].ok)
            i++;
        err(c->run[i].status, "chip %d: %s", i, c->run[i].why);
    }
    return c;
}

/* What chip i should give for output k in run t: its share of what one chip
 * gives, `all`. */
static Array share_of(const Job *j, const Shard *s, int i, int k, int t,
                      const char *all)
{
    Val v = *s->whole->out[k];
    Shape own;
    Array a = {.data = NULL};

    v.shape = job_shape(j, &v, t);
    own = shard_shape(s, s->out[k], v.shape, i);
    a.data = shard_data(s, s->out[k], &v, all, i);
    a.n = shape_product(own, 0, own.rank);
    strcpy(a.type, type_info[v.type].npy);
    return a;
}

/* Output k of chip i beside one chip's, in all runs; floats within the
 * tolerance of `run`. */
static bool same(const Job *j, const Shard *s, int i, int k, const void *got,
                 double *most)
{
    const Val *v = s->whole->out[k];
    const Val *own = s->g[i]->out[shard_out(s, i, k)];
    const char *all = j->want[k], *part = got;
    bool match = true;
    int t;

    for (t = 0; t < j->steps; t++) {
        Array want = share_of(j, s, i, k, t, all);
        Diff d = compare(own, part, &want, j->o.tolerance);

        match &= d.match;
        *most = MAX(*most, d.max_abs);
        all += job_count(j, v, t) * type_info[v->type].bytes;
        part += want.n * type_info[own->type].bytes;
    }
    return match;
}

static bool all_same(const Job *j, const Shard *s, const ChipsRun *c,
                     double *most)
{
    bool ok = true;
    int i, k;

    *most = 0;
    for (i = 0; i < c->n; i++)
        for (k = 0; k < s->whole->nout; k++)
            if (shard_out(s, i, k) >= 0 &&
                !same(j, s, i, k, c->run[i].out[shard_out(s, i, k)], most)) {
                say(NULL, arena_fmt(j->o.mem, "output '%s' of chip %d is not "
                                    "that of one chip", s->whole->out[k]->name,
                                    i));
                ok = false;
            }
    return ok;
}

static int64_t in_memory(const Plan *p, int m)
{
    return p->used[m] + p->consts[m];
}

static void put_bound(const Job *j, const Shard *s, const ChipsRun *c, Str *out)
{
    Bound b = chips_bound(j, s, c->plan);

    str_fmt(out, "\nbound         %.0f cycles: %s %.0f, exchanges %.0f; "
            "measured %.2f times as long", bound_all(b),
            b.far >= MAX(b.near, b.macs) ? "constants from external memory"
            : b.near >= b.macs ? "constants and caches from the L2"
            : "products", MAX(b.macs, MAX(b.near, b.far)), b.links,
            (double)c->cycles / bound_all(b));
}

/* A run takes as long as all stages; if another follows at once, the slowest
 * one says when it may. */
static void put_stages(const Shard *s, const ChipsRun *c, Str *out)
{
    int64_t most = 0;
    int i;

    for (i = 0; s->stage && i < c->n; i++) {
        Spent n = chips_spent(c->plan[i], &c->run[i]);

        most = MAX(most, n.work + n.dma);
    }
    if (most)
        str_fmt(out, "\npipeline      latency %lld cycles; slowest stage %lld, "
                "without exchanges", (long long)c->cycles, (long long)most);
}

/* Do constants stay on the chip, or come anew in every run? */
static void put_regime(const ChipsRun *c, Str *out)
{
    int64_t far = 0;
    int i;

    for (i = 0; i < c->n; i++)
        far = MAX(far, chips_far_bytes(c->plan[i]));
    if (far)
        str_fmt(out, "\nconstants     streamed: up to %lld bytes of a chip come"
                " from external memory in every run; so many bytes more of L2 "
                "a chip, or more chips, would keep them", (long long)far);
    else
        str_put(out, "\nconstants     resident: none comes from external "
                "memory");
}

static void put_energy(const Job *j, const Shard *s, const ChipsRun *c,
                       Str *out)
{
    ChipsEnergy e = chips_energy(j, s, c->plan, c->run);

    if (isnan(chips_uj(e)))
        return;
    str_fmt(out, "\nenergy        %.2f uJ: cores at work %.2f, L3 to L2 %.2f, "
            "L2 to L1 %.2f, links %.2f (%lld bytes); cores that wait would "
            "take %.2f more", chips_uj(e), e.cores, e.far, e.near, e.links,
            (long long)chips_link_bytes(s), e.waits);
}

static void put_outputs(const Job *j, Str *out)
{
    if (j->r.match && !(j->r.max_abs_diff > 0))
        str_put(out, "\noutputs       are those of one chip, bit by bit\n");
    else
        str_fmt(out, "\noutputs       %s one chip's, greatest difference %g\n",
                j->r.match ? "match" : "DIFFER from", j->r.max_abs_diff);
}

static bool same_exchange(const Shard *s, int a, int b)
{
    return s->exchange[a].sum == s->exchange[b].sum &&
           s->exchange[a].whole == s->exchange[b].whole &&
           s->exchange[a].halo == s->exchange[b].halo &&
           s->exchange[a].bytes == s->exchange[b].bytes &&
           s->way[a].cycles == s->way[b].cycles;
}

/* Exchanges of a kind: how they are made, cycles on links by the formula, with
 * what cores do by ours, and as measured, of the chip that waits least. */
static void put_exchanges(const Job *j, const Shard *s, const ChipsRun *c,
                          Str *out)
{
    int i, k;

    for (i = 0; s->way && i < s->nexchange; i++) {
        int64_t least = INT64_MAX, most = 0;
        int n = 0;

        for (k = 0; k < i && !same_exchange(s, i, k); k++)
            ;
        if (k < i)
            continue;
        for (; k < s->nexchange; k++) {
            int64_t is = chips_exchange_cycles(c->plan, c->run, c->n, k);

            if (!same_exchange(s, i, k))
                continue;
            least = MIN(least, is);
            most = MAX(most, is);
            n++;
        }
        str_fmt(out, "%s%4d %s of %lld bytes, %s: links %.0f cycles, with "
                "cores %.0f; measured %lld to %lld\n", i ? "" : "\n", n,
                chips_kind(s, &s->exchange[i]),
                (long long)s->exchange[i].bytes,
                way_name(j->o.mem, s, &s->way[i]), s->way[i].link,
                s->way[i].cycles, (long long)least, (long long)most);
    }
}

static void put_text(const Job *j, const Shard *s, const ChipsRun *c, Str *out)
{
    int i, m;

    chips_say(s, out);
    str_fmt(out, "%4s %12s %12s %12s %12s", "chip", "cycles", "work", "DMA",
            "links");
    for (m = 0; m < j->soc->nmem; m++)
        if (in_memory(c->plan[0], m))
            str_fmt(out, " %10s", j->soc->mems[m].name);
    str_put(out, "\n");
    for (i = 0; i < c->n; i++) {
        Spent n = chips_spent(c->plan[i], &c->run[i]);

        str_fmt(out, "%4d %12lld %12lld %12lld %12lld", i, (long long)n.cycles,
                (long long)n.work, (long long)n.dma, (long long)n.links);
        for (m = 0; m < j->soc->nmem; m++)
            if (in_memory(c->plan[0], m))
                str_fmt(out, " %10lld", (long long)in_memory(c->plan[i], m));
        str_put(out, "\n");
    }
    put_exchanges(j, s, c, out);
    str_fmt(out, "\ncycles        %lld, from the first chip's begin to the last"
            " one's end", (long long)c->cycles);
    if (report_ms(&j->r, c->cycles) > 0)
        str_fmt(out, " (%.3f ms)", report_ms(&j->r, c->cycles));
    put_bound(j, s, c, out);
    put_stages(s, c, out);
    put_energy(j, s, c, out);
    put_regime(c, out);
    put_outputs(j, out);
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

static void put_json_exchanges(const Job *job, const Shard *s,
                               const ChipsRun *c, Json *j)
{
    int i;

    json_key(j, "exchanges"), json_arr(j);
    for (i = 0; s->way && i < s->nexchange; i++) {
        json_obj(j);
        json_key(j, "layer"), json_str(j, s->exchange[i].layer);
        json_key(j, "kind");
        json_str(j, chips_kind(s, &s->exchange[i]));
        json_key(j, "bytes"), json_int(j, s->exchange[i].bytes);
        json_key(j, "way");
        json_str(j, way_name(job->o.mem, s, &s->way[i]));
        json_key(j, "formula_links"), json_num(j, s->way[i].link);
        json_key(j, "formula"), json_num(j, s->way[i].cycles);
        json_key(j, "cycles");
        json_int(j, chips_exchange_cycles(c->plan, c->run, c->n, i));
        json_end(j);
    }
    json_end(j);
}

static void put_json(const Job *job, const Shard *s, const ChipsRun *c, Json *j)
{
    Bound b = chips_bound(job, s, c->plan);
    ChipsEnergy e = chips_energy(job, s, c->plan, c->run);
    int i, m;

    json_key(j, "bound"), json_num(j, bound_all(b));
    json_key(j, "bound_macs"), json_num(j, b.macs);
    json_key(j, "bound_near"), json_num(j, b.near);
    json_key(j, "bound_far"), json_num(j, b.far);
    json_key(j, "bound_links"), json_num(j, b.links);
    json_key(j, "energy_uj"), json_num(j, chips_uj(e));
    json_key(j, "energy_cores"), json_num(j, e.cores);
    json_key(j, "energy_waits"), json_num(j, e.waits);
    json_key(j, "energy_near"), json_num(j, e.near);
    json_key(j, "energy_far"), json_num(j, e.far);
    json_key(j, "energy_links"), json_num(j, e.links);
    json_key(j, "link_bytes"), json_int(j, chips_link_bytes(s));
    put_json_exchanges(job, s, c, j);
    json_key(j, "chips"), json_arr(j);
    for (i = 0; i < c->n; i++) {
        Spent n = chips_spent(c->plan[i], &c->run[i]);

        json_obj(j);
        json_key(j, "cycles"), json_int(j, n.cycles);
        json_key(j, "work"), json_int(j, n.work);
        json_key(j, "dma"), json_int(j, n.dma);
        json_key(j, "links"), json_int(j, n.links);
        json_key(j, "streamed"), json_int(j, chips_far_bytes(c->plan[i]));
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
    Shard *s;
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
    json_key(j, "max_abs_diff");
    if (t->j->r.max_abs_diff < 0)
        json_null(j);
    else
        json_num(j, t->j->r.max_abs_diff);
    json_key(j, "cycles"), json_int(j, t->c ? t->c->cycles : -1);
    if (t->c)
        put_json(t->j, t->s, t->c, j);
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
    chips_check(j);
    s = chips_shares(j);
    chip = chips_plan(j, s);
    job_example(j);
    c = chips_run(j, s, chip, NULL);
    told->s = s;
    told->c = c;
    j->r.match = all_same(j, s, c, &j->r.max_abs_diff);
    put_text(j, s, c, &out);
    job_say(j, &out);
    if (!j->r.match)
        err(ERR_DIFFER, "results differ from those of one chip");
    return OK;
}
