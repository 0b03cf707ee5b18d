/* Random numbers that are the same everywhere. */
#ifndef RNG_H
#define RNG_H

#include <stdint.h>

typedef struct Rng {
    uint64_t s;
} Rng;

static inline uint64_t rng(Rng *r)
{
    uint64_t x = r->s += 0x9e3779b97f4a7c15u;

    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static inline int pick(Rng *r, int n)
{
    return (int)(rng(r) % (uint64_t)n);
}

/* lo <= n <= hi */
static inline int between(Rng *r, int lo, int hi)
{
    return lo + pick(r, hi - lo + 1);
}

#endif
