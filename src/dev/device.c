/* Opens a session with a chip: finds its server, starts it if that is ours to
 * do, and looks whether what answers is such a chip. */
#include "dev/device.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATIENCE = 10000 }; /* ms until a server of ours listens */

bool device_fail(Device *d, const char *fmt, ...)
{
    char s[1200];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(s, sizeof s, fmt, ap);
    va_end(ap);
    snprintf(d->why, sizeof d->why, "device %.100s: %s", d->where, s);
    return false;
}

bool device_lost(Device *d)
{
    return device_fail(d, "%s", d->g->why);
}

static void put_word(Str *b, const char *at, size_t n, const Soc *soc)
{
    static char self[4096];
    ssize_t k = readlink("/proc/self/exe", self, sizeof self - 1);

    self[k > 0 ? k : 0] = 0;
    if (n == 12 && !strncmp(at, "{tilewright}", n))
        str_put(b, shell_quote(b->mem, *self ? self : "tilewright"));
    else if (n == 8 && !strncmp(at, "{target}", n))
        str_put(b, shell_quote(b->mem, packed_find(soc->file) ? soc->name
                                                             : soc->file));
    else
        str_mem(b, at, n);
}

const char *device_command(Arena *a, const Soc *soc, const Item *server)
{
    const char *s = item_word(server, "cmd", "");
    Str b = {.mem = a};

    for (str_put(&b, ""); *s;) {
        size_t n = *s == '{' && strchr(s, '}')
                       ? (size_t)(strchr(s, '}') - s) + 1
                       : MAX(1, strcspn(s, "{"));

        put_word(&b, s, n, soc);
        s += n;
    }
    return b.s;
}

/* The first word of its command is a program that is there. */
static bool is_installed(Device *d, const Item *server)
{
    const char *cmd = item_word(server, "cmd", "");
    const char *package = item_word(server, "package", NULL);
    const char *tool = arena_fmt(d->mem, "%.*s", (int)strcspn(cmd, " "), cmd);

    return *tool == '{' || shell_finds(tool) ||
           device_fail(d, "%s is not installed%s%s", tool,
                       package ? ": apt-get install " : "",
                       package ? package : "");
}

/* Starts a server whose line says where it will listen. */
static const char *start_server(Device *d, const Item *server)
{
    const char *device = item_word(server, "device", NULL), *why = "";
    const char *cmd = device_command(d->mem, d->soc, server);

    if (!is_installed(d, server))
        return NULL;
    if (!device)
        return arena_fmt(d->mem, "pipe:%s", cmd);
    if (!*cmd)
        return device;
    d->server_said = arena_fmt(d->mem, "%s/server", dir_temp(d->mem));
    d->server = link_start(d->mem, cmd, d->server_said, NULL, &why);
    if (!d->server)
        device_fail(d, "%s", why);
    return d->server ? device : NULL;
}

/* An emulator's counter is known from the chip's line for it. */
static void find_counter(Device *d)
{
    const Item *it;

    d->emulator = d->g->kind == GDB_qemu;
    for (it = NULL; (it = soc_next(d->soc, "server", it));)
        if (d->emulator && item_int(it, "emulator", 0))
            d->counter = item_int(it, "counter", 0);
}

static bool is_right_core(Device *d)
{
    const char *arch = d->g->arch;

    d->riscv = strcmp(d->soc->rt, "cortex-m") != 0;
    if (!d->g->nreg && !arch)
        gdb_assume(d->g, d->riscv);
    if (arch && (strstr(arch, "riscv") != NULL) != d->riscv)
        return device_fail(d, "the target is %.40s, %s wants %s: the wrong "
            "board, or the wrong -t", arch, d->soc->name,
            d->riscv ? "riscv" : "arm");
    if (!gdb_reg_find(d->g, "pc") || !gdb_reg_find(d->g, "sp"))
        return device_fail(d, "the server names no registers pc and sp of "
            "%.40s: it is too old, or has no core", arch ? arch : "its target");
    return true;
}

static bool begin(Device *d)
{
    const Item *it = soc_item(d->soc, "server", d->where);
    const char *where = it ? start_server(d, it) : d->where, *why = "";

    if (!where)
        return false;
    d->g = gdb_open(d->mem, where, d->server ? PATIENCE : 0, &why);
    if (!d->g) {
        const char *said = d->server ? shell_said(d->mem, d->server_said) : "";

        return device_fail(d, "%s%s%s", why, *said ? "; its server said: " : "",
                           *said ? shell_brief(d->mem, said) : "");
    }
    find_counter(d);
    return is_right_core(d) &&
           (d->g->kind != GDB_openocd || gdb_reset(d->g) || device_lost(d));
}

Device *device_open(Arena *a, const Soc *soc, const char *where,
                    const char **why)
{
    Device *d = NEW(a, Device);

    *d = (Device){.mem = a, .soc = soc, .where = where};
    if (!strcmp(soc->rt, "host"))
        device_fail(d, "%s is this machine, no gdb server stands before it: "
                    "another -t", soc->name);
    else if (begin(d))
        return d;
    *why = d->why;
    device_close(d);
    return NULL;
}

void device_close(Device *d)
{
    size_t i;

    for (i = 0; i < LEN(d->file); i++)
        if (d->file[i])
            fclose(d->file[i]);
    memset(d->file, 0, sizeof d->file);
    if (d->g)
        gdb_close(d->g);
    link_stop(d->server);
    d->server = 0;
}

bool device_again(Device *d)
{
    Gdb *was = d->g;

    device_close(d);
    d->stop = 0;
    if (begin(d))
        return true;
    d->g = d->g ? d->g : was; /* over, but it can say so */
    return false;
}

/* In one program or module; NULL: not there. */
static const char *where_in(const Device *d, const Image *m, uint64_t pc)
{
    int i, k = -1;

    for (i = 0; i < m->nsymbol && m->symbol[i].at <= pc; i++)
        if (pc < (uint64_t)m->symbol[i].at + MAX(m->symbol[i].bytes, 1))
            k = i;
    if (k < 0)
        return NULL;
    return arena_fmt(d->mem, "%s+0x%" PRIx64, m->symbol[k].name,
                     pc - m->symbol[k].at);
}

const char *device_where(const Device *d, uint64_t pc)
{
    const char *where = NULL;
    const Image *m;

    for (m = &d->image; m && !where; m = m->next)
        where = where_in(d, m, pc);
    return where ? where : "no function of ours";
}

/* What runtimes say of faults has "pc=" and an address. */
const char *device_said(const Device *d)
{
    const Str *c = &d->g->console;
    char *s = arena_str(d->mem, c->n ? shell_brief(d->mem, c->s) : "");
    const char *pc = strstr(s, "pc=");
    char *p;

    for (p = s; *p; p++)
        *p = *p == '\n' ? ' ' : *p;
    while (p > s && p[-1] == ' ')
        *--p = 0;
    if (!*s)
        return "";
    return arena_fmt(d->mem, "; it said: %s%s%s%s", s, pc ? " (" : "",
        pc ? device_where(d, strtoull(pc + 3, NULL, 16)) : "",
        pc ? ")" : "");
}
