/* The integer division: x p0 p1 / (y p1 + p2), to the nearest.
 *
 * op       idiv
 * types    x:int y:int -> z:int
 * isa      any
 * inplace  x y
 * split    n
 * stack    320
 * cycles   200 * z.n
 *
 * p0: Delta, p1: eta, p2: eps.  Ties go up; of a division by zero 0.
 */
#include "kern/map/map.h"

static int64_t ratio(int64_t x, int64_t y, int64_t delta, int64_t eta,
                     int64_t eps)
{
    int64_t num = x * delta * eta, den = y * eta + eps, down;

    if (den < 0) {
        num = -num;
        den = -den;
    }
    if (den == 0)
        return 0;
    down = floor_div(num, den);
    return down + (num - down * den >= den - (num - down * den));
}

MAP2(X, Y, Z, ratio(x, y, k->p0, k->p1, k->p2))
