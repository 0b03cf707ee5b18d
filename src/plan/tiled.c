/* A plan for a chip with DMA: homes and tiles, steps, addresses, in turn until
 * the addresses fit.  Where a packing is higher than its memory, the layers
 * that live at its top get less room, and homes and tiles are chosen anew. */
#include "plan/tiling.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 16 };

static int mem_at(const Soc *soc, int level)
{
    int i;

    for (i = 0; i < soc->nmem; i++)
        if (soc->mems[i].level == level && soc->mems[i].holds & HOLDS_buffers)
            return i;
    return -1;
}

bool tiled_fits(const Soc *soc)
{
    /* Until code generation and verification follow: a switch. */
    return getenv("TILEWRIGHT_TILE") && soc_next(soc, "dma", NULL) && mem_at(soc, 1) >= 0 &&
           mem_at(soc, 2) >= 0;
}

static Speed speed_of(const Soc *soc)
{
    const Item *dma = soc_next(soc, "dma", NULL);

    return (Speed){
        .setup = item_int(dma, "setup", 4) + 12,
        .per_cycle = item_num(dma, "bytes_per_cycle", 8),
        .start = 30, .call = 150,
        .far = soc->mems[mem_at(soc, 2)].latency,
    };
}

typedef struct Rooms {
    int64_t *near, *next; /* by work */
} Rooms;

static Rooms new_rooms(Tiler *t, int64_t near, int64_t next)
{
    Rooms r = {NEWN(t->mem, int64_t, t->nwork + 1),
               NEWN(t->mem, int64_t, t->nwork + 1)};
    int i;

    for (i = 0; i < t->nwork; i++) {
        r.near[i] = near;
        r.next[i] = next;
    }
    return r;
}

static void forget_ways(Tiler *t)
{
    int i, k;

    for (i = 0; i < t->nwork; i++)
        for (k = 0; k < 1 << t->work[i].nstore; k++)
            t->work[i].ways[k] = (Ways){0};
}

static bool solves(Tiler *t, int64_t near, int64_t next)
{
    Rooms r = new_rooms(t, near, next);

    t->room = near;
    forget_ways(t);
    return solve_homes(t, r.near, r.next).found;
}

/* The least room of one memory with which there is a solution; -1: none. */
static int64_t least_room(Tiler *t, bool of_next, int64_t other)
{
    int64_t lo = 0, hi = 1024;

    while (hi < INT64_C(1) << 40 &&
           !(of_next ? solves(t, other, hi) : solves(t, hi, other)))
        hi *= 2;
    if (hi >= INT64_C(1) << 40)
        return -1;
    while (hi - lo > 1) {
        int64_t mid = lo + (hi - lo) / 2;

        if (of_next ? solves(t, other, mid) : solves(t, mid, other))
            hi = mid;
        else
            lo = mid;
    }
    return hi;
}

_Noreturn static void refuse(Tiler *t, int64_t near, int64_t next)
{
    Str needs = {.mem = t->p->mem};
    int64_t least = least_room(t, true, near);

    if (least >= 0) {
        say_need(t->p, t->next, "buffers", least, next, &needs);
    } else {
        least = least_room(t, false, next);
        say_need(t->p, t->near, "buffers", least, near, &needs);
    }
    no_room(t->p, needs.s);
}

/* A plan's steps and buffers anew. */
static void clear_plan(Plan *p)
{
    int i;

    for (i = 0; i < p->nbuf && p->buf[i].kind == BUF_const; i++)
        ;
    p->nstep = p->nlayer = p->nbuf = 0;
    p->stack = p->weights = 0;
    memset(p->consts, 0, sizeof p->consts);
}

static void set_homes(Tiler *t, const Solution *sol, const int *buf)
{
    int i;

    for (i = 0; i < t->s->nstore; i++)
        if (buf[i] >= 0 && t->p->buf[buf[i]].kind != BUF_const)
            t->p->buf[buf[i]].mem = sol->far[i] ? t->next : t->near;
}

/* Less room where more lives than fits, so that the next try is another. */
static bool shrink(Tiler *t, int mem, int64_t *room, int64_t over)
{
    const Plan *p = t->p;
    int64_t *live = NEWN(t->mem, int64_t, t->nwork + 1), most = 0;
    int i, k;

    for (i = 0; i < p->nbuf; i++) {
        const Buf *b = &p->buf[i];
        int last = -1;

        if (b->kind == BUF_const || b->mem != mem)
            continue;
        for (k = MAX(0, b->from); k < MIN(b->to, p->nstep); k++)
            if (p->step[k].layer != last) {
                last = p->step[k].layer;
                live[last] += b->size;
            }
    }
    for (i = 0; i < t->nwork; i++)
        most = MAX(most, live[i]);
    for (i = 0; i < t->nwork; i++)
        if (live[i] > most - over - most / 32)
            room[i] = MIN(room[i], live[i]) - MAX(over / 2, 64);
    return most > 0;
}

/* Steps and addresses of a solution; false: too high, and rooms are less. */
static bool try_solution(Tiler *t, const Solution *sol, const PlanOpts *o,
                         Rooms *r)
{
    Plan *p = t->p;
    int *buf = NEWN(t->mem, int, t->s->nstore + 1);
    int64_t over[2];

    clear_plan(p);
    plan_bufs(p, t->s, buf);
    place_consts(p, o);
    set_homes(t, sol, buf);
    emit_steps(t, sol);
    plan_lives(p);
    over[0] = place_at_home(p, t->near) - p->room[t->near];
    over[1] = place_at_home(p, t->next) - p->room[t->next];
    if (over[0] > 0)
        shrink(t, t->near, r->near, over[0]);
    if (over[1] > 0)
        shrink(t, t->next, r->next, over[1]);
    return over[0] <= 0 && over[1] <= 0;
}

void tiled_plan(Plan *p, Stores *s, const PlanOpts *o)
{
    Tiler t = {.mem = p->mem, .p = p, .s = s, .speed = speed_of(p->soc),
               .near = mem_at(p->soc, 1), .next = mem_at(p->soc, 2)};
    int64_t bound = 0;
    Solution sol;
    Rooms r;
    int i;

    t.chooser = chooser_new(p->mem, p->soc, o);
    tiler_works(&t);
    plan_bufs(p, s, NEWN(p->mem, int, s->nstore + 1));
    place_consts(p, o);
    p->room[t.near] = room_for_buffers(p, t.near, o);
    p->room[t.next] = room_for_buffers(p, t.next, o);
    t.room = p->room[t.near];
    r = new_rooms(&t, t.room, p->room[t.next]);
    for (i = 0; i < ROUNDS; i++) {
        sol = solve_homes(&t, r.near, r.next);
        if (!sol.found)
            break;
        bound = i ? bound : sol.cycles;
        if (try_solution(&t, &sol, o, &r))
            break;
    }
    if (!sol.found || i == ROUNDS)
        refuse(&t, p->room[t.near], p->room[t.next]);
    p->ram = p->used[t.near] + p->used[t.next];
    p->bound = p->ram;
    p->gap = sol.cycles ? (double)(sol.cycles - bound) / (double)sol.cycles
                        : 0;
    plan_cost(p, &t.speed);
}
