/* program SEED COUNT: random lists of steps as programs of a team.  What the
 * loops and records do, played one by one, must be what the steps say: the
 * same kernels and transfers in the same order, at the same addresses, every
 * wait for its own transfers, at the latest where the step has it, and not
 * early but where engines have no more room; pages that fit their buffer, and
 * end where a layer is complete. */
#include "plan/plan.h"
#include "test/lib/rng.h"

#include <stdlib.h>
#include <string.h>

enum { L1, L2, L3, NMEM };

typedef struct Maker {
    Plan *p;
    Arena *mem;
    Rng r;
    Node *node[2];
    int buf[NMEM], weight, value;
    int token;
    int open[2][64], nopen[2]; /* tokens under way, of DMA and I/O */
} Maker;

static int new_buf(Plan *p, BufKind kind, int mem)
{
    GROW(p->mem, p->buf, (size_t)p->nbuf);
    p->buf[p->nbuf] = (Buf){.kind = kind, .name = "b", .mem = mem,
                            .size = 1 << 20, .addr = 64 * p->nbuf};
    return p->nbuf++;
}

static void new_step(Maker *m, Step s)
{
    GROW(m->p->mem, m->p->step, (size_t)m->p->nstep);
    s.layer = m->p->nlayer;
    m->p->step[m->p->nstep++] = s;
}

/* A stretch is a few kinds of steps; every time it comes, places are so much
 * further on. */
typedef struct Proto {
    int what;        /* 0, 4: kernel, 1: DMA, 2: I/O, 3: wait of moves */
    int node, dims, row, rows, ncore;
    bool in, weight, value;
    int64_t at[3], by[3];
} Proto;

static void draw(Maker *m, Proto *q)
{
    int i;

    *q = (Proto){.what = pick(&m->r, 5), .node = pick(&m->r, 2),
                 .dims = pick(&m->r, 3), .row = 1 + pick(&m->r, 50),
                 .rows = pick(&m->r, 2) ? 1 : 1 + pick(&m->r, 9),
                 .ncore = pick(&m->r, 4) ? 8 : 1, .in = pick(&m->r, 2),
                 .weight = pick(&m->r, 2), .value = !pick(&m->r, 4)};
    for (i = 0; i < 3; i++) {
        q->at[i] = pick(&m->r, 4096);
        q->by[i] = pick(&m->r, 2) ? 0 : pick(&m->r, 200) - 100;
    }
}

/* Now and then it is out of line. */
static Ref place(Maker *m, const Proto *q, int i, int buf, int turn)
{
    int odd = pick(&m->r, 40) ? 0 : 4;

    return (Ref){buf, 8192 + q->at[i] + turn * q->by[i] + odd};
}

static void put_move(Maker *m, const Proto *q, bool io, int turn)
{
    Step s = {.kind = STEP_start, .engine = ENG_hops + io,
              .token = m->token++};
    Ref near = place(m, q, 0, m->buf[io ? L2 : L1], turn);
    Ref far = place(m, q, 1, q->weight && q->in && !io ? m->weight
                             : m->buf[io ? L3 : L2], turn);

    if (m->nopen[io] == 24)
        return;
    s.move = (Move){q->in ? far : near, q->in ? near : far, q->row, q->rows,
                    q->row + 3, q->row + 3};
    m->open[io][m->nopen[io]++] = s.token;
    new_step(m, s);
}

/* Of all but the `but` that began last. */
static void put_waits(Maker *m, int but)
{
    int io, i, n;

    for (io = 0; io < 2; io++) {
        n = MAX(0, m->nopen[io] - but);
        for (i = 0; i < n; i++)
            new_step(m, (Step){.kind = STEP_wait, .token = m->open[io][i],
                               .engine = ENG_hops + io});
        m->nopen[io] -= n;
        memmove(m->open[io], m->open[io] + n,
                (size_t)m->nopen[io] * sizeof *m->open[io]);
    }
}

static const Kern kern[2] = {{.name = "conv", .path = "conv"},
                             {.name = "matmul", .path = "matmul"}};
static const KernSig sig;

static void put_kernel(Maker *m, const Proto *q, int turn)
{
    Step s = {.kind = STEP_start, .engine = ENG_cores, .token = m->token++,
              .node = m->node[q->node], .ncore = q->ncore, .nin = 2,
              .nout = 1, .tmp = {-1, 0}};

    s.kern = &kern[q->node];
    s.sig = &sig;
    s.dims.conv.n = q->dims;
    s.in[0] = place(m, q, 0, m->buf[L1], turn);
    s.in[1] = q->value ? (Ref){m->value, 0} :
              q->weight ? place(m, q, 1, m->weight, turn) : (Ref){-1, 0};
    s.out[0] = place(m, q, 2, m->buf[q->in ? L1 : L2], turn);
    if (q->in) {
        s.tmp = (Ref){m->buf[L1], 64};
        s.tmp_bytes = 8 * s.ncore;
    }
    m->p->layer[m->p->nlayer].last = m->p->nstep;
    m->p->layer[m->p->nlayer].tiles++;
    new_step(m, s);
    s.kind = STEP_wait;
    new_step(m, s);
}

static void put(Maker *m, const Proto *q, int turn)
{
    switch (q->what) {
    case 1: case 2:
        put_move(m, q, q->what == 2, turn);
        break;
    case 3:
        put_waits(m, q->node * q->dims);
        break;
    default:
        put_kernel(m, q, turn);
        break;
    }
}

static void put_stretch(Maker *m)
{
    Proto q[12];
    int n = 1 + pick(&m->r, 12), turns = pick(&m->r, 9), i, t;

    for (i = 0; i < n; i++)
        draw(m, &q[i]);
    for (t = 0; t < turns; t++)
        for (i = 0; i < n; i++)
            put(m, &q[i], t);
}

static void put_layer(Maker *m)
{
    Proto q;
    int n = pick(&m->r, 4);

    GROW(m->p->mem, m->p->layer, (size_t)m->p->nlayer);
    m->p->layer[m->p->nlayer] = (Layer){.node = m->node[0],
                                        .first = m->p->nstep};
    while (n--)
        put_stretch(m);
    draw(m, &q);
    put_kernel(m, &q, 0);
    if (q.dims)
        put_move(m, &q, false, 0);
    m->p->nlayer++;
}

static void name_mems(Maker *m, Soc *soc)
{
    int i;

    for (i = 0; i < NMEM; i++) {
        const char *name = (const char *[]){"L1", "L2", "L3"}[i];

        m->buf[i] = new_buf(m->p, BUF_temp,
                            (int)(soc_mem(soc, name) - soc->mems));
    }
    m->weight = new_buf(m->p, BUF_const, m->p->buf[m->buf[L2]].mem);
    m->value = new_buf(m->p, BUF_const, m->p->buf[m->buf[L2]].mem);
    m->p->buf[m->value].val = graph_const_int(m->p->g, T_s32, 1);
}

static Node *new_node(Maker *m, OpCode op)
{
    Node *n = NEW(m->mem, Node);

    n->op = op;
    n->arg = NEWN(m->mem, Val *, 1);
    n->arg[0] = graph_const_int(m->p->g, T_s32, 1);
    return n;
}

static void make(Maker *m, Soc *soc)
{
    int n = 1 + pick(&m->r, 6);
    Graph *g = graph_new(m->mem, "g");

    m->p = NEW(m->mem, Plan);
    *m->p = (Plan){.mem = m->mem, .g = g, .soc = soc};
    name_mems(m, soc);
    m->node[0] = new_node(m, OP_conv);
    m->node[1] = new_node(m, OP_matmul);
    while (n--)
        put_layer(m);
    m->p->nlayer--;
    put_waits(m, 0);
    m->p->nlayer++;
}

/* ---- playing it ---- */

/* Transfers of DMA and I/O under way. */
static const int most[MOST_ENGINES] = {[ENG_hops] = 14, 8};

typedef struct Player {
    const Plan *plan;
    const Program *p;
    bool *begun;           /* by step: a start that was made */
    int ntoken, *slot;     /* by token; -1: not under way */
    bool *waited;          /* by token */
    int under_way[MOST_ENGINES];
    int open;              /* the step of a kernel at work; -1: none */
    bool before;           /* core 0 has not begun with it */
    const char *wrong;
} Player;

/* The first step to begin of an engine; the plan's length if there is none. */
static int next_start(Player *y, int e)
{
    const Plan *p = y->plan;
    int i;

    for (i = 0; i < p->nstep; i++)
        if (p->step[i].kind == STEP_start && p->step[i].engine == e &&
            !y->begun[i])
            return i;
    return i;
}

/* Has what the plan waits for before step `end` been waited for? */
static bool all_waited(const Player *y, int end)
{
    const Plan *p = y->plan;
    int i;

    for (i = 0; i < end; i++)
        if (p->step[i].kind == STEP_wait && !y->waited[p->step[i].token])
            return false;
    return true;
}

static bool all_begun(const Player *y, int end)
{
    const Plan *p = y->plan;
    int i;

    for (i = 0; i < end; i++)
        if (p->step[i].kind == STEP_start && !y->begun[i])
            return false;
    return true;
}

static const Step *begin(Player *y, int e)
{
    const Plan *p = y->plan;
    int i = next_start(y, e);

    if (i == p->nstep || !all_waited(y, i)) {
        y->wrong = "a record where the plan has no start";
        return NULL;
    }
    y->begun[i] = true;
    return &p->step[i];
}

static bool same_place(const Plan *p, Ref r, const Place *c, int64_t by)
{
    const Buf *b = r.buf < 0 ? NULL : &p->buf[r.buf];

    if (!b)
        return c->kind == PLACE_none && !c->off;
    if (!p->soc->mems[b->mem].mapped)
        return c->kind == PLACE_external && c->mem == b->mem &&
               c->off + by == b->addr + r.off;
    if (b->kind == BUF_const)
        return c->kind == (b->val ? PLACE_page : PLACE_const) &&
               c->buf == r.buf && c->off + by == r.off;
    return c->kind == PLACE_memory && c->mem == b->mem &&
           c->off + by == b->addr + r.off;
}

/* What the plan begins before a kernel has begun when core 0 has done its
 * share, and what belongs to earlier layers before it. */
static void play_finish(Player *y)
{
    if (!y->before)
        y->wrong = "the end of no kernel";
    else if (!all_begun(y, y->open))
        y->wrong = "a transfer that comes too late";
    y->before = false;
}

/* Where cores meet, the kernel is done. */
static void play_meet(Player *y)
{
    if (y->before)
        y->wrong = "a kernel that core 0 forgets";
    if (y->open >= 0)
        y->waited[y->plan->step[y->open].token] = true;
    y->open = -1;
}

static void play_kernel(Player *y, const Rec *c, int turn)
{
    const Step *s;
    int i;

    play_meet(y);
    s = begin(y, ENG_cores);
    if (!s)
        return;
    if (s->node != c->step->node ||
        s->ncore != c->step->ncore ||
        memcmp(&s->dims, &c->step->dims, sizeof s->dims))
        y->wrong = "another kernel";
    for (i = 0; i < 3; i++)
        if (!same_place(y->plan, i < 2 ? s->in[i] : s->out[0], &c->place[i],
                        turn * c->by[i]))
            y->wrong = "a kernel's operand elsewhere";
    if (s->tmp.buf >= 0 && !same_place(y->plan, s->tmp, &c->place[3],
                                       turn * c->by[3]))
        y->wrong = "scratch elsewhere";
    y->open = (int)(s - y->plan->step);
    y->before = true;
    if (c->deferred && s->ncore == 1)
        y->wrong = "core 0 is to be in two places";
    if (!c->deferred)
        play_finish(y);
}

static void play_move(Player *y, const Rec *c, int turn)
{
    const Step *s = begin(y, c->engine);
    bool in = c->in;

    if (!s)
        return;
    if (y->open >= 0 && s->layer < y->plan->step[y->open].layer)
        y->wrong = "a transfer of a layer that is over";
    if (s->move.row * s->move.rows != c->row * c->rows ||
        (c->rows > 1 && (s->move.row != c->row || c->stride != c->row + 3)))
        y->wrong = "another transfer";
    if (!same_place(y->plan, in ? s->move.to : s->move.from, &c->place[0],
                    turn * c->by[0]) ||
        !same_place(y->plan, in ? s->move.from : s->move.to, &c->place[1],
                    turn * c->by[1]))
        y->wrong = "a transfer elsewhere";
    y->slot[s->token] = 16 * c->engine + c->slot;
    if (++y->under_way[c->engine] > most[c->engine])
        y->wrong = "more transfers than an engine takes";
}

/* Has every kernel begun before the plan waits for this token? */
static bool is_due(Player *y, int token)
{
    const Plan *p = y->plan;
    int i, kernel = next_start(y, ENG_cores);

    for (i = 0; i < kernel; i++)
        if (p->step[i].kind == STEP_wait && p->step[i].token == token)
            return true;
    return false;
}

/* What is in the slot has come. */
static void play_wait(Player *y, const Rec *c)
{
    bool full = y->under_way[c->engine] == most[c->engine];
    int i, n = 0;

    for (i = 0; i < y->ntoken; i++) {
        if (y->slot[i] != 16 * c->engine + c->slot)
            continue;
        if (!full && !is_due(y, i))
            y->wrong = "an early wait";
        y->slot[i] = -1;
        y->waited[i] = true;
        y->under_way[c->engine]--;
        n++;
    }
    if (!n)
        y->wrong = "a wait for nothing";
}

static void play_layer(Player *y, int layer)
{
    if (!y->begun[y->plan->layer[layer].last])
        y->wrong = "a layer ends before its last kernel";
}

static void play(Player *y, const Rec *c, int turn)
{
    switch (c->kind) {
    case REC_call:
        play_kernel(y, c, turn);
        if (c->last)
            play_layer(y, c->layer);
        break;
    case REC_move:
        play_move(y, c, turn);
        break;
    case REC_share:
        play_finish(y);
        break;
    case REC_wait:
        play_wait(y, c);
        break;
    case REC_barrier:
        play_meet(y);
        break;
    case REC_layer:
        play_layer(y, c->layer);
        break;
    default:
        break;
    }
}

static void play_all(Player *y)
{
    int i, top = 0, turn = 0;

    for (i = 0; i < y->p->nitem && !y->wrong; i++) {
        const Rec *c = &y->p->item[i];

        if (c->kind == REC_loop)
            top = i;
        else if (c->kind == REC_next && ++turn < y->p->item[top].turns)
            i = top;
        else if (c->kind == REC_next)
            turn = 0;
        else
            play(y, c, turn);
    }
    play_meet(y);
    if (!y->wrong && (!all_begun(y, y->plan->nstep) ||
                      !all_waited(y, y->plan->nstep)))
        y->wrong = "steps that are left";
}

/* The item that begins there; -1: none does. */
static int item_at(const Program *p, Spot s)
{
    int i, word = 0;

    if (s.page == p->npage)
        return s.word ? -1 : p->nitem;
    for (i = p->page[s.page].from; word < s.word; i++)
        word += rec_words(&p->item[i]);
    return word == s.word ? i : -1;
}

/* Has the page the constants that its kernels find there? */
static bool has_values(const Program *p, const Page *q)
{
    int i, k;

    for (i = q->from; i < q->to; i++)
        for (k = 0; k < p->item[i].nplace; k++)
            if (p->item[i].place[k].kind == PLACE_page &&
                page_value(q, p->item[i].place[k].buf) == q->nvalue)
                return false;
    return true;
}

/* Pages hold all items in order, fit, and none ends in a loop. */
static const char *check_pages(const Program *p, int nlayer)
{
    int i, j, at = 0;

    for (i = 0; i < p->npage; i++) {
        const Page *q = &p->page[i];
        int depth = 0;

        if (q->from != at || q->bytes > PAGE_BYTES)
            return "pages";
        if (!has_values(p, q))
            return "a page without a constant";
        for (j = at; j < q->to; j++) {
            RecKind k = p->item[j].kind;

            depth += (k == REC_loop || p->item[j].deferred) -
                     (k == REC_next || k == REC_share);
        }
        if (depth)
            return "a page that ends within a loop or a kernel";
        at = q->to;
    }
    for (i = 0; i <= nlayer; i++)
        if (item_at(p, p->start[i]) != (i ? p->stop[i - 1] : 0))
            return "a layer begins elsewhere";
    return at == p->nitem ? NULL : "items without a page";
}

static const char *check(Arena *mem, const Plan *plan, const Program *p)
{
    Player y = {.plan = plan, .p = p, .open = -1};
    int i;

    for (i = 0; i < plan->nstep; i++)
        y.ntoken = MAX(y.ntoken, plan->step[i].token + 1);
    y.slot = NEWN(mem, int, y.ntoken + 1);
    memset(y.slot, 0xff, (size_t)y.ntoken * sizeof *y.slot);
    y.waited = NEWN(mem, bool, y.ntoken + 1);
    y.begun = NEWN(mem, bool, plan->nstep + 1);
    play_all(&y);
    return y.wrong ? y.wrong : check_pages(p, plan->nlayer);
}

int main(int argc, char **argv)
{
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
    int count = argc > 2 ? atoi(argv[2]) : 100, i, bad = 0;
    long long steps = 0, items = 0, pages = 0;

    for (i = 0; i < count; i++) {
        Arena *mem = arena_new();
        Maker m = {.mem = mem, .r = {seed + (uint64_t)i}};
        const Program *p;
        const char *wrong;

        make(&m, soc_read(mem, "gap8"));
        p = program_make(mem, m.p);
        wrong = check(mem, m.p, p);
        if (wrong)
            printf("seed %llu: %s\n", (unsigned long long)seed + i, wrong);
        bad += wrong != NULL;
        steps += m.p->nstep;
        items += p->nitem;
        pages += p->npage;
        arena_end(mem);
    }
    printf("seed %llu: %d programs of %lld steps in %lld records on %lld pages,"
           " %d wrong\n", (unsigned long long)seed, count, steps, items, pages,
           bad);
    return bad != 0;
}
