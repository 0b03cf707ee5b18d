/* A linker script from a chip description.
 *
 * Code and constants go to the memory that holds code, the vector table to one
 * that holds `vectors` or else in front of the code.  In the memory of the
 * stack, the stack comes first, so that one that grows too far meets the edge
 * of the memory and not somebody's data; then data, then the buffers of the
 * network.  Sections .bss.buf.NAME are the buffers of memory NAME; nobody
 * sets them to zero.  What a `reserve` line other than `stack` keeps for the
 * user is cut from the end of its memory. */
#include "soc/soc.h"

#include <inttypes.h>
#include <string.h>

static const Mem *mem_holding(const Soc *s, unsigned what)
{
    int i;

    for (i = 0; i < s->nmem; i++)
        if (s->mems[i].holds & what)
            return &s->mems[i];
    err(ERR_MODEL, "%s: no memory holds=%s", s->file,
        what == HOLDS_stack ? "stack" : "code");
}

const Mem *soc_code(const Soc *s)
{
    int i;

    for (i = 0; i < s->nmem; i++)
        if (s->mems[i].holds & HOLDS_code)
            return &s->mems[i];
    return NULL;
}

const char *soc_weights_section(Arena *a, const Mem *m)
{
    return arena_fmt(a, ".weights.%s", m->name);
}

static const Mem *mem_vectors(const Soc *s, const Mem *code)
{
    int i;

    if (code != mem_holding(s, HOLDS_code))
        return code;

    for (i = 0; i < s->nmem; i++)
        if (item_has(s->mems[i].item, "holds", "vectors"))
            return &s->mems[i];
    return code;
}

/* What the user keeps for himself at the end of a memory. */
static int64_t kept(const Soc *s, const Mem *m)
{
    const Item *it;
    int64_t n = 0;

    for (it = NULL; (it = soc_next(s, "reserve", it));)
        if (strcmp(it->name, "stack") &&
            !strcmp(item_word(it, "memory", ""), m->name))
            n += item_int(it, "size", 0);
    return n;
}

static bool is_team(const Soc *s)
{
    return s->rt && !strcmp(s->rt, "pulp");
}

/* The stack of each core beside the first, and of the controller: what calls
 * a kernel is less there than the bound counts for the first. */
static int64_t team_stack(int64_t bound)
{
    return MAX(768, (bound + 15) & ~15);
}

enum { RUNTIME = 512, PAGES = 2048 }; /* data of start-up and self-test; of a
                                         team's program */

/* Stacks of the other cores, and the team's program. */
static int64_t team_bytes(const Soc *s, int64_t bound)
{
    return is_team(s) ? s->ncore * team_stack(bound) + PAGES : 0;
}

int64_t soc_stack(const Soc *s, int64_t bound)
{
    const Item *it = soc_item(s, "reserve", "stack");

    return MAX(item_int(it, "size", 4096) - RUNTIME - team_bytes(s, bound),
               (bound + 1024) & ~7);
}

int64_t soc_kept(const Soc *s, int64_t bound)
{
    return soc_stack(s, bound) + RUNTIME + team_bytes(s, bound);
}

static void put_memories(const Soc *s, bool emu, Str *out)
{
    int i;

    str_put(out, "MEMORY\n{\n");
    for (i = 0; i < s->nmem; i++) {
        const Mem *m = &s->mems[i];

        if (!m->mapped)
            continue;
        str_fmt(out, "    %s : ORIGIN = 0x%08" PRIx64 ", LENGTH = %" PRId64
                "\n", m->name, emu ? m->emu_base : m->base,
                m->size - kept(s, m));
    }
    str_put(out, "}\n\n");
}

/* An address of vectors is a multiple of twice their number, at least. */
static void put_code(const Soc *s, const Mem *where, Str *out)
{
    const char *code = where->name;

    str_fmt(out,
        "    .vectors : ALIGN(512) { rt_vectors = .; KEEP(*(.vectors)) } > %s\n"
        "    .text : { *(.text .text.*) } > %s\n"
        "    .rodata : { *(.rodata .rodata.* .srodata .srodata.*)\n"
        "        . = ALIGN(4); } > %s\n"
        "    .ARM.exidx : { *(.ARM.exidx*) } > %s\n",
        mem_vectors(s, where)->name, code, code, code);
}

static void put_data(const Soc *s, const char *code, int64_t stack, Str *out)
{
    const char *ram = mem_holding(s, HOLDS_stack)->name;

    str_fmt(out,
        "    .stack (NOLOAD) : { rt_stack_low = .; . += %" PRId64 ";\n"
        "        rt_stack_top = .; } > %s\n"
        "    .data : { rt_data_start = .; *(.data .data.*)\n"
        "        __global_pointer$ = . + 0x800;\n"
        "        *(.sdata .sdata.*) . = ALIGN(4); rt_data_end = .; }"
        " > %s AT> %s\n"
        "    rt_data_load = LOADADDR(.data);\n", stack, ram, ram, code);
}

/* Stacks of a team, one above the other; its first core has the large one. */
static void put_team(const Soc *s, int64_t bound, Str *out)
{
    str_fmt(out,
        "    rt_cores = %d;\n    rt_team_stack = %" PRId64 ";\n"
        "    .team (NOLOAD) : { . = ALIGN(16); rt_team_low = .;\n"
        "        . += %" PRId64 "; } > %s\n", s->ncore, team_stack(bound),
        s->ncore * team_stack(bound), mem_holding(s, HOLDS_stack)->name);
}

/* Where the registers of the I/O DMA are, for rt/pulp/ext.c. */
static void put_hyper(const Soc *s, Str *out)
{
    const Engine *d = soc_hop(s, 1);
    int64_t at;

    if (!d || strcmp(item_word(d->item, "model", ""), "hyper"))
        return;
    at = item_int(d->item, "base", 0) + item_int(d->item, "rx_tx", 0);
    str_fmt(out, "    rt_hyper = 0x%" PRIx64 ";\n"
            "    rt_hyper_config = 0x%" PRIx64 ";\n", at,
            at + item_int(d->item, "config", 0));
}

static void put_buffers(const Soc *s, Str *out)
{
    int i;

    for (i = 0; i < s->nmem; i++)
        if (s->mems[i].holds & HOLDS_buffers && s->mems[i].mapped)
            str_fmt(out, "    .buf.%s (NOLOAD) : { *(.bss.buf.%s) } > %s\n",
                    s->mems[i].name, s->mems[i].name, s->mems[i].name);
}

static bool is_port(const Soc *s, int mem)
{
    int i;

    for (i = 0; i < s->nengine && s->engine[i].weights != mem; i++)
        ;
    return i < s->nengine;
}

/* What accelerators read by a weight port of their own. */
static void put_weights(const Soc *s, Str *out)
{
    unsigned done = 0;
    int i;

    for (i = 0; i < s->nengine; i++) {
        int m = s->engine[i].weights;

        if (m < 0 || done >> m & 1)
            continue;
        done |= 1u << m;
        str_fmt(out, "    %s : { *(%s) } > %s\n", SOC_WEIGHTS, SOC_WEIGHTS,
                s->mems[m].name);
    }
}

/* What cores read in place, of memories beside that of the code. */
static void put_far_weights(const Soc *s, const Mem *code, Str *out)
{
    int i;

    for (i = 0; i < s->nmem; i++) {
        const Mem *m = &s->mems[i];

        if (m != code && m->mapped && m->holds == HOLDS_weights &&
            !is_port(s, i))
            str_fmt(out, "    .weights.%s : { *(.weights.%s) } > %s\n",
                    m->name, m->name, m->name);
    }
}

const Mem *soc_ram_for_code(const Soc *s)
{
    const Mem *best = NULL;
    int i;

    for (i = 0; i < s->nmem; i++) {
        const Mem *m = &s->mems[i];

        if (!m->mapped || !(m->holds & HOLDS_buffers))
            continue;
        if (m->holds & HOLDS_code)
            return m;
        if (!best || m->size > best->size)
            best = m;
    }
    return best;
}

void soc_link(const Soc *s, bool emu, int64_t bound, Str *out)
{
    soc_link_at(s, emu, bound, mem_holding(s, HOLDS_code), out);
}

void soc_link_at(const Soc *s, bool emu, int64_t bound, const Mem *code,
                 Str *out)
{
    int64_t stack = soc_stack(s, bound);

    str_fmt(out, "/* %s: %s. */\n", s->name,
            emu ? "memory where the emulator has it" : "the part itself");
    str_put(out, is_team(s) || (s->rt && !strcmp(s->rt, "riscv"))
                     ? "ENTRY(rt_reset)\n" : "ENTRY(rt_start)\n");
    put_memories(s, emu, out);
    str_put(out, "SECTIONS\n{\n");
    put_code(s, code, out);
    put_data(s, code->name, stack, out);
    if (is_team(s))
        put_team(s, bound, out);
    put_hyper(s, out);
    put_weights(s, out);
    put_far_weights(s, code, out);
    /* Named first: the rest of .bss would take the buffers otherwise. */
    put_buffers(s, out);
    str_fmt(out,
        "    .bss (NOLOAD) : { rt_bss_start = .;\n"
        "        *(.bss .bss.* .sbss .sbss.* COMMON)\n"
        "        . = ALIGN(4); rt_bss_end = .; } > %s\n"
        "    /DISCARD/ : { *(.comment"
        " .note.*) }\n}\n", mem_holding(s, HOLDS_stack)->name);
}
