/* What jobs of N-Eureka and NE16 compute. */
#include "sim/convjob.h"

#include <string.h>

/* n bytes of a job's operand; NULL, and a fault, outside of memory. */
static uint8_t *operand(const ConvJob *j, uint32_t addr, uint32_t n,
                        const char *what)
{
    Chip *chip = j->device->chip;
    Ram *r = chip->l1;

    if (!r || addr - r->base >= r->size || n > r->size - (addr - r->base))
        r = ram_find(chip, addr, n);
    if (!r) {
        if (!chip->sim->stop)
            sim_fault(chip, NULL, "%s: %s at 0x%08x: no memory there",
                      j->unit->name, what, addr);
        return NULL;
    }
    *r->bytes += n;
    return r->data + (addr - r->base);
}

static int code_bit(const uint8_t *word, int bit)
{
    return word[bit / 8] >> bit % 8 & 1;
}

/* Bytes from one bit of a tap's codes to the next. */
static uint32_t bit_step(const ConvJob *j)
{
    if (j->mode == CONV1)
        return j->unit->slots ? 0 : (uint32_t)j->tile / 8;
    return j->reg[R_w_d0];
}

/* Bytes of the weights of an output channel for an input tile. */
static uint32_t tile_bytes(const ConvJob *j)
{
    if (j->mode == CONV1 && j->unit->slots)
        return j->reg[R_w_d0];
    return (uint32_t)j->qw * bit_step(j);
}

/* The weights of an output channel for one input tile, tap by tap, as words
 * that wrap.  Bits are spread: see the layouts in doc/sim.md. */
static bool unpack(const ConvJob *j, int co, int ki, uint32_t *w)
{
    const uint32_t *r = j->reg;
    uint32_t at = r[R_weights] + (j->from_port ? j->port : 0);
    bool slots = j->mode == CONV1 && j->unit->slots;
    uint32_t bytes = slots ? (uint32_t)j->tile
                           : (uint32_t)(j->taps * j->tile + 7) / 8;
    int b, t, c;

    at += (uint32_t)co * r[R_w_d1] + (uint32_t)ki * tile_bytes(j);
    for (t = 0; t < j->taps * j->tile; t++)
        w[t] = r[R_wmin];
    for (b = 0; b < j->qw; b++) {
        const uint8_t *word = operand(j, at + (uint32_t)b * bit_step(j), bytes,
                                      "weights");

        if (!word)
            return false;
        for (t = 0; t < j->taps; t++)
            for (c = 0; c < j->tile; c++)
                w[t * j->tile + c] += (uint32_t)code_bit(word, slots
                    ? c / 4 * 32 + b * 4 + c % 4 : j->tile * t + c) << b;
    }
    return true;
}

typedef struct Pixel { /* of the whole output */
    int y, x;
} Pixel;

/* Along an axis: pixels in front that the registers want padded, and behind,
 * subtiles, and what the last one has of the input. */
typedef struct Edge {
    int front, back, n, rem;
} Edge;

enum { INSIDE, PADDED, ZERO };

/* What is at tap t of output pixel i: the image, the padding value, or 0. */
static int look(const ConvJob *j, Edge e, int i, int t)
{
    int side = j->unit->side, sub = i / side, at = i - sub * side + t;

    if (j->unit->pads_behind)
        return i + t < e.front || i + t >= (e.n - 1) * side + e.rem ? PADDED
                                                                    : INSIDE;
    if (sub == e.n - 1 && e.rem && at >= e.rem)
        return ZERO;
    return (!sub && at < e.front) || (sub == e.n - 1 && at >= PADS - e.back)
               ? PADDED : INSIDE;
}

static int32_t padding(const ConvJob *j)
{
    return j->unit->pads_behind ? (int16_t)j->reg[R_pad]
                                : (int32_t)(j->reg[R_pad] & 255);
}

/* Products of one window: all taps, channels c0 .. c0 + n of the input. */
static bool window(const ConvJob *j, Pixel p, int c0, int n, const uint32_t *w,
                   uint32_t *acc)
{
    const uint32_t *r = j->reg;
    const Edge rows = {(int)(r[R_pad] >> 28), (int)(r[R_pad] >> 20 & 15),
                       j->nho, (int)(r[R_rem_i] >> 16)};
    const Edge columns = {(int)(r[R_pad] >> 16 & 15),
                          (int)(r[R_pad] >> 24 & 15), j->nwo,
                          (int)(r[R_rem_i] & 0xffff)};
    int side = j->taps == 9 ? 3 : 1, t, c;

    for (t = 0; t < j->taps; t++, w += j->tile) {
        int y = p.y + t / side, x = p.x + t % side;
        int what = MAX(look(j, rows, p.y, t / side),
                       look(j, columns, p.x, t % side));
        const uint8_t *in;

        for (c = 0; what == PADDED && c < n; c++)
            *acc += (uint32_t)padding(j) * w[c];
        if (what != INSIDE)
            continue;
        in = operand(j, r[R_in] + (uint32_t)y * r[R_in_row] +
                     (uint32_t)x * r[R_in_pixel] + (uint32_t)c0, (uint32_t)n,
                     "input");
        if (!in)
            return false;
        for (c = 0; c < n; c++)
            *acc += (uint32_t)(j->is_signed ? (int8_t)in[c] : in[c]) * w[c];
    }
    return true;
}

/* A depthwise window looks at its own channel alone. */
static bool window_own(const ConvJob *j, Pixel p, int k, int lane,
                       const uint32_t *w, uint32_t *acc)
{
    uint32_t one[9 * 32];
    int t;

    for (t = 0; t < 9; t++)
        one[t * j->tile] = w[t * j->tile + lane];
    return window(j, p, k, 1, one, acc);
}

static int64_t load_scale(const uint8_t *p, int bits)
{
    uint16_t h;
    int32_t v;

    if (bits == 8)
        return *p;
    if (bits == 16) {
        memcpy(&h, p, 2);
        return h;
    }
    memcpy(&v, p, 4);
    return v;
}

/* Scale, bias, shift, clip.  The product wraps, the sum saturates. */
static bool normalise(const ConvJob *j, int k, uint32_t *acc)
{
    uint32_t width = (uint32_t)j->norm_bits / 8, conf = j->reg[R_conf];
    const uint8_t *s = operand(j, j->reg[R_scale] + (uint32_t)k * width, width,
                               "scale");
    const uint8_t *b = j->bias ? operand(j, j->reg[R_bias] + 4 * (uint32_t)k,
                                         4, "bias") : NULL;
    const uint8_t *n = conf >> 24 & 1 ? operand(j, j->reg[R_shift] +
                                                (uint32_t)k, 1, "shift")
                                      : NULL;
    int shift = conf >> 16 & 31;
    int64_t v;
    int32_t add = 0;

    if (!s || (j->bias && !b) || (conf >> 24 & 1 && !n))
        return false;
    if (n)
        shift = *n & 31;
    if (b)
        memcpy(&add, b, 4);
    v = (int32_t)(*acc * (uint32_t)load_scale(s, j->norm_bits));
    v = MAX(INT32_MIN, MIN(INT32_MAX, v + add));
    if (shift && !(conf >> 11 & 1))
        v += 1LL << (shift - 1);
    v >>= shift;
    v = j->relu ? MAX(0, MIN(255, v)) : MAX(-128, MIN(127, v));
    *acc = (uint32_t)v;
    return true;
}

static uint8_t *output(const ConvJob *j, Pixel p, int k)
{
    return operand(j, j->reg[R_out] + (uint32_t)p.y * j->reg[R_out_row] +
                   (uint32_t)p.x * j->reg[R_out_pixel] +
                   (uint32_t)(k * j->out_bytes), (uint32_t)j->out_bytes,
                   "output");
}

static bool put_output(const ConvJob *j, Pixel p, int k, uint32_t acc)
{
    uint8_t *to;

    if (j->quant && !normalise(j, k, &acc))
        return false;
    to = output(j, p, k);
    if (to)
        memcpy(to, &acc, (size_t)j->out_bytes);
    return to != NULL;
}

/* What an accumulator starts with. */
static bool first_sum(const ConvJob *j, Pixel p, int k, uint32_t *acc)
{
    const uint8_t *from;

    *acc = 0;
    if (!j->stream_in)
        return true;
    from = output(j, p, k);
    if (from)
        memcpy(acc, from, (size_t)j->out_bytes);
    return from != NULL;
}

/* A pixel of an output channel; w has its weights, tile after tile. */
static bool element(const ConvJob *j, Pixel p, int k, const uint32_t *w)
{
    uint32_t acc;
    bool ok = first_sum(j, p, k, &acc);
    int ki;

    if (j->mode == DEPTHWISE)
        ok = ok && window_own(j, p, k, k % j->tile, w, &acc);
    for (ki = 0; j->mode != DEPTHWISE && ok && ki < j->nki; ki++)
        ok = window(j, p, ki * j->tile,
                    ki == j->nki - 1 ? j->rem_ki : j->tile,
                    w + ki * j->taps * j->tile, &acc);
    return ok && put_output(j, p, k, acc);
}

/* All pixels of an output channel; of every subtile, if the job is strided,
 * those of its first and third rows and columns. */
static bool channel(const ConvJob *j, int k, const uint32_t *w)
{
    int side = j->unit->side;
    int h = (j->nho - 1) * side + (int)(j->reg[R_rem_o] >> 16);
    int width = (j->nwo - 1) * side + (int)(j->reg[R_rem_o] & 0xffff);
    Pixel p;

    for (p.y = 0; p.y < h; p.y++)
        for (p.x = 0; p.x < width; p.x++)
            if (!(j->strided && (p.y % side % 2 || p.x % side % 2)) &&
                !element(j, p, k, w))
                return false;
    return true;
}

void convjob_compute(const ConvJob *j)
{
    int n = (j->nko - 1) * j->ko_tile + j->rem_ko, k, ki;
    Arena *a = arena_new();
    uint32_t *w = NEWN(a, uint32_t, j->nki * 9 * 32);
    bool ok = true;

    for (k = 0; k < n && ok; k++) {
        if (j->mode == DEPTHWISE)
            ok = unpack(j, 0, k / j->tile, w);
        for (ki = 0; j->mode != DEPTHWISE && ok && ki < j->nki; ki++)
            ok = unpack(j, k, ki, w + ki * j->taps * j->tile);
        ok = ok && channel(j, k, w);
    }
    arena_end(a);
}
