/* shard SEED ROUNDS [NETWORK...]: networks, random ones and files, by shares on
 * several chips: all outputs of all chips have the bits of one chip's.  Also
 * that layers were cut at all, and exchanges were made of both kinds. */
#include "front/front.h"
#include "pass/pass.h"
#include "quant/quant.h"
#include "shard/shard.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state;
static Graph *g;
static int sums, gathers, halos, layers, cut, refused, states, halves, again,
    pieces;
static int stages, chosen;
static jmp_buf over;

/* xorshift64 (Marsaglia 2003) */
static int between(int lo, int hi)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return lo + (int)((state >> 33) % (unsigned)(hi - lo + 1));
}

static Val *numbers(Type t, Shape s, int lo, int hi)
{
    Val *v = graph_const(g, NULL, t, s, NULL);
    int64_t i;

    for (i = 0; i < val_count(v); i++)
        val_set(v, i, between(lo, hi));
    val_range(v);
    return v;
}

static Val *node(OpCode op, int n, Val *const *arg)
{
    return graph_node(g, NULL, op, NULL, n, arg)->res[0];
}

static Val *infer(Val *v)
{
    node_infer(g, v->def);
    return v;
}

static Val *to_byte(Val *v, int shift)
{
    attr_set_int(g, v->def, A_lo, -128);
    attr_set_int(g, v->def, A_hi, 127);
    attr_set_int(g, v->def, A_shift, shift);
    return infer(v);
}

/* x[..][k] by n columns, to bytes. */
static Val *linear(Val *x, int n)
{
    int k = (int)x->shape.dim[x->shape.rank - 1], turn = between(0, 1);
    bool each = between(0, 1);
    Val *arg[6] = {x, numbers(T_s8, turn ? SHAPE(n, k) : SHAPE(k, n), -127,
                              127)}, *y;

    if (between(0, 1))
        arg[2] = numbers(T_s32, SHAPE(n), -9999, 9999);
    arg[3] = numbers(T_s32, each ? SHAPE(n) : SHAPE(1), 100, 400);
    arg[4] = numbers(T_s32, between(0, 1) ? SHAPE(n) : SHAPE(1), -99999, 99999);
    y = node(OP_matmul, 5, arg);
    attr_set_int(g, y->def, A_transb, turn);
    return to_byte(y, 16);
}

static Val *scaled(OpCode op, Val *a, Val *b, int by, int shift)
{
    Val *arg[] = {a, b, numbers(T_s32, SHAPE(1), by, 2 * by),
                  numbers(T_s32, SHAPE(1), 0, 1 << (shift - 1))};

    return to_byte(node(op, 4, arg), shift);
}

static Val *product(Val *a, Val *b, bool turn, int by)
{
    Val *arg[] = {a, b, NULL, numbers(T_s32, SHAPE(1), by, 2 * by),
                  numbers(T_s32, SHAPE(1), 32768, 32768)};
    Val *y = node(OP_matmul, 5, arg);

    attr_set_int(g, y->def, A_transb, turn);
    return to_byte(y, 16);
}

static Val *shaped(Val *x, Shape s)
{
    Val *y = node(OP_reshape, 1, &x);

    attr_set_shape(g, y->def, A_shape, s);
    return infer(y);
}

/* [s][groups * each * p] to [groups][each][s][p] */
static Val *heads(Val *x, int groups, int each)
{
    int64_t s = x->shape.dim[0], p = x->shape.dim[1] / groups / each;
    Val *v = shaped(x, SHAPE(s, groups, each, p)), *y;

    y = node(OP_transpose, 1, &v);
    attr_set_list(g, y->def, A_perm, 4, (int64_t[]){1, 2, 0, 3});
    return infer(y);
}

/* Rows that a state keeps, the oldest of which goes for x. */
static Val *cached(Val *x, int rows)
{
    int64_t e = x->shape.dim[1];
    Val *past = graph_val(g, NULL, x->type, SHAPE(rows, e)), *y, *arg[2];

    past->lo = -128;
    past->hi = 127;
    graph_input(g, past);
    arg[0] = node(OP_slice, 1, &past);
    attr_set_list(g, arg[0]->def, A_start, 2, (int64_t[]){1, 0});
    attr_set_list(g, arg[0]->def, A_step, 2, (int64_t[]){1, 1});
    attr_set_list(g, arg[0]->def, A_count, 2, (int64_t[]){rows - 1, e});
    infer(arg[0]);
    arg[1] = x;
    y = node(OP_concat, 2, arg);
    attr_set_int(g, y->def, A_axis, 0);
    infer(y);
    graph_output(g, y);
    y->state = past;
    states++;
    return y;
}

static Val *attention(Val *x)
{
    int64_t e = x->shape.dim[1], s = x->shape.dim[0];
    int groups = between(1, 6), each = between(1, 3), p = between(1, 5);
    Val *q = linear(x, groups * each * p), *k = linear(x, groups * p), *y;
    Val *v = linear(x, groups * p);

    if (s == 1) {
        k = cached(k, 4);
        v = cached(v, 4);
    }
    q = heads(q, groups, each);
    k = heads(k, groups, 1);
    v = heads(v, groups, 1);
    y = product(q, k, true, 700);
    y = node(OP_isoftmax, 1, &y);
    attr_set_int(g, y->def, A_hi, 255);
    attr_set_int(g, y->def, A_p0, 1);
    attr_set_int(g, y->def, A_p1, 15);
    attr_set_int(g, y->def, A_p2, 123);
    attr_set_int(g, y->def, A_p3, 7);
    y = product(infer(y), v, false, 300);
    y = node(OP_transpose, 1, &y);
    attr_set_list(g, y->def, A_perm, 4, (int64_t[]){2, 0, 1, 3});
    y = shaped(infer(y), SHAPE(s, groups * each * p));
    return scaled(OP_add, x, linear(y, (int)e), 30000, 16);
}

static Val *feed_forward(Val *x)
{
    int f = between(3, 40);
    Val *y = linear(x, f);

    if (between(0, 1))
        y = scaled(OP_mul, y, linear(x, f), 300, 16);
    return scaled(OP_add, linear(y, (int)x->shape.dim[1]), x, 30000, 16);
}

static Val *normed(Val *x)
{
    int64_t e = x->shape.dim[1];
    Val *arg[] = {x, numbers(T_s16, SHAPE(e), 4000, 9000),
                  numbers(T_s16, SHAPE(e), -900, 900)};

    return to_byte(node(OP_ilayernorm, 3, arg), 8);
}

static Val *convolved(Val *x, int out, int k, int group)
{
    int64_t c = x->shape.dim[1];
    Val *arg[] = {x, numbers(T_s8, SHAPE(out, c / group, k, k), -127, 127),
                  between(0, 1) ? numbers(T_s32, SHAPE(out), -999, 999) : NULL,
                  numbers(T_s32, between(0, 1) ? SHAPE(out) : SHAPE(1), 100,
                          300),
                  numbers(T_s32, SHAPE(out), -9999, 9999)};
    Val *y = node(OP_conv, 5, arg);

    if (group > 1)
        attr_set_int(g, y->def, A_group, group);
    if (k == 3)
        attr_set_list(g, y->def, A_pad, 4, (int64_t[]){1, 1, 1, 1});
    return to_byte(y, 16);
}

static Val *picture(Val *x)
{
    int c = between(2, 20), turns = between(1, 3);
    Val *y = shaped(x, SHAPE(1, 1, x->shape.dim[0], x->shape.dim[1])), *z;

    y = convolved(y, c, 3, 1);
    while (turns--) {
        z = convolved(y, c, 3, c);
        z = convolved(z, c, 1, 1);
        y = scaled(OP_add, y, z, 30000, 16);
    }
    y = node(OP_maxpool, 1, &y);
    attr_set_list(g, y->def, A_kernel, 2, (int64_t[]){1, 2});
    attr_set_list(g, y->def, A_stride, 2, (int64_t[]){1, 2});
    infer(y);
    return shaped(y, SHAPE(1, val_count(y)));
}

static void set_list(Val *y, AttrCode c, int n, int lo, int hi)
{
    int64_t list[4];
    int i;

    for (i = 0; i < n; i++)
        list[i] = between(lo, hi);
    attr_set_list(g, y->def, c, n, list);
}

/* Of an image, channels last: any window that fits. */
static Val *filtered(Val *x, int out, int group)
{
    int64_t c = x->shape.dim[3];
    int k = between(1, 3), each = between(0, 1);
    Val *arg[] = {x, numbers(T_s8, SHAPE(out, k, k, c / group), -127, 127),
                  between(0, 1) ? numbers(T_s32, SHAPE(out), -999, 999) : NULL,
                  numbers(T_s32, each ? SHAPE(out) : SHAPE(1), 100, 300),
                  numbers(T_s32, SHAPE(out), -9999, 9999)};
    Val *y = node(OP_conv, 5, arg);

    attr_set_int(g, y->def, A_last, 1);
    attr_set_int(g, y->def, A_group, group);
    set_list(y, A_pad, 4, k > 1, k - 1);
    set_list(y, A_stride, 2, 1, between(1, 2));
    if (k < 3)
        set_list(y, A_dilation, 2, 1, 2);
    return to_byte(y, 16);
}

static Val *pooled(Val *x)
{
    Val *y = node(between(0, 1) ? OP_maxpool : OP_avgpool, 1, &x);
    int k = between(1, 3);

    attr_set_int(g, y->def, A_last, 1);
    attr_set_int(g, y->def, A_ceil, between(0, 1));
    if (y->def->op == OP_avgpool)
        attr_set_int(g, y->def, A_countpad, between(0, 1));
    attr_set_list(g, y->def, A_kernel, 2, (int64_t[]){k, k});
    set_list(y, A_pad, 4, 0, k / 2);
    set_list(y, A_stride, 2, 1, k);
    return infer(y);
}

/* x and what two windows of three by three make of it. */
static Val *bypassed(Val *x)
{
    int c = (int)x->shape.dim[3], i;
    Val *y = x;

    for (i = 0; i < 2; i++) {
        Val *arg[] = {y, numbers(T_s8, SHAPE(c, 3, 3, c), -127, 127), NULL,
                      numbers(T_s32, SHAPE(1), 100, 300),
                      numbers(T_s32, SHAPE(c), -9999, 9999)};

        y = node(OP_conv, 5, arg);
        attr_set_int(g, y->def, A_last, 1);
        attr_set_list(g, y->def, A_pad, 4, (int64_t[]){1, 1, 1, 1});
        y = to_byte(y, 16);
    }
    return scaled(OP_add, x, y, 30000, 16);
}

static Val *image(void)
{
    Val *x = graph_val(g, "x", T_s8, SHAPE(1, between(9, 30), between(5, 9),
                                           between(1, 6)));
    int n = between(1, 5);

    x->lo = -128;
    x->hi = 127;
    graph_input(g, x);
    while (n-- && x->shape.dim[1] > 4 && x->shape.dim[2] > 4)
        switch (between(0, 3)) {
        case 0: x = filtered(x, between(2, 9), 1); break;
        case 1: x = filtered(x, (int)x->shape.dim[3], (int)x->shape.dim[3]);
                break;
        case 2: x = pooled(x); break;
        case 3: x = bypassed(x); break;
        }
    return between(0, 1) ? shaped(x, SHAPE(1, val_count(x))) : x;
}

/* Of images there is no row but one. */
static void random_images(Arena *a)
{
    Val *x;

    g = graph_new(a, "random images");
    g->exact = true;
    x = image();
    graph_output(g, x->shape.rank == 2 ? linear(x, between(2, 20)) : x);
    graph_check(g, "the test");
}

static void random_net(Arena *a)
{
    Val *x;
    int n = between(1, 4);

    g = graph_new(a, "random");
    g->exact = true;
    x = graph_val(g, "x", T_s8, SHAPE(between(1, 5), between(2, 24)));
    x->lo = -128;
    x->hi = 127;
    graph_input(g, x);
    while (n--)
        switch (between(0, 3)) {
        case 0: x = attention(x); break;
        case 1: x = feed_forward(x); break;
        case 2: x = normed(x); break;
        case 3: x = linear(x, between(2, 24)); break;
        }
    if (!between(0, 3) && x->shape.dim[1] > 1)
        x = picture(x);
    graph_output(g, linear(x, between(2, 20)));
    graph_check(g, "the test");
}

static void *random_data(Arena *a, const Val *v)
{
    Val copy = *v;
    int64_t i;

    copy.data = arena_get(a, (size_t)val_count(v) + 1,
                          (size_t)type_info[v->type].bytes);
    for (i = 0; i < val_count(v); i++)
        if (v->type == T_f32)
            ((float *)copy.data)[i] = (float)between(-999, 999) / 500;
        else
            val_set(&copy, i, between((int)MAX(v->lo, -30000),
                                      (int)MIN(v->hi, 30000)));
    return copy.data;
}

static void count(const Shard *s)
{
    const Node *n;
    int i;

    if (s->stage) {
        stages += s->o.chips;
        chosen += !s->o.pipeline;
        return;
    }
    for (i = 0; i < s->nexchange; i++)
        *(s->exchange[i].sum ? &sums : s->exchange[i].halo ? &halos
          : &gathers) += 1;
    for (i = 0; i < s->nnode; i++)
        again += s->share[i].res.band != NULL;
    for (n = s->g[0]->first; n; n = n->next)
        halves += n->op == OP_parttake, pieces += n->op == OP_gathertake;
    layers += s->nnode;
    cut += shard_split(s);
}

/* Stops at the first output that differs. */
static void same_with(Arena *a, const ShardOpts *o)
{
    void **in = NEWN(a, void *, g->nin + 1);
    Shard *s;
    Eval *e, **out;
    int i, k;

    for (i = 0; i < g->nin; i++)
        in[i] = random_data(a, g->in[i]);
    graph_number(g);
    e = graph_eval(a, g, in);
    s = shard_make(a, g, o);
    count(s);
    out = shard_eval(a, s, in);
    for (i = 0; i < o->chips; i++)
        for (k = 0; k < g->nout; k++)
            if (!shard_same(s, i, k, e, out[i])) {
                printf("%s: output %d of chip %d of %d differs\n", g->name, k,
                       i, o->chips);
                exit(1);
            }
}

static void same(Arena *a, int chips)
{
    ShardOpts o = {.chips = chips, .room = between(0, 1) ? 256 : 0,
                   .inner = (Inner)between(0, 2),
                   .images = (Images)between(0, 2), .link_rate = between(0, 1),
                   .mac_rate = between(0, 1) ? 1e3 : 1e-6,
                   .neighbours = between(0, 4)};
    const ShardOpts slow = {.chips = chips, .room = 1 << 20, .beside = true,
                            .mac_rate = 1e-4, .sum_columns = 1,
                            .link_rate = 1e-4};
    const ShardOpts worth = {.chips = chips, .room = 1 << 20, .timed = true,
                             .cores = 8, .link_rate = between(1, 99),
                             .memory = between(0, 1) ? 1 << 20 : 99,
                             .far_rate = .001, .neighbours = true,
                             .mac_rate = between(1, 9) / 99.,
                             .byte_rate = between(1, 9) / 99.};
    const ShardOpts rows = {.chips = chips, .images = IMAGES_rows,
                            .mac_rate = 1e-6, .neighbours = true};
    const ShardOpts *any[] = {&o, &slow, &worth, &rows};

    o.pipeline = o.neighbours && !between(0, 3);
    same_with(a, any[between(0, 3)]);
}

static void refuse(const Trouble *t)
{
    (void)t;
    longjmp(over, 1);
}

/* One random network. */
static void round_of(void)
{
    Arena *volatile a = arena_new();
    const bool images = between(0, 1);

    if (images)
        random_images(a);
    else
        random_net(a);
    err_hook = refuse;
    if (setjmp(over))
        refused++;
    else
        same(a, between(1, images ? 5 : 10));
    err_hook = NULL;
    arena_end(a);
}

/* n layers one behind the other, of rows of as many elements as of x. */
static void stack(Arena *a, const char *name, Shape s, int n)
{
    Val *x;
    int i;

    g = graph_new(a, name);
    g->exact = true;
    x = graph_val(g, "x", T_s8, s);
    x->lo = -128;
    x->hi = 127;
    graph_input(g, x);
    for (i = 0; i < n; i++)
        x = linear(x, (int)s.dim[1]);
    graph_output(g, x);
}

/* Layers that nobody has a share of, where a chip has no room for all. */
static void crowded(void)
{
    Arena *a = arena_new();

    stack(a, "crowded", SHAPE(1, 3), 6);
    same_with(a, &(ShardOpts){.chips = 4, .timed = true, .cores = 8,
                              .mac_rate = 1, .byte_rate = 1, .link_rate = 1,
                              .memory = 40, .far_rate = .01,
                              .neighbours = true});
    arena_end(a);
}

/* What the search for shares takes is not kept. */
static void frugal(void)
{
    enum { LAYERS = 24, MOST = 4 << 20 };
    Arena *a = arena_new();
    size_t bytes;

    stack(a, "frugal", SHAPE(4, 16), LAYERS);
    bytes = arena_bytes(a);
    shard_make(a, g, &(ShardOpts){.chips = 8, .timed = true, .cores = 8,
                                  .mac_rate = .01, .byte_rate = 1,
                                  .link_rate = 1, .neighbours = true,
                                  .room = 1 << 20, .beside = true,
                                  .sum_columns = 1});
    bytes = arena_bytes(a) - bytes;
    if (bytes > MOST) {
        printf("shares of %d layers keep %zu bytes\n", LAYERS, bytes);
        exit(1);
    }
    arena_end(a);
}

int main(int argc, char **argv)
{
    static const char *const off[] = {"siblings", "attend", "prompt", "few",
                                     NULL};
    int i, n;

    if (argc < 3)
        return 2;
    state = strtoull(argv[1], NULL, 10) * 2654435761u + 88172645463325252u;
    for (i = 0; i < atoi(argv[2]); i++)
        round_of();
    crowded();
    frugal();
    for (i = 3; i < argc; i++)
        for (n = 1; n <= 8; n += between(1, 2)) {
            Arena *a = arena_new();

            g = front_read(a, argv[i], &(FrontOpts){0});
            quant_lower(g);
            pass_all(g, off, NULL);
            same(a, n);
            arena_end(a);
        }
    printf("%d of %d layers cut, %d states, %d sums and %d gathers (%d and %d "
           "beside work), %d halos, rows of %d layers computed twice, %d "
           "stages (%d pipelines by themselves), %d networks too small for so "
           "many chips\n", cut, layers, states, sums, gathers, halves, pieces,
           halos, again, stages, chosen, refused);
    return !sums || !gathers || !states || !halves || !pieces || !halos ||
           !again || !stages || !chosen || cut * 4 < layers;
}
