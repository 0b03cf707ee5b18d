/* Compressed instructions, as the 32-bit instructions they stand for
 * (The RISC-V Instruction Set Manual, volume I, chapter "C"). */
#include "sim/chip.h"

enum { X0, RA, SP };

static uint32_t at(uint32_t w, int hi, int lo, int to)
{
    return (w >> lo & ((2u << (hi - lo)) - 1)) << to;
}

static uint32_t itype(uint32_t op, uint32_t f3, uint32_t rd, uint32_t rs,
                      uint32_t imm)
{
    return imm << 20 | rs << 15 | f3 << 12 | rd << 7 | op;
}

static uint32_t stype(uint32_t f3, uint32_t rs1, uint32_t rs2, uint32_t imm)
{
    return at(imm, 11, 5, 25) | rs2 << 20 | rs1 << 15 | f3 << 12 |
           at(imm, 4, 0, 7) | 0x23;
}

static uint32_t rtype(uint32_t f7, uint32_t f3, uint32_t rd, uint32_t rs1,
                      uint32_t rs2)
{
    return f7 << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | rd << 7 | 0x33;
}

static uint32_t btype(uint32_t f3, uint32_t rs1, uint32_t off)
{
    return at(off, 12, 12, 31) | at(off, 10, 5, 25) | rs1 << 15 | f3 << 12 |
           at(off, 4, 1, 8) | at(off, 11, 11, 7) | 0x63;
}

static uint32_t jtype(uint32_t rd, uint32_t off)
{
    return at(off, 20, 20, 31) | at(off, 10, 1, 21) | at(off, 11, 11, 20) |
           at(off, 19, 12, 12) | rd << 7 | 0x6f;
}

/* Six bits of CI format, with their sign. */
static uint32_t imm_ci(uint32_t w)
{
    return at(w, 6, 2, 0) | (w & 0x1000 ? ~31u : 0);
}

static uint32_t offset_cj(uint32_t w)
{
    uint32_t v = at(w, 11, 11, 4) | at(w, 10, 9, 8) | at(w, 8, 8, 10) |
                 at(w, 7, 7, 6) | at(w, 6, 6, 7) | at(w, 5, 3, 1) |
                 at(w, 2, 2, 5);

    return w & 0x1000 ? v | ~0x7ffu : v;
}

static uint32_t offset_cb(uint32_t w)
{
    uint32_t v = at(w, 11, 10, 3) | at(w, 6, 5, 6) | at(w, 4, 3, 1) |
                 at(w, 2, 2, 5);

    return w & 0x1000 ? v | ~0xffu : v;
}

static uint32_t quadrant0(uint32_t w)
{
    uint32_t rd = at(w, 4, 2, 0) + 8, rs = at(w, 9, 7, 0) + 8;
    uint32_t word = at(w, 12, 10, 3) | at(w, 6, 6, 2) | at(w, 5, 5, 6);
    uint32_t sp = at(w, 12, 11, 4) | at(w, 10, 7, 6) | at(w, 6, 6, 2) |
                  at(w, 5, 5, 3);

    switch (w >> 13) {
    case 0: return sp ? itype(0x13, 0, rd, SP, sp) : 0;
    case 2: return itype(0x03, 2, rd, rs, word);
    case 6: return stype(2, rs, rd, word);
    }
    return 0;
}

/* Shifts, andi, and the register-register group of quadrant 1. */
static uint32_t arithmetic(uint32_t w)
{
    static const uint8_t f3[] = {0, 4, 6, 7};
    uint32_t rd = at(w, 9, 7, 0) + 8, rs = at(w, 4, 2, 0) + 8;
    uint32_t kind = at(w, 6, 5, 0);
    bool high = w & 0x1000;

    switch (at(w, 11, 10, 0)) {
    case 0: return high ? 0 : itype(0x13, 5, rd, rd, at(w, 6, 2, 0));
    case 1: return high ? 0 : itype(0x13, 5, rd, rd, at(w, 6, 2, 0) | 0x400);
    case 2: return itype(0x13, 7, rd, rd, imm_ci(w));
    }
    return high ? 0 : rtype(kind ? 0 : 0x20, f3[kind], rd, rd, rs);
}

static uint32_t add_to_sp(uint32_t w)
{
    uint32_t v = at(w, 6, 6, 4) | at(w, 5, 5, 6) | at(w, 4, 3, 7) |
                 at(w, 2, 2, 5) | (w & 0x1000 ? ~0x1ffu : 0);

    return v ? itype(0x13, 0, SP, SP, v) : 0;
}

static uint32_t quadrant1(uint32_t w)
{
    uint32_t rd = at(w, 11, 7, 0), imm = imm_ci(w);

    switch (w >> 13) {
    case 0: return itype(0x13, 0, rd, rd, imm);
    case 1: return jtype(RA, offset_cj(w));
    case 2: return itype(0x13, 0, rd, X0, imm);
    case 3:
        if (rd == SP)
            return add_to_sp(w);
        return imm ? imm << 12 | rd << 7 | 0x37 : 0;
    case 4: return arithmetic(w);
    case 5: return jtype(X0, offset_cj(w));
    case 6: return btype(0, at(w, 9, 7, 0) + 8, offset_cb(w));
    }
    return btype(1, at(w, 9, 7, 0) + 8, offset_cb(w));
}

/* jr, mv, ebreak, jalr, add */
static uint32_t registers(uint32_t w)
{
    uint32_t rd = at(w, 11, 7, 0), rs = at(w, 6, 2, 0);

    if (w & 0x1000) {
        if (rs)
            return rtype(0, 0, rd, rd, rs);
        return rd ? itype(0x67, 0, RA, rd, 0) : 0x00100073;
    }
    if (rs)
        return rtype(0, 0, rd, X0, rs);
    return rd ? itype(0x67, 0, X0, rd, 0) : 0;
}

static uint32_t quadrant2(uint32_t w)
{
    uint32_t rd = at(w, 11, 7, 0);
    uint32_t load = at(w, 12, 12, 5) | at(w, 6, 4, 2) | at(w, 3, 2, 6);
    uint32_t store = at(w, 12, 9, 2) | at(w, 8, 7, 6);

    switch (w >> 13) {
    case 0:
        return w & 0x1000 ? 0 : itype(0x13, 1, rd, rd, at(w, 6, 2, 0));
    case 2: return rd ? itype(0x03, 2, rd, SP, load) : 0;
    case 4: return registers(w);
    case 6: return stype(2, SP, at(w, 6, 2, 0), store);
    }
    return 0;
}

uint32_t expand(uint32_t w)
{
    switch (w & 3) {
    case 0: return quadrant0(w);
    case 1: return quadrant1(w);
    }
    return quadrant2(w);
}
