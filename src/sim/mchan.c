/* Bursts of the cluster's DMA: rows of both sides, then boundaries of 256
 * bytes on the external one. */
#include "sim/mchan.h"

enum { BURST = 256 };

void bursts_begin(Bursts *c, const Command *of)
{
    *c = (Bursts){.of = of, .left = of->n, .l1 = of->l1, .ext = of->ext,
               .l1_row = of->l1.at, .ext_row = of->ext.at};
}

/* On from n bytes of a side's row, to the next row at its end. */
static void advance(Side *s, uint32_t *row, const Side *of, uint32_t n)
{
    s->row -= n;
    s->at += n;
    if (s->row)
        return;
    *row += of->stride;
    s->at = *row;
    s->row = of->row;
}

/* Bytes of a row that go in the burst at `done`: a last single byte rides
 * with the burst before. */
static uint32_t burst_bytes(const Bursts *c)
{
    uint32_t first = BURST - (c->ext.at & (BURST - 1)), rest = c->n - c->done;
    uint32_t n = MIN(c->done ? BURST : first, rest);

    return rest - n == 1 ? rest : n;
}

bool bursts_next(Bursts *c, Burst *b)
{
    bool along = c->of->bits & INCREMENT;

    if (c->done == c->n) { /* the next row */
        if (c->n) {
            advance(&c->l1, &c->l1_row, &c->of->l1, c->n);
            advance(&c->ext, &c->ext_row, &c->of->ext, c->n);
            c->left -= c->n;
        }
        c->done = 0;
        c->n = MIN(c->left, MIN(c->l1.row, c->ext.row));
        if (!c->n)
            return false;
    }
    b->first = !c->done;
    b->n = burst_bytes(c);
    b->l1 = c->l1.at + c->done;
    b->ext = c->ext.at + (along ? c->done : 0);
    c->done += b->n;
    return true;
}

/* The states of trans_aligner: first and second, or one of them, run as often
 * as words come; then one or two more. */
int align_cycles(uint32_t from, uint32_t to, uint32_t n)
{
    bool whole_from = (from & 7) + ((n - 1) & 7) < 8;
    bool whole_to = (to & 7) + ((n - 1) & 7) < 8;
    bool after = (to & 7) > (from & 7);
    int in = beats(from, n);
    bool one = after ? whole_from == whole_to || whole_to
                     : !whole_from && whole_to;

    if (in == 1)
        return whole_to ? 2 : 3;
    return in + (one ? 1 : 2);
}
