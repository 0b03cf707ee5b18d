/* What a server says of its target: registers and memory, as XML.  Numbers of
 * registers are those of the description; where there is none, those that gdb
 * has for such a core. */
#include "dev/gdb.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { XML_MOST = 1 << 20, INCLUDES = 12, XLEN = 4 };

/* ---- XML, as much of it as these descriptions need ---- */

/* The next <NAME ...> from s on; the end of its attributes in *end. */
static const char *find_tag(const char *s, const char *name, const char **end)
{
    size_t n = strlen(name);

    for (; (s = strchr(s, '<')); s++)
        if (!strncmp(s + 1, name, n) && strchr(" \t\r\n/>", s[n + 1])) {
            *end = strchr(s, '>');
            return *end ? s + n + 1 : NULL;
        }
    return NULL;
}

/* An attribute's text, in the arena; NULL: there is none. */
static const char *attribute(Arena *a, const char *s, const char *end,
                             const char *name)
{
    size_t n = strlen(name);

    for (; s < end; s++) {
        const char *q;

        if (strncmp(s, name, n) || !strchr(" \t\r\n", s[-1]) || s[n] != '=' ||
            !s[n + 1] || !strchr("\"'", s[n + 1]))
            continue;
        q = strchr(s + n + 2, s[n + 1]);
        return q && q < end
                   ? arena_fmt(a, "%.*s", (int)(q - s - (int)n - 2), s + n + 2)
                   : NULL;
    }
    return NULL;
}

static int64_t number(const char *s, int64_t none)
{
    return s ? strtoll(s, NULL, 0) : none;
}

/* A whole document of the server's, page by page; NULL: it has none. */
static const char *read_document(Gdb *g, const char *what, const char *name)
{
    size_t page = MIN(g->packet - 8, 4000);
    Str b = {.mem = g->mem};

    if (strlen(name) > 200)
        return NULL;
    str_put(&b, "");
    do {
        if (!gdb_ask(g, "qXfer:%s:read:%s:%zx,%zx", what, name, b.n, page) ||
            (*g->answer != 'm' && *g->answer != 'l') ||
            (*g->answer == 'm' && g->len < 2) || b.n > XML_MOST)
            return NULL;
        str_mem(&b, g->answer + 1, g->len - 1);
    } while (*g->answer == 'm');
    return b.s;
}

/* ---- registers ---- */

static void add_reg(Gdb *g, const char *name, int64_t number_, int64_t bytes)
{
    if (g->nreg < GDB_REGS && name && number_ >= 0 && number_ < 1 << 20 &&
        bytes > 0 && bytes <= 64)
        g->reg[g->nreg++] = (GdbReg){name, (int)number_, (int)bytes};
}

/* Registers of one file and of those it includes; next: the number of one that
 * has none. */
static void read_features(Gdb *g, const char *file, int64_t *next, int *files)
{
    const char *s = ++*files > INCLUDES ? NULL
                    : read_document(g, "features", file), *end, *t;

    if (!s)
        return;
    if (!g->arch && (t = find_tag(s, "architecture", &end)))
        g->arch = arena_fmt(g->mem, "%.*s", (int)strcspn(end + 1, "<"),
                            end + 1);
    for (t = s; (t = strchr(t, '<')); t++) {
        const char *p;

        if ((p = find_tag(t, "xi:include", &end)) && p == t + 11) {
            const char *more = attribute(g->mem, p, end, "href");

            if (more)
                read_features(g, more, next, files);
        } else if ((p = find_tag(t, "reg", &end)) && p == t + 4) {
            *next = number(attribute(g->mem, p, end, "regnum"), *next);
            add_reg(g, attribute(g->mem, p, end, "name"), *next,
                    number(attribute(g->mem, p, end, "bitsize"), 32) / 8);
            ++*next;
        }
    }
}

/* RISC-V as gdb numbers it where nobody says otherwise. */
static void assume_riscv(Gdb *g)
{
    static const char names[] = "zero ra sp gp tp t0 t1 t2 fp s1 a0 a1 a2 a3 "
        "a4 a5 a6 a7 s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 t3 t4 t5 t6 pc ";
    const char *s = names;
    int i;

    for (i = 0; *s; i++, s += strcspn(s, " ") + 1)
        add_reg(g, arena_fmt(g->mem, "%.*s", (int)strcspn(s, " "), s), i, XLEN);
    add_reg(g, "mcycle", 65 + 0xb00, XLEN);
    add_reg(g, "minstret", 65 + 0xb02, XLEN);
    add_reg(g, "mcause", 65 + 0x342, XLEN);
    add_reg(g, "mepc", 65 + 0x341, XLEN);
}

static void assume_arm(Gdb *g)
{
    static const char *const named[] = {"sp", "lr", "pc"};
    int i;

    for (i = 0; i < 16; i++)
        add_reg(g, i < 13 ? arena_fmt(g->mem, "r%d", i) : named[i - 13], i,
                XLEN);
    add_reg(g, "xpsr", 25, XLEN);
}

void gdb_assume(Gdb *g, bool riscv)
{
    (riscv ? assume_riscv : assume_arm)(g);
}

/* ---- memory ---- */

static void read_map(Gdb *g)
{
    const char *s = read_document(g, "memory-map", ""), *end, *p, *t;

    for (; s && (s = find_tag(s, "memory", &end)); s = end) {
        GdbArea *m = &g->area[g->narea];
        const char *type = attribute(g->mem, s, end, "type");

        if (!type || g->narea == GDB_AREAS)
            continue;
        snprintf(m->type, sizeof m->type, "%s", type);
        m->start = (uint64_t)number(attribute(g->mem, s, end, "start"), 0);
        m->bytes = (uint64_t)number(attribute(g->mem, s, end, "length"), 0);
        p = find_tag(end, "property", &t);
        if (p && strstr(end, "</memory>") && p < strstr(end, "</memory>"))
            m->block = (uint64_t)number(t + 1, 0);
        g->narea++;
    }
}

void gdb_read_target(Gdb *g)
{
    int64_t next = 0;
    int files = 0;

    if (g->has_features)
        read_features(g, "target.xml", &next, &files);
    if (!g->nreg && g->arch)
        gdb_assume(g, strstr(g->arch, "riscv"));
    if (g->has_map)
        read_map(g);
}

/* ---- by name ---- */

const GdbReg *gdb_reg_find(const Gdb *g, const char *name)
{
    static const char *const same[][2] = {
        {"lr", "ra"}, {"psr", "xpsr"}, {"psr", "xPSR"}, {"psr", "cpsr"},
        {"fp", "s0"}};
    size_t k;
    int i;

    for (i = 0; i < g->nreg; i++)
        if (!strcmp(g->reg[i].name, name))
            return &g->reg[i];
    for (k = 0; k < LEN(same); k++)
        if (!strcmp(same[k][0], name) && gdb_reg_find(g, same[k][1]))
            return gdb_reg_find(g, same[k][1]);
    return NULL;
}

static bool no_reg(Gdb *g, const char *name)
{
    return gdb_fail(g, "the server has no register %s of %s: another core than "
        "wanted, or a server too old", name, g->arch ? g->arch : "its target");
}

bool gdb_reg_get(Gdb *g, const char *name, uint64_t *v)
{
    const GdbReg *r = gdb_reg_find(g, name);
    unsigned char b[64];
    int i;

    if (!r)
        return no_reg(g, name);
    if (!gdb_ask(g, "p%x", (unsigned)r->number))
        return false;
    if (gdb_from_hex(g->answer, b, (size_t)r->bytes) != (size_t)r->bytes)
        return no_reg(g, name);
    for (*v = 0, i = MIN(r->bytes, 8); i--;)
        *v = *v << 8 | b[i];
    return true;
}

bool gdb_reg_set(Gdb *g, const char *name, uint64_t v)
{
    const GdbReg *r = gdb_reg_find(g, name);
    char hex[2 * 64 + 1];
    int i;

    if (!r)
        return no_reg(g, name);
    for (i = 0; i < r->bytes; i++, v >>= 8)
        sprintf(hex + 2 * i, "%02x", (unsigned)(v & 255));
    if (!gdb_ask(g, "P%x=%s", (unsigned)r->number, hex))
        return false;
    return gdb_is_ok(g) || gdb_fail(g, "the server does not set register %s "
        "(%.20s)", name, g->answer);
}
