/* A memory and an address for every buffer.
 *
 * Constants go to memories that hold weights, those that hold nothing else of
 * ours first; where memories differ in how long cores wait for them, what comes
 * from memory most often chooses first.  Buffers go to the nearest memory as
 * long as it can take them; what is too much there at some time, the bytes least
 * worked on, goes to the next.  Each memory is packed alone (pack.c).
 *
 * The last memory of a round takes whatever is left, and says how much it
 * lacks for that.  If it lacks anything, every other memory has its turn at
 * being last: what the others take then does not depend on its size, so giving
 * it exactly what it lacked is enough. */
#include "plan/plan.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

int64_t plan_missing[16];

enum { NMEM = 16 };
enum { SOON = 20000, LONGER = 200000 }; /* nodes of search */

typedef struct Placer {
    Plan *p;
    Arena *mem;
    double *heat;       /* by buffer: bytes moved per byte, of all steps */
    int *in;            /* by buffer: its memory; -1: none yet */
    PackItem *item;     /* those of one memory, and which buffers they are */
    int *which;
    int64_t *sum;       /* live bytes by step, + 1 */
} Placer;

static int64_t round_up(int64_t v, int64_t align)
{
    return (v + align - 1) / align * align;
}

/* Bytes of a memory that buffers may take. */
static int64_t room_for_buffers(const Plan *p, int m, const PlanOpts *o)
{
    const Mem *mem = &p->soc->mems[m];
    bool flash = !(mem->holds & HOLDS_buffers);
    int64_t room;

    if (flash)
        return 0;
    if (o->limit[m] >= 0)
        return o->limit[m];
    room = mem->size - mem->reserved - mem->program;
    return MAX(0, room - p->consts[m]);
}

/* Constants that may have to share the memory are taken off, and a little that
 * a packing may need beyond the sum of live bytes. */
int64_t near_room(const Plan *p, const PlanOpts *o)
{
    int64_t most = 0, consts = 0;
    int i, level = INT_MAX;
    const Val *v;

    for (v = p->g->vals; v; v = v->next)
        consts += v->data ? val_bytes(v) : 0;
    for (i = 0; i < p->soc->nmem; i++) {
        const Mem *m = &p->soc->mems[i];
        int64_t room = room_for_buffers(p, i, o);

        if (!(m->holds & HOLDS_buffers) || !m->mapped || m->level > level)
            continue;
        if (m->holds & HOLDS_weights && o->limit[i] < 0)
            room -= consts;
        most = m->level < level ? room : MAX(most, room);
        level = m->level;
    }
    return most - most / 16;
}

int64_t all_room(const Plan *p, const PlanOpts *o)
{
    int64_t sum = 0;
    int i;

    for (i = 0; i < p->soc->nmem; i++)
        if (p->soc->mems[i].mapped)
            sum += room_for_buffers(p, i, o);
    return sum;
}

int64_t room_for_consts(const Plan *p, int m, const PlanOpts *o)
{
    const Mem *mem = &p->soc->mems[m];

    if (!(mem->holds & HOLDS_weights))
        return 0;
    if (o->limit[m] >= 0 && !(mem->holds & HOLDS_buffers))
        return o->limit[m];
    return mem->size - mem->reserved - mem->program;
}

/* Memories that hold `what` and that cores can reach, nearest first; those
 * that also hold `after` come after all that do not. */
static int list_mems(const Plan *p, unsigned what, unsigned after, int *list)
{
    const Mem *mems = p->soc->mems;
    int i, j, n = 0;

    for (i = 0; i < p->soc->nmem; i++) {
        if (!(mems[i].holds & what) || !mems[i].mapped)
            continue;
        for (j = n++; j; j--) {
            const Mem *q = &mems[list[j - 1]];
            bool later = (q->holds & after) && !(mems[i].holds & after);

            if (!later && (q->level <= mems[i].level ||
                           (!(q->holds & after) && (mems[i].holds & after))))
                break;
            list[j] = list[j - 1];
        }
        list[j] = i;
    }
    return n;
}

/* Less than nothing, where code takes more than there is. */
static int64_t real_room(const Plan *p, int m, int64_t room)
{
    const Mem *mem = &p->soc->mems[m];

    return room ? room : MIN(0, mem->size - mem->reserved - mem->program -
                                p->consts[m]);
}

/* "RAM needs 700 bytes for buffers, has 512: 188 bytes are missing" */
void say_need(const Plan *p, int m, const char *what, int64_t need,
              int64_t room, Str *out)
{
    str_fmt(out, "; %s needs %lld bytes for %s, has %lld",
            p->soc->mems[m].name, (long long)need, what,
            (long long)MAX(0, room));
    if (p->soc->mems[m].program)
        str_fmt(out, " beside %lld of code",
                (long long)p->soc->mems[m].program);
    room = real_room(p, m, room);
    if (need > room) {
        plan_missing[m] = need - room;
        str_fmt(out, ": %lld bytes are missing", (long long)(need - room));
    }
}

_Noreturn void no_room(const Plan *p, const char *needs)
{
    err(ERR_FIT, "%s does not fit target %s%s", p->g->name, p->soc->name,
        needs);
}

typedef struct Wanted {
    int buf;
    double often; /* bytes that come from memory, by byte */
} Wanted;

static int by_often(const void *a, const void *b)
{
    const Wanted *x = a, *y = b;

    if (x->often != y->often)
        return x->often > y->often ? -1 : 1;
    return x->buf - y->buf;
}

/* Buffers in the order in which they choose their memories: as they come, or
 * where memories differ by what cores wait for them, those first of which most
 * comes from memory, by byte. */
static Wanted *order_consts(const Plan *p, const int *list, int n)
{
    Wanted *w = NEWN(p->mem, Wanted, p->nbuf + 1);
    int i, j;

    for (i = 0; i < p->nbuf; i++)
        w[i].buf = i;
    for (i = 1; i < n && mem_fill(p->soc, list[i]) <=
                         mem_fill(p->soc, list[0]); i++)
        ;
    if (i >= n)
        return w;
    for (i = 0; i < p->nstep; i++)
        for (j = 0; p->step[i].kind == STEP_start && j < p->step[i].nin; j++) {
            int b = p->step[i].in[j].buf;

            if (b >= 0 && p->buf[b].kind == BUF_const && p->buf[b].size)
                w[b].often += (double)step_missed(p, &p->step[i], j) /
                              (double)p->buf[b].size;
        }
    qsort(w, (size_t)p->nbuf, sizeof *w, by_often);
    return w;
}

void place_consts(Plan *p, const PlanOpts *o)
{
    int list[NMEM], n = list_mems(p, HOLDS_weights, HOLDS_buffers, list);
    const Wanted *order = order_consts(p, list, n);
    Str needs = {.mem = p->mem};
    bool lacks = false;
    int i, j, m;

    memset(plan_missing, 0, sizeof plan_missing);
    for (i = 0; i < p->nbuf; i++) {
        Buf *b = &p->buf[order[i].buf];
        int64_t at = 0;

        if (b->kind != BUF_const)
            continue;
        p->weights += b->size;
        if (!n)
            err(ERR_FIT, "target %s has no memory for weights", p->soc->name);
        for (j = 0; j < n; j++) {
            m = list[j];
            b->align = MAX(b->align, p->soc->mems[m].align);
            at = round_up(p->consts[m], b->align);
            if (at + b->size <= room_for_consts(p, m, o) || j == n - 1)
                break;
        }
        b->mem = list[j];
        b->addr = at;
        p->consts[b->mem] = at + b->size;
    }
    for (j = 0; j < n; j++) {
        int64_t room = room_for_consts(p, list[j], o);

        say_need(p, list[j], "weights", p->consts[list[j]], room, &needs);
        lacks |= p->consts[list[j]] > room;
    }
    if (lacks)
        no_room(p, needs.s);
}

static void count_heat(Placer *w)
{
    const Plan *p = w->p;
    int i, j;

    for (i = 0; i < p->nstep; i++) {
        const Step *s = &p->step[i];

        for (j = 0; s->kind == STEP_start && j < s->nin; j++)
            if (s->in[j].buf >= 0)
                w->heat[s->in[j].buf] += (double)s->in_bytes[j];
        for (j = 0; s->kind == STEP_start && j < s->nout; j++)
            w->heat[s->out[j].buf] += (double)s->out_bytes[j];
    }
    for (i = 0; i < p->nbuf; i++)
        if (p->buf[i].size)
            w->heat[i] /= (double)p->buf[i].size;
}

static int list_items(Placer *w, int m)
{
    const Plan *p = w->p;
    int i, n = 0;

    for (i = 0; i < p->nbuf; i++) {
        const Buf *b = &p->buf[i];

        if (w->in[i] != m)
            continue;
        w->which[n] = i;
        w->item[n++] = (PackItem){
            .lower = b->from, .upper = b->to, .size = b->size,
            .align = MAX(b->align, p->soc->mems[m].align),
        };
    }
    return n;
}

/* Were the same items searched long before, for as much room?  Plans are tried
 * again and again that differ in another memory. */
static bool was_in_vain(const Plan *p, uint64_t key)
{
    int i;

    for (i = 0; i < MIN(p->nvain, (int)LEN(p->vain)); i++)
        if (p->vain[i] == key)
            return true;
    return false;
}

/* Packs what is in memory m, as low as is soon found; only if that is too high
 * for it, but need not be, longer.  Returns the height; *n buffers, w->which,
 * have their addresses in w->item. */
static int64_t pack_mem(Placer *w, int m, int *n)
{
    Plan *p = w->p;
    int64_t room = p->room[m];
    uint64_t key;
    PackResult r;

    *n = list_items(w, m);
    key = hash_mem(w->item, (size_t)*n * sizeof *w->item) ^ (uint64_t)room;
    r = pack(w->mem, w->item, *n, 0, SOON);
    if (r.height > room && r.bound <= room && !was_in_vain(p, key)) {
        int64_t height = r.height;

        r = pack(w->mem, w->item, *n, room, LONGER);
        if (r.height <= room)
            return r.height;
        p->vain[p->nvain++ % (int)LEN(p->vain)] = key;
        r = pack(w->mem, w->item, *n, 0, SOON);
        if (r.height != height)
            die("the same packing twice is not the same");
    }
    return r.height;
}

/* The most bytes that live in memory m at one time, and (*at) when. */
static int64_t most_live(const Placer *w, int m, int *at)
{
    const Plan *p = w->p;
    int64_t most = 0, live = 0;
    int i, t;

    memset(w->sum, 0, (size_t)(p->nstep + 3) * sizeof *w->sum);
    for (i = 0; i < p->nbuf; i++)
        if (w->in[i] == m) {
            w->sum[p->buf[i].from + 1] += p->buf[i].size;
            w->sum[p->buf[i].to + 1] -= p->buf[i].size;
        }
    for (t = -1; t <= p->nstep; t++) {
        live += w->sum[t + 1];
        if (live > most) {
            most = live;
            *at = t;
        }
    }
    return most;
}

/* The least worked on, per byte, of the buffers in memory m at that time. */
static int least_used(const Placer *w, int m, int at)
{
    const Plan *p = w->p;
    int i, best = -1;

    for (i = 0; i < p->nbuf; i++) {
        const Buf *b = &p->buf[i];

        if (w->in[i] != m || b->from > at || at >= b->to || !b->size)
            continue;
        if (best < 0 || w->heat[i] < w->heat[best] ||
            (w->heat[i] == w->heat[best] && b->size > p->buf[best].size))
            best = i;
    }
    return best;
}

/* Fills memory m with what has no memory yet; what is too much is left. */
static void fill_mem(Placer *w, int m)
{
    const Plan *p = w->p;
    int i, n, out, at = 0;

    for (i = 0; i < p->nbuf; i++)
        if (w->in[i] < 0 && p->buf[i].kind != BUF_const &&
            p->buf[i].size <= p->room[m])
            w->in[i] = m;
    while (most_live(w, m, &at) > p->room[m] ||
           pack_mem(w, m, &n) > p->room[m]) {
        out = least_used(w, m, at);
        if (out < 0)
            die("nothing to move out of a full memory");
        w->in[out] = -1;
    }
}

static void keep_addresses(Placer *w, int m)
{
    Plan *p = w->p;
    int i, n;

    p->used[m] = pack_mem(w, m, &n);
    for (i = 0; i < n; i++) {
        Buf *b = &p->buf[w->which[i]];

        b->mem = m;
        b->align = (int)w->item[i].align;
        b->addr = w->item[i].offset;
    }
}

/* One round with memory `last` as the last; returns what it lacks. */
static int64_t try_round(Placer *w, const int *list, int n, int last)
{
    int i, count;

    for (i = 0; i < w->p->nbuf; i++)
        w->in[i] = -1;
    for (i = 0; i < n; i++)
        if (i != last)
            fill_mem(w, list[i]);
    for (i = 0; i < w->p->nbuf; i++)
        if (w->in[i] < 0 && w->p->buf[i].kind != BUF_const)
            w->in[i] = list[last];
    return pack_mem(w, list[last], &count) - w->p->room[list[last]];
}

static void count_used(Placer *w, const int *list, int n)
{
    Plan *p = w->p;
    int i;

    for (i = 0; i < n; i++)
        keep_addresses(w, list[i]);
    for (i = 0; i < n; i++)
        p->ram += p->used[list[i]];
}

/* All memories as the round with memory `last` as the last leaves them. */
_Noreturn static void refuse(Placer *w, const int *list, int n, int last)
{
    Str needs = {.mem = w->p->mem};
    int i;

    try_round(w, list, n, last);
    count_used(w, list, n);
    for (i = 0; i < n; i++)
        say_need(w->p, list[i], "buffers", w->p->used[list[i]],
                 w->p->room[list[i]], &needs);
    str_fmt(&needs, " (at one time at least %lld bytes are live)",
            (long long)w->p->bound);
    no_room(w->p, needs.s);
}

static Placer *new_placer(Plan *p, Arena *mem)
{
    Placer *w = NEW(mem, Placer);

    *w = (Placer){.p = p, .mem = mem};
    w->heat = NEWN(mem, double, p->nbuf + 1);
    w->in = NEWN(mem, int, p->nbuf + 1);
    w->item = NEWN(mem, PackItem, p->nbuf + 1);
    w->which = NEWN(mem, int, p->nbuf + 1);
    w->sum = NEWN(mem, int64_t, p->nstep + 3);
    return w;
}

void pack_consts(Plan *p, const PlanOpts *o)
{
    Str needs = {.mem = p->mem};
    bool lacks = false;
    int i;

    memset(plan_missing, 0, sizeof plan_missing);
    for (i = 0; i < p->nbuf; i++) {
        Buf *b = &p->buf[i];
        const Mem *m = &p->soc->mems[b->mem];

        if (b->kind != BUF_const)
            continue;
        b->align = MAX(b->align, m->align);
        b->addr = round_up(p->consts[b->mem], b->align);
        p->consts[b->mem] = b->addr + b->size;
        p->weights += b->size;
    }
    for (i = 0; i < p->soc->nmem; i++) {
        int64_t room = room_for_consts(p, i, o);

        if (p->consts[i] > room) {
            say_need(p, i, "weights", p->consts[i], room, &needs);
            lacks = true;
        }
    }
    if (lacks)
        no_room(p, needs.s);
}

int64_t pack_memory(Plan *p, int m)
{
    Placer *w = new_placer(p, arena_new());
    int i;

    for (i = 0; i < p->nbuf; i++)
        w->in[i] = p->buf[i].kind == BUF_const ? -1 : p->buf[i].mem;
    keep_addresses(w, m);
    arena_end(w->mem);
    return p->used[m];
}

void place_buffers(Plan *p, const PlanOpts *o)
{
    Placer *w = new_placer(p, arena_new());
    int list[NMEM], n = list_mems(p, HOLDS_buffers, 0, list);
    int64_t lacks = 1, least = INT64_MAX;
    int i, best = 0;

    if (!n)
        err(ERR_FIT, "target %s has no memory for buffers", p->soc->name);
    count_heat(w);
    for (i = 0; i < p->soc->nmem; i++)
        p->room[i] = room_for_buffers(p, i, o);
    for (i = n - 1; i >= 0 && lacks > 0; i--) {
        lacks = try_round(w, list, n, i);
        if (lacks < least) {
            least = lacks;
            best = i;
        }
    }
    if (lacks > 0)
        refuse(w, list, n, best);
    count_used(w, list, n);
    arena_end(w->mem);
}
