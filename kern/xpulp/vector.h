/* What products of a matrix of bytes with one or a few vectors share.
 *
 * To be included after LEFT and RIGHT, the types of the two sides, are
 * defined. */
#ifndef VECTOR_H
#define VECTOR_H

#include "kern/xpulp/scale.h"
#include "kern/xpulp/word.h"

#ifdef XPULPV2
/* Of sdotusp the first operand is the unsigned one, so that of signed by
 * unsigned the sides change places. */
#define VECTOR_XW(d, x, w) "xpv.sdott.b " d ", " x ", " w ", %[code]\n"
#define VECTOR_WX(d, x, w) "xpv.sdott.b " d ", " w ", " x ", %[code]\n"
#endif

#endif
