/* Plays a plan on bytes, with the evaluator in place of the kernels: what the
 * steps would compute, whatever is printed of them as C.
 *
 * Transfers happen at the worst moment: EARLY ones at their start, LATE ones
 * when they are waited for, what they will overwrite being junk until then; so
 * does the work of cores and accelerators. */
#ifndef PLAY_H
#define PLAY_H

#include "plan/plan.h"

#include <string.h>

typedef enum Moment { EARLY, LATE } Moment;

typedef struct Play {
    Arena *mem;
    const Plan *p;
    unsigned char *space[16]; /* by memory */
    Moment moment;
} Play;

static unsigned char *play_at(Play *y, Ref r)
{
    const Buf *b = &y->p->buf[r.buf];

    if (b->kind == BUF_const)
        return (unsigned char *)b->val->data + r.off;
    return y->space[b->mem] + b->addr + r.off;
}

static void play_move(Play *y, const Move *m)
{
    const unsigned char *from = play_at(y, m->from);
    unsigned char *to = play_at(y, m->to);
    int64_t i;

    for (i = 0; i < m->rows; i++)
        memmove(to + i * m->to_stride, from + i * m->from_stride,
                (size_t)m->row);
}

static void play_junk(Play *y, const Move *m)
{
    unsigned char *to = play_at(y, m->to);
    int64_t i;

    for (i = 0; i < m->rows; i++)
        memset(to + i * m->to_stride, 0xa5, (size_t)m->row);
}

static int64_t piece_stride(const Piece *p, bool close)
{
    return close ? p->row : p->stride;
}

static void *play_read(Play *y, Ref r, const Piece *p, bool close)
{
    unsigned char *x = arena_get(y->mem, (size_t)(p->row * p->rows), 1);
    const unsigned char *from = play_at(y, r);
    int64_t i;

    for (i = 0; i < p->rows; i++)
        memcpy(x + i * p->row, from + i * piece_stride(p, close),
               (size_t)p->row);
    return x;
}

static void play_write(Play *y, Ref r, const Piece *p, bool close,
                       const unsigned char *x)
{
    unsigned char *to = play_at(y, r);
    int64_t i;

    for (i = 0; i < p->rows; i++)
        memcpy(to + i * piece_stride(p, close), x + i * p->row,
               (size_t)p->row);
}

/* Bytes of v from `axis` on. */
static int64_t inner_bytes(const Val *v, int axis)
{
    int64_t n = type_info[v->type].bytes;
    int i;

    for (i = axis; i < v->shape.rank; i++)
        n *= v->shape.dim[i];
    return n;
}

/* All of an argument of a concat to its place in the result. */
static void play_concat(Play *y, const Step *s)
{
    const Node *n = s->node;
    int axis = node_axis(n, n->res[0]->shape.rank), i;
    int64_t row = inner_bytes(n->arg[s->part], axis), before = 0;
    Move m = {.from = s->in[0], .to = s->out[0], .row = row,
              .rows = val_bytes(n->arg[s->part]) / row, .from_stride = row,
              .to_stride = inner_bytes(n->res[0], axis)};

    for (i = 0; i < s->part; i++)
        before += inner_bytes(n->arg[i], axis);
    m.to.off += before;
    play_move(y, &m);
}

static void play_kernel(Play *y, const Step *s)
{
    void *arg[NARG], *res[NRES];
    int i;

    if (s->node->op == OP_concat && s->tile == s->node) {
        play_concat(y, s);
        return;
    }
    for (i = 0; i < s->nin; i++)
        arg[i] = s->in[i].buf < 0 ? NULL
                 : play_read(y, s->in[i], &s->in_piece[i], s->in_packed[i]);
    node_eval(y->mem, s->tile, arg, res);
    for (i = 0; i < s->nout; i++)
        play_write(y, s->out[i], &s->out_piece[i], s->out_packed[i], res[i]);
}

static void play_step(Play *y, const Step *s)
{
    if (step_moves(y->p, s))
        play_move(y, &s->move);
    else
        play_kernel(y, s);
}

static const Step *start_of(const Plan *p, int token)
{
    int i;

    for (i = 0; i < p->nstep; i++)
        if (p->step[i].kind == STEP_start && p->step[i].token == token)
            return &p->step[i];
    die("token %d is nobody's", token);
}

static void play_steps(Play *y)
{
    int i;

    for (i = 0; i < y->p->nstep; i++) {
        const Step *s = &y->p->step[i];
        bool start = s->kind == STEP_start;

        if (start && y->moment == LATE && step_moves(y->p, s))
            play_junk(y, &s->move);
        if (start == (y->moment == EARLY))
            play_step(y, start ? s : start_of(y->p, s->token));
    }
}

/* out: one array per output, of elements. */
__attribute__((unused)) static void play(Arena *a, const Plan *p, Moment moment, void *const *in,
                 void **out)
{
    Play y = {.mem = a, .p = p, .moment = moment};
    const Graph *g = p->g;
    int i;

    for (i = 0; i < p->soc->nmem; i++) {
        y.space[i] = arena_get(a, (size_t)p->used[i] + 1, 1);
        memset(y.space[i], 0x5a, (size_t)p->used[i]);
    }
    for (i = 0; i < g->nin; i++)
        memcpy(play_at(&y, p->place[g->in[i]->id]), in[i],
               (size_t)val_bytes(g->in[i]));
    play_steps(&y);
    for (i = 0; i < g->nout; i++)
        out[i] = play_at(&y, p->place[g->out[i]->id]);
}

#endif
