/* Layers brought to accelerators.
 *
 *     y = conv x w b mul add        ->   y = pconv x w' mul' add'
 *     y = matmul a b bias mul add   ->   y = reshape (pconv (reshape a) ...)
 *     any other epilogue            ->   y = add (pconv x w') bias mul add
 *     y = requant x mul add         ->   y = pconv x w' mul' add', ones on a
 *                                        diagonal
 *
 * w' is packed (OP_pack) as a kernel of an accelerator wants it (`words` of its
 * head); mul' and add' have an element for each channel, with the bias in add'.
 * What a unit does not scale as the layer does leaves it as sums of 32 bits,
 * which cores scale: what TensorFlow Lite rounds, shifts of 32 and more,
 * products beyond 32 bits.  What the unit cannot do as it stands:
 *
 *     depthwise, stride 2           ->   y = slice (pconv x ...), of which a
 *                                        pconv of one tap reads itself what it
 *                                        wants
 *     any other window              ->   y = pconv (windows (pad x)), one tap
 *     several images                ->   y = concat (pconv (slice x)) ..., but
 *                                        of one tap those below one another
 *
 * Sums behind jobs become jobs, too (residual.c).
 *
 * A product of two values is brought like one with a constant: cores pack its
 * right side, transposed before if it has to be, as weights of 8 bits; and sum
 * its columns where the left side has a sign that the unit does not take.
 *
 * Where the unit has a weight port, constants lie in its memory as long as
 * there is room.  A node is replaced where such a kernel takes what comes of
 * it, and all takes fewer cycles than the cores' best; if what all nodes gain
 * is more than the kernel's code takes to come into the instruction cache. */
#include "plan/kernel/bring.h"
#include "plan/kernel/part.h"

#include <string.h>

enum { BYTE_BITS = 8, TAPS = 9, FACTORS = 3, /* of pconv: mul, then add */
       PACKINGS = 8, WAYS = 2 * PACKINGS,
       ALIKE = 32,        /* channels of elements that have one scale, */
       MOST_EACH = 128,   /* and most of others; */
       LEAST_GAIN = 1500 }; /* cycles, of a rescaling */

static Val *operand(const Node *n, const char *name)
{
    return node_arg(n, name);
}

static void copy_bytes(Val *to, int64_t i, const Val *from, int64_t j)
{
    size_t n = (size_t)type_info[to->type].bytes;

    memcpy((char *)to->data + n * (size_t)i,
           (const char *)from->data + n * (size_t)j, n);
}

/* v, of a by b elements, with the axes swapped. */
static Val *swapped(Graph *g, const Val *v, int64_t a, int64_t b, Shape s)
{
    Val *u = graph_const(g, v->name, v->type, s, NULL);
    int64_t i, j;

    for (i = 0; i < a; i++)
        for (j = 0; j < b; j++)
            copy_bytes(u, j * a + i, v, i * b + j);
    val_range(u);
    return u;
}

/* Of y, rows and columns that are wanted, in the shape that is. */
static Val *result_of(Bringer *b, Val *y)
{
    const Val *was = b->n->res[0];
    int64_t step[4] = {1, b->every[0], b->every[1], 1};

    if (b->every[0] * b->every[1] > 1) {
        y = bring_node(b, OP_slice, y, A_step, 4, step);
        attr_set_shape(b->g, y->def, A_count, was->shape);
        attr_set_list(b->g, y->def, A_start, 4, (int64_t[4]){0});
        node_infer(b->g, y->def);
    }
    if (b->sums)
        y = bring_scaled(b, y);
    return shape_same(y->shape, was->shape)
               ? y : bring_reshaped(b, y, was->shape);
}

/* Reads itself what a slice takes of rows and columns. */
static void see_slice(Bringer *b)
{
    const Node *n = b->x->def;
    int i;

    if (!n || n->op != OP_slice)
        return;
    for (i = 0; i < 4; i++) {
        int64_t step = attr_at(n, A_step, i, 1), all = n->arg[0]->shape.dim[i];

        if (attr_at(n, A_start, i, 0) || step < 1 ||
            (step > 1 && (i == 0 || i == 3)) ||
            (all - 1) / step + 1 != b->x->shape.dim[i])
            return;
    }
    for (i = 0; i < 2; i++)
        b->stride[i] *= attr_at(n, A_step, 1 + i, 1);
    b->x = n->arg[0];
}

/* All rows and columns are made, of which every one of so many is wanted. */
static void see_steps(Bringer *b)
{
    int i;

    for (i = 0; i < 2; i++) {
        int64_t out = (b->n->res[0]->shape.dim[1 + i] - 1) * b->stride[i];

        b->every[i] = b->stride[i];
        b->stride[i] = 1;
        b->pad[2 + i] = MAX(0, out + b->k[i] - b->pad[i] -
                                   b->x->shape.dim[1 + i]);
    }
}

/* Windows become pixels.  false: these and the image do not lie side by side in
 * the nearest memory. */
static bool see_windows(Bringer *b)
{
    int64_t edge[8] = {0, b->pad[0], b->pad[1], 0, 0, b->pad[2], b->pad[3], 0};
    int64_t size = b->k[0] * b->k[1] * b->c, step[2];
    const Shape y = b->n->res[0]->shape;
    Val *w;
    int i;

    if (y.dim[0] * y.dim[1] * y.dim[2] * size + val_bytes(b->x) > b->room)
        return false;
    if (b->pad[0] + b->pad[1] + b->pad[2] + b->pad[3]) {
        b->x = bring_node(b, OP_pad, b->x, A_pad, 8, edge);
        attr_set_int(b->g, b->x->def, A_p0, b->padvalue);
        node_infer(b->g, b->x->def);
    }
    b->x = bring_node(b, OP_windows, b->x, A_kernel, 2, b->k);
    attr_set_list(b->g, b->x->def, A_stride, 2, b->stride);
    for (i = 0; i < 2; i++)
        step[i] = attr_at(b->n, A_dilation, i, 1);
    attr_set_list(b->g, b->x->def, A_dilation, 2, step);
    node_infer(b->g, b->x->def);
    b->x = bring_reshaped(b, b->x,
                          SHAPE(1, y.dim[0] * y.dim[1], y.dim[2], size));
    w = graph_const(b->g, b->w->name, b->w->type, SHAPE(b->m, 1, 1, size),
                    b->w->data);
    val_range(w);
    b->w = w;
    b->c = size;
    memset(b->pad, 0, sizeof b->pad);
    b->k[0] = b->k[1] = b->stride[0] = b->stride[1] = 1;
    return true;
}

/* Is n of one tap, without padding? */
static bool is_point(const Node *n)
{
    const int64_t *k = n->arg[1]->shape.dim + 1;
    int64_t pad = 0;
    int i;

    for (i = 0; i < 4; i++)
        pad += attr_at(n, A_pad, i, 0);
    return k[0] * k[1] == 1 && !pad;
}

/* Of one tap: images below one another are one. */
static void see_point(Bringer *b)
{
    Shape x = b->x->shape;

    if (x.dim[0] > 1)
        b->x = bring_reshaped(b, b->x, SHAPE(1, x.dim[0] * x.dim[1],
                                             x.dim[2], x.dim[3]));
    else
        see_slice(b);
}

/* Images of a convolution that are brought one by one: those whose windows the
 * unit goes through itself, or of which it leaves pixels out. */
static int64_t images_of(const Node *n)
{
    const int64_t *k;
    bool steps = false, wide = false;
    int i;

    if (n->op != OP_conv || !attr_int(n, A_last) || n->arg[1]->shape.rank != 4)
        return 1;
    k = n->arg[1]->shape.dim + 1;
    for (i = 0; i < 2; i++) {
        steps |= attr_at(n, A_stride, i, 1) > 1;
        wide |= attr_at(n, A_dilation, i, 1) > 1;
    }
    if (is_point(n) ? !steps
                    : wide || k[0] != 3 || k[1] != 3 ||
                          (steps && attr_int(n, A_group) == 1))
        return 1;
    return n->arg[0]->shape.dim[0];
}

/* As it stands, with every second result left out, or as windows. */
static bool see_window(Bringer *b)
{
    bool three = b->k[0] == 3 && b->k[1] == 3;
    int i;

    for (i = 0; i < 2; i++)
        three &= attr_at(b->n, A_dilation, i, 1) == 1;
    if (b->depth) {
        see_steps(b);
        return three;
    }
    three &= b->stride[0] == 1 && b->stride[1] == 1;
    if (is_point(b->n))
        see_point(b);
    else if (!three)
        return see_windows(b);
    return true;
}

/* An input that has a sign where the unit takes none. */
static void see_sign(Bringer *b)
{
    if (b->sign || b->x->type != T_s8)
        return;
    b->bias = unsigned_bias(b->g, b->w, false, b->bias);
    b->x = b->try && unsigned_can_be(b->g, b->whole)
               ? graph_val(b->g, b->x->name, T_u8, b->x->shape)
               : unsigned_value(b->g, b->at, b->x);
    b->padvalue += 1 << (BYTE_BITS - 1);
}

static bool see_conv(Bringer *b)
{
    const Node *n = b->n;
    int64_t groups = attr_int(n, A_group);
    int i;

    b->x = n->arg[0];
    b->w = n->arg[1];
    b->bias = operand(n, "b");
    if (!attr_int(n, A_last) || b->w->shape.rank != 4)
        return false;
    b->m = b->w->shape.dim[0];
    b->c = b->w->shape.dim[3];
    b->padvalue = attr_int(n, A_padvalue);
    for (i = 0; i < 2; i++) {
        b->k[i] = b->w->shape.dim[1 + i];
        b->stride[i] = attr_at(n, A_stride, i, 1);
        b->pad[i] = attr_at(n, A_pad, i, 0);
        b->pad[2 + i] = attr_at(n, A_pad, 2 + i, 0);
    }
    b->depth = groups > 1;
    if (!bring_may(b) || (b->depth && (b->c > 1 || groups != b->m)))
        return false;
    see_sign(b);
    if (b->depth)
        b->w = swapped(b->g, b->w, b->m, b->k[0] * b->k[1],
                       SHAPE(b->k[0], b->k[1], b->m));
    return see_window(b);
}

/* One matrix for all rows of a product of two values? */
static bool is_made(const Node *n)
{
    Shape w = n->arg[1]->shape;

    return !n->arg[1]->data && w.rank >= 2 && n->arg[0]->shape.rank >= 2 &&
           shape_product(w, 0, w.rank - 2) == 1 && !attr_int(n, A_transa) &&
           !attr_has(n, A_count) && !shape_varies(w) &&
           layer_follows_columns(n);
}

/* The right side of a product as [m,1,1,c]; swap: its columns are channels. */
static Val *right_side(Bringer *b, Val *w, bool swap)
{
    Shape s = SHAPE(b->m, 1, 1, b->c);
    Val *v;

    if (w->data && swap)
        return swapped(b->g, w, b->c, b->m, s);
    if (w->data) {
        v = graph_const(b->g, w->name, w->type, s, w->data);
        val_range(v);
        return v;
    }
    if (swap) {
        w = bring_node(b, OP_transpose, bring_reshaped(b, w, SHAPE(b->c, b->m)),
                     A_perm, 2, (int64_t[2]){1, 0});
        node_infer(b->g, w->def);
    }
    return bring_reshaped(b, w, s);
}

/* Of a product: rows of a are pixels, one below the other; the unit goes through
 * them as an image of any width. */
static bool see_matmul(Bringer *b)
{
    const Node *n = b->n;
    const Val *a = n->arg[0], *w = n->arg[1];
    int last = w->shape.rank - 1;
    bool swap = !attr_int(n, A_transb);
    int64_t rows;

    b->bias = operand(n, "bias");
    if (!layer_is_product(n) && !is_made(n))
        return false;
    b->m = w->shape.dim[last - !swap];
    b->c = w->shape.dim[last - swap];
    b->k[0] = b->k[1] = 1;
    b->w = n->arg[1];
    if (!bring_may(b))
        return false;
    rows = val_count(a) / b->c;
    b->w = right_side(b, n->arg[1], swap);
    if (b->w->data) {
        b->x = n->arg[0];
        see_sign(b);
    } else {
        b->x = bring_unsigned(b, n->arg[0],
                              bring_reshaped(b, b->w, SHAPE(b->m, b->c)));
    }
    b->x = bring_reshaped(b, b->x, SHAPE(1, rows, 1, b->c));
    return true;
}

/* Of a rescaling: rows of channels are pixels; of one scale for all, channels are
 * any elements. */
static bool see_requant(Bringer *b)
{
    const Node *n = b->n;
    Shape x = n->arg[0]->shape;
    int64_t count;

    if (node_varies(n) || !operand(n, "mul"))
        return false;
    count = val_count(n->arg[0]);
    b->c = count % ALIKE == 0 && bring_is_alike(b) ? ALIKE
           : x.rank ? x.dim[x.rank - 1] : 1;
    if (b->c < 1 || b->c > MOST_EACH || !layer_follows_columns(n))
        return false;
    b->m = b->c;
    b->k[0] = b->k[1] = 1;
    b->w = bring_identities(b->g, n->name, b->c, 1);
    if (!bring_may(b))
        return false;
    b->x = n->arg[0];
    see_sign(b);
    b->x = bring_reshaped(b, b->x, SHAPE(1, count / b->c, 1, b->c));
    return true;
}

/* Weights [m,1,1,c] of such a vector as those of its pixels: what two of them
 * have belongs to the latter, and is 0 of the other. */
static Val *spread_weights(const Bringer *b, int64_t c)
{
    Val *w = graph_const(b->g, b->w->name, b->w->type, SHAPE(b->m, 3, 3, c),
                         NULL);
    int64_t o, t, i;

    for (o = 0; o < b->m; o++)
        for (t = 0; t < TAPS; t++)
            for (i = 0; i < c; i++)
                if (i < b->step || t == TAPS - 1)
                    copy_bytes(w, (o * TAPS + t) * c + i, b->w,
                               o * b->c + t * b->step + i);
    val_range(w);
    return w;
}

/* Channels of the pixels of a vector of c elements: as many as tiles hold, of
 * the fewest tiles, and such that the last ends with the vector. */
static int64_t pixel_channels(int64_t c, int64_t tile)
{
    int64_t each = 0, tiles;

    for (tiles = 1; TAPS * each < c; tiles++)
        each = tiles * tile - (tiles * tile - c % (TAPS - 1)) % (TAPS - 1);
    return each;
}

/* One row of a product with constants is taken for an image of as many pixels as
 * a window has, which overlap: for a window of nine taps a unit takes few more
 * cycles than for one tap, and its weights are as many bits. */
static void see_vector(Bringer *b, Words p)
{
    int64_t each = pixel_channels(b->c, p.tile);

    if (p.mode || TAPS * p.tile > BYTE_BITS * p.word || !b->w->data ||
        b->depth || b->k[0] * b->k[1] > 1 || b->c <= each ||
        b->every[0] * b->every[1] > 1 || val_count(b->x) != b->c)
        return;
    b->x = bring_reshaped(b, b->x, SHAPE(1, 1, 1, b->c));
    b->step = (b->c - each) / (TAPS - 1);
    b->w = spread_weights(b, each);
    b->c = each;
    b->k[0] = b->k[1] = 3;
}

/* As the unit sees it; false: it does not. */
static bool see(Bringer *b, const Way *w)
{
    if (!(b->n->op == OP_conv      ? see_conv(b)
          : b->n->op == OP_requant ? see_requant(b) : see_matmul(b)))
        return false;
    see_vector(b, w->words);
    return bring_fits(b, w);
}

/* ---- which is quicker ---- */

typedef enum Take { TAKE_nothing, TAKE_part, TAKE_whole } Take;

/* Cycles that a way to pack gains with a node, which is replaced, or a part of
 * it, by rows, if that takes less.  whole: what its input is part of. */
static int64_t bring_one(const Chooser *c, Graph *g, Node *n, Way *w,
                         int64_t room, Take take_it, Val *whole,
                         Shared *shared)
{
    Bringer b = {.g = g, .n = n, .at = n, .before = n->prev, .stride = {1, 1},
                 .every = {1, 1}, .room = room, .port = *w->port,
                 .sums = w->sums, .sign = w->words.sign,
                 .try = take_it == TAKE_nothing, .whole = whole,
                 .shared = shared};
    Node *y = NULL;
    int64_t gain = 0, rows = 0;
    Val *v;

    if (see(&b, w))
        y = bring_job(&b, w->words);
    if (y) {
        v = result_of(&b, y->res[0]);
        gain = b.w->data ? job_gain(c, g, b.before ? b.before->next : g->first,
                                    n, room, false, &w->cold)
                         : made_gain(c, g, b.before, n, room, &w->cold);
        if (n->op == OP_requant && gain < LEAST_GAIN)
            gain = 0;
        if (gain && take_it == TAKE_part && !w->sums && n->op != OP_requant)
            rows = part_rows(c, g, n, y, w->words.side, room);
        if (rows) {
            layer_undo(g, b.before, n);
            n = part_node(g, n, rows);
            return bring_one(c, g, n, w, room, TAKE_whole, n->arg[0],
                             &(Shared){0});
        }
        if (gain && take_it) {
            layer_replace(g, n, y, v);
            *w->port = b.port;
            return gain;
        }
    }
    layer_undo(g, b.before, n);
    return gain;
}

/* The same of images one by one; they share weights. */
static int64_t bring_images(const Chooser *c, Graph *g, Node *n, Way *w,
                            int64_t room, Take take_it)
{
    int64_t images = images_of(n), gain, i;
    Node *one = part_image(g, n, 0), *next;
    Val *whole = n->arg[0];
    Shared shared = {0};

    gain = images * bring_one(c, g, one, w, room, TAKE_nothing, whole,
                              &(Shared){0});
    next = one->prev;
    node_remove(g, one);
    node_remove(g, next);
    if (!gain || !take_it)
        return gain;
    one = part_images(g, n);
    for (i = 0; i < images; i++, one = next) {
        next = i + 1 < images ? one->next->next : NULL;
        bring_one(c, g, one, w, room, TAKE_whole, whole, &shared);
    }
    return gain;
}

static int64_t bring(const Chooser *c, Graph *g, Node *n, Way *w, int64_t room,
                     Take take_it)
{
    if (n->op == OP_iattend)
        return bring_attention(c, g, n, w, room, take_it == TAKE_nothing);
    if (heads_of(n) > 1)
        return bring_heads(c, g, n, w, room, take_it == TAKE_nothing);
    if (images_of(n) > 1)
        return bring_images(c, g, n, w, room, take_it);
    return bring_one(c, g, n, w, room, take_it, n->arg[0], &(Shared){0});
}

/* A node that may be brought, and what it would gain by each way. */
typedef struct Prospect {
    Node *n;
    int64_t gain[WAYS];
} Prospect;

static Prospect *prospects_of(Graph *g, int *count)
{
    Prospect *v;
    Node *n;

    *count = 0;
    for (n = g->first; n; n = n->next)
        ++*count;
    v = NEWN(g->mem, Prospect, *count + 1);
    *count = 0;
    for (n = g->first; n; n = n->next)
        if (n->op == OP_conv || n->op == OP_matmul || n->op == OP_iattend ||
            n->op == OP_requant)
            v[(*count)++].n = n;
    return v;
}

/* Sums, each way behind that which scales them, cost more than these. */
static void look_at(const Chooser *c, Graph *g, Prospect *p, Way *w, int nway,
                    int64_t room)
{
    int i;

    for (i = 0; i < nway; i++)
        if (!w[i].sums || p->gain[i - 1] == 0)
            p->gain[i] = bring(c, g, p->n, &w[i], room, TAKE_nothing);
}

static bool is_worth_it(const Way *w)
{
    return w->gain > w->cold;
}

/* The way by which a node gains most, of those that are worth their code if
 * that is known; nway: there is none. */
static int best_way(const Prospect *p, const Way *w, int nway, bool known)
{
    int best = nway, i;

    for (i = 0; i < nway; i++)
        if (p->gain[i] > (best < nway ? p->gain[best] : 0) &&
            (!known || is_worth_it(&w[i])))
            best = i;
    return best;
}

/* Room for weights behind ports; ways to pack may share one. */
static void ports_of(const Plan *plan, const PlanOpts *o, Way *w, int n,
                     int64_t *port)
{
    int i, j;

    for (i = 0; i < n; i++) {
        for (j = 0; w[j].words.port != w[i].words.port; j++)
            ;
        w[i].port = &port[j];
        if (j == i && w[i].words.port >= 0)
            port[i] = room_for_consts(plan, w[i].words.port, o);
    }
}

/* What each way gains with all nodes for which it is the best; are there any
 * that are worth their code? */
static bool gains(const Chooser *c, Graph *g, Prospect *p, int count, Way *w,
                  int nway, int64_t room)
{
    bool any = false;
    int i, best;

    for (i = 0; i < count; i++) {
        look_at(c, g, &p[i], w, nway, room);
        best = best_way(&p[i], w, nway, false);
        if (best < nway)
            w[best].gain += p[i].gain[best];
    }
    for (i = 0; i < nway; i++)
        any |= is_worth_it(&w[i]);
    return any;
}

static bool is_same(const Val *a, const Val *b)
{
    return a->data && b->data && a->type == b->type && !a->port && !b->port &&
           shape_same(a->shape, b->shape) &&
           !memcmp(a->data, b->data, (size_t)val_bytes(a));
}

/* What an earlier job has that is the same as v. */
static Val *earlier_same(const Node *n, Val *v)
{
    const Node *m;
    int i;

    for (m = n->prev; m; m = m->prev)
        for (i = FACTORS; m->op == OP_pconv && i < m->narg; i++)
            if (m->arg[i] && is_same(m->arg[i], v))
                return m->arg[i];
    return v;
}

/* Factors and addends of jobs that are the same become one constant, which may
 * stay in the nearest memory. */
static void share_factors(Graph *g)
{
    Node *n;
    int i;

    for (n = g->first; n; n = n->next)
        for (i = FACTORS; n->op == OP_pconv && i < n->narg; i++)
            if (n->arg[i] && n->arg[i]->data)
                n->arg[i] = earlier_same(n, n->arg[i]);
}

void bring_layers(const Chooser *c, const Plan *plan, const PlanOpts *o)
{
    Graph *g = plan->g;
    Words packing[PACKINGS];
    Way way[WAYS] = {0};
    int nway = 2 * chooser_packings(c, true, packing, PACKINGS), count, i, best;
    bool points = false;
    int64_t room = near_room(plan, o), port[WAYS] = {0};
    Take take = o->aim == AIM_memory ? TAKE_whole : TAKE_part;
    Prospect *p;

    if (!nway)
        return;
    for (i = 0; i < nway; i++)
        points |= packing[i / 2].mode == 1;
    for (i = 0; i < nway; i++)
        way[i] = (Way){.words = packing[i / 2], .sums = i % 2,
                       .windows = points};
    ports_of(plan, o, way, nway, port);
    p = prospects_of(g, &count);
    if (gains(c, g, p, count, way, nway, room) && !packing[0].sign)
        unsign_layers(g);
    for (i = 0; i < count; i++) {
        best = best_way(&p[i], way, nway, true);
        if (best < nway)
            bring(c, g, p[i].n, &way[best], room, take);
    }
    share_factors(g);
    graph_sweep(g);
    for (i = 0; i < nway && o->aim != AIM_memory; i += 2)
        bring_residuals(c, g, &way[i], room);
}
