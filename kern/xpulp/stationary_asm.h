/* Pixels by channels whose weights stay in registers, by hand: all registers are
 * taken.  To be included after struct stationary is defined
 * (stationary_pixels.h). */
#ifndef STATIONARY_ASM_H
#define STATIONARY_ASM_H

#define ST_MEMBERS(AT)                                                       \
    AT(w, 0) AT(scale, 4) AT(shift, 8) AT(range, 12) AT(next, 16)            \
    AT(ystep, 20) AT(groups, 24)
#define ST_FRAME(AT)                                                         \
    AT(x, 0) AT(y, 4) AT(n, 8) AT(w, 12) AT(scale, 16) AT(groups, 20)        \
    AT(mul, 24) AT(saved, 32) AT(size, 96)
#define ST_CHECK(name, at) XP_MEMBER(struct stationary, name, at);
#define ST_SET(name, at) ".set stationary." #name ", " #at "\n"
#define ST_SET_FRAME(name, at) ".set frames." #name ", " #at "\n"
ST_MEMBERS(ST_CHECK)
__asm__(ST_MEMBERS(ST_SET) ST_FRAME(ST_SET_FRAME));

/* a0 .. a3: struct stationary, x, y, pixels.  Then a0 is the way from result to
 * result, a1 x, a2 y, t0 the shift; `range` and `next` are in the registers
 * named. */
#define ST_ENTER(range, next)                                                \
    "addi sp, sp, -frames.size\n" XP_SAVED("sw", "frames.saved")             \
    "lw t1, stationary.w(a0)\n lw t2, stationary.scale(a0)\n"                \
    "lw t3, stationary.groups(a0)\n lw t0, stationary.shift(a0)\n"           \
    "sw a1, frames.x(sp)\n sw a2, frames.y(sp)\n sw a3, frames.n(sp)\n"      \
    "sw t1, frames.w(sp)\n sw t2, frames.scale(sp)\n"                        \
    "sw t3, frames.groups(sp)\n lw " range ", stationary.range(a0)\n"        \
    "lw " next ", stationary.next(a0)\n lw a0, stationary.ystep(a0)\n"
/* From group to group: t1 where the next weights are, t2 the next numbers. */
#define ST_NEXT(channels)                                                    \
    "sw t1, frames.w(sp)\n addi t2, t2, 8 * " #channels "\n"                 \
    "lw a2, frames.y(sp)\n sw t2, frames.scale(sp)\n lw a1, frames.x(sp)\n"  \
    "addi t1, a2, " #channels "\n sw t1, frames.y(sp)\n"                     \
    "lw t1, frames.n(sp)\n"
#define ST_LEAVE                                                             \
    "lw t1, frames.groups(sp)\n addi t1, t1, -1\n"                           \
    "sw t1, frames.groups(sp)\n bnez t1, 1b\n"                               \
    XP_SAVED("lw", "frames.saved") "addi sp, sp, frames.size\n ret\n"
#define ST_W(d) "xp.lw.post " d ", t1, 4\n"
#define ST_W4(a, b, c, d) ST_W(a) ST_W(b) ST_W(c) ST_W(d)
#define ST_X(d) "xp.lw.post " d ", a1, 4\n"
#define ST_LAST(d, next) "xp.lw.postr " d ", a1, " next "\n"
#define ST_SCALE(v, mul) "mul " v ", " v ", " mul "\n"
#define ST_ADD(v, add) "xp.addnr " v ", " add ", t0\n"

/* Two channels: sums t1 and t2, words of x t3 and t4, what is added a3 and
 * ra. */
#define ST_TWO(DOT, x, a, b) DOT("t1", x, a) DOT("t2", x, b)
#define ST_END2(mul0, mul1, CLIP, range)                                     \
    ST_SCALE("t1", mul0) ST_SCALE("t2", mul1) ST_ADD("t1", "a3")             \
    ST_ADD("t2", "ra") CLIP("t1", range) CLIP("t2", range)                   \
    "xpv.packlo.b t1, t2, t1\n xp.sh.postr t1, a2, a0\n"
#define ST_NUMBERS2                                                          \
    "lw t2, frames.scale(sp)\n lw t5, 0(t2)\n lw a3, 4(t2)\n"                \
    "lw t6, 8(t2)\n lw ra, 12(t2)\n"
#define ST_WORDS4(FIRST, MORE, CLIP)                                         \
    ST_ENTER("s7", "a7")                                                     \
    "1:\n lw t1, frames.w(sp)\n" ST_W4("s0", "s1", "s2", "s3")               \
    ST_W4("s8", "s9", "s10", "s11") ST_NUMBERS2 ST_NEXT(2)                   \
    XP_BLOCK "xlp.setup 0, t1, 20\n" ST_X("t3") ST_X("t4")                   \
    ST_TWO(FIRST, "t3", "s0", "s8") ST_X("t3")                               \
    ST_TWO(MORE, "t4", "s1", "s9") ST_LAST("t4", "a7")                       \
    ST_TWO(MORE, "t3", "s2", "s10") ST_TWO(MORE, "t4", "s3", "s11")          \
    ST_END2("t5", "t6", CLIP, "s7") XP_BLOCK_END ST_LEAVE
#define ST_WORDS7(FIRST, MORE, CLIP)                                         \
    ST_ENTER("s7", "a7")                                                     \
    "1:\n lw t1, frames.w(sp)\n" ST_W4("s0", "s1", "s2", "s3")               \
    ST_W("s4") ST_W("s5") ST_W("s6") ST_W4("s8", "s9", "s10", "s11")         \
    ST_W("a4") ST_W("a5") ST_W("a6") ST_NUMBERS2 ST_NEXT(2)                  \
    XP_BLOCK "xlp.setup 0, t1, 29\n" ST_X("t3") ST_X("t4")                   \
    ST_TWO(FIRST, "t3", "s0", "s8") ST_X("t3")                               \
    ST_TWO(MORE, "t4", "s1", "s9") ST_X("t4")                                \
    ST_TWO(MORE, "t3", "s2", "s10") ST_X("t3")                               \
    ST_TWO(MORE, "t4", "s3", "s11") ST_X("t4")                               \
    ST_TWO(MORE, "t3", "s4", "a4") ST_LAST("t3", "a7")                       \
    ST_TWO(MORE, "t4", "s5", "a5") ST_TWO(MORE, "t3", "s6", "a6")            \
    ST_END2("t5", "t6", CLIP, "s7") XP_BLOCK_END ST_LEAVE
/* Eight words.  There is no room for the two multipliers, but where windows follow
 * one another and results are whole bytes (ST_DENSE8). */
#define ST_WEIGHTS8                                                          \
    "1:\n lw t1, frames.w(sp)\n" ST_W4("s0", "s1", "s2", "s3")               \
    ST_W4("s4", "s5", "s6", "s7") ST_W4("s8", "s9", "s10", "s11")            \
    ST_W4("a4", "a5", "a6", "a7")
#define ST_DOTS8(FIRST, MORE, LAST, MUL0, MUL1)                              \
    ST_X("t3") ST_X("t4")                                                    \
    ST_TWO(FIRST, "t3", "s0", "s8") ST_X("t3")                               \
    ST_TWO(MORE, "t4", "s1", "s9") ST_X("t4")                                \
    ST_TWO(MORE, "t3", "s2", "s10") ST_X("t3")                               \
    ST_TWO(MORE, "t4", "s3", "s11") ST_X("t4")                               \
    ST_TWO(MORE, "t3", "s4", "a4") ST_X("t3")                                \
    ST_TWO(MORE, "t4", "s5", "a5") LAST                                      \
    ST_TWO(MORE, "t3", "s6", "a6") MUL0                                      \
    ST_TWO(MORE, "t4", "s7", "a7") MUL1
#define ST_WORDS8(FIRST, MORE, CLIP)                                         \
    ST_ENTER("t5", "t6") ST_WEIGHTS8                                         \
    "lw t2, frames.scale(sp)\n lw t3, 0(t2)\n lw t4, 8(t2)\n lw a3, 4(t2)\n" \
    "lw ra, 12(t2)\n sw t3, frames.mul(sp)\n sw t4, frames.mul + 4(sp)\n"    \
    ST_NEXT(2) XP_BLOCK "xlp.setup 0, t1, 34\n"                              \
    ST_DOTS8(FIRST, MORE, ST_LAST("t4", "t6"), "lw t3, frames.mul(sp)\n",    \
             "lw t4, frames.mul + 4(sp)\n")                                  \
    ST_END2("t3", "t4", CLIP, "t5") XP_BLOCK_END ST_LEAVE
#define ST_DENSE8(FIRST, MORE, CLIP)                                         \
    ST_ENTER("t1", "t2") ST_WEIGHTS8 ST_NUMBERS2 ST_NEXT(2)                  \
    XP_BLOCK "xlp.setup 0, t1, 32\n"                                         \
    ST_DOTS8(FIRST, MORE, ST_X("t4"), "", "")                                \
    ST_END2("t5", "t6", CLIP, "") XP_BLOCK_END ST_LEAVE

/* Four channels: sums t1 to t4, words of x t5 and t6, multipliers s8 to s11 and
 * what is added a4 to a7. */
#define ST_FOUR(DOT, x, a, b, c, d)                                          \
    DOT("t1", x, a) DOT("t2", x, b) DOT("t3", x, c) DOT("t4", x, d)
#define ST_WORDS2(FIRST, MORE, CLIP)                                         \
    ST_ENTER("a3", "ra")                                                     \
    "1:\n lw t1, frames.w(sp)\n" ST_W4("s0", "s1", "s2", "s3")               \
    ST_W4("s4", "s5", "s6", "s7")                                            \
    "lw t2, frames.scale(sp)\n lw s8, 0(t2)\n lw a4, 4(t2)\n lw s9, 8(t2)\n" \
    "lw a5, 12(t2)\n lw s10, 16(t2)\n lw a6, 20(t2)\n lw s11, 24(t2)\n"      \
    "lw a7, 28(t2)\n" ST_NEXT(4)                                             \
    XP_BLOCK "xlp.setup 0, t1, 25\n" ST_X("t5") ST_LAST("t6", "ra")          \
    ST_FOUR(FIRST, "t5", "s0", "s2", "s4", "s6")                             \
    ST_FOUR(MORE, "t6", "s1", "s3", "s5", "s7")                              \
    ST_SCALE("t1", "s8") ST_SCALE("t2", "s9") ST_SCALE("t3", "s10")          \
    ST_SCALE("t4", "s11") ST_ADD("t1", "a4") ST_ADD("t2", "a5")              \
    ST_ADD("t3", "a6") ST_ADD("t4", "a7") CLIP("t1", "a3") CLIP("t2", "a3")  \
    CLIP("t3", "a3") CLIP("t4", "a3") "xpv.packlo.b t1, t2, t1\n"            \
    "xpv.packhi.b t1, t4, t3\n xp.sw.postr t1, a2, a0\n"                     \
    XP_BLOCK_END ST_LEAVE

#define ST_CLIP_S(v, range) "xp.clip " v ", " v ", 8\n"
#define ST_CLIP_U(v, range) "xp.clipu " v ", " v ", 9\n"
#define ST_CLIP_R(v, range) "xp.clipr " v ", " v ", " range "\n"
#define ST_CLIP_UR(v, range) "xp.clipur " v ", " v ", " range "\n"
#define ST_PARAMETERS                                                        \
    (const struct stationary *t, const X *x, Y *y, int32_t n)
#define ST_SIGNS(name, WORDS, CLIP)                                          \
    XP_FUNCTION(name##_ss, ST_PARAMETERS,                                    \
                WORDS(BLOCK_FIRST_SP, BLOCK_SP, CLIP));                      \
    XP_FUNCTION(name##_uu, ST_PARAMETERS,                                    \
                WORDS(BLOCK_FIRST_UP, BLOCK_UP, CLIP));                      \
    XP_FUNCTION(name##_us, ST_PARAMETERS,                                    \
                WORDS(BLOCK_FIRST_USP, BLOCK_USP, CLIP));                    \
    XP_FUNCTION(name##_su, ST_PARAMETERS,                                    \
                WORDS(BLOCK_FIRST_SUP, BLOCK_SUP, CLIP))
#define ST_KIND(name, WORDS)                                                 \
    ST_SIGNS(name##_r, WORDS, ST_CLIP_R);                                    \
    ST_SIGNS(name##_ur, WORDS, ST_CLIP_UR);                                  \
    static inline void name ST_PARAMETERS                                    \
    {                                                                        \
        if (!WORD_SIGNED(Y) || t->low == 0)                                  \
            BLOCK_BY_SIGN(name##_ur, t, x, y, n);                            \
        else                                                                 \
            BLOCK_BY_SIGN(name##_r, t, x, y, n);                             \
    }
ST_KIND(stationary2, ST_WORDS2)
ST_KIND(stationary4, ST_WORDS4)
ST_KIND(stationary7, ST_WORDS7)
ST_KIND(stationary8, ST_WORDS8)
ST_SIGNS(stationary_dense8_s, ST_DENSE8, ST_CLIP_S);
ST_SIGNS(stationary_dense8_u, ST_DENSE8, ST_CLIP_U);

static inline void stationary_dense8 ST_PARAMETERS
{
    if (WORD_SIGNED(Y))
        BLOCK_BY_SIGN(stationary_dense8_s, t, x, y, n);
    else
        BLOCK_BY_SIGN(stationary_dense8_u, t, x, y, n);
}

#endif
