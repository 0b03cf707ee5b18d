/* The epilogue of conv/panel.h in plain C, saturated to Y, where there are no
 * instructions for it. */
#ifndef DSP_SCALE_H
#define DSP_SCALE_H

#ifndef DSP
static int32_t scale_result(const struct scale32 *s, int32_t sum)
{
    const int64_t add = (int64_t)((uint64_t)s->hi << 32 | s->lo);
#if ROUND
    const int64_t all = (int64_t)sum + s->bias, less = all < 0 ? ROUND_LESS : 0;
#else
    const int64_t all = sum, less = 0;
#endif
    const int64_t v = ((all * s->mul + add - less) >> 32) >> s->post;
    const int lo = PANEL_SIGNED(Y) ? -128 : 0;

    return v < lo ? lo : v > lo + 255 ? lo + 255 : (int32_t)v;
}
#endif

#endif
