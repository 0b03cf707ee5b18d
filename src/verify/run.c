/* The program as it runs: page by page, loops turned, on a team of cores or on
 * a single one (rt/program.h says what records do).
 *
 * All cores work through the same records; those of transfers are core 0's.
 * Where cores meet (a call, a barrier, the end of a page), the kernel before is
 * over on all of them and core 0 has waited for what it was told to.  Between
 * two such points it is not: a core that is through with its share goes on, so
 * a transfer that starts behind a call runs beside the kernel.
 *
 * A record says kernel, places and dims.  Which part of which node it computes
 * is what the step that it was made of claims; that step is of no effect, the
 * claim is proved. */
#include "verify/verify.h"

#include <string.h>

enum { TEAM_SLOTS = 32, WORD = 4 }; /* a record has 5 bits for a slot */

typedef struct Run {
    Check *c;
    const Program *q;
    const Page *page;     /* NULL: not of a team */
    const Rec *item;      /* the one that is executed */
    const Rec *loop;      /* NULL: in none */
    const Rec *deferred;  /* a call whose share core 0 has not done */
    const Rec *around;    /* the same where the loop began */
    int turn;
    bool working;         /* a kernel may be */
    int nslot;
    bool *pending;        /* DMA slots to be waited for when cores meet */
    int npending;
    bool *done;           /* by step: executed */
    int layer;            /* layers that are marked as done */
} Run;

static bool fail(Run *r, const char *what)
{
    return wrong(r->c, "record %d: %s", (int)(r->item - r->q->item), what);
}

/* ---- places ---- */

/* Constants in external memory come first, and buffers behind. */
static int64_t external_base(const Plan *p, const Buf *b)
{
    return b->kind == BUF_const ? 0 : (p->consts[b->mem] + 15) / 16 * 16;
}

static bool has_value(const Run *r, int buf)
{
    int i;

    for (i = 0; r->page && i < r->page->nvalue; i++)
        if (r->page->value[i] == buf)
            return true;
    return false;
}

static bool is_const_place(const Place *at)
{
    return at->kind == PLACE_const || at->kind == PLACE_page;
}

/* Operand i of the record, in the buffer that its step says. */
static bool ref_of(Run *r, int i, Ref *ref)
{
    const Plan *p = r->c->p;
    const Place *at = &r->item->place[i];
    int64_t off = at->off + r->turn * r->item->by[i];
    const Buf *b;

    if (i >= r->item->nplace)
        return fail(r, "an operand too few");
    if (ref->buf < 0 || ref->buf >= p->nbuf)
        return (ref->buf < 0 && at->kind == PLACE_none) ||
               fail(r, "an absent operand has a place");
    if (is_const_place(at)) {
        if (at->kind == PLACE_page && (off || !has_value(r, at->buf)))
            return fail(r, "its page has no such constant");
        *ref = (Ref){at->buf, off};
        if (at->buf < 0 || at->buf >= p->nbuf)
            return fail(r, "a constant that is none");
        b = &p->buf[at->buf];
        return (b->kind == BUF_const && p->soc->mems[b->mem].mapped) ||
               fail(r, "a constant that is none");
    }
    b = &p->buf[ref->buf];
    if (at->mem != b->mem || at->kind != (p->soc->mems[b->mem].mapped
                                          ? PLACE_memory : PLACE_external))
        return fail(r, "an operand in another memory");
    if (at->kind == PLACE_memory && b->kind == BUF_const)
        return fail(r, "a constant among buffers");
    ref->off = off - b->addr;
    if (at->kind == PLACE_external)
        ref->off -= external_base(p, b);
    return true;
}

/* The step that the record stands for on this turn. */
static bool find_step(Run *r, Exec *x)
{
    const Plan *p = r->c->p;
    const Rec *c = r->item;
    const Step *s = c->step;

    if (c->each)
        s = r->turn < c->neach ? c->each[r->turn] : NULL;
    if (!s || s < p->step || s >= p->step + p->nstep)
        return fail(r, "it stands for no step");
    x->s = *s;
    x->pos = (int)(s - p->step);
    if (r->done[x->pos] && rec_is_kernel(c))
        return fail(r, "a step that is done already");
    r->done[x->pos] = true; /* of a transfer: a part of it is */
    return true;
}

static const Engine *engine_of(const Run *r)
{
    const Soc *soc = r->c->p->soc;
    const int row = r->item->engine;

    return &soc->engine[row < 0 || row >= soc->nengine ? ENG_cores : row];
}

/* Core 0 waits for the slots it was told to: of the engine that works in
 * batches, which is the first behind the cores. */
static bool flush(Run *r)
{
    int i;

    for (i = 0; r->npending && i < r->nslot; i++) {
        if (r->pending[i] && !exec_finish(r->c, ENG_hops, i))
            return false;
        r->npending -= r->pending[i];
        r->pending[i] = false;
    }
    return true;
}

/* ---- calls ---- */

/* What the kernel is told, by the page or beside the call. */
static const Step *dims_step(const Run *r)
{
    const Rec *c = r->item;

    if (!r->page)
        return c->step;
    if (c->dims < 0 || c->dims >= r->page->ndims)
        return NULL;
    return r->page->dims[c->dims].step;
}

static bool call_operands(Run *r, Exec *x)
{
    const Rec *c = r->item;
    Step *s = &x->s;
    int i, n = c->nin;

    if (s->nin > n || c->nplace != n + s->nout + (s->tmp.buf >= 0))
        return fail(r, "a call with other operands than its step");
    for (i = 0; i < n; i++) {
        Ref none = {-1, 0};

        if (!ref_of(r, i, i < s->nin ? &s->in[i] : &none))
            return false;
    }
    for (i = 0; i < s->nout; i++)
        if (!ref_of(r, n + i, &s->out[i]))
            return false;
    return s->tmp.buf < 0 || ref_of(r, n + s->nout, &s->tmp);
}

static bool meet(Run *r);

/* Which kernel, and what it is told. */
static bool call_told(Run *r, Exec *x)
{
    const Rec *c = r->item;
    const Insts *t = &r->q->inst;
    const Step *told = dims_step(r);

    if (step_moves(r->c->p, &x->s) || !told ||
        dims_of(told->node->op) != dims_of(x->s.node->op))
        return fail(r, "a call of another kernel");
    if (c->inst < 0 || c->inst >= t->n || c->inst != t->of[x->pos])
        return fail(r, "a call of a kernel for other types");
    if (!kern_serves(t->v[c->inst].kern, x->s.kern))
        x->s.kern = t->v[c->inst].kern;
    x->s.dims = told->dims;
    x->s.ncore = c->step->ncore;
    x->s.tmp_bytes = c->step->tmp_bytes;
    return true;
}

static bool do_call(Run *r)
{
    const Rec *c = r->item;
    Exec x = {.slot = 0};

    if (!meet(r) || !find_step(r, &x) || !call_told(r, &x))
        return false;
    if (x.s.engine != ENG_cores || x.s.kern->engine)
        return fail(r, "a call of a job");
    if (!call_operands(r, &x) || !exec_start(r->c, &x))
        return false;
    r->working = true;
    r->deferred = c->deferred ? c : NULL;
    return true;
}

static bool do_share(Run *r)
{
    if (!r->deferred)
        return fail(r, "core 0's share of no call");
    r->deferred = NULL;
    return true;
}

/* ---- jobs ---- */

/* Accelerators work where they reach; a single number is read at the start. */
static bool job_reaches(Run *r, const Step *s)
{
    const Plan *p = r->c->p;
    const unsigned reach = engine_of(r)->reach;
    int i;

    for (i = 0; i < s->nin; i++) {
        const Buf *b = s->in[i].buf < 0 ? NULL : &p->buf[s->in[i].buf];

        if (b && !(reach >> b->mem & 1) &&
            (b->kind != BUF_const || s->in_bytes[i] > 4))
            return fail(r, "a job on what its engine does not reach");
    }
    for (i = 0; i < s->nout; i++)
        if (!(reach >> p->buf[s->out[i].buf].mem & 1))
            return fail(r, "a job on what its engine does not reach");
    return true;
}

/* The record is a job of this engine's, in a slot that is free. */
static bool is_job(Run *r, const Exec *x)
{
    const Rec *c = r->item;
    const Engine *e = engine_of(r);
    const char *on = x->s.kern->engine;

    if (e->kind != ENGINE_accel || x->s.engine != c->engine)
        return fail(r, "a job of another engine");
    if (!on || soc_accel(r->c->p->soc, on) != e)
        return fail(r, "a job of a kernel for another engine");
    if (c->slot < 0 || c->slot >= r->nslot ||
        exec_slot_busy(r->c, c->engine, c->slot))
        return fail(r, "a job in no free slot");
    return true;
}

static bool do_start(Run *r)
{
    Exec x = {.slot = r->item->slot};

    return flush(r) && find_step(r, &x) && call_told(r, &x) && is_job(r, &x) &&
           call_operands(r, &x) && job_reaches(r, &x.s) &&
           exec_start(r->c, &x);
}

/* ---- transfers ---- */

static bool do_move(Run *r)
{
    const Rec *c = r->item;
    Exec x = {.slot = c->slot};
    Move *m = &x.s.move;

    if (!flush(r) || !find_step(r, &x))
        return false;
    if (c->slot < 0 || c->slot >= r->nslot)
        return fail(r, "a transfer in no slot");
    if (x.s.engine != c->engine || engine_of(r)->kind != ENGINE_dma)
        return fail(r, "a transfer by another engine");
    if (c->nplace != 2 || !ref_of(r, 0, c->in ? &m->to : &m->from) ||
        !ref_of(r, 1, c->in ? &m->from : &m->to))
        return fail(r, "a transfer of other places");
    if (!engine_of(r)->batched && exec_slot_busy(r->c, c->engine, c->slot))
        return fail(r, "a second transfer in a slot");
    m->row = c->row;
    m->rows = c->rows;
    m->from_stride = c->in ? c->stride : c->row;
    m->to_stride = c->in ? c->row : c->stride;
    return exec_start(r->c, &x);
}

/* A batch is waited for before the next transfer or meeting, all else at
 * once. */
static bool do_wait(Run *r)
{
    const Rec *c = r->item;

    if (!engine_of(r)->batched)
        return exec_finish(r->c, c->engine, c->slot);
    if (c->slot < 0 || c->slot >= r->nslot || r->pending[c->slot])
        return fail(r, "a wait for no slot");
    r->pending[c->slot] = true;
    r->npending++;
    return true;
}

/* ---- meetings ---- */

static bool meet(Run *r)
{
    if (r->deferred)
        return fail(r, "core 0 has left out its share of a call");
    if (!flush(r))
        return false;
    if (r->working && !exec_finish(r->c, ENG_cores, 0))
        return false;
    r->working = false;
    return true;
}

/* Is the last kernel of the next layer executed?  Only a team has marks. */
static bool mark_layer(Run *r)
{
    const Plan *p = r->c->p;
    int layer = r->item->layer;

    if (!r->q->team)
        return true;
    if (layer != r->layer || layer >= p->nlayer ||
        !r->done[p->layer[layer].last])
        return fail(r, "a layer that is not done");
    r->layer++;
    return true;
}

/* ---- loops and pages ---- */

static bool enter_loop(Run *r)
{
    if (r->loop || r->item->turns < 1)
        return fail(r, "a loop within another");
    r->loop = r->item;
    r->around = r->deferred;
    r->turn = 0;
    return true;
}

/* Back to the first record, or on; cores do not meet. */
static bool turn_loop(Run *r)
{
    if (!r->loop || r->deferred != r->around)
        return fail(r, "the end of no loop");
    if (++r->turn < r->loop->turns) {
        r->item = r->loop;
    } else {
        r->loop = NULL;
        r->turn = 0;
    }
    return true;
}

static bool do_record(Run *r)
{
    switch (r->item->kind) {
    case REC_call:
        return do_call(r) && (!r->item->last || mark_layer(r));
    case REC_start:
        return do_start(r);
    case REC_share:
        return do_share(r);
    case REC_barrier:
        return meet(r);
    case REC_move:
        return do_move(r);
    case REC_wait:
        return do_wait(r);
    case REC_layer:
        return mark_layer(r);
    case REC_loop:
        return enter_loop(r);
    case REC_next:
        return turn_loop(r);
    }
    return fail(r, "it is of no kind");
}

static bool do_records(Run *r, int from, int to)
{
    r->item = r->q->item + from;
    for (; r->item < r->q->item + to; r->item++)
        if (!do_record(r))
            return false;
    r->item--;
    return !r->loop || fail(r, "a loop goes on to the next page");
}

static int64_t words_of(const Rec *c)
{
    int64_t moving = c->moving ? c->nplace : 0;

    switch (c->kind) {
    case REC_call:
        return 5 + c->nplace + moving;
    case REC_start:
        return (5 + c->nplace + moving) *
               (c->direct && c->step->dims.pconv.again ? 2 : 1);
    case REC_move:
        return (c->rows > 1 ? 6 : 4) + moving;
    default:
        return c->kind == REC_loop ? 2 : 1;
    }
}

/* Records, their end, dims and constants fit into the buffer for a page. */
static bool check_page(Run *r)
{
    const Page *pg = r->page;
    int64_t bytes = WORD * (pg->nvalue + 1);
    int i;

    for (i = pg->from; i < pg->to; i++)
        bytes += WORD * words_of(&r->q->item[i]);
    for (i = 0; i < pg->ndims; i++)
        bytes += pg->dims[i].direct
                     ? WORD * JOB_WORDS *
                           (pg->dims[i].step->dims.pconv.again ? 2 : 1)
                     : (int64_t)dims_of(pg->dims[i].step->node->op)->size;
    return bytes <= PAGE_BYTES || fail(r, "a page that is too large");
}

/* A page begins with the record behind the last one's; a run that stops where
 * layer `layer` begins has done all before it. */
static bool check_start(Run *r, int page, int layer)
{
    const Program *q = r->q;
    Spot s = q->start[layer];
    int i, word = 0;

    if (s.page != page)
        return true;
    for (i = q->page[page].from; i < q->page[page].to && word < s.word; i++)
        word += (int)words_of(&q->item[i]);
    return (word == s.word && i == (layer ? q->stop[layer - 1] : 0)) ||
           fail(r, "a layer that begins elsewhere");
}

static bool do_page(Run *r, int page)
{
    const Program *q = r->q;
    int k;

    r->page = &q->page[page];
    r->item = q->item + r->page->from;
    if (r->page->from != (page ? q->page[page - 1].to : 0) ||
        r->page->to > q->nitem)
        return fail(r, "a page that is not the next");
    for (k = 0; k <= r->c->p->nlayer; k++)
        if (!check_start(r, page, k))
            return false;
    return check_page(r) && do_records(r, r->page->from, r->page->to) &&
           meet(r);
}

/* In the end nothing is under way: core 0 waits for no slot but by a record. */
static bool end_program(Run *r)
{
    const Plan *p = r->c->p;
    int i;

    if (!meet(r))
        return false;
    if (r->c->ngoing)
        return wrong(r->c, "the program ends before %d steps do",
                     r->c->ngoing);
    for (i = 0; i < p->nstep; i++)
        if (p->step[i].kind == STEP_start && !r->done[i])
            return wrong(r->c, "node %s: step %d is never executed",
                         p->step[i].node->name, i);
    return !r->q->team || r->layer == p->nlayer ||
           wrong(r->c, "a layer is never done");
}

/* A record's bits for a slot are shared by all engines. */
static bool check_slots(Run *r)
{
    const Program *q = r->q;
    int most[MOST_ENGINES] = {0}, i, sum = 0;

    for (i = 0; i < q->nitem; i++) {
        const Rec *c = &q->item[i];
        bool slot = c->kind == REC_move || c->kind == REC_start ||
                    c->kind == REC_wait;

        r->item = c;
        if (c->engine < 0 || c->engine >= r->c->p->soc->nengine)
            return fail(r, "an engine that is none");
        if (slot)
            most[c->engine] = MAX(most[c->engine], c->slot + 1);
    }
    for (i = 0; i < MOST_ENGINES; i++)
        sum += most[i];
    return sum <= TEAM_SLOTS || wrong(r->c, "%d slots, records can name %d",
                                      sum, TEAM_SLOTS);
}

bool run_program(Check *c, const Program *q)
{
    Run r = {.c = c, .q = q};
    int i;

    if (!q)
        return wrong(c, "the plan has no program");
    r.item = q->item;
    r.done = NEWN(c->mem, bool, c->p->nstep + 1);
    r.nslot = q->team ? TEAM_SLOTS : c->p->nstep + 1;
    r.pending = NEWN(c->mem, bool, r.nslot);
    if (!q->team)
        return (!q->nitem || do_records(&r, 0, q->nitem)) && end_program(&r);
    if (!check_slots(&r))
        return false;
    for (i = 0; i < q->npage; i++)
        if (!do_page(&r, i))
            return false;
    return end_program(&r);
}
