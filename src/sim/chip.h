/* chip: what the files of the simulator share.
 *
 * A Sim is some chips; a Chip is clocks, each with its cores, a memory map of
 * RAMs and devices, and a queue of events.  Global time is counted in ticks
 * that divide every clock's period; a core counts cycles of its own clock. */
#ifndef CHIP_H
#define CHIP_H

#include "sim/sim.h"

typedef struct Sim Sim;
typedef struct Chip Chip;
typedef struct Clock Clock;
typedef struct Core Core;
typedef struct Device Device;
typedef struct Ram Ram;
typedef struct Page Page;

#define NEVER UINT64_MAX

/* ---- instructions ---- */

enum { /* flags of an Op */
    LINE = 1,    /* the fetch buffer may have to move here */
    LOOPEND = 2, /* a hardware loop ends (or once ended) here */
};

/* An instruction as the core runs it.  rd is 32 where x0 is written; source
 * fields that an instruction lacks are 0. */
typedef struct Op {
    uint16_t row; /* Row_... */
    uint8_t flags;
    uint8_t len; /* in halfwords */
    uint8_t rd, rs1, rs2, rs3;
    int32_t imm, imm2;
} Op;

enum Row {
    Row_new,     /* not decoded yet */
    Row_illegal,
    Row_stale,   /* changed by a store since it was decoded */
    Row_turn,    /* end of a page: go on in the next */
#define INSN(name, text, match, mask, cycles, meaning) Row_##name,
#include "sim/insn.def"
    NROW,
    Row_first = Row_turn + 1,
};

enum { PAGE = 4096, PAGE_OPS = PAGE / 2 };

/* Decoded instructions of 4 KB of memory; two more ops turn the page. */
struct Page {
    uint32_t base;
    Ram *ram;
    Page *next;      /* same bucket */
    bool has_stale;
    Op op[PAGE_OPS + 2];
};

/* decode.c */
void decode(Op *op, uint32_t word);

/* rvc.c */
uint32_t expand(uint32_t word); /* a compressed one as 32 bits; 0: illegal */

/* ---- memory ---- */

/* What takes L1 banks in every cycle of a while: an accelerator's job. */
typedef struct Stream {
    uint32_t off, width, step; /* bytes: where, taken, and on a cycle */
    uint64_t from, to;         /* cycles of the clock of the L1 */
    int patience;              /* conflicts that it wins before it loses one */
    uint64_t *lost;            /* counts the cycles it gave way */
} Stream;

/* The arbiter's state of a bank (bank.c). */
typedef struct Bank {
    uint8_t pointer;       /* tree */
    uint8_t flag[2], turn; /* flag: grants to cores, to others, to any */
} Bank;

/* The ports of a DMA, which asks for banks as cores do.  step() ends cycle t:
 * bit i of `granted` says that port i had its bank; it sets t and bank. */
enum { DMA_PORTS = 4, OTHER_PORTS = 8 }; /* external ones before the DMA's */
typedef struct Ports {
    uint64_t t;          /* next cycle in which anything happens, or NEVER */
    int bank[DMA_PORTS]; /* wanted in it; -1: none */
    Device *device;
    void (*step)(struct Ports *p, unsigned granted);
} Ports;

/* Memory with contents.  latency[] is of a core on the same side of the chip:
 * [0] the fabric controller and others outside, [1] the cluster. */
struct Ram {
    const char *name;
    uint32_t base, size;
    uint8_t *data;
    uint8_t *code;     /* per 64 bytes: some of it is decoded */
    int latency[2];    /* cycles of a load or store */
    int level;
    int nbank;         /* word-interleaved */
    Bank *bank;
    bool by_flag;      /* which arbiter (bank.c); else tree */
    int ports, levels; /* that ask for a bank; of the arbiter's tree */
    uint64_t calm;     /* only cores ask before this cycle */
    uint64_t busy;     /* streams use the banks before this cycle */
    Stream stream[16];
    int denied;        /* conflicts in a row that a stream has won */
    Ports *dma;        /* or NULL */
    uint64_t *asks;    /* per bank: ports that ask in a cycle ... */
    int8_t *won;       /* ... and who has it */
    uint64_t *bytes;   /* counter of the energy table */
    Ram *next;
};

/* What a device learns of an access. */
typedef struct Access {
    uint32_t off;    /* from the device's base */
    int size;
    uint32_t value;  /* of a store */
    Core *core;      /* who; NULL: a device */
    uint64_t time;   /* ticks */
    int extra;       /* set: cycles beyond the latency ... */
    int again;       /* or nothing was done: cycles until it is asked again */
    int why;         /* ... spent for: a Wait, 0: the memory */
} Access;

/* A kind of device.  All functions but init may be NULL. */
typedef struct Model {
    const char *name;
    size_t size;     /* of its state, zeroed */
    void (*init)(Device *d);
    uint32_t (*load)(Device *d, Access *a);
    void (*store)(Device *d, Access *a);
    void (*event)(Device *d, uint64_t time, uint64_t what);
    void (*end)(Device *d); /* the simulation is over */
    /* Of links: messages leave that might until now, when all chips have come to
     * the end of a quantum.  Are there others that may later? */
    bool (*settle)(struct Sim *s);
} Model;

struct Device {
    const char *name;
    const Model *model;
    uint32_t base, size;
    int latency[2];
    void *state;
    Chip *chip;
    Clock *clock;
    const Item *item; /* its line in the description */
    Device *next;
};

/* device.c: models announce themselves, so a device is one file. */
void model_add(const Model *m);
const Model *model_find(const char *name);
#define MODEL(var)                                                            \
    __attribute__((constructor)) static void announce_##var(void)             \
    {                                                                         \
        model_add(&var);                                                      \
    }

/* ---- cores ---- */

enum Wait { AWAKE, W_barrier, W_dma, W_accel, W_other, W_off };

typedef struct Cache { /* instructions: tags only */
    bool on;
    int sets, ways;   /* powers of two */
    uint32_t *tag;    /* line number + 1 */
    uint64_t *ready;  /* cycle in which the line is there */
    uint64_t refill;  /* cycle until which it refills one */
    uint8_t lfsr;
    int latency;      /* of its own refill */
} Cache;

typedef struct Loop {
    uint32_t start, end, count;
} Loop;

struct Core {
    /* what the inner loop uses, first */
    uint32_t x[33];
    const Op *op;       /* next */
    const Op *prev;     /* the one before: jumps through a register ask */
    Page *page;
    uint64_t t;         /* cycle in which it issues; NEVER: asleep */
    bool asks;          /* for a bank of `near` in cycle t ... */
    bool across;        /* ... and for the next one after that */
    bool granted;       /* it has the bank in cycle t */
    bool again;         /* a device asked for patience: op is asked again */
    int bank;
    uint64_t insns;
    Ram *near;          /* L1, or L2 of the fabric controller */
    uint32_t line;      /* fetch buffer: pc / 16 */
    uint64_t owed;      /* cycles to stand still after the next Op */
    uint32_t loaded;    /* register of the last load ... */
    uint64_t loaded_t;  /* ... and when */
    Loop loop[2];
    Cache *l0;
    Cache *l1;          /* banks, nl1 of them; NULL: none */
    int nl1;
    int side;           /* 1: in the cluster */
    int fetch_latency;  /* of a line from memory */
    /* the rest */
    Chip *chip;
    Clock *clock;
    int id;             /* within its clock */
    uint32_t hart;
    enum Wait wait;
    uint64_t boot_cycle; /* of its first instruction after reset */
    uint64_t start;     /* cycle it began; NEVER: it never did */
    uint64_t slept;     /* cycle it fell asleep */
    uint8_t wait_rd;
    uint32_t boot;
    SimCore count;
    uint32_t mstatus, mtvec, mepc, mcause, mscratch, mie, pcer, pcmr;
    bool mtvec_set;
    uint32_t pccr[32];
    uint64_t cycle0, insn0; /* zero points of mcycle and minstret */
    uint64_t event_base[32]; /* of pccr, when it last ran */
    uint64_t loads, stores, jumps, branches, taken;
    uint64_t fetched;   /* of count.icache: for lines from memory */
    uint32_t irq;       /* pending lines, bit per number */
    void *unit;         /* the event unit's state of this core */
    uint64_t polled;    /* cycle it last asked whether something is over */
    uint64_t polled_other; /* stalls until then */
};

/* trap.c */
/* Takes an exception if the program set a vector for it. */
bool core_trap(Core *c, uint32_t pc, uint32_t cause);
void core_interrupt(Core *c);
const char *core_trap_name(uint32_t cause);
void core_bad_insn(Core *c, uint32_t pc);
void core_stale_insn(Core *c);
/* core.c: runs c while it may touch what others see, until cycle lim, and
 * what only it sees until cycle far; before cycle `alone` no other core asks
 * for a bank.  Returns with c->t beyond, or when it asks for a bank. */
void core_run(Core *c, uint64_t lim, uint64_t far, uint64_t alone);
/* jump.c */
void core_start(Core *c, uint32_t pc, uint64_t cycle);
void core_jump(Core *c, uint32_t pc);
/* hart.c */
void core_wake(Core *c, uint64_t cycle, uint32_t value);
uint64_t *core_waits(Core *c, enum Wait why); /* the counter of such waits */
/* A core asks a device whether it is busy: what passes between one asking and
 * the next is waiting, not work. */
void core_polls(Access *a, enum Wait why, bool busy);
uint32_t core_pc(const Core *c);
/* icache.c: cycles until the line at pc is in the fetch buffer, from cycle
 * t; -1: others' order matters, ask again at cycle lim or before. */
int fetch_line(Core *c, uint32_t pc, uint64_t t, uint64_t lim);
Cache *cache_new(Arena *a, int n, int sets, int ways, int latency);
void cache_flush(Cache *k);
/* csr.c */
uint32_t csr_read(Core *c, uint32_t n, uint64_t t, uint64_t insns);
void csr_write(Core *c, uint32_t n, uint32_t v, uint64_t t, uint64_t insns);

/* ---- a chip ---- */

struct Clock {
    const char *name;
    double mhz;       /* 0: only its ratio to the others is known */
    uint64_t khz;     /* for the ratio */
    uint64_t period;  /* ticks */
    Core *core;
    int ncore;
    Clock *next;
};

typedef struct Event {
    uint64_t time, order;
    Device *device;
    uint64_t what;
} Event;

struct Chip {
    Sim *sim;
    int id;
    const Soc *soc;
    Clock *clocks;
    Ram *rams;
    Device *devices;
    Ram *l1;
    Page *bucket[256];
    Event *event;  /* a heap, earliest first */
    int nevent;
    uint64_t order;
    uint64_t now;  /* ticks */
    bool yield;    /* an event or a core's time changed: look again */
    bool ended;
    int status;
    const char *dir; /* of the files the guest opens; NULL: here */
    Str kept;        /* output behind a line that another chip has begun */
    SimCounts counts;
    const struct ElfSym *sym; /* by address */
    int nsym;
    uint32_t entry;
};

struct Sim {
    Arena *mem;
    SimOptions opt;
    SimResult *res;
    Chip chip[SIM_CHIPS];
    int nchip;
    const uint8_t *next; /* soc_routes, of the first chip */
    bool stop;      /* leave all loops: ended, fault, or debugger */
    bool done;      /* for good */
    uint64_t quantum; /* ticks that chips may run apart */
    uint64_t until; /* end of this quantum: messages arrive later */
    Device **link;  /* by chip; NULL: it has none */
    uint64_t slack; /* cycles a core may run ahead of the others */
    uint64_t khz;   /* ticks a millisecond */
    Str out;
    Chip *talks;    /* whose line is not ended */
    FILE *file[2 * SIM_CHIPS + 14]; /* that guests opened, handle 3 and on */
    struct Timeline *timeline;
    struct Gdb *gdb;
};

/* ram.c */
Ram *ram_find(const Chip *c, uint32_t addr, uint32_t n);
uint32_t load_far(Core *c, uint32_t addr, int size, uint64_t *t);
void store_far(Core *c, uint32_t addr, int size, uint32_t v, uint64_t *t);
/* By devices: a pointer to n bytes, or NULL and a fault naming who and addr. */
uint8_t *ram_span(Chip *c, uint32_t addr, uint32_t n, bool write,
                  const char *who);
void code_changed(Chip *c, Ram *r, uint32_t off, uint32_t n);
void code_flush(Chip *c);
Page *page_at(Chip *c, uint32_t pc); /* NULL: no memory there */
/* bank.c: serves all cores of k that ask for a bank in cycle t; all others
 * are beyond.  Returns those that have it. */
uint32_t banks_serve(Clock *k, uint64_t t);
/* The arbiter's state after a grant to a core whom nobody contests. */
static inline void bank_alone(Bank *b, int id)
{
    b->pointer = (uint8_t)id;
    b->flag[0]++;
    b->turn++;
}
/* Lets the DMA's ports do all cycles before t. */
void banks_settle(Ram *r, uint64_t t);
void stream_add(Ram *r, Stream s);

/* elf.c */
typedef struct ElfSym {
    uint32_t addr, size;
    const char *name;
} ElfSym;
void elf_load(Chip *c, const char *path);
/* symbol.c */
/* "print+0x1a", or the bare address. */
const char *symbol_at(const Chip *c, uint32_t pc, char *text, size_t n);

/* sim.c: sim_run() in parts, for tests */
Sim *sim_new(Arena *a, const SimProgram *p, int n, const SimOptions *o);
bool chip_step(Chip *c, uint64_t until);
void chip_at(Chip *c, uint64_t time, Device *d, uint64_t what);
/* end.c */
void sim_fault(Chip *c, const Core *core, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void sim_exit(Chip *c, int status);
void sim_note(Sim *s, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void sim_put(Chip *c, const char *p, size_t n); /* guest output, by lines of
                                                  chips; */
void sim_put_all(Sim *s); /* what is left of it */
static inline uint64_t to_ticks(const Clock *k, uint64_t cycle)
{
    return cycle * k->period;
}
/* The first cycle that begins at or after a time. */
static inline uint64_t to_cycle(const Clock *k, uint64_t ticks)
{
    return k->period == 1 ? ticks : (ticks + k->period - 1) / k->period;
}

/* build.c: a chip from its description */
void chip_build(Chip *c, const Soc *soc);
Device *chip_device(const Chip *c, const char *model);
Clock *chip_clock(const Chip *c, const char *name);
Clock *chip_compute(const Chip *c); /* of the cores that compute */
void clocks_settle(Sim *s);

/* dev_unit.c: an event for one core, or all of a clock (core < 0) */
void unit_event(Clock *k, int core, int event, uint64_t time);
void unit_ack(Core *c, uint32_t irq);
/* A load that puts its core to sleep: core_wake() gives it its value. */
static inline uint32_t core_sleep(Access *a, enum Wait why)
{
    a->core->wait = why;
    return 0;
}

/* trace.c */
void trace_op(Core *c, const Op *op, uint64_t t);
/* timeline.c */
void timeline_open(Sim *s);
/* An accelerator worked from one cycle of its clock to another. */
void chip_worked(Chip *c, uint64_t from, uint64_t to);
void timeline_slice(Chip *c, const char *track, const char *name,
                    uint64_t from, uint64_t to);
void timeline_close(Sim *s);
/* semihost.c: does what an ebreak at pc asks for, if it asks */
bool semihost(Core *c, uint32_t pc);
void semihost_close(Sim *s);
/* gdb.c */
void stub_open(Sim *s);
void stub_stopped(Sim *s); /* talks until told to go on */
bool gdb_breaks(Core *c, uint32_t pc);
void gdb_trapped(Core *c); /* it is at an ebreak */
void stub_close(Sim *s);
/* energy.c */
void energy_sum(Sim *s);

#endif
