/* A chip description against what its lines may say (key.def): a slip of the
 * pen in a key is a chip with less memory than the user believes. */
#include "soc/soc.h"

#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>

typedef enum What { TEXT, COUNT, NUMBER } What;

static const struct KeyRow {
    const char *line, *key;
    What what;
    double least, most;
} rows[] = {
#define KEY(line, key, what, least, most) {line, key, what, least, most},
#include "soc/key.def"
};

static const struct KeyRow *row_of(const char *line, const char *key)
{
    size_t i;

    for (i = 0; i < LEN(rows); i++)
        if (!strcmp(rows[i].line, line) && !strcmp(rows[i].key, key))
            return &rows[i];
    return NULL;
}

static const char *keys_of(const Soc *s, const char *line)
{
    Str all = {.mem = s->mem};
    size_t i;

    for (i = 0; i < LEN(rows); i++)
        if (!strcmp(rows[i].line, line))
            str_fmt(&all, "%s%s", all.n ? ", " : "", rows[i].key);
    return all.s;
}

static void check_key(const Soc *s, const Item *it, const Key *k)
{
    const struct KeyRow *row = row_of(it->kind, k->name);
    char wanted[64];
    double v;

    if (!row)
        err(ERR_MODEL, "%s:%d: %s %s: unknown key '%s'; wanted one of: %s",
            k->file, k->line, it->kind, it->name, k->name,
            keys_of(s, it->kind));
    if (row->what == TEXT || !strcmp(k->value, "null"))
        return;
    v = item_num(it, k->name, 0);
    if (v >= row->least && v <= row->most
        && (row->what == NUMBER || v == rint(v)))
        return;
    snprintf(wanted, sizeof wanted, "%.15g to %.15g%s", row->least, row->most,
             row->what == COUNT && v != rint(v) ? ", an integer" : "");
    item_bad(it, k->name, wanted);
}

/* Names become files, symbols and words of commands. */
static void check_name(const Item *it)
{
    bool symbol = !strcmp(it->kind, "memory");
    const char *p = it->name;

    while (isalnum((unsigned char)*p) || *p == '_' ||
           (*p && !symbol && p > it->name && strchr("-.+", *p)))
        p++;
    if (*p || !*it->name)
        err(ERR_MODEL, "%s:%d: %s '%s': a name is of letters, digits and _%s",
            it->file, it->line, it->kind, it->name,
            symbol ? "" : ", and - . + behind the first");
}

/* Addresses have 32 bits, but on the development machine. */
static void check_wrap(const Soc *s, const Mem *m, uint64_t base,
                       const char *key)
{
    if (strcmp(s->run, "host") && base + (uint64_t)m->size > 1ULL << 32)
        err(ERR_MODEL, "%s:%d: memory %s: %s=0x%llx and size=%lld go beyond 4 "
            "GB", m->item->file, m->item->line, m->name, key,
            (unsigned long long)base, (long long)m->size);
}

static bool overlap(const Mem *a, const Mem *b)
{
    return a->mapped && b->mapped
        && a->base < b->base + (uint64_t)b->size
        && b->base < a->base + (uint64_t)a->size;
}

static void check_pair(const Mem *a, const Mem *b)
{
    if (!strcasecmp(a->name, b->name))
        err(ERR_MODEL, "%s:%d: memory %s: there is a memory %s",
            a->item->file, a->item->line, a->name, b->name);
    if (overlap(a, b))
        err(ERR_MODEL, "%s:%d: memory %s: 0x%llx to 0x%llx overlaps memory "
            "%s, 0x%llx to 0x%llx", a->item->file, a->item->line, a->name,
            (unsigned long long)a->base,
            (unsigned long long)a->base + (uint64_t)a->size - 1, b->name,
            (unsigned long long)b->base,
            (unsigned long long)b->base + (uint64_t)b->size - 1);
}

void soc_check_lines(const Soc *s)
{
    const Item *it;
    const Key *k;

    for (it = s->items; it; it = it->next) {
        check_name(it);
        for (k = it->keys; k; k = k->next)
            check_key(s, it, k);
    }
}

void soc_check_memories(const Soc *s)
{
    const Mem *m, *end = s->mems + s->nmem, *other;

    for (m = s->mems; m < end; m++) {
        check_wrap(s, m, m->base, "base");
        check_wrap(s, m, m->emu_base, "emu_base");
    }
    /* told of the file's own memory rather than of one that it includes */
    for (m = s->mems; m < end; m++)
        for (other = s->mems; other < end; other++)
            if (other != m && (m->item->file == s->file || other < m))
                check_pair(m, other);
}
