/* Scaling of lines of elements that share a factor and an addend, for XpulpV2;
 * elsewhere the same in plain C.  Lines are rows, or the channels of rows.
 *
 * To be included after X and Z are defined, types of at most 32 bits.  What is
 * scaled does not leave 32 bits. */
#ifndef LINES_H
#define LINES_H

#include "kern/share.h"
#include "kern/xpulp/xpulp.h"

/* Results are clip((x * mul + add) >> shift). */
struct scaling {
    int32_t mul, add, shift, lo, hi;
};

/* n elements, xs and zs apart. */
struct line {
    const X *x;
    Z *z;
    int32_t n, xs, zs;
};

/* Parts of a sum of 32 bits may have more. */
static inline Z line_one(const struct scaling *s, X x)
{
    const uint32_t v = (uint32_t)x * (uint32_t)s->mul + (uint32_t)s->add;

    return (Z)clip((int32_t)v >> s->shift, s->lo, s->hi);
}

#ifdef XPULPV2
#define LINE_ONE(t)                                                          \
    "mul " t ", " t ", %[mul]\n xp.addnr " t ", %[add], %[shift]\n"          \
    "xp.max " t ", " t ", %[lo]\n xp.min " t ", " t ", %[hi]\n"

/* Two at a time, lest one waits for its load. */
static inline void line_pairs(const struct scaling *s, const struct line *l)
{
    const X *x = l->x;
    Z *z = l->z;
    int32_t a, b;

    if (l->n > 1)
        __asm__ volatile(
            XP_BLOCK "xlp.setup 0, %[n], 12\n"
            "xp.lt.postr %[a], %[x], %[xs], %[xt]\n"
            "xp.lt.postr %[b], %[x], %[xs], %[xt]\n"
            LINE_ONE("%[a]") LINE_ONE("%[b]")
            "xp.st.postr %[a], %[z], %[zs], %[zt]\n"
            "xp.st.postr %[b], %[z], %[zs], %[zt]\n" XP_BLOCK_END
            : [a] "=&r"(a), [b] "=&r"(b), [x] "+&r"(x), [z] "+&r"(z)
            : [n] "r"(l->n >> 1), [xs] "r"(l->xs * (int32_t)sizeof(X)),
              [zs] "r"(l->zs * (int32_t)sizeof(Z)), [mul] "r"(s->mul),
              [add] "r"(s->add), [shift] "r"(s->shift), [lo] "r"(s->lo),
              [hi] "r"(s->hi), [xt] "i"(XP_TYPE(X)), [zt] "i"(XP_TYPE(Z))
            : XP_CLOBBERS);
}
#else
static void line_pairs(const struct scaling *s, const struct line *l)
{
    for (int32_t i = 0; i < (l->n & ~1); i++)
        l->z[(ptrdiff_t)i * l->zs] = line_one(s, l->x[(ptrdiff_t)i * l->xs]);
}
#endif

static inline void line_scale(const struct scaling *s, const struct line *l)
{
    const ptrdiff_t last = l->n - 1;

    line_pairs(s, l);
    if (l->n & 1)
        l->z[last * l->zs] = line_one(s, l->x[last * l->xs]);
}

/* The axis along which factors vary is 5, or 4: LINE(k, io, i) is what line i
 * is scaled with. */
#define LINES(LINE)                                                          \
    static inline void lines(const struct map_dims *k, const struct io *io,  \
                             int axis)                                       \
    {                                                                        \
        const int32_t xs = k->s0[9 - axis], zs = axis == 5 ? k->n[5] : 1;    \
        const int32_t step = axis == 5 ? 1 : k->n[5];                        \
        const struct share s =                                               \
            share_of(io, k->n[axis], k->n[9 - axis], 2, 3);                  \
        const X *x = (const X *)io->in[0] + (ptrdiff_t)s.channels.lo * xs;   \
        Z *z = (Z *)io->out[0] + (ptrdiff_t)s.channels.lo * zs;              \
                                                                             \
        for (int32_t i = s.rows.lo; i < s.rows.hi; i++) {                    \
            const struct scaling scaling = LINE(k, io, axis, i);             \
                                                                             \
            line_scale(&scaling, &(struct line){                             \
                x + (ptrdiff_t)i * k->s0[axis], z + (ptrdiff_t)i * step,     \
                s.channels.hi - s.channels.lo, xs, zs});                     \
        }                                                                    \
    }

#endif
