/* Matrix product with weights of two rows in halves of 16 bits.
 *
 * op       pmatmul
 * types    a:int b:int bias:int mul:int add:int -> y:int
 * types    a:int b:int bias:int mul:int add:int shifts:int -> y:int
 * round    0 1
 * isa      any
 * split    m n
 * stack    288
 * cycles   ncore > 1 ? ncore * (150 + nb[0] * nb[1] * nb[2] * (180 + (82 + 20
 *          * k) * min((m + ncore - 1) / ncore * n, m * ((n + ncore - 1) /
 *          ncore)))) : nb[0] * nb[1] * nb[2] * m * n * (40 + 20 * k)
 * code     790
 */
#include "kern/matmul/plain.h"
#include "kern/matmul/halves.h"

static ACC dot(const struct matmul_dims *k, const A *a, const B *b, int32_t n)
{
    ACC sum = 0;

    b += (ptrdiff_t)(n & -2) * k->bn;
    for (int32_t i = 0; i < k->k; i++) {
        const int32_t at = half_at(i);

        sum += (ACC)a[(ptrdiff_t)i * k->ak] *
               half_weight((int32_t)b[at], (int32_t)b[at + 1], n);
    }
    return sum;
}
