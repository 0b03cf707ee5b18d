/* A debugger of a simulation: gdb itself (gdb.c), or OpenOCD by JTAG
 * (probe.c). */
#ifndef SIM_STUB_H
#define SIM_STUB_H

#include "sim/chip.h"

enum { BREAKS = 256, PACKET = 8192, ASK_EVERY = 4096, PC = 32, CSR0 = 65 };
enum { INT = 2, TRAP = 5, SEGV = 11 }; /* signals */

typedef struct Gdb {
    Sim *sim;
    int fd, to;     /* the same, but for standard input and output */
    uint32_t at[BREAKS];
    int nbreak;
    Core *now;      /* that stopped, or that gdb looks at */
    Core *step;     /* to stop after one instruction */
    Core *skip;     /* goes over the breakpoint it stands on */
    int asked, signal;
    bool gone;
    struct Probe *probe; /* probe.c; NULL: it is gdb that listens */
    bool owes;      /* gdb an acknowledgement */
    unsigned char got[PACKET]; /* sent by gdb, from at_in on not read yet */
    size_t at_in, n_in;
    char in[PACKET], out[PACKET];
} Gdb;

/* Core of thread number n (from 1), or NULL; its registers, as gdb numbers
 * them. */
Core *stub_core(Gdb *g, int n);
uint32_t stub_get(Core *c, unsigned n);
void stub_set(Core *c, unsigned n, uint32_t v);
/* Stops all before c's next instruction. */
bool stub_stop(Gdb *g, Core *c, int signal);
/* Go on; the core that stands on a breakpoint goes over it. */
void stub_resume(Gdb *g, bool step);

/* probe.c */
void probe_begin(Gdb *g);
void probe_talk(Gdb *g);    /* until the program is to run */
bool probe_halts(Gdb *g);   /* asked now and then while it runs */
void probe_stopped(Gdb *g); /* at a breakpoint, or after a step */

#endif
