/* Convolution of one tap on N-Eureka, and blocks of another image beside its.
 *
 * op       pinterleave
 * types    x:u8|s8 w:u8 b:none mul:u8|u16|s32 add:s32 r:u8|s8 v:u8 s:u8 ->
 *          y:=r
 * isa      any
 * engine   neureka
 * layout   last
 * serves   neureka_interleave
 * when     tile == 32 && word == 32 && mode == 1 && bits > 1 && n == 1 &&
 *          g == 1 && kh * kw == 1 && ph + pw == 0 && oh == (h - 1) / sh + 1 &&
 *          ow == (w - 1) / sw + 1 && oh < 65536 && ow < 65536 && xc == 1 &&
 *          yc == 1 &&
 *          (scaled.lo >= -2147483648 && scaled.hi < 2147483648 && shift < 32 &&
 *           (lo == 0 && hi == 255 || lo == -128 && hi == 127) &&
 *           mulc && addc)
 * let      ki = ceil(c, 32)
 * let      jobs = ceil(m, 32) * (1 + (again > 0))
 * let      tiles = ceil(m, 32) * (ceil(rows, 6) * ceil(cols, 6) + (again > 0))
 * let      part = port ? 4 + 58 * ki : 97 * ki
 * let      out = 61 + 8 * mul.bytes
 * let      same = (vport ? 47 : 4) + ceil(blocks, 36) * (vport ? 110 : 153)
 * stack    464
 * cycles   jobs * (4 + port * (ki > 1 ? 39 : 43)) + tiles * (part + out) + same
 * code     500
 * cold     420
 *
 * As pconv_point_int.c; another job, of one tap, copies the image.
 */
#define INTERLEAVES
#include "kern/neureka/job.h"

void FN(const struct pinterleave_dims *k, const struct io *io)
{
    neureka_interleave(k, io);
}
