/* What kernels took when they were measured, for this chip: a text file, a line
 * each, that only grows (cli/tune.c).  Of several lines of a key and a unit the
 * least counts, for what disturbs adds to a time; of tiles, whose time depends
 * on where they lie, the mean.  So their order does not matter.
 *
 * A line is a key, a unit and a value, then what people read.  The key is a
 * hash of all that matters to the time of a call: the kernel's text and its
 * headers, types, ranges and dims of the node, and the chip's description.  So
 * lines of another kernel, chip or shape are never found. */
#include "plan/kernel/offer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct Line {
    uint64_t key;
    int unit;
    int64_t value;
} Line;

struct Ledger {
    uint64_t chip;
    Line *line;
    int n;
};

const char *const ledger_unit[LEDGER_WORDS] = {
    "cycles", "estimated-cycles", "instructions", "permille", "wrong",
    "slower", "unfit", "beside"};

static uint64_t mix(uint64_t h, const void *p, size_t n)
{
    uint64_t both[2] = {h, hash_mem(p, n)};

    return hash_mem(both, sizeof both);
}

/* The chip's text, and what kernels include and heads refer to. */
static uint64_t hash_chip(Arena *mem, const Soc *soc)
{
    Str b = {.mem = mem};
    uint64_t h;
    int i;

    soc_print(soc, &b);
    h = mix(0, b.s, b.n);
    for (i = 0; i < npacked; i++)
        if (str_starts(packed[i].path, "kern/") &&
            (str_ends(packed[i].path, ".h") ||
             !strcmp(packed[i].path, "kern/fit.tsv")))
            h = mix(h, packed[i].data, packed[i].n);
    return h;
}

/* What takes a kernel's time is the type; of constants that is all. */
static uint64_t hash_value(uint64_t h, const Val *v)
{
    int64_t w[3] = {-1, 0, 0};

    if (v)
        w[0] = v->type;
    if (v && !v->data) {
        w[1] = v->lo;
        w[2] = v->hi;
    }
    return mix(h, w, sizeof w);
}

/* How it is compiled, beside types (gen/kernels.c). */
static uint64_t hash_form(uint64_t h, const Node *node)
{
    const bool small = node->acc.lo >= -INT32_MAX && node->acc.hi <= INT32_MAX;
    int w[] = {node->op, node_round(node), node_upper_half(node), small};

    return mix(h, w, sizeof w);
}

uint64_t ledger_task(const Node *node)
{
    const DimsInfo *info = dims_of(node->op);
    uint64_t h = hash_form(0, node);
    Dims d;
    int i;

    memset(&d, 0, sizeof d);
    dims_fill_part(node, 0, &d);
    h = mix(h, &d, info ? (size_t)info->size : 0);
    for (i = 0; i < node->narg; i++)
        h = hash_value(h, node->arg[i]);
    for (i = 0; i < node->nres; i++)
        h = hash_value(h, node->res[i]);
    return h ? h : 1;
}

uint64_t ledger_tasks(const Graph *g)
{
    uint64_t h = 0, task;
    const Node *n;

    for (n = g->first; n; n = n->next)
        if (n->op != OP_reshape) {
            task = ledger_task(n);
            h = mix(h, &task, sizeof task);
        }
    return h;
}

static uint64_t hash_kernels(uint64_t h)
{
    int i;

    for (i = 0; i < npacked; i++)
        if (str_starts(packed[i].path, "kern/"))
            h = mix(h, packed[i].data, packed[i].n);
    return h;
}

uint64_t ledger_key(const Ledger *l, const Kern *k, uint64_t task)
{
    uint64_t h = l->chip;

    if (k) {
        h = mix(h, k->text, strlen(k->text));
        h = mix(h, k->name, strlen(k->name));
    } else {
        h = hash_kernels(h);
    }
    return mix(h, &task, sizeof task);
}

static void add_line(Arena *mem, Ledger *l, const char *s)
{
    Line x = {.unit = -1};
    char unit[32];
    int i;

    if (sscanf(s, "%" SCNx64 " %31s %" SCNd64, &x.key, unit, &x.value) != 3 ||
        x.value < 0)
        return;
    for (i = 0; i < LEDGER_WORDS; i++)
        if (!strcmp(unit, ledger_unit[i]))
            x.unit = i;
    if (x.unit < 0)
        return;
    GROW(mem, l->line, (size_t)l->n);
    l->line[l->n++] = x;
}

Ledger *ledger_read(Arena *mem, const Soc *soc, const char *path)
{
    Ledger *l = NEW(mem, Ledger);
    const char *s;
    size_t n;

    l->chip = hash_chip(mem, soc);
    if (!path || !file_exists(path))
        return l;
    for (s = file_read(mem, path, &n); *s; s += strcspn(s, "\n"),
         s += *s == '\n')
        if (*s != '#')
            add_line(mem, l, s);
    return l;
}

/* Thousandths of what is predicted, which depend on the place. */
static bool is_mean(int unit)
{
    return unit == LEDGER_permille || unit == LEDGER_beside;
}

int64_t ledger_find(const Ledger *l, uint64_t key, int unit)
{
    int64_t least = -1, sum = 0;
    int i, n = 0;

    for (i = 0; i < l->n; i++) {
        const int64_t v = l->line[i].value;

        if (l->line[i].key != key || l->line[i].unit != unit)
            continue;
        least = least < 0 ? v : MIN(least, v);
        sum += v;
        n++;
    }
    return is_mean(unit) && n ? (sum + n / 2) / n : least;
}

int ledger_count(const Ledger *l, uint64_t key, int unit)
{
    int i, n = 0;

    for (i = 0; i < l->n; i++)
        n += l->line[i].key == key && l->line[i].unit == unit;
    return n;
}
