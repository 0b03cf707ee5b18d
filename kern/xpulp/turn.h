/* Bytes turned and moved a word at a time with XpulpV2; elsewhere the same in
 * plain C, so that the kernels can be tested anywhere.  To be included after X
 * is defined, a type of one byte. */
#ifndef TURN_H
#define TURN_H

#include <string.h>
#include "kern/kern.h"

#include "kern/xpulp/xpulp.h"

#ifdef XPULPV2
static inline int32_t turn_load(const X *p)
{
    int32_t v;

    __asm__ volatile("lw %0, 0(%1)" : "=r"(v) : "r"(p) : "memory");
    return v;
}

static inline void turn_store(X *p, int32_t v)
{
    __asm__ volatile("sw %0, 0(%1)" : : "r"(v), "r"(p) : "memory");
}

/* Lanes of a (0 to 3) and of b (4 to 7), the first in the lowest digit. */
#define TURN_MIX(a, b, lanes) xp_shuffle4(a, b, lanes)
#else
static inline int32_t turn_load(const X *p)
{
    int32_t v;

    memcpy(&v, p, 4);
    return v;
}

static inline void turn_store(X *p, int32_t v)
{
    memcpy(p, &v, 4);
}

static inline int32_t turn_mix(int32_t a, int32_t b, uint32_t lanes)
{
    uint8_t in[8], out[4];
    int32_t v;

    memcpy(in, &a, 4);
    memcpy(in + 4, &b, 4);
    for (int i = 0; i < 4; i++)
        out[i] = in[lanes >> 8 * i & 7];
    memcpy(&v, out, 4);
    return v;
}
#define TURN_MIX(a, b, lanes) turn_mix(a, b, lanes)
#endif

/* n bytes. */
static inline void turn_copy(const X *x, X *y, int32_t n)
{
#ifdef XPULPV2
    int32_t a, b;

    if (n > 7)
        __asm__ volatile(XP_BLOCK XP_LOOP(0, "%4", 4)
                         XP_LW_STEP("%2", "%0", 4) XP_LW_STEP("%3", "%0", 4)
                         XP_SW_STEP("%2", "%1", 4) XP_SW_STEP("%3", "%1", 4)
                         XP_BLOCK_END
                         : "+&r"(x), "+&r"(y), "=&r"(a), "=&r"(b)
                         : "r"(n >> 3) : XP_CLOBBERS);
    n &= 7;
    if (n > 3) {
        turn_store(y, turn_load(x));
        x += 4, y += 4, n -= 4;
    }
    while (n-- > 0)
        *y++ = *x++;
#else
    memcpy(y, x, (size_t)n);
#endif
}

/* Four by four: y[i * ys + j] = x[i + j * xs]. */
static inline void turn44(const X *x, ptrdiff_t xs, X *y, ptrdiff_t ys)
{
    const int32_t a = turn_load(x), b = turn_load(x + xs);
    const int32_t c = turn_load(x + 2 * xs), d = turn_load(x + 3 * xs);
    const int32_t p = TURN_MIX(a, b, 0x05010400);
    const int32_t q = TURN_MIX(a, b, 0x07030602);
    const int32_t r = TURN_MIX(c, d, 0x05010400);
    const int32_t s = TURN_MIX(c, d, 0x07030602);

    turn_store(y, TURN_MIX(p, r, 0x05040100));
    turn_store(y + ys, TURN_MIX(p, r, 0x07060302));
    turn_store(y + 2 * ys, TURN_MIX(q, s, 0x05040100));
    turn_store(y + 3 * ys, TURN_MIX(q, s, 0x07060302));
}

/* Four rows of three, which fill three words at y. */
static inline void turn43(const X *x, ptrdiff_t xs, X *y)
{
    const int32_t a = turn_load(x), b = turn_load(x + xs);
    const int32_t c = turn_load(x + 2 * xs);

    turn_store(y, TURN_MIX(TURN_MIX(a, b, 0x01010400), c, 0x02040100));
    turn_store(y + 4, TURN_MIX(TURN_MIX(a, b, 0x06060205), c, 0x02010500));
    turn_store(y + 8, TURN_MIX(TURN_MIX(a, b, 0x07070703), c, 0x07010006));
}

#endif
