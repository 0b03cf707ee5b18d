/* Matrix product of one row with weights of two rows in halves of 16 bits.
 *
 * op       pmatmul
 * types    a:s8|u8 b:s8 bias:int mul:int add:int -> y:s8|u8
 * types    a:s8|u8 b:s8 bias:int mul:int add:int shifts:int -> y:s8|u8
 * round    0 1
 * isa      dsp
 * when     m == 1 && ak == 1 && k % 8 == 0 && k < 32768 && n % 2 == 0 &&
 *          has.mul && acc.lo >= -2147483648 && acc.hi < 2147483648 &&
 *          (shift > 31 || (shift > 0 && !has.shifts &&
 *          2 * mul.hi < 1 << shift && 2 * mul.lo >= -(1 << shift) &&
 *          scaled.hi < 1 << shift + 31 && scaled.lo >= -(1 << shift + 31)))
 * scratch  128 + 4 + 2 * min(k, 256)
 * stack    320
 * cycles   nb[0] * nb[1] * nb[2] * (240 + n * (28 + (27 * k >> 5) +
 *          20 * (k - 1 >> 8)) + (5 * k * (k > 256 ? ceil(n, 32) : 1) >> 1))
 *
 * A word has two columns of two rows.  Its product with two columns of a is
 * 256 q + p, where p is what the even row adds and q the odd one's; the product
 * of its lower bytes is p.  Both sums are right modulo 2^32, and so is their
 * difference 256 q: within PART = 256 columns |q| is at most 256 * 255 * 128 <
 * 2^23, which makes it right.
 */
#include "kern/share.h"

typedef A LEFT;
typedef B RIGHT;
#include "kern/dsp/line.h"
#include "kern/dsp/line_matmul.h"

/* sums[i] = from[i] + x.(row i) over n columns, a multiple of LINE_STEP that is
 * not 0, of an even number of rows, which have k columns.  Here for weights at
 * any address. */
static NOINLINE void halves_anywhere(const uint32_t *x, const B *b, int32_t k,
                                     int32_t n, const int32_t *from,
                                     int32_t *sums, int32_t rows)
{
    for (; rows > 0; rows -= 2, b += 2 * k, from += 2, sums += 2) {
        int32_t even = 0, both = 0;

        for (int32_t i = 0; i < n / 2; i++) {
            const uint32_t v = dsp_load(b + 4 * i);

            both = dsp_mac(v, x[i], both);
            even = dsp_mac(dsp_even(v, 1), x[i], even);
        }
        sums[1] = from[1] + ((both - even) >> 8);
        sums[0] = from[0] + even;
    }
}

#ifdef DSP
#define HALVES_WORD(w, x)                                               \
    "smlad r11, " w ", " x ", r11\n"                                    \
    "sxtb16 " w ", " w "\n"                                             \
    "smlad r10, " w ", " x ", r10\n"
#define HALVES_WORDS /* 56 bytes of code */                             \
    "ldm.w r9!, {r2, r3, r4, r5}\n"                                     \
    "ldm.w r0!, {r1, r6, r7, r8}\n"                                     \
    HALVES_WORD("r1", "r2") HALVES_WORD("r6", "r3")                     \
    HALVES_WORD("r7", "r4") HALVES_WORD("r8", "r5")

static NOINLINE void halves_at_words(const uint32_t *x, const B *b, int32_t k,
                                     int32_t n, const int32_t *from,
                                     int32_t *sums, int32_t rows)
{
    register const B *r0 __asm__("r0") = b;
    register const uint32_t *r2 __asm__("r2") = x;
    register int32_t r3 __asm__("r3") = 2 * (k - n);
    register int32_t *r4 __asm__("r4") = sums;
    register int32_t *r5 __asm__("r5") = sums + rows;
    register const int32_t *r10 __asm__("r10") = from;
    register int32_t r12 __asm__("r12") = n;

    __asm__ volatile(LINE_ALL(HALVES_WORDS, "56",
                              "ldr r10, [r12], #4\n"
                              "mov r11, r10\n",
                              "ldr r6, [r12], #4\n"
                              "sub r11, r11, r10\n"
                              "add r11, r6, r11, asr #8\n")
                     : "+r"(r0), "+r"(r2), "+r"(r3), "+r"(r4), "+r"(r5),
                       "+r"(r10), "+r"(r12)
                     :
                     : "r1", "r6", "r8", "r9", "r11", "lr", "cc", "memory");
}
#endif

static inline void halves(const uint32_t *x, const B *b, int32_t k, int32_t n,
                          const int32_t *from, int32_t *sums, int32_t rows)
{
#ifdef DSP
    if (!((uintptr_t)b & 3)) {
        halves_at_words(x, b, k, n, from, sums, rows);
        return;
    }
#endif
    halves_anywhere(x, b, k, n, from, sums, rows);
}

static void chunk(const struct matmul_dims *k, const A *a, const B *b,
                  const int32_t *from, int32_t *sums, int32_t count, int first)
{
    uint32_t *x = (uint32_t *)(sums + CHUNK + 1);

    for (int32_t i = 0; i < k->k; i += PART, from = sums) {
        const int32_t some = k->k - i < PART ? k->k - i : PART;

        if (first || k->k > PART)
            line_expand(a + i, some, DSP_SIGNED(A), x);
        halves(x, b + 2 * i, k->k, some, from, sums, count);
    }
}

void FN(const struct matmul_dims *k, const struct io *io)
{
    line_matmul(k, io);
}
