/* soc: a chip or board as data.
 *
 * A description is a text file, one thing a line:
 *
 *     kind name key=value key=value ...        # comment
 *
 * A value is a number (0x10, 512K, 2M, 1.5), a word, a "quoted text", a list
 * of words with commas, or null where there is no source.  `include NAME`
 * takes all lines of another description; a later line of the same kind and
 * name adds to and overrides its keys; so does a chip line of any name, which
 * the chip then has.  Kinds: chip core memory reserve dma accel link device
 * clock energy timing toolchain runner server.  doc/soc.md has every key.  The
 * planner, the linker script, the simulator and the report read only this, so
 * they cannot disagree. */
#ifndef SOC_H
#define SOC_H

#include "base/base.h"

typedef struct Key {
    const char *name;
    const char *value; /* "null" where there is no source */
    const char *file;  /* where that stands */
    int line;
    struct Key *next;
} Key;

typedef struct Item {
    const char *kind;
    const char *name;
    int line;
    const char *file;
    Key *keys;
    struct Item *next;
} Item;

/* What a memory may hold; key `holds` of a memory line. */
enum { HOLDS_code = 1, HOLDS_weights = 2, HOLDS_buffers = 4, HOLDS_stack = 8 };

typedef struct Mem {
    const char *name;
    uint64_t base;     /* on the real part */
    uint64_t emu_base; /* where the emulator has it; = base if the same */
    int64_t size;      /* bytes of the real part */
    int64_t reserved;  /* bytes at its end that are kept out of our hands */
    int64_t program;   /* bytes that code and the like take; 0: not known */
    unsigned holds;
    int level;    /* 1 nearest to the cores */
    int align;    /* of a buffer, bytes; a power of two */
    int latency;  /* cycles of a first access from a core */
    bool mapped;  /* cores can load from it; else only a DMA reaches it */
    const Item *item;
} Mem;

/* One direction of a DMA engine, in cycles of the cores that compute.  One
 * transfer of n bytes, from the call that starts it to the return of the one
 * that waits for it, takes setup + n / bytes_per_cycle, and per_burst for each
 * burst that it is cut into. */
typedef struct DmaWay {
    double setup;
    int burst;    /* bytes of the longest burst; 0: there are none */
    double per_burst;
    double gap;   /* the engine stands still: between a transfer and the next
                     that was queued, between two rows of one */
    double bytes_per_cycle;
} DmaWay;

typedef enum EngineKind {
    ENGINE_cores, ENGINE_dma, ENGINE_accel, ENGINE_link
} EngineKind;

/* Rows of the table of engines: first the cores that compute, then what moves
 * bytes hop by hop outwards from them, then whatever else there is, in the
 * order of the file. */
enum { ENG_cores, ENG_hops, MOST_ENGINES = 16 };

/* What executes steps. */
typedef struct Engine {
    EngineKind kind;
    const char *name;  /* in the description */
    const char *label; /* in plans and reports: dma and io are the hops 0, 1 */
    int row;           /* of the table */
    int near, far;     /* of dma: mems[]; else -1 */
    unsigned reach;    /* of an accelerator: mems[] it works on, by bit; */
    int weights;       /* that of its weight port; -1: it has none */
    DmaWay in, out;    /* of dma; in: from far to near */
    bool duplex;       /* of dma: both ways at once */
    bool batched;      /* the team's program begins its transfers, and waits
                          for them, several at a time where cores meet: hop 0 */
    const char *energy; /* of dma: the `energy` line of a byte that it moves */
    bool off;          /* an accelerator that nothing shall run on */
    int queue;         /* how much may be under way or queued */
    int64_t largest;   /* of dma: bytes of a transfer */
    const Item *item;
} Engine;

/* What the program of a team takes (key.def); 0 where the chip has no line
 * `timing program`. */
typedef struct ProgramTime {
#define TIMING(key) int64_t key;
#include "soc/key.def"
} ProgramTime;

typedef struct Soc {
    Arena *mem;
    const char *name;
    const char *about;
    const char *file;
    Item *items; /* in order of first appearance */
    Mem mems[16];
    int nmem;
    Engine engine[MOST_ENGINES];
    int nengine, nhop;
    ProgramTime time;
    const char *isa;  /* of the cores that compute: words with commas */
    int ncore;
    double mhz;       /* of the cores that compute; 0: no source */
    const char *rt;   /* folder of the runtime: "host", "cortex-m" ... */
    const char *run;  /* how a program is run: "host", "qemu", "sim" */
} Soc;

/* By built-in name, or a path that ends in .soc.  err(ERR_USAGE) if there is
 * no such chip, err(ERR_MODEL) with file:line where one is malformed. */
Soc *soc_read(Arena *a, const char *name);
/* Names of the built-in descriptions, sorted; NULL ends. */
const char **soc_names(Arena *a);

Item *soc_item(const Soc *s, const char *kind, const char *name);
/* The first (it == NULL) or next item of a kind. */
Item *soc_next(const Soc *s, const char *kind, const Item *it);
/* The value of a key; the default where absent or null. */
const char *item_word(const Item *it, const char *key, const char *none);
int64_t item_int(const Item *it, const char *key, int64_t none);
double item_num(const Item *it, const char *key, double none);
/* err(ERR_MODEL): a key has another value than what is wanted, or none. */
_Noreturn void item_bad(const Item *it, const char *key, const char *wanted);
/* That, unless the value is within. */
int item_within(const Item *it, const char *key, int none, int least, int most);
bool item_has(const Item *it, const char *key, const char *word); /* in list */
/* The section of weights behind a port: as pulp-sdk's linker script knows it. */
#define SOC_WEIGHTS ".weightmem_sram"
Mem *soc_mem(Soc *s, const char *name); /* letter case ignored; NULL */
/* A simulated chip's memory is made to have n bytes beside what is reserved. */
void soc_grow(Soc *s, Mem *m, int64_t n);
/* The cores that compute run at so many MHz, other clocks as they did: what
 * engines take in cycles of the cores is another.  False: no rate is known that
 * it could be in place of. */
bool soc_clock(Soc *s, double mhz);
void soc_print(const Soc *s, Str *out); /* one whole description */

/* engine.c: the engine of hop k outwards from the cores, whatever the levels
 * are called; NULL: there is none.  Hop 0 is between the nearest memories that
 * hold buffers, hop 1 goes on from the farther of these.  dma_moves: for how
 * long it moves rows of `row` bytes, 1 row if they are in one piece.
 * dma_cycles: of one transfer of `bytes` in all, alone. */
const Engine *soc_hop(const Soc *s, int k);
/* The first accelerator of that name, or else that model, that is not off; NULL:
 * there is none.  soc_engine_off: false if none has the name. */
const Engine *soc_accel(const Soc *s, const char *name);
bool soc_engine_off(Soc *s, const char *name);
double dma_moves(const Engine *d, bool in, int64_t row, int64_t rows);
double dma_cycles(const Engine *d, bool in, int64_t bytes, int64_t rows);
/* Picojoules of an `energy` line (core_cycle, dma_byte, ext_byte ...); NaN
 * where there is no source. */
double soc_energy(const Soc *s, const char *event);
/* Within the part: the line of the cores that compute; NULL: there is none. */
const Item *soc_compute(const Soc *s);
void soc_engines(Soc *s); /* within the part: fills s->engine */

/* join.c: how n chips are joined by their `link` lines: "any" two of them, in
 * a "ring", in "groups" of four whose first are in groups of four; chips that hand
 * on what goes to others also in "pairs" whose first are in pairs, or a "mesh";
 * NULL: a chip has too few lines.  soc_joined: two of them are, without others
 * between.  soc_line: the line of a chip that leads to a peer, from 0; -1: none
 * does.  soc_routes: [from * n + to], the chip that comes next. */
const char *soc_join(const Soc *s, int n);
/* A chip has a way out and a way in, or one for both, or all chips have one. */
typedef enum Wires { WIRES_both, WIRES_half, WIRES_shared } Wires;
Wires soc_wires(const Soc *s);
bool soc_joined(const Soc *s, int n, int a, int b);
int soc_line(const Soc *s, int n, int chip, int peer);
uint8_t *soc_routes(Arena *mem, const Soc *s, int n);
/* As if a `link` that has a topology had this one; false: none has. */
bool soc_topology(Soc *s, const char *name);

/* check.c, within the part: err(ERR_MODEL) where a line says what no line may
 * say, and where memories overlap or go beyond what addresses reach. */
void soc_check_lines(const Soc *s);
void soc_check_memories(const Soc *s);

/* link.c: a linker script; emu: memories lie where the emulator has them.
 * bound: of the network's stack.  soc_stack: the bytes of the stack of main,
 * what `reserve stack` says or more if the bound wants it. */
void soc_link(const Soc *s, bool emu, int64_t bound, Str *out);
/* The same, with code and constants in another memory than the chip's own for
 * them: where a debugger can put them. */
void soc_link_at(const Soc *s, bool emu, int64_t bound, const Mem *code,
                 Str *out);
/* The memory with most room for code of those that a debugger can write: one
 * that holds code and buffers, or else the largest for buffers; NULL. */
const Mem *soc_ram_for_code(const Soc *s);
int64_t soc_stack(const Soc *s, int64_t bound);
/* The memory of code; NULL: the chip has none.  The section of weights that lie
 * in another one. */
const Mem *soc_code(const Soc *s);
const char *soc_weights_section(Arena *a, const Mem *m);
/* Bytes of the memory of stacks that all of them and the runtime take. */
int64_t soc_kept(const Soc *s, int64_t bound);

#endif
