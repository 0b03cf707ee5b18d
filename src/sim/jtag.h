/* A RISC-V debug module (version 0.13: abstract commands on registers, system
 * bus) behind a TAP, as OpenOCD's adapter remote_bitbang drives it: a character
 * is a change of TCK, TMS and TDI, or asks for TDO.  One hart; where it halts,
 * everything does. */
#ifndef SIM_JTAG_H
#define SIM_JTAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { JTAG_EBREAK = 1, JTAG_ASKED = 3, JTAG_STEP = 4 }; /* why it halts */
enum { JTAG_X0 = 0x1000, JTAG_DPC = 0x7b1 }; /* registers; below: CSRs */

/* What it stands before: reads or writes so many bytes, or a register (DPC: the
 * pc); false: there is none.  Reset: at its first instruction, running. */
typedef struct JtagTarget {
    void *of;
    bool (*memory)(void *of, uint32_t at, int bytes, uint32_t *v, bool write);
    bool (*reg)(void *of, uint32_t n, uint32_t *v, bool write);
    void (*reset)(void *of);
} JtagTarget;

typedef struct Jtag {
    JtagTarget target;
    bool halted, resumed, was_reset;
    uint32_t dcsr, data0, dmcontrol, sbcs, sbaddress, sbdata, cmderr;
    int state, length, tck; /* of the TAP */
    uint32_t ir;
    uint64_t shift, dmi;
} Jtag;

void jtag_begin(Jtag *j, JtagTarget target);
void jtag_halt(Jtag *j, int why);
bool jtag_steps(const Jtag *j); /* it is to halt after one instruction */
/* n characters; what is to be sent back in out, which has room for as many: its
 * length, or -1 when the adapter leaves. */
ptrdiff_t jtag_clock(Jtag *j, const char *in, size_t n, char *out);

#endif
