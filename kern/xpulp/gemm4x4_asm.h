/* gemm_row() by hand, for bias and mul of 32 bits and results of bytes: what a
 * compiler makes of it takes half as long again, and the loop over channels
 * must fit in a core's 512 bytes of instructions.
 *
 * All registers but one are taken: v0 .. v15 are s0 s1 a4 a5 s2 .. s11 a6 a7;
 * a0 and a1 x and w, a2 a3 t0 one, two, three steps, ra the channel, t1 .. t6
 * words.  The rest lies at sp, in order: x, words, bias and its step, mul and
 * its step, add and its step, shift, lo, hi, the last channel, four y; and from
 * 116 on rows of taps and the way from one to the next. */
#ifndef GEMM4X4_ASM_H
#define GEMM4X4_ASM_H

/* Sections lie in the order in which they are named first, and assembly comes
 * before all functions: the slow way should not lie between what is called. */
__asm__(".pushsection .text.gemm_plain,\"ax\",@progbits\n .popsection");

#define GA_MV4(a, b, c, d)                                                   \
    "mv " a ", s0\n mv " b ", s1\n mv " c ", a4\n mv " d ", a5\n"

#define GA_SAVE                                                              \
    "addi sp, sp, -128\n"                                                    \
    "sw ra, 64(sp)\n sw s0, 68(sp)\n sw s1, 72(sp)\n sw s2, 76(sp)\n"        \
    "sw s3, 80(sp)\n sw s4, 84(sp)\n sw s5, 88(sp)\n sw s6, 92(sp)\n"        \
    "sw s7, 96(sp)\n sw s8, 100(sp)\n sw s9, 104(sp)\n sw s10, 108(sp)\n"    \
    "sw s11, 112(sp)\n"
#define GA_RESTORE                                                           \
    "lw ra, 64(sp)\n lw s0, 68(sp)\n lw s1, 72(sp)\n lw s2, 76(sp)\n"        \
    "lw s3, 80(sp)\n lw s4, 84(sp)\n lw s5, 88(sp)\n lw s6, 92(sp)\n"        \
    "lw s7, 96(sp)\n lw s8, 100(sp)\n lw s9, 104(sp)\n lw s10, 108(sp)\n"    \
    "lw s11, 112(sp)\n addi sp, sp, 128\n ret\n"

/* An operand of the epilogue: its pointer and its step to sp. */
#define GA_FOLLOW(from, next, at)                                            \
    "lw t1, " #from "(a0)\n lw t2, " #next "(a0)\n"                          \
    "sw t2, " #at "+4(sp)\n mul t2, t2, a2\n srai t2, t2, 2\n"               \
    "add t1, t1, t2\n sw t1, " #at "(sp)\n"

/* a0 .. a4: struct gemm, x, first channel, fours of channels, y. */
#define GA_ENTER                                                             \
    GA_SAVE                                                                  \
    "lw t1, 16(a0)\n lw t3, 36(a0)\n lw t4, 40(a0)\n lw t5, 44(a0)\n"        \
    "sw a1, 0(sp)\n sw t1, 4(sp)\n sw t3, 32(sp)\n sw t4, 36(sp)\n"          \
    "sw t5, 40(sp)\n" GA_FOLLOW(4, 24, 8) GA_FOLLOW(8, 28, 16)               \
    GA_FOLLOW(12, 32, 24)                                                    \
    "lw t1, 0(a4)\n lw t2, 4(a4)\n lw t3, 8(a4)\n lw t4, 12(a4)\n"           \
    "sw t1, 48(sp)\n sw t2, 52(sp)\n sw t3, 56(sp)\n sw t4, 60(sp)\n"        \
    "mv ra, a2\n lw a1, 0(a0)\n lw t1, 20(a0)\n mul t2, t1, a2\n"            \
    "add a1, a1, t2\n"

/* One, two, three steps: those of w are those of x, or not. */
#define GA_FLAT_STEPS "mv a2, t1\n" GA_STEPS
#define GA_TAPS_STEPS                                                        \
    "lw a2, 56(a0)\n lw t1, 60(a0)\n lw t2, 64(a0)\n"                        \
    "sw t1, 116(sp)\n sw t2, 120(sp)\n" GA_STEPS
#define GA_SIDE_STEPS "lw t2, 64(a0)\n sw t2, 120(sp)\n" GA_FLAT_STEPS
#define GA_STEPS "slli a3, a2, 1\n add t0, a3, a2\n"

#define GA_START                                                             \
    "lw a0, 8(sp)\n lw t1, 12(sp)\n"                                         \
    "lw s0, 0(a0)\n lw s1, 4(a0)\n lw a4, 8(a0)\n lw a5, 12(a0)\n"           \
    "add a0, a0, t1\n sw a0, 8(sp)\n"                                        \
    GA_MV4("s2", "s3", "s4", "s5") GA_MV4("s6", "s7", "s8", "s9")            \
    GA_MV4("s10", "s11", "a6", "a7") "lw a0, 0(sp)\n lw t1, 4(sp)\n"

/* The word of row 1, 2, 3 or 0 of four at p: rows apart, or side by side.  Row
 * 0 takes p to the next words. */
#define GA_APART_0(d, p) XP_LW_STEP(d, p, 4)
#define GA_APART_1(d, p) BLOCK_LW_FAR(d, "a2", p)
#define GA_APART_2(d, p) BLOCK_LW_FAR(d, "a3", p)
#define GA_APART_3(d, p) BLOCK_LW_FAR(d, "t0", p)
#define GA_BESIDE_0(d, p) XP_LW_STEP(d, p, 16)
#define GA_BESIDE_1(d, p) "lw " d ", 4(" p ")\n"
#define GA_BESIDE_2(d, p) "lw " d ", 8(" p ")\n"
#define GA_BESIDE_3(d, p) "lw " d ", 12(" p ")\n"

/* No load comes right behind another: where rows are all banks of the memory
 * apart, the words of a step lie in one or two banks, and cores that come there
 * together pass in turn, a cycle apart, instead of meeting at every word.  So
 * the words of the rows 1 are loaded a step ahead, in the end for nothing: they
 * are those of the rows 2. */
#define GA_DOTS(DOT, X)                                                      \
    X##_1("t3", "a0") GA_APART_1("t4", "a1")                                 \
    XP_BLOCK XP_LOOP(0, "t1", 24)                                            \
    X##_2("t5", "a0") DOT("s3", "t3", "t4")                                  \
    X##_3("t6", "a0") DOT("s7", "t5", "t4")                                  \
    X##_0("t1", "a0") DOT("s11", "t6", "t4")                                 \
    GA_APART_2("t2", "a1") DOT("s1", "t1", "t4") DOT("s4", "t3", "t2")       \
    GA_APART_3("t4", "a1") DOT("s8", "t5", "t2") DOT("a6", "t6", "t2")       \
    DOT("a4", "t1", "t2")                                                    \
    GA_APART_0("t2", "a1") DOT("s5", "t3", "t4") DOT("s2", "t3", "t2")       \
    X##_1("t3", "a0") DOT("s9", "t5", "t4") DOT("a7", "t6", "t4")            \
    DOT("a5", "t1", "t4")                                                    \
    GA_APART_1("t4", "a1") DOT("s6", "t5", "t2") DOT("s10", "t6", "t2")      \
    DOT("s0", "t1", "t2") XP_BLOCK_END

#define GA_FLAT_PRODUCTS(DOT) GA_DOTS(DOT, GA_APART)
#define GA_FLAT_NEXT_W "add a1, a1, t0\n"
#define GA_FLAT_NEXT_X "lw t1, 24(sp)\n add a0, a0, t0\n sw a0, 0(sp)\n"

/* The same of four pixels whose words lie side by side. */
#define GA_SIDE_PRODUCTS(DOT) GA_DOTS(DOT, GA_BESIDE)
#define GA_SIDE_NEXT_W "lw t1, 120(sp)\n add a1, a1, t1\n"

/* The same by rows of taps, words of four channels side by side. */
#define GA_TAPS_PRODUCTS(DOT)                                                \
    "lw t2, 116(sp)\n"                                                       \
    XP_BLOCK XP_LOOP(1, "t2", 28) "lw t1, 4(sp)\n" XP_LOOP(0, "t1", 24)      \
    BLOCK_LW_FAR("t4", "a2", "a0") BLOCK_LW_FAR("t5", "a3", "a0")            \
    BLOCK_LW_FAR("t6", "t0", "a0") XP_LW_STEP("t3", "a0", 4)                 \
    XP_LW_STEP("t1", "a1", 4) XP_LW_STEP("t2", "a1", 4)                      \
    DOT("s0", "t3", "t1") DOT("s2", "t4", "t1")                              \
    DOT("s6", "t5", "t1") DOT("s10", "t6", "t1")                             \
    XP_LW_STEP("t1", "a1", 4)                                                \
    DOT("s1", "t3", "t2") DOT("s3", "t4", "t2")                              \
    DOT("s7", "t5", "t2") DOT("s11", "t6", "t2")                             \
    XP_LW_STEP("t2", "a1", 4)                                                \
    DOT("a4", "t3", "t1") DOT("s4", "t4", "t1")                              \
    DOT("s8", "t5", "t1") DOT("a6", "t6", "t1")                              \
    DOT("a5", "t3", "t2") DOT("s5", "t4", "t2")                              \
    DOT("s9", "t5", "t2") DOT("a7", "t6", "t2")                              \
    "lw t1, 120(sp)\n add a0, a0, t1\n" XP_BLOCK_END
#define GA_TAPS_NEXT_X                                                       \
    "lw a0, 0(sp)\n lw a1, 20(sp)\n lw t1, 24(sp)\n add a0, a0, a1\n"        \
    "sw a0, 0(sp)\n"

#define GA_CLIP_S(v) ".insn r 0x33, 1, 0x0a, " v ", " v ", x8\n"
#define GA_CLIP_U(v) ".insn r 0x33, 2, 0x0a, " v ", " v ", x9\n"

/* Channel j of four pixels, in 32 bits. */
#define GA_MUL(v) "mul " v ", " v ", t3\n"
#define GA_ADD_SHIFT(v) ".insn r 0x5b, 2, 0x20, " v ", t4, t2\n"
#define GA_SCALE32(j, a, b, c, d, CLIP)                                      \
    "lw t3, 4*" #j "(a0)\n lw t4, 4*" #j "(t1)\n"                            \
    GA_MUL(a) GA_MUL(b) GA_MUL(c) GA_MUL(d)                                  \
    GA_ADD_SHIFT(a) GA_ADD_SHIFT(b) GA_ADD_SHIFT(c) GA_ADD_SHIFT(d)          \
    CLIP(a) CLIP(b) CLIP(c) CLIP(d)

/* The same by the upper half of 64 bits, for shifts of 32 and more: t4 and t5
 * the upper half of add and the complement of the lower, by its type. */
#define GA_ADD_S32(j) "lw t5, 4*" #j "(t1)\n srai t4, t5, 31\n not t5, t5\n"
#define GA_ADD_S64(j)                                                        \
    "lw t5, 8*" #j "(t1)\n lw t4, 8*" #j "+4(t1)\n not t5, t5\n"
#define GA_HIGH(v, CLIP)                                                     \
    "mul t6, " v ", t3\n mulh " v ", " v ", t3\n sltu t6, t5, t6\n"          \
    "add " v ", " v ", t4\n add " v ", " v ", t6\n"                          \
    "sra " v ", " v ", t2\n" CLIP(v)
#define GA_LONG(j, a, b, c, d, CLIP, ADD)                                    \
    "lw t3, 4*" #j "(a0)\n" ADD(j) GA_HIGH(a, CLIP) GA_HIGH(b, CLIP)         \
    GA_HIGH(c, CLIP) GA_HIGH(d, CLIP)
#define GA_LONG32(j, a, b, c, d, CLIP)                                       \
    GA_LONG(j, a, b, c, d, CLIP, GA_ADD_S32)
#define GA_LONG64(j, a, b, c, d, CLIP)                                       \
    GA_LONG(j, a, b, c, d, CLIP, GA_ADD_S64)

/* For lesser shifts: mul and add shifted up to make it 32; t2: shift - 32. */
#define GA_TOP(v, CLIP)                                                      \
    "mul t6, " v ", t3\n mulh " v ", " v ", t3\n sltu t6, t5, t6\n"          \
    "add " v ", " v ", t4\n add " v ", " v ", t6\n" CLIP(v)
#define GA_UP32(j, a, b, c, d, CLIP)                                         \
    "lw t3, 4*" #j "(a0)\n lw t5, 4*" #j "(t1)\n neg t6, t2\n"               \
    "sll t3, t3, t6\n sra t4, t5, t2\n sll t5, t5, t6\n not t5, t5\n"        \
    GA_TOP(a, CLIP) GA_TOP(b, CLIP) GA_TOP(c, CLIP) GA_TOP(d, CLIP)

/* And where the lower halves of add are 0, so that nothing is carried. */
#define GA_UPPER(v, CLIP)                                                    \
    "mulh " v ", " v ", t3\n add " v ", " v ", t4\n"                         \
    "sra " v ", " v ", t2\n" CLIP(v)
#define GA_EVEN(j, a, b, c, d, CLIP)                                         \
    "lw t3, 4*" #j "(a0)\n lw t4, 8*" #j "+4(t1)\n" GA_UPPER(a, CLIP)        \
    GA_UPPER(b, CLIP) GA_UPPER(c, CLIP) GA_UPPER(d, CLIP)

#define GA_SCALE(CHANNEL, CLIP)                                              \
    "lw a0, 16(sp)\n lw t1, 24(sp)\n lw t2, 32(sp)\n"                        \
    CHANNEL(0, "s0", "s2", "s6", "s10", CLIP)                                \
    CHANNEL(1, "s1", "s3", "s7", "s11", CLIP)                                \
    CHANNEL(2, "a4", "s4", "s8", "a6", CLIP)                                 \
    CHANNEL(3, "a5", "s5", "s9", "a7", CLIP)                                 \
    "lw t3, 20(sp)\n lw t4, 28(sp)\n add a0, a0, t3\n add t1, t1, t4\n"      \
    "sw a0, 16(sp)\n sw t1, 24(sp)\n"

/* A pixel's four bytes to a word, within lo and hi; f: 0x04 if unsigned. */
#define GA_WORD(a, b, c, d, f)                                               \
    ".insn r 0x57, 1, 0x70, " a ", " b ", " a "\n"                           \
    ".insn r 0x57, 1, 0x6c, " a ", " d ", " c "\n"                           \
    ".insn r 0x57, 1, 0x18 + " #f ", " a ", " a ", t1\n"                     \
    ".insn r 0x57, 1, 0x10 + " #f ", " a ", " a ", t2\n"
#define GA_STORE(v, y) ".insn r 0x23, 6, 0, ra, " y ", " v "\n"

#define GA_FINISH(f)                                                         \
    "lw t1, 36(sp)\n lw t2, 40(sp)\n lw t3, 48(sp)\n lw t4, 52(sp)\n"        \
    "lw t5, 56(sp)\n lw t6, 60(sp)\n"                                        \
    GA_WORD("s0", "s1", "a4", "a5", f) GA_WORD("s2", "s3", "s4", "s5", f)    \
    GA_WORD("s6", "s7", "s8", "s9", f) GA_WORD("s10", "s11", "a6", "a7", f)  \
    GA_STORE("s0", "t3") GA_STORE("s2", "t4") GA_STORE("s6", "t5")           \
    GA_STORE("s10", "t6")

#define GEMM_PARAMETERS                                                      \
    (const struct gemm *t, const LEFT *x, int32_t at, int32_t count,         \
     Y *const y[4])

/* WAY: GA_FLAT or GA_SIDE; `from`: what is taken off the shift. */
#define GEMM_ROW(name, WAY, DOT, CHANNEL, CLIP, f, from)                     \
    XP_FUNCTION(name, GEMM_PARAMETERS, GA_ENTER                              \
                "slli a3, a3, 2\n add a3, a3, a2\n sw a3, 44(sp)\n"          \
                WAY##_STEPS                                                  \
                "lw t1, 32(sp)\n addi t1, t1, -" #from "\n sw t1, 32(sp)\n"  \
                ".balign 16\n1:\n" GA_START WAY##_PRODUCTS(DOT) WAY##_NEXT_W \
                GA_SCALE(CHANNEL, CLIP) GA_FINISH(f)                         \
                "lw t1, 44(sp)\n addi ra, ra, 4\n bne ra, t1, 1b\n"          \
                GA_RESTORE);
#define GEMM_ROWS(name, WAY, CHANNEL, CLIP, f, from)                         \
    GEMM_ROW(name##_ss, WAY, BLOCK_SP, CHANNEL, CLIP, f, from)               \
    GEMM_ROW(name##_uu, WAY, BLOCK_UP, CHANNEL, CLIP, f, from)               \
    GEMM_ROW(name##_us, WAY, BLOCK_USP, CHANNEL, CLIP, f, from)              \
    GEMM_ROW(name##_su, WAY, BLOCK_SUP, CHANNEL, CLIP, f, from)
#define GEMM_SIGNS(name, WAY, CHANNEL, from)                                 \
    GEMM_ROWS(name##_s, WAY, CHANNEL, GA_CLIP_S, 0, from)                    \
    GEMM_ROWS(name##_u, WAY, CHANNEL, GA_CLIP_U, 0x04, from)                 \
    static inline void name(const struct gemm *t, const LEFT *x, int32_t at, \
                            int32_t count, Y *const y[4])                    \
    {                                                                        \
        if (BLOCK_SIGNED(Y))                                                 \
            BLOCK_BY_SIGN(name##_s, t, x, at, count, y);                     \
        else                                                                 \
            BLOCK_BY_SIGN(name##_u, t, x, at, count, y);                     \
    }
#define GEMM_KIND(name, CHANNEL, from)                                       \
    GEMM_SIGNS(name##_flat, GA_FLAT, CHANNEL, from)                          \
    GEMM_SIGNS(name##_side, GA_SIDE, CHANNEL, from)                          \
    static inline void name(const struct gemm *t, const LEFT *x, int32_t at, \
                            int32_t count, Y *const y[4])                    \
    {                                                                        \
        if (GEMM_SIDES && t->side)                                           \
            name##_side(t, x, at, count, y);                                 \
        else                                                                 \
            name##_flat(t, x, at, count, y);                                 \
    }

GEMM_KIND(gemm_scale32, GA_SCALE32, 0)
GEMM_KIND(gemm_long32, GA_LONG32, 32)
GEMM_KIND(gemm_up32, GA_UP32, 32)
GEMM_KIND(gemm_long64, GA_LONG64, 32)
GEMM_KIND(gemm_even64, GA_EVEN, 32)

/* The other way through: `count` times four pixels, four channels.  At sp lie w
 * and the steps of x and y instead of those of operands of the epilogue, which
 * stay; t5 is the upper bound, and the lower one 0, or as far from 0. */
#define GA_LINE_ENTER                                                        \
    GA_ENTER "lw t3, 68(a0)\n lw t4, 72(a0)\n mul a3, a3, t4\n"              \
    "add a3, a3, a2\n sw a3, 44(sp)\n sw a1, 12(sp)\n sw t3, 20(sp)\n"       \
    "sw t4, 28(sp)\n"
#define GA_LINE_START                                                        \
    "lw a0, 8(sp)\n lw a1, 12(sp)\n"                                         \
    "lw s0, 0(a0)\n lw s1, 4(a0)\n lw a4, 8(a0)\n lw a5, 12(a0)\n"           \
    "lw a0, 0(sp)\n"                                                         \
    GA_MV4("s2", "s3", "s4", "s5") "lw t1, 4(sp)\n"                          \
    GA_MV4("s6", "s7", "s8", "s9") GA_MV4("s10", "s11", "a6", "a7")
#define GA_LINE_BYTES(a, b, c, d)                                            \
    ".insn r 0x57, 1, 0x70, " a ", " b ", " a "\n"                           \
    ".insn r 0x57, 1, 0x6c, " a ", " d ", " c "\n"
#define GA_LINE_FINISH                                                       \
    "lw t3, 48(sp)\n lw t4, 52(sp)\n lw t5, 56(sp)\n lw t6, 60(sp)\n"        \
    "lw t1, 28(sp)\n lw t2, 44(sp)\n"                                        \
    GA_LINE_BYTES("s0", "s1", "a4", "a5")                                    \
    GA_LINE_BYTES("s2", "s3", "s4", "s5")                                    \
    GA_LINE_BYTES("s6", "s7", "s8", "s9")                                    \
    GA_LINE_BYTES("s10", "s11", "a6", "a7")                                  \
    GA_STORE("s0", "t3") GA_STORE("s2", "t4") GA_STORE("s6", "t5")           \
    GA_STORE("s10", "t6")

#define GA_CLIP_R(v) ".insn r 0x33, 5, 0x0a, " v ", " v ", t5\n"
#define GA_CLIP_UR(v) ".insn r 0x33, 6, 0x0a, " v ", " v ", t5\n"
#define GEMM_LINE(name, WAY, DOT, CLIP)                                      \
    XP_FUNCTION(name, GEMM_PARAMETERS, GA_LINE_ENTER WAY##_STEPS             \
                ".balign 16\n1:\n" GA_LINE_START WAY##_PRODUCTS(DOT)         \
                WAY##_NEXT_X "lw a0, 16(sp)\n lw t2, 32(sp)\n"               \
                "lw t5, 40(sp)\n"                                            \
                GA_SCALE32(0, "s0", "s2", "s6", "s10", CLIP)                 \
                GA_SCALE32(1, "s1", "s3", "s7", "s11", CLIP)                 \
                GA_SCALE32(2, "a4", "s4", "s8", "a6", CLIP)                  \
                GA_SCALE32(3, "a5", "s5", "s9", "a7", CLIP) GA_LINE_FINISH   \
                "add ra, ra, t1\n bne ra, t2, 1b\n" GA_RESTORE);
#define GEMM_LINES(name, WAY, CLIP)                                          \
    GEMM_LINE(name##_ss, WAY, BLOCK_SP, CLIP)                                \
    GEMM_LINE(name##_uu, WAY, BLOCK_UP, CLIP)                                \
    GEMM_LINE(name##_us, WAY, BLOCK_USP, CLIP)                               \
    GEMM_LINE(name##_su, WAY, BLOCK_SUP, CLIP)
#define GEMM_WAY(name, WAY)                                                  \
    GEMM_LINES(name##_r, WAY, GA_CLIP_R)                                     \
    GEMM_LINES(name##_ur, WAY, GA_CLIP_UR)                                   \
    static inline void name(const struct gemm *t, const LEFT *x, int32_t at, \
                            int32_t count, Y *const y[4])                    \
    {                                                                        \
        if (!BLOCK_SIGNED(Y) || t->lo == 0)                                  \
            BLOCK_BY_SIGN(name##_ur, t, x, at, count, y);                    \
        else                                                                 \
            BLOCK_BY_SIGN(name##_r, t, x, at, count, y);                     \
    }

GEMM_WAY(gemm_flat, GA_FLAT)
GEMM_WAY(gemm_taps, GA_TAPS)

#endif
