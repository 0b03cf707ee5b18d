/* What registers of accelerators that compute convolutions in subtiles hold of
 * a job: those of N-Eureka and NE16, which are the same.  Kernels add where its
 * operands are and what an accelerator has alone (kern/conv/unit.h).  So core 0
 * copies words where it would compute them, while the accelerator waits. */
#include "ir/dims.h"

enum { MODE_3X3, MODE_DEPTH, MODE_POINT };
enum { /* of dims.job: what is taken from the input's address, then registers
        * from the seventh on */
    J_back, J_x0, J_x1, J_x2, J_y0, J_y1, J_y2, J_w0, J_w1, J_w2, J_rem_k,
    J_rem_o, J_rem_i, J_num_k, J_num_o, J_pad, J_less, J_mask, J_conf,
};
enum { /* bits of the last */
    QUANT = 1 << 4, NO_ROUNDING = 1 << 11, ONE_OFFSET = 1 << 15,
    PORT = 1 << 9, AHEAD = 1 << 10, WORDS = 2 << 21, NO_RELU = 1 << 23,
    BIAS = 1 << 25, SIGNED = 1 << 26,
};
enum { CHANNELS = 32 }; /* of a subtile's results, and words of four bits */

static int mode_of(const struct pconv_dims *d)
{
    return d->g > 1 ? MODE_DEPTH : d->kh * d->kw == 1 ? MODE_POINT : MODE_3X3;
}

/* a above b. */
static int32_t both(int32_t a, int32_t b)
{
    return (int32_t)((uint32_t)a << 16 | ((uint32_t)b & 0xffff));
}

static int32_t count(int32_t n, int32_t tile)
{
    return (n + tile - 1) / tile;
}

/* Of the last tile. */
static int32_t rest(int32_t n, int32_t tile)
{
    return n - tile * (count(n, tile) - 1);
}

void job_conf(const Node *n, struct pconv_dims *d)
{
    const Val *mul = node_arg(n, "mul");
    uint32_t conf = (uint32_t)(d->bits - 1) | (uint32_t)mode_of(d) << 5 |
                    ONE_OFFSET;

    if (n->arg[0]->type == T_s8)
        conf |= SIGNED;
    if (type_info[n->res[0]->type].bytes == 4 || !mul)
        conf |= WORDS;
    else
        conf |= QUANT | NO_ROUNDING | BIAS |
                (uint32_t)(type_info[mul->type].bytes >> 1) << 12 |
                (uint32_t)d->shift << 16 | (d->lo < 0 ? NO_RELU : 0);
    d->job[J_conf] = (int32_t)conf;
}

/* Bytes as they are, by ones: neither rounded, nor added to, nor shifted. */
void job_copies(struct pconv_dims *d)
{
    d->job[J_conf] = (d->bits - 1) | MODE_POINT << 5 | ONE_OFFSET | QUANT |
                     NO_ROUNDING | (d->lo < 0 ? NO_RELU | SIGNED : 0);
}

static void tell_strides(struct pconv_dims *d, int mode)
{
    int32_t bytes = d->job[J_conf] & WORDS ? 4 : 1;

    d->job[J_back] = d->ph * d->xh + d->pw * d->xw;
    d->job[J_x0] = mode == MODE_POINT ? d->sw * d->xw : d->xw;
    d->job[J_x1] = d->xrow;
    d->job[J_y0] = CHANNELS;
    d->job[J_y1] = d->yw * bytes;
    d->job[J_y2] = d->yrow * bytes;
    d->job[J_w0] = mode == MODE_POINT && !d->mode ? d->word * d->bits : d->word;
    d->job[J_w1] = mode == MODE_DEPTH ? 0 : d->wm;
}

static void tell_sizes(struct pconv_dims *d, int mode)
{
    int32_t ko = mode == MODE_DEPTH ? d->tile : CHANNELS;
    int32_t m = mode == MODE_DEPTH ? d->g : d->m;
    int32_t c = mode == MODE_DEPTH ? rest(m, ko) : d->c;

    d->job[J_rem_k] = both(rest(m, ko), rest(c, d->tile));
    d->job[J_num_k] = both(count(m, ko), count(c, d->tile));
    d->job[J_rem_o] = both(rest(d->rows, d->side), rest(d->cols, d->side));
    d->job[J_num_o] = both(count(d->rows, d->side), count(d->cols, d->side));
}

/* Of one tap nothing is padded. */
static void tell_window(struct pconv_dims *d, int mode)
{
    int32_t bottom = d->oh + 2 - d->ph - d->h, right = d->ow + 2 - d->pw - d->w;
    uint32_t pad = (uint32_t)d->ph << 28 | (uint32_t)right << 24 |
                   (uint32_t)bottom << 20 | (uint32_t)d->pw << 16 |
                   ((uint32_t)d->padv & 0xffff);

    d->job[J_pad] = mode == MODE_POINT ? 0 : (int32_t)pad;
    d->job[J_rem_i] = d->job[J_rem_o];
    if (mode != MODE_POINT)
        d->job[J_rem_i] = both(rest(d->rows, d->side) + 2 - bottom,
                               rest(d->cols, d->side) + 2 - right);
}

void job_pconv(struct pconv_dims *d)
{
    int mode = mode_of(d);

    tell_strides(d, mode);
    tell_sizes(d, mode);
    tell_window(d, mode);
    d->job[J_less] = -d->less;
    if (d->port)
        d->job[J_conf] |= PORT | AHEAD;
}

void job_rest(const struct pconv_dims *d, int32_t *job, int32_t *y)
{
    int32_t last = d->oh * d->ow - d->again * d->cols;
    int i;

    for (i = 0; i <= J_conf; i++)
        job[i] = d->job[i];
    job[J_back] -= last * d->xw;
    job[J_rem_o] = job[J_rem_i] = both(d->again, d->cols);
    job[J_num_o] = both(1, 1);
    *y = last * d->yw * (d->job[J_conf] & WORDS ? 4 : 1);
}
