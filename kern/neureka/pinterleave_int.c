/* Convolution of three by three taps on N-Eureka, and blocks of another image
 * beside its.
 *
 * op       pinterleave
 * types    x:u8|s8 w:u8 b:none mul:u8|u16|s32 add:s32 r:u8|s8 v:u8 s:u8 ->
 *          y:=r
 * isa      any
 * engine   neureka
 * layout   last
 * serves   neureka_interleave
 * when     tile == 28 && word == 32 && mode == 0 && bits > 1 && n == 1 &&
 *          g == 1 && kh == 3 && kw == 3 && sh * sw * dh * dw == 1 &&
 *          oh + 2 - ph - h >= 0 && oh + 2 - ph - h < 3 &&
 *          ow + 2 - pw - w >= 0 && ow + 2 - pw - w < 3 && ph < 3 && pw < 3 &&
 *          oh < 65536 && ow < 65536 &&
 *          xc == 1 && yc == 1 &&
 *          padv >= -32768 && padv < 32768 &&
 *          (scaled.lo >= -2147483648 && scaled.hi < 2147483648 && shift < 32 &&
 *           (lo == 0 && hi == 255 || lo == -128 && hi == 127) &&
 *           mulc && addc)
 * let      ki = ceil(c, 28)
 * let      tiles = ceil(m, 32) * ceil(oh, 6) * ceil(ow, 6)
 * let      sums = 32 * bits + 5
 * let      part = ki * (port ? 8 + max(sums, 69) : 78 + sums)
 * let      out = 61 + 8 * mul.bytes
 * let      same = (vport ? 47 : 4) + ceil(blocks, 36) * (vport ? 110 : 153)
 * stack    464
 * cycles   ceil(m, 32) * (4 + port * (70 + sums - max(sums, 69))) +
 *          tiles * (part + out) + same
 * code     500
 * cold     380
 *
 * As pconv_int.c; another job, of one tap, copies the image.
 */
#define INTERLEAVES
#include "kern/neureka/job.h"

void FN(const struct pinterleave_dims *k, const struct io *io)
{
    neureka_interleave(k, io);
}
