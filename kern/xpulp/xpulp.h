/* XpulpV2 for compilers that know it, gcc of the PULP project, and that do not:
 * single instructions as functions, by builtins or by name (insn.h).  Works
 * with plain riscv64-unknown-elf-gcc (-march=rv32imc -misa-spec=2.2
 * -mabi=ilp32); the encodings are those of RI5CY, GAP8, GAP9 and Siracusa.
 *
 * A loop that must be fast is one asm block: xlp.setup opens a hardware loop of
 * k instructions (3 or more, none of them compressed, no jumps).  The order
 * .balign 4 before .option norvc matters: under norvc gas believes that code
 * is aligned already. */
#ifndef XPULP_H
#define XPULP_H

#include <stddef.h>
#include <stdint.h>
#include "kern/feature.h"

#ifdef XPULPV2
#define XP_INLINE static inline __attribute__((always_inline))

#include "kern/insn.h"

/* d = op(a, b) and d = op(d, a, b). */
#define XP_INSN2(name, insn)                                                 \
    XP_INLINE int32_t name(int32_t a, int32_t b)                             \
    {                                                                        \
        int32_t d;                                                           \
        __asm__(insn " %0, %1, %2" : "=r"(d) : "r"(a), "r"(b));              \
        return d;                                                            \
    }
#define XP_INSN3(name, insn)                                                 \
    XP_INLINE int32_t name(int32_t d, int32_t a, int32_t b)                  \
    {                                                                        \
        __asm__(insn " %0, %1, %2" : "+r"(d) : "r"(a), "r"(b));              \
        return d;                                                            \
    }

/* The same with the builtin that the PULP compiler has for it, which can be
 * moved and combined; XP_B and XP_H: vectors of bytes and halves. */
#ifdef XP_PULP_GCC
typedef signed char xp_bytes __attribute__((vector_size(4)));
typedef short xp_halves __attribute__((vector_size(4)));
#define XP_B(v) ((xp_bytes)(v))
#define XP_H(v) ((xp_halves)(v))
#define XP_OP(name, insn, builtin)                                           \
    XP_INLINE int32_t name(int32_t a, int32_t b)                             \
    {                                                                        \
        return (int32_t)__builtin_pulp_##builtin;                            \
    }
#define XP_ACC(name, insn, builtin)                                          \
    XP_INLINE int32_t name(int32_t d, int32_t a, int32_t b)                  \
    {                                                                        \
        return (int32_t)__builtin_pulp_##builtin;                            \
    }
#else
#define XP_OP(name, insn, builtin) XP_INSN2(name, insn)
#define XP_ACC(name, insn, builtin) XP_INSN3(name, insn)
#endif

XP_OP(xp_min, "xp.min", minsi(a, b))
XP_OP(xp_max, "xp.max", maxsi(a, b))
XP_OP(xp_clipr, "xp.clipr", clip_r(a, b))
XP_OP(xp_clipur, "xp.clipur", clipu_r(a, b))
XP_ACC(xp_mac, "xp.mac", mac(a, b, d))
XP_ACC(xp_msu, "xp.msu", msu(a, b, d))
/* (d + a) >> b */
XP_ACC(xp_add_shift, "xp.addnr", addN_r(d, a, b))
/* bytes and halves: a dot product, and one added to a sum; u: unsigned,
 * us: a unsigned, b signed */
XP_OP(xp_dot4, "xpv.dotsp.b", dotsp4(XP_B(a), XP_B(b)))
XP_OP(xp_dot4u, "xpv.dotup.b", dotup4(XP_B(a), XP_B(b)))
XP_OP(xp_dot4us, "xpv.dotusp.b", dotusp4(XP_B(a), XP_B(b)))
XP_OP(xp_dot2, "xpv.dotsp.h", dotsp2(XP_H(a), XP_H(b)))
XP_ACC(xp_sdot4, "xpv.sdotsp.b", sdotsp4(XP_B(a), XP_B(b), d))
XP_ACC(xp_sdot4u, "xpv.sdotup.b", sdotup4(XP_B(a), XP_B(b), d))
XP_ACC(xp_sdot4us, "xpv.sdotusp.b", sdotusp4(XP_B(a), XP_B(b), d))
XP_ACC(xp_sdot2, "xpv.sdotsp.h", sdotsp2(XP_H(a), XP_H(b), d))
XP_OP(xp_add4, "xpv.add.b", add4(XP_B(a), XP_B(b)))
XP_OP(xp_add2, "xpv.add.h", add2(XP_H(a), XP_H(b)))
XP_OP(xp_sub4, "xpv.sub.b", sub4(XP_B(a), XP_B(b)))
XP_OP(xp_sub2, "xpv.sub.h", sub2(XP_H(a), XP_H(b)))
XP_OP(xp_min4, "xpv.min.b", min4(XP_B(a), XP_B(b)))
XP_OP(xp_min4u, "xpv.minu.b", minu4(XP_B(a), XP_B(b)))
XP_OP(xp_max4, "xpv.max.b", max4(XP_B(a), XP_B(b)))
XP_OP(xp_max4u, "xpv.maxu.b", maxu4(XP_B(a), XP_B(b)))
XP_OP(xp_min2, "xpv.min.h", min2(XP_H(a), XP_H(b)))
XP_OP(xp_max2, "xpv.max.h", max2(XP_H(a), XP_H(b)))
XP_OP(xp_pack2, "xpv.pack", pack2((short)b, (short)a))
XP_ACC(xp_packlo4, "xpv.packlo.b",
       pack4_lo((signed char)b, (signed char)a, XP_B(d)))
XP_ACC(xp_shuffle4, "xpv.shuffle2.b", shuffle4b(XP_B(d), XP_B(a), XP_B(b)))
/* Without builtins that mean the same: shifts of 8 and more are modulo 8 here,
 * and pack4_hi is pack4_lo. */
XP_INSN2(xp_srl4, "xpv.srl.b")
XP_INSN3(xp_packhi4, "xpv.packhi.b")

/* The place of the highest bit that is set, 32 if none is. */
#ifdef XP_PULP_GCC
#define xp_fl1(v) ((int32_t)__builtin_pulp_fl1(v))
#else
XP_INLINE int32_t xp_fl1(int32_t a)
{
    int32_t d;

    __asm__("xp.fl1 %0, %1" : "=r"(d) : "r"(a));
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
    ({ int32_t xp_d; __asm__("xp.clip %0, %1, " #n : "=r"(xp_d) : "r"(v));   \
       xp_d; })
#define xp_clipu(v, n)                                                       \
    ({ int32_t xp_d; __asm__("xp.clipu %0, %1, " #n : "=r"(xp_d) : "r"(v));  \
       xp_d; })
#endif

/* The low byte of a in all four. */
XP_INLINE int32_t xp_each4(int32_t a)
{
    int32_t d;

    __asm__("xpv.add.sc.b %0, zero, %1" : "=r"(d) : "r"(a));
    return d;
}

XP_INLINE int32_t xp_load(const void *p)
{
    int32_t d;

    __asm__ volatile("lw %0, 0(%1)" : "=r"(d) : "r"(p) : "memory");
    return d;
}

/* Word at p, which then moves on by a constant number of bytes. */
#define xp_load_step(p, step)                                                \
    ({ int32_t xp_d; __asm__ volatile("xp.lw.post %0, %1, " #step            \
                             : "=r"(xp_d), "+r"(p) : : "memory"); xp_d; })

/* What assembly takes for granted, checked by the compiler. */
#define XP_CHECK(holds, what) __extension__ _Static_assert(holds, what)
#define XP_MEMBER(type, name, at)                                            \
    XP_CHECK(offsetof(type, name) == (at), #name " has another place")

/* The registers that a function gives back as they were, from `at` on. */
#define XP_SAVED(op, at)                                                     \
    op " ra, " at "(sp)\n " op " s0, " at " + 4(sp)\n"                       \
    op " s1, " at " + 8(sp)\n " op " s2, " at " + 12(sp)\n"                  \
    op " s3, " at " + 16(sp)\n " op " s4, " at " + 20(sp)\n"                 \
    op " s5, " at " + 24(sp)\n " op " s6, " at " + 28(sp)\n"                 \
    op " s7, " at " + 32(sp)\n " op " s8, " at " + 36(sp)\n"                 \
    op " s9, " at " + 40(sp)\n " op " s10, " at " + 44(sp)\n"                \
    op " s11, " at " + 48(sp)\n"

/* A function in assembly alone, which looks after registers and stack itself.
 * It is of its kernel, and the linker drops it where nothing calls it; global
 * and named after the kernel, because files are as one where compilers optimize
 * while they link. */
#define XP_STRING(x) #x
#define XP_SYMBOL(name, fn) XP_STRING(fn) "_" #name
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
