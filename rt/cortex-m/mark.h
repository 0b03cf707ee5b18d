/* Marks that count.so (QEMU) looks for: hints that every Cortex-M passes over.
 * A mark is one instruction, and is not counted itself. */
#ifndef MARK_H
#define MARK_H

#define MARK_BEGIN() __asm__ volatile(".inst.w 0xf3af8061" ::: "memory")
#define MARK_LAYER() __asm__ volatile(".inst.w 0xf3af8062" ::: "memory")
#define MARK_END() __asm__ volatile(".inst.w 0xf3af8063" ::: "memory")

#endif
