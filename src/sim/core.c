/* The core: RI5CY as its RTL behaves, an Op at a time.
 *
 * Ops are decoded once and dispatched through a table of labels, made from
 * insn.def.  A core runs ahead of its neighbours as long as it does only what
 * they cannot see; before a load, a store, or a miss in the instruction cache
 * it waits until its cycle is the earliest (`lim`), so what the cores see of
 * each other is the same as in lockstep.  Time moves by the cycles of each
 * row plus what the macros below add. */
#include "sim/chip.h"
#include "sim/value.h"

#include <string.h>

/* Labels as values: the one extension used, for dispatch. */
#pragma GCC diagnostic ignored "-Wpedantic"

enum { TAKEN = 3, MISALIGNED = 1, LOAD_USE = 1 };

/* Decodes an Op of the core's page from memory; outside it is illegal. */
static void decode_here(Core *c, Op *op, uint32_t pc)
{
    Ram *r = c->page->ram;
    uint32_t off = pc - r->base, word = 0, n;

    if (off >= r->size || r->size - off < 2) {
        decode(op, 0);
        return;
    }
    n = MIN(4, r->size - off);
    memcpy(&word, r->data + off, n);
    decode(op, word);
    r->code[off / 64] = 1;
    r->code[(off + n - 1) / 64] = 1;
}

/* The Op that will follow, for the stall after a load; NULL if unknown. */
static const Op *follower(Core *c, const Op *op)
{
    const Op *next = op + op->len;
    uint32_t pc = c->page->base + 2 * (uint32_t)(op - c->page->op);
    Page *p = c->page;
    int i;

    for (i = 0; op->flags & LOOPEND && i < 2; i++)
        if (c->loop[i].end == pc && c->loop[i].count > 1) {
            if (c->loop[i].start - p->base >= PAGE)
                return NULL;
            next = &p->op[(c->loop[i].start - p->base) / 2];
            break;
        }
    if (next->row == Row_turn)
        return NULL;
    if (next->row == Row_new)
        decode_here(c, (Op *)next,
                    p->base + 2 * (uint32_t)(next - p->op));
    return next;
}

/* Starts or ends of loops moved: mark the Op at the end. */
static void mark_loop_end(Core *c, int i)
{
    Loop *l = &c->loop[i];
    Page *p = l->end - c->page->base < PAGE ? c->page
                                            : page_at(c->chip, l->end);

    if (!p || !l->end)
        return;
    p->op[(l->end - p->base) / 2].flags |= LOOPEND;
    if (l->start == l->end && l->start)
        sim_note(c->chip->sim, "core %s, hardware loop at 0x%08x: a body of "
                 "one instruction runs once on real cores", c->count.name,
                 l->start);
}

static void mark(Core *c, uint32_t kind, uint64_t t, uint64_t insns)
{
    SimResult *r = c->chip->sim->res;

    if (kind < SIM_BEGIN || kind > SIM_WORKED)
        return;
    GROW(c->chip->sim->mem, r->mark, r->nmark);
    r->mark[r->nmark++] = (SimMark){kind, (uint32_t)c->chip->id, c->hart,
                                    t - c->start, insns, c->fetched,
                                    c->count.bank, t};
}

static bool interrupted(const Core *c)
{
    return c->irq & c->mie && c->mstatus & 8;
}

#define D x[op->rd]
#define S x[op->rs1]
#define T x[op->rs2]
#define E x[op->rs3]
#define I u32(op->imm)
#define J u32(op->imm2)
#define PC (base + 2 * (uint32_t)(op - ops))

#define DISPATCH goto *label[op->row]

/* An instruction that was late in coming has its effect before the core
 * stands still for it, as in the reference: what the next Op waits for. */
#define PAY()                                                                 \
    do {                                                                      \
        t += c->owed;                                                         \
        c->owed = 0;                                                          \
        label = usual;                                                        \
    } while (0)

#define NEXT                                                                  \
    do {                                                                      \
        n++;                                                                  \
        if (__builtin_expect(op->flags & LOOPEND, 0))                         \
            goto loop_end;                                                    \
        prev = op;                                                            \
        op += op->len;                                                        \
        if (__builtin_expect(op->flags & LINE, 0))                            \
            goto line;                                                        \
        DISPATCH;                                                             \
    } while (0)

#define JUMP(to)                                                              \
    do {                                                                      \
        target = (to);                                                        \
        D = PC + 2 * op->len;                                                 \
        t += cost;                                                            \
        c->jumps++;                                                           \
        goto jump;                                                            \
    } while (0)

/* A register written by the instruction before arrives a cycle late; a
 * loaded one, a cycle later than that. */
#define JUMP_REG(to)                                                          \
    do {                                                                      \
        if (prev && prev->rd == op->rs1 && op->rs1)                           \
            t++;                                                              \
        else if (c->loaded == op->rs1 && t - c->loaded_t < 2)                 \
            t++;                                                              \
        JUMP((to) & ~1u);                                                     \
    } while (0)

#define BRANCH(cond)                                                          \
    do {                                                                      \
        c->branches++;                                                        \
        if (cond) {                                                           \
            c->taken++;                                                       \
            target = PC + I;                                                  \
            t += TAKEN;                                                       \
            goto jump;                                                        \
        }                                                                     \
    } while (0)

#define DIVIDE(cycles, value)                                                 \
    do {                                                                      \
        uint32_t v_ = (value);                                                \
        t += (cycles);                                                        \
        D = v_;                                                               \
    } while (0)

/* Asks for the bank, unless nobody else can ask in this cycle. */
#define NEAR_ACCESS(bytes)                                                    \
    do {                                                                      \
        if (__builtin_expect(!granted, 1)) {                                  \
            c->across = (off & 3) + bytes > 4;                                \
            if (t >= alone || t >= near->calm || c->across) {                 \
                c->bank = (int)(off >> 2 & near_mask);                        \
                c->asks = true;                                               \
                goto yield;                                                   \
            }                                                                 \
            bank_alone(&near->bank[off >> 2 & near_mask], c->id);             \
        }                                                                     \
        granted = false;                                                      \
        moved += bytes;                                                       \
    } while (0)

/* Someone else's memory or device, in its turn; a device may want to be asked
 * again. */
#define FAR_ACCESS(does)                                                      \
    do {                                                                      \
        if (t > lim)                                                          \
            goto yield;                                                       \
        c->wait_rd = op->rd;                                                  \
        c->op = op;                                                           \
        c->insns += n;                                                        \
        n = 0;                                                                \
        does;                                                                 \
        if (__builtin_expect(c->again, 0))                                    \
            goto yield;                                                       \
    } while (0)

#define LOAD_AT(type, addr, value)                                            \
    uint32_t addr_ = (addr), off = addr_ - near_base;                         \
    type value;                                                               \
    if (__builtin_expect(off < near_size, 1)) {                               \
        NEAR_ACCESS(sizeof(type));                                            \
        memcpy(&value, near_data + off, sizeof value);                        \
        t += cost;                                                            \
    } else {                                                                  \
        FAR_ACCESS(value = (type)load_far(c, addr_, sizeof(type), &t));       \
        if (c->chip->yield) {                                                 \
            lim = far = alone = 0;                                            \
            if (sim->stop)                                                    \
                goto yield;                                                   \
        }                                                                     \
    }

#define LOAD(type, addr)                                                      \
    do {                                                                      \
        LOAD_AT(type, addr, v_)                                               \
        D = u32(v_);                                                          \
        goto loaded;                                                          \
    } while (0)

/* The loaded value wins where both go to the same register. */
#define LOAD_POST(type, step)                                                 \
    do {                                                                      \
        LOAD_AT(type, S, v_)                                                  \
        uint32_t after_ = addr_ + (step);                                     \
        if (op->rs1)                                                          \
            S = after_;                                                       \
        D = u32(v_);                                                          \
        goto loaded;                                                          \
    } while (0)

#define STORE_AT(type, addr)                                                  \
    uint32_t addr_ = (addr), off = addr_ - near_base;                         \
    type v_ = (type)T;                                                        \
    if (__builtin_expect(off < near_size, 1)) {                               \
        NEAR_ACCESS(sizeof(type));                                            \
        memcpy(near_data + off, &v_, sizeof v_);                              \
        if (__builtin_expect(near->code[off / 64] |                           \
                             near->code[(off + sizeof v_ - 1) / 64], 0))      \
            code_changed(c->chip, near, off, sizeof v_);                      \
        t += cost;                                                            \
        stores++;                                                             \
    } else {                                                                  \
        FAR_ACCESS(store_far(c, addr_, sizeof v_, v_, &t));                   \
        stores++;                                                             \
        if (c->chip->yield) {                                                 \
            lim = far = alone = 0;                                            \
            if (sim->stop)                                                    \
                goto stopped;                                                 \
        }                                                                     \
    }

#define STORE(type, addr)                                                     \
    do {                                                                      \
        STORE_AT(type, addr)                                                  \
        NEXT;                                                                 \
    } while (0)

#define STORE_POST(type, step)                                                \
    do {                                                                      \
        STORE_AT(type, S)                                                     \
        if (op->rs1)                                                          \
            S = addr_ + (step);                                               \
        NEXT;                                                                 \
    } while (0)

#define LOOP_START(off) (c->loop[op->rd & 1].start = PC + (off))
#define LOOP_END(off)                                                         \
    (c->loop[op->rd & 1].end = PC + (off), mark_loop_end(c, op->rd & 1))
#define LOOP_COUNT(v) (c->loop[op->rd & 1].count = (v))
#define LOOP(v, off)                                                          \
    (LOOP_COUNT(v), LOOP_START(4), LOOP_END(off))

#define FLUSH()                                                               \
    do {                                                                      \
        code_flush(c->chip);                                                  \
        c->line = ~0u;                                                        \
        t += cost;                                                            \
        n++;                                                                  \
        prev = op;                                                            \
        op += op->len;                                                        \
        goto line;                                                            \
    } while (0)

#define TRAP(cause)                                                           \
    do {                                                                      \
        trap = (cause);                                                       \
        goto exception;                                                       \
    } while (0)

#define RETURN()                                                              \
    do {                                                                      \
        c->mstatus = (c->mstatus & ~8u) | (c->mstatus >> 4 & 8) | 0x80;       \
        target = c->mepc;                                                     \
        t += cost;                                                            \
        goto jump;                                                            \
    } while (0)

#define WAIT()                                                                \
    do {                                                                      \
        if (!(c->irq & c->mie)) {                                             \
            c->wait = W_other;                                                \
            c->wait_rd = 32;                                                  \
            t += cost;                                                        \
            goto asleep;                                                      \
        }                                                                     \
    } while (0)

#define MARK(kind) mark(c, kind, t, c->insns + n)

#define CSR(value, write)                                                     \
    do {                                                                      \
        uint32_t old;                                                         \
        c->loads += loads;                                                    \
        c->stores += stores;                                                  \
        loads = stores = 0;                                                   \
        old = csr_read(c, I, t, c->insns + n);                                \
        uint32_t new_ = (value);                                              \
        if (write) {                                                          \
            csr_write(c, I, new_, t, c->insns + n);                           \
            mark_loop_end(c, 0);                                              \
            mark_loop_end(c, 1);                                              \
        }                                                                     \
        (void)old;                                                            \
        D = old;                                                              \
    } while (0)

void core_run(Core *c, uint64_t lim, uint64_t far, uint64_t alone)
{
    static const void *const plain[NROW] = {
        [Row_new] = &&L_new,
        [Row_illegal] = &&L_illegal,
        [Row_stale] = &&L_stale,
        [Row_turn] = &&L_turn,
#define INSN(name, text, match, mask, cycles, meaning)                        \
        [Row_##name] = &&L_##name,
#include "sim/insn.def"
    };
    static const void *const watched[NROW] = {[0 ... NROW - 1] = &&L_watch};
    static const void *const paying[NROW] = {[0 ... NROW - 1] = &&L_pay};
    Sim *sim = c->chip->sim;
    bool watch = sim->opt.trace || sim->gdb;
    const void *const *usual = watch ? watched : plain, *const *label = usual;
    Ram *near = c->near;
    uint8_t *near_data = near->data;
    uint32_t near_mask = (uint32_t)near->nbank - 1;
    uint32_t near_base = near->base, near_size = near->size - 3;
    uint32_t *x = c->x;
    const Op *op, *prev = c->prev, *ops;
    uint64_t t, n = 0, moved = 0, loads = 0, stores = 0;
    uint32_t target, trap = 0, base;
    bool granted = c->granted, begun = granted | c->again;
    int wait;

    if (!begun && interrupted(c))
        core_interrupt(c);
    if (sim->stop)
        return;
    c->granted = c->again = false;
    op = c->op;
    ops = c->page->op;
    base = c->page->base;
    t = c->t;
    if (c->owed)
        label = paying;
    if (begun)
        goto *plain[op->row];
    if (c->line == ~0u)
        goto line;
    goto *usual[op->row];

L_pay:
    PAY();
    DISPATCH;

L_watch:
    if (op->row == Row_new)
        decode_here(c, (Op *)op, PC);
    if (t > lim)
        goto yield;
    c->t = t;
    if (sim->gdb && gdb_breaks(c, PC))
        goto yield;
    if (sim->opt.trace && op->row >= Row_first) {
        c->op = op;
        trace_op(c, op, t);
    }
    goto *plain[op->row];

L_new:
    decode_here(c, (Op *)op, PC);
    goto *usual[op->row];

L_illegal:
    TRAP(2);

L_stale:
    c->op = op;
    core_stale_insn(c);
    goto yield;

L_turn:
    PAY();
    target = PC;
    {
        Page *p = page_at(c->chip, target);

        c->op = op;
        if (!p) {
            sim_fault(c->chip, c, "ran off the end of memory %s",
                      c->page->ram->name);
            goto yield;
        }
        c->page = p;
        ops = p->op;
        base = p->base;
        op = &ops[(target - base) / 2];
    }
    goto line;

#define INSN(name, text, match, mask, cycles, meaning)                        \
L_##name: {                                                                   \
        enum { cost = cycles };                                               \
        meaning;                                                              \
        t += cost;                                                            \
        NEXT;                                                                 \
    }
#include "sim/insn.def"

loaded: /* by op: does the next one use it at once? */
    loads++;
    if (__builtin_expect(c->wait, 0))
        goto asleep;
    {
        uint32_t rd = op->rd;
        const Op *next = op + op->len;

        if (__builtin_expect((op->flags & LOOPEND) | (next->row <= Row_turn),
                             0))
            next = follower(c, op);
        if (next && (next->rs1 == rd || next->rs2 == rd || next->rs3 == rd)) {
            t += LOAD_USE;
            c->count.load += LOAD_USE;
        }
        c->loaded = rd;
        c->loaded_t = t;
    }
    NEXT;

loop_end: /* op may be the last of a loop's body */
    PAY();
    {
        uint32_t pc = PC;
        Loop *l = c->loop;

        if (l->end != pc || l->count < 2)
            l++;
        if (l->end != pc || l->count < 2) {
            prev = op;
            op += op->len;
            goto line;
        }
        l->count--;
        prev = op;
        target = l->start;
        if (target - base < PAGE) {
            op = &ops[(target - base) / 2];
            if (target >> 4 == c->line && (target & 15) != 14 && t <= far)
                DISPATCH;
            goto line;
        }
        goto to_page;
    }

jump: /* to target; t is already there */
    PAY();
    n++;
    prev = NULL;
    if (__builtin_expect(target & 1, 0)) {
        c->op = op;
        sim_fault(c->chip, c, "jump to odd address 0x%08x", target);
        goto yield;
    }
    if (target - base < PAGE) {
        op = &ops[(target - base) / 2];
    } else {
to_page:;
        Page *p = page_at(c->chip, target);

        if (!p) {
            c->op = op;
            sim_fault(c->chip, c, "jump to 0x%08x: no memory there", target);
            goto yield;
        }
        c->page = p;
        ops = p->op;
        base = p->base;
        op = &ops[(target - base) / 2];
    }
    if (target >> 4 != c->line || (target & 15) == 14)
        goto line;
    if (t > far)
        goto yield;
    DISPATCH;

line: /* is op in the fetch buffer? */
    PAY();
    {
        uint32_t pc = PC;

        if (pc >> 4 != c->line || (pc & 15) == 14) {
            int stall = fetch_line(c, pc, t, lim);

            if (stall < 0) {
                c->line = ~0u;
                goto yield;
            }
            c->owed = (uint64_t)stall;
            c->count.icache += (uint64_t)stall;
        }
    }
    if (t > far)
        goto yield;
    if (c->owed)
        label = paying;
    goto *usual[op->row];

exception:
    c->op = op;
    target = PC;
    if (trap == 3) {
        c->t = t;
        if (semihost(c, target)) {
            t++;
            if (sim->stop)
                goto stopped;
            NEXT;
        }
    }
    if (trap == 3 && sim->gdb) {
        gdb_trapped(c);
        goto yield;
    }
    if (!core_trap(c, target, trap)) {
        if (trap == 2)
            core_bad_insn(c, target);
        else
            sim_fault(c->chip, c, "%s, and no trap vector set",
                      core_trap_name(trap));
        goto yield;
    }
    target = c->mtvec & ~255u;
    t += TAKEN;
    goto jump;

asleep: /* what is owed is paid after waking */
    wait = c->wait;
    n++;
    c->slept = t;
    prev = op;
    op += op->len;
    if (op->row == Row_turn) {
        target = PC;
        c->op = op;
        core_jump(c, target);
        op = c->op;
    } else {
        c->line = ~0u;
    }
    t = wait == AWAKE ? t : NEVER;
    goto yield;

stopped: /* after a store that ended something: it did happen */
    PAY();
    n++;
    op += op->len;
yield:
    c->op = op;
    c->prev = prev;
    c->t = t;
    c->insns += n;
    c->loads += loads;
    c->stores += stores;
    *near->bytes += moved;
    if (sim->stop && t != NEVER) /* the end is now */
        c->chip->now = MAX(c->chip->now, to_ticks(c->clock, t));
}
