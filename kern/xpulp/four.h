/* Pieces of loops over four elements at a time: instructions on the operands
 * a, b, c and d, and on w, a word of bytes.  i0 to i3 are a number times 1,
 * 2^8, 2^16 and 2^24, `signs` those of XP_SIGNS(). */
#ifndef XPULP_FOUR_H
#define XPULP_FOUR_H

#include "kern/xpulp/xpulp.h"

/* Each by the same: a = a op by, and so on. */
#define FOUR_EACH(op, by)                                                     \
    op " %[a], %[a], " by "\n" op " %[b], %[b], " by "\n"                     \
    op " %[c], %[c], " by "\n" op " %[d], %[d], " by "\n"

/* Words from v on. */
#define FOUR_WORDS                                                            \
    "xp.lw.post %[a], %[v], 4\n xp.lw.post %[b], %[v], 4\n"                   \
    "xp.lw.post %[c], %[v], 4\n xp.lw.post %[d], %[v], 4\n"

/* The bytes of w times that number. */
#define FOUR_PLACE(d, i) "xpv.dott.b " d ", %[w], %[" i "], %[signs]\n"
#define FOUR_PLACES                                                           \
    FOUR_PLACE("%[a]", "i0") FOUR_PLACE("%[b]", "i1")                         \
    FOUR_PLACE("%[c]", "i2") FOUR_PLACE("%[d]", "i3")

/* What a table has there; load: xp.lb.at, xp.lbu.at or xp.lw.at. */
#define FOUR_LOOK_UP(load, table)                                             \
    load " %[a], " table ", %[a]\n" load " %[b], " table ", %[b]\n"           \
    load " %[c], " table ", %[c]\n" load " %[d], " table ", %[d]\n"

/* Their low bytes, a word in a. */
#define FOUR_PACK                                                             \
    "xpv.packlo.b %[a], %[b], %[a]\n xpv.packhi.b %[a], %[d], %[c]\n"

#endif
