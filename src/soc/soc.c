/* Reads chip descriptions: lines of `kind name key=value ...`. */
#include "soc/soc.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { DEEP = 8 }; /* includes within includes */

/* The largest number there may be, so that sums of some fit 64 bits. */
static const double MOST = 1LL << 53;

/* The bits that a program of a team has for how many cores work. */
enum { MOST_CORES = 255 };

typedef struct Reader {
    Soc *soc;
    const char *file;
    const char *s;
    int line;
    int depth;
} Reader;

static void read_text(Reader *r, const char *text);

_Noreturn static void bad(const Reader *r, const char *what, const char *is)
{
    err(ERR_MODEL, "%s:%d: %s: %s", r->file, r->line, what, is);
}

static void skip_blank(Reader *r)
{
    while (*r->s == ' ' || *r->s == '\t' || *r->s == '\r')
        r->s++;
    if (*r->s == '#')
        while (*r->s && *r->s != '\n')
            r->s++;
}

/* A word ends at blanks and, as the name of a key, at '='. */
static char *read_word(Reader *r, bool key)
{
    Str b = {.mem = r->soc->mem};
    bool quoted = false;

    str_put(&b, "");
    for (; *r->s && *r->s != '\n'; r->s++) {
        if (*r->s == '"') {
            quoted = !quoted;
            continue;
        }
        if (!quoted && (isspace((unsigned char)*r->s) || *r->s == '#'))
            break;
        if (!quoted && key && *r->s == '=')
            break;
        str_mem(&b, r->s, 1);
    }
    if (quoted)
        bad(r, "quote is not closed", b.s);
    return b.s;
}

/* There is one chip, which the file itself names, not what it includes.  A line
 * that adds to an item is where it is from then on. */
static Item *find_item(const Reader *r, const char *kind, const char *name)
{
    bool chip = !strcmp(kind, "chip");
    Item *it = chip ? soc_next(r->soc, kind, NULL)
                    : soc_item(r->soc, kind, name);

    if (it && chip && !r->depth)
        it->name = name;
    if (it) {
        it->file = r->file;
        it->line = r->line;
    }
    return it;
}

static Item *get_item(Reader *r, const char *kind, const char *name)
{
    Item *it = find_item(r, kind, name), **last;

    if (it)
        return it;
    it = NEW(r->soc->mem, Item);
    it->kind = kind;
    it->name = name;
    it->file = r->file;
    it->line = r->line;
    for (last = &r->soc->items; *last; last = &(*last)->next)
        ;
    return *last = it;
}

static void set_key(Reader *r, Item *it, const char *name, const char *value)
{
    Key **k;

    for (k = &it->keys; *k && strcmp((*k)->name, name); k = &(*k)->next)
        ;
    if (!*k) {
        *k = NEW(r->soc->mem, Key);
        (*k)->name = name;
    }
    (*k)->value = value;
    (*k)->file = r->file;
    (*k)->line = r->line;
}

static void include(Reader *r, const char *name)
{
    const char *path = arena_fmt(r->soc->mem, "soc/%s.soc", name);
    const Packed *p = packed_find(path);
    Reader in = {.soc = r->soc, .file = path, .depth = r->depth + 1};

    if (!p)
        bad(r, "no such built-in chip", name);
    if (in.depth > DEEP)
        bad(r, "includes go round in circles", name);
    read_text(&in, p->data);
}

static void read_line(Reader *r)
{
    static const char *const kinds[] = {
        "chip", "core", "memory", "reserve", "dma", "accel", "link",
        "device", "cache", "clock", "energy", "timing", "toolchain", "runner",
        "server", "include",
    };
    char *kind = read_word(r, false), *name;
    Item *it;
    size_t i;

    for (i = 0; i < LEN(kinds) && strcmp(kind, kinds[i]); i++)
        ;
    if (i == LEN(kinds))
        bad(r, "unknown kind of line", kind);
    skip_blank(r);
    name = read_word(r, false);
    if (!*name || strchr(name, '='))
        bad(r, "wanted a name after", kind);
    if (!strcmp(kind, "include")) {
        include(r, name);
        return;
    }
    it = get_item(r, kind, name);
    for (skip_blank(r); *r->s && *r->s != '\n'; skip_blank(r)) {
        char *key = read_word(r, true);

        if (*r->s++ != '=')
            bad(r, "wanted key=value, found", key);
        set_key(r, it, key, read_word(r, false));
    }
}

static void read_text(Reader *r, const char *text)
{
    r->s = text;
    r->line = 1;
    while (*r->s) {
        skip_blank(r);
        if (*r->s == '\n') {
            r->s++;
            r->line++;
        } else if (*r->s) {
            read_line(r);
        }
    }
}

Item *soc_item(const Soc *s, const char *kind, const char *name)
{
    Item *it;

    for (it = s->items; it; it = it->next)
        if (!strcmp(it->kind, kind) && !strcmp(it->name, name))
            return it;
    return NULL;
}

Item *soc_next(const Soc *s, const char *kind, const Item *it)
{
    Item *i;

    for (i = it ? it->next : s->items; i; i = i->next)
        if (!strcmp(i->kind, kind))
            return i;
    return NULL;
}

/* NULL: absent, or null. */
static const Key *key_of(const Item *it, const char *name)
{
    const Key *k;

    for (k = it ? it->keys : NULL; k && strcmp(k->name, name); k = k->next)
        ;
    return k && strcmp(k->value, "null") ? k : NULL;
}

const char *item_word(const Item *it, const char *key, const char *none)
{
    const Key *k = key_of(it, key);

    return k ? k->value : none;
}

_Noreturn void item_bad(const Item *it, const char *key, const char *wanted)
{
    const Key *k = key_of(it, key);

    if (!k)
        err(ERR_MODEL, "%s:%d: %s %s: no %s, wanted %s", it->file, it->line,
            it->kind, it->name, key, wanted);
    err(ERR_MODEL, "%s:%d: %s %s: %s=%s, wanted %s", k->file, k->line,
        it->kind, it->name, key, k->value, wanted);
}

double item_num(const Item *it, const char *key, double none)
{
    const Key *k = key_of(it, key);
    double v, unit;
    char *end;

    if (!k)
        return none;
    v = strtod(k->value, &end);
    unit = *end == 'K' ? 1 << 10 : *end == 'M' ? 1 << 20 :
           *end == 'G' ? 1 << 30 : 1;
    if (end == k->value || end[unit > 1] || !(fabs(v * unit) <= MOST))
        item_bad(it, key, "a number");
    return v * unit;
}

int64_t item_int(const Item *it, const char *key, int64_t none)
{
    return key_of(it, key) ? (int64_t)item_num(it, key, 0) : none;
}

int item_within(const Item *it, const char *key, int none, int least, int most)
{
    int64_t v = item_int(it, key, none);
    char wanted[48];

    if (v >= least && v <= most)
        return (int)v;
    snprintf(wanted, sizeof wanted, "%d to %d", least, most);
    item_bad(it, key, wanted);
}

bool item_has(const Item *it, const char *key, const char *word)
{
    const char *s = item_word(it, key, "");
    size_t n = strlen(word);

    for (; *s; s += *s == ',') {
        size_t m = strcspn(s, ",");

        if (m == n && !strncmp(s, word, n))
            return true;
        s += m;
    }
    return false;
}

static unsigned read_holds(const Item *it)
{
    return (item_has(it, "holds", "code") ? HOLDS_code : 0) |
           (item_has(it, "holds", "weights") ? HOLDS_weights : 0) |
           (item_has(it, "holds", "buffers") ? HOLDS_buffers : 0) |
           (item_has(it, "holds", "stack") ? HOLDS_stack : 0);
}

static void add_mem(Soc *s, const Item *it)
{
    Mem *m = &s->mems[s->nmem++];

    if (s->nmem > (int)LEN(s->mems))
        err(ERR_MODEL, "%s:%d: more than %zu memories", it->file, it->line,
            LEN(s->mems));
    m->item = it;
    m->name = it->name;
    m->base = (uint64_t)item_int(it, "base", 0);
    m->size = item_int(it, "size", 0);
    m->emu_base = (uint64_t)item_int(it, "emu_base", (int64_t)m->base);
    m->holds = read_holds(it);
    m->level = (int)item_int(it, "level", 1);
    m->align = (int)item_int(it, "align", 4);
    m->latency = (int)item_int(it, "latency", 0);
    m->mapped = item_int(it, "mapped", 1) != 0;
    if (m->size <= 0)
        item_bad(it, "size", "a number of bytes");
    if (m->align < 1 || m->align & (m->align - 1))
        item_bad(it, "align", "a power of two");
}

/* `reserve NAME memory=RAM size=4K`: the user's own, at the memory's end. */
static void add_reserve(Soc *s, const Item *it)
{
    Mem *m = soc_mem(s, item_word(it, "memory", ""));

    if (!m)
        item_bad(it, "memory", "the name of one");
    m->reserved += item_within(it, "size", 0, 0, INT32_MAX);
    if (m->reserved > m->size)
        err(ERR_MODEL, "%s:%d: reserve %s: memory %s has only %lld bytes",
            it->file, it->line, it->name, m->name, (long long)m->size);
}

static bool has_runtime(const Soc *s)
{
    const char *folder = arena_fmt(s->mem, "rt/%s/", s->rt);
    int i;

    for (i = 0; i < npacked && !str_starts(packed[i].path, folder); i++)
        ;
    return i < npacked;
}

static bool has_team(const Soc *s)
{
    return packed_find(arena_fmt(s->mem, "rt/%s/team.h", s->rt));
}

static void read_time(Soc *s)
{
    const Item *it = soc_item(s, "timing", "program");

    s->time = (ProgramTime){
#define TIMING(key) .key = item_int(it, #key, 0),
#include "soc/key.def"
    };
}

static void settle(Soc *s)
{
    const Item *chip = soc_next(s, "chip", NULL), *it;

    if (!chip)
        err(ERR_MODEL, "%s: no chip line", s->file);
    soc_check_lines(s);
    s->name = chip->name;
    s->about = item_word(chip, "about", "");
    s->rt = item_word(chip, "rt", "host");
    s->run = item_word(chip, "run", "host");
    if (!has_runtime(s))
        item_bad(chip, "rt", "a folder of rt/");
    it = soc_compute(s);
    if (!it)
        err(ERR_MODEL, "%s: no core line", s->file);
    s->isa = item_word(it, "isa", "");
    s->ncore = item_within(it, "count", 1, 1, MOST_CORES);
    if (s->ncore > 1 && !has_team(s))
        item_bad(it, "count", "1: its runtime knows no team");
    s->mhz = item_num(it, "mhz", 0);
    for (it = NULL; (it = soc_next(s, "memory", it));)
        add_mem(s, it);
    soc_check_memories(s);
    for (it = NULL; (it = soc_next(s, "reserve", it));)
        add_reserve(s, it);
    soc_engines(s);
    read_time(s);
}

/* Some files are only for others to include. */
static bool is_chip(const Packed *p)
{
    return str_starts(p->path, "soc/") && str_ends(p->path, ".soc") &&
           (str_starts(p->data, "chip ") || strstr(p->data, "\nchip "));
}

Soc *soc_read(Arena *a, const char *name)
{
    Soc *s = NEW(a, Soc);
    Reader r = {.soc = s};
    const Packed *p;
    size_t n;

    s->mem = a;
    if (str_ends(name, ".soc")) {
        r.file = s->file = arena_str(a, name);
        read_text(&r, file_read(a, name, &n));
    } else {
        r.file = s->file = arena_fmt(a, "soc/%s.soc", name);
        p = packed_find(s->file);
        if (!p || !is_chip(p))
            err(ERR_USAGE, "no target %s; `tilewright targets` lists them, "
                "a path that ends in .soc names your own", name);
        read_text(&r, p->data);
    }
    settle(s);
    return s;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

const char **soc_names(Arena *a)
{
    const char **list = NEWN(a, const char *, npacked + 1);
    int i, n = 0;

    for (i = 0; i < npacked; i++) {
        const char *s = path_base(packed[i].path);

        if (is_chip(&packed[i]))
            list[n++] = arena_fmt(a, "%.*s", (int)strlen(s) - 4, s);
    }
    qsort(list, (size_t)n, sizeof *list, by_name);
    return list;
}

Mem *soc_mem(Soc *s, const char *name)
{
    int i;

    for (i = 0; i < s->nmem; i++)
        if (!strcasecmp(s->mems[i].name, name))
            return &s->mems[i];
    return NULL;
}

static void change_key(const Item *it, const char *name, const char *value)
{
    Key *k;

    for (k = it ? it->keys : NULL; k; k = k->next)
        if (!strcmp(k->name, name))
            k->value = value;
}

void soc_grow(Soc *s, Mem *m, int64_t n)
{
    enum { MORE = 4096 }; /* reserves grow with what a network's stack needs */

    m->size = n + (m->reserved ? m->reserved + MORE : 0);
    change_key(m->item, "size", arena_fmt(s->mem, "%lld", (long long)m->size));
}

bool soc_clock(Soc *s, double mhz)
{
    const Item *core = soc_compute(s);
    const char *value = arena_fmt(s->mem, "%.10g", mhz);

    if (!(s->mhz > 0))
        return false;
    change_key(core, "mhz", value);
    change_key(soc_item(s, "clock", item_word(core, "clock", "")), "mhz", value);
    s->mhz = mhz;
    s->nengine = s->nhop = 0;
    soc_engines(s);
    return true;
}

bool soc_topology(Soc *s, const char *name)
{
    const Item *link = soc_next(s, "link", NULL);

    change_key(link, "topology", name);
    return item_word(link, "topology", NULL) != NULL;
}

void soc_print(const Soc *s, Str *out)
{
    const Item *it;
    const Key *k;

    for (it = s->items; it; it = it->next) {
        str_fmt(out, "%s %s", it->kind, it->name);
        for (k = it->keys; k; k = k->next) {
            bool plain = *k->value && !strpbrk(k->value, " \t#=");

            str_fmt(out, plain ? " %s=%s" : " %s=\"%s\"", k->name, k->value);
        }
        str_put(out, "\n");
    }
}
