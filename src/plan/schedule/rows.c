/* Dims of many layers of a family as rows of a table.
 *
 * On one core a layer's dims are a constant, of some 150 bytes.  Of the layers
 * of a network few numbers differ, and most of these are others once more, or
 * products of two: what is left is a row for each distinct layer, from which a
 * function makes the struct when the layer begins. */
#include "plan/plan.h"

#include <stdlib.h>
#include <string.h>

enum {
    SAVED = 2048,               /* bytes that are worth it, at least */
    FUNCTION = 64, WORD = 6     /* bytes of it, and of a number of the struct */
};

/* Layers of a family whose dims are distinct, and what is known of their
 * numbers. */
typedef struct Kin {
    const DimsInfo *info;
    const Step **v;
    int n, nword;
    DimsRows *to;
    bool *done; /* by word: is it said how it follows? */
} Kin;

static bool in_row(const Step *s, const DimsInfo *d)
{
    return dims_of(s->node->op) == d && !step_is_float(s) && !s->nfollow &&
           !node_varies(s->node);
}

int32_t dims_word(const Step *s, int word)
{
    int32_t v;

    memcpy(&v, (const char *)&s->dims + 4 * word, sizeof v);
    return v;
}

static bool is_float(const DimsInfo *d, int word)
{
    int i;

    for (i = 0; i < d->nfield; i++)
        if (d->field[i].kind == 'F' && d->field[i].offset == 4 * word)
            return true;
    return false;
}

static int64_t greatest(const Kin *f, int word)
{
    int64_t most = 0;
    int i;

    for (i = 0; i < f->n; i++)
        most = MAX(most, llabs(dims_word(f->v[i], word)));
    return most;
}

static bool is_constant(const Kin *f, int word)
{
    int i;

    for (i = 1; i < f->n; i++)
        if (dims_word(f->v[i], word) != dims_word(f->v[0], word))
            return false;
    return true;
}

/* Is it the product of words a and b in all rows, or a if b is less than 0? */
static bool follows(const Kin *f, int word, int a, int b)
{
    int i;

    for (i = 0; i < f->n; i++)
        if ((int64_t)dims_word(f->v[i], a) *
                (b < 0 ? 1 : dims_word(f->v[i], b)) !=
            dims_word(f->v[i], word))
            return false;
    return true;
}

static bool may_follow(const Kin *f, int a)
{
    return f->done[a] && f->to->number[a].from != NUMBER_constant;
}

static DimsNumber how(const Kin *f, int word)
{
    int a, b;

    if (is_constant(f, word))
        return (DimsNumber){NUMBER_constant, .value = dims_word(f->v[0], word)};
    for (a = 0; a < f->nword; a++)
        if (may_follow(f, a) && follows(f, word, a, -1))
            return (DimsNumber){NUMBER_same, .a = a};
    for (a = 0; a < f->nword; a++)
        for (b = a; may_follow(f, a) && b < f->nword; b++)
            if (may_follow(f, b) && follows(f, word, a, b))
                return (DimsNumber){NUMBER_product, .a = a, .b = b};
    return (DimsNumber){NUMBER_cell, .a = f->to->ncell++};
}

/* Of the words that are left the one whose numbers are least, as products' are
 * not; -1: none. */
static int next_word(const Kin *f)
{
    int i, best = -1;

    for (i = 0; i < f->nword; i++)
        if (!f->done[i] && !is_float(f->info, i) &&
            (best < 0 || greatest(f, i) < greatest(f, best)))
            best = i;
    return best;
}

/* The narrowest type of cells that go from lo to hi. */
static Type cell_type(int64_t lo, int64_t hi)
{
    static const Type types[] = {T_s8, T_u8, T_s16, T_u16};
    size_t i;

    for (i = 0; i < LEN(types); i++)
        if (lo >= type_info[types[i]].lo && hi <= type_info[types[i]].hi)
            return types[i];
    return T_s32;
}

static void find_numbers(Arena *mem, Kin *f)
{
    DimsRows *to = f->to;
    int64_t lo = 0, hi = 0;
    int i, k;

    f->nword = to->nword = f->info->size / 4;
    f->done = NEWN(mem, bool, (size_t)f->nword);
    to->number = NEWN(mem, DimsNumber, (size_t)f->nword);
    to->order = NEWN(mem, int, (size_t)f->nword);
    while ((i = next_word(f)) >= 0) {
        to->number[i] = how(f, i);
        f->done[i] = true;
        to->order[to->norder++] = i;
        for (k = 0; to->number[i].from == NUMBER_cell && k < f->n; k++) {
            lo = MIN(lo, dims_word(f->v[k], i));
            hi = MAX(hi, dims_word(f->v[k], i));
        }
    }
    to->cell = cell_type(lo, hi);
}

static int64_t row_bytes(const DimsRows *r)
{
    return (r->ncell * (int64_t)type_info[r->cell].bytes + 3) & -4;
}

static int64_t saved(const Kin *f)
{
    return f->n * (f->info->size - row_bytes(f->to)) - FUNCTION -
           WORD * f->nword;
}

/* Distinct dims of a family, of steps whose row is the first. */
static void find_kin(const Plan *p, const int *first, Kin *f)
{
    int i;

    for (i = 0; i < p->nlayer; i++) {
        const Step *s = layer_step(p, i);

        if (first[i] == i && in_row(s, f->info))
            f->v[f->n++] = s;
    }
}

static void add_rows(Plan *p, Arena *mem, const int *first, const DimsInfo *d)
{
    Kin f = {.info = d, .to = NEW(p->mem, DimsRows)};
    int64_t stack = p->stack;
    int i;

    f.v = NEWN(mem, const Step *, (size_t)p->nlayer);
    find_kin(p, first, &f);
    if (f.n * d->size < SAVED)
        return;
    f.to->info = d;
    find_numbers(p->mem, &f);
    for (i = 0; i < f.n; i++)
        stack = MAX(stack, step_stack(p, f.v[i]) + d->size);
    if (saved(&f) < SAVED ||
        soc_kept(p->soc, stack) > soc_kept(p->soc, p->stack))
        return;
    p->stack = stack;
    f.to->next = p->rows;
    p->rows = f.to;
}

void find_rows(Plan *p)
{
    Arena *mem = arena_new();
    const int *first = layers_first_dims(mem, p);
    int i, j;

    for (i = 0; i < p->nlayer; i++) {
        const DimsInfo *d = dims_of(layer_step(p, i)->node->op);

        for (j = 0; j < i; j++)
            if (dims_of(layer_step(p, j)->node->op) == d)
                break;
        if (j == i)
            add_rows(p, mem, first, d);
    }
    arena_end(mem);
}

const DimsRows *step_rows(const Plan *p, const Step *s)
{
    const DimsRows *r;

    for (r = p->rows; r; r = r->next)
        if (in_row(s, r->info))
            return r;
    return NULL;
}

int64_t plan_dims_bytes(const Plan *p)
{
    Arena *mem = arena_new();
    int *first = layers_first_dims(mem, p), i;
    int64_t sum = 0;

    for (i = 0; i < p->nlayer; i++) {
        const Step *s = layer_step(p, i);
        const DimsRows *r = step_rows(p, s);

        if (first[i] == i)
            sum += r ? row_bytes(r) : dims_of(s->node->op)->size;
    }
    arena_end(mem);
    return sum;
}
