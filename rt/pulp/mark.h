/* Marks that the simulator looks for: `slti zero, zero, n`, which RISC-V
 * keeps as a hint.  A mark is one instruction, and is not counted itself. */
#ifndef MARK_H
#define MARK_H

#define MARK_BEGIN() __asm__ volatile("slti zero, zero, 0x61" ::: "memory")
#define MARK_LAYER() __asm__ volatile("slti zero, zero, 0x62" ::: "memory")
#define MARK_END() __asm__ volatile("slti zero, zero, 0x63" ::: "memory")
/* around waits for transfers */
#define MARK_WAIT() __asm__ volatile("slti zero, zero, 0x64" ::: "memory")
#define MARK_WAITED() __asm__ volatile("slti zero, zero, 0x65" ::: "memory")
/* around kernels */
#define MARK_WORK() __asm__ volatile("slti zero, zero, 0x66" ::: "memory")
#define MARK_WORKED() __asm__ volatile("slti zero, zero, 0x67" ::: "memory")

#endif
