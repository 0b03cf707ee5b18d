/* What the meanings in insn.def are made of. */
#ifndef VALUE_H
#define VALUE_H

#include <stdint.h>

#define s32(v) ((int32_t)(v))
#define u32(v) ((uint32_t)(v))
#define ctz(v) ((uint32_t)__builtin_ctz(v))
#define clz(v) ((uint32_t)__builtin_clz(v))
#define popcount(v) ((uint32_t)__builtin_popcount(v))
#define lo_s(v) u32((int16_t)(v))
#define hi_s(v) u32((int16_t)((v) >> 16))
#define lo_u(v) u32((uint16_t)(v))
#define hi_u(v) ((v) >> 16)

static inline uint32_t sra(uint32_t v, uint32_t n)
{
    return u32(s32(v) >> (n & 31));
}

static inline uint32_t srl(uint32_t v, uint32_t n)
{
    return v >> (n & 31);
}

static inline uint32_t ror(uint32_t v, uint32_t n)
{
    return v >> n | v << (-n & 31);
}

/* What rounding adds before a shift by n. */
static inline uint32_t half(uint32_t n)
{
    return n ? 1u << (n - 1) : 0;
}

static inline uint32_t mulh(uint32_t a, uint32_t b)
{
    return u32((int64_t)s32(a) * s32(b) >> 32);
}

static inline uint32_t mulhu(uint32_t a, uint32_t b)
{
    return u32((uint64_t)a * b >> 32);
}

static inline uint32_t mulhsu(uint32_t a, uint32_t b)
{
    return u32((int64_t)s32(a) * (int64_t)(uint64_t)b >> 32);
}

static inline uint32_t divu(uint32_t a, uint32_t b)
{
    return b ? a / b : ~0u;
}

static inline uint32_t remu(uint32_t a, uint32_t b)
{
    return b ? a % b : a;
}

static inline uint32_t divs(uint32_t a, uint32_t b)
{
    if (!b || (a == 0x80000000 && b == ~0u))
        return b ? a : ~0u;
    return u32(s32(a) / s32(b));
}

static inline uint32_t rems(uint32_t a, uint32_t b)
{
    if (!b || (a == 0x80000000 && b == ~0u))
        return b ? 0 : a;
    return u32(s32(a) % s32(b));
}

/* The divider aligns the divisor first: short divisors take longer. */
static inline uint32_t divu_cycles(uint32_t d)
{
    return d ? 3 + clz(d) : 35;
}

static inline uint32_t div_cycles(uint32_t d)
{
    if (s32(d) >= 0)
        return divu_cycles(d);
    return ~d ? 2 + clz(~d) : 34;
}

/* Redundant sign bits. */
static inline uint32_t sign_bits(uint32_t v)
{
    uint32_t m = s32(v) < 0 ? ~v : v;

    return m ? clz(m) - 1 : 31;
}

/* The largest value of n - 1 bits: 2^(n-1) - 1; none is 0. */
static inline uint32_t top(uint32_t n)
{
    return n ? (1u << (n - 1)) - 1 : 0;
}

static inline uint32_t clip(uint32_t v, uint32_t lo, uint32_t hi)
{
    if (s32(v) < s32(lo))
        return lo;
    return s32(v) > s32(hi) ? hi : v;
}

/* width + 1 ones at a position. */
static inline uint32_t field(uint32_t width, uint32_t pos)
{
    return ((2u << (width & 31)) - 1) << (pos & 31);
}

static inline uint32_t extractu(uint32_t v, uint32_t width, uint32_t pos)
{
    return v >> (pos & 31) & ((2u << (width & 31)) - 1);
}

static inline uint32_t extract(uint32_t v, uint32_t width, uint32_t pos)
{
    uint32_t drop = 31 - (width & 31);

    return sra(v >> (pos & 31) << drop, drop);
}

static inline uint32_t insert(uint32_t d, uint32_t v, uint32_t width,
                              uint32_t pos)
{
    uint32_t m = field(width, pos);

    return (d & ~m) | (v << (pos & 31) & m);
}

static inline uint32_t rep_h(uint32_t v)
{
    return (v & 0xffff) * 0x10001;
}

static inline uint32_t rep_b(uint32_t v)
{
    return (v & 0xff) * 0x1010101;
}

/* Lanes of rs1 and rs2 in order; the result's lanes from the meaning. */
#define HALVES_T_s int16_t
#define HALVES_T_u uint16_t
#define BYTES_T_s int8_t
#define BYTES_T_u uint8_t
#define WIDE_s int32_t
#define WIDE_u uint32_t
#define LANES(lane_t, wide, n, src, meaning)                                  \
    {                                                                         \
        typedef lane_t lane;                                                  \
        enum { bits = 32 / n };                                               \
        uint32_t in_ = S, with_ = src, out_ = 0;                              \
        _Pragma("GCC unroll 4") for (int i_ = 0; i_ < n; i_++)                \
        {                                                                     \
            wide a = (lane)(in_ >> i_ * bits);                                \
            wide b = (lane)(with_ >> i_ * bits);                              \
            out_ |= (u32(meaning) & (~0u >> (32 - bits))) << i_ * bits;       \
            (void)b;                                                          \
        }                                                                     \
        D = out_;                                                             \
    }
#define HALVES(sign, src, meaning)                                            \
    LANES(HALVES_T_##sign, WIDE_##sign, 2, src, meaning)
#define BYTES(sign, src, meaning)                                             \
    LANES(BYTES_T_##sign, WIDE_##sign, 4, src, meaning)

#define s_h(v) ((int16_t)(v))
#define u_h(v) ((uint16_t)(v))
#define s_b(v) ((int8_t)(v))
#define u_b(v) ((uint8_t)(v))
#define dot_h(x, y, p, q)                                                     \
    (u32(x(p)) * u32(y(q)) + u32(x((p) >> 16)) * u32(y((q) >> 16)))
#define dot_b(x, y, p, q)                                                     \
    u32(x(p) * y(q) + x((p) >> 8) * y((q) >> 8) +                             \
        x((p) >> 16) * y((q) >> 16) + x((p) >> 24) * y((q) >> 24))

/* Lanes picked by sel: bit 2 (bytes) or 1 (halves) says from s, else from d. */
static inline uint32_t shuffle_b(uint32_t d, uint32_t s, uint32_t sel)
{
    uint32_t r = 0;
    int i;

    for (i = 0; i < 32; i += 8) {
        uint32_t k = sel >> i;

        r |= ((k & 4 ? s : d) >> 8 * (k & 3) & 255) << i;
    }
    return r;
}

static inline uint32_t shuffle_h(uint32_t d, uint32_t s, uint32_t sel)
{
    uint32_t lo = (sel & 2 ? s : d) >> 16 * (sel & 1);
    uint32_t hi = (sel >> 16 & 2 ? s : d) >> 16 * (sel >> 16 & 1);

    return hi << 16 | (lo & 0xffff);
}

/* Three 2-bit selectors of an immediate as bytes, and a fourth. */
static inline uint32_t spread(uint32_t imm, uint32_t last)
{
    return (imm & 3) | (imm >> 2 & 3) << 8 | (imm >> 4 & 3) << 16 | last << 24;
}

#endif
