/* The products of dot.h with packed instructions; LEFT and RIGHT as there. */
#ifndef DOT_DSP_H
#define DOT_DSP_H

#include "kern/dsp/products.h"

static NOINLINE void dot22(const LEFT *a0, const LEFT *a1, const RIGHT *b0,
                           const RIGHT *b1, int32_t n, ACC s[2], ACC t[2])
{
    int32_t st[2] = {0, 0}, tt[2] = {0, 0};

    dsp22(a0, a1, b0, b1, n, st, tt);
    s[0] += st[0], s[1] += st[1];
    t[0] += tt[0], t[1] += tt[1];
}

static NOINLINE void dot12(const LEFT *a, const RIGHT *b0, const RIGHT *b1,
                           int32_t n, ACC s[2])
{
    int32_t st[2] = {0, 0};

    dsp12(a, b0, b1, n, st);
    s[0] += st[0], s[1] += st[1];
}

#endif
