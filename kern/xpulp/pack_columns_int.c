/* Codes of 8 bits as N-Eureka wants those of one tap, of columns: the channels of
 * blocks, which x has side by side, are rows.
 *
 * op       pack
 * types    x:s8|u8 -> y:u8
 * isa      xpulpv2
 * when     bits == 8 && by == 4 && part[0] >= n[7] && part[1] >= n[7] &&
 *          (p0 == 0 || p0 == 128) && n[7] > 0 && n[7] % 4 == 0 && n[4] == 4 &&
 *          ys[4] == 1 && (n[3] == 1 || ys[3] == 32) && ps[2] == 8 * row &&
 *          (n[6] == 1 || ys[6] == 8 * (row * n[7] + 4 * n[3])) &&
 *          (n[5] == 1 || ys[5] == 8 * row * n[7] * n[6]) &&
 *          n[0] * n[1] * n[2] == 1 && size == row * rows && row % 32 == 0 &&
 *          row >= 4 * n[3] * n[6]
 * let      rows = n[5] * n[6] * n[7]
 * let      row = size / max(rows, 1)
 * split    n
 * stack    192
 * cycles   ncore * (fit.call + ceil(rows / 4, ncore) * (fit.four + row + n[3] *
 *          fit.word))
 * code     810
 * asks     20
 *
 * Four elements of four channels at a time: the nibbles of their bytes are turned
 * as matrices of four by four bits, then nibbles and bytes change places.  Cores
 * begin at elements of their own, lest they all want the same bank.
 */
#define LEFT uint8_t
#define RIGHT uint8_t
#include "kern/xpulp/delta_swap.h"
#include "kern/xpulp/word.h"
#include "kern/xpulp/fill.h"
#include "kern/xpulp/mean.h"
#include "kern/xpulp/transpose.h"

/* Four elements x of four channels, xs apart, to a word of each channel, ys
 * apart: bit b of all as nibble b. */
static inline void pack_four(const X *x, ptrdiff_t xs, Y *y, ptrdiff_t ys,
                             uint32_t flip)
{
    uint32_t a = (uint32_t)word_load(x), b = (uint32_t)word_load(x + xs);
    uint32_t c = (uint32_t)word_load(x + 2 * xs);
    uint32_t d = (uint32_t)word_load(x + 3 * xs);
    int32_t to[4];

    delta_swap(&a, &c, 2, 0x33333333);
    delta_swap(&b, &d, 2, 0x33333333);
    delta_swap(&a, &b, 1, 0x55555555);
    delta_swap(&c, &d, 1, 0x55555555);
    /* bits 0 and 4 of all elements, 1 and 5, and so on */
    delta_swap(&a, &b, 4, 0x0f0f0f0f);
    delta_swap(&c, &d, 4, 0x0f0f0f0f);
    /* 0 and 1, 4 and 5; 2 and 3, 6 and 7 */
    transpose_words((const int32_t[]){(int32_t)a, (int32_t)c, (int32_t)b,
                                      (int32_t)d}, to);
    word_store(y, (int32_t)((uint32_t)to[0] ^ flip));
    word_store(y + ys, (int32_t)((uint32_t)to[1] ^ flip));
    word_store(y + 2 * ys, (int32_t)((uint32_t)to[2] ^ flip));
    word_store(y + 3 * ys, (int32_t)((uint32_t)to[3] ^ flip));
}

/* Elements [4 i, 4 end) of four channels. */
static NOINLINE void pack_columns(const X *x, ptrdiff_t xs, Y *y, ptrdiff_t ys,
                                  int32_t i, int32_t end, uint32_t flip)
{
    x += 4 * i * xs;
    y += 4 * i;
    for (; i < end; i++, x += 4 * xs, y += 4)
        pack_four(x, xs, y, ys, flip);
}

void FN(const struct pack_dims *k, const struct io *io)
{
    const int32_t n = k->n[3], c = k->n[7], rows = k->n[5] * k->n[6] * c;
    const int32_t bytes = mean_of_sum(k->size, rows);
    const uint32_t flip = k->p0 ? 0xf0000000u : 0;
    const X *x = io->in[0];
    Y *y = io->out[0];
    const int32_t first = 2 * io->core < n ? 2 * io->core : 0;
    int32_t i, end;

    span(rows >> 2, io->core, io->ncore, &i, &end);
    for (; i < end; i++) {
        const int32_t block = mean_of_sum(4 * i, c);
        const int32_t at = block - mean_of_sum(block, k->n[6]) * k->n[6];
        Y *to = y + (ptrdiff_t)4 * i * bytes;

        words_fill(to, bytes, k->p2);
        to += at * 4 * n;
        pack_columns(x + 4 * i, rows, to, bytes, first, n, flip);
        pack_columns(x + 4 * i, rows, to, bytes, 0, first, flip);
    }
}
