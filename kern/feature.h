/* What the processor has, a macro each.  Here alone a compiler is asked. */
#ifndef FEATURE_H
#define FEATURE_H

/* DSP: Arm's products of packed halves.  MVE: Helium, of integers. */
#ifdef __ARM_FEATURE_DSP
#define DSP
#endif
#if defined __ARM_FEATURE_MVE && __ARM_FEATURE_MVE & 1
#define MVE
#endif

/* DUAL: a load begins beside a product, but not several by one instruction: a
 * Cortex-M7, which its floating point tells from an M4. */
#if defined DSP && !defined MVE && defined __ARM_FP && __ARM_FP & 8
#define DUAL
#endif

/* FPU: Arm's unit of single floats: an instruction loads several, or multiplies
 * and adds.  MAXIMUM: one has the greater of two. */
#if defined DSP && defined __ARM_FP && __ARM_FP & 4
#define FPU
#if __ARM_FP & 8 || defined MVE
#define MAXIMUM
#endif
#endif

/* XPULPV2: stock compilers do not say so; but for no other kind of RISC-V is a
 * kernel of kern/xpulp taken.  XP_PULP_GCC: the PULP compiler is gcc 7, with
 * builtins for these instructions and an assembler that knows no .insn. */
#ifdef __riscv
#define XPULPV2
#if defined __pulp__ && !defined __clang__
#define XP_PULP_GCC
#endif
#endif

#endif
