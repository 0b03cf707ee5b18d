/* The steps of a plan as the program of a team of cores.
 *
 * First the flat list: every step a record, a kernel one with its wait.  Tokens
 * become slots; what is waited for together shares one, and is waited for once.
 * What is to be moved while a kernel works is begun after it.  Then loops: a
 * stretch of records that comes again, every operand each time the same
 * distance further, stands once.  Last pages: stretches that are small enough
 * for a buffer in the nearest memory, none of which ends within a loop or a
 * kernel.  Nor does a layer, so that a run can stop and go on there.  The flat
 * list is the truth: the loops are unrolled again and compared with it. */
#include "gen/gen.h"

#include <string.h>

enum { WORD = 4, PERIOD = 96, LOOPS = 65535 };

/* Transfers that an engine may have under way. */
static const int most[2] = {14, 8}; /* ENG_dma, ENG_io */

typedef struct Slot {
    int count;             /* transfers under way; 0: free */
    int group, age;
} Slot;

enum { LATER = 64 };

typedef struct Maker {
    Gen *g;
    Program *p;
    const Step *later[LATER]; /* transfers that have not begun yet */
    int nlater;
    int *group;            /* by token: what is waited for together */
    Slot slot[2][16];
    int begun;             /* transfers so far */
    bool working;          /* cores may be, when core 0 has gone on */
    int *last;             /* by layer: the record after which it is done */
} Maker;

int code_words(const Code *c)
{
    int moving = c->moving ? c->nplace : 0;

    switch (c->kind) {
    case CODE_run:
        return 5 + c->nplace + moving;
    case CODE_move:
        return (c->rows > 1 ? 6 : 4) + moving;
    case CODE_loop:
        return 2;
    default:
        return 1;
    }
}

/* ---- the flat list ---- */

static Code *new_code(Program *p, CodeKind kind)
{
    GROW(p->mem, p->code, (size_t)p->ncode);
    p->code[p->ncode] = (Code){.kind = kind};
    return &p->code[p->ncode++];
}

/* Constants that cores can address are arrays with addresses of their own. */
static Place place_of(const Maker *m, Ref r)
{
    const Plan *p = m->g->p;
    const Buf *b;

    if (r.buf < 0)
        return (Place){0, -1, 0};
    b = &p->buf[r.buf];
    if (!p->soc->mems[b->mem].mapped)
        return (Place){0, -1, gen_far_at(p, r)};
    if (b->kind == BUF_const)
        return (Place){0, r.buf, r.off};
    return (Place){gen_base(m->g, b->mem), -1, b->addr + r.off};
}

/* Is the number of memories enough? */
static bool can_have_values(const Gen *g)
{
    int i;

    for (i = 0; i < g->p->soc->nmem; i++)
        if (gen_uses(g, i) && g->p->soc->mems[i].mapped &&
            gen_base(g, i) == GEN_IN_PAGE)
            return false;
    return true;
}

/* Where a kernel finds it: what is small comes with the records. */
static Place oper_place(const Maker *m, Ref r)
{
    const Buf *b = r.buf < 0 ? NULL : &m->g->p->buf[r.buf];

    if (b && b->kind == BUF_const && b->val && val_rides(b->val) &&
        m->p->values)
        return (Place){GEN_IN_PAGE, r.buf, 0};
    return place_of(m, r);
}

static Code *put_kernel(Maker *m, const Step *s)
{
    Code *c = new_code(m->p, CODE_run);
    int i;

    c->step = s;
    c->inst = m->g->inst_of[s - m->g->p->step];
    c->nin = MAX(s->nin, s->sig ? s->sig->narg : 0);
    c->nin = MIN(c->nin, NARG);
    for (i = 0; i < c->nin; i++)
        c->place[c->nplace++] = oper_place(m, i < s->nin ? s->in[i]
                                                         : (Ref){-1, 0});
    for (i = 0; i < s->nout; i++)
        c->place[c->nplace++] = place_of(m, s->out[i]);
    if (s->tmp.buf >= 0)
        c->place[c->nplace++] = place_of(m, s->tmp);
    return c;
}

/* The slot of a group, or of group -1 a free one; -1: there is none. */
static int find_slot(const Maker *m, int io, int group)
{
    int i;

    for (i = 0; i < most[io]; i++) {
        const Slot *s = &m->slot[io][i];

        if (group < 0 ? !s->count : s->count && s->group == group)
            return i;
    }
    return -1;
}

static void put_wait(Maker *m, int io, int slot)
{
    Code *c = new_code(m->p, CODE_wait);

    c->io = io;
    c->slot = slot;
    m->slot[io][slot].count = 0;
}

static int under_way(const Maker *m, int io)
{
    int i, n = 0;

    for (i = 0; i < most[io]; i++)
        n += m->slot[io][i].count;
    return n;
}

/* When more are under way than can be, the group that began first is waited
 * for early, which is never wrong. */
static void make_room(Maker *m, int io)
{
    int i, oldest = -1;

    if (under_way(m, io) < most[io])
        return;
    for (i = 0; i < most[io]; i++) {
        const Slot *s = &m->slot[io][i];

        if (s->count && (oldest < 0 || s->age < m->slot[io][oldest].age))
            oldest = i;
    }
    put_wait(m, io, oldest);
}

static int take_slot(Maker *m, int io, int token)
{
    int group = m->group[token], i;

    make_room(m, io);
    i = find_slot(m, io, group);
    if (i < 0) {
        i = find_slot(m, io, -1);
        m->slot[io][i].group = group;
        m->slot[io][i].age = m->begun++;
    }
    m->slot[io][i].count++;
    return i;
}

static int level(const Maker *m, Ref r)
{
    const Plan *p = m->g->p;

    return p->soc->mems[p->buf[r.buf].mem].level;
}

/* Something of a layer is still to be done by the last record. */
static void note_layer(Maker *m, const Step *s)
{
    if (s->layer >= 0 && s->layer < m->g->nlayer)
        m->last[s->layer] = m->p->ncode;
}

/* What comes now may ask for the last kernel's results, or for its place. */
static void put_meet(Maker *m)
{
    if (m->working)
        new_code(m->p, CODE_meet);
    m->working = false;
}

/* Rows that lie without gaps are one. */
static void put_move(Maker *m, const Step *s)
{
    const Move *v = &s->move;
    bool in = level(m, v->to) < level(m, v->from);
    bool io = s->engine == ENG_io;
    int slot = take_slot(m, io, s->token);
    Code *c;

    if (v->row <= 0 || v->rows <= 0)
        die("a transfer of nothing");
    put_meet(m);
    c = new_code(m->p, CODE_move);
    *c = (Code){.kind = CODE_move, .step = s, .io = io, .in = in,
                .slot = slot, .row = v->row, .rows = v->rows, .nplace = 2,
                .stride = in ? v->from_stride : v->to_stride};
    if (c->stride == c->row) {
        c->row *= c->rows;
        c->rows = 1;
    }
    c->place[0] = place_of(m, in ? v->to : v->from);
    c->place[1] = place_of(m, in ? v->from : v->to);
    note_layer(m, s);
}

static void begin_later(Maker *m)
{
    int i;

    for (i = 0; i < m->nlater; i++)
        put_move(m, m->later[i]);
    m->nlater = 0;
}

/* The cores had better not wait for core 0 to begin transfers: it does so when
 * they are at work, unless it would be too late, or the layer over by then. */
static bool can_wait(const Maker *m, const Step *kernel)
{
    int i;

    for (i = 0; i < m->nlater; i++)
        if (m->later[i]->layer < kernel->layer)
            return false;
    return kernel->ncore > 1 && m->nlater > 0;
}

static void put_work(Maker *m, const Step *s)
{
    bool open = can_wait(m, s);

    if (!open)
        begin_later(m);
    put_kernel(m, s)->open = open;
    m->working = false;
    if (open) {
        begin_later(m);
        new_code(m->p, CODE_finish);
    }
    m->working = true;
    note_layer(m, s);
}

static void put_start(Maker *m, int i)
{
    const Plan *p = m->g->p;
    const Step *s = &p->step[i];

    if (s->engine == ENG_io) {
        put_move(m, s);
    } else if (s->engine == ENG_dma) {
        if (m->nlater == LATER)
            begin_later(m);
        m->later[m->nlater++] = s;
    } else {
        if (i + 1 == p->nstep || s[1].kind != STEP_wait ||
            s[1].token != s->token)
            die("a kernel that is not waited for at once");
        put_work(m, s);
        if (p->layer[s->layer].last == i)
            new_code(m->p, CODE_layer)->layer = s->layer;
    }
}

static bool is_later(const Maker *m, int group)
{
    int i;

    for (i = 0; i < m->nlater; i++)
        if (m->group[m->later[i]->token] == group)
            return true;
    return false;
}

static void put_waits(Maker *m, const Step *s)
{
    int io = s->engine == ENG_io, i;

    if (s->engine == ENG_core)
        return;
    if (io || is_later(m, m->group[s->token]))
        begin_later(m);
    i = find_slot(m, io, m->group[s->token]);
    if (i >= 0)
        put_wait(m, io, i);
}

/* Transfers between the near memories that are waited for one after the other
 * are a group, known by the last start before their waits; any other is one of
 * its own. */
static void find_groups(Maker *m)
{
    const Plan *p = m->g->p;
    int i, start = 0, tokens = 0;

    for (i = 0; i < p->nstep; i++)
        tokens = MAX(tokens, p->step[i].token + 1);
    m->group = NEWN(m->p->mem, int, tokens + 1);
    for (i = 0; i < p->nstep; i++) {
        const Step *s = &p->step[i];

        if (s->kind == STEP_start)
            m->group[s->token] = p->nstep + (start = i);
        else if (s->engine == ENG_dma)
            m->group[s->token] = start;
    }
}

static void flatten(Maker *m)
{
    const Plan *p = m->g->p;
    int i;

    find_groups(m);
    m->last = NEWN(m->p->mem, int, m->g->nlayer + 1);
    for (i = 0; i < p->nstep; i++) {
        const Step *s = &p->step[i];

        if (s->kind == STEP_start)
            put_start(m, i);
        else
            put_waits(m, s);
    }
    begin_later(m);
}

/* A layer's end, for those who go step by step, is after its last record and
 * all earlier layers' ends. */
static void mark_ends(Maker *m)
{
    Program *p = m->p;
    int i, at = 0;

    p->end = NEWN(p->mem, int, m->g->nlayer + 1);
    for (i = 0; i < m->g->nlayer; i++) {
        at = MAX(at, m->last[i]);
        while (at < p->ncode && p->code[at].kind == CODE_layer &&
               p->code[at].layer <= i)
            at++;
        p->end[i] = at;
    }
    if (m->g->nlayer)
        p->end[m->g->nlayer - 1] = p->ncode;
}

/* ---- loops ---- */

static bool same_kernel(const Gen *g, const Code *a, const Code *b)
{
    const Step *s = a->step, *t = b->step;

    return a->inst == b->inst && a->nin == b->nin && s->ncore == t->ncore &&
           s->nout == t->nout && s->tmp_bytes == t->tmp_bytes &&
           (s->tmp.buf < 0) == (t->tmp.buf < 0) && gen_same_dims(g, s, t);
}

/* Alike but for the distances of their operands. */
static bool same_code(const Gen *g, const Code *a, const Code *b)
{
    int i;

    if (a->kind != b->kind || a->slot != b->slot || a->nplace != b->nplace ||
        a->open != b->open || a->kind == CODE_layer)
        return false;
    for (i = 0; i < a->nplace; i++)
        if (a->place[i].base != b->place[i].base ||
            a->place[i].buf != b->place[i].buf)
            return false;
    if (a->kind == CODE_move)
        return a->io == b->io && a->in == b->in && a->row == b->row &&
               a->rows == b->rows && (a->rows == 1 || a->stride == b->stride);
    if (a->kind == CODE_run)
        return same_kernel(g, a, b);
    return a->io == b->io;
}

/* Records are compared with many others: those that are alike get a number. */
static void number_codes(const Gen *g, Program *p)
{
    enum { SLOTS = 1024 };
    int *first = NEWN(p->mem, int, SLOTS), i, k; /* + 1, by slot */
    int *next = NEWN(p->mem, int, p->ncode + 1);

    for (i = 0; i < p->ncode; i++) {
        Code *c = &p->code[i];
        int64_t key[] = {c->kind, c->slot, c->row, c->rows, c->inst,
                         c->nplace ? c->place[0].buf : 0};
        int *slot = &first[hash_mem(key, sizeof key) % SLOTS];

        for (k = *slot; k && !same_code(g, &p->code[k - 1], c);)
            k = next[k - 1];
        c->alike = k ? k : i + 1;
        if (!k) {
            next[i] = *slot;
            *slot = i + 1;
        }
    }
}

static bool same_stretch(const Code *a, const Code *b, int n)
{
    int i;

    for (i = 0; i < n; i++)
        if (a[i].alike != b[i].alike)
            return false;
    return true;
}

/* Is b as far from a as a from the record before it, both `n` apart? */
static bool same_distance(const Code *before, const Code *a, const Code *b)
{
    int i;

    for (i = 0; i < a->nplace; i++)
        if (b->place[i].off - a->place[i].off !=
            a->place[i].off - before->place[i].off)
            return false;
    return true;
}

/* How often the n records at c come, up to `left` records on. */
static int count_turns(const Code *c, int n, int left)
{
    int turns = 1, i;

    while ((turns + 1) * n <= left && turns < LOOPS) {
        const Code *b = c + turns * n;

        if (!same_stretch(b - n, b, n))
            break;
        for (i = 0; turns > 1 && i < n; i++)
            if (!same_distance(&b[i - 2 * n], &b[i - n], &b[i]))
                return turns;
        turns++;
    }
    return turns;
}

static void set_moving(Code *c, const Code *next)
{
    int i;

    for (i = 0; i < c->nplace; i++) {
        c->by[i] = next->place[i].off - c->place[i].off;
        c->moving |= c->by[i] != 0;
    }
}

/* Kernels that begin within end within. */
static bool is_balanced(const Code *c, int n)
{
    bool open = false;
    int i;

    for (i = 0; i < n; i++) {
        if (c[i].kind == CODE_finish && !open)
            return false;
        open = c[i].open || (open && c[i].kind != CODE_finish);
    }
    return !open;
}

static int count_values(const Code *c)
{
    int i, n = 0;

    for (i = 0; i < c->nplace; i++)
        n += c->place[i].base == GEN_IN_PAGE;
    return n;
}

/* Words that a loop saves; with what its body takes in a page. */
static int64_t saved_by(const Code *c, int n, int turns, int64_t *bytes)
{
    int64_t words = 0, body = 3;
    int i;

    *bytes = 0;
    for (i = 0; i < n; i++) {
        Code one = c[i];

        words += code_words(&one);
        set_moving(&one, &c[i + n]);
        body += code_words(&one);
        if (c[i].kind == CODE_run)
            *bytes += dims_of(c[i].step->node->op)->size +
                      WORD * count_values(&c[i]);
    }
    *bytes += WORD * body;
    return turns * words - body;
}

/* The best loop that begins at c: its period, or 0. */
static int find_loop(const Code *c, int left, int *turns)
{
    int64_t best = 0, saved, bytes;
    int n, found = 0, t;

    for (n = 1; n <= PERIOD && 2 * n <= left; n++) {
        if (c->alike != c[n].alike || !is_balanced(c, n))
            continue;
        t = count_turns(c, n, left);
        if (t < 2)
            continue;
        saved = saved_by(c, n, t, &bytes);
        if (saved > best && bytes <= GEN_PAGE - WORD) {
            best = saved;
            found = n;
            *turns = t;
        }
    }
    return found;
}

/* The kernel that items end with, if it is in no loop; NULL: none. */
static Code *last_kernel(Program *p)
{
    int i = p->nitem - 1;

    if (i >= 0 && p->item[i].kind == CODE_finish)
        while (p->item[i].kind != CODE_run)
            i--;
    return i >= 0 && p->item[i].kind == CODE_run ? &p->item[i] : NULL;
}

/* A layer ends with its last kernel. */
static void add_item(Program *p, Code c)
{
    Code *k = c.kind == CODE_layer ? last_kernel(p) : NULL;

    if (k && !k->last) {
        k->last = true;
        k->layer = c.layer;
        return;
    }
    GROW(p->mem, p->item, (size_t)p->nitem);
    p->item[p->nitem++] = c;
}

static void add_loop(Program *p, const Code *c, int n, int turns)
{
    int i;

    add_item(p, (Code){.kind = CODE_loop, .turns = turns});
    for (i = 0; i < n; i++) {
        Code one = c[i];

        set_moving(&one, &c[i + n]);
        add_item(p, one);
    }
    add_item(p, (Code){.kind = CODE_next});
}

static void roll_stretch(Program *p, int from, int to)
{
    int n, turns;

    while (from < to) {
        const Code *c = &p->code[from];

        n = find_loop(c, to - from, &turns);
        if (n) {
            add_loop(p, c, n, turns);
            from += n * turns;
            continue;
        }
        add_item(p, *c);
        from++;
    }
}

/* Loops, of the flat list. */
static void code_roll(const Gen *g, Program *p)
{
    int i, from = 0;

    number_codes(g, p);
    p->stop = NEWN(p->mem, int, g->nlayer + 1);
    for (i = 0; i < g->nlayer; i++) {
        roll_stretch(p, from, p->end[i]);
        p->stop[i] = p->nitem;
        from = p->end[i];
    }
}

/* ---- back again ---- */

/* The records as the loops say them, one by one. */
static void unroll(const Program *p, Program *out)
{
    const Code *last = NULL;
    int i, top = 0, turn = 0, k;

    for (i = 0; i < p->nitem; i++) {
        const Code *c = &p->item[i];

        if (c->kind == CODE_loop) {
            top = i;
        } else if (c->kind == CODE_next) {
            if (++turn < p->item[top].turns)
                i = top;
            else
                turn = 0;
        } else {
            Code *d = new_code(out, c->kind);

            *d = *c;
            for (k = 0; k < c->nplace; k++)
                d->place[k].off += turn * c->by[k];
            last = c->last ? c : last;
            if (last && (c->kind == CODE_finish || !last->open)) {
                new_code(out, CODE_layer)->layer = last->layer;
                last = NULL;
            }
        }
    }
}

/* Are they the same as the flat list? */
static bool code_check(const Gen *g, const Program *p)
{
    Program out = {.mem = p->mem};
    int i, k;

    unroll(p, &out);
    if (out.ncode != p->ncode)
        return false;
    for (i = 0; i < p->ncode; i++) {
        const Code *a = &p->code[i], *b = &out.code[i];

        if (a->kind == CODE_layer ? b->kind != CODE_layer ||
                                    a->layer != b->layer
                                  : !same_code(g, a, b))
            return false;
        for (k = 0; k < a->nplace; k++)
            if (a->place[k].off != b->place[k].off)
                return false;
    }
    return true;
}

/* ---- pages ---- */

static Page *new_page(Program *p, int from)
{
    GROW(p->mem, p->page, (size_t)p->npage);
    p->page[p->npage] = (Page){.from = from, .to = from, .bytes = WORD};
    return &p->page[p->npage++];
}

/* Records that must stay together: a loop, a kernel from start to finish. */
static int group_end(const Program *p, int i)
{
    const Code *c = &p->item[i];
    CodeKind end = c->kind == CODE_loop ? CODE_next
                   : c->open ? CODE_finish : c->kind;

    while (p->item[i].kind != end)
        i++;
    return i + 1;
}

/* Where the page has what c's kernel is told; its number, or -1. */
static int find_dims(const Gen *g, const Program *p, const Page *q,
                     const Code *c)
{
    int i;

    for (i = 0; i < q->ndims; i++)
        if (gen_same_dims(g, p->item[q->dims[i]].step, c->step))
            return i;
    return -1;
}

static int64_t dims_bytes(const Code *c)
{
    return dims_of(c->step->node->op)->size;
}

static void add_dims(const Gen *g, Program *p, Page *q, int i)
{
    Code *c = &p->item[i];

    c->dims = find_dims(g, p, q, c);
    if (c->dims >= 0)
        return;
    c->dims = q->ndims;
    GROW(p->mem, q->dims, (size_t)q->ndims);
    q->dims[q->ndims++] = i;
    q->bytes += dims_bytes(c);
}

int page_value(const Page *q, int buf)
{
    int i;

    for (i = 0; i < q->nvalue && q->value[i] != buf; i++)
        ;
    return i;
}

static void add_values(Program *p, Page *q, const Code *c)
{
    int i;

    for (i = 0; i < c->nplace; i++) {
        int buf = c->place[i].buf;

        if (c->place[i].base != GEN_IN_PAGE || page_value(q, buf) < q->nvalue)
            continue;
        GROW(p->mem, q->value, (size_t)q->nvalue);
        q->value[q->nvalue++] = buf;
        q->bytes += WORD;
    }
}

/* Puts items [i, end) on page q if they fit. */
static bool fill(const Gen *g, Program *p, Page *q, int i, int end)
{
    Page was = *q;
    int j;

    for (j = i; j < end; j++) {
        Code *c = &p->item[j];

        q->bytes += WORD * code_words(c);
        q->words += code_words(c);
        if (c->kind != CODE_run)
            continue;
        add_dims(g, p, q, j);
        add_values(p, q, c);
    }
    q->to = end;
    if (q->bytes <= GEN_PAGE)
        return true;
    if (was.from == was.to)
        die("a record of %lld bytes", (long long)q->bytes);
    *q = was;
    return false;
}

/* Items [i, end) on the last page, or on one more; the word they begin with. */
static int place_group(const Gen *g, Program *p, int i, int end)
{
    Page *q = p->npage ? &p->page[p->npage - 1] : NULL;
    int word = q ? q->words : 0;

    if (q && fill(g, p, q, i, end))
        return word;
    fill(g, p, new_page(p, i), i, end);
    return 0;
}

static void code_pages(const Gen *g, Program *p)
{
    int layer = 0, i, end, word;

    p->start = NEWN(p->mem, Spot, g->nlayer + 1);
    for (i = 0; i < p->nitem; i = end) {
        end = group_end(p, i);
        word = place_group(g, p, i, end);
        for (; layer <= g->nlayer && (!layer || p->stop[layer - 1] <= i);
             layer++)
            p->start[layer] = (Spot){p->npage - 1, word};
    }
    for (; layer <= g->nlayer; layer++)
        p->start[layer] = (Spot){p->npage, 0};
}

static Program *make_program(Gen *g)
{
    Program *p = NEW(g->mem, Program);
    Maker m = {.g = g, .p = p};

    p->mem = g->mem;
    p->values = can_have_values(g);
    flatten(&m);
    mark_ends(&m);
    code_roll(g, p);
    code_pages(g, p);
    return p;
}

Program *gen_program(Gen *g)
{
    Program *p = make_program(g);

    if (!code_check(g, p))
        die("loops differ from the steps they stand for");
    return p;
}

/* Of a plan as it is now; NULL: not for a team. */
static const Program *program_of(Arena *mem, const Plan *p)
{
    static const GenOpts o = {.name = "net"};
    Gen *g = gen_begin(mem, p, &o);

    if (!gen_team(g))
        return NULL;
    gen_instances(g);
    return make_program(g);
}

int64_t gen_program_bytes(const Plan *p)
{
    enum { ENTRY = 2 * WORD + sizeof(int16_t), /* of the table of pages */
           ENDS = 1152 }; /* what moves inputs and outputs in pieces */
    Arena *mem = arena_new();
    const Program *q = program_of(mem, p);
    int64_t sum = q ? ENTRY * (q->npage + 1) : 0;
    int i;

    for (i = 0; q && i < q->npage; i++)
        sum += q->page[i].bytes;
    arena_end(mem);
    return sum + (gen_far_ends(p) ? ENDS : 0);
}

/* A page may begin with a loop, or with a wait. */
void gen_program_turns(const Plan *p, bool *turn)
{
    Arena *mem = arena_new();
    const Program *q = program_of(mem, p);
    int i, k;

    for (i = 1; q && i < q->npage; i++) {
        for (k = q->page[i].from; k < q->nitem && !q->item[k].step;)
            k++;
        if (k < q->nitem)
            turn[q->item[k].step - p->step] = true;
    }
    arena_end(mem);
}
