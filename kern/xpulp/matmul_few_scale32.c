/* Matrix product of three to five rows with b transposed, all rows by two
 * columns, scaled in 32 bits.
 *
 * op       matmul
 * types    a:s8|u8 b:s8 bias:s8|u8|s16|u16|s32 mul:s8|u8|s16|u16|s32
 *          add:s8|u8|s16|u16|s32 -> y:s8|u8|s16|u16|s32
 * isa      xpulpv2
 * when     nb[0] * nb[1] * nb[2] == 1 && m > 2 && m < 6 && ak == 1 && bk == 1
 *          && k % 4 == 0 && k > 0 && n > 1 && has.mul && biasm == 0 &&
 *          mulm == 0 && addm == 0 && shift < 32 &&
 *          max(-scaled.lo, scaled.hi) < 2147483648
 * split    n
 * stack    192
 * let      pairs = ceil(ceil(n, ncore), 2)
 * cycles   ncore * (fit.call + pairs * (fit.pair + 9 * k / 2))
 * code     780
 * cold     700
 *
 * Where there are fewer rows than five, the last is taken again, and so is a
 * column where their number is odd.
 */
#include "kern/finish.h"
#define LEFT A
#define RIGHT B
#include "kern/xpulp/word.h"

enum { ROWS = 5 };

/* A core's work; first what assembly knows, by place.  Operands move on by
 * steps in bytes, which are 0 where one number is that of all columns; skip:
 * from the end of a row of b to the next but one. */
struct few {
    const A *a;
    int32_t words;
    const BIAS *bias;
    int32_t biasnext;
    const MUL *mul;
    int32_t mulnext;
    const ADD *add;
    int32_t addnext;
    int32_t skip, shift, lo, hi;
    int32_t y[3];  /* from row to row of y: the first three, to the fourth and */
    int32_t pairs; /* the fifth */
    int32_t x[3], back; /* the same of a, and back to the next word */
    int32_t bn;
};

#ifdef XPULPV2
#define FEW_MEMBERS(AT)                                                       \
    AT(a, 0) AT(words, 4) AT(bias, 8) AT(biasnext, 12) AT(mul, 16)            \
    AT(mulnext, 20) AT(add, 24) AT(addnext, 28) AT(skip, 32) AT(shift, 36)    \
    AT(lo, 40) AT(hi, 44) AT(y, 48) AT(pairs, 60) AT(x, 64) AT(back, 76)
#define FEW_CHECK(name, at) XP_MEMBER(struct few, name, at);
#define FEW_SET(name, at) ".set few." #name ", " #at "\n"
FEW_MEMBERS(FEW_CHECK)

/* Two columns of five rows, row by row s0 to s9; words of a t2 to t6, of b t0
 * and t1.  a0 is struct few, a1 and a2 rows of b, ra a, a3 to a6 the ways in
 * it. */
#define FEW_BOTH(a, one, other)                                               \
    "xpv.sdott.b " one ", " a ", t0, %[signs]\n"                              \
    "xpv.sdott.b " other ", " a ", t1, %[signs]\n"
#ifdef NO_BIAS
#define FEW_BEGIN                                                             \
    "lw ra, few.a(a0)\n lw t0, few.words(a0)\n"                               \
    "li s0, 0\n li s1, 0\n li s2, 0\n li s3, 0\n li s4, 0\n"                  \
    "li s5, 0\n li s6, 0\n li s7, 0\n li s8, 0\n li s9, 0\n"
#else
#define FEW_BEGIN                                                             \
    "lw t2, few.bias(a0)\n lw t3, few.biasnext(a0)\n lw ra, few.a(a0)\n"      \
    "xp.lt.postr s0, t2, t3, %[bias]\n xp.lt.postr s1, t2, t3, %[bias]\n"     \
    "sw t2, few.bias(a0)\n lw t0, few.words(a0)\n"                            \
    "mv s2, s0\n mv s3, s1\n mv s4, s0\n mv s5, s1\n mv s6, s0\n"             \
    "mv s7, s1\n mv s8, s0\n mv s9, s1\n"
#endif
#define FEW_PRODUCTS                                                          \
    XP_BLOCK "xlp.setup 0, t0, 17\n"                                          \
    "xp.lw.post t0, a1, 4\n xp.lw.post t1, a2, 4\n"                           \
    "xp.lw.postr t2, ra, a3\n xp.lw.postr t3, ra, a3\n"                       \
    "xp.lw.postr t4, ra, a4\n xp.lw.postr t5, ra, a5\n"                       \
    "xp.lw.postr t6, ra, a6\n" FEW_BOTH("t2", "s0", "s1")                     \
    FEW_BOTH("t3", "s2", "s3") FEW_BOTH("t4", "s4", "s5")                     \
    FEW_BOTH("t5", "s6", "s7") FEW_BOTH("t6", "s8", "s9") XP_BLOCK_END
#define FEW_EACH(OP)                                                          \
    OP("s0", "t0", "t6") OP("s1", "t1", "ra") OP("s2", "t0", "t6")            \
    OP("s3", "t1", "ra") OP("s4", "t0", "t6") OP("s5", "t1", "ra")            \
    OP("s6", "t0", "t6") OP("s7", "t1", "ra") OP("s8", "t0", "t6")            \
    OP("s9", "t1", "ra")
#define FEW_MUL(v, mul, add) "mul " v ", " v ", " mul "\n"
#define FEW_ADD(v, mul, add) "xp.addnr " v ", " add ", s10\n"
#define FEW_CLIP(v, mul, add) "xp.clipr " v ", " v ", s11\n"
#define FEW_MAX(v, mul, add) "xp.max " v ", " v ", t2\n"
#define FEW_MIN(v, mul, add) "xp.min " v ", " v ", s11\n"
#define FEW_SCALE                                                             \
    "lw t2, few.mul(a0)\n lw t3, few.mulnext(a0)\n lw t4, few.add(a0)\n"      \
    "lw t5, few.addnext(a0)\n"                                                \
    "xp.lt.postr t0, t2, t3, %[mul]\n xp.lt.postr t1, t2, t3, %[mul]\n"       \
    "xp.lt.postr t6, t4, t5, %[add]\n xp.lt.postr ra, t4, t5, %[add]\n"       \
    "sw t2, few.mul(a0)\n sw t4, few.add(a0)\n lw t2, few.lo(a0)\n"           \
    FEW_EACH(FEW_MUL) FEW_EACH(FEW_ADD)
#define FEW_STORE(v, w, step)                                                 \
    "xp.st.postr " v ", t0, " step ", %[store]\n"                             \
    "xp.st.postr " w ", t1, " step ", %[store]\n"
#define FEW_PUT                                                               \
    "mv t0, a7\n addi t1, a7, %[size]\n lw t2, few.y(a0)\n"                   \
    "lw t3, few.y + 4(a0)\n lw t4, few.y + 8(a0)\n addi a7, t1, %[size]\n"    \
    FEW_STORE("s0", "s1", "t2") FEW_STORE("s2", "s3", "t2")                   \
    FEW_STORE("s4", "s5", "t3") FEW_STORE("s6", "s7", "t4")                   \
    FEW_STORE("s8", "s9", "t2")
#define FEW_NEXT                                                              \
    "lw t2, few.pairs(a0)\n lw t3, few.skip(a0)\n addi t2, t2, -1\n"          \
    "add a1, a1, t3\n add a2, a2, t3\n sw t2, few.pairs(a0)\n bnez t2, 1b\n"
#define FEW_LOOP(name, CLIP)                                                  \
    static inline void name(struct few *f, const B *b, Y *y)                  \
    {                                                                         \
        register struct few *few __asm__("a0") = f;                           \
        register const B *v __asm__("a1") = b;                                \
        register const B *w __asm__("a2") = b + f->bn;                        \
        register Y *to __asm__("a7") = y;                                     \
                                                                              \
        __asm__ volatile(                                                     \
            FEW_MEMBERS(FEW_SET)                                              \
            "lw a3, few.x(a0)\n lw a4, few.x + 4(a0)\n"                       \
            "lw a5, few.x + 8(a0)\n lw a6, few.back(a0)\n"                    \
            "lw s10, few.shift(a0)\n lw s11, few.hi(a0)\n"                    \
            "1:\n" FEW_BEGIN FEW_PRODUCTS FEW_SCALE CLIP FEW_PUT FEW_NEXT     \
            : "+r"(few), "+r"(v), "+r"(w), "+r"(to)                           \
            : [bias] "i"(XP_TYPE(BIAS)), [mul] "i"(XP_TYPE(MUL)),             \
              [add] "i"(XP_TYPE(ADD)), [store] "i"(XP_TYPE(Y)),               \
              [size] "i"(sizeof *y), [signs] "i"(XP_SIGNS(A, B))              \
            : XP_CLOBBERS, "ra", "a3", "a4", "a5", "a6", "t0", "t1", "t2",    \
              "t3", "t4", "t5", "t6", "s0", "s1", "s2", "s3", "s4", "s5",     \
              "s6", "s7", "s8", "s9", "s10", "s11");                          \
    }
FEW_LOOP(few_clipped, FEW_EACH(FEW_CLIP))
FEW_LOOP(few_bounded, FEW_EACH(FEW_MAX) FEW_EACH(FEW_MIN))

/* f->pairs times two columns, from b and y on. */
static inline void few_columns(struct few *f, const B *b, Y *y)
{
    if (f->lo + f->hi == -1)
        few_clipped(f, b, y);
    else
        few_bounded(f, b, y);
}
#else
/* The sum of a row of a and one of b. */
static int32_t few_sum(const struct few *f, const A *a, const B *b)
{
    int32_t sum = 0;

    for (int32_t i = 0; i < 4 * f->words; i += 4)
        sum = word_dot(sum, word_load(a + i), word_load(b + i));
    return sum;
}

static void few_columns(struct few *f, const B *b, Y *y)
{
    for (int32_t c = 2 * f->pairs; c > 0; c--, b += f->bn) {
        const A *a = f->a;
        Y *to = y++;

        for (int32_t r = 0; r < ROWS; r++) {
            *to = (Y)rescale32((int32_t)*f->bias + few_sum(f, a, b),
                               (int32_t)*f->mul, (int32_t)*f->add, f->shift,
                               f->lo, f->hi);
            a += r < 2 ? f->x[0] : r < 4 ? f->x[r - 1] : 0;
            to += (r < 2 ? f->y[0] : r < 4 ? f->y[r - 1] : 0) /
                  (int32_t)sizeof *to;
        }
        f->bias += f->biasnext / (int32_t)sizeof *f->bias;
        f->mul += f->mulnext / (int32_t)sizeof *f->mul;
        f->add += f->addnext / (int32_t)sizeof *f->add;
    }
}
#endif

/* Columns from..to, an even number of them. */
static NOINLINE void few_pairs(const struct matmul_dims *k, const struct io *io,
                               int32_t from, int32_t to)
{
    const BIAS no_bias = 0, *bias = io->in[2] ? io->in[2] : &no_bias;
    const ADD no_add = 0, *add = io->in[4] ? io->in[4] : &no_add;
    const int32_t biasn = io->in[2] ? k->biasn : 0;
    const int32_t addn = io->in[4] ? k->addn : 0;
    const int32_t am = k->am, n = k->n * (int32_t)sizeof(Y);
    const B *b = (const B *)io->in[1] + from * k->bn;
    Y *y = (Y *)io->out[0] + from;
    struct few f;

    f.a = io->in[0];
    f.biasnext = biasn * (int32_t)sizeof *bias;
    f.mulnext = k->muln * (int32_t)sizeof(MUL);
    f.addnext = addn * (int32_t)sizeof *add;
    f.skip = 2 * k->bn - k->k;
    f.shift = k->shift, f.lo = k->lo, f.hi = k->hi;
    f.y[0] = n, f.y[1] = k->m > 3 ? n : 0, f.y[2] = k->m > 4 ? n : 0;
    f.x[0] = am, f.x[1] = k->m > 3 ? am : 0, f.x[2] = k->m > 4 ? am : 0;
    f.back = 4 - (k->m - 1) * am;
    f.bn = k->bn;
    f.words = k->k >> 2;
    f.pairs = (to - from) >> 1;
    f.bias = bias + from * biasn;
    f.mul = (const MUL *)io->in[3] + from * k->muln;
    f.add = add + from * addn;
    few_columns(&f, b, y);
}

void FN(const struct matmul_dims *k, const struct io *io)
{
    int32_t from, to, even;

    span(k->n, io->core, io->ncore, &from, &to);
    even = from + ((to - from) & ~1);
    if (from < even)
        few_pairs(k, io, from, even);
    if (even < to)
        few_pairs(k, io, even > 0 ? even - 1 : 0, even > 0 ? to : 2);
}
