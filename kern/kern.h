/* What every kernel includes.
 *
 * A kernel file is compiled once per combination of types it is used with,
 * after a prelude that defines FN (the function's name), for each operand of
 * its head a type in capitals (X, W, Y ...), and ACC, the type sums are made
 * in.  The compiler's own evaluator compiles the plain kernels with every
 * integer type 64 bits wide. */
#ifndef KERN_H
#define KERN_H

#include <stddef.h>
#include <stdint.h>
#include "kern/feature.h"

#define I(name) int32_t name;
#define A(name, n) int32_t name[n];
#define F(name) float name;
#define FAMILY(name, ...) struct name##_dims { __VA_ARGS__ };
#include "dims.def"

/* Operands by position (NULL: absent), results, scratch memory, and which of
 * how many cores this is. */
struct io {
    const void *in[8];
    void *out[4];
    void *tmp;
    union {
        int32_t room;  /* of cores, if the head says `most`: bytes at tmp; 0:
                          those of its `scratch` */
        uint32_t unit; /* of a job: address of its accelerator's registers */
    } more;
    int32_t core, ncore;
};

/* The share [*from, *to) that a core has of `total` pieces of work: as even as
 * can be, in order, of all cores together each piece once.  A kernel whose head
 * says `split` computes its share alone and touches no result of others. */
static inline void span(int32_t total, int32_t core, int32_t ncore,
                        int32_t *from, int32_t *to)
{
    int32_t each, more;

    *from = 0;
    *to = total;
    if (ncore <= 1)
        return;
    each = ncore == 8 ? total >> 3 : total / ncore; /* 30 cycles less */
    /* unsigned, lest a compiler makes it a second division */
    more = (int32_t)((uint32_t)total - (uint32_t)each * (uint32_t)ncore);
    *from = core * each + (core < more ? core : more);
    *to = *from + each + (core < more);
}

/* For functions whose loops are the faster for having all registers. */
#ifdef __GNUC__
#define NOINLINE __attribute__((noinline))
#else
#define NOINLINE
#endif

/* The attribute `round` of the node, where it is not 0. */
#ifndef ROUND
#define ROUND 0
#endif

/* With ROUND, of shifts above ROUND_SHIFT, sums below 0 get ROUND_LESS less. */
#define ROUND_SHIFT 31
#define ROUND_LESS ((int64_t)1 << 31)

/* Epilogue of an integer result: floor((acc * mul + add) / 2^shift). */
static inline int64_t requant(int64_t acc, int64_t mul, int64_t add, int shift)
{
    if (ROUND && shift > ROUND_SHIFT)
        add -= acc < 0 ? ROUND_LESS : 0;
    return (acc * mul + add) >> shift;
}

/* 1: shifts are above ROUND_SHIFT, addends odd multiples of 2^30, multipliers
 * 32 bits, and sums within 2^29: as networks of TensorFlow Lite have them. */
#ifndef UPPER_HALF
#define UPPER_HALF 0
#endif

/* The shift that belongs to element i of mul; `at` is the number of the operand
 * shifts, which only some types lines of a head have.  WIDE_SHIFTS: shifts are
 * likely to be above 31. */
#ifdef SHIFTS
#define SHIFT_OF(k, io, at, i) ((int)((const SHIFTS *)(io)->in[at])[i])
#define WIDE_SHIFTS 1
#else
#define SHIFT_OF(k, io, at, i) ((k)->shift)
#define WIDE_SHIFTS ROUND
#endif

static inline int32_t clip(int32_t v, int32_t lo, int32_t hi)
{
    return v < lo ? lo : v > hi ? hi : v;
}

/* Clip where the extremes of int32_t mean that there is no bound: results of
 * 64 bits have none that a 32-bit number could tell. */
static inline int64_t bound(int64_t v, int32_t lo, int32_t hi)
{
    if (v < lo && lo != INT32_MIN)
        return lo;
    return v > hi && hi != INT32_MAX ? hi : v;
}

static inline float clipf(float v, float lo, float hi)
{
    return v < lo ? lo : v > hi ? hi : v;
}

/* a / b rounded down; b is not 0. */
static inline int64_t floor_div(int64_t a, int64_t b)
{
    int64_t q = a / b;

    return q - (a % b != 0 && (a < 0) != (b < 0));
}

/* floor(sqrt(v)), digit by digit from the top. */
static inline uint32_t isqrt(uint64_t v)
{
    uint64_t root = 0, bit = (uint64_t)1 << 62;

    while (bit > v)
        bit >>= 2;
    for (; bit; bit >>= 2) {
        if (v >= root + bit) {
            v -= root + bit;
            root = (root >> 1) + bit;
        } else {
            root >>= 1;
        }
    }
    return (uint32_t)root;
}

static inline uint32_t isqrt32(uint32_t v)
{
    uint32_t root = 0, bit = (uint32_t)1 << 30;

    while (bit > v)
        bit >>= 2;
    for (; bit; bit >>= 2) {
        if (v >= root + bit) {
            v -= root + bit;
            root = (root >> 1) + bit;
        } else {
            root >>= 1;
        }
    }
    return root;
}

#endif
