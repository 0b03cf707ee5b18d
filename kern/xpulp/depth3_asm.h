/* Results of depth3.h by hand: all of four channels that there are planes for,
 * a channel after the other and of each four by four across, rows down.
 *
 * a0: struct depth3, a1: y, a2: planes, a4 and a5: from row to row of both, a6
 * a7 t0: weights, t1 .. t3: the same a byte further up, t4 t5 t6 ra: mul, add,
 * shift, range, s7 s8 s9: where a row's second to fourth result is, s10:
 * results that the row still wants, s11: struct nine.  At sp: planes and y of
 * these four, and of this channel. */
#ifndef DEPTH3_ASM_H
#define DEPTH3_ASM_H

#define D3_ENTER                                                             \
    "addi sp, sp, -80\n"                                                     \
    "sw ra, 16(sp)\n sw s0, 20(sp)\n sw s1, 24(sp)\n sw s2, 28(sp)\n"        \
    "sw s3, 32(sp)\n sw s4, 36(sp)\n sw s5, 40(sp)\n sw s6, 44(sp)\n"        \
    "sw s7, 48(sp)\n sw s8, 52(sp)\n sw s9, 56(sp)\n sw s10, 60(sp)\n"       \
    "sw s11, 64(sp)\n lw a2, 0(a0)\n lw a4, 4(a0)\n lw a5, 12(a0)\n"         \
    "lw t6, 16(a0)\n lw ra, 20(a0)\n addi s11, a0, 32\n"                     \
    "1:\n sw a2, 8(sp)\n sw a1, 12(sp)\n lw a6, 0(s11)\n lw a7, 4(s11)\n"    \
    "lw t0, 8(s11)\n lw t4, 12(s11)\n lw t5, 16(s11)\n lw s10, 28(a0)\n"
/* d: i results further, but no further than the last. */
#define D3_FAR(d, i)                                                         \
    "li " d ", " #i "\n .insn r 0x33, 4, 0x02, " d ", " d ", s6\n"           \
    "mul " d ", " d ", s5\n"
#define D3_WORD                                                              \
    "2:\n sw a2, 0(sp)\n sw a1, 4(sp)\n lw s5, 8(a0)\n addi s6, s10, -1\n"   \
    D3_FAR("s7", 1) D3_FAR("s8", 2) D3_FAR("s9", 3) "lw s6, 24(a0)\n"
#define D3_NEXT(bytes)                                                       \
    "lw a2, 0(sp)\n lw a1, 4(sp)\n lw s5, 8(a0)\n addi s10, s10, -4\n"       \
    "slli s5, s5, 2\n addi a2, a2, " #bytes "\n add a1, a1, s5\n"            \
    "bgtz s10, 2b\n"
#define D3_LEAVE                                                             \
    "lw a2, 8(sp)\n lw a1, 12(sp)\n srli s5, a4, 2\n addi s11, s11, 20\n"    \
    "addi s6, a0, 112\n add a2, a2, s5\n addi a1, a1, 1\n bne s11, s6, 1b\n" \
    "lw ra, 16(sp)\n lw s0, 20(sp)\n lw s1, 24(sp)\n lw s2, 28(sp)\n"        \
    "lw s3, 32(sp)\n lw s4, 36(sp)\n lw s5, 40(sp)\n lw s6, 44(sp)\n"        \
    "lw s7, 48(sp)\n lw s8, 52(sp)\n lw s9, 56(sp)\n lw s10, 60(sp)\n"       \
    "lw s11, 64(sp)\n addi sp, sp, 80\n ret\n"

/* The next row of planes: a word, and the one two pixels on. */
#define D3_LOAD(a, b) "lw " b ", 2(a2)\n .insn r 0x0b, 7, 0x10, " a ", a2, a4\n"
#define D3_DOT(d, x, w, code)                                                \
    ".insn r 0x57, 1, " code ", " d ", " x ", " w "\n"
#define D3_SP "0x4c"
#define D3_USP "0x44"
/* Clip and store, beside y or at y, which moves on. */
#define D3_R(v) ".insn r 0x33, 5, 0x0a, " v ", " v ", ra\n"
#define D3_UR(v) ".insn r 0x33, 6, 0x0a, " v ", " v ", ra\n"
#define D3_AT(v, at) ".insn r 0x23, 4, 0, " at ", a1, " v "\n"
#define D3_LAST(v, at) ".insn r 0x2b, 4, 0, " at ", a1, " v "\n"
#define D3_SCALE(v, sum, CLIP)                                               \
    "mul " v ", " sum ", t4\n .insn r 0x5b, 2, 0x20, " v ", t5, t6\n" CLIP(v)

/* Step one: a result of words of three rows; a row of four. */
#define D3_ONE(i, j, k, u, v, w, S, CLIP, STORE, at)                         \
    D3_DOT("s6", i, u, S) D3_DOT("s6", j, v, S " + 0x10")                    \
    D3_DOT("s6", k, w, S " + 0x10") D3_SCALE("s6", "s6", CLIP)               \
    STORE("s6", at)
#define D3_STEP1(name, S, CLIP)                                              \
    XP_FUNCTION(name, (const struct depth3 *q, Y *y),                        \
        D3_ENTER "slli t1, a6, 8\n slli t2, a7, 8\n slli t3, t0, 8\n"        \
        D3_WORD D3_LOAD("s0", "s1") D3_LOAD("s2", "s3")                      \
        XP_BLOCK XP_LOOP(0, "s6", 34)                                        \
        D3_LOAD("s4", "s5")                                                  \
        D3_ONE("s1", "s3", "s5", "t1", "t2", "t3", S, CLIP, D3_AT, "s9")     \
        D3_ONE("s1", "s3", "s5", "a6", "a7", "t0", S, CLIP, D3_AT, "s8")     \
        "addi s1, s3, 0\n addi s3, s5, 0\n"                                  \
        D3_ONE("s0", "s2", "s4", "t1", "t2", "t3", S, CLIP, D3_AT, "s7")     \
        D3_ONE("s0", "s2", "s4", "a6", "a7", "t0", S, CLIP, D3_LAST, "a5")   \
        "addi s0, s2, 0\n addi s2, s4, 0\n" XP_BLOCK_END D3_NEXT(4)          \
        D3_LEAVE)

/* Step two: a row of four of two words; t1 .. t3 and a3 are their sums, of
 * which the next row has its first third. */
#define D3_DOTS(w, S)                                                        \
    D3_DOT("a3", "s3", w, S) D3_DOT("t3", "s2", w, S)                        \
    D3_DOT("t2", "s1", w, S) D3_DOT("t1", "s0", w, S)
#define D3_LOAD2 "lw s2, 4(a2)\n lw s3, 6(a2)\n" D3_LOAD("s0", "s1")
#define D3_HALF(v, x, S, CLIP, STORE, at)                                    \
    D3_SCALE("s6", v, CLIP) STORE("s6", at) D3_DOT(v, x, "a6", S)
#define D3_STEP2(name, S, CLIP)                                              \
    XP_FUNCTION(name, (const struct depth3 *q, Y *y),                        \
        D3_ENTER D3_WORD D3_LOAD2 D3_DOTS("a6", S)                           \
        XP_BLOCK XP_LOOP(0, "s6", 36)                                        \
        D3_LOAD2 D3_DOTS("a7", S " + 0x10")                                  \
        D3_LOAD2 D3_DOTS("t0", S " + 0x10")                                  \
        D3_HALF("a3", "s3", S, CLIP, D3_AT, "s9")                            \
        D3_HALF("t3", "s2", S, CLIP, D3_AT, "s8")                            \
        D3_HALF("t2", "s1", S, CLIP, D3_AT, "s7")                            \
        D3_HALF("t1", "s0", S, CLIP, D3_LAST, "a5") XP_BLOCK_END             \
        D3_NEXT(8) D3_LEAVE)

#define D3_SIGN(name, S)                                                     \
    D3_STEP1(name##1_r, S, D3_R);                                            \
    D3_STEP1(name##1_ur, S, D3_UR);                                          \
    D3_STEP2(name##2_r, S, D3_R);                                            \
    D3_STEP2(name##2_ur, S, D3_UR)
D3_SIGN(depth3_s, D3_SP);
D3_SIGN(depth3_u, D3_USP);

#endif
