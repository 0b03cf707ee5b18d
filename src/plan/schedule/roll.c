/* Loops in a program: a stretch of records that comes again, every operand
 * each time the same distance further, stands once.  None spans two layers, so
 * that a run can stop and go on between them. */
#include "plan/plan.h"

enum { WORD = 4, PERIOD = 96, LOOPS = 65535 };

static bool same_kernel(const Rec *a, const Rec *b)
{
    const Step *s = a->step, *t = b->step;

    return a->inst == b->inst && a->nin == b->nin && s->ncore == t->ncore &&
           s->nout == t->nout && s->tmp_bytes == t->tmp_bytes &&
           (s->tmp.buf < 0) == (t->tmp.buf < 0) && step_same_dims(s, t);
}

/* Alike but for the distances of their operands. */
bool rec_alike(const Rec *a, const Rec *b)
{
    int i;

    if (a->kind != b->kind || a->slot != b->slot ||
        a->engine != b->engine || a->nplace != b->nplace ||
        a->deferred != b->deferred || a->kind == REC_layer)
        return false;
    for (i = 0; i < a->nplace; i++)
        if (a->place[i].kind != b->place[i].kind ||
            a->place[i].mem != b->place[i].mem ||
            a->place[i].buf != b->place[i].buf)
            return false;
    if (a->kind == REC_move)
        return a->in == b->in && a->row == b->row &&
               a->rows == b->rows && (a->rows == 1 || a->stride == b->stride);
    return !rec_is_kernel(a) || same_kernel(a, b);
}

/* Equal for records that are alike. */
static uint64_t hash_rec(const Rec *c)
{
    int64_t key[6 + NPLACE] = {c->kind, c->slot, c->row, c->rows, c->inst};
    int i;

    if (rec_is_kernel(c))
        key[5] = (int64_t)hash_mem(
            &c->step->dims, (size_t)dims_of(c->step->node->op)->size);
    for (i = 0; i < c->nplace; i++)
        key[6 + i] = (int64_t)c->place[i].buf * 256 +
                     c->place[i].mem * 16 + c->place[i].kind;
    return hash_mem(key, (size_t)(6 + i) * sizeof *key);
}

/* Records are compared with many others: those that are alike get a number. */
static void number_records(Program *q)
{
    int slots = q->ncode + 1, i, k;
    int *first = NEWN(q->mem, int, slots); /* + 1, by slot */
    int *next = NEWN(q->mem, int, q->ncode + 1);

    for (i = 0; i < q->ncode; i++) {
        Rec *c = &q->code[i];
        int *slot;

        c->alike = i + 1;
        if (c->kind == REC_layer) /* like no other */
            continue;
        slot = &first[hash_rec(c) % (uint64_t)slots];
        for (k = *slot; k && !rec_alike(&q->code[k - 1], c);)
            k = next[k - 1];
        if (k) {
            c->alike = k;
            continue;
        }
        next[i] = *slot;
        *slot = i + 1;
    }
}

static bool same_stretch(const Rec *a, const Rec *b, int n)
{
    int i;

    for (i = 0; i < n; i++)
        if (a[i].alike != b[i].alike)
            return false;
    return true;
}

/* Is b as far from a as a from the record before it, both `n` apart? */
static bool same_distance(const Rec *before, const Rec *a, const Rec *b)
{
    int i;

    for (i = 0; i < a->nplace; i++)
        if (b->place[i].off - a->place[i].off !=
            a->place[i].off - before->place[i].off)
            return false;
    return true;
}

/* How often the n records at c come, up to `left` records on. */
static int count_turns(const Rec *c, int n, int left)
{
    int turns = 1, i;

    while ((turns + 1) * n <= left && turns < LOOPS) {
        const Rec *b = c + turns * n;

        if (!same_stretch(b - n, b, n))
            break;
        for (i = 0; turns > 1 && i < n; i++)
            if (!same_distance(&b[i - 2 * n], &b[i - n], &b[i]))
                return turns;
        turns++;
    }
    return turns;
}

/* Is an operand elsewhere on the next turn? */
static bool moves(const Rec *c, const Rec *next)
{
    int i;

    for (i = 0; i < c->nplace; i++)
        if (next->place[i].off != c->place[i].off)
            return true;
    return false;
}

static void set_moving(Rec *c, const Rec *next)
{
    int i;

    for (i = 0; i < c->nplace; i++)
        c->by[i] = next->place[i].off - c->place[i].off;
    c->moving = moves(c, next);
}

/* Kernels that begin within end within. */
static bool is_balanced(const Rec *c, int n)
{
    bool open = false;
    int i;

    for (i = 0; i < n; i++) {
        if (c[i].kind == REC_share && !open)
            return false;
        open = c[i].deferred || (open && c[i].kind != REC_share);
    }
    return !open;
}

static int count_values(const Rec *c)
{
    int i, n = 0;

    for (i = 0; i < c->nplace; i++)
        n += c->place[i].kind == PLACE_page;
    return n;
}

/* Words that a loop saves; with what its body takes in a page. */
static int64_t saved_by(const Rec *c, int n, int turns, int64_t *bytes)
{
    int64_t words = 0, body = 3;
    int i;

    *bytes = 0;
    for (i = 0; i < n; i++) {
        const int one = rec_words(&c[i]);

        words += one;
        body += one + (moves(&c[i], &c[i + n]) ? c[i].nplace : 0);
        if (rec_is_kernel(&c[i]))
            *bytes += dims_of(c[i].step->node->op)->size +
                      WORD * count_values(&c[i]);
    }
    *bytes += WORD * body;
    return turns * words - body;
}

/* The best loop that begins at c: its period, or 0. */
static int find_loop(const Rec *c, int left, int *turns)
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
        if (saved > best && bytes <= PAGE_BYTES - WORD) {
            best = saved;
            found = n;
            *turns = t;
        }
    }
    return found;
}

/* The kernel that items end with, if it is in no loop; NULL: none. */
static Rec *last_kernel(Program *q)
{
    int i = q->nitem - 1;

    if (i >= 0 && q->item[i].kind == REC_share)
        while (q->item[i].kind != REC_call)
            i--;
    return i >= 0 && q->item[i].kind == REC_call ? &q->item[i] : NULL;
}

/* A layer ends with its last kernel. */
static void add_item(Program *q, Rec c, int flat)
{
    Rec *k = c.kind == REC_layer ? last_kernel(q) : NULL;

    if (k && !k->last) {
        k->last = true;
        k->layer = c.layer;
        return;
    }
    REGROW(q->mem, q->item, (size_t)q->nitem);
    c.flat = flat;
    q->item[q->nitem++] = c;
}

/* What a record does on each turn of a loop of n. */
static const Step **steps_of(Program *q, const Rec *c, int n, int turns)
{
    const Step **each;
    int i;

    if (!c->step)
        return NULL;
    each = NEWN(q->mem, const Step *, turns);
    for (i = 0; i < turns; i++)
        each[i] = c[i * n].step;
    return each;
}

static void add_loop(Program *q, const Rec *c, int n, int turns)
{
    int i;
    int flat = (int)(c - q->code);

    add_item(q, (Rec){.kind = REC_loop, .pos = -1, .turns = turns}, flat);
    for (i = 0; i < n; i++) {
        Rec one = c[i];

        set_moving(&one, &c[i + n]);
        one.each = steps_of(q, &c[i], n, turns);
        one.neach = one.each ? turns : 0;
        add_item(q, one, flat + i);
    }
    add_item(q, (Rec){.kind = REC_next, .pos = -1}, flat + n * turns);
}

static void roll_stretch(Program *q, int from, int to)
{
    int n, turns;

    while (from < to) {
        const Rec *c = &q->code[from];

        n = find_loop(c, to - from, &turns);
        if (n) {
            add_loop(q, c, n, turns);
            from += n * turns;
            continue;
        }
        add_item(q, *c, from++);
    }
}

/* Without a team a layer is a function, and every record stands by itself; with
 * one where that is asked for. */
void program_roll(Program *q)
{
    const bool roll = q->team && !q->p->straight;
    int i, k, from = 0;

    if (roll)
        number_records(q);
    q->stop = NEWN(q->mem, int, q->p->nlayer + 1);
    for (i = 0; i < q->p->nlayer; i++) {
        if (roll)
            roll_stretch(q, from, q->end[i]);
        else
            for (k = from; k < q->end[i]; k++)
                add_item(q, q->code[k], k);
        q->stop[i] = q->nitem;
        from = q->end[i];
    }
}
