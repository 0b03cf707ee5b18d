/* An operator for test/sim/chip.c, as test/kern/chip.c writes it. */
#ifndef SIM_CHIP_H
#define SIM_CHIP_H

#include <stdint.h>

struct operand {
    int32_t n, bytes; /* n 0: absent */
    int64_t lo, hi;
    const void *data; /* of constants; NULL: any between lo and hi */
};

typedef struct Case {
    int32_t dims[68]; /* the dims struct of its family */
    struct operand in[8], out;
    int32_t nin;
    int32_t scratch[8]; /* bytes of a core, of so many cores less one */
    uint32_t inplace; /* operands at whose address the result may begin */
    int32_t ahead;    /* bytes that it must begin ahead of operand 0 to overlap
                         it; less than 0: it may not */
    int32_t cycles, code, work;
} Case;
extern const Case cases[];
extern const int ncase;
extern uint32_t seed; /* of their operands */

#endif
