/* How instructions issue on a Cortex-M4 and a Cortex-M7.
 *
 * M4: one at a time; cycles by its Technical Reference Manual, section 3.3
 * (r0p1), where it leaves a range the usual: a refill after a branch 2 cycles,
 * a division 7.
 *
 * M7: Arm publishes no cycles.  Two instructions issue in order; operands are
 * wanted by the address unit and shifter early, by the arithmetic a cycle
 * later, by the adder behind the multiplier another later.  What pairs, and
 * when results are there, are the measurements on an STM32H743 and H730 that
 * people published (doc/soc.md says which); what they call sensitive to
 * alignment is taken to go well. */
#include "timing.h"

#include <string.h>

enum { REGISTERS = 48, REFILL = 2, DIVIDE = 7, FLOAT_DIVIDE = 14 };

/* ---- M4 ---- */

static uint32_t own_cycles(const Op *o)
{
    switch (o->kind) {
    case OP_load_many: case OP_store_many:
        return 1 + (uint32_t)o->count + (o->returns ? REFILL : 0);
    case OP_store:
        return o->offset == NO_OFFSET ? 2 : 1;
    case OP_div:
        return DIVIDE;
    case OP_float_mac:
        return 3;
    case OP_float_div:
        return FLOAT_DIVIDE;
    default:
        return 1;
    }
}

/* A load takes a second cycle, but for a neighbour that uses it: another
 * access whose address does not wait for it. */
static bool hides_load(const Op *o, const Op *load)
{
    if (o->address & (load->write | load->base))
        return false;
    return o->kind == OP_load || o->kind == OP_nop ||
           (o->kind == OP_store && o->offset != NO_OFFSET);
}

static uint32_t wait_m4(const Op *o, const Op *before)
{
    bool floats = before->kind == OP_float || before->kind == OP_float_mac;

    if (before->kind == OP_load && !hides_load(o, before))
        return 1;
    if (before->kind == OP_store && o->kind == OP_load)
        return 1;
    return o->address & before->write ||
           (floats && (o->read | o->add) & before->write);
}

static uint32_t halves_m4(const Op *op, size_t n)
{
    uint32_t sum = 0;
    size_t i;

    for (i = 0; i < n; i++)
        sum += own_cycles(&op[i]) + (i ? wait_m4(&op[i], &op[i - 1]) : 0);
    sum += n && op[n - 1].kind == OP_load;
    return sum * HALVES;
}

/* ---- M7 ---- */

typedef struct State {
    int now;                 /* cycle */
    const Op *older;         /* has begun in it; NULL: none */
    int ready[REGISTERS];    /* cycle in which an instruction may begin that
                                wants the register early */
    Regs loaded;             /* by a load, not by arithmetic */
} State;

static bool moves_floats(const Op *o)
{
    return o->kind == OP_float || o->kind == OP_float_mac ||
           o->kind == OP_float_div || o->kind == OP_float_move;
}

static bool is_alone(const Op *o)
{
    return o->kind == OP_load_many || o->kind == OP_store_many ||
           o->kind == OP_div || o->kind == OP_float_div;
}

static bool uses_shifter(const Op *o)
{
    return o->shifted || o->wide_constant;
}

/* Two loads are served at once by the banks of even and odd words. */
static bool same_bank(const Op *a, const Op *b)
{
    return a->address == b->address && a->offset != NO_OFFSET &&
           b->offset != NO_OFFSET && !((a->offset ^ b->offset) & 4);
}

static bool is_access(const Op *o)
{
    return o->kind == OP_load || o->kind == OP_store;
}

static bool pairs(const Op *a, const Op *b)
{
    if (is_alone(a) || is_alone(b) || b->kind == OP_dsp)
        return false;
    if (a->kind == OP_load && b->kind == OP_load)
        return !same_bank(a, b);
    if (a->kind == b->kind && (a->kind == OP_store || a->kind == OP_mul ||
                               a->kind == OP_branch))
        return false;
    if ((a->kind == OP_mul && b->kind == OP_store) ||
        (a->kind == OP_store && b->kind == OP_mul))
        return false;
    if ((uses_shifter(a) || a->kind == OP_dsp) && uses_shifter(b))
        return false;
    if (moves_floats(a) && moves_floats(b))
        return false;
    return !((a->kind == OP_float_mac && is_access(b) && b->write >> 16) ||
             (b->kind == OP_float_mac && is_access(a) && a->write >> 16));
}

/* The cycle from which on `wanted` are there for a unit `late` cycles behind
 * the first. */
static int when(const State *s, Regs wanted, int late, int at)
{
    int i;

    for (i = 0; wanted; i++, wanted >>= 1)
        if (wanted & 1 && s->ready[i] - late > at)
            at = s->ready[i] - late;
    return at;
}

static int earliest(const State *s, const Op *o)
{
    int at = when(s, o->address | o->shifted | o->early, 0, s->now);

    at = when(s, o->data | o->add, 2, at);
    if (o->kind == OP_mul) /* a product takes no load of the cycle before */
        at = when(s, o->read & s->loaded, 0, at);
    return when(s, o->read, moves_floats(o) ? 0 : 1, at);
}

/* Cycles from its beginning to where others may want its result early. */
static int latency(const State *s, const Op *o, bool younger)
{
    bool early = when(s, o->read | o->shifted, 0, s->now) == s->now;

    switch (o->kind) {
    case OP_shift:
        return early ? 1 : 2;
    case OP_alu:
        return early && !younger && !o->shifted ? 1 : 2;
    case OP_load:
        return o->write >> 16 ? 2 : o->narrow ? 3 : 2;
    case OP_load_many:
        return 1 + (o->count + 1) / 2;
    case OP_mul:
        return 3;
    case OP_div:
        return DIVIDE + 2;
    case OP_float:
        return 3;
    case OP_float_mac:
        return 5;
    case OP_float_move:
        return 3;
    case OP_float_div:
        return FLOAT_DIVIDE + 2;
    default:
        return 2;
    }
}

static void set_ready(State *s, Regs written, int at)
{
    int i;

    for (i = 0; written; i++, written >>= 1)
        if (written & 1)
            s->ready[i] = at;
}

static void begin(State *s, const Op *o, int at)
{
    bool younger = s->older && at == s->now && pairs(s->older, o);

    if (s->older && !younger && at == s->now)
        at++;
    s->now = at;
    set_ready(s, o->write, at + latency(s, o, younger));
    set_ready(s, o->base, at + 1);
    s->loaded &= ~o->write;
    if (o->kind == OP_load)
        s->loaded |= o->write;
    s->older = younger ? NULL : o;
    if (younger)
        s->now++;
    if (is_alone(o)) {
        s->now += o->kind == OP_div ? DIVIDE :
                  o->kind == OP_float_div ? FLOAT_DIVIDE : (o->count + 1) / 2;
        s->older = NULL;
    }
}

static uint32_t halves_m7(const Op *op, size_t n)
{
    State s = {0};
    size_t i;

    for (i = 0; i < n; i++)
        begin(&s, &op[i], earliest(&s, &op[i]));
    return (uint32_t)s.now * HALVES + (s.older ? 1 : 0);
}

const Pipe *pipe_of(const char *name)
{
    static const Pipe pipes[] = {
        {"m4", halves_m4, REFILL * HALVES, 0, 1 * HALVES},
        {"m7", halves_m7, 0, 8 * HALVES, 3 * HALVES},
    };
    size_t i;

    for (i = 0; i < sizeof pipes / sizeof *pipes; i++)
        if (!strcmp(pipes[i].name, name))
            return &pipes[i];
    return NULL;
}
