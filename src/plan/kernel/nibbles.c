/* Weights that fit four bits, two a byte, which kernels of the cores unpack:
 *
 *     y = conv x w b mul add          ->   y = pconv x w' b mul add
 *     y = matmul a w bias mul add     ->   y = reshape (pconv (reshape a) ...)
 *
 * A layer is packed where that takes no more cycles, waits for the flash among
 * them; each layer where the least flash is wanted; and where constants do not
 * fit, those that lose least for a byte.  The words are those of a kernel that
 * is there (`words` of its head).  w stays as it is where others read it too:
 * it would lie there twice. */
#include "plan/kernel/layer.h"

#include "kern/conv/words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CODE_BITS = 4, NIBBLE_LESS = 8, PACKINGS = 8 };

/* A layer that may be packed: bytes fewer, and cycles more, that it then
 * takes. */
typedef struct Candidate {
    Node *n;
    int64_t tile, saved, cycles;
} Candidate;

typedef struct Packer {
    const Chooser *c;
    Graph *g;
    Words way[PACKINGS];
    int nway;
    double fill;   /* cycles that a byte of weights takes from memory */
} Packer;

/* ---- weights ---- */

static bool is_weights(const Val *w)
{
    return w->data && type_info[w->type].bytes == 1 && val_is_int(w) &&
           w->nuse == 1 && w->lo >= -NIBBLE_LESS &&
           w->hi < (1 << CODE_BITS) - NIBBLE_LESS;
}

/* m rows of k codes; swap: w has columns.  Behind a row are weights of 0. */
static Val *in_nibbles(Graph *g, const Val *w, int64_t m, int64_t k,
                       bool swap, int64_t tile)
{
    int64_t row = (k + tile - 1) / tile * tile / 2, o, i;
    Val *to = graph_const(g, w->name, T_u8, SHAPE(m, row), NULL);
    uint8_t *p = to->data;

    memset(p, NIBBLE_LESS << CODE_BITS | NIBBLE_LESS, (size_t)(m * row));
    for (o = 0; o < m; o++)
        for (i = 0; i < k; i++) {
            int code = (int)val_int(w, swap ? i * m + o : o * k + i) +
                       NIBBLE_LESS;
            int64_t at = i % tile, half = tile / 2;
            uint8_t *byte = p + o * row + i / tile * half + at % half;

            *byte = (uint8_t)(at < half ? (*byte & 0xf0) | code
                                        : (*byte & 0x0f) | code << CODE_BITS);
        }
    val_range(to);
    return to;
}

/* ---- layers ---- */

static bool may_pack(const Node *n)
{
    const Val *w = n->narg > 1 ? n->arg[1] : NULL, *bias;

    if (n->op == OP_conv)
        return attr_int(n, A_last) && attr_int(n, A_group) == 1 &&
               w->shape.rank == 4 && is_weights(w);
    if (n->op != OP_matmul || !layer_is_product(n) || node_varies(n))
        return false;
    bias = node_arg(n, "bias");
    return is_weights(w) &&
           (!bias || val_count(bias) == w->shape.dim[!attr_int(n, A_transb)]);
}

static void set_words(Graph *g, Node *n, int64_t tile)
{
    attr_set_int(g, n, A_p0, NIBBLE_LESS);
    attr_set_int(g, n, A_p1, CODE_BITS);
    attr_set_int(g, n, A_p2, tile / 2);
    attr_set_list(g, n, A_count, 1, &tile);
    attr_set_int(g, n, A_mode, WORDS_OF_NIBBLES);
}

/* The attributes that a product and a pconv have, and those of one tap. */
static void set_product(Graph *g, Node *to, const Node *n)
{
    static const AttrCode same[] = {A_shift, A_round, A_lo, A_hi};
    const int64_t one[2] = {1, 1};
    size_t i;

    for (i = 0; i < LEN(same); i++)
        if (attr_has(n, same[i]))
            attr_set_int(g, to, same[i], attr_int(n, same[i]));
    attr_set_list(g, to, A_kernel, 2, one);
    attr_set_int(g, to, A_last, 1);
}

/* n of packed weights, before it: a product as a convolution of one tap, whose
 * pixels are rows. */
static Node *packed_layer(Graph *g, Node *n, int64_t tile)
{
    const Val *w = n->arg[1], *was = n->res[0];
    bool swap = n->op == OP_matmul && !attr_int(n, A_transb);
    int64_t m = w->shape.dim[swap], k = val_count(w) / m;
    Val *x = n->arg[0];
    Node *y;

    if (n->op == OP_matmul)
        x = layer_reshaped(g, n, x, SHAPE(1, val_count(x) / k, 1, k));
    y = graph_node(g, n, OP_pconv, n->name, n->narg, n->arg);
    y->origin = n->origin;
    y->arg[0] = x;
    y->arg[1] = in_nibbles(g, w, m, k, swap, tile);
    if (n->op == OP_matmul) {
        set_product(g, y, n);
    } else {
        attr_copy(g, y, n);
        attr_set_list(g, y, A_kernel, 2, w->shape.dim + 1);
    }
    set_words(g, y, tile);
    node_infer(g, y);
    y->res[0]->type = was->type;
    y->res[0]->lo = was->lo;
    y->res[0]->hi = was->hi;
    return y;
}

/* ---- which are packed ---- */

static int64_t cycles_of(const Packer *p, const Node *n)
{
    return chooser_cycles(p->c, p->g, n) +
           (int64_t)(p->fill * (double)val_bytes(n->arg[1]));
}

/* The way to pack n by which it takes fewest cycles.  false: none saves
 * bytes. */
static bool best_way(const Packer *p, Node *n, Candidate *best)
{
    int64_t bytes = val_bytes(n->arg[1]), before = cycles_of(p, n);
    Node *prev = n->prev;
    int i;

    *best = (Candidate){.n = n, .cycles = INT64_MAX};
    for (i = 0; i < p->nway; i++) {
        Node *y = packed_layer(p->g, n, p->way[i].tile);
        int64_t saved = bytes - val_bytes(y->arg[1]);
        int64_t more = cycles_of(p, y) - before;

        if (saved > 0 && more < best->cycles)
            *best = (Candidate){n, p->way[i].tile, saved, more};
        layer_undo(p->g, prev, n);
    }
    return best->cycles < INT64_MAX;
}

static void pack_layer(Graph *g, const Candidate *c)
{
    Node *n = c->n, *y = packed_layer(g, n, c->tile);
    Val *v = y->res[0];

    if (!shape_same(v->shape, n->res[0]->shape))
        v = layer_reshaped(g, n, v, n->res[0]->shape);
    layer_replace(g, n, y, v);
}

/* Those of which a byte takes least. */
static int by_price(const void *a, const void *b)
{
    const Candidate *x = a, *y = b;
    double d = (double)x->cycles / (double)x->saved -
               (double)y->cycles / (double)y->saved;

    return d < 0 ? -1 : d > 0;
}

static int64_t const_bytes(const Graph *g)
{
    int64_t bytes = 0;
    const Val *v;

    for (v = g->vals; v; v = v->next)
        if (v->data && v->nuse)
            bytes += val_bytes(v);
    return bytes;
}

/* The room for constants, by all memories that cores reach.  *fill: cycles that
 * a byte takes to come from the quickest that has room for so many bytes, or
 * else from the slowest. */
static int64_t flash_room(const Plan *p, const PlanOpts *o, int64_t bytes,
                          double *fill)
{
    double most = 0, least = INFINITY;
    int64_t all = 0;
    int i;

    for (i = 0; i < p->soc->nmem; i++) {
        int64_t room = p->soc->mems[i].mapped ? room_for_consts(p, i, o) : 0;
        double one = mem_fill(p->soc, i);

        if (room <= 0)
            continue;
        all += room;
        most = MAX(most, one);
        if (room >= bytes)
            least = MIN(least, one);
    }
    *fill = isinf(least) ? most : least;
    return all;
}

void pack_layers(const Chooser *c, const Plan *plan, const PlanOpts *o)
{
    Graph *g = plan->g;
    Packer p = {.c = c, .g = g};
    Candidate *list = NULL, one;
    int64_t lacks;
    int i, n = 0;
    Node *at;

    graph_uses(g);
    lacks = const_bytes(g);
    lacks -= flash_room(plan, o, lacks, &p.fill);
    p.nway = chooser_packings(c, false, p.way, PACKINGS);
    for (at = g->first; at; at = at->next)
        if (may_pack(at) && best_way(&p, at, &one)) {
            GROW(plan->mem, list, (size_t)n);
            list[n++] = one;
        }
    if (!n)
        return;
    qsort(list, (size_t)n, sizeof *list, by_price);
    for (i = 0; i < n; i++)
        if (o->aim == AIM_flash || list[i].cycles <= 0 || lacks > 0) {
            pack_layer(g, &list[i]);
            lacks -= list[i].saved;
        }
    graph_sweep(g);
}
