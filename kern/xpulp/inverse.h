/* kern/row/inverse.h with the instruction that finds the highest bit. */
#ifndef INVERSE_H
#define INVERSE_H

#include "kern/xpulp/xpulp.h"

#ifdef XPULPV2
#define HIGHEST(v) xp_fl1((int32_t)(v))
#endif
#include "kern/row/inverse.h"

#endif
