/* Sums over nodes and layers. */
#include "report/report.h"

#include <math.h>

int report_rows(const Report *r)
{
    return r->plan ? r->plan->nlayer : 0;
}

static int64_t in_kernels(const Plan *p, int layer)
{
    int64_t sum = 0;
    int i;

    for (i = p->layer[layer].first; i <= p->layer[layer].last; i++) {
        const Step *s = &p->step[i];

        if (s->layer == layer && step_starts_kernel(p, s))
            sum += s->cycles;
    }
    return sum;
}

/* The first of the layers whose time stands with layer i. */
static int first_timed(const Plan *p, int i)
{
    while (i && p->layer[i - 1].after)
        i--;
    return i;
}

static int64_t sum_known(int64_t sum, int64_t v)
{
    return v < 0 ? v : MAX(0, sum) + v;
}

static void set_none(Row *l)
{
    l->cycles = MIN(0, l->cycles);
    l->estimate = MIN(0, l->estimate);
    l->instructions = MIN(0, l->instructions);
    l->wait = MIN(0, l->wait);
    l->in_kernels = MIN(0, l->in_kernels);
}

static void set_measured(Row *l, const Report *r, int i)
{
    const Run *run = r->run;
    int k;

    if (!run || !run->ok || i >= run->nlayer)
        return;
    for (k = first_timed(r->plan, i); k <= i; k++) {
        const RunLayer *m = &run->layer[k];

        l->cycles = sum_known(l->cycles, m->cycles);
        l->estimate = sum_known(l->estimate, m->estimate);
        l->instructions = sum_known(l->instructions, m->instructions);
        l->wait = sum_known(l->wait, m->dma_wait);
        l->in_kernels = sum_known(l->in_kernels, m->kernels);
    }
    if (l->layer->after) /* they stand with the last */
        set_none(l);
    else if (first_timed(r->plan, i) == i && run->layer[i].known)
        l->lost = &run->layer[i];
}

/* -1: the head is silent. */
static int64_t predicted(const Layer *l)
{
    return l->cycles > 0 || l->after ? l->cycles : -1;
}

static Row row_of(const Report *r, int i)
{
    const Layer *layer = &r->plan->layer[i];
    int k;
    Row l = {.layer = layer, .step = &r->plan->step[layer->first],
             .cycles = -1, .estimate = -1, .instructions = -1, .wait = -1,
             .in_kernels = -1,
             .predicted = predicted(layer), .predicted_wait = -1};

    l.macs = node_macs(layer->node);
    if (r->plan->tiled || soc_item(r->soc, "cache", "data"))
        l.predicted_wait = layer->wait;
    for (k = first_timed(r->plan, i); k <= i && !layer->after; k++) {
        l.timed += node_macs(r->plan->layer[k].node);
        l.kernels += in_kernels(r->plan, k);
    }
    set_measured(&l, r, i);
    return l;
}

Row *report_table(const Report *r, Arena *mem)
{
    int i, n = report_rows(r);
    int64_t all = report_has_cycles(r) ? r->run->cycles :
                  report_estimate(r) >= 0 ? report_estimate(r)
                                          : report_cycles(r);
    Row *row = NEWN(mem, Row, n + 1);

    for (i = 0; i < n; i++) {
        row[i] = row_of(r, i);
        row[i].all = all;
    }
    return row;
}

int64_t report_macs(const Report *r)
{
    return r->g ? graph_macs(r->g) : 0;
}

int64_t report_macs_removed(const Report *r)
{
    const Node *n;
    int64_t sum = 0;

    for (n = r->g ? r->g->first : NULL; n; n = n->next)
        sum += n->macs_removed;
    return sum;
}

int64_t report_bytes_removed(const Report *r)
{
    const Node *n;
    int64_t sum = 0;

    for (n = r->g ? r->g->first : NULL; n; n = n->next)
        sum += n->bytes_removed;
    return sum;
}

int64_t report_cycles(const Report *r)
{
    int i, n = report_rows(r);
    int64_t sum = 0;

    for (i = 0; i < n; i++) {
        int64_t cycles = predicted(&r->plan->layer[i]);

        if (cycles < 0)
            return -1;
        sum += cycles;
    }
    return n ? sum : -1;
}

bool report_is_spilled(const Report *r, const Buf *b)
{
    return b->kind != BUF_const && !r->soc->mems[b->mem].mapped;
}

Spills report_spills(const Report *r)
{
    const Plan *p = r->plan;
    Spills s = {0, 0};
    int i;

    for (i = 0; i < p->nstep; i++) {
        const Move *m = &p->step[i].move;

        if (p->step[i].kind != STEP_start || !step_moves(p, &p->step[i]))
            continue;
        if (report_is_spilled(r, &p->buf[m->to.buf]))
            s.out += m->row * m->rows;
        else if (report_is_spilled(r, &p->buf[m->from.buf]))
            s.in += m->row * m->rows;
    }
    return s;
}

bool report_has_cycles(const Report *r)
{
    return r->run && r->run->ok && r->run->cycles >= 0;
}

int64_t report_estimate(const Report *r)
{
    return r->run && r->run->ok ? r->run->estimate : -1;
}

bool report_has_dma(const Report *r)
{
    return r->soc && soc_hop(r->soc, 0);
}

const char *report_engine(const Report *r)
{
    const Item *chip = soc_next(r->soc, "chip", NULL);

    return r->soc->ncore > 1 ? item_word(chip, "compute", "cores") : "core";
}

/* Microjoules of n events. */
static double spent(const Report *r, const char *event, int64_t n)
{
    return n ? soc_energy(r->soc, event) * (double)n / 1e6 : 0;
}

Energy report_energy_of(const Report *r, const Layer *l)
{
    Energy e = {NAN, {0}};
    const Engine *x;
    int i;

    if (predicted(l) >= 0)
        e.cores = spent(r, "core_cycle", r->soc->ncore * predicted(l));
    for (i = 0; (x = soc_hop(r->soc, i)); i++)
        e.moved[x->row] = spent(r, x->energy, l->moved[x->row]);
    return e;
}

Energy report_energy(const Report *r)
{
    Energy sum = {0, {0}};
    int i, k, n = report_rows(r);

    if (!n)
        sum.cores = NAN;
    for (i = 0; i < n; i++) {
        Energy e = report_energy_of(r, &r->plan->layer[i]);

        sum.cores += e.cores;
        for (k = 0; k < MOST_ENGINES; k++)
            sum.moved[k] += e.moved[k];
    }
    return sum;
}

/* It comes with the last run of the prompt, if that took a token alone. */
int report_first_new(const Run *r)
{
    return MAX(0, r->prompt_runs - (r->prompt_runs == r->nprompt));
}

double report_token_cost(const Run *r, bool cycles)
{
    int i, from = report_first_new(r);
    double sum = 0;

    for (i = from; i < r->nstep; i++)
        sum += (double)(cycles ? r->step[i].cycles : r->step[i].instructions);
    return r->nstep > from && sum > 0 ? sum / (r->nstep - from) : NAN;
}

Energy report_token_energy(const Report *r)
{
    Energy e = report_energy(r);

    e.cores = soc_energy(r->soc, "core_cycle") * r->soc->ncore / 1e6 *
              report_token_cost(r->run, true);
    return e;
}

double report_battery_runs(const Report *r)
{
    enum { UJ_A_MWH = 3600000 };
    double uj = r->battery_mwh > 0 ? energy_all(report_energy(r)) : NAN;

    return uj > 0 ? r->battery_mwh * UJ_A_MWH / uj : NAN;
}

double report_battery_days(const Report *r)
{
    return r->battery_every > 0
               ? report_battery_runs(r) * r->battery_every / 86400 : NAN;
}

double report_least_energy(const Report *r)
{
    return r->plan && r->plan->tiled && r->plan->aim == AIM_energy
               ? spent(r, "core_cycle", r->soc->ncore * r->plan->least) : NAN;
}

double energy_all(Energy e)
{
    double sum = e.cores;
    int i;

    for (i = 0; i < MOST_ENGINES; i++)
        sum += e.moved[i];
    return sum;
}
