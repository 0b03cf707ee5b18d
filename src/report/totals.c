/* Sums over nodes and layers. */
#include "report/report.h"

#include <math.h>

int report_rows(const Report *r)
{
    return r->plan ? r->plan->nlayer : 0;
}

Row report_row(const Report *r, int i)
{
    const Layer *layer = &r->plan->layer[i];
    Row l = {.layer = layer, .step = &r->plan->step[layer->first],
             .cycles = -1, .instructions = -1, .predicted = -1};

    l.macs = node_macs(layer->node);
    if (layer->cycles > 0)
        l.predicted = layer->cycles;
    if (r->run && r->run->ok && i < r->run->nlayer) {
        l.cycles = r->run->layer[i].cycles;
        l.instructions = r->run->layer[i].instructions;
    }
    return l;
}

int64_t report_macs(const Report *r)
{
    const Node *n;
    int64_t sum = 0;

    for (n = r->g ? r->g->first : NULL; n; n = n->next)
        sum += node_macs(n);
    return sum;
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
        Row l = report_row(r, i);

        if (l.predicted < 0)
            return -1;
        sum += l.predicted;
    }
    return n ? sum : -1;
}

/* milliwatts of the compute cores times the time they are busy */
double report_energy(const Report *r)
{
    const Item *e = r->soc ? soc_next(r->soc, "energy", NULL) : NULL;
    double mw = item_num(e, "core_mw", NAN), mhz = r->soc ? r->soc->mhz : 0;
    int64_t cycles = report_cycles(r);

    if (cycles < 0 || mhz <= 0)
        return NAN;
    return mw * (double)cycles / mhz / 1000;
}
