/* The graph of one chip, from the shares that were decided. */
#include "shard/build.h"

#include <string.h>

Band shard_band(const Shard *s, Cut c, int64_t dim, int chip)
{
    int64_t part = dim / MAX(c.parts, 1);

    if (c.axis < 0)
        return (Band){0, dim};
    if (c.band)
        return c.band[chip];
    return (Band){chip * c.parts / s->o.chips * part,
                  (chip + 1) * c.parts / s->o.chips * part};
}

void shard_part(const Shard *s, Cut c, int64_t dim, int chip, int64_t *from,
                int64_t *to)
{
    Band b = shard_band(s, c, dim, chip);

    *from = b.from;
    *to = b.to;
}

Shape shard_shape(const Shard *s, Cut c, Shape whole, int chip)
{
    int64_t from, to;

    if (c.axis < 0)
        return whole;
    shard_part(s, c, whole.dim[c.axis], chip, &from, &to);
    whole.dim[c.axis] = to - from;
    return whole;
}

void *shard_data(const Shard *s, Cut c, const Val *v, const void *data,
                 int chip)
{
    size_t size = (size_t)type_info[v->type].bytes, row, part;
    int64_t i, outer, from, to;
    char *y;

    if (c.axis < 0)
        return memcpy(arena_get(s->mem, (size_t)val_count(v) + 1, size), data,
                      (size_t)val_bytes(v));
    shard_part(s, c, v->shape.dim[c.axis], chip, &from, &to);
    outer = shape_product(v->shape, 0, c.axis);
    row = (size_t)shape_product(v->shape, c.axis + 1, v->shape.rank) * size;
    part = (size_t)(to - from) * row;
    y = arena_get(s->mem, (size_t)outer + 1, part + 1);
    for (i = 0; i < outer; i++)
        memcpy(y + (size_t)i * part,
               (const char *)data + (size_t)(i * v->shape.dim[c.axis] + from) *
                   row, part);
    return y;
}

static Val *constant(Build *b, const Val *v, Cut c)
{
    Val *y = graph_const(b->g, v->name, v->type,
                         shard_shape(b->s, c, v->shape, b->chip),
                         shard_data(b->s, c, v, v->data, b->chip));

    val_range(y);
    y->scale = v->scale;
    y->zero = v->zero;
    return y;
}

void build_note(Build *b, Exchange e)
{
    Shard *s = b->s;

    if (b->chip)
        return;
    GROW(s->mem, s->exchange, (size_t)s->nexchange);
    s->exchange[s->nexchange++] = e;
}

Val *build_exchange(Build *b, OpCode op, const char *layer, Val *x, Val *room)
{
    Val *arg[] = {x, room};
    Node *n = graph_node(b->g, NULL, op,
                         arena_fmt(b->g->mem, "%s_%s", layer, op_info[op].name),
                         room ? 2 : 1, arg);

    attr_set_int(b->g, n, A_p0, exchange_ends(op) ? attr_int(room->def, A_p0)
                                                   : b->tag++);
    attr_set_int(b->g, n, A_p1, b->chip);
    attr_set_int(b->g, n, A_p2, b->s->o.chips);
    return n->res[0];
}

void build_moved(Build *b, Node *n, const Val *v, Cut c)
{
    attr_set_int(b->g, n, A_axis, c.axis);
    attr_set_list(b->g, n, A_count, 1, &v->shape.dim[c.axis]);
    attr_set_int(b->g, n, A_p3, c.parts);
    if (val_is_int(v)) {
        attr_set_int(b->g, n, A_lo, v->lo);
        attr_set_int(b->g, n, A_hi, v->hi);
    }
    node_infer(b->g, n);
}

/* x: this chip's share of v, or of a piece of it. */
static Val *gathered_at_once(Build *b, const Val *v, Cut c, Val *x)
{
    Val *y = build_exchange(b, OP_allgather, v->name, x, NULL);

    build_moved(b, y->def, v, c);
    build_note(b, (Exchange){.layer = v->name, .bytes = val_bytes(y)});
    return y;
}

Val *build_slice(Build *b, Val *x, int axis, int64_t from, Shape to)
{
    int64_t start[RANK] = {0}, step[RANK];
    Node *n = graph_node(b->g, NULL, OP_slice, NULL, 1, &x);
    int i;

    for (i = 0; i < RANK; i++)
        step[i] = 1;
    start[axis] = from;
    attr_set_list(b->g, n, A_start, x->shape.rank, start);
    attr_set_list(b->g, n, A_step, x->shape.rank, step);
    attr_set_shape(b->g, n, A_count, to);
    node_infer(b->g, n);
    return n->res[0];
}

Val *build_join(Build *b, const char *name, int axis, int n, Val **piece)
{
    Node *y = graph_node(b->g, NULL, OP_concat, name, n, piece);

    attr_set_int(b->g, y, A_axis, axis);
    node_infer(b->g, y);
    return y->res[0];
}

/* The longest axis beside that of a cut. */
static int other_axis(Shape s, int axis)
{
    int i, other = -1;

    for (i = 0; i < s.rank; i++)
        if (i != axis && !s.vary[i].num &&
            (other < 0 || s.dim[i] > s.dim[other]))
            other = i;
    return other;
}

Val *build_pieces(Build *b, const Val *v, Cut c, Val *x, int64_t bytes,
                  Val *(*make)(Build *, const Val *, Cut, Val *))
{
    int axis = other_axis(v->shape, c.axis), pieces = 1, i;
    Shape s = x->shape;
    Val **piece;
    int64_t len;

    while (b->s->o.room && axis >= 0 && bytes / pieces > b->s->o.room &&
           v->shape.dim[axis] % (2 * pieces) == 0)
        pieces *= 2;
    if (pieces == 1)
        return make(b, v, c, x);
    len = s.dim[axis] /= pieces;
    piece = NEWN(b->g->mem, Val *, pieces);
    for (i = 0; i < pieces; i++)
        piece[i] = make(b, v, c, build_slice(b, x, axis, i * len, s));
    return build_join(b, v->name, axis, pieces, piece);
}

/* Of what is cut as `is` says what c says of it. */
static Val *sliced(Build *b, Val *x, int64_t dim, Cut is, Cut c)
{
    Band has = shard_band(b->s, is, dim, b->chip);
    Band want = shard_band(b->s, c, dim, b->chip);
    Shape s = x->shape;

    if (has.from == want.from && has.to == want.to)
        return x;
    s.dim[c.axis] = want.to - want.from;
    return build_slice(b, x, c.axis, want.from - has.from, s);
}

static Cut parts_alone(Cut c)
{
    c.band = NULL;
    return c;
}

static Val *gathered(Build *b, const Val *v, Cut is)
{
    Cut c = parts_alone(is);
    int64_t n = b->s->o.chips, share = (c.parts + n - 1) / n;
    Pieces p = beside_pieces(b->s, v, NULL);
    Val *x;

    if (p.n > 1)
        return beside_build(b, v, &p);
    x = sliced(b, b->has[v->id], v->shape.dim[c.axis], is, c);
    return build_pieces(b, v, c, x, val_bytes(v) / c.parts * (c.parts + share),
                        gathered_at_once);
}

static Val *once(Build *b, const Val *v, Cut is, Val **made,
                 Val *(*make)(Build *, const Val *, Cut))
{
    if (!made[v->id])
        made[v->id] = make(b, v, is);
    return made[v->id];
}

/* v as c says. */
static Val *get(Build *b, const Val *v, Cut c)
{
    Cut is = b->s->at[v->id], all = {.axis = -1};
    int64_t dim = c.axis < 0 ? 0 : v->shape.dim[c.axis];
    Val *x;

    if (v->data)
        return constant(b, v, c);
    switch (shard_reshard(b->s, v, c)) {
    case RESHARD_none:
        return b->has[v->id];
    case RESHARD_slice:
        return sliced(b, b->has[v->id], dim, is, c);
    case RESHARD_halo:
        x = once(b, v, is, b->wide, halo_build);
        return sliced(b, x, dim, halo_cut(b, v, is), c);
    default:
        x = once(b, v, is, b->whole, gathered);
        return c.axis < 0 ? x : sliced(b, x, dim, all, c);
    }
}

Val *build_operand(Build *b, const Share *h, int i)
{
    return get(b, h->node->arg[i], h->arg[i]);
}

/* Numbers in attributes that a share changes. */
static void set_shares(Build *b, Node *y, const Share *h)
{
    const Node *n = h->node;
    Shape local = shard_shape(b->s, h->res, n->res[0]->shape, b->chip);
    int64_t group = attr_int(n, A_group), from, to;

    if (h->res.axis < 0)
        return;
    if (is_image(n) && h->res.axis == image_axis(n))
        halo_pads(b, y, h);
    if (n->op == OP_reshape || n->op == OP_expand)
        attr_set_shape(b->g, y, A_shape, local);
    if (n->op == OP_slice)
        attr_set_shape(b->g, y, A_count, local);
    if (n->op == OP_conv && group > 1 && h->arg[1].axis >= 0) {
        shard_part(b->s, h->res, group, b->chip, &from, &to);
        attr_set_int(b->g, y, A_group, to - from);
    }
}

Node *build_part(Build *b, const Share *h, Val **arg)
{
    const Node *n = h->node;
    Node *y;

    if (n->op == OP_scatternd && h->res.axis >= 0) /* places in the share */
        arg[1] = build_slice(b, arg[1], h->arg[2].axis, 0,
                          shard_shape(b->s, h->arg[2], arg[1]->shape, b->chip));
    y = graph_node(b->g, NULL, n->op, n->name, n->narg, arg);
    attr_copy(b->g, y, n);
    y->origin = n->origin;
    set_shares(b, y, h);
    node_infer(b->g, y);
    return y;
}

static Node *plain(Build *b, const Share *h, Val **arg)
{
    const Node *n = h->node;
    Node *y = build_part(b, h, arg);

    if (!shape_same(y->res[0]->shape, shard_shape(b->s, h->res,
                                                  n->res[0]->shape, b->chip)))
        die("the share of '%s' has shape %s", n->name,
            shape_text(y->res[0]->shape));
    return y;
}

/* What follows a sum: the epilogue as a node of its own. */
static Val *finished(Build *b, const Node *n, Val *sum, Val **arg)
{
    static const AttrCode code[] = {A_lo, A_hi, A_shift, A_round};
    bool mul = node_arg(n, "mul");
    Val *a[] = {sum, mul ? arg[3] : NULL, mul ? arg[4] : NULL,
                node_arg(n, "shifts") ? arg[5] : NULL};
    Node *y;
    size_t i;

    if (!mul && !attr_has(n, A_lo) && !attr_has(n, A_hi))
        return sum;
    y = graph_node(b->g, NULL, mul ? OP_requant : OP_clip, n->name,
                   mul ? a[3] ? 4 : 3 : 1, a);
    y->origin = n->origin;
    for (i = 0; i < LEN(code); i++)
        if (attr_has(n, code[i]) && op_has_attr(y->op, code[i]))
            attr_set_int(b->g, y, code[i], attr_int(n, code[i]));
    node_infer(b->g, y);
    return y->res[0];
}

/* A share of every sum; chip 0 brings the bias in. */
static Val *partial(Build *b, const Share *h, Val **arg)
{
    static const AttrCode code[] = {A_transa, A_transb};
    const Node *n = h->node;
    bool bias = node_arg(n, "bias") && !b->chip;
    Node *y = graph_node(b->g, NULL, OP_matmul,
                         arena_fmt(b->g->mem, "%s_part", n->name),
                         bias ? 3 : 2, arg);
    size_t i;

    y->origin = n->origin;
    for (i = 0; i < LEN(code); i++)
        if (attr_has(n, code[i]))
            attr_set_int(b->g, y, code[i], attr_int(n, code[i]));
    node_infer(b->g, y);
    return y->res[0];
}

static void set_part(Build *b, const Share *h, Node *y, int64_t lo, int64_t hi)
{
    if (h->res.axis >= 0) {
        attr_set_int(b->g, y, A_axis, h->res.axis);
        attr_set_int(b->g, y, A_p3, h->res.parts);
    }
    attr_set_int(b->g, y, A_lo, lo);
    attr_set_int(b->g, y, A_hi, hi);
    node_infer(b->g, y);
}

/* The exchange of a sum: its first half, which others' shares come of. */
static Val *sent(Build *b, const Share *h, Val *x)
{
    const char *name = h->node->name;
    Val *y = build_exchange(b, OP_partsend, name, x, NULL);

    set_part(b, h, y->def, INT32_MIN, INT32_MAX);
    build_note(b, (Exchange){.layer = name, .sum = true,
                             .bytes = 4 * val_count(x)});
    return y;
}

/* Its second half, or, without a room, all of it. */
static Val *summed(Build *b, const Share *h, Val *x, Val *room)
{
    const Node *n = h->node;
    bool cut = h->res.axis >= 0;
    OpCode op = room ? OP_parttake : cut ? OP_partsum : OP_allsum;
    Val *y = build_exchange(b, op, n->name, x, room);

    set_part(b, h, y->def, n->acc.lo, n->acc.hi);
    if (!room)
        build_note(b, (Exchange){.layer = n->name, .sum = true, .whole = !cut,
                           .bytes = 4 * val_count(x)});
    return y;
}

Val *build_columns(Build *b, const Val *v, int axis, int64_t from, int64_t n)
{
    size_t size = (size_t)type_info[v->type].bytes, row, all;
    int64_t i, outer = shape_product(v->shape, 0, axis);
    Shape s = v->shape;
    char *data;
    Val *y;

    row = (size_t)shape_product(s, axis + 1, s.rank) * size;
    all = (size_t)s.dim[axis] * row;
    s.dim[axis] = n;
    data = arena_get(b->g->mem, (size_t)outer + 1, (size_t)n * row);
    for (i = 0; i < outer; i++)
        memcpy(data + (size_t)(i * n) * row, (const char *)v->data +
               (size_t)i * all + (size_t)from * row, (size_t)n * row);
    y = graph_const(b->g, v->name, v->type, s, data);
    val_range(y);
    return y;
}

/* Operands of columns [from, to). */
static Val **columns_args(Build *b, const Share *h, Val **arg, int64_t from,
                          int64_t to)
{
    Val **a = NEWN(b->g->mem, Val *, h->node->narg + 1);
    int i;

    for (i = 0; i < h->node->narg; i++) {
        int axis = arg[i] ? column_axis(h->node, i, arg[i]) : -1;

        a[i] = axis < 0 ? arg[i]
                        : build_columns(b, arg[i], axis, from, to - from);
    }
    return a;
}

/* Pieces of a sum, which are finished one by one, with the operands of each,
 * or, if they are small, all at once: that takes fewer calls. */
static Val *joined(Build *b, const Share *h, Val **sum, Val **arg, Val ***a,
                   int n)
{
    const Val *y = h->node->res[0];
    int axis = y->shape.rank - 1, i;
    bool small = 32 * val_count(y) / b->s->o.chips <= b->s->o.room;

    for (i = 0; i < n && !small; i++)
        sum[i] = finished(b, h->node, sum[i], a[i]);
    sum[0] = build_join(b, h->node->name, axis, n, sum);
    return small ? finished(b, h->node, sum[0], arg) : sum[0];
}

/* A piece is taken before the next is sent: a chip has one room at a time. */
static Val *sum_pieces(Build *b, const Share *h, Val **arg, Pieces p)
{
    Val **sum = NEWN(b->g->mem, Val *, p.n), *x = NULL, *room = NULL;
    Val ***a = NEWN(b->g->mem, Val **, p.n);
    int i;

    for (i = 0; i <= p.n; i++) {
        Val *next = NULL;

        if (i < p.n) {
            a[i] = columns_args(b, h, arg, p.from[i], p.from[i + 1]);
            next = partial(b, h, a[i]);
        }
        if (i)
            sum[i - 1] = summed(b, h, x, room);
        x = next;
        room = x && p.beside ? sent(b, h, x) : NULL;
    }
    return joined(b, h, sum, arg, a, p.n);
}

static Val *sum_of(Build *b, const Share *h, Val **arg)
{
    Pieces p = pieces_best(b->s, h);

    if (p.n > 1)
        return sum_pieces(b, h, arg, p);
    return finished(b, h->node, summed(b, h, partial(b, h, arg), NULL), arg);
}

void build_node(Build *b, const Share *h)
{
    const Node *n = h->node;
    Val **arg = NEWN(b->g->mem, Val *, n->narg + 1), *y;
    int i;

    for (i = 0; i < n->narg; i++)
        arg[i] = n->arg[i] ? build_operand(b, h, i) : NULL;
    y = h->partial ? sum_of(b, h, arg) : plain(b, h, arg)->res[0];
    val_rename(b->g, y, n->res[0]->name);
    y->scale = n->res[0]->scale;
    y->zero = n->res[0]->zero;
    b->has[n->res[0]->id] = y;
}

/* A state of another chip's is an element that nobody reads. */
static void put_inputs(Build *b)
{
    const Graph *w = b->s->whole;
    int i;

    for (i = 0; i < w->nin; i++) {
        const Val *v = w->in[i];
        Shape own = shard_shape(b->s, b->s->in[i], v->shape, b->chip);
        Val *y = graph_val(b->g, v->name, v->type,
                           shard_owns(b->s, b->chip, v) ? own : SHAPE(1));

        y->lo = v->lo;
        y->hi = v->hi;
        y->scale = v->scale;
        y->zero = v->zero;
        graph_input(b->g, y);
        b->has[v->id] = y;
    }
}

Val *build_typed(Build *b, Val *v, Type t)
{
    Node *n;

    if (v->type == t)
        return v;
    n = graph_node(b->g, NULL, OP_cast, NULL, 1, &v);
    attr_set_int(b->g, n, A_to, t);
    node_infer(b->g, n);
    return n->res[0];
}

void build_output(Build *b, const Val *v, Val *y)
{
    const Graph *w = b->s->whole;
    int k;

    if (v->state) /* it has one type from run to run */
        y = build_typed(b, y, v->state->type);
    graph_output(b->g, y);
    for (k = 0; v->state && k < w->nin; k++)
        if (w->in[k] == v->state)
            y->state = b->g->in[k];
}

static void put_outputs(Build *b)
{
    const Graph *w = b->s->whole;
    int i;

    for (i = 0; i < w->nout; i++)
        build_output(b, w->out[i], get(b, w->out[i], b->s->out[i]));
}

Build build_begin(Shard *s, int chip)
{
    const Graph *w = s->whole;
    Graph *g = graph_new(s->mem, w->name);
    Build b = {.s = s, .g = g, .chip = chip};
    int nval = graph_nval(w);

    g->file = w->file;
    g->hash = w->hash;
    g->author = w->author;
    g->licence = w->licence;
    g->context = w->context;
    g->settled = w->settled;
    g->exact = w->exact;
    g->nnum = w->nnum;
    memcpy(g->num, w->num, sizeof g->num);
    b.has = NEWN(s->mem, Val *, nval + 1);
    b.whole = NEWN(s->mem, Val *, nval + 1);
    b.wide = NEWN(s->mem, Val *, nval + 1);
    put_inputs(&b);
    return b;
}

Graph *shard_build(Shard *s, int chip)
{
    Build b = build_begin(s, chip);
    int i;

    for (i = 0; i < s->nnode; i++)
        build_node(&b, &s->share[i]);
    put_outputs(&b);
    graph_sweep(b.g);
    graph_check(b.g, "shard");
    return b.g;
}
