/* quad_row() by hand, for bias and mul of 32 bits and results of bytes: what a
 * compiler makes of it takes half as long again, and the loop over channels
 * must fit in a core's 512 bytes of instructions.
 *
 * All registers but one are taken: v0 .. v15 are s0 s1 a4 a5 s2 .. s11 a6 a7;
 * a0 and a1 x and w, a2 a3 t0 one, two, three steps, ra the channel, t1 .. t6
 * words.  The rest lies at sp, in order: x, words, bias and its step, mul and
 * its step, add and its step, shift, lo, hi, the last channel, four y; and from
 * 116 on rows of taps and the way from one to the next. */
#ifndef QUAD_ASM_H
#define QUAD_ASM_H

/* Sections lie in the order in which they are named first, and assembly comes
 * before all functions: the slow way should not lie between what is called. */
__asm__(".pushsection .text.quad_plain,\"ax\",@progbits\n .popsection");

#define QA_MV4(a, b, c, d)                                                    \
    "mv " a ", s0\n mv " b ", s1\n mv " c ", a4\n mv " d ", a5\n"

#define QA_SAVE                                                               \
    "addi sp, sp, -128\n"                                                     \
    "sw ra, 64(sp)\n sw s0, 68(sp)\n sw s1, 72(sp)\n sw s2, 76(sp)\n"         \
    "sw s3, 80(sp)\n sw s4, 84(sp)\n sw s5, 88(sp)\n sw s6, 92(sp)\n"         \
    "sw s7, 96(sp)\n sw s8, 100(sp)\n sw s9, 104(sp)\n sw s10, 108(sp)\n"     \
    "sw s11, 112(sp)\n"
#define QA_RESTORE                                                            \
    "lw ra, 64(sp)\n lw s0, 68(sp)\n lw s1, 72(sp)\n lw s2, 76(sp)\n"         \
    "lw s3, 80(sp)\n lw s4, 84(sp)\n lw s5, 88(sp)\n lw s6, 92(sp)\n"         \
    "lw s7, 96(sp)\n lw s8, 100(sp)\n lw s9, 104(sp)\n lw s10, 108(sp)\n"     \
    "lw s11, 112(sp)\n addi sp, sp, 128\n ret\n"

/* An operand of the epilogue: its pointer and its step to sp. */
#define QA_FOLLOW(from, next, at)                                             \
    "lw t1, " #from "(a0)\n lw t2, " #next "(a0)\n"                           \
    "sw t2, " #at "+4(sp)\n mul t2, t2, a2\n srai t2, t2, 2\n"                \
    "add t1, t1, t2\n sw t1, " #at "(sp)\n"

/* a0 .. a4: struct quads, x, first channel, fours of channels, y. */
#define QA_ENTER                                                              \
    QA_SAVE                                                                   \
    "lw t1, 16(a0)\n lw t3, 36(a0)\n lw t4, 40(a0)\n lw t5, 44(a0)\n"         \
    "sw a1, 0(sp)\n sw t1, 4(sp)\n sw t3, 32(sp)\n sw t4, 36(sp)\n"           \
    "sw t5, 40(sp)\n" QA_FOLLOW(4, 24, 8) QA_FOLLOW(8, 28, 16)                \
    QA_FOLLOW(12, 32, 24)                                                     \
    "lw t1, 0(a4)\n lw t2, 4(a4)\n lw t3, 8(a4)\n lw t4, 12(a4)\n"            \
    "sw t1, 48(sp)\n sw t2, 52(sp)\n sw t3, 56(sp)\n sw t4, 60(sp)\n"         \
    "mv ra, a2\n lw a1, 0(a0)\n lw t1, 20(a0)\n mul t2, t1, a2\n"           \
    "add a1, a1, t2\n"

/* One, two, three steps: those of w are those of x, or not. */
#define QA_FLAT_STEPS "mv a2, t1\n" QA_STEPS
#define QA_TAPS_STEPS                                                         \
    "lw a2, 56(a0)\n lw t1, 60(a0)\n lw t2, 64(a0)\n"                        \
    "sw t1, 116(sp)\n sw t2, 120(sp)\n" QA_STEPS
#define QA_SIDE_STEPS "lw t2, 64(a0)\n sw t2, 120(sp)\n" QA_FLAT_STEPS
#define QA_STEPS "slli a3, a2, 1\n add t0, a3, a2\n"

#define QA_START                                                              \
    "lw a0, 8(sp)\n lw t1, 12(sp)\n"                                          \
    "lw s0, 0(a0)\n lw s1, 4(a0)\n lw a4, 8(a0)\n lw a5, 12(a0)\n"            \
    "add a0, a0, t1\n sw a0, 8(sp)\n"                                         \
    QA_MV4("s2", "s3", "s4", "s5") QA_MV4("s6", "s7", "s8", "s9")             \
    QA_MV4("s10", "s11", "a6", "a7") "lw a0, 0(sp)\n lw t1, 4(sp)\n"

/* The word of row 1, 2, 3 or 0 of four at p: rows apart, or side by side.  Row
 * 0 takes p to the next words. */
#define QA_APART_0(d, p) XP_LW_STEP(d, p, 4)
#define QA_APART_1(d, p) BLOCK_LW_FAR(d, "a2", p)
#define QA_APART_2(d, p) BLOCK_LW_FAR(d, "a3", p)
#define QA_APART_3(d, p) BLOCK_LW_FAR(d, "t0", p)
#define QA_BESIDE_0(d, p) XP_LW_STEP(d, p, 16)
#define QA_BESIDE_1(d, p) "lw " d ", 4(" p ")\n"
#define QA_BESIDE_2(d, p) "lw " d ", 8(" p ")\n"
#define QA_BESIDE_3(d, p) "lw " d ", 12(" p ")\n"

/* No load comes right behind another: where rows are all banks of the memory
 * apart, the words of a step lie in one or two banks, and cores that come there
 * together pass in turn, a cycle apart, instead of meeting at every word.  So
 * the words of the rows 1 are loaded a step ahead, in the end for nothing: they
 * are those of the rows 2. */
#define QA_DOTS(DOT, X)                                                       \
    X##_1("t3", "a0") QA_APART_1("t4", "a1")                                  \
    XP_BLOCK XP_LOOP(0, "t1", 24)                                             \
    X##_2("t5", "a0") DOT("s3", "t3", "t4")                                   \
    X##_3("t6", "a0") DOT("s7", "t5", "t4")                                   \
    X##_0("t1", "a0") DOT("s11", "t6", "t4")                                  \
    QA_APART_2("t2", "a1") DOT("s1", "t1", "t4") DOT("s4", "t3", "t2")        \
    QA_APART_3("t4", "a1") DOT("s8", "t5", "t2") DOT("a6", "t6", "t2")        \
    DOT("a4", "t1", "t2")                                                     \
    QA_APART_0("t2", "a1") DOT("s5", "t3", "t4") DOT("s2", "t3", "t2")        \
    X##_1("t3", "a0") DOT("s9", "t5", "t4") DOT("a7", "t6", "t4")             \
    DOT("a5", "t1", "t4")                                                     \
    QA_APART_1("t4", "a1") DOT("s6", "t5", "t2") DOT("s10", "t6", "t2")       \
    DOT("s0", "t1", "t2") XP_BLOCK_END

#define QA_FLAT_PRODUCTS(DOT) QA_DOTS(DOT, QA_APART)
#define QA_FLAT_NEXT_W "add a1, a1, t0\n"
#define QA_FLAT_NEXT_X "lw t1, 24(sp)\n add a0, a0, t0\n sw a0, 0(sp)\n"

/* The same of four pixels whose words lie side by side. */
#define QA_SIDE_PRODUCTS(DOT) QA_DOTS(DOT, QA_BESIDE)
#define QA_SIDE_NEXT_W "lw t1, 120(sp)\n add a1, a1, t1\n"

/* The same by rows of taps, words of four channels side by side. */
#define QA_TAPS_PRODUCTS(DOT)                                                 \
    "lw t2, 116(sp)\n"                                                        \
    XP_BLOCK XP_LOOP(1, "t2", 28) "lw t1, 4(sp)\n" XP_LOOP(0, "t1", 24)       \
    BLOCK_LW_FAR("t4", "a2", "a0") BLOCK_LW_FAR("t5", "a3", "a0")             \
    BLOCK_LW_FAR("t6", "t0", "a0") XP_LW_STEP("t3", "a0", 4)                  \
    XP_LW_STEP("t1", "a1", 4) XP_LW_STEP("t2", "a1", 4)                       \
    DOT("s0", "t3", "t1") DOT("s2", "t4", "t1")                               \
    DOT("s6", "t5", "t1") DOT("s10", "t6", "t1")                              \
    XP_LW_STEP("t1", "a1", 4)                                                 \
    DOT("s1", "t3", "t2") DOT("s3", "t4", "t2")                               \
    DOT("s7", "t5", "t2") DOT("s11", "t6", "t2")                              \
    XP_LW_STEP("t2", "a1", 4)                                                 \
    DOT("a4", "t3", "t1") DOT("s4", "t4", "t1")                               \
    DOT("s8", "t5", "t1") DOT("a6", "t6", "t1")                               \
    DOT("a5", "t3", "t2") DOT("s5", "t4", "t2")                               \
    DOT("s9", "t5", "t2") DOT("a7", "t6", "t2")                               \
    "lw t1, 120(sp)\n add a0, a0, t1\n" XP_BLOCK_END
#define QA_TAPS_NEXT_X                                                        \
    "lw a0, 0(sp)\n lw a1, 20(sp)\n lw t1, 24(sp)\n add a0, a0, a1\n"        \
    "sw a0, 0(sp)\n"

#define QA_CLIP_S(v) ".insn r 0x33, 1, 0x0a, " v ", " v ", x8\n"
#define QA_CLIP_U(v) ".insn r 0x33, 2, 0x0a, " v ", " v ", x9\n"

/* Channel j of four pixels, in 32 bits. */
#define QA_MUL(v) "mul " v ", " v ", t3\n"
#define QA_ADD_SHIFT(v) ".insn r 0x5b, 2, 0x20, " v ", t4, t2\n"
#define QA_SHORT(j, a, b, c, d, CLIP)                                         \
    "lw t3, 4*" #j "(a0)\n lw t4, 4*" #j "(t1)\n"                             \
    QA_MUL(a) QA_MUL(b) QA_MUL(c) QA_MUL(d)                                   \
    QA_ADD_SHIFT(a) QA_ADD_SHIFT(b) QA_ADD_SHIFT(c) QA_ADD_SHIFT(d)           \
    CLIP(a) CLIP(b) CLIP(c) CLIP(d)

/* The same by the upper half of 64 bits, for shifts of 32 and more: t4 and t5
 * the upper half of add and the complement of the lower, by its type. */
#define QA_ADD_S32(j) "lw t5, 4*" #j "(t1)\n srai t4, t5, 31\n not t5, t5\n"
#define QA_ADD_S64(j)                                                         \
    "lw t5, 8*" #j "(t1)\n lw t4, 8*" #j "+4(t1)\n not t5, t5\n"
#define QA_HIGH(v, CLIP)                                                      \
    "mul t6, " v ", t3\n mulh " v ", " v ", t3\n sltu t6, t5, t6\n"           \
    "add " v ", " v ", t4\n add " v ", " v ", t6\n"                           \
    "sra " v ", " v ", t2\n" CLIP(v)
#define QA_LONG(j, a, b, c, d, CLIP, ADD)                                     \
    "lw t3, 4*" #j "(a0)\n" ADD(j) QA_HIGH(a, CLIP) QA_HIGH(b, CLIP)          \
    QA_HIGH(c, CLIP) QA_HIGH(d, CLIP)
#define QA_LONG32(j, a, b, c, d, CLIP)                                        \
    QA_LONG(j, a, b, c, d, CLIP, QA_ADD_S32)
#define QA_LONG64(j, a, b, c, d, CLIP)                                        \
    QA_LONG(j, a, b, c, d, CLIP, QA_ADD_S64)

/* For lesser shifts: mul and add shifted up to make it 32; t2: shift - 32. */
#define QA_TOP(v, CLIP)                                                       \
    "mul t6, " v ", t3\n mulh " v ", " v ", t3\n sltu t6, t5, t6\n"           \
    "add " v ", " v ", t4\n add " v ", " v ", t6\n" CLIP(v)
#define QA_UP32(j, a, b, c, d, CLIP)                                          \
    "lw t3, 4*" #j "(a0)\n lw t5, 4*" #j "(t1)\n neg t6, t2\n"               \
    "sll t3, t3, t6\n sra t4, t5, t2\n sll t5, t5, t6\n not t5, t5\n"        \
    QA_TOP(a, CLIP) QA_TOP(b, CLIP) QA_TOP(c, CLIP) QA_TOP(d, CLIP)

/* And where the lower halves of add are 0, so that nothing is carried. */
#define QA_UPPER(v, CLIP)                                                     \
    "mulh " v ", " v ", t3\n add " v ", " v ", t4\n"                          \
    "sra " v ", " v ", t2\n" CLIP(v)
#define QA_EVEN(j, a, b, c, d, CLIP)                                          \
    "lw t3, 4*" #j "(a0)\n lw t4, 8*" #j "+4(t1)\n" QA_UPPER(a, CLIP)         \
    QA_UPPER(b, CLIP) QA_UPPER(c, CLIP) QA_UPPER(d, CLIP)

#define QA_SCALE(CHANNEL, CLIP)                                               \
    "lw a0, 16(sp)\n lw t1, 24(sp)\n lw t2, 32(sp)\n"                         \
    CHANNEL(0, "s0", "s2", "s6", "s10", CLIP)                                 \
    CHANNEL(1, "s1", "s3", "s7", "s11", CLIP)                                 \
    CHANNEL(2, "a4", "s4", "s8", "a6", CLIP)                                  \
    CHANNEL(3, "a5", "s5", "s9", "a7", CLIP)                                  \
    "lw t3, 20(sp)\n lw t4, 28(sp)\n add a0, a0, t3\n add t1, t1, t4\n"       \
    "sw a0, 16(sp)\n sw t1, 24(sp)\n"

/* A pixel's four bytes to a word, within lo and hi; f: 0x04 if unsigned. */
#define QA_WORD(a, b, c, d, f)                                                \
    ".insn r 0x57, 1, 0x70, " a ", " b ", " a "\n"                            \
    ".insn r 0x57, 1, 0x6c, " a ", " d ", " c "\n"                            \
    ".insn r 0x57, 1, 0x18 + " #f ", " a ", " a ", t1\n"                      \
    ".insn r 0x57, 1, 0x10 + " #f ", " a ", " a ", t2\n"
#define QA_STORE(v, y) ".insn r 0x23, 6, 0, ra, " y ", " v "\n"

#define QA_FINISH(f)                                                          \
    "lw t1, 36(sp)\n lw t2, 40(sp)\n lw t3, 48(sp)\n lw t4, 52(sp)\n"         \
    "lw t5, 56(sp)\n lw t6, 60(sp)\n"                                         \
    QA_WORD("s0", "s1", "a4", "a5", f) QA_WORD("s2", "s3", "s4", "s5", f)     \
    QA_WORD("s6", "s7", "s8", "s9", f) QA_WORD("s10", "s11", "a6", "a7", f)   \
    QA_STORE("s0", "t3") QA_STORE("s2", "t4") QA_STORE("s6", "t5")            \
    QA_STORE("s10", "t6")

#define QUAD_PARAMETERS                                                       \
    (const struct quads *t, const LEFT *x, int32_t at, int32_t count,         \
     Y *const y[4])

/* WAY: QA_FLAT or QA_SIDE; `from`: what is taken off the shift. */
#define QUAD_ROW(name, WAY, DOT, CHANNEL, CLIP, f, from)                      \
    XP_FUNCTION(name, QUAD_PARAMETERS, QA_ENTER                               \
                "slli a3, a3, 2\n add a3, a3, a2\n sw a3, 44(sp)\n"           \
                WAY##_STEPS                                                   \
                "lw t1, 32(sp)\n addi t1, t1, -" #from "\n sw t1, 32(sp)\n"   \
                ".balign 16\n1:\n" QA_START WAY##_PRODUCTS(DOT) WAY##_NEXT_W  \
                QA_SCALE(CHANNEL, CLIP) QA_FINISH(f)                          \
                "lw t1, 44(sp)\n addi ra, ra, 4\n bne ra, t1, 1b\n"           \
                QA_RESTORE);
#define QUAD_ROWS(name, WAY, CHANNEL, CLIP, f, from)                          \
    QUAD_ROW(name##_ss, WAY, BLOCK_SP, CHANNEL, CLIP, f, from)                \
    QUAD_ROW(name##_uu, WAY, BLOCK_UP, CHANNEL, CLIP, f, from)                \
    QUAD_ROW(name##_us, WAY, BLOCK_USP, CHANNEL, CLIP, f, from)               \
    QUAD_ROW(name##_su, WAY, BLOCK_SUP, CHANNEL, CLIP, f, from)
#define QUAD_SIGNS(name, WAY, CHANNEL, from)                                  \
    QUAD_ROWS(name##_s, WAY, CHANNEL, QA_CLIP_S, 0, from)                     \
    QUAD_ROWS(name##_u, WAY, CHANNEL, QA_CLIP_U, 0x04, from)                  \
    static inline void name(const struct quads *t, const LEFT *x, int32_t at, \
                            int32_t count, Y *const y[4])                     \
    {                                                                         \
        if (BLOCK_SIGNED(Y))                                                  \
            BLOCK_BY_SIGN(name##_s, t, x, at, count, y);                      \
        else                                                                  \
            BLOCK_BY_SIGN(name##_u, t, x, at, count, y);                      \
    }
#define QUAD_KIND(name, CHANNEL, from)                                        \
    QUAD_SIGNS(name##_flat, QA_FLAT, CHANNEL, from)                           \
    QUAD_SIGNS(name##_side, QA_SIDE, CHANNEL, from)                           \
    static inline void name(const struct quads *t, const LEFT *x, int32_t at, \
                            int32_t count, Y *const y[4])                     \
    {                                                                         \
        if (QUAD_SIDES && t->side)                                            \
            name##_side(t, x, at, count, y);                                  \
        else                                                                  \
            name##_flat(t, x, at, count, y);                                  \
    }

QUAD_KIND(quad_short, QA_SHORT, 0)
QUAD_KIND(quad_long32, QA_LONG32, 32)
QUAD_KIND(quad_up32, QA_UP32, 32)
QUAD_KIND(quad_long64, QA_LONG64, 32)
QUAD_KIND(quad_even64, QA_EVEN, 32)

/* The other way through: `count` times four pixels, four channels.  At sp lie w
 * and the steps of x and y instead of those of operands of the epilogue, which
 * stay; t5 is the upper bound, and the lower one 0, or as far from 0. */
#define QA_LINE_ENTER                                                         \
    QA_ENTER "lw t3, 68(a0)\n lw t4, 72(a0)\n mul a3, a3, t4\n"               \
    "add a3, a3, a2\n sw a3, 44(sp)\n sw a1, 12(sp)\n sw t3, 20(sp)\n"        \
    "sw t4, 28(sp)\n"
#define QA_LINE_START                                                         \
    "lw a0, 8(sp)\n lw a1, 12(sp)\n"                                          \
    "lw s0, 0(a0)\n lw s1, 4(a0)\n lw a4, 8(a0)\n lw a5, 12(a0)\n"            \
    "lw a0, 0(sp)\n"                                                          \
    QA_MV4("s2", "s3", "s4", "s5") "lw t1, 4(sp)\n"                           \
    QA_MV4("s6", "s7", "s8", "s9") QA_MV4("s10", "s11", "a6", "a7")
#define QA_LINE_BYTES(a, b, c, d)                                             \
    ".insn r 0x57, 1, 0x70, " a ", " b ", " a "\n"                            \
    ".insn r 0x57, 1, 0x6c, " a ", " d ", " c "\n"
#define QA_LINE_FINISH                                                        \
    "lw t3, 48(sp)\n lw t4, 52(sp)\n lw t5, 56(sp)\n lw t6, 60(sp)\n"         \
    "lw t1, 28(sp)\n lw t2, 44(sp)\n"                                         \
    QA_LINE_BYTES("s0", "s1", "a4", "a5")                                     \
    QA_LINE_BYTES("s2", "s3", "s4", "s5")                                     \
    QA_LINE_BYTES("s6", "s7", "s8", "s9")                                     \
    QA_LINE_BYTES("s10", "s11", "a6", "a7")                                   \
    QA_STORE("s0", "t3") QA_STORE("s2", "t4") QA_STORE("s6", "t5")            \
    QA_STORE("s10", "t6")

#define QA_CLIP_R(v) ".insn r 0x33, 5, 0x0a, " v ", " v ", t5\n"
#define QA_CLIP_UR(v) ".insn r 0x33, 6, 0x0a, " v ", " v ", t5\n"
#define QUAD_LINE(name, WAY, DOT, CLIP)                                       \
    XP_FUNCTION(name, QUAD_PARAMETERS, QA_LINE_ENTER WAY##_STEPS              \
                ".balign 16\n1:\n" QA_LINE_START WAY##_PRODUCTS(DOT)          \
                WAY##_NEXT_X "lw a0, 16(sp)\n lw t2, 32(sp)\n"                \
                "lw t5, 40(sp)\n"                                             \
                QA_SHORT(0, "s0", "s2", "s6", "s10", CLIP)                    \
                QA_SHORT(1, "s1", "s3", "s7", "s11", CLIP)                    \
                QA_SHORT(2, "a4", "s4", "s8", "a6", CLIP)                     \
                QA_SHORT(3, "a5", "s5", "s9", "a7", CLIP) QA_LINE_FINISH      \
                "add ra, ra, t1\n bne ra, t2, 1b\n" QA_RESTORE);
#define QUAD_LINES(name, WAY, CLIP)                                           \
    QUAD_LINE(name##_ss, WAY, BLOCK_SP, CLIP)                                 \
    QUAD_LINE(name##_uu, WAY, BLOCK_UP, CLIP)                                 \
    QUAD_LINE(name##_us, WAY, BLOCK_USP, CLIP)                                \
    QUAD_LINE(name##_su, WAY, BLOCK_SUP, CLIP)
#define QUAD_WAY(name, WAY)                                                   \
    QUAD_LINES(name##_r, WAY, QA_CLIP_R)                                      \
    QUAD_LINES(name##_ur, WAY, QA_CLIP_UR)                                    \
    static inline void name(const struct quads *t, const LEFT *x, int32_t at, \
                            int32_t count, Y *const y[4])                     \
    {                                                                         \
        if (!BLOCK_SIGNED(Y) || t->lo == 0)                                   \
            BLOCK_BY_SIGN(name##_ur, t, x, at, count, y);                     \
        else                                                                  \
            BLOCK_BY_SIGN(name##_r, t, x, at, count, y);                      \
    }

QUAD_WAY(quad_flat, QA_FLAT)
QUAD_WAY(quad_taps, QA_TAPS)

#endif
