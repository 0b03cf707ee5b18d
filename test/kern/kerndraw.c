/* Random operators for test/kern/kern.c: a graph of one node, in the text form, with
 * operands of an instance's types.  Shapes are small, attributes are those that
 * kernels tell apart, and ranges keep sums within 32 bits. */
#include "test/kern/kern.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

Arena *mem;
unsigned seed;

int roll(int n)
{
    seed = seed * 1103515245u + 12345u;
    return (int)((seed >> 16 & 0x7fff) % (unsigned)n);
}

static int between(int lo, int hi)
{
    return lo + roll(hi - lo + 1);
}

int64_t roll64(int64_t lo, int64_t hi)
{
    uint64_t r = (uint64_t)roll(32768) << 45 | (uint64_t)roll(32768) << 30 |
                 (uint64_t)roll(32768) << 15 | (uint64_t)roll(32768);
    uint64_t n = (uint64_t)hi - (uint64_t)lo + 1;

    if (!roll(5))
        return roll(2) ? lo : hi;
    return (int64_t)((uint64_t)lo + (n ? r % n : r));
}

/* --- the graph --- */

/* Bits of an operand's values: few enough for sums to stay in 32 bits. */
static int bits_of(const char *name, Type t)
{
    const TypeInfo *i = &type_info[t];
    int most = 8 * i->bytes - (i->kind == SINT), wanted = 11;

    if (!strcmp(name, "shifts"))
        wanted = between(3, 6);
    else if (!strcmp(name, "mul"))
        wanted = between(0, 20);
    else if (!strcmp(name, "add"))
        wanted = between(0, t == T_s64 ? 40 : 29);
    else if (i->bytes == 4)
        wanted = 18;
    else if (i->bytes == 2 && roll(2))
        wanted = 16;
    return t == T_b8 ? 1 : MIN(most, wanted);
}

/* "x = input : s8[1,2] range -3 100" */
static void put_operand(Str *o, const char *name, Type t, const char *shape)
{
    int bits = bits_of(name, t);
    int64_t hi = ((int64_t)1 << bits) - 1;
    int64_t lo = type_info[t].kind == SINT ? -hi - 1 : 0;

    str_fmt(o, "%s = input : %s%s", name, type_info[t].name, shape);
    if (!strcmp(name, "shifts")) {
        hi = MIN(hi, 62);
        lo = hi == 62 && roll(2) ? 32 : 0;
    }
    if (roll(2) && lo <= 0) {
        hi = roll64(0, hi);
        lo = lo ? -roll64(0, -lo) : 0;
    }
    if (t != T_f32)
        str_fmt(o, " range %" PRId64 " %" PRId64, lo, hi);
    str_put(o, "\n");
}

/* Factors and addends of rows, up to what leaves no 32 bits with a byte. */
static void put_wide(Str *o, const char *name, const char *shape)
{
    const int most = between(1 << 18, 0x800000);

    str_fmt(o, "%s = input : s32%s range %d %d\n", name, shape, -most, most);
}

static const char *list(int n, const int *v, const char *open,
                        const char *close)
{
    Str o = {.mem = mem};
    int i;

    str_put(&o, open);
    for (i = 0; i < n; i++)
        str_fmt(&o, "%s%d", i ? "," : "", v[i]);
    str_put(&o, close);
    return o.s;
}

static const char *dims(int n, const int *v)
{
    return list(n, v, "[", "]");
}

static bool has_attr(OpCode op, const char *name)
{
    const char *s = op_info[op].attrs;
    size_t n = strlen(name);

    for (; (s = strstr(s, name)); s += n)
        if ((s == op_info[op].attrs || s[-1] == ' ') &&
            (!s[n] || s[n] == ' '))
            return true;
    return false;
}

/* lo and hi that the result's type holds; what has no bound must not need
 * one. */
static void put_clip(Str *o, OpCode op, const Inst *in)
{
    const TypeInfo *t = &type_info[in->res];
    int64_t lo = MAX(t->lo, -(1 << 30)), hi = MIN(t->hi, 1 << 30);

    if (t->kind == FLOAT) {
        if (has_attr(op, "flo") && roll(2))
            str_fmt(o, " flo=%d fhi=%d", -roll(3), roll(40));
        return;
    }
    if (roll(2))
        lo = roll64(lo, 0);
    if (roll(2))
        hi = roll64(0, hi);
    str_fmt(o, " lo=%" PRId64 " hi=%" PRId64, lo, hi);
}

/* The shift that put_scaling() has in mind; -1: none. */
static int meant = -1;

static void put_factor(Str *o, const char *name, Type t, const char *shape,
                       int64_t most)
{
    const TypeInfo *i = &type_info[t];

    most = roll64(1, MIN(most, i->hi));
    str_fmt(o, "%s = input : %s%s range %" PRId64 " %" PRId64 "\n", name,
            i->name, shape, roll(3) ? MIN(1, most) : MAX(i->lo, -most), most);
}

bool upper_fits(const Node *n)
{
    return n->acc.lo >= -(1 << 29) && n->acc.hi < 1 << 29;
}

/* Such as UPPER_HALF wants.  Bounds of add that are odd multiples of 2^30 mean
 * that all values are. */
static void put_upper(Str *o, const Inst *in, const char *mul, const char *add)
{
    int64_t most, half = INT64_C(1) << 30;

    meant = between(32, 44);
    most = INT64_C(1) << (meant + 6);
    str_fmt(o, "mul = input : s32%s range %d %d\n", mul,
            roll(4) ? 1 << 30 : -INT32_MAX, INT32_MAX);
    str_fmt(o, "add = input : s64%s range %" PRId64 " %" PRId64 "\n", add,
            half - most, half + most);
    if (in->shifts)
        str_fmt(o, "shifts = input : s8%s range %d %d\n", mul, meant,
                meant + between(0, 8));
}

/* Factors and addends of a network's size, with which few results are clipped. */
static void put_likely(Str *o, const Inst *in, int at, const char *mul,
                       const char *add)
{
    int less = between(2, 12);

    meant = between(in->shifts || in->round ? 30 : 6, 44);
    put_factor(o, "mul", in->arg[at], mul,
               INT64_C(1) << MAX(1, meant - less));
    put_factor(o, "add", in->arg[at + 1], add, INT64_C(1) << (meant + 6));
    if (in->shifts)
        str_fmt(o, "shifts = input : s8%s range %d %d\n", mul, meant,
                meant + between(0, 8));
}

/* A factor of about 16 bits, and half a unit. */
static void put_rounded(Str *o, const Inst *in, int at, const char *mul)
{
    int64_t half;

    meant = between(1, 18);
    half = MIN(INT64_C(1) << (meant - 1), type_info[in->arg[at + 1]].hi);
    put_factor(o, "mul", in->arg[at], mul, INT64_C(1) << between(8, 17));
    str_fmt(o, "add = input : %s[1] range %" PRId64 " %" PRId64 "\n",
            type_info[in->arg[at + 1]].name, half, half);
}

/* The epilogue's operands from number `at` on, each with an element per
 * channel or one; or neither. */
static bool put_scaling(Str *o, const Inst *in, int at, const char *shape,
                        const char *one)
{
    const char *each = roll(2) ? shape : one;

    meant = -1;
    if (in->res == T_f32 || (!in->shifts && !in->round && !roll(4)))
        return false;
    if (in->upper) {
        put_upper(o, in, in->shifts ? shape : each, roll(2) ? shape : one);
        return true;
    }
    if (roll(in->shifts || in->round ? 4 : 2) &&
        type_info[in->arg[at]].bytes > 2) {
        put_likely(o, in, at, each, roll(2) ? shape : one);
        return true;
    }
    if (!in->shifts && !in->round && roll(2)) {
        put_rounded(o, in, at, each);
        return true;
    }
    put_operand(o, "mul", in->arg[at], each);
    put_operand(o, "add", in->arg[at + 1], roll(2) ? shape : one);
    if (in->shifts)
        put_operand(o, "shifts", in->arg[at + 2], each);
    return true;
}

/* The names of an epilogue's operands, if it has them. */
static const char *scaling(const Inst *in, bool scaled, const char *none)
{
    return !scaled ? none : in->shifts ? "mul add shifts" : "mul add";
}

/* Less than n, and now and then any that there is. */
static int shift_of(int n)
{
    return roll(roll(8) ? n : 63);
}

static void put_shift(Str *o, const Inst *in, bool scaled)
{
    if (scaled && !in->shifts)
        str_fmt(o, " shift=%d", meant >= 0 ? meant : shift_of(24));
    if (scaled && in->round)
        str_fmt(o, " round=%d", in->round);
    meant = -1;
}

/* Constants of operators, small ones that make sense for most. */
static void put_numbers(Str *o, OpCode op, const Inst *in)
{
    static const char *const ints[] = {"p0", "p1", "p2", "mode", "exclusive",
                                       "reverse"};
    static const char *const floats[] = {"alpha", "beta", "eps"};
    size_t i;

    for (i = 0; i < LEN(ints); i++)
        if (op == OP_wadd && i < 2 && roll(2))
            str_fmt(o, " %s=%d", ints[i],
                    (int)roll64(INT32_MIN / 4, INT32_MAX));
        else if (op == OP_wadd && i < 2 && roll(2)) /* a half of 2^16 left */
            str_fmt(o, " %s=%d", ints[i], between(-9, 9) * 0x10000 + 0x8000);
        else if (has_attr(op, ints[i]))
            str_fmt(o, " %s=%d", ints[i],
                    i > 2 ? roll(2) : op == OP_igelu && !i ? -roll(200)
                                                           : between(1, 90));
    for (i = 0; i < LEN(floats); i++)
        if (has_attr(op, floats[i]))
            str_fmt(o, " %s=%g", floats[i], between(1, 20) / 8.0);
    if (has_attr(op, "to"))
        str_fmt(o, " to=%s", type_info[in->res].name);
}

/* Names of an operator's operands but mul and add of an epilogue. */
static int operands(OpCode op, char name[NARG][8])
{
    const char *s = op_info[op].args;
    int n = 0, len;

    for (; sscanf(s, " %7[a-z]%n", name[n], &len) == 1; n++) {
        s += len + (s[len] == '?');
        if (!strcmp(name[n], "mul") || !strcmp(name[n], "..."))
            break;
    }
    return n;
}

/* The same, now and then without the axes of one that lead. */
static const char *short_dims(int rank, const int *n)
{
    for (; roll(2) && rank > 1 && *n == 1; rank--)
        n++;
    return dims(rank, n);
}

static void draw_map(Str *o, OpCode op, const Inst *in)
{
    bool large = !roll(6); /* kernels may have a loop of their own for it */
    int rank = large ? 1 : between(1, 4), n[4], m[4], c[4], i;
    int axis = roll(rank);
    char name[NARG][8];
    int narg = operands(op, name);
    bool scales = strstr(op_info[op].args, "mul?") && in->arg[narg] != T_none;
    bool scaled = op == OP_requant;
    bool rounded = large && (scales || scaled) && !in->shifts && !in->round &&
                   !in->upper && in->res != T_f32;

    for (i = 0; i < rank; i++) {
        n[i] = large ? between(2040, 2100)
                     : between(1, i == rank - 1 ? 17 : 5);
        m[i] = roll(3) ? n[i] : 1;
        c[i] = i == axis ? n[i] : 1;
    }
    for (i = 0; i < narg; i++)
        put_operand(o, name[i], in->arg[i],
                    i && !roll(3) ? "[1]" :
                    i && roll(2) ? short_dims(rank, m) : dims(rank, n));
    if (rounded) {
        put_rounded(o, in, scales ? narg : 1, "[1]");
        scaled = true;
    } else if (op == OP_requant) {
        while (!put_scaling(o, in, 1, short_dims(rank, c), "[1]"))
            ;
    } else if (scales) {
        scaled = put_scaling(o, in, narg, short_dims(rank, c), "[1]");
    }
    str_fmt(o, "r = %s", op_info[op].name);
    for (i = 0; i < narg; i++)
        str_fmt(o, " %s", name[i]);
    str_fmt(o, " %s", scaling(in, scaled, ""));
    put_shift(o, in, scaled || (has_attr(op, "shift") && !scales));
    put_numbers(o, op, in);
    if (rounded) /* and clipped to the type */
        str_fmt(o, " lo=%" PRId64 " hi=%" PRId64,
                MAX(type_info[in->res].lo, -(1 << 30)),
                MIN(type_info[in->res].hi, 1 << 30));
    else if (has_attr(op, "lo"))
        put_clip(o, op, in);
}

/* Bytes that are 128 more, or less, as the other type. */
static bool draw_signs(Str *o, OpCode op, const Inst *in)
{
    int add = in->res == T_u8 ? 128 : -128, n[2] = {between(1, 9)};

    n[1] = between(1, 40);
    if (op != OP_requant || in->shifts || in->round || in->upper ||
        in->arg[0] != (add > 0 ? T_s8 : T_u8) ||
        (add < 0 && in->res != T_s8) || add < type_info[in->arg[2]].lo ||
        add > type_info[in->arg[2]].hi || roll(4))
        return false;
    put_operand(o, "x", in->arg[0], dims(2, n));
    str_fmt(o, "mul = const : %s[1] {1}\nadd = const : %s[1] {%d}\n"
            "r = requant x mul add shift=0 lo=%d hi=%d",
            type_info[in->arg[1]].name, type_info[in->arg[2]].name, add,
            MIN(add, 0), MIN(add, 0) + 255);
    return true;
}

/* Taps, strides and so on of nsp spatial axes, alike half of the time; p: those
 * before each, then after. */
static void draw_window(int nsp, bool point, int *k, int *s, int *p, int *d)
{
    bool alike = roll(2);
    int i;

    for (i = 0; i < nsp; i++) {
        k[i] = i && alike ? k[0] : point ? 1 : between(1, 4);
        d[i] = i && alike ? d[0] : roll(3) ? 1 : 2;
        s[i] = i && alike ? s[0] : point && roll(4) ? 1 : between(1, 2);
        p[i] = point && roll(4) ? 0 : roll(k[i] + 1);
        p[nsp + i] = point && roll(4) ? 0 : roll(k[i] + 1);
    }
}

/* A convolution: plain, of one tap, or depthwise; mostly channels-last. */
static void draw_conv(Str *o, OpCode op, const Inst *in)
{
    int kind = roll(3), nsp = between(1, 2), last = roll(8) != 0;
    int g = kind == 2 ? between(1, 9) : roll(3) ? 1 : 2;
    int c = kind == 2 ? 1 : between(1, 9), m = kind == 2 ? 1 : between(1, 5);
    int x[4] = {between(1, 2)}, w[4] = {g * m}, k[2], s[2], p[4], d[2], i;
    int bias = roll(2), scaled, at = last ? 1 : 2, channels = g * m;
    int large = roll(8); /* the axis of many; 2: both are */

    draw_window(nsp, kind == 1, k, s, p, d);
    for (i = 0; i < nsp; i++) {
        x[at + i] = between((k[i] - 1) * d[i] + 1, large == 2 ? 30 :
                            i == large ? 72 : 11);
        w[at + i] = k[i];
    }
    x[last ? 1 + nsp : 1] = g * c;
    w[last ? 1 + nsp : 1] = c;
    if (op == OP_convt) {
        for (i = 0; i < 2 * nsp; i++)
            p[i] -= p[i] == k[i % nsp];
        w[0] = g * c;
        w[last ? 1 + nsp : 1] = m;
    }
    put_operand(o, "x", in->arg[0], dims(2 + nsp, x));
    put_operand(o, "w", in->arg[1], dims(2 + nsp, w));
    if (bias)
        put_operand(o, "b", in->arg[2], dims(1, &channels));
    scaled = put_scaling(o, in, 3, dims(1, &channels), "[1]");
    str_fmt(o, "r = %s x w %s %s%s%s%s group=%d last=%d",
            op_info[op].name, bias ? "b" : "_", scaling(in, scaled, "_ _"),
            list(nsp, s, " stride=", ""), list(2 * nsp, p, " pad=", ""),
            list(nsp, d, " dilation=", ""), g, last);
    if (op == OP_conv && in->res != T_f32 && roll(2))
        str_fmt(o, " padvalue=%d", type_info[in->arg[0]].kind == SINT
                ? between(-128, 127) : roll(256));
    put_shift(o, in, scaled);
    put_clip(o, op, in);
}

static void draw_pool(Str *o, OpCode op, const Inst *in)
{
    int x[4] = {between(1, 2), 0, 0, between(1, 11)}, k[2], s[2], p[4], i;
    int c = x[3], scaled = 0;

    for (i = 0; i < 2; i++) {
        k[i] = between(1, 4);
        s[i] = between(1, 3);
        p[i] = roll(k[i]);
        p[2 + i] = roll(k[i]);
        x[1 + i] = between(k[i], 9);
    }
    put_operand(o, "x", in->arg[0], dims(4, x));
    if (op != OP_maxpool)
        scaled = put_scaling(o, in, 1, dims(1, &c), "[1]");
    str_fmt(o, "r = %s x %s last=1%s%s%s ceil=%d", op_info[op].name,
            scaling(in, scaled, ""), list(2, k, " kernel=", ""),
            list(2, s, " stride=", ""), list(4, p, " pad=", ""), roll(2));
    if (op == OP_avgpool)
        str_fmt(o, " countpad=%d", roll(2));
    put_shift(o, in, scaled);
    put_clip(o, op, in);
}

static void draw_matmul(Str *o, OpCode op, const Inst *in)
{
    int m = between(1, 7), n = between(1, 11), k = between(1, 33), ta = roll(2);
    int tb = roll(2), nb = roll(3), i, scaled, bias = roll(4);
    int a[4], b[4], c[2], row[2] = {m, 1};
    bool pairs = op == OP_pmatmul, word = !pairs && !roll(8);

    if (pairs) { /* of rows, of one to more than are summed at a time */
        tb = 1;
        n += n & 1;
        k = roll(4) ? 4 * between(1, 10) : 8 * between(30, 70);
    }
    if (word) { /* rows of a word by four columns, scaled by one number */
        n = k = 4;
        ta = tb = nb = bias = 0;
        row[0] = 1;
    }
    c[0] = m;
    c[1] = n;
    for (i = 0; i < nb; i++) {
        a[i] = between(1, 3);
        b[i] = roll(3) ? a[i] : 1;
    }
    a[nb] = ta ? k : m;
    a[nb + 1] = ta ? m : k;
    b[nb] = tb ? n : k;
    b[nb + 1] = tb ? k : n;
    put_operand(o, "a", in->arg[0], dims(nb + 2, a));
    put_operand(o, "b", in->arg[1], dims(nb + 2, b));
    if (bias)
        put_operand(o, "bias", in->arg[2], bias == 1 ? dims(1, c + 1)
                                           : bias == 2 ? dims(2, row)
                                                       : dims(2, c));
    scaled = put_scaling(o, in, 3, roll(2) && !word ? dims(1, c + 1)
                                                    : dims(2, row),
                         "[1]");
    str_fmt(o, "r = %s a b %s %s transa=%d transb=%d",
            op_info[op].name, bias ? "bias" : "_", scaling(in, scaled, "_ _"), ta, tb);
    put_shift(o, in, scaled);
    put_clip(o, op, in);
}

/* Tables of a softmax: of differences of bytes, or two curves; of scores that
 * are hidden, too, which are more than 255 below others. */
static void draw_qsoftmax(Str *o, const Inst *in)
{
    int x[3] = {between(1, 3), between(1, 4), between(1, 40)}, skip = roll(3);
    bool hides = in->arg[0] == T_s16 && in->arg[2] == T_none;
    bool bytes = hides || type_info[in->arg[0]].bytes == 1;
    int n = bytes ? 256 : 513, most = bytes ? INT32_MAX : 32767;

    if (hides)
        str_fmt(o, "x = input : s16%s range -400 127\n",
                dims(3 - skip, x + skip));
    else
        put_operand(o, "x", in->arg[0], dims(3 - skip, x + skip));
    most = (int)MIN(most, type_info[in->arg[1]].hi);
    str_fmt(o, "t = input : %s[%d] range 0 %d\n", type_info[in->arg[1]].name,
            n, most);
    if (!bytes)
        str_fmt(o, "e = input : %s[%d] range 0 %d\n",
                type_info[in->arg[2]].name, n,
                (int)MIN(32767, type_info[in->arg[2]].hi));
    if (bytes)
        str_fmt(o, "r = qsoftmax x t p0=%d p1=%d p2=%d", roll(2) ? 8 : 16,
                roll(3) ? 0 : between(1 << 24, 1 << 27),
                hides || roll(2) ? between(1, 256) : 0);
    else
        str_fmt(o, "r = qsoftmax x t e p1=%d shift=%d",
                between(1, 0x7fffffff), between(20, 45));
    put_clip(o, OP_qsoftmax, in);
}

/* Tables of differences of bytes: their exp, and themselves. */
static void draw_qlogsoftmax(Str *o, const Inst *in)
{
    int x[3] = {between(1, 3), between(1, 4), between(1, 40)}, skip = roll(3);
    int i;

    if (type_info[in->arg[0]].bytes == 1)
        put_operand(o, "x", in->arg[0], dims(3 - skip, x + skip));
    else
        str_fmt(o, "x = input : %s%s range -155 100\n",
                type_info[in->arg[0]].name, dims(3 - skip, x + skip));
    for (i = 1; i < 3; i++)
        str_fmt(o, "%s = input : %s[256] range 0 %d\n", i == 1 ? "t" : "d",
                type_info[in->arg[i]].name,
                (int)MIN(1 << 30, type_info[in->arg[i]].hi));
    str_fmt(o, "r = qlogsoftmax x t d");
    put_clip(o, OP_qlogsoftmax, in);
}

/* A table of what its type holds. */
static void draw_powers(Str *o, const Inst *in)
{
    int x[3] = {between(1, 3), between(1, 4), between(1, 40)}, skip = roll(3);
    const TypeInfo *t = &type_info[in->arg[1]];
    int least = (int)MAX(type_info[in->arg[0]].lo, -128);

    str_fmt(o, "x = input : %s%s range %d %d\n", type_info[in->arg[0]].name,
            dims(3 - skip, x + skip), least, (int)MIN(least + 255,
            type_info[in->arg[0]].hi));
    str_fmt(o, "t = input : %s[256] range %d %d\n", t->name,
            (int)MAX(t->lo, 0), (int)MIN(t->hi, INT32_MAX));
    str_put(o, "r = powers x t");
}

static int64_t hi_of(Type t)
{
    return t == T_b8 ? 1 : type_info[t].hi;
}

/* n elements of at most `most`, as far as the type holds that. */
static void put_within(Str *o, const char *name, Type t, int n, int64_t most)
{
    str_fmt(o, "%s = input : %s%s range %" PRId64 " %" PRId64 "\n", name,
            type_info[t].name, dims(1, &n), MAX(type_info[t].lo, -most),
            MIN(hi_of(t), most));
}

/* Rows of bytes, often of few values, and factors and addends of what results
 * are shifted by. */
static void draw_qlayernorm(Str *o, const Inst *in)
{
    int x[3] = {between(1, 3), between(1, 4), between(1, 90)}, skip = roll(3);
    int shift = between(roll(4) ? 32 : 8, 54), bits = MIN(shift - 10, 30);
    int least = (int)MAX(type_info[in->arg[0]].lo, -128);
    int wide = roll(2) ? 255 : roll(3);

    str_fmt(o, "x = input : %s%s range %d %d\n", type_info[in->arg[0]].name,
            dims(3 - skip, x + skip), least,
            (int)MIN(least + wide, hi_of(in->arg[0])));
    put_within(o, "w", in->arg[1], x[2], INT64_C(1) << MAX(bits, 1));
    put_within(o, "b", in->arg[2], x[2], INT64_C(1) << (shift + 6));
    str_fmt(o, "r = qlayernorm x w b shift=%d p0=%d p1=%d", shift,
            2 * roll(13), roll(2) ? between(0, INT32_MAX - 1) : roll(9));
    put_clip(o, OP_qlayernorm, in);
}

/* Rows of what roots of a table's length can be of, factors that make bytes of
 * most. */
static void draw_rootscale(Str *o, const Inst *in)
{
    int x[3] = {between(1, 3), between(1, 4), between(1, 60)}, skip = roll(3);
    int most = roll(3) ? 255 : between(1, 255), shift = roll(3) ? 16 : roll(31);
    int64_t hi = MIN(most, type_info[in->arg[0]].hi);
    int64_t lo = MAX(-most, type_info[in->arg[0]].lo);

    str_fmt(o, "x = input : %s%s range %d %d\n", type_info[in->arg[0]].name,
            dims(3 - skip, x + skip), (int)lo, (int)hi);
    put_within(o, "t", in->arg[1], (int)MAX(-lo, hi),
               roll(8) ? MIN((INT64_C(1) << shift) * between(1, 90),
                             INT32_MAX / MAX(-lo, hi)) : INT32_MAX);
    str_fmt(o, "r = rootscale x t shift=%d", shift);
    put_clip(o, OP_rootscale, in);
}

/* A long row of hardly any differences: a sum of many bits of short powers. */
static void draw_flat(Str *o, const Inst *in, int most)
{
    str_fmt(o, "x = input : %s[%d] range 0 1\n", type_info[in->arg[0]].name,
            between(400, 2100));
    str_fmt(o, "r = isoftmax x p0=1 p1=%d p2=%d p3=%d hi=%d", roll(46),
            roll(20), between(1, 40), most);
}

static void draw_row(Str *o, OpCode op, const Inst *in)
{
    int x[3] = {between(1, 3), between(1, 4), between(1, 40)};
    int skip = roll(3), groups = between(1, 5), width = between(1, 20), i;
    int most = between(1, in->res == T_s8 ? 127 : 255);
    char name[NARG][8];
    int narg = operands(op, name);

    if (op == OP_qsoftmax) {
        draw_qsoftmax(o, in);
        return;
    }
    if (op == OP_qlogsoftmax) {
        draw_qlogsoftmax(o, in);
        return;
    }
    if (op == OP_powers) {
        draw_powers(o, in);
        return;
    }
    if (op == OP_rootscale) {
        draw_rootscale(o, in);
        return;
    }
    if (op == OP_qlayernorm) {
        draw_qlayernorm(o, in);
        return;
    }
    if (op == OP_itapartial)
        x[2] = groups * width;
    if (op == OP_isoftmax && !roll(6)) {
        draw_flat(o, in, most);
        return;
    }
    for (i = 0; i < narg; i++)
        if (i && in->arg[i] == T_s32 && !roll(3))
            put_wide(o, name[i], dims(1, x + 2));
        else
            put_operand(o, name[i], in->arg[i],
                        i ? dims(1, x + 2) : dims(3 - skip, x + skip));
    str_fmt(o, "r = %s", op_info[op].name);
    for (i = 0; i < narg; i++)
        str_fmt(o, " %s", name[i]);
    if (op == OP_isoftmax)
        str_fmt(o, " p0=1 p1=%d p2=%d p3=%d hi=%d", roll(roll(3) ? 300 : 2900),
                roll(roll(3) ? 20000 : 80000), between(1, roll(3) ? 255 : 600),
                most);
    else if (op == OP_itamax)
        str_fmt(o, " hi=%d", most);
    else if (op == OP_itapartial)
        str_fmt(o, " hi=%d p0=%d", most, width);
    else
        put_numbers(o, op, in);
    if (has_attr(op, "shift"))
        str_fmt(o, " shift=%d", shift_of(roll(2) ? 9 : 18));
    if (has_attr(op, "shift") || op == OP_qlpnorm)
        put_clip(o, op, in);
}

static void draw_reduce(Str *o, OpCode op, const Inst *in)
{
    int rank = between(1, 4), n[4], axes[4], naxes = 0, i, scaled = 0;

    for (i = 0; i < rank; i++) {
        n[i] = between(1, 6);
        if (roll(2))
            axes[naxes++] = i;
    }
    if (!naxes || op == OP_argmax || op == OP_argmin)
        axes[0] = roll(rank), naxes = 1;
    if (!roll(4)) /* rows of words */
        n[rank - 1] = 4 * between(1, 12), axes[0] = rank - 1, naxes = 1;
    put_operand(o, "x", in->arg[0], dims(rank, n));
    if (has_attr(op, "shift"))
        scaled = put_scaling(o, in, 1, "[1]", "[1]");
    str_fmt(o, "r = %s x %s%s keep=%d", op_info[op].name,
            scaling(in, scaled, ""), list(naxes, axes, " axes=", ""),
            roll(2));
    put_shift(o, in, scaled);
    put_numbers(o, op, in);
    if (has_attr(op, "lo"))
        put_clip(o, op, in);
}

static void draw_pad(Str *o, const Inst *in)
{
    int rank = between(1, 4), n[4], p[8], mode = roll(4), i;

    for (i = 0; i < rank; i++) {
        n[i] = between(1, 6);
        p[i] = mode == 0 ? roll(5) : roll(n[i]);
        p[rank + i] = mode == 0 ? roll(5) : roll(n[i]);
    }
    put_operand(o, "x", in->arg[0], dims(rank, n));
    str_fmt(o, "r = pad x%s mode=%d p0=%d alpha=1.5",
            list(2 * rank, p, " pad=", ""), mode, roll(100));
}

/* Indices into an axis of n elements; backwards: also from its end. */
static void put_index(Str *o, const Inst *in, const char *shape, int n,
                      bool backwards)
{
    const TypeInfo *t = &type_info[in->arg[1]];
    bool sign = t->kind == SINT;

    str_fmt(o, "i = input : %s%s range %d %d\n", t->name, shape,
            backwards && sign ? (int)MAX(-n, t->lo) : 0,
            (int)MIN(n - 1, t->hi));
}

static void draw_index(Str *o, OpCode op, const Inst *in)
{
    int rank = between(1, 3), n[3], m[3], axis = roll(rank), least = 9, i;

    for (i = 0; i < rank; i++) {
        n[i] = between(1, 7);
        m[i] = i == axis ? between(1, 9) : between(1, n[i]);
        least = MIN(least, n[i]);
    }
    if (op == OP_gather && !roll(3)) /* a table of all bytes */
        rank = 1, axis = 0, n[0] = 256, m[0] = between(1, 40);
    put_operand(o, "x", in->arg[0], dims(rank, n));
    put_index(o, in, dims(op == OP_gather ? 1 : rank, m), n[axis], true);
    if (op == OP_scatterelem)
        put_operand(o, "u", in->arg[2], dims(rank, m));
    str_fmt(o, "r = %s x i%s axis=%d", op_info[op].name,
            op == OP_scatterelem ? " u" : "", axis);
    if (op == OP_scatterelem)
        str_fmt(o, " mode=%d", roll(5));
    else if (op == OP_gather && !roll(4))
        str_put(o, " mode=1");
}

static void draw_nd(Str *o, OpCode op, const Inst *in)
{
    int rank = between(1, 4), n[4], batch, k, m[5], at = 0, u = 0, i, least = 9;
    int y[5];

    for (i = 0; i < rank; i++) {
        n[i] = roll(4) ? between(1, 5) : 4 * between(1, 2);
        least = MIN(least, n[i]);
    }
    batch = op == OP_gathernd ? roll(rank) : 0;
    k = between(1, rank - batch);
    for (; at < batch; at++)
        m[at] = n[at];
    m[at++] = between(1, 6);
    m[at++] = k;
    put_operand(o, "x", in->arg[0], dims(rank, n));
    put_index(o, in, dims(at, m), least, roll(2));
    for (y[u++] = m[0], i = k; i < rank; i++)
        y[u++] = n[i];
    if (op == OP_scatternd)
        put_operand(o, "u", in->arg[2], dims(u, y));
    str_fmt(o, op == OP_scatternd ? "r = %s x i u mode=%d" : "r = %s x i p0=%d",
            op_info[op].name, op == OP_scatternd ? roll(5) : batch);
}

static void draw_taps(Str *o, const Inst *in)
{
    int rank = between(1, 4), n[4], axis = roll(rank), i;
    int t[2] = {between(1, 9), between(1, 4)};

    for (i = 0; i < rank; i++)
        n[i] = between(1, 6);
    put_operand(o, "x", in->arg[0], dims(rank, n));
    put_index(o, in, dims(2, t), n[axis], false);
    put_operand(o, "w", in->arg[2], dims(2, t));
    str_fmt(o, "r = taps x i w axis=%d", axis);
}

static void draw_topk(Str *o, const Inst *in)
{
    int n[3] = {between(1, 3), between(1, 4), between(1, 40)}, rank;

    rank = between(1, 3);
    put_operand(o, "x", in->arg[0], dims(rank, n + 3 - rank));
    str_fmt(o, "r = topk x p0=%d mode=%d", between(1, n[2]), roll(2));
}

static void draw_poolat(Str *o, const Inst *in)
{
    int x[4] = {between(1, 2), between(1, 3), 0, 0}, k[2], s[2], p[4], d[2], i;

    for (i = 0; i < 2; i++) {
        k[i] = between(1, 3);
        s[i] = between(1, 3);
        d[i] = between(1, 2);
        p[i] = roll(k[i]);
        p[2 + i] = roll(k[i]);
        x[2 + i] = between(1 + (k[i] - 1) * d[i], 6);
    }
    put_operand(o, "x", in->arg[0], dims(4, x));
    str_fmt(o, "r = poolat x%s%s%s%s ceil=%d", list(2, k, " kernel=", ""),
            list(2, s, " stride=", ""), list(4, p, " pad=", ""),
            list(2, d, " dilation=", ""), roll(2));
}

/* The cosines and sines of a turn. */
static void put_turn(Str *o, int n)
{
    int i;

    str_fmt(o, "w = const : f32[%d,2] {", n);
    for (i = 0; i < n; i++)
        str_fmt(o, "%s%.9g,%.9g", i ? "," : "",
                cos(6.283185307179586 * i / n), sin(6.283185307179586 * i / n));
    str_put(o, "}\n");
}

static void draw_dft(Str *o, const Inst *in)
{
    int x[3] = {between(1, 3), between(1, 70), between(1, 2)}, v = roll(2);
    int n = roll(3) ? between(1, 40) : 1 << roll(7), step = roll(2);

    x[1] += step ? n : 0;
    step = step ? between(1, 20) : 0;
    put_operand(o, "x", in->arg[0], dims(3, x));
    put_turn(o, n);
    if (v)
        put_operand(o, "v", T_f32, dims(1, &n));
    str_fmt(o, "r = dft x w%s p0=%d p1=%d mode=%d", v ? " v" : "",
            roll(2) ? n : n / 2 + 1, step, roll(2));
}

static void draw_grid(Str *o, const Inst *in)
{
    int x[5] = {between(1, 2), between(1, 3)}, g[5], rank = between(3, 5), i;

    g[0] = x[0];
    g[rank - 1] = rank - 2;
    for (i = 2; i < rank; i++) {
        x[i] = between(1, 5);
        g[i - 1] = between(1, 4);
    }
    put_operand(o, "x", in->arg[0], dims(rank, x));
    put_operand(o, "grid", in->arg[1], dims(rank, g));
    str_fmt(o, "r = gridsample x grid mode=%d p0=%d p1=%d", roll(3), roll(3),
            roll(2));
}

/* Scales of 16 bits are halves of floats, here between 2^-7 and 2. */
static void draw_group(Str *o, const Inst *in)
{
    const int mode = roll(8), four = mode & 4 ? 4 : 1; /* rows together */
    int x[2] = {between(1, 3), between(1, 40) * (mode & 2 ? 2 : 1) * four};
    int g = roll(4) ? between(1, 9) * four : x[1];
    int w[2] = {between(1, 12) * four}, s[2] = {w[0]};

    w[1] = mode & 2 ? x[1] / 2 : x[1];
    s[1] = (x[1] + g - 1) / g;
    put_operand(o, "x", in->arg[0], dims(2, x));
    put_operand(o, "w", in->arg[1], dims(2, w));
    if (in->arg[2] == T_u16)
        str_fmt(o, "s = input : u16%s range 15360 16384\n", dims(2, s));
    else
        put_operand(o, "s", in->arg[2], dims(2, s));
    str_fmt(o, "r = groupmatmul x w s p0=%d mode=%d", g, mode);
}

/* A row of so many elements, all of them within bounds. */
static void put_table(Str *o, const char *name, Type t, int n, int lo, int hi)
{
    str_fmt(o, "%s = input : %s[%d] range %d %d\n", name, type_info[t].name, n,
            lo, hi);
}

/* The same, or bytes that change nothing. */
static void put_bytes(Str *o, const char *name, Type t, int lo, int hi)
{
    int i;

    if (roll(3) || lo + 255 > hi) {
        put_table(o, name, t, 256, lo, hi);
        return;
    }
    str_fmt(o, "%s = const : %s[256] {", name, type_info[t].name);
    for (i = 0; i < 256; i++)
        str_fmt(o, "%s%d", i ? "," : "", lo + i);
    str_put(o, "}\n");
}

/* An operand of rows of heads, or of heads of rows. */
static void put_side(Str *o, const char *name, Type t, bool first, int heads,
                     int rows, int width)
{
    int x[3] = {first ? rows : heads, first ? heads : rows, width};

    put_operand(o, name, t, dims(3, x));
}

/* Constants of n elements, the first `zeros` of which are 0. */
static void put_numbers_of(Str *o, const char *name, Type t, int n, int zeros,
                           int lo, int hi)
{
    int i;

    str_fmt(o, "%s = const : %s[%d] {", name, type_info[t].name, n);
    for (i = 0; i < n; i++)
        str_fmt(o, "%s%d", i ? "," : "", i < zeros ? 0 : between(lo, hi));
    str_put(o, "}\n");
}

/* Are there no parts?  So it is where powers are bytes. */
static bool powers_weigh(const Inst *in)
{
    return in->arg[5] == T_u8;
}

/* Tables by which a mask may hide columns: scores of seven bits, powers that
 * are 0 from some distance on, and nothing of weight 0; and such a mask. */
static void put_hiding(Str *o, const Inst *in, int m, int n)
{
    int i, j, past = between(0, n), most = roll(2) ? 99 : 9999;

    put_numbers_of(o, "scores", in->arg[4], 256, 0, -64, 63);
    put_numbers_of(o, "powers", in->arg[5], 256, between(190, 256), 1,
                   (int)MIN(type_info[in->arg[5]].hi, most));
    if (!powers_weigh(in))
        put_numbers_of(o, "parts", in->arg[6], 256, 1, 0, 127);
    str_fmt(o, "mask = const : %s[%d,%d] {", type_info[in->arg[7]].name, m, n);
    for (i = 0; i < m; i++)
        for (j = 0; j < n; j++)
            str_fmt(o, "%s%d", i || j ? "," : "",
                    j > i * n / m + past ? -128 : roll(9) ? 0 : -roll(128));
    str_put(o, "}\n");
}

/* Weights as itamax has them, the greatest one at most `most`. */
static void put_halves(Str *o, const Inst *in, int most)
{
    int i;

    str_fmt(o, "powers = const : %s[256] {", type_info[in->arg[5]].name);
    for (i = 255; i >= 0; i--)
        str_fmt(o, "%s%d", i == 255 ? "" : ",", 256 >> ((i + 16) >> 5));
    str_fmt(o, "}\nparts = const : %s[256] {", type_info[in->arg[6]].name);
    for (i = 0; i < 256; i++)
        str_fmt(o, "%s%d", i ? "," : "", MIN(i, most));
    str_put(o, "}\n");
}

/* Mul and add of scores, and of results: without parts what is divided by the
 * sum of powers, and the result of 0. */
static void put_scales(Str *o, const Inst *in)
{
    const TypeInfo *t = &type_info[in->arg[3]];

    if (!powers_weigh(in)) {
        put_table(o, "scale", in->arg[3], 4, 0, (int)MIN(t->hi, 600));
        return;
    }
    str_fmt(o, "scale = const : %s[4] {%d,%d,%d,%d}\n", t->name,
            between(0, (int)MIN(t->hi, 600)), between(0, (int)MIN(t->hi, 600)),
            roll(3) ? (int)MIN(t->hi, between(1 << 29, 1 << 30))
                    : between(0, (int)MIN(t->hi, INT32_MAX - 1)),
            between((int)MAX(t->lo, -128), (int)MIN(t->hi, 127)));
}

/* A mask of m rows of n, or of one for all: of which the last columns are
 * hidden, some, or all. */
static void put_mask(Str *o, int m, int n)
{
    int rows = roll(3) ? m : 1, i, last = between(0, n);
    bool ends = roll(2);

    str_fmt(o, "mask = const : s8[%d,%d] {", rows, n);
    for (i = 0; i < rows * n; i++)
        str_fmt(o, "%s%d", i ? "," : "",
                (ends ? i % n < last + i / n : roll(3)) ? 127 : -128);
    str_put(o, "}\n");
}

/* Elements that rise from lo to hi, the first ones equal. */
static void put_rising(Str *o, const char *name, Type t, int first, int64_t lo,
                       int64_t hi)
{
    int i;

    str_fmt(o, "%s = const : %s[256] {", name, type_info[t].name);
    for (i = 0; i < 256; i++)
        str_fmt(o, "%s%lld", i ? "," : "",
                (long long)(i < first ? lo : lo + (hi - lo) * (i - first) /
                                                 (256 - first)));
    str_put(o, "}\n");
}

/* Weights that are rounded quotients, of sides with zero points or none; scores
 * and results of factors below 1/4 and above; a mask that bounds or hides. */
static void draw_quotients(Str *o, const Inst *in)
{
    int heads = between(1, 9), m = between(1, 14), rows = between(1, 60);
    bool mask = in->arg[7] != T_none && roll(2), hides = mask && roll(2);
    int d = roll(2) ? 4 * between(1, 3) : between(1, 40), e = between(1, 9);
    int p2 = roll(2) ? roll(8) : 0, shift = roll(3) ? between(34, 44) : 16;
    int factor = shift > 16 ? INT32_MAX : 1 << between(8, 16);

    put_side(o, "q", in->arg[0], p2 & 1, heads, m, d);
    put_side(o, "k", in->arg[1], p2 & 2, p2 && roll(3) ? 1 : heads, rows, d);
    put_side(o, "v", in->arg[2], p2 & 4, p2 && roll(3) ? 1 : heads, rows, e);
    str_fmt(o, "scale = const : %s[4] {%d,%d,%d,%d}\n",
            type_info[in->arg[3]].name, factor / between(1, 40),
            between(-50, 50), factor / between(1, 40), between(-50, 50));
    put_bytes(o, "scores", in->arg[4], -128, 127);
    if (hides && roll(2))
        put_rising(o, "powers", in->arg[5], between(0, 254), 0, 4000);
    else
        put_table(o, "powers", in->arg[5], 256, hides ? 4 : 0, /* by p4: 1 */
                  roll(4) ? INT32_MAX : 4000);
    if (mask)
        put_mask(o, m, rows);
    str_fmt(o, "r = iattend q k v scale scores powers%s mode=%d p0=%d p1=%d "
            "p2=%d shift=%d", mask ? " _ mask" : "", 2 + hides, shift,
            between(1, 256), p2, shift);
    if (!mask)
        str_fmt(o, " count=%d", between(1, rows));
    if (roll(3) == 0)
        str_fmt(o, " p4=%d", between(1 << 24, 1 << 27));
    if (hides && roll(2))
        str_fmt(o, " p3=%d", between(0, 255) / rows);
    if (roll(4))
        str_fmt(o, " zero=%d,%d,%d", between(-128, 127), between(-128, 127),
                between(-128, 127));
    put_clip(o, OP_iattend, in);
}

/* Tables of what their types hold, or no parts; rows behind those that count;
 * heads and rows either way, and of k and v perhaps one head for all; a mask of
 * all heads or rows, or of each. */
static void draw_attend(Str *o, const Inst *in)
{
    int rows = roll(6) ? between(1, 40) : between(41, 90);
    int heads = between(1, 9), p2 = roll(2) ? roll(8) : 0;
    int d = roll(2) ? 4 * (roll(3) ? between(1, 3) : 8)
                    : between(1, roll(4) ? 12 : 40);
    int m = between(1, 3), most = roll(2) ? 12 : 20;
    int e = roll(2) ? 4 * between(1, 2) : between(1, 9);
    bool mask = in->arg[7] != T_none && roll(2), hides = mask && roll(2);
    int of[3];
    const TypeInfo *w = &type_info[in->arg[6]], *s = &type_info[in->arg[4]];
    int power = roll(2) ? 4000 : roll(2) ? 40000 : 4000000;
    bool whole = powers_weigh(in);
    bool halves = !whole && !hides && type_info[in->arg[5]].hi > 255 &&
                  type_info[in->arg[6]].bytes == 1 && !roll(3);
    int greatest = between(1, halves ? (int)MIN(w->hi, 255) : 255);

    m = roll(2) ? m : between(4, 14);
    rows = hides && roll(2) ? 4 * between(8, 16) : rows;
    of[0] = roll(2) ? 1 : heads;
    of[1] = roll(3) ? m : 1;
    of[2] = rows;
    put_side(o, "q", in->arg[0], p2 & 1, heads, m, d);
    put_side(o, "k", in->arg[1], p2 & 2, p2 && roll(3) ? 1 : heads, rows, d);
    put_side(o, "v", in->arg[2], p2 & 4, p2 && roll(3) ? 1 : heads, rows, e);
    put_scales(o, in);
    if (hides) {
        put_hiding(o, in, m, rows);
    } else {
        put_bytes(o, "scores", in->arg[4], (int)MAX(s->lo, -128),
                  (int)MIN(s->hi, 127));
        if (halves)
            put_halves(o, in, greatest);
        else
            put_table(o, "powers", in->arg[5], 256, 0,
                      (int)MIN(type_info[in->arg[5]].hi, power));
        if (!whole && !halves)
            put_bytes(o, "parts", in->arg[6], (int)MAX(w->lo, -128),
                      (int)MIN(w->hi, 255));
        if (mask)
            str_fmt(o, "mask = input : %s%s range -128 127\n",
                    type_info[in->arg[7]].name, dims(3, of));
    }
    str_fmt(o, "r = iattend q k v scale scores powers %s%s",
            whole ? "_" : "parts", mask ? " mask" : "");
    if (!mask)
        str_fmt(o, " count=%d", between(1, rows));
    str_fmt(o, " p0=%d p1=%d p2=%d shift=%d", between(0, most), greatest, p2,
            whole ? between(roll(4) ? 22 : 1, 40) : between(0, most));
    if (mask && roll(3) == 0)
        str_put(o, " mode=4");
    else if (whole && roll(2))
        str_put(o, " mode=1");
    put_clip(o, OP_iattend, in);
}

/* Powers that fall, of scores that are small or great. */
static void draw_qattend(Str *o, const Inst *in)
{
    int t = between(1, 3), rows = between(1, 40), c = between(1, 3);
    int d = roll(3) ? 4 * between(1, 5) : between(1, 12);
    int heads = c * between(1, 3), k[3] = {c, rows, d};
    int x[3] = {t, heads + (roll(2) ? 0 : between(1, 4)), d};
    int v[3] = {c, rows, roll(3) ? 4 * between(1, 3) : between(1, 9)};
    int len = between(1, 300), greatest = roll(3) ? 255 : 1;

    put_operand(o, "q", in->arg[0], dims(3, x));
    put_operand(o, "k", in->arg[1], dims(3, k));
    put_operand(o, "v", in->arg[2], dims(3, v));
    put_table(o, "powers", in->arg[3], len, 0,
              (int)MIN(type_info[in->arg[3]].hi, greatest));
    str_fmt(o, "r = qattend q k v powers count=%d p0=%d p1=%d p2=%d p3=%d "
            "shift=%d", between(1, rows), between(0, 1 << between(0, 12)), between(0, 24),
            between(0, 1 << between(1, 30)), heads,
            between(1 + 7 * roll(2), roll(8) ? 30 : 62));
    put_clip(o, OP_qattend, in);
}

/* Heads of which some turn, by what may be more than one. */
static void draw_irotate(Str *o, const Inst *in)
{
    int x[3] = {between(1, 4), between(1, 6), 2 * between(1, 6)};
    int t[3] = {x[0], 1, x[2]}, b[2] = {x[1], x[2]};
    int bits = between(1, 14);
    int most = (int)MIN(type_info[in->arg[1]].hi, 1 << bits);

    put_operand(o, "x", in->arg[0], dims(3, x));
    str_fmt(o, "t = input : %s%s range %d %d\n", type_info[in->arg[1]].name,
            dims(3, t), type_info[in->arg[1]].lo < 0 ? -most : 0, most);
    put_operand(o, "bias", in->arg[2], dims(2, b));
    str_fmt(o, "r = irotate x t bias count=%d p0=%d shift=%d", roll(x[1] + 1),
            most, between(1, roll(8) ? 20 : 62));
    put_clip(o, OP_irotate, in);
}

static void draw_rotate(Str *o, const Inst *in)
{
    int x[3] = {between(1, 4), between(1, 6), 2 * between(1, 6)};
    int t[2] = {x[0], x[2]};

    put_operand(o, "x", in->arg[0], dims(3, x));
    put_operand(o, "t", in->arg[1], dims(2, t));
    str_put(o, "r = rotate x t");
}

/* Rows of bytes and a table of what its type holds. */
static void draw_gate(Str *o, const Inst *in)
{
    int x[2] = {between(1, 5), 2 * between(1, 40)};
    const TypeInfo *t = &type_info[in->arg[1]], *of = &type_info[in->arg[0]];
    int most = roll(2) ? 2000 : 90;

    str_fmt(o, "x = input : %s%s range %d %d\n", of->name, dims(2, x),
            (int)MAX(of->lo, -128), of->lo < 0 ? 127 : 255);
    put_table(o, "table", in->arg[1], 256, (int)MAX(t->lo, -most),
              (int)MIN(t->hi, most));
    str_fmt(o, "r = gate x table p0=%d shift=%d", roll(roll(4) ? 4000 : 30000),
            between(1, roll(8) ? 24 : 62));
    put_clip(o, OP_gate, in);
}

/* Weights with their scales behind: mul of so few bits that 32 may do, or of
 * all. */
static void draw_rowmatmul(Str *o, const Inst *in)
{
    int n = roll(4) ? 4 * between(1, 20) : between(1, 70);
    int k = roll(4) ? 4 * between(1, 20) : between(1, 40);
    int w[2] = {n, k + 8}, least = roll(4) ? 1 : 4, i, j;
    bool sum = in->arg[2] != T_none && roll(2);

    put_operand(o, "a", in->arg[0], dims(1, &k));
    str_fmt(o, "w = const : s8%s #", dims(2, w));
    for (i = 0; i < n; i++)
        for (j = 0; j < k + 8; j++)
            str_fmt(o, "%02x", j < k || j - k < least || j - k > 3 ? roll(256)
                                                                   : 0);
    str_put(o, "\n");
    if (sum)
        put_operand(o, "x", in->arg[2], dims(1, &n));
    str_fmt(o, "r = rowmatmul a w%s shift=%d", sum ? " x" : "",
            between(0, roll(4) ? 31 : 62));
    if (sum)
        str_fmt(o, " p0=%d p1=%d p2=%d p3=%d", between(-999, 999),
                between(-999, 999), between(0, 20), between(-9999, 9999));
    put_clip(o, OP_rowmatmul, in);
}

/* x divided by 2 so often, as C divides, by x. */
static void put_halved(Str *o, const char *name, Type t, int times)
{
    int x;

    str_fmt(o, "%s = const : %s[256] {", name, type_info[t].name);
    for (x = -128; x < 128; x++)
        str_fmt(o, "%s%d", x > -128 ? "," : "", x / (1 << times));
    str_put(o, "}\n");
}

/* Columns shown, then others, then hidden, of each row. */
static void put_runs(Str *o, Type t, int m, int n)
{
    int i, j;

    str_fmt(o, "mask = const : %s[%d,%d] {", type_info[t].name, m, n);
    for (i = 0; i < m; i++) {
        int shown = between(0, n), end = between(shown, n);

        for (j = 0; j < n; j++)
            str_fmt(o, "%s%d", i || j ? "," : "",
                    j < shown ? 0 : j < end ? between(-128, 127) : -128);
    }
    str_put(o, "}\n");
}

/* Tables of what their types hold, or that rise; a mask of rows, or of one for
 * some, perhaps one that shows the first columns and hides the last. */
static void draw_weigh(Str *o, const Inst *in)
{
    int masks = roll(6) ? between(1, roll(4) ? 3 : 16) : 16 << roll(3);
    int each = between(1, 9), of[2];
    int x[2] = {each * masks, between(1, roll(3) ? 40 : 90)};
    const TypeInfo *w = &type_info[in->arg[3]], *s = &type_info[in->arg[1]];
    int power = (int[]){200, 4000, 4000, 40000, 4000000}[roll(5)];
    bool mask = in->arg[4] != T_none && roll(2), rising = roll(3);

    x[1] = roll(2) ? 4 * ((x[1] + 3) / 4) : x[1];
    of[0] = roll(2) ? x[0] / each : roll(2) ? x[0] : 1;
    of[1] = x[1];
    str_fmt(o, "x = input : %s%s range -128 127\n", type_info[in->arg[0]].name,
            dims(2, x));
    if (s->lo == -128 && roll(2))
        put_halved(o, "scores", in->arg[1], between(0, 2));
    else if (rising)
        put_rising(o, "scores", in->arg[1], 0, (int)MAX(s->lo, -between(1, 128)),
                   (int)MIN(s->hi, between(0, 127)));
    else
        put_bytes(o, "scores", in->arg[1], (int)MAX(s->lo, -128),
                  (int)MIN(s->hi, 127));
    if (rising)
        put_rising(o, "powers", in->arg[2], roll(2) ? between(0, 255) : 0, 0,
                   (int)MIN(type_info[in->arg[2]].hi, power));
    else
        put_table(o, "powers", in->arg[2], 256, 0,
                  (int)MIN(type_info[in->arg[2]].hi, power));
    put_bytes(o, "parts", in->arg[3], (int)MAX(w->lo, -128),
              (int)MIN(w->hi, 255));
    if (mask && roll(3))
        put_runs(o, in->arg[4], of[0], of[1]);
    else if (mask)
        str_fmt(o, "mask = input : %s%s range -128 127\n",
                type_info[in->arg[4]].name, dims(2, of));
    str_fmt(o, "r = iweigh x scores powers parts%s p1=%d", mask ? " mask" : "",
            between(1, 255));
}

/* Weights of bytes, and sums with which results have all sizes. */
static void draw_shares(Str *o, const Inst *in)
{
    int x[2] = {between(1, 9), between(1, 20)}, w[2] = {x[0], between(1, 40)};
    int shift = between(1, 47);

    put_operand(o, "x", in->arg[0], dims(2, x));
    put_operand(o, "w", T_u8, dims(2, w));
    str_fmt(o, "scale = const : s32[2] {%d,%d}\n", between(0, INT32_MAX - 1),
            between(-20000, 20000));
    str_fmt(o, "r = ishare x w scale shift=%d", shift);
    put_clip(o, OP_ishare, in);
}

/* As N-Eureka wants those of one tap (bring.c), or as blocks of a diagonal. */
static void draw_turned(Str *o, const Inst *in)
{
    int x[3] = {between(1, 3), between(1, 9), between(1, 70)};
    int blocks = roll(2) ? between(2, 6) : 0, row;
    int64_t least = type_info[in->arg[0]].lo;

    if (blocks) {
        x[0] = blocks;
        x[2] = 4 * between(1, 12);
    }
    row = 32 * ((x[2] * (blocks ? blocks : 1) + 31) / 32);
    put_operand(o, "x", in->arg[0], dims(3, x));
    str_fmt(o, "r = pack x p0=%lld p1=8 step=%d,%d,256,32,1,4 count=32,4 "
            "shape=%d,%d", -(long long)least,
            8 * (row * x[1] + (blocks ? x[2] : 0)), 8 * row, x[0] * x[1], row);
    if (blocks && least)
        str_fmt(o, " p2=%d", -0x10000000);
}

/* The same of columns: blocks, of which each has some channels side by side. */
static void draw_columns(Str *o, const Inst *in)
{
    int x[5] = {between(1, 20), 4, between(1, 3), between(1, 6),
                4 * between(1, 3)};
    int row = 32 * ((4 * x[0] * x[3] + 31) / 32);
    int64_t least = type_info[in->arg[0]].lo;

    put_operand(o, "x", in->arg[0], dims(5, x));
    str_fmt(o, "r = pack x p0=%lld p1=8 step=32,1,%d,%d,%d,4 shape=%d,%d",
            -(long long)least, 8 * row * x[4] * x[3],
            8 * (row * x[4] + 4 * x[0]), 8 * row, x[2] * x[3] * x[4], row);
    if (least)
        str_fmt(o, " p2=%d", -0x10000000);
}

/* As NE16 wants those of one tap, or as blocks of a diagonal: of whole tiles, or
 * all within one. */
static void draw_bits(Str *o, const Inst *in)
{
    int x[3] = {between(1, 3), between(1, 9), between(1, 70)};
    int blocks = roll(3) ? between(2, 6) : 0, row, next = 0;
    int64_t least = type_info[in->arg[0]].lo;

    if (blocks && roll(2)) {
        x[2] = 4 * between(1, 2);
        blocks = between(2, 16 / x[2]);
        next = x[2];
    } else if (blocks) {
        x[2] = 16 * between(1, 3);
        next = 8 * x[2];
    }
    if (blocks)
        x[0] = blocks;
    row = 16 * ((x[2] * (blocks ? blocks : 1) + 15) / 16);
    put_operand(o, "x", in->arg[0], dims(3, x));
    str_fmt(o, "r = pack x p0=%lld p1=8 step=%d,%d,128,1,16 count=16 "
            "shape=%d,%d", -(long long)least, 8 * row * x[1] + next, 8 * row,
            x[0] * x[1], row);
    if (blocks && least)
        str_fmt(o, " p2=%d p3=4", -0x10000);
}

/* Channels in words of parts, a word for each bit. */
static void draw_pack(Str *o, const Inst *in)
{
    const TypeInfo *type = &type_info[in->arg[0]];
    int x[3] = {between(1, 3), between(1, 4), between(1, 20)};
    int s = between(1, 3), t = s * between(1, 4), bits = 8 * type->bytes;
    int group = 8 * t * bits, tap = group * ((x[2] + t - 1) / t);

    put_operand(o, "x", in->arg[0], dims(3, x));
    str_fmt(o, "r = pack x p0=%lld p1=%d step=%d,%d,%d,%d,1,%d count=%d,%d "
            "shape=%d,2", -(long long)type->lo, bits, tap * x[1], tap, group,
            8 * s, 8 * t, t, s, tap * x[1] * x[0] / 16);
}

static void put_limits(Str *o, const Inst *in)
{
    const TypeInfo *type = &type_info[in->arg[0]];

    if (type->kind != FLOAT)
        str_fmt(o, " lo=%lld hi=%lld", (long long)type->lo,
                (long long)type->hi);
}

/* A piece of the share of one of two chips, with other pieces or without. */
static void draw_piece(Str *o, OpCode op, const Inst *in)
{
    int part = between(1, 5), chip = between(0, 1), n = between(1, 2 * part);
    int x[3] = {between(1, 3), n, between(1, 7)};
    int y[3] = {x[0], 4 * part, x[2]};
    bool room = op == OP_gathertake || roll(2);

    put_operand(o, "x", in->arg[0], dims(3, x));
    if (room)
        put_operand(o, "room", in->arg[0], dims(3, y));
    str_fmt(o, "r = %s x%s axis=1 start=%d count=%d p0=%d p1=%d p2=2 p3=4",
            op_info[op].name, room ? " room" : "", between(0, 2 * part - n),
            y[1], between(0, 99), chip);
    put_limits(o, in);
}

/* A share of five parts on two chips, or a sum. */
static void draw_exchange(Str *o, OpCode op, const Inst *in)
{
    int part = between(1, 5), chip = between(0, 1);
    bool whole = !exchange_moves(op) && op != OP_allsum, take = op == OP_parttake;
    int x[3] = {op == OP_halo ? 1 : between(1, 3),
                part * (whole ? 5 : 2 + chip), between(1, 7)};
    int room[2] = {1, x[0] * part * (2 + chip) * x[2]};

    put_operand(o, "x", in->arg[0], dims(3, x));
    if (take)
        put_operand(o, "room", in->arg[1], dims(2, room));
    str_fmt(o, "r = %s x%s p0=%d p1=%d p2=2", op_info[op].name,
            take ? " room" : "", between(0, 99), chip);
    if (exchange_moves(op))
        str_fmt(o, " axis=1 p3=5 count=%d", 5 * part);
    if (op == OP_halo)
        str_fmt(o, " start=%d,%d,%d,%d,%d", chip ? between(0, 2) : 0,
                chip ? 0 : between(0, 2), chip, 1 - chip, 2 * part);
    if (whole)
        str_put(o, " axis=1 p3=5");
    put_limits(o, in);
}

/* Factors and addends of each channel with which sums of n products of bytes
 * stay in 32 bits. */
static void put_small_scaling(Str *o, const Inst *in, int n, const char *shape)
{
    int64_t most = (INT64_C(1) << 30) / (n * INT64_C(255) * 255);

    str_fmt(o, "mul = input : %s%s range 0 %" PRId64 "\n",
            type_info[in->arg[3]].name, shape,
            MAX(1, MIN(most, type_info[in->arg[3]].hi)));
    str_fmt(o, "add = input : %s%s range %" PRId64 " %d\n",
            type_info[in->arg[4]].name, shape,
            MAX(type_info[in->arg[4]].lo, -(1 << 29)),
            (int)MIN(type_info[in->arg[4]].hi, 1 << 29));
}

/* A convolution of weights of four bits: of any window, of one tap, or of one
 * that is the image. */
static void draw_nibbles(Str *o, const Inst *in)
{
    int tile = strstr(in->name, "mve") ? 2 : strstr(in->name, "dsp") ? 8
                                           : 2 * between(1, 20);
    bool line = strstr(in->name, "line") != NULL, bias = roll(2), scaled;
    int x[4] = {line ? 1 : between(1, 2), 0, 0, between(1, roll(4) ? 40 : 600)};
    int k[2], s[2], p[4], d[2], i, m = between(1, 40), w[2] = {m, x[3]};

    draw_window(2, line || roll(2), k, s, p, d);
    for (i = 0; i < 2; i++) {
        k[i] = line && roll(2) ? between(1, 3) : k[i];
        d[i] = line ? 1 : d[i];
        p[i] = p[2 + i] = line ? 0 : p[i];
        x[1 + i] = line ? k[i] : between((k[i] - 1) * d[i] + 1, 11);
        w[1] *= k[i];
    }
    w[1] = (w[1] + tile - 1) / tile * tile / 2;
    put_operand(o, "x", in->arg[0], dims(4, x));
    str_fmt(o, "w = input : u8%s\n", dims(2, w));
    if (bias)
        put_operand(o, "b", in->arg[2], dims(1, &m));
    scaled = put_scaling(o, in, 3, dims(1, &m), "[1]");
    str_fmt(o, "r = pconv x w %s %s last=1%s%s%s%s p0=8 p1=4 p2=%d mode=2 "
            "count=%d", bias ? "b" : "_", scaling(in, scaled, "_ _"),
            list(2, k, " kernel=", ""), list(2, s, " stride=", ""),
            list(4, p, " pad=", ""), list(2, d, " dilation=", ""), tile / 2,
            tile);
    if (roll(2))
        str_fmt(o, " padvalue=%d", type_info[in->arg[0]].kind == SINT
                ? between(-128, 127) : roll(256));
    put_shift(o, in, scaled);
    put_clip(o, OP_pconv, in);
}

/* A convolution of an engine's packed weights: of one tap, three by three, or
 * depthwise. */
static void draw_pconv(Str *o, const Inst *in)
{
    bool ne16 = strstr(in->name, "ne16") != NULL;
    int kind = roll(3), side = kind ? 3 : 1;
    int tile = ne16 ? 16 : kind ? 28 : 32, word = ne16 ? kind ? 18 : 2 : 32;
    int bits = between(2, 8), g = kind == 2 ? between(2, 60) : 1, i;
    int c = kind == 2 ? 1 : between(1, 70), m = g > 1 ? g : between(1, 40);
    int x[4] = {1, between(side, 9), between(side, 9), g * c}, pad[4];
    int w[2] = {g > 1 ? (g + tile - 1) / tile : m,
                word * (kind || ne16 ? bits : 1) *
                    (g > 1 ? 1 : (c + tile - 1) / tile)};
    bool plain = !in->shifts && !in->round && roll(4), scaled = true;

    for (i = 0; i < 4; i++)
        pad[i] = roll(side);
    put_operand(o, "x", in->arg[0], dims(4, x));
    put_operand(o, "w", T_u8, dims(2, w));
    if (plain)
        put_small_scaling(o, in, c * side * side, dims(1, &m));
    else
        scaled = put_scaling(o, in, 3, dims(1, &m), "[1]");
    str_fmt(o, "r = pconv x w _ %s last=1 group=%d kernel=%d,%d%s p0=%d p1=%d "
            "p2=%d mode=%d count=%d,%d padvalue=%d", scaling(in, scaled, "_ _"),
            g, side, side, list(4, pad, " pad=", ""), between(-9, 160), bits,
            word, !kind && !ne16, tile, ne16 ? 3 : 6, ne16 ? 0 : between(0, 99));
    if (roll(4) == 0)
        str_fmt(o, " stride=%d,1", between(1, 2));
    put_shift(o, in, scaled);
    if (plain && in->res == T_u8)
        str_put(o, " lo=0 hi=255");
    else if (plain && in->res == T_s8)
        str_put(o, " lo=-128 hi=127");
    else
        put_clip(o, OP_pconv, in);
}

/* The same, of whole blocks of channels, beside which are others. */
static void draw_pinterleave(Str *o, const Inst *in)
{
    bool point = strstr(in->name, "point") != NULL;
    int side = point ? 1 : 3, tile = point ? 32 : 28, word[2] = {32, 32}, i;
    int bits = between(2, 8), c = between(1, 150), m = 32 * between(1, 3);
    int x[4] = {1, between(side, 12), between(side, 9), c}, pad[4], r[3];
    int w[2] = {m, 32 * (point ? 1 : bits) * ((c + tile - 1) / tile)}, s = 32;

    for (i = 0; i < 4; i++)
        pad[i] = roll(side);
    for (i = 0; i < 2; i++)
        r[i] = x[1 + i] + pad[i] + pad[2 + i] - side + 1;
    r[2] = m;
    put_operand(o, "x", in->arg[0], dims(4, x));
    put_operand(o, "w", T_u8, dims(2, w));
    put_small_scaling(o, in, c * side * side, dims(1, &m));
    put_operand(o, "r0", in->arg[5], dims(3, r));
    put_operand(o, "v", T_u8, dims(2, word));
    put_operand(o, "s", T_u8, dims(1, &s));
    str_fmt(o, "r = pinterleave x w _ mul add r0 v s last=1 kernel=%d,%d%s "
            "p0=%d p1=%d p2=32 mode=%d count=%d,6 padvalue=%d p3=%d p4=%d "
            "shift=%d reverse=%d lo=%s", side, side, list(4, pad, " pad=", ""),
            between(-9, 160), bits, point, tile, between(0, 99), roll(2),
            roll(2), shift_of(24), roll(2),
            in->res == T_u8 ? "0 hi=255" : "-128 hi=127");
}

static void draw_nms(Str *o, const Inst *in)
{
    int b[3] = {between(1, 2), between(1, 20), 4};
    int s[3] = {b[0], between(1, 3), b[1]};

    put_operand(o, "boxes", in->arg[0], dims(3, b));
    put_operand(o, "scores", in->arg[1], dims(3, s));
    str_fmt(o, "r = nms boxes scores p0=%d mode=%d alpha=0.%d beta=0.%d",
            between(1, 9), roll(2), roll(10), roll(10));
}

static void draw_windows(Str *o, const Inst *in)
{
    int k[2], s[2], p[4], d[2], i;
    int x[4] = {between(1, 2), 0, 0, between(1, 17)};

    draw_window(2, false, k, s, p, d);
    for (i = 0; i < 2; i++)
        x[1 + i] = between((k[i] - 1) * d[i] + 1, 11);
    put_operand(o, "x", in->arg[0], dims(4, x));
    str_fmt(o, "r = windows x%s%s%s", list(2, k, " kernel=", ""),
            list(2, s, " stride=", ""), list(2, d, " dilation=", ""));
}

static void draw_move(Str *o, OpCode op, const Inst *in)
{
    int rank = between(1, 4), n[4], at[4], step[4], count[4], perm[4], i, j;

    for (i = 0; i < rank; i++) {
        n[i] = between(1, 13);
        perm[i] = i;
        step[i] = roll(2) ? 1 : roll(2) ? 2 : -1;
        at[i] = roll(n[i]);
        count[i] = step[i] < 0 ? between(1, at[i] + 1)
                               : between(1, (n[i] - 1 - at[i]) / step[i] + 1);
    }
    for (i = 0; i < rank; i++) {
        int t = perm[i];

        j = roll(rank);
        perm[i] = perm[j];
        perm[j] = t;
    }
    put_operand(o, "x", in->arg[0], dims(rank, n));
    if (op == OP_concat) {
        i = roll(rank);
        n[i] = between(1, 5);
        put_operand(o, "y", in->arg[0], dims(rank, n));
        str_fmt(o, "r = concat x y axis=%d", i);
    } else if (op == OP_transpose) {
        str_fmt(o, "r = transpose x%s", list(rank, perm, " perm=", ""));
    } else if (op == OP_slice) {
        str_fmt(o, "r = slice x%s%s%s", list(rank, at, " start=", ""),
                list(rank, step, " step=", ""),
                list(rank, count, " count=", ""));
    } else {
        for (i = 0; i < rank; i++)
            at[i] = n[i] == 1 ? between(1, 5) : n[i];
        str_fmt(o, "r = expand x%s", list(rank, at, " shape=", ""));
    }
}

const char *draw(OpCode op, const Inst *in)
{
    Str o = {.mem = mem};

    str_put(&o, "graph \"one\" exact\n");
    switch (op_info[op].family) {
    case FAM_map:
        if (!draw_signs(&o, op, in))
            draw_map(&o, op, in);
        break;
    case FAM_conv: case FAM_convt: draw_conv(&o, op, in); break;
    case FAM_pool: draw_pool(&o, op, in); break;
    case FAM_matmul: draw_matmul(&o, op, in); break;
    case FAM_row: draw_row(&o, op, in); break;
    case FAM_reduce: draw_reduce(&o, op, in); break;
    case FAM_pad: draw_pad(&o, in); break;
    case FAM_gather: case FAM_gatherelem: case FAM_scatterelem:
        draw_index(&o, op, in);
        break;
    case FAM_gathernd: case FAM_scatternd: draw_nd(&o, op, in); break;
    case FAM_taps: draw_taps(&o, in); break;
    case FAM_topk: draw_topk(&o, in); break;
    case FAM_poolat: draw_poolat(&o, in); break;
    case FAM_dft: draw_dft(&o, in); break;
    case FAM_grid: draw_grid(&o, in); break;
    case FAM_nms: draw_nms(&o, in); break;
    case FAM_group: draw_group(&o, in); break;
    case FAM_rowmatmul: draw_rowmatmul(&o, in); break;
    case FAM_attend:
        if (strstr(in->name, "quotients"))
            draw_quotients(&o, in);
        else
            draw_attend(&o, in);
        break;
    case FAM_shares: draw_shares(&o, in); break;
    case FAM_weigh: draw_weigh(&o, in); break;
    case FAM_qattend: draw_qattend(&o, in); break;
    case FAM_rotate:
        (op == OP_rotate ? draw_rotate : draw_irotate)(&o, in);
        break;
    case FAM_gate: draw_gate(&o, in); break;
    case FAM_pack:
        (type_info[in->arg[0]].bytes != 1 || !roll(4) ? draw_pack
         : !roll(3)                                   ? draw_turned
         : roll(2)                                    ? draw_columns
                                                      : draw_bits)(&o, in);
        break;
    case FAM_pconv:
        (strstr(in->name, "ne16") || strstr(in->name, "neureka")
             ? draw_pconv : draw_nibbles)(&o, in);
        break;
    case FAM_pinterleave: draw_pinterleave(&o, in); break;
    case FAM_windows: draw_windows(&o, in); break;
    case FAM_exchange:
        if (op == OP_gathersend || op == OP_gathertake)
            draw_piece(&o, op, in);
        else
            draw_exchange(&o, op, in);
        break;
    default: draw_move(&o, op, in); break;
    }
    str_put(&o, "\noutput r\n");
    return o.s;
}
