/* Networks with quantize and dequantize nodes become integer networks.
 *
 * As quantizers write them, every operator stands between dequantized
 * operands and a quantized result:
 *
 *     a = dequantize qa sa za        acc = conv qa (qw - zw) b' padvalue=za
 *     w = dequantize qw sw zw        q   = requant acc mul add shift lo hi
 *     y = conv a w b            ->
 *     q = quantize y sy zy
 *
 * One walk in order of execution, two kinds of step.  At an operator that
 * knows integers, the dequantize sinks below it: conv(dequantize x) becomes
 * dequantize(conv x), exactly, with the zero points in the bias and in the
 * value of the padding.  At a quantize, what lies between the integers above
 * and the integers below becomes one integer node:
 *
 *   the same grid on both sides     nothing, or a clip, min, max or where
 *   a function of one 8-bit value   a table, made with the float kernels, so
 *                                   that no result differs from theirs
 *   one accumulator                 requant: (acc * mul + add) >> shift
 *   a sum of two                    wadd: (x * p0 + y * p1 + c) >> shift
 *
 *   a softmax of bytes              qsoftmax
 *   a layer norm of bytes           qlayernorm
 *
 * What fits neither stays float between an explicit dequantize and quantize.
 * doc/quant.md says how results are rounded and how that compares. */
#include "quant/lower.h"

static bool lower(Graph *g, Node *n)
{
    switch (n->op) {
    case OP_conv: return lower_conv(g, n);
    case OP_convt: return lower_convt(g, n);
    case OP_matmul: return lower_matmul(g, n);
    case OP_mean: case OP_sum: return lower_mean(g, n);
    case OP_avgpool: return lower_avgpool(g, n);
    case OP_mul: return lower_mul(g, n);
    case OP_concat: return lower_concat(g, n);
    case OP_clip: return lower_clip(g, n);
    case OP_argmax: case OP_argmin: return lower_index(g, n);
    case OP_reshape: case OP_transpose: case OP_slice: case OP_expand:
    case OP_pad: case OP_gather: case OP_gatherelem: case OP_gathernd:
    case OP_maxpool: case OP_rmax: case OP_rmin:
        return lower_move(g, n);
    case OP_quantize: return lower_quantize(g, n);
    default: return false;
    }
}

static bool is_quantized(const Graph *g)
{
    const Node *n;

    for (n = g->first; n; n = n->next)
        if (n->op == OP_quantize || n->op == OP_dequantize)
            return true;
    return false;
}

/* Weights that a model keeps wider than they are: ConvInteger less its zero
 * point, for one. */
static void narrow_weights(Graph *g)
{
    Node *n;

    for (n = g->first; n; n = n->next)
        if ((n->op == OP_conv || n->op == OP_convt || n->op == OP_matmul) &&
            val_is_int(n->arg[1]))
            val_narrow(n->arg[1]);
}

/* A result that its declared type does not hold wraps, as ONNX has it: a cast
 * to that type follows n.  Returns the last of both. */
static Node *wrap(Graph *g, Node *n, Type declared)
{
    Val *arg[1] = {NULL}, *y = n->res[0];
    const TypeInfo *t = &type_info[declared];
    Node *c;

    if (!val_is_int(y) || (y->lo >= t->lo && y->hi <= t->hi))
        return n;
    c = graph_node(g, n->next, OP_cast, NULL, 1, arg);
    graph_replace(g, y, c->res[0]);
    c->arg[0] = y;
    attr_set_int(g, c, A_to, declared);
    node_infer(g, c);
    return c;
}

/* From here on the types of integers follow their ranges. */
static void make_exact(Graph *g)
{
    Node *n;
    Type declared;

    if (g->exact)
        return;
    g->exact = true;
    for (n = g->first; n; n = n->next) {
        declared = n->res[0]->type;
        node_infer(g, n);
        n = wrap(g, n, declared);
    }
}

void quant_lower(Graph *g)
{
    Node *n;

    if (g->settled || !is_quantized(g))
        return;
    make_exact(g);
    for (n = g->first; n; n = n->next)
        if (n->op == OP_dequantize || !fold_const(g, n))
            lower(g, n);
    graph_sweep(g);
    narrow_weights(g);
    graph_infer(g);
}
