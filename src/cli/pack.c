/* tilewright pack IN.csv [--capacity N] [--json FILE]: static allocation alone.
 *
 * Rows are `id,lower,upper,size` with half-open lives and, if wanted,
 * `alignment`; columns go by the names in the first line.  The answer is the
 * same rows with `offset`; a summary goes to stderr. */
#include "cli/cli.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COL_id, COL_lower, COL_upper, COL_size, COL_alignment, NCOL };
static const char *const columns[NCOL] = {
    "id", "lower", "upper", "size", "alignment",
};

typedef struct Table {
    Arena *mem;
    const char *path;
    int line;
    int col[NCOL]; /* which field of a row; -1: absent */
    PackItem *item;
    int n;
} Table;

enum { FIELDS = 16 };

/* Cuts the line at s in place; returns the number of fields. */
static int cut(Table *t, char *s, char **field)
{
    int n = 0;

    s[strcspn(s, "\r\n")] = 0;
    for (;;) {
        if (n == FIELDS)
            err(ERR_MODEL, "%s:%d: more than %d columns", t->path, t->line,
                FIELDS);
        field[n++] = s;
        s = strchr(s, ',');
        if (!s)
            return n;
        *s++ = 0;
    }
}

static void read_header(Table *t, char *s)
{
    char *field[FIELDS];
    int i, c, n = cut(t, s, field);

    for (c = 0; c < NCOL; c++) {
        t->col[c] = -1;
        for (i = 0; i < n; i++)
            if (!strcmp(field[i], columns[c]))
                t->col[c] = i;
        if (t->col[c] < 0 && c != COL_alignment)
            err(ERR_MODEL, "%s:1: no column `%s`; wanted "
                "id,lower,upper,size[,alignment]", t->path, columns[c]);
    }
}

static int64_t number(const Table *t, int c, char **field, int64_t least)
{
    char *s = field[t->col[c]], *end;
    long long v;

    errno = 0;
    v = strtoll(s, &end, 10);
    if (end == s || *end || errno || v < least || v > INT64_MAX / 4)
        err(ERR_MODEL, "%s:%d: %s is `%s`, wanted a whole number%s", t->path,
            t->line, columns[c], s, least >= 1 ? " of at least 1" :
            least == 0 ? " of at least 0" : "");
    return v;
}

static void read_row(Table *t, char *s)
{
    char *field[FIELDS];
    PackItem *p;
    int c, n = cut(t, s, field);

    for (c = 0; c < NCOL; c++)
        if (t->col[c] >= n)
            err(ERR_MODEL, "%s:%d: %d fields, wanted %s too", t->path,
                t->line, n, columns[c]);
    GROW(t->mem, t->item, (size_t)t->n);
    p = &t->item[t->n++];
    p->id = field[t->col[COL_id]];
    p->lower = number(t, COL_lower, field, -INT64_MAX / 4);
    p->upper = number(t, COL_upper, field, -INT64_MAX / 4);
    p->size = number(t, COL_size, field, 0);
    p->align = t->col[COL_alignment] < 0 || !*field[t->col[COL_alignment]] ?
        1 : number(t, COL_alignment, field, 1);
    if (p->upper < p->lower)
        err(ERR_MODEL, "%s:%d: buffer %s ends (%lld) before it begins (%lld)",
            t->path, t->line, p->id, (long long)p->upper,
            (long long)p->lower);
}

/* Sums of sizes and heights must stay within 64 bits. */
static void check_sum(const Table *t)
{
    int64_t sum = 0;
    int i;

    for (i = 0; i < t->n; i++)
        if (__builtin_add_overflow(sum, t->item[i].size, &sum) ||
            __builtin_add_overflow(sum, t->item[i].align, &sum) ||
            sum > INT64_MAX / 4)
            err(ERR_MODEL, "%s: the sizes add up to more than 2^61", t->path);
}

static void read_table(Table *t)
{
    size_t n;
    char *s = file_read(t->mem, t->path, &n), *next;

    if (strlen(s) != n)
        err(ERR_MODEL, "%s: not a text file", t->path);
    for (t->line = 1; *s; s = next, t->line++) {
        next = s + strcspn(s, "\n");
        next += *next == '\n';
        if (next[-1] == '\n')
            next[-1] = 0;
        if (t->line == 1)
            read_header(t, s);
        else if (*s && *s != '\r')
            read_row(t, s);
    }
    if (t->line == 1)
        err(ERR_MODEL, "%s: empty; wanted id,lower,upper,size", t->path);
    check_sum(t);
}

static void print_rows(const Table *t)
{
    bool aligned = t->col[COL_alignment] >= 0;
    int i;

    printf("id,lower,upper,size%s,offset\n", aligned ? ",alignment" : "");
    for (i = 0; i < t->n; i++) {
        const PackItem *p = &t->item[i];

        printf("%s,%lld,%lld,%lld", p->id, (long long)p->lower,
               (long long)p->upper, (long long)p->size);
        if (aligned)
            printf(",%lld", (long long)p->align);
        printf(",%lld\n", (long long)p->offset);
    }
}

static double gap(const PackResult *r)
{
    return r->height ? (double)(r->height - r->bound) / (double)r->height : 0;
}

typedef struct Packing {
    Table t;
    const char *json;
    int64_t capacity; /* 0: as low as possible */
    PackResult r;
    bool packed;      /* r holds */
} Packing;

static void put_count(Json *j, const char *key, bool known, int64_t v)
{
    json_key(j, key);
    if (known)
        json_int(j, v);
    else
        json_null(j);
}

/* At exit, whatever the status; nothing packed: no figures. */
static int write_json(int status, void *arg)
{
    const Packing *q = arg;
    const PackResult *r = &q->r;
    Str out = {.mem = q->t.mem};
    Json *j = json_new(&out);

    if (!q->json)
        return status;
    json_obj(j);
    json_trouble(j, status);
    put_count(j, "buffers", q->packed, q->t.n);
    put_count(j, "capacity", q->capacity > 0, q->capacity);
    put_count(j, "height", q->packed, r->height);
    put_count(j, "bound", q->packed, r->bound);
    json_key(j, "gap");
    json_num(j, q->packed ? gap(r) : NAN);
    json_key(j, "optimal");
    if (q->packed)
        json_bool(j, r->optimal);
    else
        json_null(j);
    put_count(j, "nodes", q->packed, r->nodes);
    json_end(j);
    return json_save(q->json, &out, status);
}

static const char usage[] =
    "usage: tilewright pack IN.csv [--capacity N] [--json FILE]";

static void read_words(Packing *q, int argc, char **argv)
{
    char *end;
    int i;

    for (i = 0; i < argc; i++) {
        if (!strcmp(argv[i], "--capacity") && i + 1 < argc) {
            q->capacity = strtoll(argv[++i], &end, 10);
            if (*end || q->capacity < 1)
                err(ERR_USAGE, "--capacity %s: wanted bytes", argv[i]);
        } else if (!strcmp(argv[i], "--json") && i + 1 < argc) {
            q->json = argv[++i];
        } else if (!strcmp(argv[i], "-q")) {
            quiet = true;
        } else if (!q->t.path && *argv[i] != '-') {
            q->t.path = argv[i];
        } else {
            err(ERR_USAGE, "pack: what is %s?  %s", argv[i], usage);
        }
    }
    if (!q->t.path)
        err(ERR_USAGE, "%s", usage);
}

int verb_pack(int argc, char **argv)
{
    Arena *mem = arena_new();
    Packing *q = NEW(mem, Packing); /* --json reads it at exit */
    Table *t = &q->t;
    PackResult *r = &q->r;

    t->mem = mem;
    q->json = json_option(argc, argv);
    end_with(write_json, q);
    read_words(q, argc, argv);
    file_check_output(q->json);
    read_table(t);
    *r = pack(mem, t->item, t->n, q->capacity, 0);
    q->packed = true;
    if (q->capacity && r->height > q->capacity)
        err(ERR_FIT, "%s: %lld bytes needed at best so far, %lld given: %lld "
            "missing (no packing is lower than %lld)", t->path,
            (long long)r->height, (long long)q->capacity,
            (long long)(r->height - q->capacity), (long long)r->bound);
    print_rows(t);
    if (!quiet)
        fprintf(stderr, "height %lld  bound %lld  gap %.2f %%%s\n",
                (long long)r->height, (long long)r->bound, 100 * gap(r),
                r->optimal ? "  optimal" : "");
    return OK;
}
