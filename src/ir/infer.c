/* What follows about a node's result: its shape (shape.c), whether it is
 * float or integer and of which type (here), and its range (range.c).
 *
 * An exact graph gives an integer result the least type that holds its range;
 * sums are at least 32 bits wide, for that is how they are made.  Otherwise
 * the types are those ONNX declares, and a result whose range is larger wraps
 * as in C. */
#include "ir/ir.h"

#include <string.h>

static const char *corner; /* "with n=1: ", where it is not the greatest */

_Noreturn void err_node(const Node *n, const char *fmt, ...)
{
    char text[1536];
    int at = snprintf(text, sizeof text, "%s", corner ? corner : "");
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text + at, sizeof text - (size_t)at, fmt, ap);
    va_end(ap);
    trouble.node = n->name;
    err(ERR_MODEL, "node '%s' (%s): %s", n->name,
        n->origin ? n->origin : op_info[n->op].name, text);
}

/* Length of the word at s, and what is behind it. */
static int word(const char **s)
{
    int n;

    *s += strspn(*s, " ");
    n = (int)strcspn(*s, " ");
    return n;
}

/* The words of op.def's args, cut once. */
typedef struct ArgName {
    char name[16];
    bool optional;
} ArgName;

static const ArgName *arg_names(OpCode op)
{
    static ArgName names[NOP][NARG + 1];
    static bool cut[NOP];
    const char *s = op_info[op].args;
    int i, n;

    for (i = 0; !cut[op] && (n = word(&s)); i++, s += n) {
        if (i == NARG || n >= (int)sizeof names[op][i].name)
            die("op.def: the operands of %s", op_info[op].name);
        names[op][i].optional = s[n - 1] == '?';
        memcpy(names[op][i].name, s, (size_t)(n - names[op][i].optional));
    }
    cut[op] = true;
    return names[op];
}

int op_arg(OpCode op, const char *name, bool *optional)
{
    const ArgName *a = arg_names(op);
    int i;

    for (i = 0; *a[i].name; i++)
        if (!strcmp(a[i].name, name)) {
            *optional = a[i].optional;
            return i;
        }
    return -1;
}

Val *node_arg(const Node *n, const char *name)
{
    bool optional;
    int i = op_arg(n->op, name, &optional);

    return i < 0 || i >= n->narg ? NULL : n->arg[i];
}

static void check_present(const Node *n, int i, const char *name)
{
    if (i >= n->narg || !n->arg[i])
        err_node(n, "operand '%s' (number %d) is missing", name, i + 1);
    if (n->arg[i]->type == T_none)
        err_node(n, "operand '%s' ('%s') has no type", name,
                 n->arg[i]->name);
}

/* A shift per element of mul; what rounds wants something to round. */
static void check_shifts(const Node *n)
{
    const Val *mul = node_arg(n, "mul"), *v = node_arg(n, "shifts");

    if (v && (!mul || !shape_same(v->shape, mul->shape)))
        err_node(n, "operand shifts has shape %s, mul has %s: the same was "
                 "wanted", shape_text(v->shape),
                 mul ? shape_text(mul->shape) : "none");
    if (v && attr_has(n, A_shift))
        err_node(n, "operand shifts and attribute shift exclude each other");
    if (v && val_is_int(v) && (v->lo < 0 || v->hi > SHIFT_MAX))
        err_node(n, "operand shifts has values of %lld to %lld, 0 to %d were "
                 "wanted", (long long)v->lo, (long long)v->hi, SHIFT_MAX);
    if (attr_int(n, A_round) && !mul)
        err_node(n, "round without operands mul and add");
    if (attr_int(n, A_round) < 0 || attr_int(n, A_round) > 1)
        err_node(n, "round is %lld, 0 or 1 was wanted",
                 (long long)attr_int(n, A_round));
}

static void check_args(const Node *n)
{
    const ArgName *a = arg_names(n->op);
    bool more;
    int i;

    for (i = 0; *a[i].name && strcmp(a[i].name, "..."); i++)
        if (!a[i].optional)
            check_present(n, i, a[i].name);
    more = *a[i].name;
    if (!more && n->narg > i)
        err_node(n, "%d operands, at most %d were wanted", n->narg, i);
    for (; i < n->narg; i++)
        check_present(n, i, "x");
    if (!node_arg(n, "mul") != !node_arg(n, "add"))
        err_node(n, "operands mul and add come together or not at all");
    check_shifts(n);
}

/* Operands that choose or steer, and so need not be of the kind of the others:
 * indices, conditions, scales. */
static bool steers(const Node *n, int i)
{
    switch (n->op) {
    case OP_gather: case OP_gatherelem: case OP_gathernd:
    case OP_scatterelem: case OP_scatternd:
        return i == 1;
    case OP_taps:
        return i == 1;
    case OP_where:
        return i == 0;
    case OP_rotate: case OP_quantize: case OP_dequantize: case OP_groupmatmul:
        return i > 0;
    default:
        return false;
    }
}

static void check_kinds(const Node *n)
{
    const Val *first = NULL;
    int i;

    for (i = 0; i < n->narg; i++) {
        const Val *v = n->arg[i];

        if (!v || steers(n, i))
            continue;
        if (!first)
            first = v;
        if (val_is_int(v) != val_is_int(first))
            err_node(n, "operand '%s' is %s but '%s' is %s; float and integer "
                     "do not mix without a cast", first->name,
                     type_info[first->type].name, v->name,
                     type_info[v->type].name);
    }
}

static bool wants_int(const Node *n, int i, bool is_int)
{
    const Val *v = i < n->narg ? n->arg[i] : NULL;

    if (!v || val_is_int(v) == is_int)
        return true;
    err_node(n, "operand '%s' is %s, %s was wanted", v->name,
             type_info[v->type].name, is_int ? "an integer" : "f32");
}

/* Operators that know integers only, or floats only. */
static void check_domain(const Node *n)
{
    switch (n->op) {
    case OP_requant: case OP_wadd: case OP_igelu: case OP_ihardswish:
    case OP_idiv: case OP_inonorm: case OP_isoftmax: case OP_itamax:
    case OP_itapartial: case OP_qsoftmax: case OP_qlpnorm: case OP_qsigmoid:
    case OP_ilayernorm: case OP_qlayernorm: case OP_irmsnorm: case OP_bitand: case OP_bitor:
    case OP_bitxor: case OP_bitnot: case OP_bitshift: case OP_not:
    case OP_and: case OP_or: case OP_xor: case OP_dequantize: case OP_pack:
    case OP_iattend: case OP_qattend: case OP_irotate: case OP_gate:
    case OP_pconv: case OP_pinterleave: case OP_pmatmul: case OP_qlogsoftmax:
    case OP_rowmatmul: case OP_powers: case OP_ishare: case OP_iweigh:
    case OP_rootscale:
        wants_int(n, 0, true);
        break;
    case OP_gather: case OP_gatherelem: case OP_gathernd:
    case OP_scatterelem: case OP_scatternd: case OP_taps:
        wants_int(n, 1, true);
        break;
    case OP_where:
        wants_int(n, 0, true);
        break;
    case OP_quantize:
        wants_int(n, 0, false);
        wants_int(n, 1, false);
        wants_int(n, 2, true);
        break;
    case OP_dft: case OP_gridsample: case OP_nms:
        wants_int(n, 0, false);
        break;
    case OP_rotate:
        wants_int(n, 0, false);
        wants_int(n, 1, n->arg[1]->type == T_s16);
        break;
    case OP_groupmatmul:
        wants_int(n, 0, false);
        wants_int(n, 1, true);
        wants_int(n, 2, n->arg[2]->type == T_u16);
        break;
    default:
        if (node_arg(n, "mul") && n->op != OP_mul)
            wants_int(n, op_arg(n->op, "mul", &(bool){0}), true);
    }
    if (n->op == OP_dequantize) {
        wants_int(n, 1, false);
        wants_int(n, 2, true);
    }
}

static void check_range_attrs(const Node *n)
{
    int64_t shift = attr_int(n, A_shift);

    if (shift < 0 || shift > SHIFT_MAX)
        err_node(n, "shift is %lld, 0 to %d was wanted", (long long)shift,
                 SHIFT_MAX);
    if (attr_int(n, A_lo) > attr_int(n, A_hi))
        err_node(n, "clips to lo %lld .. hi %lld, which is empty",
                 (long long)attr_int(n, A_lo), (long long)attr_int(n, A_hi));
}

static bool is_truth(OpCode op)
{
    switch (op) {
    case OP_not: case OP_isnan: case OP_isinf: case OP_and: case OP_or:
    case OP_xor: case OP_equal: case OP_less: case OP_lesseq: case OP_greater:
    case OP_greatereq:
        return true;
    default:
        return false;
    }
}

/* A sum that nothing narrows is kept as it is made. */
static bool is_sum(const Node *n)
{
    switch (n->op) {
    case OP_conv: case OP_convt: case OP_matmul: case OP_sum: case OP_sumpool:
    case OP_pconv: case OP_pmatmul:
        return !node_arg(n, "mul") && !attr_has(n, A_lo) &&
               !attr_has(n, A_hi);
    default:
        return false;
    }
}

static Type attr_type(const Node *n)
{
    int64_t t = attr_int(n, A_to);

    if (t <= T_none || t >= NTYPE)
        err_node(n, "no type to convert to");
    if (n->op == OP_quantize &&
        (type_info[t].kind == FLOAT || type_info[t].lo < INT32_MIN ||
         type_info[t].hi > INT32_MAX))
        err_node(n, "quantizes to %s, an integer within 32 bits with sign was "
                 "wanted", type_info[t].name);
    return (Type)t;
}

/* Operators whose results are places, not values, of elements. */
static bool is_place(OpCode op)
{
    switch (op) {
    case OP_argmax: case OP_argmin: case OP_topk: case OP_poolat: case OP_nms:
        return true;
    default:
        return false;
    }
}

/* The type where it does not depend on the range; T_none if it does. */
static Type type_plain(const Node *n)
{
    const Val *x = n->arg[n->op == OP_where];

    if (n->op == OP_cast || n->op == OP_quantize)
        return attr_type(n);
    if (is_truth(n->op))
        return T_b8;
    if (is_place(n->op))
        return T_none;
    if (n->op == OP_dequantize || !val_is_int(x))
        return T_f32;
    return T_none;
}

/* Operators whose result is made of elements of x alone. */
static bool only_moves(const Node *n)
{
    switch (op_info[n->op].family) {
    case FAM_reshape: case FAM_transpose: case FAM_slice: case FAM_expand:
    case FAM_windows:
    case FAM_gather: case FAM_gatherelem: case FAM_gathernd:
        return true;
    case FAM_exchange:
        return exchange_moves(n->op);
    default:
        return n->op == OP_concat && n->narg == 1;
    }
}

static Type type_exact(const Node *n, Range r)
{
    Type t;

    if (only_moves(n))
        return n->arg[0]->type;
    if (n->op == OP_iweigh)
        return node_arg(n, "parts")->type;
    t = type_for(r.lo, r.hi);
    if (op_info[n->op].family == FAM_exchange)
        return T_s32;
    return is_sum(n) && type_info[t].bytes < 4 ? T_s32 : t;
}

/* As ONNX has it: of the first data operand; sums of bytes are 32 bits. */
static Type type_typed(const Node *n, Range r)
{
    Type t = n->arg[n->op == OP_where]->type;

    if (is_place(n->op))
        return T_s64;
    if (node_arg(n, "mul") && n->op != OP_mul)
        return type_for(r.lo, r.hi);
    switch (n->op) {
    case OP_pack:
        return T_u8;
    case OP_iweigh:
        return n->arg[3]->type;
    case OP_allsum: case OP_partsum: case OP_partsend: case OP_parttake:
        return T_s32;
    case OP_conv: case OP_convt: case OP_matmul: case OP_sumpool:
    case OP_pconv: case OP_pmatmul:
        return type_info[t].bytes < 4 ? T_s32 : t;
    case OP_isoftmax: case OP_itamax: case OP_itapartial: case OP_ilayernorm:
    case OP_qlayernorm:
    case OP_qsoftmax: case OP_qlpnorm: case OP_qsigmoid:
    case OP_irmsnorm: case OP_igelu: case OP_ihardswish: case OP_idiv:
    case OP_inonorm: case OP_qlogsoftmax: case OP_rowmatmul: case OP_powers:
    case OP_ishare: case OP_rootscale:
        return type_for(r.lo, r.hi);
    default:
        return t;
    }
}

/* Every value of a result whose sizes follow numbers lies within what is
 * inferred where they are least and where they are greatest: bounds of sums
 * and products go one way with the number of terms. */
typedef struct Ranges {
    Range y, acc, scaled;
} Ranges;

static Ranges ranges_of(const Node *n)
{
    Ranges r;

    r.y = range_infer(n, &r.acc, &r.scaled);
    return r;
}

static void widen(Range *a, Range b)
{
    a->lo = MIN(a->lo, b.lo);
    a->hi = MAX(a->hi, b.hi);
}

static const char *corner_text(const Graph *g, unsigned least)
{
    static char text[200];
    size_t at = 0;
    int i;

    for (i = 0; i < g->nnum && at + 60 < sizeof text; i++)
        if (least >> i & 1)
            at += (size_t)snprintf(text + at, sizeof text - at, "%s%.30s=%lld",
                                   at ? ", " : "with ", g->num[i]->name,
                                   (long long)g->num[i]->lo);
    snprintf(text + at, sizeof text - at, ": ");
    return at ? text : NULL;
}

/* The node where numbers of a set are least, the others greatest; err if its
 * result is not what follows from the sizes there. */
static void at_corner(const Graph *g, const Node *n, unsigned least,
                      Ranges *all)
{
    Arena *own = arena_new();
    int64_t value[MOST_NUMBERS];
    Node *m;
    Ranges r;
    Shape y;
    int i;

    for (i = 0; i < g->nnum; i++)
        value[i] = least >> i & 1 ? g->num[i]->lo : g->num[i]->hi;
    corner = corner_text(g, least);
    m = node_at(own, n, value);
    node_fix(m);
    y = shape_infer(m);
    if (!shape_same(y, m->res[0]->shape))
        err_node(n, "its result of %s follows a run-time number in a way that "
                 "is not supported: %s where it would be %s",
                 shape_text(n->res[0]->shape), shape_text(y),
                 shape_text(m->res[0]->shape));
    if (n->res[0]->type != T_f32) {
        r = ranges_of(m);
        widen(&all->y, r.y);
        widen(&all->acc, r.acc);
        widen(&all->scaled, r.scaled);
    }
    corner = NULL;
    arena_end(own);
}

static Ranges all_ranges(const Graph *g, const Node *n)
{
    unsigned set = node_numbers(n), least;
    Ranges all = {{0, 0}, {0, 0}, {0, 0}};

    if (n->res[0]->type != T_f32)
        all = ranges_of(n);
    for (least = set; least; least = (least - 1) & set)
        at_corner(g, n, least, &all);
    return all;
}

static void set_type(const Graph *g, Node *n)
{
    Val *y = n->res[0];
    Ranges all;
    Range r;

    y->type = type_plain(n);
    all = all_ranges(g, n);
    r = all.y;
    if (y->type != T_f32) {
        n->acc = all.acc;
        n->scaled = all.scaled;
    }
    if (y->type == T_none)
        y->type = g->exact ? type_exact(n, r) : type_typed(n, r);
    if (y->type != T_f32 && (r.lo < type_info[y->type].lo ||
                             r.hi > type_info[y->type].hi)) {
        r.lo = type_info[y->type].lo;
        r.hi = type_info[y->type].hi;
    }
    y->lo = r.lo;
    y->hi = r.hi;
}

/* Where numbers are greatest everything is largest: memory is for that. */
static void check_grows(const Node *n)
{
    const Val *y = n->res[0];
    int i;

    for (i = 0; i < y->shape.rank; i++)
        if (y->shape.vary[i].num && y->shape.vary[i].by < 0)
            err_node(n, "axis %d of its result has %s elements: more where %s "
                     "is less, which is not supported", i,
                     size_text(size_at(y->shape, i)),
                     y->shape.vary[i].num->name);
}

void node_infer(Graph *g, Node *n)
{
    corner = NULL;
    check_args(n);
    check_kinds(n);
    check_domain(n);
    check_range_attrs(n);
    n->res[0]->shape = shape_infer(n);
    shape_count(n->res[0]->shape);
    check_grows(n);
    set_type(g, n);
}

void graph_infer(Graph *g)
{
    Node *n;

    for (n = g->first; n; n = n->next)
        node_infer(g, n);
}
