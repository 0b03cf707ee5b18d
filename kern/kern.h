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
    int32_t core, ncore;
};

/* Epilogue of an integer result: floor((acc * mul + add) / 2^shift). */
static inline int32_t requant(int64_t acc, int64_t mul, int64_t add, int shift)
{
    return (int32_t)((acc * mul + add) >> shift);
}

static inline int32_t clip(int32_t v, int32_t lo, int32_t hi)
{
    return v < lo ? lo : v > hi ? hi : v;
}

static inline float clipf(float v, float lo, float hi)
{
    return v < lo ? lo : v > hi ? hi : v;
}

#endif
