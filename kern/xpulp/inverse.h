/* kern/row/inverse.h with the instructions that find the highest bit, and that
 * take a product off. */
#ifndef INVERSE_H
#define INVERSE_H

#include "kern/xpulp/xpulp.h"

#ifdef ROW_INVERSE_H
#error "kern/row/inverse.h came before, without these instructions"
#endif
#ifdef XPULPV2
#define HIGHEST(v) xp_fl1((int32_t)(v))
#define REST(v, digit, sum)                                                  \
    ((uint32_t)xp_msu((int32_t)(v), (int32_t)(digit), (int32_t)(sum)))
#endif
#include "kern/row/inverse.h"

#endif
