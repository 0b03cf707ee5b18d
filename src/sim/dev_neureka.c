/* N-Eureka, the convolution engine of Siracusa, and NE16, that of GAP9: 1x1,
 * 3x3 and 3x3 depthwise jobs on 8-bit activations and weights of 2 to 8 bits.
 *
 * A job is a row of registers; two may be queued.  N-Eureka computes outputs
 * in subtiles of 6 x 6 pixels and 32 channels (28 if depthwise), inputs enter
 * by 28 channels (32 for 1x1); NE16 in subtiles of 3 x 3 pixels and 32
 * channels (16 if depthwise), inputs by 16.  The cycles are those measured on
 * the RTL, phase by phase; the results are written when the job ends.  While a
 * phase reads or writes the L1 it takes nine banks a cycle, and cores wait for
 * it up to eight cycles before it waits for them.
 *
 * Keys: `tile=28` input channels of a 3x3 subtile, `weights=` the memory that
 * the weight port sees, `event=12`. */
#include "sim/convjob.h"

#include <string.h>

enum { /* registers */
    TRIGGER = 0x00, ACQUIRE = 0x04, FINISHED = 0x08, STATUS = 0x0c,
    RUNNING = 0x10, CLEAR = 0x14, JOB = 0x20,
};
enum { PATIENCE = 8, PORT = 36 };
enum { START = 4, DONE = 1, UPDATE = 2 };
enum { /* bits of R_conf that a unit may lack */
    MODE_16 = 1 << 3, LINEAR = 1 << 7, STRIDED = 1 << 8, FROM_PORT = 1 << 9,
    PREFETCH = 1 << 10, SIGNED = 1 << 26,
};

static const Unit units[] = {
    {.model = "neureka", .name = "N-Eureka", .slice = "n-eureka", .side = 6,
     .tile = {28, 28, 32}, .load = {70, 70, 52}, .behind = 5,
     .depth_at_once = true, .slots = true, .pads_behind = true,
     .lacks = LINEAR | STRIDED},
    {.model = "ne16", .name = "NE16", .slice = "ne16", .side = 3,
     .tile = {16, 16, 16}, .load = {31, 31, 19}, .behind = 6,
     .lacks = MODE_16 | LINEAR | FROM_PORT | PREFETCH | SIGNED},
};

typedef struct Neureka {
    Unit unit;
    int event;
    Ram *port;
    ConvJob job[2];   /* the one that runs, the next */
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
    size_t i;
    Ram *r;

    for (i = 0; i < LEN(units); i++)
        if (!strcmp(units[i].model, d->model->name))
            v->unit = units[i];
    v->unit.tile[CONV3] = (int)item_int(d->item, "tile", v->unit.tile[CONV3]);
    v->unit.tile[DEPTHWISE] = v->unit.tile[CONV3];
    v->event = (int)item_int(d->item, "event", 12);
    v->finished = -1;
    for (r = d->chip->rams; r; r = r->next)
        if (!strcmp(r->name, port))
            v->port = r;
}

static void read_conf(ConvJob *j)
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
    j->strided = c >> 8 & 1;
}

static void read_sizes(ConvJob *j)
{
    const uint32_t *r = j->reg;

    j->tile = j->unit->tile[j->mode];
    j->ko_tile = j->mode == DEPTHWISE ? j->tile : KO;
    j->taps = j->mode == CONV1 ? 1 : 9;
    j->nko = (int)(r[R_num_k] >> 16);
    j->nki = j->mode == DEPTHWISE ? 1 : (int)(r[R_num_k] & 0xffff);
    j->nho = (int)(r[R_num_o] >> 16);
    j->nwo = (int)(r[R_num_o] & 0xffff);
    j->rem_ko = (int)(r[R_rem_k] >> 16);
    j->rem_ki = (int)(r[R_rem_k] & 0xffff);
}

/* What is wrong with a job, or NULL. */
static const char *refuse(const Neureka *v, const ConvJob *j)
{
    const int side = v->unit.side;
    int rem_h = (int)(j->reg[R_rem_o] >> 16);
    int rem_w = (int)(j->reg[R_rem_o] & 0xffff);

    if (j->qw < 2)
        return "weights of 1 bit";
    if (j->reg[R_conf] & v->unit.lacks)
        return v->unit.lacks & STRIDED
            ? "linear or strided mode, which is not simulated"
            : "16-bit or linear mode, which is not simulated, or what another "
              "unit has";
    if (j->reg[R_mask])
        return "a filter mask, which is not simulated";
    if (!j->nko || !j->nki || !j->nho || !j->nwo)
        return "no subtiles";
    if (j->rem_ko < 1 || j->rem_ko > j->ko_tile || rem_h < 1 || rem_h > side ||
        rem_w < 1 || rem_w > side || j->rem_ki < 1 || j->rem_ki > j->tile)
        return "a remainder outside of its subtile";
    if ((j->reg[R_conf] >> 12 & 3) == 3)
        return "scale of unknown width";
    if (j->from_port && !v->port)
        return "weights from a port that this chip does not have";
    return NULL;
}

/* ---- time ---- */

static int channels(const ConvJob *j, int ko)
{
    return ko == j->nko - 1 ? j->rem_ko : j->ko_tile;
}

static int up(int a, int b)
{
    return (a + b - 1) / b;
}

/* Cycles of the products of one input tile; with prefetch the next load
 * hides behind them and may take longer. */
static int product_cycles(const ConvJob *j, int k, int ki, bool last)
{
    static const int first[] = {69, 33, 46}, more[] = {69, 33, 50};
    int n = j->unit->behind + (j->mode == CONV1 ? k : j->qw * k);

    if (j->mode == DEPTHWISE && j->unit->depth_at_once)
        n = j->qw + 4;
    if (!j->prefetch || last)
        return n;
    return MAX(n, ki ? more[j->mode] : first[j->mode]);
}

static int out_cycles(const ConvJob *j, int k)
{
    return j->unit->side * j->unit->side *
           (j->out_bytes == 4 ? up(k, 8) : 1) + 3;
}

/* After the last input tile: normalisation, bias, the way out. */
static int end_cycles(const ConvJob *j, int k)
{
    int n = out_cycles(j, k);

    if (j->quant)
        n += 9 + up(k * j->norm_bits, 32) - !j->bias;
    if (j->bias)
        n += 8 + up(k, 8);
    return n;
}

static int64_t steps(const ConvJob *j)
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
static int step_cycles(Device *d, const ConvJob *j, uint64_t now)
{
    Neureka *v = d->state;
    int k = channels(j, v->ko), ki = (int)(v->step % j->nki), n = 0;
    int side = j->unit->side + (j->mode == CONV1 ? 0 : 2);
    int pixels = side * side;
    bool first = !v->ko && !v->step;
    bool last = v->ko == j->nko - 1 && v->step == steps(j) - 1;
    int products = product_cycles(j, k, ki, last);

    if (j->stream_in && !ki)
        n += out_cycles(j, k);
    occupy(d, j->reg[R_in], j->reg[R_in_pixel], now + (uint64_t)n, pixels);
    if (!j->prefetch || first)
        n += j->unit->load[j->mode];
    n += j->mode == DEPTHWISE ? k + j->unit->behind : 6;
    if (!j->from_port)
        occupy(d, j->reg[R_weights], j->reg[R_w_d0], now + (uint64_t)n, products);
    n += products + UPDATE;
    if (ki == j->nki - 1) {
        int out = out_cycles(j, k);

        n += end_cycles(j, k) + !last;
        occupy(d, j->reg[R_out], j->reg[R_out_pixel],
               now + (uint64_t)(n - out), out - 3);
    }
    return n;
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

/* On the timeline: what it is, and of which size. */
static void draw(const Device *d, const ConvJob *j, uint64_t time)
{
    static const char *const names[] = {"3x3", "depthwise 3x3", "1x1"};
    const int side = j->unit->side;
    int m = (j->nko - 1) * j->ko_tile + j->rem_ko;
    int c = j->mode == DEPTHWISE ? m : (j->nki - 1) * j->tile + j->rem_ki;
    int h = (j->nho - 1) * side + (int)(j->reg[R_rem_o] >> 16);
    int w = (j->nwo - 1) * side + (int)(j->reg[R_rem_o] & 0xffff);
    char name[80];

    snprintf(name, sizeof name, "%s, %dx%d pixels, %d to %d channels, %d bits, "
             "scales %d", names[j->mode], h, w, c, m, j->qw,
             j->quant ? j->norm_bits : 0);
    timeline_slice(d->chip, j->unit->slice, name, to_ticks(d->clock, j->from),
                   time);
}

static void finish(Device *d, uint64_t time)
{
    Neureka *v = d->state;
    ConvJob *j = &v->job[0];

    convjob_compute(j);
    d->chip->counts.accel_cycles += to_cycle(d->clock, time) - j->from;
    chip_worked(d->chip, j->from, to_cycle(d->clock, time));
    draw(d, j, time);
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
    ConvJob *j = &v->job[0];
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
    ConvJob *j = &v->job[v->njob];
    const char *why;

    if (v->njob == 2) {
        sim_fault(d->chip, a->core, "%s: a third job was triggered; acquire "
                  "says when there is room", v->unit.name);
        return;
    }
    memcpy(j->reg, v->reg, sizeof j->reg);
    j->device = d;
    j->unit = &v->unit;
    j->port = v->port ? v->port->base : 0;
    read_conf(j);
    if (j->mode <= CONV1)
        read_sizes(j);
    why = j->mode > CONV1 ? "mode 3 does not exist" : refuse(v, j);
    if (why) {
        sim_fault(d->chip, a->core, "%s job: %s", v->unit.name, why);
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

static const Model neureka = {
    .name = "neureka", .size = sizeof(Neureka), .init = init, .load = load,
    .store = store, .event = event,
};
MODEL(neureka)

static const Model ne16 = {
    .name = "ne16", .size = sizeof(Neureka), .init = init, .load = load,
    .store = store, .event = event,
};
MODEL(ne16)
