/* Scores of two rows of q of 32 bytes at a time, which stay in registers while
 * keys pass; elsewhere the same in plain C.  To be included after attend.h. */
#ifndef ATTEND_PAIR_H
#define ATTEND_PAIR_H

enum { PAIR_WORDS = 8 }; /* of a row */

/* n keys; next: from the last word of one to the next key; row, line: from row
 * to row of q and x; pairs: of rows.  By place, for assembly. */
struct attend_pair {
    const X *key;
    int32_t next, n, mul, add, shift;
    int8_t *x;
    int32_t line;
    const int8_t *q;
    int32_t row, pairs;
};

#ifdef XPULPV2
#define PAIR_MEMBERS(AT)                                                      \
    AT(key, 0) AT(next, 4) AT(n, 8) AT(mul, 12) AT(add, 16) AT(shift, 20)     \
    AT(x, 24) AT(line, 28) AT(q, 32) AT(row, 36) AT(pairs, 40)
#define PAIR_CHECK(name, at) XP_MEMBER(struct attend_pair, name, at);
#define PAIR_SET(name, at) ".set pair." #name ", " #at "\n"
PAIR_MEMBERS(PAIR_CHECK)

/* Sums t1 and t2, words of keys t3 and t4; a1 and a2 keys and scores. */
#define PAIR_LOAD4(p, a, b, c, d)                                             \
    "xp.lw.post " a ", " p ", 4\n xp.lw.post " b ", " p ", 4\n"               \
    "xp.lw.post " c ", " p ", 4\n xp.lw.post " d ", " p ", 4\n"
#define PAIR_KEY(d) "xp.lw.post " d ", a1, 4\n"
#define PAIR_DOTS(dot, x, a, b)                                               \
    "xpv." dot ".b t1, " x ", " a "\n xpv." dot ".b t2, " x ", " b "\n"
#define PAIR_LOOP                                                             \
    "xlp.setup 0, t1, 32\n" PAIR_KEY("t3") PAIR_KEY("t4")                     \
    PAIR_DOTS("dotsp", "t3", "s0", "s8") PAIR_KEY("t3")                       \
    PAIR_DOTS("sdotsp", "t4", "s1", "s9") PAIR_KEY("t4")                      \
    PAIR_DOTS("sdotsp", "t3", "s2", "s10") PAIR_KEY("t3")                     \
    PAIR_DOTS("sdotsp", "t4", "s3", "s11") PAIR_KEY("t4")                     \
    PAIR_DOTS("sdotsp", "t3", "s4", "a4") PAIR_KEY("t3")                      \
    PAIR_DOTS("sdotsp", "t4", "s5", "a5") "xp.lw.postr t4, a1, t6\n"          \
    PAIR_DOTS("sdotsp", "t3", "s6", "a6")                                     \
    PAIR_DOTS("sdotsp", "t4", "s7", "a7")                                     \
    "mul t1, t1, t5\n mul t2, t2, t5\n"                                       \
    "xp.addnr t1, a3, t0\n xp.addnr t2, a3, t0\n"                             \
    "xp.clip t1, t1, 8\n xp.clip t2, t2, 8\n"                                 \
    "xp.sb.at t2, a2, ra\n xp.sb.post t1, a2, 1\n"

static inline void attend_pairs(struct attend_pair *p)
{
    register struct attend_pair *at __asm__("a0") = p;

    __asm__ volatile(
        PAIR_MEMBERS(PAIR_SET)
        "1:\n lw t1, pair.q(a0)\n lw t2, pair.row(a0)\n lw a1, pair.key(a0)\n"
        "lw a2, pair.x(a0)\n add t2, t1, t2\n"
        PAIR_LOAD4("t1", "s0", "s1", "s2", "s3")
        PAIR_LOAD4("t1", "s4", "s5", "s6", "s7")
        PAIR_LOAD4("t2", "s8", "s9", "s10", "s11")
        PAIR_LOAD4("t2", "a4", "a5", "a6", "a7")
        "lw t6, pair.next(a0)\n lw t5, pair.mul(a0)\n lw a3, pair.add(a0)\n"
        "lw t0, pair.shift(a0)\n lw ra, pair.line(a0)\n lw t1, pair.n(a0)\n"
        XP_BLOCK PAIR_LOOP XP_BLOCK_END
        "lw t1, pair.q(a0)\n lw t2, pair.row(a0)\n lw t3, pair.x(a0)\n"
        "lw t4, pair.pairs(a0)\n slli t2, t2, 1\n slli t5, ra, 1\n"
        "add t1, t1, t2\n add t3, t3, t5\n addi t4, t4, -1\n"
        "sw t1, pair.q(a0)\n sw t3, pair.x(a0)\n sw t4, pair.pairs(a0)\n"
        "bnez t4, 1b\n"
        : "+r"(at)
        : : XP_CLOBBERS, "ra", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "t0",
            "t1", "t2", "t3", "t4", "t5", "t6", "s0", "s1", "s2", "s3", "s4",
            "s5", "s6", "s7", "s8", "s9", "s10", "s11");
}
#else
static inline void attend_pairs(struct attend_pair *p)
{
    const int32_t step = p->next + 4 * (PAIR_WORDS - 1);

    for (int32_t r = 0; r < 2 * p->pairs; r++)
        for (int32_t i = 0; i < p->n; i++) {
            int32_t sum = 0;

            for (int32_t j = 0; j < 4 * PAIR_WORDS; j++)
                sum += p->q[r * p->row + j] * p->key[i * step + j];
            p->x[r * p->line + i] = (int8_t)rescale32(sum, p->mul, p->add,
                                                      p->shift, -128, 127);
        }
}
#endif

#endif
