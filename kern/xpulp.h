/* XpulpV2 for a compiler that does not know it: single instructions as
 * functions, through .insn.  Works with plain riscv64-unknown-elf-gcc
 * (-march=rv32imc -misa-spec=2.2 -mabi=ilp32); the encodings are those of
 * RI5CY, GAP8, GAP9 and Siracusa.
 *
 * A loop that must be fast is one asm block: XP_LOOP opens a hardware loop of
 * n instructions (3 or more, none of them compressed, no jumps).  The order
 * .balign 4 before .option norvc matters: under norvc gas believes that code
 * is aligned already. */
#ifndef XPULP_H
#define XPULP_H

#include <stdint.h>

#define XP_INLINE static inline __attribute__((always_inline))

/* d = op(a, b) and d = op(d, a, b) by opcode, funct3, funct7. */
#define XP_OP(name, opcode, f3, f7)                                           \
    XP_INLINE int32_t name(int32_t a, int32_t b)                              \
    {                                                                         \
        int32_t d;                                                            \
        __asm__(".insn r " #opcode ", " #f3 ", " #f7 ", %0, %1, %2"           \
                : "=r"(d) : "r"(a), "r"(b));                                  \
        return d;                                                             \
    }
#define XP_ACC(name, opcode, f3, f7)                                          \
    XP_INLINE int32_t name(int32_t d, int32_t a, int32_t b)                   \
    {                                                                         \
        __asm__(".insn r " #opcode ", " #f3 ", " #f7 ", %0, %1, %2"           \
                : "+r"(d) : "r"(a), "r"(b));                                  \
        return d;                                                             \
    }
#define XP_ONE(name, opcode, f3, f7)                                          \
    XP_INLINE int32_t name(int32_t a)                                         \
    {                                                                         \
        int32_t d;                                                            \
        __asm__(".insn r " #opcode ", " #f3 ", " #f7 ", %0, %1, x0"           \
                : "=r"(d) : "r"(a));                                          \
        return d;                                                             \
    }

XP_OP(xp_min, 0x33, 4, 0x02)
XP_OP(xp_minu, 0x33, 5, 0x02)
XP_OP(xp_max, 0x33, 6, 0x02)
XP_OP(xp_maxu, 0x33, 7, 0x02)
XP_OP(xp_ror, 0x33, 5, 0x04)
XP_OP(xp_clipr, 0x33, 5, 0x0a)
XP_OP(xp_clipur, 0x33, 6, 0x0a)
XP_ONE(xp_abs, 0x33, 0, 0x02)
XP_ONE(xp_ff1, 0x33, 0, 0x08)
XP_ONE(xp_fl1, 0x33, 1, 0x08)
XP_ONE(xp_clb, 0x33, 2, 0x08)
XP_ONE(xp_cnt, 0x33, 3, 0x08)
XP_ACC(xp_mac, 0x33, 0, 0x21)
XP_ACC(xp_msu, 0x33, 1, 0x21)
/* (d + a) >> b */
XP_ACC(xp_add_shift, 0x5b, 2, 0x20)
/* bytes and halves: a dot product, and one added to a sum; u: unsigned,
 * us: a unsigned, b signed */
XP_OP(xp_dot4, 0x57, 1, 0x4c)
XP_OP(xp_dot4u, 0x57, 1, 0x40)
XP_OP(xp_dot4us, 0x57, 1, 0x44)
XP_OP(xp_dot2, 0x57, 0, 0x4c)
XP_ACC(xp_sdot4, 0x57, 1, 0x5c)
XP_ACC(xp_sdot4u, 0x57, 1, 0x50)
XP_ACC(xp_sdot4us, 0x57, 1, 0x54)
XP_ACC(xp_sdot2, 0x57, 0, 0x5c)
XP_OP(xp_add4, 0x57, 1, 0x00)
XP_OP(xp_add2, 0x57, 0, 0x00)
XP_OP(xp_sub4, 0x57, 1, 0x04)
XP_OP(xp_sub2, 0x57, 0, 0x04)
XP_OP(xp_min4, 0x57, 1, 0x10)
XP_OP(xp_min4u, 0x57, 1, 0x14)
XP_OP(xp_max4, 0x57, 1, 0x18)
XP_OP(xp_max4u, 0x57, 1, 0x1c)
XP_OP(xp_srl4, 0x57, 1, 0x20)
XP_OP(xp_min2, 0x57, 0, 0x10)
XP_OP(xp_max2, 0x57, 0, 0x18)
XP_OP(xp_pack2, 0x57, 0, 0x68)
XP_ACC(xp_packhi4, 0x57, 1, 0x6c)
XP_ACC(xp_packlo4, 0x57, 1, 0x70)
XP_ACC(xp_shuffle4, 0x57, 1, 0x64)

/* v limited to n bits with a sign, or to 0 .. 2^(n-1) - 1; n a constant. */
#define xp_clip(v, n)                                                         \
    ({ int32_t xp_d; __asm__(".insn r 0x33, 1, 0x0a, %0, %1, x" #n            \
                             : "=r"(xp_d) : "r"(v)); xp_d; })
#define xp_clipu(v, n)                                                        \
    ({ int32_t xp_d; __asm__(".insn r 0x33, 2, 0x0a, %0, %1, x" #n            \
                             : "=r"(xp_d) : "r"(v)); xp_d; })
XP_INLINE int32_t xp_load(const void *p)
{
    int32_t d;

    __asm__ volatile("lw %0, 0(%1)" : "=r"(d) : "r"(p) : "memory");
    return d;
}

/* Word at p, which then moves on by a constant number of bytes. */
#define xp_load_step(p, step)                                                 \
    ({ int32_t xp_d; __asm__ volatile(".insn i 0x0b, 2, %0, %1, " #step       \
                             : "=r"(xp_d), "+r"(p) : : "memory"); xp_d; })

/* Pieces of an asm block; l is the loop, n its instructions, rest operands. */
#define XP_BLOCK ".balign 4\n .option push\n .option norvc\n"
#define XP_BLOCK_END ".option pop\n"
#define XP_LOOP(l, count, n) ".insn i 0x7b, 4, x" #l ", " count ", 2*" #n "\n"
#define XP_LW_STEP(d, p, step) ".insn i 0x0b, 2, " d ", " p ", " #step "\n"
#define XP_SW_STEP(v, p, step) ".insn r 0x2b, 2, 0, x" #step ", " p ", " v "\n"
#define XP_SDOT4(d, a, b) ".insn r 0x57, 1, 0x5c, " d ", " a ", " b "\n"
#define XP_SDOT4US(d, a, b) ".insn r 0x57, 1, 0x54, " d ", " a ", " b "\n"

/* A function in assembly alone, which looks after registers and stack itself.
 * It is of its kernel, and the linker drops it where nothing calls it; global
 * and with the kernel's name, because files are as one where compilers optimize
 * while they link. */
#define XP_STRING(x) #x
#define XP_SYMBOL(name, fn) #name "_" XP_STRING(fn)
#define XP_FUNCTION(name, parameters, text)                                   \
    void name parameters __asm__(XP_SYMBOL(name, FN));                        \
    __asm__(".pushsection .text." #name ",\"ax\",@progbits\n .balign 2\n"      \
            ".globl " XP_SYMBOL(name, FN) "\n"                                \
            ".hidden " XP_SYMBOL(name, FN) "\n"                               \
            ".type " XP_SYMBOL(name, FN) ",@function\n"                       \
            XP_SYMBOL(name, FN) ":\n" text                                    \
            ".size " XP_SYMBOL(name, FN) ",.-" XP_SYMBOL(name, FN) "\n"       \
            ".popsection\n")

#endif
