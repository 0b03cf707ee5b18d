/* x where c, else y.
 *
 * op       where
 * types    c:int x:int y:int -> z:int
 * isa      any
 * inplace  x y
 * split    n
 * stack    288
 * cycles   20 * z.n
 *
 * The macro calls its operands x, y and z: here they are c, x and y.
 */
#include "kern/map/map.h"

MAP3(C, X, Y, Z, x ? (ACC)y : (ACC)z)
