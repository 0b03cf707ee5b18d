/* Einsum: sums of products by letters.  A term is a tensor and a letter for
 * each of its axes; the axes an ellipsis stands for get the letters '0', '1'
 * ...  Two terms at a time are one matrix product. */
#include "front/onnx/import.h"

#include <string.h>

typedef struct Term {
    Val *v;
    char axis[RANK + 1];
} Term;

static void drop_blanks(char *to, const char *from)
{
    for (; *from; from++)
        if (*from != ' ')
            *to++ = *from;
    *to = 0;
}

/* Letters of s, with the ellipsis spelt out for `dots` axes. */
static void spell(const Call *c, const char *s, size_t n, int dots, char *to)
{
    int len = 0, i;
    size_t at;

    for (at = 0; at < n; at++) {
        if (s[at] != '.') {
            if (len < RANK)
                to[len] = s[at];
            len++;
            continue;
        }
        for (i = 0; i < dots; i++, len++)
            if (len < RANK)
                to[len] = (char)('0' + i);
        at += 2;
    }
    if (len > RANK)
        call_err(c, "a term of more than %d axes", RANK);
    to[len] = 0;
}

static int letters(const char *s, size_t n, bool *dots)
{
    int count = 0;
    size_t i;

    *dots = false;
    for (i = 0; i < n; i++) {
        *dots |= s[i] == '.';
        count += s[i] != '.';
    }
    return count;
}

/* t with its axes in this order. */
static Val *in_order(Call *c, const Term *t, const char *order)
{
    int64_t p[RANK];
    int i;

    for (i = 0; order[i]; i++)
        p[i] = strchr(t->axis, order[i]) - t->axis;
    return perm(c, t->v, p);
}

/* Sums over the axes that nobody else wants. */
static void sum_alone(Call *c, Term *t, const char *wanted)
{
    int64_t axes[RANK];
    int i, n = 0, m = 0;

    for (i = 0; t->axis[i]; i++) {
        if (strchr(t->axis, t->axis[i]) != t->axis + i)
            call_err(c, "letter '%c' twice in one term", t->axis[i]);
        if (!strchr(wanted, t->axis[i]))
            axes[n++] = i;
    }
    if (!n)
        return;
    t->v = reduce(c, OP_sum, t->v, n, axes, false);
    for (i = 0; t->axis[i]; i++)
        if (strchr(wanted, t->axis[i]))
            t->axis[m++] = t->axis[i];
    t->axis[m] = 0;
}

static int64_t size_of(const Term *t, char letter)
{
    const char *at = strchr(t->axis, letter);

    return at ? t->v->shape.dim[at - t->axis] : 1;
}

/* a's letters that are (or are not) in b and in `wanted`. */
static void pick(const char *a, const char *b, bool in_b, const char *wanted,
                 bool in_wanted, char *to)
{
    for (; *a; a++)
        if ((strchr(b, *a) != NULL) == in_b &&
            (strchr(wanted, *a) != NULL) == in_wanted)
            *to++ = *a;
    *to = 0;
}

static int64_t sizes(const Term *t, const char *list)
{
    int64_t n = 1;

    for (; *list; list++)
        n *= size_of(t, *list);
    return n;
}

/* a as [shared..., rows, depth] for a matrix product. */
static Val *as_matrices(Call *c, const Term *t, const char *both,
                        const char *own, const char *summed)
{
    char order[3 * RANK + 1];
    Shape s = {.rank = 0};
    Val *v;
    int i;

    snprintf(order, sizeof order, "%s%s%s", both, own, summed);
    v = in_order(c, t, order);
    for (i = 0; both[i]; i++)
        s.dim[s.rank++] = size_of(t, both[i]);
    if (s.rank + 2 > RANK)
        call_err(c, "more than %d axes in between", RANK);
    s.dim[s.rank++] = sizes(t, own);
    s.dim[s.rank++] = sizes(t, summed);
    return to_shape(c, v, s);
}

/* The product of two terms, summed over what only they have. */
static Term product(Call *c, Term *a, Term *b, const char *wanted)
{
    char both[RANK + 1], rows[RANK + 1], cols[RANK + 1], deep[RANK + 1];
    Term y = {0};
    Shape s = {.rank = 0};
    const char *p;

    pick(a->axis, b->axis, true, wanted, true, both);
    pick(a->axis, b->axis, true, wanted, false, deep);
    pick(a->axis, b->axis, false, wanted, true, rows);
    pick(b->axis, a->axis, false, wanted, true, cols);
    if (strlen(both) + strlen(rows) + strlen(cols) > RANK)
        call_err(c, "more than %d axes in between", RANK);
    y.v = matmul(c, as_matrices(c, a, both, rows, deep),
                 as_matrices(c, b, both, cols, deep), NULL, false, true);
    snprintf(y.axis, sizeof y.axis, "%s%s%s", both, rows, cols);
    for (p = both; *p; p++)
        s.dim[s.rank++] = MAX(size_of(a, *p), size_of(b, *p));
    for (p = rows; *p; p++)
        s.dim[s.rank++] = size_of(a, *p);
    for (p = cols; *p; p++)
        s.dim[s.rank++] = size_of(b, *p);
    y.v = to_shape(c, y.v, s);
    return y;
}

/* Without "->" the result has every letter that stands once, sorted. */
static void default_result(const char *terms, char *to)
{
    char ch;
    const char *p;
    int n;

    if (strchr(terms, '.'))
        to += sprintf(to, "...");
    for (ch = 'A'; ch <= 'z'; ch++) {
        for (p = terms, n = 0; *p; p++)
            n += *p == ch;
        if (n == 1)
            *to++ = ch;
    }
    *to = 0;
}

static int read_terms(Call *c, const char *eq, Term *t, int *dots)
{
    const char *s = eq;
    int i;
    size_t n;
    bool some;

    *dots = 0;
    for (i = 0; i < c->narg; i++, s += n + (s[n] == ',')) {
        n = strcspn(s, ",-");
        t[i].v = c->arg[i];
        if (letters(s, n, &some) > c->arg[i]->shape.rank)
            call_err(c, "term %d has more letters than axes", i + 1);
        if (some)
            *dots = MAX(*dots, c->arg[i]->shape.rank - letters(s, n, &some));
        spell(c, s, n, some ? c->arg[i]->shape.rank - letters(s, n, &some)
                            : 0, t[i].axis);
        if ((int)strlen(t[i].axis) != c->arg[i]->shape.rank)
            call_err(c, "term %d has not as many letters as axes", i + 1);
    }
    return i;
}

enum { TERMS = 6, LETTERS = (TERMS + 2) * RANK + 1 };

/* All letters that are needed beside a term: those of the result, of `other`,
 * and of the terms from..n that are still to come. */
static void wants(char *to, const char *result, const char *other,
                  const Term *t, int from, int n)
{
    snprintf(to, LETTERS, "%s%s", result, other);
    for (; from < n; from++)
        strcat(to, t[from].axis);
}

static Term multiply_all(Call *c, Term *t, int n, const char *result)
{
    char wanted[LETTERS];
    Term y = t[0];
    int i;

    for (i = 1; i < n; i++) {
        wants(wanted, result, "", t, i, n);
        sum_alone(c, &y, wanted);
        wants(wanted, result, y.axis, t, i + 1, n);
        sum_alone(c, &t[i], wanted);
        wants(wanted, result, "", t, i + 1, n);
        y = product(c, &y, &t[i], wanted);
    }
    sum_alone(c, &y, result);
    return y;
}

void import_einsum(Call *c)
{
    const char *text = call_str(c, "equation", ""), *arrow, *s;
    char eq[256], given[256], result[RANK + 1];
    Term *t = NEWN(c->mem, Term, (size_t)c->narg + 1), y;
    int n, dots;

    if (strlen(text) >= sizeof eq - 64 || c->narg > TERMS)
        call_err(c, "the equation is too long");
    drop_blanks(eq, text);
    n = read_terms(c, eq, t, &dots);
    arrow = strstr(eq, "->");
    if (arrow)
        snprintf(given, sizeof given, "%s", arrow + 2);
    else
        default_result(eq, given);
    spell(c, given, strlen(given), dots, result);
    y = multiply_all(c, t, n, result);
    for (s = result; *s; s++)
        if (!strchr(y.axis, *s) || strchr(s + 1, *s))
            call_err(c, "letter '%c' of the result is in no term, or twice",
                     *s);
    give(c, 0, in_order(c, &y, result));
}
