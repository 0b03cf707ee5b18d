/* All chips together on this machine: each runs to its next exchange, which is
 * made when all are there. */
#include "shard/shard.h"

#include <string.h>

static bool is_exchange(const Node *n)
{
    return op_info[n->op].family == FAM_exchange;
}

static const Node *next_exchange(const Node *n)
{
    while (n && !is_exchange(n))
        n = n->next;
    return n;
}

/* What has the same shape on all chips. */
static Shape given(const Node *n)
{
    Shape s = (exchange_moves(n->op) && n->op != OP_halo ? n->res[0]
                                                         : n->arg[0])->shape;

    if (n->op == OP_halo)
        s.dim[node_axis(n, s.rank)] = attr_at(n, A_count, 0, 0);
    return s;
}

static bool same_way(const Node *a, const Node *b)
{
    const int64_t *x, *y;
    int n = attr_list(a, A_step, &x), m = attr_list(b, A_step, &y);

    return n == m && (!n || !memcmp(x, y, (size_t)n * sizeof *x));
}

/* What chips send of their shares beside work begins and ends alike. */
static bool same_piece(const Node *a, const Node *b)
{
    return a->op != OP_gathersend ||
           (attr_at(a, A_start, 0, 0) == attr_at(b, A_start, 0, 0) &&
            shape_same(a->arg[0]->shape, b->arg[0]->shape));
}

static bool same_exchange(const Node *a, const Node *b)
{
    const Val *x = a->arg[0], *y = b->arg[0];

    return a->op == b->op && attr_int(a, A_p0) == attr_int(b, A_p0) &&
           x->type == y->type && shape_same(given(a), given(b)) &&
           node_axis(a, x->shape.rank) == node_axis(b, y->shape.rank) &&
           attr_int(a, A_p3) == attr_int(b, A_p3) && same_way(a, b) &&
           same_piece(a, b);
}

bool vals_same(const Val *v, const Val *w)
{
    int64_t i;

    if (!shape_same(v->shape, w->shape))
        return false;
    if (v->type == w->type)
        return !memcmp(v->data, w->data, (size_t)val_bytes(v));
    for (i = 0; i < val_count(v); i++)
        if (val_int(v, i) != val_int(w, i))
            return false;
    return true;
}

bool shard_same(const Shard *s, int chip, int out, const Eval *whole,
                const Eval *part)
{
    int at = shard_out(s, chip, out);
    Val v = *s->whole->out[out], w;

    if (at < 0)
        return true;
    w = *s->g[chip]->out[at];
    v.data = shard_data(s, s->out[out], &v,
                        v.data ? v.data : whole->data[v.id], chip);
    v.shape = shard_shape(s, s->out[out], v.shape, chip);
    w.data = w.data ? w.data : part->data[w.id];
    return vals_same(&v, &w);
}

static int64_t halo(const Node *n, int k)
{
    return n ? attr_at(n, A_start, k, 0) : 0;
}

/* What chip a gives to b, which is behind it (or NULL), is what b makes room
 * for, and where; and back. */
static bool halos_meet(const Node *a, const Node *b)
{
    int axis = node_axis(a ? a : b, RANK);

    if ((a ? a : b)->op != OP_halo)
        return true;
    return halo(a, HALO_down) == halo(b, HALO_before) &&
           halo(a, HALO_after) == halo(b, HALO_up) &&
           (!a || !b || halo(b, HALO_at) == halo(a, HALO_before) +
                                                a->arg[0]->shape.dim[axis]);
}

/* Rows that neighbours give and take are the same. */
static const char *check_halos(Arena *mem, const Shard *s)
{
    int i;

    for (i = 0; i <= s->o.chips; i++) {
        const Node *a = i ? next_exchange(s->g[i - 1]->first) : NULL;
        const Node *b = i < s->o.chips ? next_exchange(s->g[i]->first) : NULL;

        for (; a || b; a = a ? next_exchange(a->next) : NULL,
                       b = b ? next_exchange(b->next) : NULL)
            if (!halos_meet(a, b))
                return arena_fmt(mem, "rows of '%s' that chips %d and %d "
                                 "exchange differ", (a ? a : b)->name, i - 1,
                                 i);
    }
    return NULL;
}

const char *shard_check(Arena *mem, const Shard *s)
{
    int i;

    if (s->stage)
        return shard_check_stages(mem, s);

    for (i = 1; i < s->o.chips; i++) {
        const Node *a = next_exchange(s->g[0]->first);
        const Node *b = next_exchange(s->g[i]->first);

        for (; a && b; a = next_exchange(a->next), b = next_exchange(b->next))
            if (!same_exchange(a, b))
                return arena_fmt(mem, "chip %d makes exchange '%s' where chip "
                                 "0 makes '%s'", i, b->name, a->name);
        if (a || b)
            return arena_fmt(mem, "chip %d has no exchange '%s'", a ? i : 0,
                             a ? a->name : b->name);
    }
    return check_halos(mem, s);
}

typedef struct Chip {
    void **data; /* by id */
    const Node *at;
} Chip;

static void run_node(Arena *mem, Chip *c, const Node *n)
{
    void **arg = NEWN(mem, void *, n->narg + 1);
    int i;

    for (i = 0; i < n->narg; i++)
        if (n->arg[i])
            arg[i] = n->arg[i]->data ? n->arg[i]->data
                                     : c->data[n->arg[i]->id];
    node_eval(mem, n, arg, &c->data[n->res[0]->id]);
}

/* Adds what chips put into a sum; each then has it. */
static void add_all(const Shard *s, Chip *c)
{
    int64_t i, n = val_count(c[0].at->res[0]), sum;
    int k;

    for (i = 0; i < n; i++) {
        for (sum = 0, k = 0; k < s->o.chips; k++)
            sum += ((int32_t *)c[k].data[c[k].at->res[0]->id])[i];
        for (k = 0; k < s->o.chips; k++)
            ((int32_t *)c[k].data[c[k].at->res[0]->id])[i] = (int32_t)sum;
    }
}

/* The same, of which each chip takes its share. */
static void add_parts(Arena *mem, const Shard *s, Chip *c)
{
    const Node *n = c[0].at;
    const Val *x = n->arg[0];
    int64_t i, count = val_count(x);
    Cut cut = {.axis = node_axis(n, x->shape.rank), .parts = attr_int(n, A_p3)};
    int32_t *sum = NEWN(mem, int32_t, count + 1);
    int k;

    for (k = 0; k < s->o.chips; k++) {
        const Val *own = c[k].at->arg[0];
        Val v = *own;

        v.data = own->data ? own->data : c[k].data[own->id];
        for (i = 0; i < count; i++)
            sum[i] = (int32_t)((uint32_t)sum[i] + (uint32_t)val_int(&v, i));
    }
    for (k = 0; k < s->o.chips; k++)
        c[k].data[c[k].at->res[0]->id] =
            shard_data(s, cut, &(Val){.type = T_s32, .shape = x->shape}, sum,
                       k);
}

/* Each chip gets its share of what the others have in x, first of the one before
 * it. */
static void send_parts(const Shard *s, Chip *c)
{
    const Node *n = c[0].at;
    const Val *x = n->arg[0];
    Cut cut = {.axis = node_axis(n, x->shape.rank), .parts = attr_int(n, A_p3)};
    int k, i;

    for (k = 0; k < s->o.chips; k++) {
        const Val *y = c[k].at->res[0];
        int64_t row = y->shape.dim[1] * type_info[T_s32].bytes;

        for (i = 1; i < s->o.chips; i++) {
            const Chip *from = &c[(k + s->o.chips - i) % s->o.chips];

            memcpy((char *)c[k].data[y->id] + (i - 1) * row,
                   shard_data(s, cut, x, from->data[from->at->arg[0]->id], k),
                   (size_t)row);
        }
    }
}

/* Copies each chip's share to all others. */
static void share_all(const Shard *s, Chip *c)
{
    const Node *n = c[0].at;
    const Val *y = n->res[0];
    int axis = node_axis(n, y->shape.rank), k, to;
    Cut cut = {.axis = axis, .parts = attr_int(n, A_p3)};
    int64_t outer = shape_product(y->shape, 0, axis), i, from, end;
    int64_t row = shape_product(y->shape, axis + 1, y->shape.rank) *
                  type_info[y->type].bytes;

    for (k = 0; k < s->o.chips; k++) {
        shard_part(s, cut, y->shape.dim[axis], k, &from, &end);
        if (n->op == OP_gathersend) {
            from += attr_at(n, A_start, 0, 0);
            end = from + n->arg[0]->shape.dim[axis];
        }
        for (i = 0; i < outer; i++)
            for (to = 0; to < s->o.chips; to++) {
                int64_t at = (i * y->shape.dim[axis] + from) * row;

                if (to != k)
                    memcpy((char *)c[to].data[c[to].at->res[0]->id] + at,
                           (char *)c[k].data[c[k].at->res[0]->id] + at,
                           (size_t)((end - from) * row));
            }
    }
}

/* n rows of `from` from row a on to rows of `to` from b on. */
static void copy_rows(const Chip *from, int64_t a, const Chip *to, int64_t b,
                      int64_t n)
{
    const Val *x = from->at->arg[0], *y = to->at->res[0];
    int axis = node_axis(to->at, y->shape.rank);
    int64_t i, outer = shape_product(y->shape, 0, axis);
    int64_t row = shape_product(y->shape, axis + 1, y->shape.rank) *
                  type_info[y->type].bytes;
    const char *given = x->data ? x->data : from->data[x->id];

    for (i = 0; i < outer; i++)
        memcpy((char *)to->data[y->id] + (i * y->shape.dim[axis] + b) * row,
               given + (i * x->shape.dim[axis] + a) * row, (size_t)(n * row));
}

static void swap_halos(const Shard *s, const Chip *c)
{
    int k;

    for (k = 0; k + 1 < s->o.chips; k++) {
        const Node *n = c[k].at;
        int64_t rows = n->arg[0]->shape.dim[node_axis(n, RANK)];
        int64_t down = halo(n, HALO_down), up = halo(n, HALO_after);

        copy_rows(&c[k], rows - down, &c[k + 1], 0, down);
        copy_rows(&c[k + 1], 0, &c[k], halo(c[k + 1].at, HALO_at), up);
    }
}

static void begin(const Shard *s, Chip *c, int chip, void *const *in)
{
    Graph *g = s->g[chip];
    int i;

    graph_number(g);
    c->data = NEWN(s->mem, void *, graph_nval(g) + 1);
    c->at = g->first;
    for (i = 0; i < g->nin; i++)
        c->data[g->in[i]->id] = shard_data(s, s->in[i], s->whole->in[i],
                                           in[i], chip);
}

/* What a chip of a pipeline takes has been given before. */
static void take_from(const Chip *last, const Graph *g, const Chip *c)
{
    Chip from = *last;
    int64_t n = halo(c->at, HALO_before);

    if (!n)
        return;
    for (from.at = g->first; !is_exchange(from.at) ||
         attr_int(from.at, A_p0) != attr_int(c->at, A_p0);
         from.at = from.at->next)
        ;
    copy_rows(&from, 0, c, 0, n);
}

/* A chip after the other, each to its end. */
static void run_stages(Arena *mem, const Shard *s, Chip *c)
{
    int i;

    for (i = 0; i < s->o.chips; i++)
        for (; c[i].at; c[i].at = c[i].at->next) {
            run_node(mem, &c[i], c[i].at);
            if (i && is_exchange(c[i].at))
                take_from(&c[i - 1], s->g[i - 1], &c[i]);
        }
}

/* All chips to their next exchange; false: they are at the end. */
static bool step(Arena *mem, const Shard *s, Chip *c)
{
    int i;

    for (i = 0; i < s->o.chips; i++) {
        for (; c[i].at && !is_exchange(c[i].at); c[i].at = c[i].at->next)
            run_node(mem, &c[i], c[i].at);
        if (c[i].at)
            run_node(mem, &c[i], c[i].at);
    }
    if (!c[0].at)
        return false;
    if (c[0].at->op == OP_partsend)
        send_parts(s, c);
    else if (c[0].at->op == OP_partsum)
        add_parts(mem, s, c);
    else if (c[0].at->op == OP_allsum)
        add_all(s, c);
    else if (c[0].at->op == OP_allgather || c[0].at->op == OP_gathersend)
        share_all(s, c);
    else if (c[0].at->op == OP_halo)
        swap_halos(s, c);
    for (i = 0; i < s->o.chips; i++)
        c[i].at = c[i].at->next;
    return true;
}

Eval **shard_eval(Arena *mem, const Shard *s, void *const *in)
{
    Chip *c = NEWN(mem, Chip, s->o.chips);
    Eval **out = NEWN(mem, Eval *, s->o.chips);
    const char *wrong = shard_check(mem, s);
    int i;

    if (wrong)
        die("%s", wrong);
    for (i = 0; i < s->o.chips; i++)
        begin(s, &c[i], i, in);
    if (s->stage)
        run_stages(mem, s, c);
    while (step(mem, s, c))
        ;
    for (i = 0; i < s->o.chips; i++) {
        out[i] = NEW(mem, Eval);
        *out[i] = (Eval){mem, c[i].data};
    }
    return out;
}
