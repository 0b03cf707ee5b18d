/* Nodes of layers that are brought to accelerators (bring.h): packed weights,
 * scales, jobs. */
#include "plan/kernel/bring.h"

enum { CODE_BITS = 8, CODE_LEAST = 2, OFFSET = 128, WORD = 4,
       ZEROS = -0x10000000,    /* four codes of 128, bit by bit; */
       ZERO_HALF = -0x10000 }; /* bits 6 and 7 of 16 such codes */
/* More are not packed: some packings take ten bytes for each, and no unit has a
 * memory for them. */
enum { MOST_WEIGHTS = 1 << 22 };

static Val *operand(const Node *n, const char *name)
{
    return node_arg(n, name);
}

/* Are they constants, one for each of m channels or one for all? */
static bool has_each(const Val *v, int64_t m)
{
    return !v || (v->data && (val_count(v) == 1 || val_count(v) == m));
}

bool bring_is_alike(const Bringer *b)
{
    const Val *add = operand(b->n, "add");

    return val_count(operand(b->n, "mul")) == 1 &&
           (!add || val_count(add) == 1) &&
           (!b->bias || val_count(b->bias) == 1);
}

/* ---- weights ---- */

/* What is not yet there may be any byte. */
static int code_bits(const Val *w)
{
    int bits = CODE_LEAST;

    if (!w->data)
        return CODE_BITS;
    while (bits < CODE_BITS && w->hi - w->lo >= 1LL << bits)
        bits++;
    return bits;
}

/* The weight of code 0. */
static int64_t code_zero(const Val *w)
{
    return w->data ? w->lo : type_info[w->type].lo;
}

/* Bits between neighbours along each axis of w, the parts of the last one, and
 * bits of a code; the shape of what is packed. */
static void set_steps(Bringer *b, Node *pack, const Val *w, Words p)
{
    int bits = code_bits(w);
    int64_t word = 8 * p.word, room = p.mode ? 1 : bits;
    int64_t last = b->depth ? b->m : b->c, tiles = (last + p.tile - 1) / p.tile;
    int64_t row = tiles * room * word, tap = p.mode ? 0 : p.tile;
    int64_t cut[2] = {p.tile, 4};
    int64_t step[] = {row, b->k[1] * tap, tap, room * word,
                      p.mode ? 32 : 1, p.mode ? 1 : word, 4};
    Shape s = b->depth ? SHAPE(tiles, room * p.word)
                       : SHAPE(w->shape.dim[0], tiles * room * p.word);

    attr_set_int(b->g, pack, A_p0, -code_zero(w));
    attr_set_int(b->g, pack, A_p1, bits);
    attr_set_list(b->g, pack, A_count, p.mode ? 2 : 1, cut);
    attr_set_list(b->g, pack, A_step, (b->depth ? 2 : 3) + (p.mode ? 4 : 3),
                  b->depth ? step + 1 : step);
    attr_set_shape(b->g, pack, A_shape, s);
}

/* A node that packs x, before the layer; its steps and shape are not there. */
static Node *pack_node(Bringer *b, Val *x)
{
    Node *pack = graph_node(b->g, b->at, OP_pack, NULL, 1, &x);

    pack->origin = b->n->origin;
    return pack;
}

Val *bring_packed(Bringer *b, Words p, Val *w)
{
    Node *pack = pack_node(b, w);

    set_steps(b, pack, w, p);
    node_infer(b->g, pack);
    return pack->res[0];
}

/* The same of a matrix in which there are weights of 0 besides. */
static Node *pack_sparse(Bringer *b, Words p, Val *x)
{
    Node *pack = pack_node(b, x);
    int64_t zero = code_zero(x);

    attr_set_int(b->g, pack, A_p0, -zero);
    attr_set_int(b->g, pack, A_p1, CODE_BITS);
    if (zero)
        attr_set_int(b->g, pack, A_p2, p.mode ? ZEROS : ZERO_HALF);
    if (zero && !p.mode)
        attr_set_int(b->g, pack, A_p3, CODE_BITS * p.word / WORD);
    return pack;
}

/* Bits between neighbours along each axis of blocks w[blocks,rows,c]: each is
 * one row, and the columns of a block, behind the one before. */
static void set_blocks(Bringer *b, Node *pack, Shape w, Words p)
{
    int64_t word = 8 * p.word, tile = p.mode ? word : CODE_BITS * word;
    int64_t row = (w.dim[0] * w.dim[2] + p.tile - 1) / p.tile * tile;
    int64_t beside = p.mode || w.dim[2] % p.tile == 0 ? CODE_BITS : 1;
    int64_t step[6] = {w.dim[1] * row + beside * w.dim[2], row, tile,
                       p.mode ? 32 : 1, p.mode ? 1 : word, 4};

    attr_set_list(b->g, pack, A_count, p.mode ? 2 : 1,
                  (int64_t[2]){p.tile, 4});
    attr_set_list(b->g, pack, A_step, p.mode ? 6 : 5, step);
    attr_set_shape(b->g, pack, A_shape, SHAPE(w.dim[0] * w.dim[1], row / 8));
}

Val *bring_blocks(Bringer *b, Words p, Val *w)
{
    Node *pack = pack_sparse(b, p, w);

    set_blocks(b, pack, w->shape, p);
    node_infer(b->g, pack);
    return pack->res[0];
}

Val *bring_columns(Bringer *b, Words p, Val *v, int64_t each)
{
    int64_t n = v->shape.dim[0], c = v->shape.dim[2], all = v->shape.dim[1];
    int64_t row = (each * n + p.tile - 1) / p.tile * p.word;
    Shape s = {.rank = 5, .dim = {n / WORD, WORD, all / each, each, c}};
    Node *pack = pack_sparse(b, p, bring_reshaped(b, v, s));

    attr_set_list(b->g, pack, A_step, 6,
                  (int64_t[6]){8 * WORD, 1, 8 * row * c * each,
                               8 * (row * c + n), 8 * row, WORD});
    attr_set_shape(b->g, pack, A_shape, SHAPE(all * c, row));
    node_infer(b->g, pack);
    return pack->res[0];
}

static Val *pack_weights(Bringer *b, Words p)
{
    Val *y = bring_packed(b, p, b->w), *v;
    void *data[NRES];

    if (!b->w->data)
        return y;
    node_eval(b->g->mem, y->def, &b->w->data, data);
    v = graph_const(b->g, b->w->name, T_u8, y->shape, data[0]);
    val_range(v);
    node_remove(b->g, y->def);
    return v;
}

Val *bring_weights(Bringer *b, Words p)
{
    Val *v = pack_weights(b, p);

    if (p.port >= 0 && v->data && val_bytes(v) <= b->port) {
        v->port = 1 + p.port;
        b->port -= val_bytes(v);
    }
    return v;
}

Val *bring_identities(Graph *g, const char *name, int64_t n, int count)
{
    Val *w = graph_const(g, name, T_s8, SHAPE(n, 1, 1, count * n), NULL);
    int64_t i;

    for (i = 0; i < n * count; i++)
        val_set(w, i % n * count * n + i, 1);
    val_range(w);
    return w;
}

/* ---- scale ---- */

/* The greatest power of two, not above 2^shift, that divides all. */
static int common_shift(const int64_t *v, int64_t n, int shift)
{
    int64_t i;

    for (i = 0; i < n; i++)
        while (shift && v[i] & ((1LL << shift) - 1))
            shift--;
    return shift;
}

Val *bring_numbers(Graph *g, const char *name, Type t, int64_t n,
                   const int64_t *v)
{
    Val *c = graph_const(g, name, t, SHAPE(n), NULL);
    int64_t i;

    for (i = 0; i < n; i++)
        val_set(c, i, v[i]);
    val_range(c);
    return c;
}

static Type scale_type(const int64_t *v, int64_t n)
{
    Type t = T_u8;
    int64_t i;

    for (i = 0; i < n; i++) {
        if (v[i] < 0 || v[i] > UINT16_MAX)
            return T_s32;
        if (v[i] > UINT8_MAX)
            t = T_u16;
    }
    return t;
}

/* Addends less 128 times the sum of each row of weights, scaled, which is what x
 * + 128 makes results too much; NULL: they do not fit 32 bits. */
static Val *made_addends(Bringer *b, const int64_t *mul, const int64_t *add)
{
    Shape s = b->rows->shape;
    int64_t n = bring_is_alike(b) ? 1 : b->m, i;
    int64_t *less = NEWN(b->g->mem, int64_t, n);
    Val *arg[3] = {b->rows};
    bool fits = true;
    Node *y;

    for (i = 0; i < n; i++) {
        less[i] = -OFFSET * mul[i];
        fits &= INT32_MAX - MAX(add[i], -add[i]) >=
                OFFSET * (double)MAX(less[i], -less[i]) *
                    (double)s.dim[s.rank - 1];
    }
    if (!fits)
        return NULL;
    arg[1] = bring_numbers(b->g, b->n->name, T_s32, n, less);
    arg[2] = bring_numbers(b->g, b->n->name, T_s32, n, add);
    y = graph_node(b->g, b->at, OP_sum, b->n->name, 3, arg);
    attr_set_list(b->g, y, A_axes, 1, (int64_t[1]){s.rank - 1});
    attr_set_int(b->g, y, A_keep, 0);
    attr_set_int(b->g, y, A_lo, INT32_MIN);
    attr_set_int(b->g, y, A_hi, INT32_MAX);
    y->origin = b->n->origin;
    node_infer(b->g, y);
    if (y->res[0]->type != T_s32)
        return NULL;
    return b->made = bring_reshaped(b, y->res[0],
                                    SHAPE(val_count(y->res[0])));
}

/* Factors and addends of each channel, the latter with the bias; both, and
 * *shift, as small as they can be.  false: they do not fit 32 bits. */
static bool scale_of(Bringer *b, Val **mul, Val **add, int *shift)
{
    Val *factor = operand(b->n, "mul"), *more = operand(b->n, "add");
    Arena *mem = arena_new();
    int64_t *f = NEWN(mem, int64_t, 2 * b->m + 1), *a = f + b->m, i;
    int by;
    bool fits = true;

    for (i = 0; i < b->m; i++) {
        f[i] = layer_element(factor, i);
        a[i] = layer_element(more, i);
        fits &= !__builtin_mul_overflow(f[i], layer_element(b->bias, i),
                                        &a[b->m]) &&
                !__builtin_add_overflow(a[i], a[b->m], &a[i]);
    }
    by = fits ? common_shift(f, 2 * b->m, *shift) : 0;
    for (i = 0; i < 2 * b->m; i++) {
        f[i] >>= by;
        fits &= f[i] >= INT32_MIN && f[i] <= INT32_MAX;
    }
    *shift -= by;
    if (fits) {
        *mul = bring_numbers(b->g, factor->name, scale_type(f, b->m), b->m, f);
        *add = b->rows ? made_addends(b, f, a)
                       : bring_numbers(b->g, (more ? more : factor)->name,
                                       T_s32, b->m, a);
    }
    arena_end(mem);
    return fits && *add;
}

/* ---- nodes ---- */

Val *bring_unsigned(Bringer *b, Val *x, Val *rows)
{
    if (b->sign || x->type != T_s8)
        return x;
    b->rows = rows;
    return unsigned_value(b->g, b->at, x);
}

Val *bring_node(Bringer *b, OpCode op, Val *x, AttrCode c, int len,
                const int64_t *list)
{
    Node *n = graph_node(b->g, b->at, op, b->n->name, 1, &x);

    attr_set_list(b->g, n, c, len, list);
    n->origin = b->n->origin;
    return n->res[0];
}

Val *bring_reshaped(Bringer *b, Val *x, Shape s)
{
    return layer_reshaped(b->g, b->at, x, s);
}

bool bring_scale(Bringer *b)
{
    Shared *o = b->shared;

    if (o->scaled)
        return true;
    o->shift = (int)attr_int(b->n, A_shift);
    o->scaled = b->sums ? !b->rows
                        : scale_of(b, &o->arg[3], &o->arg[4], &o->shift);
    return o->scaled;
}

/* Packs weights and scales, unless an image before has.  false: they do not
 * fit. */
static bool share_operands(Bringer *b, Words p)
{
    Shared *o = b->shared;

    if (!bring_scale(b))
        return false;
    if (o->arg[1])
        return true;
    o->arg[1] = bring_weights(b, p);
    return true;
}

Node *bring_job(Bringer *b, Words p)
{
    Val **arg = b->shared->arg;
    Node *y;

    if (!share_operands(b, p))
        return NULL;
    arg[0] = b->x;
    y = graph_node(b->g, b->at, OP_pconv, b->n->name, 5, arg);
    attr_set_int(b->g, y, A_last, 1);
    attr_set_list(b->g, y, A_kernel, 2, b->k);
    if (b->step) {
        attr_set_list(b->g, y, A_step, 1, &b->step);
    } else {
        attr_set_list(b->g, y, A_stride, 2, b->stride);
        attr_set_list(b->g, y, A_pad, 4, b->pad);
        attr_set_int(b->g, y, A_padvalue, b->padvalue);
    }
    attr_set_int(b->g, y, A_group, b->depth ? b->m : 1);
    attr_set_int(b->g, y, A_p0, -code_zero(b->w));
    attr_set_int(b->g, y, A_p1, code_bits(b->w));
    attr_set_int(b->g, y, A_p2, p.word);
    attr_set_int(b->g, y, A_p3, arg[1]->port > 0);
    attr_set_int(b->g, y, A_mode, p.mode);
    attr_set_list(b->g, y, A_count, 2, (int64_t[2]){p.tile, p.side});
    if (!b->sums) {
        attr_set_int(b->g, y, A_shift, b->shared->shift);
        attr_set_int(b->g, y, A_lo, attr_int(b->n, A_lo));
        attr_set_int(b->g, y, A_hi, attr_int(b->n, A_hi));
    }
    y->origin = b->n->origin;
    node_infer(b->g, y);
    return y;
}

/* v times 2^by, in the same type; NULL: that does not hold it. */
static Val *raised(Graph *g, const Val *v, int by)
{
    const TypeInfo *t = &type_info[v->type];
    Val *y;
    int64_t i;

    if (v->lo < t->lo >> by || v->hi > t->hi >> by)
        return NULL;
    y = graph_const(g, v->name, v->type, v->shape, NULL);
    for (i = 0; i < val_count(v); i++)
        val_set(y, i, val_int(v, i) * (INT64_C(1) << by));
    val_range(y);
    return y;
}

/* A shift that leaves of sums what is above bit 30 of products is made from a
 * lesser one, if factor and addend have room: kernels are quicker then. */
static void raise_shift(Graph *g, Node *y)
{
    enum { MUL = 2, ADD = 3, ABOVE = 31 };
    int by = ABOVE - (int)attr_int(y, A_shift);
    Val *mul, *add;

    if (by <= 0 || by > ABOVE / 2 || !attr_has(y, A_shift))
        return;
    mul = raised(g, y->arg[MUL], by);
    add = raised(g, y->arg[ADD], by);
    if (!mul || !add)
        return;
    y->arg[MUL] = mul;
    y->arg[ADD] = add;
    attr_set_int(g, y, A_shift, ABOVE);
}

/* The bias and the epilogue of the layer, of sums without them. */
Val *bring_scaled(Bringer *b, Val *sums)
{
    Val *arg[] = {sums, b->bias, operand(b->n, "mul"), operand(b->n, "add"),
                  operand(b->n, "shifts")};
    static const AttrCode all[] = {A_shift, A_round, A_lo, A_hi};
    Node *y;
    int i;

    if (!arg[1]) {
        arg[1] = graph_const(b->g, b->n->name, T_s8, SHAPE(1), NULL);
        val_set(arg[1], 0, 0);
        val_range(arg[1]);
    }
    y = graph_node(b->g, b->at, OP_add, b->n->name, arg[4] ? 5 : 4, arg);
    for (i = 0; i < (int)LEN(all); i++)
        if (attr_has(b->n, all[i]))
            attr_set_int(b->g, y, all[i], attr_int(b->n, all[i]));
    y->origin = b->n->origin;
    raise_shift(b->g, y);
    node_infer(b->g, y);
    return y->res[0];
}

bool bring_may(const Bringer *b)
{
    const Val *x = b->n->arg[0];

    return (b->w->data || b->n->op == OP_matmul) &&
           type_info[b->w->type].bytes == 1 &&
           val_count(b->w) <= MOST_WEIGHTS &&
           val_is_int(x) && type_info[x->type].bytes == 1 &&
           val_is_int(b->w) && layer_is_const(operand(b->n, "mul")) &&
           has_each(operand(b->n, "mul"), b->m) &&
           has_each(operand(b->n, "add"), b->m) && has_each(b->bias, b->m) &&
           (b->sums || (!operand(b->n, "shifts") && !node_round(b->n))) &&
           !node_varies(b->n) && val_count(b->n->res[0]) > 0;
}

/* May words hold a window? */
bool bring_fits(const Bringer *b, const Way *w)
{
    int64_t taps = b->k[0] * b->k[1];

    return w->words.mode ? taps == 1 && !b->depth
                         : taps * w->words.tile <= 8 * w->words.word &&
                               !(w->windows && taps == 1);
}
