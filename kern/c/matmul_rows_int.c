/* Matrix product with b in rows, two rows by four columns at a time.
 *
 * op       matmul
 * types    a:s8|u8|s16 b:s8|u8|s16 bias:int mul:int add:int
 *          -> y:s8|u8|s16|u16|s32
 * types    a:s8|u8|s16 b:s8|u8|s16 bias:int mul:int add:int shifts:int
 *          -> y:s8|u8|s16|u16|s32
 * round    0 1
 * isa      any
 * when     bn == 1
 * split    m n
 * stack    448
 * cycles   ncore > 1 ? ncore * (450 + nb[0] * nb[1] * nb[2] * (150 + (85 + 5 *
 *          k) * min((m + ncore - 1) / ncore * n, m * min(n, ((n + 3) / 4 +
 *          ncore - 1) / ncore * 4)))) : nb[0] * nb[1] * nb[2] * m * n * (35 +
 *          4 * k)
 * code     1240
 *
 * Each step down b takes four neighbours of a row times one element of each
 * row of a; the columns left over are taken one at a time.
 */
#include "kern/finish.h"

FINISH_MATMUL

#include "kern/matmul/rows.h"
