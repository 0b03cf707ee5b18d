/* Every instruction against a model written a second time, the plain way:
 * random registers, random operands, corner values among them.  The encodings
 * come from a table of their own (xpulpv2.tsv; RV32IM below). */
#include "sim/chip.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { CODE = 0x1c020000, DATA = 0x10001000, BYTES = 8192, SELF = 0x6f };

typedef struct Insn {
    char name[32], args[16];
    uint32_t match, mask;
} Insn;

typedef struct State {
    uint32_t x[32], pc;
    uint8_t mem[BYTES];
    Loop loop[2];
} State;

static const Insn rv32im[] = {
    {"lui", "d,u", 0x37, 0x7f}, {"auipc", "d,u", 0x17, 0x7f},
    {"jal", "d,a", 0x6f, 0x7f}, {"jalr", "d,o(s)", 0x67, 0x707f},
    {"beq", "s,t,p", 0x63, 0x707f}, {"bne", "s,t,p", 0x1063, 0x707f},
    {"blt", "s,t,p", 0x4063, 0x707f}, {"bge", "s,t,p", 0x5063, 0x707f},
    {"bltu", "s,t,p", 0x6063, 0x707f}, {"bgeu", "s,t,p", 0x7063, 0x707f},
    {"addi", "d,s,j", 0x13, 0x707f}, {"slti", "d,s,j", 0x2013, 0x707f},
    {"sltiu", "d,s,j", 0x3013, 0x707f}, {"xori", "d,s,j", 0x4013, 0x707f},
    {"ori", "d,s,j", 0x6013, 0x707f}, {"andi", "d,s,j", 0x7013, 0x707f},
    {"slli", "d,s,>", 0x1013, 0xfe00707f},
    {"srli", "d,s,>", 0x5013, 0xfe00707f},
    {"srai", "d,s,>", 0x40005013, 0xfe00707f},
    {"add", "d,s,t", 0x33, 0xfe00707f},
    {"sub", "d,s,t", 0x40000033, 0xfe00707f},
    {"sll", "d,s,t", 0x1033, 0xfe00707f}, {"slt", "d,s,t", 0x2033, 0xfe00707f},
    {"sltu", "d,s,t", 0x3033, 0xfe00707f}, {"xor", "d,s,t", 0x4033, 0xfe00707f},
    {"srl", "d,s,t", 0x5033, 0xfe00707f},
    {"sra", "d,s,t", 0x40005033, 0xfe00707f},
    {"or", "d,s,t", 0x6033, 0xfe00707f}, {"and", "d,s,t", 0x7033, 0xfe00707f},
};

static uint64_t seed;

static uint32_t rnd(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) ^ (uint32_t)(seed >> 11) << 16;
}

static uint32_t operand(void)
{
    static const uint32_t corner[] = {
        0, 1, 2, 31, 32, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0xffff,
        0x7fffffff, 0x80000000, 0xffffffff, 0x80008000, 0x80808080, 0x7f807f80,
        0xfffffffe, 0xffff8000,
    };

    return rnd() % 3 ? rnd() : corner[rnd() % LEN(corner)];
}

static int32_t sx(uint32_t v, int n)
{
    return (int32_t)(v << (32 - n)) >> (32 - n);
}

/* ---- the model ---- */

static int lane_bits; /* 16 or 8 */

static int64_t lane(uint32_t v, int i, bool sign)
{
    uint32_t u = v >> i * lane_bits & ((1u << lane_bits) - 1);

    return sign ? sx(u, lane_bits) : (int64_t)u;
}

static int64_t cut(int64_t v, bool sign)
{
    return lane((uint32_t)v, 0, sign);
}

static bool is(const char *a, const char *b)
{
    return !strcmp(a, b);
}

static int compare_lanes(const char *op, int64_t a, int64_t b)
{
    if (!strncmp(op, "eq", 2))
        return a == b;
    if (!strncmp(op, "ne", 2))
        return a != b;
    if (!strncmp(op, "gt", 2))
        return a > b;
    if (!strncmp(op, "ge", 2))
        return a >= b;
    return !strncmp(op, "lt", 2) ? a < b : a <= b;
}

/* One lane of a packed operation; false if op is none of these. */
static bool one_lane(const char *op, uint32_t a, uint32_t b, int i,
                     int64_t *r)
{
    int64_t s = lane(a, i, true), t = lane(b, i, true);
    int64_t u = lane(a, i, false), v = lane(b, i, false);
    int shift = (int)(v % lane_bits);

    if (is(op, "add")) *r = s + t;
    else if (is(op, "sub")) *r = s - t;
    else if (is(op, "avg")) *r = cut(s + t, true) >> 1;
    else if (is(op, "avgu")) *r = cut(u + v, false) >> 1;
    else if (is(op, "min")) *r = s < t ? s : t;
    else if (is(op, "minu")) *r = u < v ? u : v;
    else if (is(op, "max")) *r = s > t ? s : t;
    else if (is(op, "maxu")) *r = u > v ? u : v;
    else if (is(op, "srl")) *r = u >> shift;
    else if (is(op, "sra")) *r = s >> shift;
    else if (is(op, "sll")) *r = u << shift;
    else if (is(op, "or")) *r = u | v;
    else if (is(op, "xor")) *r = u ^ v;
    else if (is(op, "and")) *r = u & v;
    else if (is(op, "abs")) *r = s < 0 ? -s : s;
    else if (!strncmp(op, "cmp", 3))
        *r = op[5] == 'u' ? -compare_lanes(op + 3, u, v)
                          : -compare_lanes(op + 3, s, t);
    else
        return false;
    return true;
}

static uint32_t dot(const char *op, uint32_t a, uint32_t b)
{
    bool us = strstr(op, "usp"), up = strstr(op, "up");
    uint32_t sum = 0;
    int i;

    for (i = 0; i < 32 / lane_bits; i++)
        sum += (uint32_t)(lane(a, i, !us && !up) * lane(b, i, !up));
    return sum;
}

static uint32_t set_lane(uint32_t d, int i, uint32_t v)
{
    uint32_t m = ((1u << lane_bits) - 1) << i * lane_bits;

    return (d & ~m) | (v << i * lane_bits & m);
}

/* shuffle, pack, extract, insert */
static uint32_t move_lanes(const char *op, bool imm, uint32_t d, uint32_t a,
                           uint32_t b)
{
    int n = 32 / lane_bits, i;
    uint32_t k = (uint32_t)op[8] - 48;
    uint32_t r = 0;

    if (is(op, "extract"))
        return (uint32_t)lane(a, (int)b % n, true);
    if (is(op, "extractu"))
        return (uint32_t)lane(a, (int)b % n, false);
    if (is(op, "insert"))
        return set_lane(d, (int)b % n, a);
    if (is(op, "pack"))
        return set_lane(b, 1, a);
    if (is(op, "packhi"))
        return set_lane(set_lane(d, 3, a), 2, b);
    if (is(op, "packlo"))
        return set_lane(set_lane(d, 1, a), 0, b);
    for (i = 0; i < n; i++) {
        int64_t s = lane(b, i, false);

        if (is(op, "shuffle2"))
            r = set_lane(r, i, (uint32_t)lane(s / n % 2 ? a : d, (int)s % n,
                                              false));
        else if (imm && n == 4)
            r = set_lane(r, i, (uint32_t)lane(a, i == 3 ? k
                                              : b >> 2 * i & 3, false));
        else if (imm)
            r = set_lane(r, i, (uint32_t)lane(a, b >> i & 1, false));
        else
            r = set_lane(r, i, (uint32_t)lane(a, (int)s % n, false));
    }
    return r;
}

static uint32_t packed_op(const char *name, uint32_t d, uint32_t a, uint32_t b,
                          uint32_t word)
{
    static const char *const zero[] = {
        "avgu", "minu", "maxu", "srl", "sra", "sll", "dotup", "sdotup",
        "cmpgtu", "cmpgeu", "cmpltu", "cmpleu", "extract", "extractu",
        "insert", "shuffle", "shufflei0", "shufflei1", "shufflei2",
        "shufflei3",
    };
    char op[16] = "";
    uint32_t six = (word >> 20 & 31) << 1 | (word >> 25 & 1), r = 0;
    bool imm = (word >> 12 & 7) >= 6, sign = true, lanes = false;
    size_t z;
    int i;

    sscanf(name, "pv.%15[a-z0-9]", op);
    lane_bits = name[strlen(name) - 1] == 'h' ? 16 : 8;
    for (z = 0; z < LEN(zero); z++)
        sign = sign && !is(op, zero[z]);
    if (imm)
        b = sign ? (uint32_t)sx(six, 6) : six;
    if (imm || strstr(name, ".sc."))
        for (lanes = true, i = 0, r = b; i < 32 / lane_bits; i++)
            b = set_lane(b, i, r);
    if (!strncmp(op, "dot", 3))
        return dot(op, a, b);
    if (!strncmp(op, "sdot", 4))
        return d + dot(op, a, b);
    for (r = 0, i = 0; i < 32 / lane_bits; i++) {
        int64_t v;

        if (!one_lane(op, a, b, i, &v))
            return move_lanes(op, imm, d, a, lanes && imm ? six : b);
        r = set_lane(r, i, (uint32_t)v);
    }
    return r;
}

static uint32_t clamp(int64_t v, int64_t lo, int64_t hi)
{
    return (uint32_t)(v < lo ? lo : v > hi ? hi : v);
}

/* Shift right, with the sign or not, after rounding if wanted. */
static uint32_t norm(uint32_t v, int n, bool sign, bool round)
{
    if (round && n)
        v += 1u << (n - 1);
    return sign ? (uint32_t)((int64_t)(int32_t)v >> n) : v >> n;
}

/* p.mul*, p.mac*, p.add*, p.sub* of opcode 0x5b, by their names. */
static uint32_t fixed(const char *name, uint32_t d, uint32_t a, uint32_t b,
                      uint32_t word)
{
    bool mul = strstr(name, "mul"), mac = strstr(name, "mac");
    const char *rest = name + (mul || mac ? 5 : 5); /* behind p.xxx */
    bool high, sign, round, reg;
    int n = word >> 25 & 31;

    if (!mul && !mac) { /* [u][r]n[i|r] */
        sign = *rest != 'u';
        rest += !sign;
        round = *rest == 'r';
        reg = rest[round + 1] == 'r';
        if (reg) {
            n = b & 31;
            b = a;
            a = d;
        }
        return norm(strstr(name, "add") ? a + b : a - b, n, sign, round);
    }
    high = !strncmp(rest, "hh", 2);
    rest += high ? 2 : 0;
    sign = *rest == 's';
    round = rest[1] == 'r';
    if (!rest[1])
        n = 0;
    a = high ? a >> 16 : a & 0xffff;
    b = high ? b >> 16 : b & 0xffff;
    a = sign ? (uint32_t)(sx(a, 16) * sx(b, 16)) : a * b;
    return norm(mac ? d + a : a, n, sign, round);
}

static uint32_t mask_of(int width, int pos)
{
    return (uint32_t)(((1ull << (width + 1)) - 1) << pos);
}

/* extract insert bclr bset, with immediates or a register */
static uint32_t bit_field(const char *name, uint32_t d, uint32_t a, uint32_t b,
                          uint32_t word)
{
    bool reg = name[strlen(name) - 1] == 'r' && !is(name, "p.bclr");
    int width = reg ? b >> 5 & 31 : word >> 25 & 31;
    int pos = reg ? b & 31 : word >> 20 & 31;
    uint32_t m = mask_of(width, pos);

    if (!strncmp(name, "p.extractu", 10))
        return (a & m) >> pos;
    if (!strncmp(name, "p.extract", 9))
        return (uint32_t)sx((a & m) >> pos, width + 1);
    if (!strncmp(name, "p.insert", 8))
        return (d & ~m) | (a << pos & m);
    return !strncmp(name, "p.bclr", 6) ? a & ~m : a | m;
}

static int highest(uint32_t v)
{
    int i = 31;

    while (i >= 0 && !(v >> i & 1))
        i--;
    return i;
}

static int lowest(uint32_t v)
{
    int i = 0;

    while (i < 32 && !(v >> i & 1))
        i++;
    return i;
}

static int ones(uint32_t v)
{
    int i, n = 0;

    for (i = 0; i < 32; i++)
        n += v >> i & 1;
    return n;
}

static int equal_top_bits(uint32_t v)
{
    int n = 0;

    while (n < 31 && (v >> (30 - n) & 1) == v >> 31)
        n++;
    return n;
}

static uint32_t multiply(const char *name, uint32_t a, uint32_t b)
{
    __int128 s = (int32_t)a, t = (int32_t)b, u = a, v = b;

    if (is(name, "mul")) return a * b;
    if (is(name, "mulh")) return (uint32_t)(s * t >> 32);
    if (is(name, "mulhu")) return (uint32_t)(u * v >> 32);
    return (uint32_t)(s * v >> 32);
}

static uint32_t divide(const char *name, uint32_t a, uint32_t b)
{
    int64_t s = (int32_t)a, t = (int32_t)b;
    bool rem = name[0] == 'r', u = name[3] == 'u';

    if (!b)
        return rem ? a : ~0u;
    if (u)
        return rem ? a % b : a / b;
    return (uint32_t)(rem ? s % t : s / t);
}

/* Integer operations on registers, standard and of XpulpV2. */
static uint32_t scalar(const char *name, uint32_t d, uint32_t a, uint32_t b,
                       uint32_t word)
{
    const char *n = !strncmp(name, "p.", 2) ? name + 2 : name;
    int64_t s = (int32_t)a, t = (int32_t)b;
    int i2 = word >> 20 & 31;

    if (is(n, "abs")) return (uint32_t)(s < 0 ? -s : s);
    if (is(n, "slet")) return s <= t;
    if (is(n, "sletu")) return a <= b;
    if (is(n, "min")) return (uint32_t)(s < t ? s : t);
    if (is(n, "minu")) return a < b ? a : b;
    if (is(n, "max")) return (uint32_t)(s > t ? s : t);
    if (is(n, "maxu")) return a > b ? a : b;
    if (is(n, "ror"))
        return (uint32_t)(((uint64_t)a << 32 | a) >> (b & 31));
    if (is(n, "ff1")) return (uint32_t)lowest(a);
    if (is(n, "fl1")) return a ? (uint32_t)highest(a) : 32;
    if (is(n, "clb")) return a ? (uint32_t)equal_top_bits(a) : 0;
    if (is(n, "cnt")) return (uint32_t)ones(a);
    if (is(n, "exths")) return (uint32_t)sx(a, 16);
    if (is(n, "exthz")) return a % 65536;
    if (is(n, "extbs")) return (uint32_t)sx(a, 8);
    if (is(n, "extbz")) return a % 256;
    if (is(n, "clip") || is(n, "clipi"))
        return i2 ? clamp(s, -(1LL << (i2 - 1)), (1LL << (i2 - 1)) - 1)
                  : clamp(s, -1, 0);
    if (is(n, "clipu") || is(n, "clipui"))
        return clamp(s, 0, i2 ? (1LL << (i2 - 1)) - 1 : 0);
    if (is(n, "clipr")) return clamp(s, -t - 1, t);
    if (is(n, "clipur")) return clamp(s, 0, t);
    if (is(n, "mac")) return d + a * b;
    if (is(n, "msu")) return d - a * b;
    if (!strncmp(n, "mul", 3)) return multiply(n, a, b);
    if (!strncmp(n, "div", 3) || !strncmp(n, "rem", 3)) return divide(n, a, b);
    if (is(n, "add") || is(n, "addi")) return a + b;
    if (is(n, "sub")) return a - b;
    if (is(n, "sll") || is(n, "slli")) return a << (b & 31);
    if (is(n, "srl") || is(n, "srli")) return a >> (b & 31);
    if (is(n, "sra") || is(n, "srai")) return (uint32_t)(s >> (b & 31));
    if (is(n, "slt") || is(n, "slti")) return s < t;
    if (is(n, "sltu") || is(n, "sltiu")) return a < b;
    if (is(n, "xor") || is(n, "xori")) return a ^ b;
    if (is(n, "or") || is(n, "ori")) return a | b;
    if (is(n, "and") || is(n, "andi")) return a & b;
    return bit_field(name, d, a, b, word);
}

static void put(State *s, int r, uint32_t v)
{
    if (r)
        s->x[r] = v;
}

/* p.lw and the like: EA and what the pointer becomes. */
static void memory(const char *name, const char *args, uint32_t w, State *s)
{
    const char *n = !strncmp(name, "p.", 2) ? name + 2 : name;
    int rd = w >> 7 & 31, rs1 = w >> 15 & 31, rs2 = w >> 20 & 31;
    bool load = n[0] == 'l' || is(n, "elw"), post = strchr(args, '!');
    int size = strchr(n, 'w') ? 4 : strchr(n, 'h') ? 2 : 1;
    uint32_t step, ea, v = 0;

    if (strchr(args, 'o'))
        step = (uint32_t)sx(w >> 20, 12);
    else if (strchr(args, 'q'))
        step = (uint32_t)sx((w >> 25) << 5 | (w >> 7 & 31), 12);
    else
        step = s->x[load ? rs2 : rd];
    ea = s->x[rs1] + (post ? 0 : step);
    if (load)
        memcpy(&v, s->mem + (ea - DATA), (size_t)size);
    else
        memcpy(s->mem + (ea - DATA), &s->x[rs2], (size_t)size);
    if (post)
        put(s, rs1, s->x[rs1] + step);
    if (load)
        put(s, rd, n[strlen(n) - 1] == 'u' || size == 4 ? v
                 : (uint32_t)sx(v, 8 * size));
}

static void hardware_loop(const char *name, uint32_t w, State *s)
{
    Loop *l = &s->loop[w >> 7 & 1];
    uint32_t imm = w >> 20, rs1 = w >> 15 & 31;

    if (is(name, "lp.starti")) l->start = s->pc + 2 * imm;
    if (is(name, "lp.endi")) l->end = s->pc + 2 * imm;
    if (is(name, "lp.count")) l->count = s->x[rs1];
    if (is(name, "lp.counti")) l->count = imm;
    if (is(name, "lp.setup"))
        *l = (Loop){s->pc + 4, s->pc + 2 * imm, s->x[rs1]};
    if (is(name, "lp.setupi"))
        *l = (Loop){s->pc + 4, s->pc + 2 * rs1, imm};
}

static bool taken(const char *name, uint32_t a, uint32_t b, int imm5)
{
    if (is(name, "p.beqimm")) return (int32_t)a == imm5;
    if (is(name, "p.bneimm")) return (int32_t)a != imm5;
    if (is(name, "beq")) return a == b;
    if (is(name, "bne")) return a != b;
    if (is(name, "blt")) return (int32_t)a < (int32_t)b;
    if (is(name, "bge")) return (int32_t)a >= (int32_t)b;
    return is(name, "bltu") ? a < b : a >= b;
}

static int branch_to(uint32_t w)
{
    return sx((w >> 31) << 12 | (w >> 7 & 1) << 11 | (w >> 25 & 63) << 5 |
              (w >> 8 & 15) << 1, 13);
}

static void model(const Insn *in, uint32_t w, State *s)
{
    int rd = w >> 7 & 31, rs1 = w >> 15 & 31, rs2 = w >> 20 & 31;
    uint32_t a = s->x[rs1], b = s->x[rs2], next = s->pc + 4;
    const char *n = in->name;

    if (strchr(in->args, 'j'))
        b = (uint32_t)sx(w >> 20, 12);
    if (strchr(in->args, '>'))
        b = (uint32_t)rs2;
    if (strchr(in->args, '(') && !is(n, "jalr"))
        memory(n, in->args, w, s);
    else if (!strncmp(n, "lp.", 3))
        hardware_loop(n, w, s);
    else if (strchr(in->args, 'p'))
        next = taken(n, a, b, sx((uint32_t)rs2, 5))
                   ? s->pc + (uint32_t)branch_to(w) : next;
    else if (!strncmp(n, "pv.", 3))
        put(s, rd, packed_op(n, s->x[rd], a, b, w));
    else if ((w & 127) == 0x5b)
        put(s, rd, fixed(n, s->x[rd], a, b, w));
    else if (is(n, "lui"))
        put(s, rd, w & 0xfffff000);
    else if (is(n, "auipc"))
        put(s, rd, s->pc + (w & 0xfffff000));
    else if (is(n, "jal")) {
        put(s, rd, next);
        next = s->pc + (uint32_t)sx((w >> 31) << 20 | (w >> 12 & 255) << 12 |
                                    (w >> 20 & 1) << 11 |
                                    (w >> 21 & 1023) << 1, 21);
    } else if (is(n, "jalr")) {
        put(s, rd, next);
        next = (a + (uint32_t)sx(w >> 20, 12)) & ~1u;
    } else
        put(s, rd, scalar(n, s->x[rd], a, b, w));
    s->pc = next;
}

/* ---- both, side by side ---- */

/* Operands that keep the instruction legal and inside of memory. */
static uint32_t make_word(const Insn *in, State *s)
{
    uint32_t w = (rnd() & ~in->mask) | in->match;
    int rd = w >> 7 & 31, rs1, rs2;

    if (strchr(in->args, 'p')) /* keep the branch near */
        w = (w & 0x01fff07f) | (rnd() & 0x1e000e00) | (rnd() & 1 ? 0xe0000080
                                                                 : 0);
    if (is(in->name, "jal"))
        w = (w & 0xfff) | (uint32_t)(rnd() & 0x3fe) << 21;
    if (is(in->name, "lp.setup")) /* a body behind the instruction */
        w |= 4 << 20;
    if (is(in->name, "lp.setupi"))
        w |= 4 << 15;
    if (strchr(in->args, '(') && !(w >> 15 & 31))
        w |= 9 << 15;
    rs1 = w >> 15 & 31;
    rs2 = w >> 20 & 31;
    if (is(in->name, "jalr"))
        s->x[rs1] = CODE + (rnd() & 0x7fc) - (uint32_t)sx(w >> 20, 12);
    else if (strchr(in->args, '(')) {
        bool reg = !strchr(in->args, 'o') && !strchr(in->args, 'q');
        int step = strchr(in->args, 'd') && in->args[0] == 'd' ? rs2 : rd;

        if (reg && step && step != rs1)
            s->x[step] = rnd() % 512;
        s->x[rs1] = DATA + 3000 + rnd() % 1024;
        if (reg && step == rs1 && !strchr(in->args, '!'))
            s->x[rs1] = (DATA + 3000) / 2;
    }
    if (strstr(in->args, "b5,bi")) /* width and place within the word */
        while ((int)(w >> 25 & 31) + (int)(w >> 20 & 31) > 31)
            w = (w & ~0x3ff00000u) | (rnd() & 0x3ff00000);
    if (!strncmp(in->name, "p.clipr", 7) || !strncmp(in->name, "p.clipur", 8))
        s->x[rs2] &= 0x7fffffff;
    if (strstr("p.extractr p.extractur p.insertr p.bclrr p.bsetr", in->name))
        while ((s->x[rs2] >> 5 & 31) + (s->x[rs2] & 31) > 31 && rs2)
            s->x[rs2] = rnd();
    return w;
}

static void run_ours(Chip *c, Core *core, uint32_t w, State *s)
{
    Ram *code = ram_find(c, CODE, 4), *data = ram_find(c, DATA, 4);
    uint8_t *at = code->data + (s->pc - code->base);
    uint32_t self = SELF;
    uint64_t end;

    memcpy(at, &w, 4);
    code_changed(c, code, s->pc - code->base, 4);
    code_flush(c);
    memcpy(core->x, s->x, sizeof s->x);
    memcpy(data->data + (DATA - data->base), s->mem, BYTES);
    core->loop[0] = s->loop[0];
    core->loop[1] = s->loop[1];
    core_jump(core, s->pc);
    core->t += 1000;
    end = core->t + 60;
    do { /* a misaligned access asks for its banks, one and the other */
        while (core->asks)
            banks_serve(core->clock, core->t);
        core_run(core, end, end, NEVER);
    } while (core->asks);
    memcpy(s->x, core->x, sizeof s->x);
    memcpy(s->mem, data->data + (DATA - data->base), BYTES);
    s->loop[0] = core->loop[0];
    s->loop[1] = core->loop[1];
    s->pc = core_pc(core);
    memcpy(at, &self, 4);
    code_changed(c, code, (uint32_t)(at - code->data), 4);
}

static bool same(const State *a, const State *b)
{
    return !memcmp(a->x, b->x, sizeof a->x) && a->pc == b->pc &&
           !memcmp(a->mem, b->mem, sizeof a->mem) &&
           !memcmp(a->loop, b->loop, sizeof a->loop);
}

static void report(const Insn *in, uint32_t w, const State *was,
                   const State *got, const State *want)
{
    char text[64];
    int i;

    sim_disassemble(w, was->pc, text, sizeof text);
    printf("%s %s: word %08x = %s\n", in->name, in->args, w, text);
    for (i = 0; i < 32; i++)
        if (got->x[i] != want->x[i] || i == (int)(w >> 15 & 31) ||
            i == (int)(w >> 20 & 31))
            printf("  x%d was %08x, is %08x, wanted %08x\n", i, was->x[i],
                   got->x[i], want->x[i]);
    printf("  pc %08x, wanted %08x\n", got->pc, want->pc);
}

static int try_insn(Chip *c, Core *core, const Insn *in, int times)
{
    static State was, got, want;
    uint32_t w, i;
    int bad = 0;

    while (times-- && bad < 3) {
        for (i = 1; i < 32; i++)
            was.x[i] = operand();
        for (i = 0; i < BYTES; i++)
            was.mem[i] = (uint8_t)rnd();
        was.loop[0] = was.loop[1] = (Loop){0, 0, 0};
        was.pc = CODE + 0x1000;
        w = make_word(in, &was);
        got = want = was;
        run_ours(c, core, w, &got);
        model(in, w, &want);
        if (!same(&got, &want)) {
            report(in, w, &was, &got, &want);
            bad++;
        }
    }
    return bad;
}

/* An alias that fixes more bits comes as its own line of the table. */
static int try_table(Chip *c, Core *core, const char *path, int times, int *n)
{
    FILE *f = fopen(path, "r");
    char line[256];
    Insn in;
    int bad = 0;

    if (!f)
        return 1;
    while (fgets(line, sizeof line, f))
        if (sscanf(line, "%31s %15s %" SCNx32 " %" SCNx32, in.name, in.args,
                   &in.match, &in.mask) == 4) {
            bad += try_insn(c, core, &in, times) != 0;
            ++*n;
        }
    fclose(f);
    return bad;
}

int main(int argc, char **argv)
{
    Arena *a = arena_new();
    SimProgram p = {soc_read(a, "pulp-open"), NULL, NULL};
    SimOptions o = {0};
    Sim *s = sim_new(a, &p, 1, &o);
    Chip *c = &s->chip[0];
    Core *core = &chip_clock(c, "cluster")->core[0];
    Ram *code = ram_find(c, CODE, 4);
    uint32_t i, self = SELF;
    int n = 0, bad, times = argc > 3 ? atoi(argv[3]) : 300;

    seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
    for (i = 0; i < 0x4000; i += 4)
        memcpy(code->data + (CODE - code->base) + i, &self, 4);
    core_start(core, CODE, 0);
    bad = try_table(c, core, argv[1], times, &n);
    for (i = 0; i < LEN(rv32im); i++, n++)
        bad += try_insn(c, core, &rv32im[i], times) != 0;
    if (s->res->fault[0])
        printf("fault: %s\n", s->res->fault);
    printf("%d instructions, %d times each, %d differ (seed %llu)\n", n, times,
           bad, (unsigned long long)(argc > 2 ? strtoull(argv[2], NULL, 0)
                                              : 1));
    return bad != 0 || s->res->fault[0];
}
