/* N-Eureka, the convolution engine of Siracusa: 1x1, 3x3 and 3x3 depthwise
 * jobs on 8-bit activations and weights of 2 to 8 bits.
 *
 * A job is a row of registers; two may be queued.  Outputs are computed in
 * subtiles of 6 x 6 pixels and 32 channels (28 if depthwise), inputs enter by
 * 28 channels (32 for 1x1).  The cycles are those measured on the RTL, phase
 * by phase; the results are written when the job ends.  While a phase reads
 * or writes the L1 it takes nine banks a cycle, and cores wait for it up to
 * eight cycles before it waits for them.
 *
 * Keys: `tile=28` input channels of a 3x3 subtile, `weights=` the memory that
 * the weight port sees, `event=12`. */
#include "sim/chip.h"

#include <string.h>

enum { /* registers */
    TRIGGER = 0x00, ACQUIRE = 0x04, FINISHED = 0x08, STATUS = 0x0c,
    RUNNING = 0x10, CLEAR = 0x14, JOB = 0x20, NREG = 24,
};
enum { /* of a job */
    R_weights, R_in, R_out, R_scale, R_shift, R_bias, R_in_pixel, R_in_row,
    R_out_pixel = 10, R_out_row, R_w_d0, R_w_d1, R_rem_k = 15, R_rem_o,
    R_rem_i, R_num_k, R_num_o, R_pad, R_wmin, R_mask, R_conf,
};
enum { CONV3 = 0, DEPTHWISE, CONV1 }; /* modes */
enum { SIDE = 6, KO = 32, PATIENCE = 8, WORD = 32, PORT = 36 };
enum { START = 4, DONE = 1, UPDATE = 2 };

typedef struct Job {
    uint32_t reg[NREG];
    int id;
    /* from the registers */
    int mode, qw, tile, ko_tile, nko, nki, nho, nwo, rem_ko, rem_ki;
    int out_bytes, norm_bits, taps;
    bool quant, bias, from_port, prefetch, is_signed, relu, stream_in;
    uint64_t from;
} Job;

typedef struct Neureka {
    int tile, event;
    Ram *port;
    Job job[2];       /* the one that runs, the next */
    int njob;
    uint32_t reg[NREG];
    int next_id, finished;
    bool acquired;
    int ko;           /* where the running job is: output channels, ... */
    int64_t step;     /* ... and input tile in them */
    uint64_t lost;    /* cycles that cores took from it */
    uint64_t epoch;   /* events from before a clear do not count */
} Neureka;

static void init(Device *d)
{
    Neureka *v = d->state;
    const char *port = item_word(d->item, "weights", "");
    Ram *r;

    v->tile = (int)item_int(d->item, "tile", 28);
    v->event = (int)item_int(d->item, "event", 12);
    v->finished = -1;
    for (r = d->chip->rams; r; r = r->next)
        if (!strcmp(r->name, port))
            v->port = r;
}

static void read_conf(Job *j)
{
    uint32_t c = j->reg[R_conf];

    j->qw = (int)(c & 7) + 1;
    j->quant = c >> 4 & 1;
    j->mode = c >> 5 & 3;
    j->from_port = c >> 9 & 1;
    j->prefetch = c >> 10 & 1;
    j->norm_bits = 8 << (c >> 12 & 3);
    j->stream_in = c >> 14 & 1;
    j->out_bytes = (c >> 21 & 3) == 2 ? 4 : 1;
    j->relu = !(c >> 23 & 1);
    j->bias = j->quant && c >> 25 & 1;
    j->is_signed = c >> 26 & 1;
}

static void read_sizes(Job *j, int tile)
{
    const uint32_t *r = j->reg;

    j->tile = j->mode == CONV1 ? 32 : tile;
    j->ko_tile = j->mode == DEPTHWISE ? tile : KO;
    j->taps = j->mode == CONV1 ? 1 : 9;
    j->nko = (int)(r[R_num_k] >> 16);
    j->nki = j->mode == DEPTHWISE ? 1 : (int)(r[R_num_k] & 0xffff);
    j->nho = (int)(r[R_num_o] >> 16);
    j->nwo = (int)(r[R_num_o] & 0xffff);
    j->rem_ko = (int)(r[R_rem_k] >> 16);
    j->rem_ki = (int)(r[R_rem_k] & 0xffff);
}

/* What is wrong with a job, or NULL. */
static const char *refuse(const Neureka *v, const Job *j)
{
    int rem_h = (int)(j->reg[R_rem_o] >> 16);
    int rem_w = (int)(j->reg[R_rem_o] & 0xffff);

    if (j->mode > CONV1)
        return "mode 3 does not exist";
    if (j->qw < 2)
        return "weights of 1 bit";
    if (j->reg[R_conf] >> 7 & 3)
        return "linear or strided mode, which is not simulated";
    if (j->reg[R_mask])
        return "a filter mask, which is not simulated";
    if (!j->nko || !j->nki || !j->nho || !j->nwo)
        return "no subtiles";
    if (j->rem_ko < 1 || j->rem_ko > j->ko_tile || rem_h < 1 || rem_h > SIDE ||
        rem_w < 1 || rem_w > SIDE || j->rem_ki < 1 || j->rem_ki > j->tile)
        return "a remainder outside of its subtile";
    if ((j->reg[R_conf] >> 12 & 3) == 3)
        return "scale of unknown width";
    if (j->from_port && !v->port)
        return "weights from a port that this chip does not have";
    return NULL;
}

/* ---- time ---- */

static int channels(const Job *j, int ko)
{
    return ko == j->nko - 1 ? j->rem_ko : j->ko_tile;
}

static int up(int a, int b)
{
    return (a + b - 1) / b;
}

/* Cycles of the products of one input tile; with prefetch the next load
 * hides behind them and may take longer. */
static int product_cycles(const Job *j, int k, int ki, bool last)
{
    static const int first[] = {69, 33, 46}, more[] = {69, 33, 50};
    int n = j->mode == CONV3 ? j->qw * k + 5
          : j->mode == CONV1 ? k + 5 : j->qw + 4;

    if (!j->prefetch || last)
        return n;
    return MAX(n, ki ? more[j->mode] : first[j->mode]);
}

static int load_cycles(const Job *j)
{
    return j->mode == CONV1 ? 52 : 70;
}

static int out_cycles(const Job *j, int k)
{
    return SIDE * SIDE * (j->out_bytes == 4 ? up(k, 8) : 1) + 3;
}

/* After the last input tile: normalisation, bias, the way out. */
static int end_cycles(const Job *j, int k)
{
    int n = out_cycles(j, k);

    if (j->quant)
        n += 9 + up(k * j->norm_bits, 32) - !j->bias;
    if (j->bias)
        n += 8 + up(k, 8);
    return n;
}

static int64_t steps(const Job *j)
{
    return (int64_t)j->nho * j->nwo * j->nki;
}

/* Nine banks a cycle for n cycles of the L1. */
static void occupy(Device *d, uint32_t addr, uint32_t step, uint64_t from,
                   int n)
{
    Neureka *v = d->state;
    Ram *l1 = d->chip->l1;

    if (l1 && addr - l1->base < l1->size && l1->nbank > 1 && n > 0)
        stream_add(l1, (Stream){addr - l1->base, PORT, step, from,
                                from + (uint64_t)n, PATIENCE, &v->lost});
}

/* One input tile: how long it takes, and when it needs the L1. */
static int step_cycles(Device *d, const Job *j, uint64_t now)
{
    Neureka *v = d->state;
    int k = channels(j, v->ko), ki = (int)(v->step % j->nki), n = 0;
    int pixels = j->mode == CONV1 ? SIDE * SIDE : 64;
    bool first = !v->ko && !v->step;
    bool last = v->ko == j->nko - 1 && v->step == steps(j) - 1;
    int products = product_cycles(j, k, ki, last);

    if (j->stream_in && !ki)
        n += out_cycles(j, k);
    occupy(d, j->reg[R_in], j->reg[R_in_pixel], now + (uint64_t)n, pixels);
    if (!j->prefetch || first)
        n += load_cycles(j);
    n += j->mode == DEPTHWISE ? k + 5 : 6;
    if (!j->from_port)
        occupy(d, j->reg[R_weights], WORD, now + (uint64_t)n, products);
    n += products + UPDATE;
    if (ki == j->nki - 1) {
        int out = out_cycles(j, k);

        n += end_cycles(j, k) + !last;
        occupy(d, j->reg[R_out], j->reg[R_out_pixel],
               now + (uint64_t)(n - out), out - 3);
    }
    return n;
}

/* ---- results ---- */

/* n bytes of a job's operand; NULL, and a fault, outside of memory. */
static uint8_t *operand(Device *d, uint32_t addr, uint32_t n, const char *what)
{
    Ram *r = d->chip->l1;

    if (!r || addr - r->base >= r->size || n > r->size - (addr - r->base))
        r = ram_find(d->chip, addr, n);
    if (!r) {
        if (!d->chip->sim->stop)
            sim_fault(d->chip, NULL, "N-Eureka: %s at 0x%08x: no memory there",
                      what, addr);
        return NULL;
    }
    *r->bytes += n;
    return r->data + (addr - r->base);
}

static int code_bit(const uint8_t *word, int bit)
{
    return word[bit / 8] >> bit % 8 & 1;
}

/* The weights of an output channel for one input tile, tap by tap, as words
 * that wrap.  Bits are spread: see the layouts in doc/sim.md. */
static bool unpack(Device *d, const Job *j, int co, int ki, uint32_t *w)
{
    Neureka *v = d->state;
    const uint32_t *r = j->reg;
    uint32_t at = r[R_weights] + (j->from_port ? v->port->base : 0);
    int words = j->mode == CONV1 ? 1 : j->qw, b, t, c;

    at += (uint32_t)co * r[R_w_d1] + (uint32_t)(ki * words) * r[R_w_d0];
    for (t = 0; t < j->taps * j->tile; t++)
        w[t] = r[R_wmin];
    for (b = 0; b < j->qw; b++) {
        const uint8_t *word = operand(d, at + (j->mode == CONV1 ? 0 :
                                      (uint32_t)b * r[R_w_d0]), WORD,
                                      "weights");

        if (!word)
            return false;
        for (t = 0; t < j->taps; t++)
            for (c = 0; c < j->tile; c++)
                w[t * j->tile + c] += (uint32_t)code_bit(word,
                    j->mode == CONV1 ? c / 4 * 32 + b * 4 + c % 4
                                     : j->tile * t + c) << b;
    }
    return true;
}

typedef struct Pixel { /* of the whole output, and its subtile's place */
    int y, x;
} Pixel;

/* Whether row or column i of the padded input is padding: before the first,
 * or behind what the last subtile has. */
static bool outside(int i, int before, int n, int rem)
{
    return i < before || i >= (n - 1) * SIDE + rem;
}

/* Products of one window: all taps, channels c0 .. c0 + n of the input. */
static bool window(Device *d, const Job *j, Pixel p, int c0, int n,
                   const uint32_t *w, uint32_t *acc)
{
    const uint32_t *r = j->reg;
    int side = j->taps == 9 ? 3 : 1, t, c;
    int top = (int)(r[R_pad] >> 28), left = (int)(r[R_pad] >> 16 & 15);

    for (t = 0; t < j->taps; t++, w += j->tile) {
        int y = p.y + t / side, x = p.x + t % side;
        const uint8_t *in;

        if (outside(y, top, j->nho, (int)(r[R_rem_i] >> 16)) ||
            outside(x, left, j->nwo, (int)(r[R_rem_i] & 0xffff))) {
            for (c = 0; c < n; c++)
                *acc += (uint32_t)(int16_t)r[R_pad] * w[c];
            continue;
        }
        in = operand(d, r[R_in] + (uint32_t)y * r[R_in_row] +
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
static bool window_own(Device *d, const Job *j, Pixel p, int k, int lane,
                       const uint32_t *w, uint32_t *acc)
{
    uint32_t one[9 * 32];
    int t;

    for (t = 0; t < 9; t++)
        one[t * j->tile] = w[t * j->tile + lane];
    return window(d, j, p, k, 1, one, acc);
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
static bool normalise(Device *d, const Job *j, int k, uint32_t *acc)
{
    uint32_t width = (uint32_t)j->norm_bits / 8, conf = j->reg[R_conf];
    const uint8_t *s = operand(d, j->reg[R_scale] + (uint32_t)k * width, width,
                               "scale");
    const uint8_t *b = j->bias ? operand(d, j->reg[R_bias] + 4 * (uint32_t)k,
                                         4, "bias") : NULL;
    const uint8_t *n = conf >> 24 & 1 ? operand(d, j->reg[R_shift] +
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

static uint8_t *output(Device *d, const Job *j, Pixel p, int k)
{
    return operand(d, j->reg[R_out] + (uint32_t)p.y * j->reg[R_out_row] +
                   (uint32_t)p.x * j->reg[R_out_pixel] +
                   (uint32_t)(k * j->out_bytes), (uint32_t)j->out_bytes,
                   "output");
}

static bool put_output(Device *d, const Job *j, Pixel p, int k, uint32_t acc)
{
    uint8_t *to;

    if (j->quant && !normalise(d, j, k, &acc))
        return false;
    to = output(d, j, p, k);
    if (to)
        memcpy(to, &acc, (size_t)j->out_bytes);
    return to != NULL;
}

/* What an accumulator starts with. */
static bool first_sum(Device *d, const Job *j, Pixel p, int k, uint32_t *acc)
{
    const uint8_t *from;

    *acc = 0;
    if (!j->stream_in)
        return true;
    from = output(d, j, p, k);
    if (from)
        memcpy(acc, from, (size_t)j->out_bytes);
    return from != NULL;
}

/* All pixels of an output channel; w has its weights, tile after tile. */
static bool channel(Device *d, const Job *j, int k, const uint32_t *w)
{
    int h = (j->nho - 1) * SIDE + (int)(j->reg[R_rem_o] >> 16);
    int width = (j->nwo - 1) * SIDE + (int)(j->reg[R_rem_o] & 0xffff), ki;
    Pixel p;

    for (p.y = 0; p.y < h; p.y++)
        for (p.x = 0; p.x < width; p.x++) {
            uint32_t acc;
            bool ok = first_sum(d, j, p, k, &acc);

            if (j->mode == DEPTHWISE)
                ok = ok && window_own(d, j, p, k, k % j->tile, w, &acc);
            for (ki = 0; j->mode != DEPTHWISE && ok && ki < j->nki; ki++)
                ok = window(d, j, p, ki * j->tile,
                            ki == j->nki - 1 ? j->rem_ki : j->tile,
                            w + ki * j->taps * j->tile, &acc);
            if (!ok || !put_output(d, j, p, k, acc))
                return false;
        }
    return true;
}

static void compute(Device *d, const Job *j)
{
    int n = (j->nko - 1) * j->ko_tile + j->rem_ko, k, ki;
    Arena *a = arena_new();
    uint32_t *w = NEWN(a, uint32_t, j->nki * 9 * 32);
    bool ok = true;

    for (k = 0; k < n && ok; k++) {
        if (j->mode == DEPTHWISE)
            ok = unpack(d, j, 0, k / j->tile, w);
        for (ki = 0; j->mode != DEPTHWISE && ok && ki < j->nki; ki++)
            ok = unpack(d, j, k, ki, w + ki * j->taps * j->tile);
        ok = ok && channel(d, j, k, w);
    }
    arena_end(a);
}

/* ---- jobs ---- */

static void plan(Device *d, uint64_t cycle)
{
    Neureka *v = d->state;

    chip_at(d->chip, to_ticks(d->clock, cycle), d, v->epoch);
}

static void begin(Device *d, uint64_t cycle)
{
    Neureka *v = d->state;

    v->ko = v->step = 0;
    v->lost = 0;
    v->job[0].from = cycle;
    plan(d, cycle + START);
}

static void finish(Device *d, uint64_t time)
{
    static const char *const names[] = {"3x3", "depthwise 3x3", "1x1"};
    Neureka *v = d->state;
    Job *j = &v->job[0];

    compute(d, j);
    d->chip->counts.accel_cycles += to_cycle(d->clock, time) - j->from;
    timeline_slice(d->chip, "n-eureka", names[j->mode],
                   to_ticks(d->clock, j->from), time);
    v->finished = j->id;
    v->job[0] = v->job[1];
    v->njob--;
    unit_event(d->clock, -1, v->event, time);
    if (v->njob)
        begin(d, to_cycle(d->clock, time));
}

/* The next input tile begins, or all are done. */
static void event(Device *d, uint64_t time, uint64_t what)
{
    Neureka *v = d->state;
    Job *j = &v->job[0];
    uint64_t cycle = to_cycle(d->clock, time);
    int n;

    if (what != v->epoch || !v->njob)
        return;
    if (v->ko == j->nko) {
        finish(d, time);
        return;
    }
    n = step_cycles(d, j, cycle);
    if (++v->step == steps(j)) {
        v->step = 0;
        v->ko++;
    }
    n += v->ko == j->nko ? DONE : 0;
    plan(d, cycle + (uint64_t)n + v->lost);
    v->lost = 0;
}

static void trigger(Device *d, Access *a)
{
    Neureka *v = d->state;
    Job *j = &v->job[v->njob];
    const char *why;

    if (v->njob == 2) {
        sim_fault(d->chip, a->core, "N-Eureka: a third job was triggered; "
                  "acquire says when there is room");
        return;
    }
    memcpy(j->reg, v->reg, sizeof j->reg);
    read_conf(j);
    read_sizes(j, v->tile);
    why = refuse(v, j);
    if (why) {
        sim_fault(d->chip, a->core, "N-Eureka job: %s", why);
        return;
    }
    j->id = v->next_id++ & 255;
    v->acquired = false;
    if (!v->njob++)
        begin(d, to_cycle(d->clock, a->time));
}

static uint32_t load(Device *d, Access *a)
{
    Neureka *v = d->state;

    switch (a->off) {
    case ACQUIRE:
        if (v->njob == 2 || v->acquired)
            return ~0u;
        v->acquired = true;
        return (uint32_t)(v->next_id & 255);
    case FINISHED: return (uint32_t)v->finished;
    case STATUS:
        core_polls(a, W_accel, v->njob);
        return v->njob == 2 ? 0x101 : (uint32_t)v->njob;
    case RUNNING: return v->njob ? (uint32_t)v->job[0].id : ~0u;
    }
    if (a->off >= JOB && a->off < JOB + 4 * NREG)
        return v->reg[(a->off - JOB) / 4];
    return 0;
}

static void store(Device *d, Access *a)
{
    Neureka *v = d->state;

    if (a->off == TRIGGER) {
        trigger(d, a);
    } else if (a->off == CLEAR) {
        v->njob = 0;
        v->acquired = false;
        v->epoch++;
    } else if (a->off >= JOB && a->off < JOB + 4 * NREG) {
        v->reg[(a->off - JOB) / 4] = a->value;
    }
}

static const Model model = {
    .name = "neureka", .size = sizeof(Neureka), .init = init, .load = load,
    .store = store, .event = event,
};
MODEL(model)
