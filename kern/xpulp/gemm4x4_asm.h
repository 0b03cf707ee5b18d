/* gemm_row() by hand, for bias and mul of 32 bits and results of bytes: what a
 * compiler makes of it takes half as long again, and the loop over channels
 * must fit in a core's 512 bytes of instructions.
 *
 * All registers but one are taken: v0 .. v15 are s0 s1 a4 a5 s2 .. s11 a6 a7;
 * a0 and a1 x and w, a2 a3 t0 one, two, three steps, ra the channel, t1 .. t6
 * words.  The rest lies at sp (GEMM_FRAME). */
#ifndef GEMM4X4_ASM_H
#define GEMM4X4_ASM_H

/* Sections lie in the order in which they are named first, and assembly comes
 * before all functions: the slow way should not lie between what is called. */
__asm__(".pushsection .text.gemm_plain,\"ax\",@progbits\n .popsection");

/* Members of struct gemm by place, which the compiler checks. */
#define GEMM_MEMBERS(AT)                                                     \
    AT(w, 0) AT(bias, 4) AT(mul, 8) AT(add, 12) AT(words, 16) AT(step, 20)   \
    AT(biasnext, 24) AT(mulnext, 28) AT(addnext, 32) AT(shift, 36)           \
    AT(lo, 40) AT(hi, 44) AT(xstep, 56) AT(rows, 60) AT(jump, 64)            \
    AT(xnext, 68) AT(ynext, 72)
/* What lies at sp: operands of the epilogue that move on with channels; the
 * last channel; four y; saved registers; rows of taps and the way from one to
 * the next.  Where channels stay, w and the steps of x and y lie in the places
 * of steps of operands. */
#define GEMM_FRAME(AT)                                                       \
    AT(x, 0) AT(words, 4) AT(bias, 8) AT(biasnext, 12) AT(w, 12)             \
    AT(mul, 16) AT(mulnext, 20) AT(xnext, 20) AT(add, 24) AT(addnext, 28)    \
    AT(ynext, 28) AT(shift, 32) AT(lo, 36) AT(hi, 40) AT(last, 44) AT(y, 48) \
    AT(saved, 64) AT(rows, 116) AT(jump, 120) AT(size, 128)
#define GEMM_CHECK(name, at) XP_MEMBER(struct gemm, name, at);
#define GEMM_SET(name, at) ".set gemm." #name ", " #at "\n"
#define GEMM_SET_FRAME(name, at) ".set frame." #name ", " #at "\n"
GEMM_MEMBERS(GEMM_CHECK)
__asm__(GEMM_MEMBERS(GEMM_SET) GEMM_FRAME(GEMM_SET_FRAME));

#define GA_MV4(a, b, c, d)                                                   \
    "mv " a ", s0\n mv " b ", s1\n mv " c ", a4\n mv " d ", a5\n"

#define GA_SAVE                                                              \
    "addi sp, sp, -frame.size\n"                                             \
    XP_SAVED("sw", "frame.saved")
#define GA_RESTORE                                                           \
    XP_SAVED("lw", "frame.saved") "addi sp, sp, frame.size\n ret\n"

/* An operand of the epilogue: its pointer and its step to sp. */
#define GA_FOLLOW(name)                                                      \
    "lw t1, gemm." #name "(a0)\n lw t2, gemm." #name "next(a0)\n"            \
    "sw t2, frame." #name "next(sp)\n mul t2, t2, a2\n srai t2, t2, 2\n"     \
    "add t1, t1, t2\n sw t1, frame." #name "(sp)\n"

/* a0 .. a4: struct gemm, x, first channel, fours of channels, y. */
#define GA_ENTER                                                             \
    GA_SAVE                                                                  \
    "lw t1, gemm.words(a0)\n lw t3, gemm.shift(a0)\n lw t4, gemm.lo(a0)\n"   \
    "lw t5, gemm.hi(a0)\n"                                                   \
    "sw a1, frame.x(sp)\n sw t1, frame.words(sp)\n"                          \
    "sw t3, frame.shift(sp)\n sw t4, frame.lo(sp)\n"                         \
    "sw t5, frame.hi(sp)\n" GA_FOLLOW(bias) GA_FOLLOW(mul)                   \
    GA_FOLLOW(add)                                                           \
    "lw t1, 0(a4)\n lw t2, 4(a4)\n lw t3, 8(a4)\n lw t4, 12(a4)\n"           \
    "sw t1, frame.y(sp)\n sw t2, frame.y+4(sp)\n sw t3, frame.y+8(sp)\n"     \
    "sw t4, frame.y+12(sp)\n"                                                \
    "mv ra, a2\n lw a1, gemm.w(a0)\n lw t1, gemm.step(a0)\n"                 \
    "mul t2, t1, a2\n"                                                       \
    "add a1, a1, t2\n"

/* One, two, three steps: those of w are those of x, or not. */
#define GA_FLAT_STEPS "mv a2, t1\n" GA_STEPS
#define GA_TAPS_STEPS                                                        \
    "lw a2, gemm.xstep(a0)\n lw t1, gemm.rows(a0)\n lw t2, gemm.jump(a0)\n"  \
    "sw t1, frame.rows(sp)\n sw t2, frame.jump(sp)\n" GA_STEPS
#define GA_SIDE_STEPS                                                        \
    "lw t2, gemm.jump(a0)\n sw t2, frame.jump(sp)\n" GA_FLAT_STEPS
#define GA_STEPS "slli a3, a2, 1\n add t0, a3, a2\n"

#define GA_START                                                             \
    "lw a0, frame.bias(sp)\n lw t1, frame.biasnext(sp)\n"                    \
    "lw s0, 0(a0)\n lw s1, 4(a0)\n lw a4, 8(a0)\n lw a5, 12(a0)\n"           \
    "add a0, a0, t1\n sw a0, frame.bias(sp)\n"                               \
    GA_MV4("s2", "s3", "s4", "s5") GA_MV4("s6", "s7", "s8", "s9")            \
    GA_MV4("s10", "s11", "a6", "a7") "lw a0, frame.x(sp)\n"             \
    "lw t1, frame.words(sp)\n"

/* The word of row 1, 2, 3 or 0 of four at p: rows apart, or side by side.  Row
 * 0 takes p to the next words. */
#define GA_APART_0(d, p) "xp.lw.post " d ", " p ", 4\n"
#define GA_APART_1(d, p) "xp.lw.at " d ", " p ", a2\n"
#define GA_APART_2(d, p) "xp.lw.at " d ", " p ", a3\n"
#define GA_APART_3(d, p) "xp.lw.at " d ", " p ", t0\n"
#define GA_BESIDE_0(d, p) "xp.lw.post " d ", " p ", 16\n"
#define GA_BESIDE_1(d, p) "lw " d ", 4(" p ")\n"
#define GA_BESIDE_2(d, p) "lw " d ", 8(" p ")\n"
#define GA_BESIDE_3(d, p) "lw " d ", 12(" p ")\n"

/* Every third instruction is a load: where rows are all banks of the memory
 * apart, the words of a step lie in one bank, and three cores that come there
 * together pass in turn; who meets another waits a cycle, once, and then does
 * not meet it again.  So the words of the rows 1, and of row 2 of w, are loaded a
 * step ahead, in the end for nothing: they are those of the rows behind. */
#define GA_DOTS(DOT, X)                                                      \
    X##_1("t3", "a0") GA_APART_1("t4", "a1") GA_APART_2("t5", "a1")          \
    XP_BLOCK "xlp.setup 0, t1, 24\n"                                         \
    X##_2("t1", "a0") DOT("s3", "t3", "t4") DOT("s4", "t3", "t5")            \
    GA_APART_3("t6", "a1") DOT("s7", "t1", "t4") DOT("s5", "t3", "t6")       \
    GA_APART_0("t2", "a1") DOT("s8", "t1", "t5") DOT("s2", "t3", "t2")       \
    X##_3("t3", "a0") DOT("s6", "t1", "t2") DOT("s9", "t1", "t6")            \
    X##_0("t1", "a0") DOT("s11", "t3", "t4") DOT("s1", "t1", "t4")           \
    GA_APART_1("t4", "a1") DOT("a4", "t1", "t5") DOT("a6", "t3", "t5")       \
    GA_APART_2("t5", "a1") DOT("s10", "t3", "t2") DOT("a7", "t3", "t6")      \
    X##_1("t3", "a0") DOT("s0", "t1", "t2") DOT("a5", "t1", "t6") XP_BLOCK_END

#define GA_FLAT_PRODUCTS(DOT) GA_DOTS(DOT, GA_APART)
#define GA_FLAT_NEXT_W "add a1, a1, t0\n"
#define GA_FLAT_NEXT_X                                                       \
    "lw t1, frame.add(sp)\n add a0, a0, t0\n sw a0, frame.x(sp)\n"

/* The same of four pixels whose words lie side by side. */
#define GA_SIDE_PRODUCTS(DOT) GA_DOTS(DOT, GA_BESIDE)
#define GA_SIDE_NEXT_W "lw t1, frame.jump(sp)\n add a1, a1, t1\n"

/* The same by rows of taps, words of four channels side by side. */
#define GA_TAPS_PRODUCTS(DOT)                                                \
    "lw t2, frame.rows(sp)\n"                                                \
    XP_BLOCK "xlp.setup 1, t2, 28\n lw t1, frame.words(sp)\n"                \
    "xlp.setup 0, t1, 24\n"                                                  \
    "xp.lw.at t4, a0, a2\n"                                                  \
    "xp.lw.at t5, a0, a3\n"                                                  \
    "xp.lw.at t6, a0, t0\n"                                                  \
    "xp.lw.post t3, a0, 4\n"                                                 \
    "xp.lw.post t1, a1, 4\n"                                                 \
    "xp.lw.post t2, a1, 4\n"                                                 \
    DOT("s0", "t3", "t1") DOT("s2", "t4", "t1")                              \
    DOT("s6", "t5", "t1") DOT("s10", "t6", "t1")                             \
    "xp.lw.post t1, a1, 4\n"                                                 \
    DOT("s1", "t3", "t2") DOT("s3", "t4", "t2")                              \
    DOT("s7", "t5", "t2") DOT("s11", "t6", "t2")                             \
    "xp.lw.post t2, a1, 4\n"                                                 \
    DOT("a4", "t3", "t1") DOT("s4", "t4", "t1")                              \
    DOT("s8", "t5", "t1") DOT("a6", "t6", "t1")                              \
    DOT("a5", "t3", "t2") DOT("s5", "t4", "t2")                              \
    DOT("s9", "t5", "t2") DOT("a7", "t6", "t2")                              \
    "lw t1, frame.jump(sp)\n add a0, a0, t1\n" XP_BLOCK_END
#define GA_TAPS_NEXT_X                                                       \
    "lw a0, frame.x(sp)\n lw a1, frame.xnext(sp)\n lw t1, frame.add(sp)\n"   \
    "add a0, a0, a1\n"                                                       \
    "sw a0, frame.x(sp)\n"

#define GA_CLIP_S(v) "xp.clip " v ", " v ", 8\n"
#define GA_CLIP_U(v) "xp.clipu " v ", " v ", 9\n"

/* Channel j of four pixels, in 32 bits. */
#define GA_MUL(v) "mul " v ", " v ", t3\n"
#define GA_ADD_SHIFT(v) "xp.addnr " v ", t4, t2\n"
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

/* The same where what is below 2^30 of a product does not matter (UPPER_HALF):
 * twice the sign is taken off sums below 0 that round.  t2: shift - 30. */
#ifdef SHIFTS
#define GA_OWN_SHIFT(j) "lw t2, frame.shift(sp)\n add t2, t2, ra\n lb t2, " #j "(t2)\n"
#define GA_LESS_SHIFT "addi t2, t2, -30\n"
#else
#define GA_OWN_SHIFT(j)
#define GA_LESS_SHIFT
#endif
#if ROUND
#define GA_SIGN(v) "srli t6, " v ", 31\n"
#define GA_LESS(v) "xp.msu " v ", t6, t5\n"
#define GA_TWO "li t5, 2\n"
#else
#define GA_SIGN(v)
#define GA_LESS(v)
#define GA_TWO
#endif
#define GA_ROUNDED(v, CLIP)                                                  \
    GA_SIGN(v) "slli " v ", " v ", 2\n mulh " v ", " v ", t3\n" GA_LESS(v)   \
    GA_ADD_SHIFT(v) CLIP(v)
#define GA_HALF(j, a, b, c, d, CLIP)                                         \
    "lw t5, 8*" #j "(t1)\n lw t4, 8*" #j "+4(t1)\n" GA_OWN_SHIFT(j)          \
    "lw t3, 4*" #j "(a0)\n srli t5, t5, 30\n slli t4, t4, 2\n"              \
    "or t4, t4, t5\n" GA_LESS_SHIFT GA_TWO GA_ROUNDED(a, CLIP)               \
    GA_ROUNDED(b, CLIP) GA_ROUNDED(c, CLIP) GA_ROUNDED(d, CLIP)

#define GA_SCALE(CHANNEL, CLIP)                                              \
    "lw a0, frame.mul(sp)\n lw t1, frame.add(sp)\n lw t2, frame.shift(sp)\n" \
    CHANNEL(0, "s0", "s2", "s6", "s10", CLIP)                                \
    CHANNEL(1, "s1", "s3", "s7", "s11", CLIP)                                \
    CHANNEL(2, "a4", "s4", "s8", "a6", CLIP)                                 \
    CHANNEL(3, "a5", "s5", "s9", "a7", CLIP)                                 \
    "lw t3, frame.mulnext(sp)\n lw t4, frame.addnext(sp)\n"                  \
    "add a0, a0, t3\n add t1, t1, t4\n"                                      \
    "sw a0, frame.mul(sp)\n sw t1, frame.add(sp)\n"

/* A pixel's four bytes to a word, within lo and hi; f: 1 if unsigned. */
#define GA_WORD(a, b, c, d, f)                                               \
    "xpv.packlo.b " a ", " b ", " a "\n"                                     \
    "xpv.packhi.b " a ", " d ", " c "\n"                                     \
    "xpv.maxt.b " a ", " a ", t1, " #f "\n"                                  \
    "xpv.mint.b " a ", " a ", t2, " #f "\n"
#define GA_STORE(v, y) "xp.sw.at " v ", " y ", ra\n"

#define GA_FINISH(f)                                                         \
    "lw t1, frame.lo(sp)\n lw t2, frame.hi(sp)\n lw t3, frame.y(sp)\n"       \
    "lw t4, frame.y+4(sp)\n"                                                 \
    "lw t5, frame.y+8(sp)\n lw t6, frame.y+12(sp)\n"                         \
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
                "slli a3, a3, 2\n add a3, a3, a2\n sw a3, frame.last(sp)\n"  \
                WAY##_STEPS                                                  \
                "lw t1, frame.shift(sp)\n addi t1, t1, -" #from "\n"         \
                "sw t1, frame.shift(sp)\n"                                   \
                ".balign 16\n1:\n" GA_START WAY##_PRODUCTS(DOT) WAY##_NEXT_W \
                GA_SCALE(CHANNEL, CLIP) GA_FINISH(f)                         \
                "lw t1, frame.last(sp)\n addi ra, ra, 4\n bne ra, t1, 1b\n"  \
                GA_RESTORE);
#define GEMM_ROWS(name, WAY, CHANNEL, CLIP, f, from)                         \
    GEMM_ROW(name##_ss, WAY, BLOCK_SP, CHANNEL, CLIP, f, from)               \
    GEMM_ROW(name##_uu, WAY, BLOCK_UP, CHANNEL, CLIP, f, from)               \
    GEMM_ROW(name##_us, WAY, BLOCK_USP, CHANNEL, CLIP, f, from)              \
    GEMM_ROW(name##_su, WAY, BLOCK_SUP, CHANNEL, CLIP, f, from)
#define GEMM_SIGNS(name, WAY, CHANNEL, from)                                 \
    GEMM_ROWS(name##_s, WAY, CHANNEL, GA_CLIP_S, 0, from)                    \
    GEMM_ROWS(name##_u, WAY, CHANNEL, GA_CLIP_U, 1, from)                    \
    static inline void name(const struct gemm *t, const LEFT *x, int32_t at, \
                            int32_t count, Y *const y[4])                    \
    {                                                                        \
        if (WORD_SIGNED(Y))                                                  \
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

/* Those that gemm_row() may take. */
#if UPPER_HALF && defined SHIFTS
GEMM_KIND(gemm_upper, GA_HALF, 0)
#elif UPPER_HALF
GEMM_KIND(gemm_upper, GA_HALF, 30)
#elif !WIDE_SHIFTS
GEMM_KIND(gemm_scale32, GA_SCALE32, 0)
GEMM_KIND(gemm_long32, GA_LONG32, 32)
GEMM_KIND(gemm_up32, GA_UP32, 32)
GEMM_KIND(gemm_long64, GA_LONG64, 32)
GEMM_KIND(gemm_even64, GA_EVEN, 32)
#endif

/* The other way through: `count` times four pixels, four channels.  At sp lie w
 * and the steps of x and y instead of those of operands of the epilogue, which
 * stay; t5 is the upper bound, and the lower one 0, or as far from 0. */
#define GA_LINE_ENTER                                                        \
    GA_ENTER "lw t3, gemm.xnext(a0)\n lw t4, gemm.ynext(a0)\n"               \
    "mul a3, a3, t4\n"                                                       \
    "add a3, a3, a2\n sw a3, frame.last(sp)\n sw a1, frame.w(sp)\n"          \
    "sw t3, frame.xnext(sp)\n"                                               \
    "sw t4, frame.ynext(sp)\n"
#define GA_LINE_START                                                        \
    "lw a0, frame.bias(sp)\n lw a1, frame.w(sp)\n"                           \
    "lw s0, 0(a0)\n lw s1, 4(a0)\n lw a4, 8(a0)\n lw a5, 12(a0)\n"           \
    "lw a0, frame.x(sp)\n"                                                   \
    GA_MV4("s2", "s3", "s4", "s5") "lw t1, frame.words(sp)\n"                \
    GA_MV4("s6", "s7", "s8", "s9") GA_MV4("s10", "s11", "a6", "a7")
#define GA_LINE_BYTES(a, b, c, d)                                            \
    "xpv.packlo.b " a ", " b ", " a "\n"                                     \
    "xpv.packhi.b " a ", " d ", " c "\n"
#define GA_LINE_FINISH                                                       \
    "lw t3, frame.y(sp)\n lw t4, frame.y+4(sp)\n lw t5, frame.y+8(sp)\n"     \
    "lw t6, frame.y+12(sp)\n"                                                \
    "lw t1, frame.ynext(sp)\n lw t2, frame.last(sp)\n"                       \
    GA_LINE_BYTES("s0", "s1", "a4", "a5")                                    \
    GA_LINE_BYTES("s2", "s3", "s4", "s5")                                    \
    GA_LINE_BYTES("s6", "s7", "s8", "s9")                                    \
    GA_LINE_BYTES("s10", "s11", "a6", "a7")                                  \
    GA_STORE("s0", "t3") GA_STORE("s2", "t4") GA_STORE("s6", "t5")           \
    GA_STORE("s10", "t6")

#define GA_CLIP_R(v) "xp.clipr " v ", " v ", t5\n"
#define GA_CLIP_UR(v) "xp.clipur " v ", " v ", t5\n"
#define GEMM_LINE(name, WAY, DOT, CLIP)                                      \
    XP_FUNCTION(name, GEMM_PARAMETERS, GA_LINE_ENTER WAY##_STEPS             \
                ".balign 16\n1:\n" GA_LINE_START WAY##_PRODUCTS(DOT)         \
                WAY##_NEXT_X "lw a0, frame.mul(sp)\n"                        \
                "lw t2, frame.shift(sp)\n"                                   \
                "lw t5, frame.hi(sp)\n"                                      \
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
        if (!WORD_SIGNED(Y) || t->lo == 0)                                   \
            BLOCK_BY_SIGN(name##_ur, t, x, at, count, y);                    \
        else                                                                 \
            BLOCK_BY_SIGN(name##_r, t, x, at, count, y);                     \
    }

GEMM_WAY(gemm_flat, GA_FLAT)
GEMM_WAY(gemm_taps, GA_TAPS)

#endif
