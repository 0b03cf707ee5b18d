/* Modules and buffers in the free memory of a device.  Each part takes the
 * lowest place that is free in the memory it would best be in, or in another
 * that has room; what is freed is free for all. */
#include "dev/agent.h"

#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ALIGN = 32 };

/* ---- places ---- */

static uint64_t base_of(const Agent *a, const Mem *m)
{
    return a->d->emulator ? m->emu_base : m->base;
}

static bool has_room(const Mem *m)
{
    return m->mapped && m->holds & HOLDS_buffers;
}

static uint64_t align_up(uint64_t v)
{
    return (v + ALIGN - 1) & ~(uint64_t)(ALIGN - 1);
}

/* The end of what lies in [at, at + n); 0: nothing does. */
static uint64_t taken(const Agent *a, uint64_t at, int64_t n)
{
    const Module *m;
    int k;

    for (m = a->modules; m; m = m->next)
        for (k = 0; k < NPART; k++)
            if (m->bytes[k] && m->at[k] < at + (uint64_t)n &&
                at < m->at[k] + (uint64_t)m->bytes[k])
                return align_up(m->at[k] + (uint64_t)m->bytes[k]);
    return 0;
}

/* The lowest free place in one memory; 0: there is none. */
static uint64_t place_in(const Agent *a, int i, int64_t n)
{
    const Mem *m = &a->d->soc->mems[i];
    uint64_t base = base_of(a, m);
    uint64_t end = base + (uint64_t)(m->size - m->reserved), next;
    uint64_t at = align_up(MAX(base, a->used[i]));

    while (at + (uint64_t)n <= end) {
        next = taken(a, at, n);
        if (!next)
            return at;
        at = next;
    }
    return 0;
}

/* Code goes where the resident program's is; data where the stack is. */
static bool place(Agent *a, Module *m, int part, int64_t n)
{
    const Soc *s = a->d->soc;
    const Mem *code = soc_ram_for_code(s);
    uint64_t at = 0;
    int round, i;

    m->bytes[part] = 0;
    for (round = 0; round < 2 && n && !at; round++)
        for (i = 0; i < s->nmem && !at; i++) {
            const Mem *k = &s->mems[i];
            bool best = part == PART_text ? k == code
                                          : (k->holds & HOLDS_stack) != 0;

            if (has_room(k) && (round || best))
                at = place_in(a, i, n);
        }
    m->at[part] = (uint32_t)at;
    m->bytes[part] = at ? n : 0;
    return at || !n || device_fail(a->d, "%s wants %" PRId64 " bytes in one "
        "piece, no memory has them (%" PRId64 " are free in all): free "
        "something", m->name, n, module_room(a));
}

int64_t module_room(const Agent *a)
{
    const Soc *s = a->d->soc;
    const Module *m;
    int64_t sum = 0;
    int i, k;

    for (i = 0; i < s->nmem; i++)
        if (has_room(&s->mems[i])) {
            uint64_t base = base_of(a, &s->mems[i]);

            sum += s->mems[i].size - s->mems[i].reserved -
                   (int64_t)(MAX(base, a->used[i]) - base);
        }
    for (m = a->modules; m; m = m->next)
        for (k = 0; k < NPART; k++)
            sum -= m->bytes[k];
    return sum;
}

/* ---- linking ---- */

static const char *write_script(Agent *a, const Module *m)
{
    const char *path = arena_fmt(m->mem, "%s/module.ld", a->dir);
    Str b = {.mem = m->mem};

    str_fmt(&b, "SECTIONS\n{\n"
        "    . = 0x%08" PRIx32 ";\n"
        "    .text : { *(.text .text.*) *(.rodata .rodata.* .srodata"
        " .srodata.*)\n        . = ALIGN(16); }\n"
        "    .ARM.exidx : { *(.ARM.exidx* .ARM.extab*) }\n"
        "    . = 0x%08" PRIx32 ";\n"
        "    .data : { *(.data .data.* .sdata .sdata.*) . = ALIGN(16); }\n"
        "    .bss (NOLOAD) : { *(.bss .bss.* .sbss .sbss.* COMMON)\n"
        "        . = ALIGN(16); }\n"
        "    /DISCARD/ : { *(.comment .note.* .eh_frame*) }\n}\n",
        m->at[PART_text], m->at[PART_data]);
    file_write(path, b.s, b.n);
    return path;
}

static bool link_module(Agent *a, Module *m, const char *object,
                        const char *elf)
{
    const Item *t = soc_next(a->d->soc, "toolchain", NULL);
    const char *said;

    write_script(a, m);
    said = agent_compile(a, arena_fmt(m->mem, "%s %s -T module.ld "
        "-Wl,--just-symbols=agent.elf -Wl,--no-relax -Wl,--no-gc-sections "
        "-Wl,-e,0 %s -lm",
        object, item_word(t, "ldflags", ""),
        a->d->riscv ? "" : "-Wl,--no-warn-mismatch"), elf);
    return !said || device_fail(a->d, "%s: %s", m->name, said);
}

/* Bytes of its parts, as they are linked. */
static bool sizes(Agent *a, const Module *m, const char *elf, int64_t *bytes)
{
    int f = open(elf, O_RDONLY);
    Elf *e;
    Elf_Scn *scn = NULL;
    GElf_Shdr h;
    int64_t end[NPART] = {m->at[PART_text], m->at[PART_data]};

    elf_version(EV_CURRENT);
    e = elf_begin(f, ELF_C_READ, NULL);
    while (e && (scn = elf_nextscn(e, scn)))
        if (gelf_getshdr(scn, &h) && h.sh_flags & SHF_ALLOC && h.sh_size) {
            int part = h.sh_flags & SHF_WRITE ? PART_data : PART_text;

            end[part] = MAX(end[part], (int64_t)(h.sh_addr + h.sh_size));
        }
    elf_end(e);
    close(f);
    bytes[PART_text] = end[PART_text] - m->at[PART_text];
    bytes[PART_data] = end[PART_data] - m->at[PART_data];
    return e || device_fail(a->d, "%s cannot be read", elf);
}

/* What the linker does not initialise is 0, as in any C. */
static bool clear(Agent *a, const Module *m)
{
    int64_t n = m->bytes[PART_data];
    char *zero = arena_get(m->mem, (size_t)n + 1, 1);

    return !n || gdb_write(a->d->g, m->at[PART_data], zero, (size_t)n) ||
           device_lost(a->d);
}

static const char *object_of(Agent *a, Module *m, const char *file)
{
    char *full = realpath(file, NULL);
    const char *path = arena_str(m->mem, full ? full : file), *said, *to;

    free(full);
    if (!file_exists(path)) {
        device_fail(a->d, "%s: no such file", file);
        return NULL;
    }
    if (!str_ends(path, ".c"))
        return shell_quote(m->mem, path);
    to = arena_fmt(m->mem, "%s/module.o", a->dir);
    said = agent_compile(a, arena_fmt(m->mem, "-c -Irt %s",
                                      shell_quote(m->mem, path)), to);
    if (said)
        device_fail(a->d, "%s: %s", file, said);
    return said ? NULL : "module.o";
}

static bool load(Agent *a, Module *m, const char *file)
{
    const char *object = object_of(a, m, file);
    const char *elf = arena_fmt(m->mem, "%s/module%d.elf", a->dir, a->loaded++);
    int64_t n[NPART];

    m->elf = elf;
    m->at[PART_text] = 0x10000;
    m->at[PART_data] = 0x8000000;
    if (!object || !link_module(a, m, object, elf) || !sizes(a, m, elf, n) ||
        !place(a, m, PART_text, n[PART_text]))
        return false;
    m->next = a->modules; /* its data lies elsewhere than its code */
    a->modules = m;
    if (!place(a, m, PART_data, n[PART_data]) ||
        !link_module(a, m, object, elf) || !clear(a, m))
        return false;
    if (!image_load(a->d, elf, &m->image))
        return false;
    m->image.next = a->d->image.next;
    a->d->image.next = &m->image;
    return true;
}

/* What is read to do so is dropped. */
bool module_load_again(Agent *a)
{
    Arena *own = arena_new(), *of_device = a->d->mem;
    Image read = {.next = NULL};
    bool ok = true;
    Module *m;

    a->d->mem = own;
    for (m = a->modules; m && ok; m = m->next)
        ok = clear(a, m) && (!m->elf || image_load(a->d, m->elf, &read));
    a->d->mem = of_device;
    arena_end(own);
    return ok;
}

/* Strings and symbols are of the device's arena while it loads. */
Module *module_load(Agent *a, const char *file, const char *name)
{
    Arena *own = arena_new(), *of_device = a->d->mem, *mem = a->mem;
    Module *m = NEW(own, Module);
    bool ok;

    m->mem = own;
    m->name = arena_str(own, name);
    a->mem = a->d->mem = own;
    ok = load(a, m, file);
    a->mem = mem;
    a->d->mem = of_device;
    if (ok)
        return m;
    module_free(a, m);
    return NULL;
}

Module *module_buffer(Agent *a, const char *name, int64_t bytes)
{
    Arena *own = arena_new();
    Module *m = NEW(own, Module);

    m->mem = own;
    m->name = arena_str(own, name);
    if (place(a, m, PART_data, bytes)) {
        m->next = a->modules;
        a->modules = m;
        return m;
    }
    arena_end(own);
    return NULL;
}

Module *module_find(const Agent *a, const char *name)
{
    Module *m;

    for (m = a->modules; m && strcmp(m->name, name); m = m->next)
        ;
    return m;
}

void module_free(Agent *a, Module *m)
{
    Module **p;
    Image **i;

    for (i = &a->d->image.next; *i && *i != &m->image; i = &(*i)->next)
        ;
    if (*i)
        *i = m->image.next;
    for (p = &a->modules; *p && *p != m; p = &(*p)->next)
        ;
    if (*p)
        *p = m->next;
    if (m->elf)
        unlink(m->elf);
    arena_end(m->mem);
}
