/* Matrix product, one row of the result after the other.
 *
 * op       matmul
 * types    a:int b:int bias:int mul:int add:int -> y:int
 * types    a:int b:int bias:int mul:int add:int shifts:int -> y:int
 * round    0 1
 * isa      any
 * split    m n
 * stack    288
 * cycles   ncore > 1 ? ncore * (150 + nb[0] * nb[1] * nb[2] * (180 + (82 + 14
 *          * k) * min((m + ncore - 1) / ncore * n, m * ((n + ncore - 1) /
 *          ncore)))) : nb[0] * nb[1] * nb[2] * m * n * (40 + 14 * k)
 * code     790
 */
#include "kern/matmul/plain.h"

static ACC dot(const struct matmul_dims *k, const A *a, const B *b, int32_t n)
{
    ACC sum = 0;

    b += (ptrdiff_t)n * k->bn;
    for (int32_t i = 0; i < k->k; i++)
        sum += (ACC)a[(ptrdiff_t)i * k->ak] * (ACC)b[(ptrdiff_t)i * k->bk];
    return sum;
}
