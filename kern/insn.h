/* XpulpV2 instructions by name, as assembler macros that make words: stock
 * assemblers do not know them.
 *
 * Names are those of the manuals with an x before them, which keeps them apart
 * from what the PULP compiler itself writes (p.mac: xp.mac).  Loads and stores
 * have their operands apart, and say how they find the place:
 *     xp.lw.post   d, p, n     p.lw d, n(p!)   p moves on by a number
 *     xp.lw.postr  d, p, s     p.lw d, s(p!)   or by a register
 *     xp.lw.at     d, p, s     p.lw d, s(p)    p stays
 * `t` stands for the type of elements where C knows it: xp.lt.post d, p, n, t
 * with t XP_TYPE(T); the same of pv.dotsp and its like with XP_SIGNS(T, U), and
 * of lanes with XP_UNSIGNED(T).  xlp.setup l, n, k: the k instructions that
 * follow are loop l, run n times.
 *
 * A compiler that optimizes files as one while it links must do so in one part
 * (-flto-partition=one): blocks of all parts want these macros. */
#ifndef INSN_H
#define INSN_H

#define XP_UNSIGNED(T) ((T)-1 > (T)0)
/* Width and sign as instructions have them: 0, 1, 2, and 4 more if unsigned. */
#define XP_TYPE(T) (sizeof(T) >> 1 | (XP_UNSIGNED(T) && sizeof(T) < 4 ? 4 : 0))
/* Of the first that is unsigned, if one is. */
#define XP_SIGNS(T, U)                                                        \
    (XP_UNSIGNED(T) && XP_UNSIGNED(U) ? 0                                     \
     : XP_UNSIGNED(T) || XP_UNSIGNED(U) ? 4 : 12)

/* The assembler of the PULP compiler, gcc 7, has no .insn: a macro of that name
 * makes words of those of the forms r and i, the only ones in use. */
#ifdef XP_PULP_GCC
#define XP_WORDS                                                              \
    ".set .Lxp_n, 0\n"                                                        \
    ".irp r, zero, ra, sp, gp, tp, t0, t1, t2, s0, s1, a0, a1, a2, a3, a4,"   \
    " a5, a6, a7, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, t3, t4, t5, t6\n" \
    ".set .Lxp_\\r, .Lxp_n\n .set .Lxp_n, .Lxp_n + 1\n .endr\n"               \
    ".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17,"   \
    " 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31\n"               \
    ".set .Lxp_x\\n, \\n\n .endr\n"                                           \
    ".macro .insn form, opcode, f3, a, b, c, d\n"                             \
    ".ifc \\form, r\n"                                                        \
    ".word \\opcode | (\\f3) << 12 | (\\a) << 25 | .Lxp_\\b << 7"             \
    " | .Lxp_\\c << 15 | .Lxp_\\d << 20\n"                                    \
    ".else\n"                                                                 \
    ".word \\opcode | (\\f3) << 12 | .Lxp_\\a << 7 | .Lxp_\\b << 15"          \
    " | ((\\c) & 0xfff) << 20\n"                                              \
    ".endif\n .endm\n"
#else
#define XP_WORDS
#endif

#define XP_MACRO(head, text) ".macro " head "\n .insn " text "\n .endm\n"
/* op d, a, b; and op d, a, i with a number in place of a register. */
#define XP_R(name, opcode, f3, f7)                                            \
    XP_MACRO(#name " d, a, b",                                                \
             "r " #opcode ", " #f3 ", " #f7 ", \\d, \\a, \\b")
#define XP_I(name, opcode, f3, f7)                                            \
    XP_MACRO(#name " d, a, i",                                                \
             "r " #opcode ", " #f3 ", " #f7 ", \\d, \\a, x\\i")
/* The same with a number of shifts in funct7. */
#define XP_N(name, opcode, f3, f7)                                            \
    XP_MACRO(#name " d, a, b, n",                                             \
             "r " #opcode ", " #f3 ", " #f7 " + \\n, \\d, \\a, \\b")
/* A number of six bits, as the immediate of 12 that has funct7 too, with its
 * sign: lanes of words, and one operand for all four. */
#define XP_SIX(head, f7)                                                      \
    XP_MACRO(head, "i 0x57, 7, \\d, \\a, "                                    \
             "((((" f7 ") + ((\\i) & 1)) << 5 | (\\i) >> 1) ^ 0x800) - 0x800")
/* xp.lw.* of type t: f3 as XP_TYPE. */
#define XP_LOAD(name, head, t)                                                \
    XP_MACRO("xp." name ".post d, p, n" head,                                 \
             "i 0x0b, " t ", \\d, \\p, \\n")                                  \
    XP_MACRO("xp." name ".postr d, p, s" head,                                \
             "r 0x0b, 7, 8 * (" t "), \\d, \\p, \\s")                         \
    XP_MACRO("xp." name ".at d, p, s" head,                                   \
             "r 0x03, 7, 8 * (" t "), \\d, \\p, \\s")
#define XP_STORE(name, head, t)                                               \
    XP_MACRO("xp." name ".post v, p, n" head,                                 \
             "r 0x2b, (" t ") & 3, 0, x\\n, \\p, \\v")                        \
    XP_MACRO("xp." name ".postr v, p, s" head,                                \
             "r 0x2b, 4 + ((" t ") & 3), 0, \\s, \\p, \\v")                   \
    XP_MACRO("xp." name ".at v, p, s" head,                                   \
             "r 0x23, 4 + ((" t ") & 3), 0, \\s, \\p, \\v")

__asm__(".ifndef .Lxp_known\n .set .Lxp_known, 1\n" XP_WORDS
    XP_MACRO("xlp.setup l, n, k", "i 0x7b, 4, x\\l, \\n, 2 * (\\k)")
    XP_LOAD("lb", "", "0") XP_LOAD("lh", "", "1") XP_LOAD("lw", "", "2")
    XP_LOAD("lbu", "", "4") XP_LOAD("lhu", "", "5")
    XP_LOAD("lt", ", t", "\\t")
    XP_STORE("sb", "", "0") XP_STORE("sh", "", "1") XP_STORE("sw", "", "2")
    XP_STORE("st", ", t", "\\t")
    XP_R(xp.min, 0x33, 4, 0x02) XP_R(xp.max, 0x33, 6, 0x02)
    XP_MACRO("xp.fl1 d, a", "r 0x33, 1, 0x08, \\d, \\a, x0")
    XP_I(xp.clip, 0x33, 1, 0x0a) XP_I(xp.clipu, 0x33, 2, 0x0a)
    XP_MACRO("xp.clipt d, a, i, t", "r 0x33, 1 + (\\t), 0x0a, \\d, \\a, x\\i")
    XP_R(xp.clipr, 0x33, 5, 0x0a) XP_R(xp.clipur, 0x33, 6, 0x0a)
    XP_R(xp.mac, 0x33, 0, 0x21) XP_R(xp.msu, 0x33, 1, 0x21)
    XP_N(xp.mulun, 0x5b, 0, 0x00) XP_N(xp.mulhhun, 0x5b, 0, 0x20)
    XP_N(xp.mulsrn, 0x5b, 4, 0x40)
    XP_N(xp.macun, 0x5b, 1, 0x00) XP_N(xp.machhun, 0x5b, 1, 0x20)
    XP_N(xp.addn, 0x5b, 2, 0x00)
    XP_N(xp.addun, 0x5b, 2, 0x40)
    XP_R(xp.addnr, 0x5b, 2, 0x20) XP_R(xp.addunr, 0x5b, 2, 0x60)
    XP_R(xpv.add.sc.b, 0x57, 5, 0x00)
    XP_R(xpv.add.b, 0x57, 1, 0x00) XP_R(xpv.add.h, 0x57, 0, 0x00)
    XP_R(xpv.sub.b, 0x57, 1, 0x04) XP_R(xpv.sub.h, 0x57, 0, 0x04)
    XP_R(xpv.avg.b, 0x57, 1, 0x08)
    XP_R(xpv.min.b, 0x57, 1, 0x10) XP_R(xpv.minu.b, 0x57, 1, 0x14)
    XP_R(xpv.max.b, 0x57, 1, 0x18) XP_R(xpv.maxu.b, 0x57, 1, 0x1c)
    XP_R(xpv.min.h, 0x57, 0, 0x10) XP_R(xpv.max.h, 0x57, 0, 0x18)
    XP_R(xpv.maxu.h, 0x57, 0, 0x1c)
    XP_MACRO("xpv.maxt.b d, a, b, t",
             "r 0x57, 1, 0x18 + 4 * (\\t), \\d, \\a, \\b")
    XP_MACRO("xpv.mint.b d, a, b, t",
             "r 0x57, 1, 0x10 + 4 * (\\t), \\d, \\a, \\b")
    XP_R(xpv.srl.b, 0x57, 1, 0x20) XP_R(xpv.cmpeq.b, 0x57, 1, 0x02)
    XP_SIX("xpv.srl.sci.b d, a, i", "0x20")
    XP_SIX("xpv.sra.sci.b d, a, i", "0x24")
    XP_SIX("xpv.and.sci.b d, a, i", "0x34")
    XP_R(xpv.dotup.b, 0x57, 1, 0x40) XP_R(xpv.dotusp.b, 0x57, 1, 0x44)
    XP_R(xpv.dotsp.b, 0x57, 1, 0x4c) XP_R(xpv.dotsp.h, 0x57, 0, 0x4c)
    XP_R(xpv.dotup.h, 0x57, 0, 0x40) XP_R(xpv.sdotup.h, 0x57, 0, 0x50)
    XP_R(xpv.sdotup.b, 0x57, 1, 0x50) XP_R(xpv.sdotusp.b, 0x57, 1, 0x54)
    XP_R(xpv.sdotsp.b, 0x57, 1, 0x5c) XP_R(xpv.sdotsp.h, 0x57, 0, 0x5c)
    XP_MACRO("xpv.dott.b d, a, b, t", "r 0x57, 1, 0x40 + \\t, \\d, \\a, \\b")
    XP_MACRO("xpv.sdott.b d, a, b, t", "r 0x57, 1, 0x50 + \\t, \\d, \\a, \\b")
    XP_SIX("xpv.extractu.b d, a, i", "0x48")
    XP_SIX("xpv.extractt.b d, a, i, t", "0x3c + 12 * (\\t)")
    XP_R(xpv.shuffle2.b, 0x57, 1, 0x64) XP_R(xpv.shuffle2.h, 0x57, 0, 0x64)
    XP_R(xpv.pack, 0x57, 0, 0x68) XP_R(xpv.packlo.b, 0x57, 1, 0x70)
    XP_R(xpv.packhi.b, 0x57, 1, 0x6c)
    ".endif");

/* What blocks change besides their operands, the registers of hardware loops
 * too where the compiler makes such loops itself. */
#if defined XP_PULP_GCC && !defined XP_CLOBBERS
#define XP_CLOBBERS "memory", "lc0", "lc1"
#elif !defined XP_CLOBBERS
#define XP_CLOBBERS "memory"
#endif

/* Around an asm block with a hardware loop (xlp.setup). */
#define XP_BLOCK ".balign 4\n .option push\n .option norvc\n"
#define XP_BLOCK_END ".option pop\n"

#endif
