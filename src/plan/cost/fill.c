/* Cycles in which cores wait for memory behind a cache of data (`cache data` and
 * `fill` of a chip's file).
 *
 * Of constants each line comes once, as in the run before others came after it;
 * a kernel that goes through more of them than half the cache, `reads` times, gets
 * them as often: the least recent line goes, and that is the next one.
 * Values between layers, and whatever else a layer reads or writes, are in
 * the cache if they are no more than half of it. */
#include "plan/plan.h"

enum {
    SHARE = 2, /* of the cache: the rest has what else a kernel touches */
    COPY = 2   /* bytes that a core copies in a cycle */
};

static int64_t cache_bytes(const Soc *s)
{
    return item_int(soc_item(s, "cache", "data"), "size", 0);
}

double mem_fill(const Soc *s, int m)
{
    const Item *cache = soc_item(s, "cache", "data");

    return cache ? (double)item_int(s->mems[m].item, "fill", 0) /
                   (double)item_int(cache, "line", 32) : 0;
}

int64_t step_reads(const Step *s, int i)
{
    Asked x;

    if (i != 1 || !s->kern || !s->kern->reads)
        return 1;
    x = kern_ask(s->tile, &s->dims);
    x.room = step_room(s);
    return MAX(1, kern_answer(&x, s->kern, s->sig, s->kern->reads));
}

/* Of a table only the rows that are asked for. */
static int64_t touched(const Step *s, int i)
{
    bool rows = op_info[s->node->op].family == FAM_gather && !i;

    return rows ? MIN(s->in_bytes[i], s->out_bytes[0]) : s->in_bytes[i];
}

int64_t step_missed(const Plan *p, const Step *s, int i)
{
    bool constant = p->buf[s->in[i].buf].kind == BUF_const;
    int64_t bytes = touched(s, i);

    if (bytes <= cache_bytes(p->soc) / SHARE)
        return constant ? bytes : 0;
    return bytes * step_reads(s, i);
}

/* Weights that are copied first come from where they lie once, and then as often
 * as the kernel reads them from where the copy is. */
static double staged_waits(const Plan *p, const Step *s, int mem)
{
    double bytes = (double)s->in_bytes[1];
    bool cached = s->in_bytes[1] <= cache_bytes(p->soc) / SHARE;

    return mem_fill(p->soc, p->buf[s->in[1].buf].mem) * bytes +
           mem_fill(p->soc, mem) * bytes *
               (cached ? 1 : (double)step_reads(s, 1)) +
           bytes / COPY;
}

/* stage: the memory of the copy of operand 1; -1: there is none. */
static int64_t waits(const Plan *p, const Step *s, int stage)
{
    double sum = stage < 0 ? 0 : staged_waits(p, s, stage);
    int i;

    for (i = 0; i < s->nin; i++)
        if (s->in[i].buf >= 0 && (i != 1 || stage < 0))
            sum += mem_fill(p->soc, p->buf[s->in[i].buf].mem) *
                   (double)step_missed(p, s, i);
    for (i = 0; i < s->nout; i++)
        if (s->out_bytes[i] > cache_bytes(p->soc) / SHARE)
            sum += mem_fill(p->soc, p->buf[s->out[i].buf].mem) *
                   (double)s->out_bytes[i];
    return (int64_t)sum;
}

int64_t step_waits(const Plan *p, const Step *s)
{
    return waits(p, s, s->stage_bytes ? p->buf[s->stage.buf].mem : -1);
}

int64_t step_waits_staged(const Plan *p, const Step *s, int mem)
{
    return waits(p, s, mem);
}
