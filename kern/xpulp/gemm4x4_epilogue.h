/* What convolutions over gemm4x4.h share: the operands of the epilogue, and
 * copies of bytes. */
#ifndef GEMM4X4_EPILOGUE_H
#define GEMM4X4_EPILOGUE_H

#include "kern/xpulp/apart.h"

/* An operand of the epilogue: itself from channel c on where it has an element
 * per channel and there are four or more, else four copies. */
#define GEMM_FOLLOW(T, name, given, each, none)                              \
    do {                                                                     \
        const T *from = given;                                               \
                                                                             \
        if (from && each && m > 3) {                                         \
            t->name = from + c;                                              \
            t->name##next = 4 * (int32_t)sizeof(T);                          \
            break;                                                           \
        }                                                                    \
        for (int32_t i = 0; i < 4; i++)                                      \
            f->name[i] = from ? from[(c + (i < m ? i : 0)) * each] : (T)none;\
        t->name = f->name;                                                   \
        t->name##next = 0;                                                   \
    } while (0)

/* Are the lower 32 bits of n elements all 0?  Only asked of 64 bits. */
static int gemm_even(const ADD *add, int32_t n)
{
    uint32_t any = 0;

    if (sizeof(ADD) != 8)
        return 0;
    for (; n > 3; n -= 4, add += 4)
        any |= (uint32_t)add[0] | (uint32_t)add[1] | (uint32_t)add[2] |
               (uint32_t)add[3];
    return !any && !n;
}

/* Do n multipliers fit in 32 bits after a shift that makes `shift` 32? */
static int gemm_small(const MUL *mul, int32_t n, int32_t shift)
{
    const int32_t more = 32 - shift;
    int32_t any = 0;

    if (GEMM_SCALE32 || sizeof(MUL) != 4 || shift <= 0 || shift >= 32)
        return 0;
    for (; n > 0; n--, mul++) {
        const int32_t m = (int32_t)*mul;

        any |= (int32_t)((uint32_t)m << more) >> more ^ m;
    }
    return !any;
}

static void gemm_epilogue(const struct conv_dims *k, const struct io *io,
                          int32_t c, int32_t m, struct fours *f,
                          struct gemm *t)
{
    GEMM_FOLLOW(START, bias, io->in[2], 1, 0);
    GEMM_FOLLOW(MUL, mul, io->in[3], k->mulc, 1);
    GEMM_FOLLOW(ADD, add, io->in[3] ? io->in[4] : NULL, k->addc, 0);
#ifdef SHIFTS
    GEMM_FOLLOW(SHIFTS, shifts, io->in[5], k->mulc, 0);
#endif
    t->even = gemm_even(t->add, t->addnext ? m : 4);
    t->shift = io->in[3] ? k->shift : 0;
    t->small = gemm_small(t->mul, t->mulnext ? m : 4, t->shift);
    gemm_own_shifts(t);
    t->lo = gemm_bound(k->lo), t->hi = gemm_bound(k->hi);
}

static NOINLINE char *copy_run(char *to, const void *from, int32_t n)
{
    return gemm_copy(to, from, n);
}

static NOINLINE char *fill_run(char *to, int32_t v, int32_t n)
{
    char *end = to + n;

    v = (int32_t)((uint32_t)(v & 255) * 0x01010101u);
    for (; n >= 4; n -= 4, to += 4)
        word_store(to, v);
    while (to < end)
        *to++ = (char)v;
    return to;
}

#endif
