/* The resident program: built for the chip, loaded, and given tasks. */
#include "dev/agent.h"

#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BUILD = 120, TASK = 40, WORDS = TASK / 4, START = 10000 };

static bool is_c(const char *path)
{
    return str_ends(path, ".c") || str_ends(path, ".S");
}

/* ---- building ---- */

/* The C compiler of the chip with these words, in our folder; NULL, or what it
 * said. */
const char *agent_compile(Agent *a, const char *words, const char *to)
{
    const Item *t = soc_next(a->d->soc, "toolchain", NULL);
    const char *said = arena_fmt(a->mem, "%s/said", a->dir);
    const char *cc = item_word(t, "cc", "cc");
    int status;

    status = shell_run(arena_fmt(a->mem, "%s %s -ffunction-sections "
        "-fdata-sections -o %s %s", cc, item_word(t, "cflags", "-O2"),
        shell_quote(a->mem, to), words), a->dir, said, BUILD);
    if (!status)
        return NULL;
    return arena_fmt(a->mem, "%s failed: %s", cc,
                     shell_brief(a->mem, shell_said(a->mem, said)));
}

/* The runtime that the binary carries, and the names of what is compiled. */
static const char *write_runtime(Agent *a)
{
    const char *own = arena_fmt(a->mem, "rt/%s/", a->d->soc->rt);
    Str list = {.mem = a->mem};
    int i;

    str_put(&list, "rt/agent.c rt/session.c rt/semihost.c rt/stack.c");
    for (i = 0; i < npacked; i++) {
        const char *path = packed[i].path, *base = path_base(path);

        if (!str_starts(path, "rt/"))
            continue;
        dir_make(arena_fmt(a->mem, "%s/%.*s", a->dir, (int)(base - path),
                           path));
        file_write(arena_fmt(a->mem, "%s/%s", a->dir, path), packed[i].data,
                   packed[i].n);
        if (str_starts(path, own) && is_c(path) && strcmp(base, "ext.c") &&
            strcmp(base, "load.c"))
            str_fmt(&list, " %s", path);
    }
    return list.s;
}

static bool build(Agent *a)
{
    const Soc *s = a->d->soc;
    const Item *t = soc_next(s, "toolchain", NULL);
    const char *sources = write_runtime(a), *said;
    const Mem *code = soc_ram_for_code(s);
    Str script = {.mem = a->mem};
    const char *counter = a->d->counter
        ? arena_fmt(a->mem, "-DRT_COUNTER=0x%" PRIx64, a->d->counter) : "";

    if (!code)
        return device_fail(a->d, "%s has no memory for code that a debugger "
                           "can write", s->name);
    soc_link_at(s, a->d->emulator, 0, code, &script);
    file_write(arena_fmt(a->mem, "%s/agent.ld", a->dir), script.s, script.n);
    a->elf = arena_fmt(a->mem, "%s/agent.elf", a->dir);
    said = agent_compile(a, arena_fmt(a->mem, "-DRT_SESSION %s -Irt -Irt/%s %s "
        "%s -T agent.ld -Wl,--gc-sections -lm", counter, s->rt, sources,
        item_word(t, "ldflags", "")), a->elf);
    return !said || device_fail(a->d, "%s", said);
}

/* Where the resident program ends in each memory, its stack and bss too. */
static void add_section(Agent *a, const GElf_Shdr *h)
{
    const Soc *s = a->d->soc;
    uint64_t end = h->sh_addr + h->sh_size;
    int i;

    for (i = 0; i < s->nmem && h->sh_flags & SHF_ALLOC; i++) {
        const Mem *m = &s->mems[i];
        uint64_t base = a->d->emulator ? m->emu_base : m->base;

        if (h->sh_addr >= base && h->sh_addr < base + (uint64_t)m->size)
            a->used[i] = MAX(a->used[i], end);
    }
}

static void find_used(Agent *a)
{
    int f = open(a->elf, O_RDONLY);
    Elf *e = elf_begin(f, ELF_C_READ, NULL);
    Elf_Scn *scn = NULL;
    GElf_Shdr h;
    GElf_Phdr p;
    size_t i, n = 0;

    while (e && (scn = elf_nextscn(e, scn)))
        if (gelf_getshdr(scn, &h))
            add_section(a, &h);
    elf_getphdrnum(e, &n); /* where .data comes from */
    for (i = 0; e && i < n; i++)
        if (gelf_getphdr(e, (int)i, &p) && p.p_type == PT_LOAD)
            add_section(a, &(GElf_Shdr){.sh_flags = SHF_ALLOC,
                                        .sh_addr = p.p_paddr,
                                        .sh_size = p.p_filesz});
    elf_end(e);
    close(f);
}

/* ---- starting ---- */

static bool wants_tasks(Agent *a, uint32_t answer, int ms)
{
    Device *d = a->d;

    a->running = false;
    if (!device_go(d, answer, ms))
        return false;
    if (d->asked.want == RT_EXIT)
        return device_fail(d, "the resident program ended with status %" PRIu32
            "%s", d->asked.a, device_said(d));
    if (d->asked.want != RT_TASKS)
        return device_fail(d, "the resident program asks for %" PRIu32
            ": its memory was overwritten", d->asked.want);
    a->tasks = d->asked.a;
    a->room = d->asked.b;
    a->running = true;
    return true;
}

static bool measure_call(Agent *a)
{
    Call c[3] = {{.function = image_find(&a->d->image, "rt_nothing")}};
    int done;

    c[1] = c[2] = c[0];
    a->call = (struct rt_time){0};
    if (!agent_call(a, c, 3, START, &done))
        return false;
    a->call.instructions = (uint32_t)MAX(0, c[2].instructions);
    a->call.ticks = (uint32_t)MAX(0, c[2].cycles);
    return true;
}

bool agent_restart(Agent *a)
{
    Device *d = a->d;

    /* the simulator has no reset: another begins */
    bool anew = !d->g || d->g->lost || d->g->kind == GDB_sim;

    a->running = false;
    return (!anew || device_again(d)) && device_load(d, a->elf) &&
           wants_tasks(a, 0, START) && measure_call(a) &&
           (!anew || module_load_again(a));
}

Agent *agent_open(Arena *mem, const Soc *soc, const char *where,
                  const char **why)
{
    Agent *a = NEW(mem, Agent);

    a->mem = mem;
    a->dir = dir_temp(mem);
    a->d = device_open(mem, soc, where, why);
    if (!a->d)
        return NULL;
    if (build(a) && device_load(a->d, a->elf) && wants_tasks(a, 0, START) &&
        measure_call(a)) {
        find_used(a);
        return a;
    }
    *why = a->d->why;
    device_close(a->d);
    return NULL;
}

void agent_close(Agent *a)
{
    while (a->modules)
        module_free(a, a->modules);
    device_close(a->d);
}

/* ---- calling ---- */

static void put_word(unsigned char *p, uint32_t v)
{
    int i;

    for (i = 0; i < 4; i++)
        p[i] = (unsigned char)(v >> 8 * i);
}

static uint32_t get_word(const unsigned char *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
           (uint32_t)p[3] << 24;
}

/* A function of Thumb has an odd address. */
static void put_task(const Agent *a, unsigned char *p, const Call *c)
{
    int i;

    put_word(p, a->d->riscv ? c->function : c->function | 1);
    for (i = 0; i < ARGUMENTS; i++)
        put_word(p + 4 + 4 * i, c->argument[i]);
    put_word(p + 4 * (WORDS - 3), 0xdeadca11); /* not done */
}

static void get_task(const Agent *a, const unsigned char *p, Call *c)
{
    const unsigned char *w = p + 4 * (WORDS - 3);
    struct rt_time t = {get_word(w + 4) + a->d->asked.mark.ticks,
                        get_word(w + 8) + a->d->asked.mark.instructions};

    c->result = get_word(w);
    device_time(a->d, t, &c->cycles, &c->instructions);
    if (c->cycles >= 0)
        c->cycles = MAX(0, c->cycles - (int64_t)a->call.ticks);
    if (c->instructions >= 0)
        c->instructions = MAX(0, c->instructions -
                                 (int64_t)a->call.instructions);
}

static bool call_some(Agent *a, Call *c, int n, int ms)
{
    size_t bytes = TASK * (size_t)n;
    unsigned char *b = calloc(1, bytes);
    bool ok;
    int i;

    if (!b)
        die("no memory");
    for (i = 0; i < n; i++)
        put_task(a, b + TASK * i, &c[i]);
    ok = gdb_write(a->d->g, a->tasks, b, bytes) || device_lost(a->d);
    ok = ok && wants_tasks(a, (uint32_t)n, ms);
    if (ok)
        ok = gdb_read(a->d->g, a->tasks, b, bytes) || device_lost(a->d);
    for (i = 0; ok && i < n; i++)
        get_task(a, b + TASK * i, &c[i]);
    free(b);
    return ok;
}

bool agent_call(Agent *a, Call *c, int n, int ms, int *done)
{
    int k;

    for (*done = 0; *done < n; *done += k) {
        k = (int)MIN((uint32_t)(n - *done), a->room);
        if (!a->running || !k)
            return device_fail(a->d, "the resident program does not run: "
                               "restart it");
        if (!call_some(a, c + *done, k, ms))
            return false;
    }
    return true;
}

/* ---- names ---- */

static bool symbol_of(const Agent *a, const char *name, uint32_t *at)
{
    const Module *m;

    for (m = a->modules; m; m = m->next) {
        *at = image_find(&m->image, name);
        if (*at)
            return true;
        if (!strcmp(m->name, name)) {
            *at = m->at[m->bytes[PART_text] ? PART_text : PART_data];
            return true;
        }
    }
    *at = image_find(&a->d->image, name);
    return *at != 0;
}

bool agent_find(const Agent *a, const char *word, uint32_t *at)
{
    size_t n = strcspn(word, "+");
    char *end;
    uint32_t more = 0;

    *at = (uint32_t)strtoll(word, &end, 0);
    if (end > word && !*end)
        return true;
    if (word[n]) {
        more = (uint32_t)strtoll(word + n + 1, &end, 0);
        if (*end || end == word + n + 1)
            return false;
    }
    if (!symbol_of(a, arena_fmt(a->mem, "%.*s", (int)n, word), at))
        return false;
    *at += more;
    return true;
}
