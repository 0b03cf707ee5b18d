/* XpulpV2 for compilers that know it, gcc of the PULP project, and that do not:
 * single instructions as functions, by builtins or through .insn.  Works with
 * plain riscv64-unknown-elf-gcc (-march=rv32imc -misa-spec=2.2 -mabi=ilp32);
 * the encodings are those of RI5CY, GAP8, GAP9 and Siracusa.
 *
 * A loop that must be fast is one asm block: XP_LOOP opens a hardware loop of
 * n instructions (3 or more, none of them compressed, no jumps).  The order
 * .balign 4 before .option norvc matters: under norvc gas believes that code
 * is aligned already. */
#ifndef XPULP_H
#define XPULP_H

#include <stdint.h>

/* XPULPV2: the instructions are there.  Stock compilers do not say so; but for
 * no other kind of RISC-V is a kernel of this folder taken. */
#ifdef __riscv
#define XPULPV2
#endif

#ifdef XPULPV2
#define XP_INLINE static inline __attribute__((always_inline))

/* The PULP compiler is gcc 7, and its assembler knows these instructions by
 * name and no .insn: a macro of that name makes words of those of the forms r
 * and i, the only ones in use. */
#if defined __pulp__ && !defined __clang__
#define XP_PULP_GCC
__asm__(".ifndef .Lxp_zero\n"
        ".set .Lxp_n, 0\n"
        ".irp r, zero, ra, sp, gp, tp, t0, t1, t2, s0, s1, a0, a1, a2, a3, a4,"
        " a5, a6, a7, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, t3, t4, t5,"
        " t6\n"
        ".set .Lxp_\\r, .Lxp_n\n .set .Lxp_n, .Lxp_n + 1\n .endr\n"
        ".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17,"
        " 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31\n"
        ".set .Lxp_x\\n, \\n\n .endr\n"
        ".macro .insn form, opcode, f3, a, b, c, d\n"
        ".ifc \\form, r\n"
        ".word \\opcode | (\\f3) << 12 | (\\a) << 25 | .Lxp_\\b << 7"
        " | .Lxp_\\c << 15 | .Lxp_\\d << 20\n"
        ".else\n"
        ".word \\opcode | (\\f3) << 12 | .Lxp_\\a << 7 | .Lxp_\\b << 15"
        " | ((\\c) & 0xfff) << 20\n"
        ".endif\n .endm\n .endif");
#endif

/* What blocks change besides their operands, the registers of hardware loops
 * too where the compiler makes such loops itself. */
#if defined XP_PULP_GCC && !defined XP_CLOBBERS
#define XP_CLOBBERS "memory", "lc0", "lc1"
#elif !defined XP_CLOBBERS
#define XP_CLOBBERS "memory"
#endif

/* d = op(a, b) and d = op(d, a, b) by opcode, funct3, funct7. */
#define XP_INSN2(name, opcode, f3, f7)                                       \
    XP_INLINE int32_t name(int32_t a, int32_t b)                             \
    {                                                                        \
        int32_t d;                                                           \
        __asm__(".insn r " #opcode ", " #f3 ", " #f7 ", %0, %1, %2"          \
                : "=r"(d) : "r"(a), "r"(b));                                 \
        return d;                                                            \
    }
#define XP_INSN3(name, opcode, f3, f7)                                       \
    XP_INLINE int32_t name(int32_t d, int32_t a, int32_t b)                  \
    {                                                                        \
        __asm__(".insn r " #opcode ", " #f3 ", " #f7 ", %0, %1, %2"          \
                : "+r"(d) : "r"(a), "r"(b));                                 \
        return d;                                                            \
    }

/* The same with the builtin that the PULP compiler has for it, which can be
 * moved and combined; XP_B and XP_H: vectors of bytes and halves. */
#ifdef XP_PULP_GCC
typedef signed char xp_bytes __attribute__((vector_size(4)));
typedef short xp_halves __attribute__((vector_size(4)));
#define XP_B(v) ((xp_bytes)(v))
#define XP_H(v) ((xp_halves)(v))
#define XP_OP(name, opcode, f3, f7, builtin)                                 \
    XP_INLINE int32_t name(int32_t a, int32_t b)                             \
    {                                                                        \
        return (int32_t)__builtin_pulp_##builtin;                            \
    }
#define XP_ACC(name, opcode, f3, f7, builtin)                                \
    XP_INLINE int32_t name(int32_t d, int32_t a, int32_t b)                  \
    {                                                                        \
        return (int32_t)__builtin_pulp_##builtin;                            \
    }
#else
#define XP_OP(name, opcode, f3, f7, builtin) XP_INSN2(name, opcode, f3, f7)
#define XP_ACC(name, opcode, f3, f7, builtin) XP_INSN3(name, opcode, f3, f7)
#endif

XP_OP(xp_min, 0x33, 4, 0x02, minsi(a, b))
XP_OP(xp_max, 0x33, 6, 0x02, maxsi(a, b))
XP_OP(xp_clipr, 0x33, 5, 0x0a, clip_r(a, b))
XP_OP(xp_clipur, 0x33, 6, 0x0a, clipu_r(a, b))
XP_ACC(xp_mac, 0x33, 0, 0x21, mac(a, b, d))
XP_ACC(xp_msu, 0x33, 1, 0x21, msu(a, b, d))
/* (d + a) >> b */
XP_ACC(xp_add_shift, 0x5b, 2, 0x20, addN_r(d, a, b))
/* bytes and halves: a dot product, and one added to a sum; u: unsigned,
 * us: a unsigned, b signed */
XP_OP(xp_dot4, 0x57, 1, 0x4c, dotsp4(XP_B(a), XP_B(b)))
XP_OP(xp_dot4u, 0x57, 1, 0x40, dotup4(XP_B(a), XP_B(b)))
XP_OP(xp_dot4us, 0x57, 1, 0x44, dotusp4(XP_B(a), XP_B(b)))
XP_OP(xp_dot2, 0x57, 0, 0x4c, dotsp2(XP_H(a), XP_H(b)))
XP_ACC(xp_sdot4, 0x57, 1, 0x5c, sdotsp4(XP_B(a), XP_B(b), d))
XP_ACC(xp_sdot4u, 0x57, 1, 0x50, sdotup4(XP_B(a), XP_B(b), d))
XP_ACC(xp_sdot4us, 0x57, 1, 0x54, sdotusp4(XP_B(a), XP_B(b), d))
XP_ACC(xp_sdot2, 0x57, 0, 0x5c, sdotsp2(XP_H(a), XP_H(b), d))
XP_OP(xp_add4, 0x57, 1, 0x00, add4(XP_B(a), XP_B(b)))
XP_OP(xp_add2, 0x57, 0, 0x00, add2(XP_H(a), XP_H(b)))
XP_OP(xp_sub4, 0x57, 1, 0x04, sub4(XP_B(a), XP_B(b)))
XP_OP(xp_sub2, 0x57, 0, 0x04, sub2(XP_H(a), XP_H(b)))
XP_OP(xp_min4, 0x57, 1, 0x10, min4(XP_B(a), XP_B(b)))
XP_OP(xp_min4u, 0x57, 1, 0x14, minu4(XP_B(a), XP_B(b)))
XP_OP(xp_max4, 0x57, 1, 0x18, max4(XP_B(a), XP_B(b)))
XP_OP(xp_max4u, 0x57, 1, 0x1c, maxu4(XP_B(a), XP_B(b)))
XP_OP(xp_min2, 0x57, 0, 0x10, min2(XP_H(a), XP_H(b)))
XP_OP(xp_max2, 0x57, 0, 0x18, max2(XP_H(a), XP_H(b)))
XP_OP(xp_pack2, 0x57, 0, 0x68, pack2((short)b, (short)a))
XP_ACC(xp_packlo4, 0x57, 1, 0x70,
       pack4_lo((signed char)b, (signed char)a, XP_B(d)))
XP_ACC(xp_shuffle4, 0x57, 1, 0x64, shuffle4b(XP_B(d), XP_B(a), XP_B(b)))
/* Without builtins that mean the same: shifts of 8 and more are modulo 8 here,
 * and pack4_hi is pack4_lo. */
XP_INSN2(xp_srl4, 0x57, 1, 0x20)
XP_INSN3(xp_packhi4, 0x57, 1, 0x6c)

/* The place of the highest bit that is set, 32 if none is. */
#ifdef XP_PULP_GCC
#define xp_fl1(v) ((int32_t)__builtin_pulp_fl1(v))
#else
XP_INLINE int32_t xp_fl1(int32_t a)
{
    int32_t d;

    __asm__(".insn r 0x33, 1, 0x08, %0, %1, x0" : "=r"(d) : "r"(a));
    return d;
}
#endif

/* v limited to n bits with a sign, or to 0 .. 2^(n-1) - 1; n a constant. */
#ifdef XP_PULP_GCC
#define xp_clip(v, n)                                                        \
    __builtin_pulp_clip(v, -(1 << ((n) - 1)), (1 << ((n) - 1)) - 1)
#define xp_clipu(v, n) __builtin_pulp_clipu(v, 0, (1 << ((n) - 1)) - 1)
#else
#define xp_clip(v, n)                                                        \
    ({ int32_t xp_d; __asm__(".insn r 0x33, 1, 0x0a, %0, %1, x" #n           \
                             : "=r"(xp_d) : "r"(v)); xp_d; })
#define xp_clipu(v, n)                                                       \
    ({ int32_t xp_d; __asm__(".insn r 0x33, 2, 0x0a, %0, %1, x" #n           \
                             : "=r"(xp_d) : "r"(v)); xp_d; })
#endif

XP_INLINE int32_t xp_load(const void *p)
{
    int32_t d;

    __asm__ volatile("lw %0, 0(%1)" : "=r"(d) : "r"(p) : "memory");
    return d;
}

/* Word at p, which then moves on by a constant number of bytes. */
#define xp_load_step(p, step)                                                \
    ({ int32_t xp_d; __asm__ volatile(".insn i 0x0b, 2, %0, %1, " #step      \
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
#define XP_FUNCTION(name, parameters, text)                                  \
    void name parameters __asm__(XP_SYMBOL(name, FN));                       \
    __asm__(".pushsection .text." #name ",\"ax\",@progbits\n .balign 2\n"    \
            ".globl " XP_SYMBOL(name, FN) "\n"                               \
            ".hidden " XP_SYMBOL(name, FN) "\n"                              \
            ".type " XP_SYMBOL(name, FN) ",@function\n"                      \
            XP_SYMBOL(name, FN) ":\n" text                                   \
            ".size " XP_SYMBOL(name, FN) ",.-" XP_SYMBOL(name, FN) "\n"      \
            ".popsection\n")

#endif
#endif
