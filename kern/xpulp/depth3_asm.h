/* Results of depth3.h by hand: all of four channels that there are planes for,
 * a channel after the other and of each four by four across, rows down.
 *
 * a0: struct depth3, a1: y, a2: planes, a4 and a5: from row to row of both, a6
 * a7 t0: weights, t1 .. t3: the same a byte further up, t4 t5 t6 ra: mul, add,
 * shift, range, s7 s8 s9: where a row's second to fourth result is, s10:
 * results that the row still wants, s11: struct nine.  At sp (D3_FRAME): planes
 * and y of these four, and of this channel; saved registers. */
#ifndef DEPTH3_ASM_H
#define DEPTH3_ASM_H

/* Members of struct depth3 and struct nine by place, which the compiler checks,
 * and what lies at sp. */
#define D3_MEMBERS(AT)                                                       \
    AT(planes, 0) AT(row, 4) AT(across, 8) AT(down, 12) AT(shift, 16)        \
    AT(range, 20) AT(high, 24) AT(wide, 28) AT(nine, 32) AT(threes, 112)     \
    AT(back, 116) AT(yback, 120)
#define D3_NINE(AT) AT(w, 0) AT(mul, 12) AT(add, 16)
#define D3_FRAME(AT)                                                         \
    AT(planes4, 0) AT(y4, 4) AT(planes, 8) AT(y, 12) AT(saved, 16)           \
    AT(size, 80)
#define D3_CHECK(name, at) XP_MEMBER(struct depth3, name, at);
#define D3_CHECK_NINE(name, at) XP_MEMBER(struct nine, name, at);
#define D3_SET(name, at) ".set depth3." #name ", " #at "\n"
#define D3_SET_NINE(name, at) ".set nine." #name ", " #at "\n"
#define D3_SET_FRAME(name, at) ".set frame3." #name ", " #at "\n"
D3_MEMBERS(D3_CHECK)
D3_NINE(D3_CHECK_NINE)
XP_CHECK(sizeof(struct nine) == 20, "size of struct nine");
__asm__(D3_MEMBERS(D3_SET) D3_NINE(D3_SET_NINE) ".set nine.size, 20\n"
        D3_FRAME(D3_SET_FRAME));

#define D3_ENTER                                                             \
    "addi sp, sp, -frame3.size\n"                                            \
    XP_SAVED( "sw" , "frame3.saved" ) "lw a2, depth3.planes(a0)\n"           \
    "lw a4, depth3.row(a0)\n lw a5, depth3.down(a0)\n"                       \
    "lw t6, depth3.shift(a0)\n lw ra, depth3.range(a0)\n"                    \
    "addi s11, a0, depth3.nine\n"                                            \
    "1:\n sw a2, frame3.planes(sp)\n sw a1, frame3.y(sp)\n"                  \
    "lw a6, nine.w(s11)\n lw a7, nine.w+4(s11)\n"                            \
    "lw t0, nine.w+8(s11)\n lw t4, nine.mul(s11)\n lw t5, nine.add(s11)\n"   \
    "lw s10, depth3.wide(a0)\n"
/* d: i results further, but no further than the last. */
#define D3_FAR(d, i)                                                         \
    "li " d ", " #i "\n xp.min " d ", " d ", s6\n"                           \
    "mul " d ", " d ", s5\n"
#define D3_WORD                                                              \
    "2:\n sw a2, frame3.planes4(sp)\n sw a1, frame3.y4(sp)\n"                \
    "lw s5, depth3.across(a0)\n addi s6, s10, -1\n"                          \
    D3_FAR("s7", 1) D3_FAR("s8", 2) D3_FAR("s9", 3) "lw s6, depth3.high(a0)\n"
#define D3_NEXT(bytes)                                                       \
    "lw a2, frame3.planes4(sp)\n lw a1, frame3.y4(sp)\n"                     \
    "lw s5, depth3.across(a0)\n addi s10, s10, -4\n"                         \
    "slli s5, s5, 2\n addi a2, a2, " #bytes "\n add a1, a1, s5\n"            \
    "bgtz s10, 2b\n"
#define D3_LEAVE                                                             \
    "lw a2, frame3.planes(sp)\n lw a1, frame3.y(sp)\n srli s5, a4, 2\n"      \
    "addi s11, s11, nine.size\n"                                             \
    "addi s6, a0, depth3.nine + 4 * nine.size\n add a2, a2, s5\n"            \
    "addi a1, a1, 1\n bne s11, s6, 1b\n"                                     \
    XP_SAVED("lw", "frame3.saved") "addi sp, sp, frame3.size\n ret\n"

/* The next row of planes: a word, and the one two pixels on. */
#define D3_LOAD(a, b) "lw " b ", 2(a2)\n xp.lw.postr " a ", a2, a4\n"
#define D3_DOT(d, x, w, dot)                                                 \
    "xpv." dot ".b " d ", " x ", " w "\n"
#define D3_SP "dotsp"
#define D3_USP "dotusp"
/* Clip and store, beside y or at y, which moves on. */
#define D3_R(v) "xp.clipr " v ", " v ", ra\n"
#define D3_UR(v) "xp.clipur " v ", " v ", ra\n"
#define D3_AT(v, at) "xp.sb.at " v ", a1, " at "\n"
#define D3_LAST(v, at) "xp.sb.postr " v ", a1, " at "\n"
#define D3_SCALE(v, sum, CLIP)                                               \
    "mul " v ", " sum ", t4\n xp.addnr " v ", t5, t6\n" CLIP(v)

/* Step one: a result of words of three rows; a row of four. */
#define D3_ONE(i, j, k, u, v, w, S, CLIP, STORE, at)                         \
    D3_DOT("s6", i, u, S) D3_DOT("s6", j, v, "s" S)                          \
    D3_DOT("s6", k, w, "s" S) D3_SCALE("s6", "s6", CLIP)                     \
    STORE("s6", at)
#define D3_STEP1(name, S, CLIP)                                              \
    XP_FUNCTION(name, (const struct depth3 *q, Y *y),                        \
        D3_ENTER "slli t1, a6, 8\n slli t2, a7, 8\n slli t3, t0, 8\n"        \
        D3_WORD D3_LOAD("s0", "s1") D3_LOAD("s2", "s3")                      \
        XP_BLOCK "xlp.setup 0, s6, 34\n"                                     \
        D3_LOAD("s4", "s5")                                                  \
        D3_ONE("s1", "s3", "s5", "t1", "t2", "t3", S, CLIP, D3_AT, "s9")     \
        D3_ONE("s1", "s3", "s5", "a6", "a7", "t0", S, CLIP, D3_AT, "s8")     \
        "addi s1, s3, 0\n addi s3, s5, 0\n"                                  \
        D3_ONE("s0", "s2", "s4", "t1", "t2", "t3", S, CLIP, D3_AT, "s7")     \
        D3_ONE("s0", "s2", "s4", "a6", "a7", "t0", S, CLIP, D3_LAST, "a5")   \
        "addi s0, s2, 0\n addi s2, s4, 0\n" XP_BLOCK_END D3_NEXT(4)          \
        D3_LEAVE)

/* The same three rows at a time, the rows of planes taking turns in registers.
 * The last three are taken again where they are not a multiple: then a3 is the
 * way back. */
#define D3_TURN(a, b, c, d, e, f, S, CLIP)                                   \
    D3_LOAD(e, f)                                                            \
    D3_ONE(b, d, f, "t1", "t2", "t3", S, CLIP, D3_AT, "s9")                  \
    D3_ONE(b, d, f, "a6", "a7", "t0", S, CLIP, D3_AT, "s8")                  \
    D3_ONE(a, c, e, "t1", "t2", "t3", S, CLIP, D3_AT, "s7")                  \
    D3_ONE(a, c, e, "a6", "a7", "t0", S, CLIP, D3_LAST, "a5")
#define D3_STEP3(name, S, CLIP)                                              \
    XP_FUNCTION(name, (const struct depth3 *q, Y *y),                        \
        D3_ENTER "slli t1, a6, 8\n slli t2, a7, 8\n slli t3, t0, 8\n"        \
        D3_WORD "lw a3, depth3.back(a0)\n lw s6, depth3.threes(a0)\n"        \
        "3:\n" D3_LOAD("s0", "s1") D3_LOAD("s2", "s3")                       \
        XP_BLOCK "xlp.setup 0, s6, 90\n"                                     \
        D3_TURN("s0", "s1", "s2", "s3", "s4", "s5", S, CLIP)                 \
        D3_TURN("s2", "s3", "s4", "s5", "s0", "s1", S, CLIP)                 \
        D3_TURN("s4", "s5", "s0", "s1", "s2", "s3", S, CLIP) XP_BLOCK_END    \
        "beqz a3, 4f\n lw s6, depth3.yback(a0)\n sub a2, a2, a3\n"           \
        "sub a1, a1, s6\n li a3, 0\n li s6, 1\n j 3b\n 4:\n" D3_NEXT(4)     \
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
        XP_BLOCK "xlp.setup 0, s6, 36\n"                                     \
        D3_LOAD2 D3_DOTS("a7", "s" S)                                        \
        D3_LOAD2 D3_DOTS("t0", "s" S)                                        \
        D3_HALF("a3", "s3", S, CLIP, D3_AT, "s9")                            \
        D3_HALF("t3", "s2", S, CLIP, D3_AT, "s8")                            \
        D3_HALF("t2", "s1", S, CLIP, D3_AT, "s7")                            \
        D3_HALF("t1", "s0", S, CLIP, D3_LAST, "a5") XP_BLOCK_END             \
        D3_NEXT(8) D3_LEAVE)

#define D3_SIGN(name, S)                                                     \
    D3_STEP1(name##1_r, S, D3_R);                                            \
    D3_STEP1(name##1_ur, S, D3_UR);                                          \
    D3_STEP3(name##3_r, S, D3_R);                                            \
    D3_STEP3(name##3_ur, S, D3_UR);                                          \
    D3_STEP2(name##2_r, S, D3_R);                                            \
    D3_STEP2(name##2_ur, S, D3_UR)
D3_SIGN(depth3_s, D3_SP);
D3_SIGN(depth3_u, D3_USP);

#endif
