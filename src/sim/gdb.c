/* stub */
#include "sim/chip.h"
void gdb_open(Sim *s) { (void)s; }
void gdb_stopped(Sim *s) { s->done = true; }
bool gdb_breaks(Core *c, uint32_t pc) { (void)c; (void)pc; return false; }
void gdb_close(Sim *s) { (void)s; }
