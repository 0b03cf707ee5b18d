/* What is gathered beside work: a value that is made column by column is made by
 * pieces of some columns, and one is on its way while the next is computed. */
#include "shard/build.h"

/* What makes the columns of a value that no other reads. */
typedef struct Made {
    double cycles;
    int n; /* nodes */
} Made;

static int last_axis(const Val *v)
{
    return v->shape.rank - 1;
}

static bool is_cut_last(const Shard *s, const Val *v)
{
    Cut c = s->at[v->id];

    return c.axis >= 0 && c.axis == last_axis(v) && !c.band && !c.of_sum &&
           c.parts % s->o.chips == 0 && !v->shape.vary[c.axis].num;
}

/* May v be made by pieces?  Of what is gathered all readers must want all;
 * inner: of what that is made of there must be one reader. */
static bool readers_agree(const Shard *s, const Val *v, bool inner)
{
    const Graph *g = s->whole;
    int i, k, n = 0;

    for (i = 0; i < s->nnode; i++)
        for (k = 0; k < s->share[i].node->narg; k++)
            if (s->share[i].node->arg[k] == v) {
                n++;
                if (!inner && s->share[i].arg[k].axis >= 0)
                    return false;
            }
    for (i = 0; i < g->nout; i++)
        if (g->out[i] == v && (inner || s->out[i].axis >= 0))
            return false;
    return !inner || n == 1;
}

static bool add_columns(const Shard *s, const Val *v, bool inner, Made *y);

/* Operand i of n has the columns of its result, or none. */
static bool add_operand(const Shard *s, const Node *n, int i, Made *y)
{
    const Val *v = n->arg[i];

    if (!v || v->data)
        return true;
    if (s->share[n->id].arg[i].axis < 0)
        return n->op == OP_matmul ? i == 0 : !v->shape.rank ||
                                             v->shape.dim[last_axis(v)] == 1;
    return add_columns(s, v, true, y);
}

/* false: v, or what it is made of, is not made column by column. */
static bool add_columns(const Shard *s, const Val *v, bool inner, Made *y)
{
    const Node *n = v->def;
    const Share *h = n ? &s->share[n->id] : NULL;
    Family f = n ? op_info[n->op].family : FAM_exchange;
    bool table = f == FAM_gather && n->arg[0]->data &&
                 n->arg[0]->shape.rank == 1;
    int i;

    if (!n || h->partial || n->nres != 1 || !is_cut_last(s, v) ||
        !readers_agree(s, v, inner))
        return false;
    if (f != FAM_map && !table &&
        (n->op != OP_matmul || !n->arg[1]->data || attr_has(n, A_count)))
        return false;
    for (i = 0; i < n->narg; i++)
        if (!add_operand(s, n, i, y))
            return false;
    y->cycles += cost_node(s, h);
    y->n++;
    return true;
}

Pieces beside_pieces(const Shard *s, const Val *v, double *behind)
{
    int64_t all = v->shape.rank ? v->shape.dim[last_axis(v)] / s->o.chips : 1;
    double bytes = (double)val_bytes(v) / s->o.chips;
    Made y = {0, 0};
    Pace pace;
    Pieces p;

    if (!s->o.beside || 2 * val_bytes(v) > s->o.room ||
        !add_columns(s, v, false, &y))
        return pieces_at_once(s, 1);
    pace = (Pace){2500 + 1000 * y.n, y.cycles / (double)all,
                  bytes * (s->o.chips - 1) / s->o.link_rate / (double)all,
                  val_bytes(v) / all};
    p = pieces_beside(s, all, pace);
    if (behind)
        *behind = pieces_cycles(s, &p, pace) - y.cycles;
    return p;
}

/* Of a constant; all that a chip has of it is not kept. */
static Val *constant_piece(Build *b, const Val *v, Cut c, int64_t from,
                           int64_t to)
{
    Shard s = *b->s;
    Val own = *v, *y;

    s.mem = arena_new();
    own.shape = shard_shape(&s, c, v->shape, b->chip);
    own.data = shard_data(&s, c, v, v->data, b->chip);
    y = build_columns(b, &own, c.axis, from, to - from);
    arena_end(s.mem);
    return y;
}

/* Columns [from, to) of this chip's. */
static Val *piece(Build *b, const Val *v, int64_t from, int64_t to)
{
    const Node *n = v->def;
    const Share *h = &b->s->share[n->id];
    Val **arg = NEWN(b->g->mem, Val *, n->narg + 1), *y;
    int i;

    for (i = 0; i < n->narg; i++) {
        const Val *a = n->arg[i];

        if (!a)
            continue;
        if (h->arg[i].axis < 0)
            arg[i] = build_operand(b, h, i);
        else if (a->data)
            arg[i] = constant_piece(b, a, h->arg[i], from, to);
        else
            arg[i] = piece(b, a, from, to);
    }
    y = build_part(b, h, arg)->res[0];
    y->scale = v->scale;
    y->zero = v->zero;
    return y;
}

/* One half of an exchange of the columns from `from` on. */
static Val *half(Build *b, OpCode op, const Val *v, int64_t from, Val *x,
                 Val *room)
{
    Val *y = build_exchange(b, op, v->name, x, room);

    attr_set_list(b->g, y->def, A_start, 1, &from);
    build_moved(b, y->def, v, b->s->at[v->id]);
    return y;
}

Val *beside_build(Build *b, const Val *v, const Pieces *p)
{
    Val *x = NULL, *y = NULL;
    int i;

    for (i = 0; i <= p->n; i++) {
        Val *next = i < p->n ? piece(b, v, p->from[i], p->from[i + 1]) : NULL;

        if (x)
            y = half(b, OP_gathertake, v, p->from[i - 1], x, y);
        x = next;
        if (!x)
            break;
        y = half(b, OP_gathersend, v, p->from[i], x, y);
        build_note(b, (Exchange){.layer = v->name,
                                 .bytes = val_bytes(x) * b->s->o.chips});
    }
    return y;
}
