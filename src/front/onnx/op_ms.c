/* Operators of com.microsoft, as onnxruntime's optimizer writes them: most are
 * two or three of ONNX's in one. */
#include "front/onnx/import.h"

#include <math.h>
#include <string.h>

static Val *plus(Call *c, Val *a, Val *b)
{
    return b ? op2(c, OP_add, a, b) : a;
}

static Val *gelu(Call *c, Val *x, bool by_tanh)
{
    Node *n = node_of(c, OP_gelu, 1, x);

    if (by_tanh)
        attr_set_int(c->g, n, A_mode, 1);
    return done(c, n);
}

void import_biasgelu(Call *c)
{
    give(c, 0, gelu(c, plus(c, c->arg[0], arg_at(c, 1)), false));
}

void import_fastgelu(Call *c)
{
    give(c, 0, gelu(c, plus(c, c->arg[0], arg_at(c, 1)), true));
}

void import_quickgelu(Call *c)
{
    Node *n = node_of(c, OP_swish, 1, c->arg[0]);

    attr_set_num(c->g, n, A_alpha, call_num(c, "alpha", 1.702f));
    give(c, 0, done(c, n));
}

static Val *row_norm(Call *c, OpCode op, Val *x, Val *w, Val *b, double eps)
{
    Node *n = node_of(c, op, 3, x, w, b);

    attr_set_int(c->g, n, A_axis, x->shape.rank - 1);
    attr_set_num(c->g, n, A_eps, eps);
    return done(c, n);
}

/* input + skip (+ bias), normalized; the sum is the fourth result. */
void import_skiplayernormalization(Call *c)
{
    Val *x = op2(c, OP_add, c->arg[0], c->arg[1]);
    double eps = call_num(c, "epsilon", 1e-12f);

    x = plus(c, x, arg_at(c, 4));
    give(c, 0, row_norm(c, OP_layernorm, x, c->arg[2], arg_at(c, 3), eps));
    give(c, 3, x);
}

void import_skipsimplified(Call *c)
{
    Val *x = op2(c, OP_add, c->arg[0], c->arg[1]);
    double eps = call_num(c, "epsilon", 1e-12f);

    x = plus(c, x, arg_at(c, 3));
    give(c, 0, row_norm(c, OP_rmsnorm, x, c->arg[2], NULL, eps));
    give(c, 3, x);
}

static double param(const Call *c, int i, double none)
{
    double v[4];
    int n = call_nums(c, "activation_params", 4, v);
    static const char *const one[] = {"activation_alpha", "activation_beta"};

    return i < n ? v[i] : call_num(c, one[i], none);
}

/* The activation that was fused into an operator. */
static Val *activate(Call *c, Val *x)
{
    const char *f = call_str(c, "activation", "");
    Node *n;

    if (!*f)
        return x;
    if (!strcmp(f, "Relu"))
        return clamp(c, x, 0, INFINITY);
    if (!strcmp(f, "Clip"))
        return clamp(c, x, param(c, 0, -INFINITY), param(c, 1, INFINITY));
    if (!strcmp(f, "Sigmoid"))
        return op1(c, OP_sigmoid, x);
    if (!strcmp(f, "Tanh"))
        return op1(c, OP_tanh, x);
    if (strcmp(f, "LeakyRelu") && strcmp(f, "HardSigmoid"))
        call_err(c, "activation '%s' is not supported", f);
    n = node_of(c, *f == 'L' ? OP_leakyrelu : OP_hardsigmoid, 1, x);
    attr_set_num(c->g, n, A_alpha, param(c, 0, *f == 'L' ? 0.01f : 0.2f));
    if (*f == 'H')
        attr_set_num(c->g, n, A_beta, param(c, 1, 0.5));
    return done(c, n);
}

void import_fusedconv(Call *c)
{
    Val *y = conv(c, c->arg[0], c->arg[1], arg_at(c, 2));

    give(c, 0, activate(c, plus(c, y, arg_at(c, 3))));
}

void import_fusedgemm(Call *c)
{
    import_gemm(c);
    give(c, 0, activate(c, c->res[0]));
}

void import_fusedmatmul(Call *c)
{
    Val *y;

    if (call_int(c, "transBatchA", 0) || call_int(c, "transBatchB", 0))
        call_err(c, "transposes batches; export without that");
    if (c->arg[0]->shape.rank < 2 || c->arg[1]->shape.rank < 2)
        call_err(c, "an operand has less than 2 dimensions");
    y = matmul(c, c->arg[0], c->arg[1], NULL, call_int(c, "transA", 0),
               call_int(c, "transB", 0));
    if (call_num(c, "alpha", 1) != 1)
        y = op_num(c, OP_mul, y, call_num(c, "alpha", 1));
    give(c, 0, y);
}

/* [B,S,n*d] -> [B,n,S,d] */
static Val *split_heads(Call *c, Val *x, int64_t n)
{
    const int64_t *d = x->shape.dim, order[] = {0, 2, 1, 3};

    if (x->shape.rank != 3 || n < 1 || d[2] % n)
        call_err(c, "'%s' has shape %s; wanted 3 dimensions and a multiple of "
                 "%lld heads", x->name, shape_str(c->mem, x->shape),
                 (long long)n);
    x = to_shape(c, x, SHAPE(d[0], d[1], n, d[2] / n));
    return perm(c, x, order);
}

static Val *attend(Call *c, Val *q, Val *k, Val *v, Val *bias)
{
    const int64_t order[] = {0, 2, 1, 3}, n = call_need(c, "num_heads");
    double scale = call_num(c, "scale", 0);
    const int64_t *d;
    Val *x;

    q = split_heads(c, q, n);
    if (scale == 0)
        scale = 1 / sqrt((double)q->shape.dim[3]);
    q = op_num(c, OP_mul, q, scale);
    x = matmul(c, q, split_heads(c, k, n), NULL, false, true);
    x = softmax(c, plus(c, x, bias), 3);
    x = matmul(c, x, split_heads(c, v, n), NULL, false, false);
    x = perm(c, x, order);
    d = x->shape.dim;
    return to_shape(c, x, SHAPE(d[0], d[1], d[2] * d[3]));
}

static void refuse(const Call *c, int i, const char *what)
{
    if (arg_at(c, i))
        call_err(c, "%s (input %d) is not supported; export the network "
                 "without attention fusion", what, i + 1);
}

/* Queries, keys and values by one product: input, weights, bias. */
void import_msattention(Call *c)
{
    Val *x = plus(c, matmul_onnx(c, c->arg[0], c->arg[1]), arg_at(c, 2));
    int64_t third = x->shape.dim[x->shape.rank - 1] / 3;

    refuse(c, 3, "a mask index");
    refuse(c, 4, "a past state");
    if (call_int(c, "unidirectional", 0) || call_has(c, "qkv_hidden_sizes")
        || x->shape.rank != 3)
        call_err(c, "unidirectional or of unequal sizes: not supported; "
                 "export the network without attention fusion");
    give(c, 0, attend(c, part(c, x, 2, 0, third, 1),
                      part(c, x, 2, third, third, 1),
                      part(c, x, 2, 2 * third, third, 1), arg_at(c, 5)));
}

void import_multiheadattention(Call *c)
{
    Val *x[3], *b = arg_at(c, 3);
    int i;
    int64_t at = 0, n;

    refuse(c, 4, "a key padding mask");
    for (i = 6; i < c->narg; i++)
        refuse(c, i, "a past state");
    if (call_int(c, "unidirectional", 0))
        call_err(c, "unidirectional: not supported; export the network "
                 "without attention fusion");
    for (i = 0; i < 3; i++, at += n) {
        x[i] = must(c, i);
        n = x[i]->shape.rank == 3 ? x[i]->shape.dim[2] : 0;
        if (b)
            x[i] = plus(c, x[i], part(c, b, 0, at, n, 1));
    }
    give(c, 0, attend(c, x[0], x[1], x[2], arg_at(c, 5)));
}

/* Weights of `bits` bits in blocks along K, each with a scale and a zero
 * point, [N, blocks, bytes]: decoded while reading. */
void import_matmulnbits(Call *c)
{
    int64_t bits = call_int(c, "bits", 4), block = call_need(c, "block_size");
    int64_t k = call_need(c, "K"), n = call_need(c, "N"), i, j, at, q;
    const Val *w = arg_known(c, 1), *s = arg_known(c, 2), *z = arg_known(c, 3);
    int64_t blocks = block > 0 ? (k + block - 1) / block : 0, z_row;
    Val *y;

    if ((bits != 4 && bits != 8) || block < 16 || k < 1 || n < 1
        || val_count(w) != n * blocks * block * bits / 8
        || val_count(s) != n * blocks)
        call_err(c, "%lld bits in blocks of %lld: sizes do not agree",
                 (long long)bits, (long long)block);
    z_row = z ? val_count(z) / n : 0;
    if (z && (z->type == T_f32 || z_row < (blocks * bits + 7) / 8))
        call_err(c, "zero points are not %lld bits each", (long long)bits);
    y = graph_const(c->g, w->name, T_f32, SHAPE(n, k), NULL);
    for (i = 0; i < n; i++)
        for (j = 0; j < k; j++) {
            at = i * blocks * block + j;
            q = bits == 8 ? val_int(w, at) & 255
                          : val_int(w, at / 2) >> 4 * (at & 1) & 15;
            at = j / block;
            if (!z)
                q -= (int64_t)1 << (bits - 1);
            else
                q -= bits == 8 ? val_int(z, i * z_row + at) & 255
                               : val_int(z, i * z_row + at / 2)
                                     >> 4 * (at & 1) & 15;
            ((float *)y->data)[i * k + j] =
                (float)q * (float)val_num(s, i * blocks + at);
        }
    give(c, 0, plus(c, matmul(c, c->arg[0], y, NULL, false, true),
                    arg_at(c, 5)));
}
