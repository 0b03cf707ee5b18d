/* Results brought to the type Y, after which this is to be included. */
#ifndef SATURATED_H
#define SATURATED_H

#include "kern/conv/panel.h"
#include "kern/dsp/dsp.h"

/* v saturated to Y. */
static inline Y saturated(int32_t v)
{
#ifdef DSP
    if (DSP_SIGNED(Y))
        return (Y)__ssat(v, 8 * sizeof(Y));
    return (Y)__usat(v, 8 * sizeof(Y));
#else
    const int32_t lo = PANEL_LEAST(Y);

    return (Y)clip(v, lo, lo + PANEL_SPAN(Y));
#endif
}

#endif
