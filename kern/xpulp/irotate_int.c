/* Rotary embedding in 32 bits (kern/ref/irotate_int.c), without branches.
 *
 * op       irotate
 * types    x:s8|s16 t:s8|s16 bias:s8|u8|s16|u16|s32 -> y:s8|u8|s16
 * isa      xpulpv2
 * when     max(-acc.lo, acc.hi) < 2147483648 && shift < 32
 * split    tokens * heads
 * stack    128
 * cycles   ncore * (100 + ceil(tokens * heads, ncore) * (40 + 22 * half))
 * code     360
 */
#include "kern/xpulp/scale.h"

#ifdef XPULPV2
#define MORE xp_mac
#define LESS xp_msu
#endif
#define CLIP scale_clip
#include "kern/row/rotate.h"

void FN(const struct rotate_dims *k, const struct io *io)
{
    rotate(k, io);
}
