/* What a node's attributes and operands must be, by the tables of schema.def:
 * checked here for all operators, before any importer reads them.
 *
 * Numbers may come in any encoding (INT, FLOAT, TENSOR), as the dialect writes
 * them.  Where floats stand for integers, the types of operands say nothing. */
#include "front/onnx/import.h"

#include <math.h>
#include <string.h>

typedef enum Kind {
    INTEGER, NUMBER, WORD, TEXT, TENSOR, SUBGRAPH, ANY
} Kind;

typedef struct Attribute {
    const char *name;
    Kind kind;
    double least, most;
    const char *words;
} Attribute;

/* The largest finite number. */
#define REAL 0x1p127 * 1.99999999

static const Attribute attributes[] = {
#define ATTRIBUTE(name, kind, least, most, words) \
    {name, kind, least, most, words},
#define OPERANDS(letters, ops)
#include "front/onnx/schema.def"
};

static const struct {
    const char *letters, *ops;
} operands[] = {
#define ATTRIBUTE(name, kind, least, most, words)
#define OPERANDS(letters, ops) {letters, ops},
#include "front/onnx/schema.def"
};

/* Is the word, of n bytes, one of those of a list? */
static bool is_one_of(const char *list, const char *word, size_t n)
{
    size_t m;

    for (; *list; list += m + (list[m] == ' ')) {
        m = strcspn(list, " ");
        if (m == n && !memcmp(list, word, n))
            return true;
    }
    return false;
}

/* An operator's own row, else the one for all. */
static const Attribute *attribute_of(const char *op, const char *name)
{
    size_t i, n = strlen(op);
    const Attribute *common = NULL, *a;

    for (i = 0; i < LEN(attributes); i++) {
        a = &attributes[i];
        if (!strcmp(a->name, name))
            common = a;
        if (str_starts(a->name, op) && a->name[n] == '.' &&
            !strcmp(a->name + n + 1, name))
            return a;
    }
    return common;
}

static const char *content(const OnnxAttr *a)
{
    if (a->has_s || a->n_strings)
        return "text";
    if (a->g || a->n_graphs)
        return "a graph";
    if (a->t || a->n_tensors)
        return "a tensor";
    if (a->has_i || a->n_ints)
        return a->n_ints ? "integers" : "an integer";
    if (a->has_f || a->n_floats)
        return a->n_floats ? "numbers" : "a number";
    return NULL;
}

_Noreturn static void wrong_kind(const Call *c, const OnnxAttr *a,
                                 const char *wanted)
{
    call_err(c, "attribute '%s' is %s; wanted %s", a->name, content(a),
             wanted);
}

static void check_number(const Call *c, const Attribute *row, double v)
{
    if (v >= row->least && v <= row->most &&
        (row->kind != INTEGER || fabs(v - rint(v)) <= 1e-3))
        return;
    if (row->most < REAL)
        call_err(c, "attribute '%s' has %g; wanted %s%.9g to %.9g",
                 strrchr(row->name, '.') ? strrchr(row->name, '.') + 1
                                         : row->name,
                 v, row->kind == INTEGER ? "an integer of " : "", row->least,
                 row->most);
    call_err(c, "attribute '%s' has %g; wanted %s", row->name, v,
             row->kind == INTEGER ? "an integer" : row->least
                 ? "a finite number" : "a finite number of 0 or more");
}

static void check_numbers(const Call *c, const Attribute *row,
                          const OnnxAttr *a)
{
    size_t i;

    if (a->has_s || a->n_strings || a->g)
        wrong_kind(c, a, row->kind == INTEGER ? "integers" : "numbers");
    for (i = 0; i < a->n_ints; i++)
        check_number(c, row, (double)a->ints[i]);
    for (i = 0; i < a->n_floats; i++)
        check_number(c, row, a->floats[i]);
    if (a->has_i && !a->n_ints)
        check_number(c, row, (double)a->i);
    if (a->has_f && !a->n_floats && !a->has_i)
        check_number(c, row, a->f);
}

static void check_word(const Call *c, const Attribute *row, const OnnxAttr *a)
{
    if (!a->has_s)
        wrong_kind(c, a, "text");
    if (!is_one_of(row->words, (const char *)a->s.data, a->s.len))
        call_err(c, "attribute '%s' is '%.*s'; wanted one of: %s", a->name,
                 (int)MIN(a->s.len, 99), (const char *)a->s.data, row->words);
}

static void check_attribute(const Call *c, const Attribute *row,
                            const OnnxAttr *a)
{
    if (!content(a))
        return;
    switch (row->kind) {
    case INTEGER: case NUMBER:
        check_numbers(c, row, a);
        return;
    case WORD:
        check_word(c, row, a);
        return;
    case TEXT:
        if (!a->has_s && !a->n_strings)
            wrong_kind(c, a, "text");
        return;
    case TENSOR:
        if (!a->t)
            wrong_kind(c, a, "a tensor");
        return;
    case SUBGRAPH:
        if (!a->g)
            wrong_kind(c, a, "a graph");
        return;
    case ANY:
        return;
    }
}

/* What nobody knows may be meant, of ONNX's own operators. */
static void ignore(const Call *c, const char *name)
{
    const char *domain = onnx(c)->p->domain;

    if ((!domain || !*domain) && onnx(c)->row->meaning != DIALECT
        && !c->g->exact)
        warn("node '%s' (%s): attribute '%s' is not known and ignored",
             c->name, c->op, name);
}

static void check_attributes(const Call *c)
{
    const OnnxNode *p = onnx(c)->p;
    const OnnxAttr *a;
    const Attribute *row;
    size_t i;

    for (i = 0; i < p->n_attribute; i++) {
        if (!p->attribute[i]->name)
            continue;
        row = attribute_of(c->op, p->attribute[i]->name);
        a = call_attr(c, p->attribute[i]->name);
        if (!row)
            ignore(c, p->attribute[i]->name);
        else if (a)
            check_attribute(c, row, a);
    }
}

static const char *letters_of(const char *op)
{
    size_t i;

    for (i = 0; i < LEN(operands); i++)
        if (is_one_of(operands[i].ops, op, strlen(op)))
            return operands[i].letters;
    return "";
}

static bool fits(char letter, const Val *v, const Val *first)
{
    switch (letter) {
    case 'T': return v->type == first->type;
    case 'f': return !val_is_int(v);
    case 'i': return val_is_int(v) && v->type != T_b8;
    case 'b': return v->type == T_b8;
    }
    return true;
}

static void check_operands(const Call *c)
{
    static const char *const wanted[] = {
        ['f'] = "floats", ['i'] = "integers", ['b'] = "truth values",
    };
    const char *l = letters_of(c->op);
    const Val *first = NULL, *v;
    int i;

    for (i = 0; i < c->narg && *l; i++, l += l[1] != 0) {
        v = c->arg[i];
        if (!v || !val_count(v))
            continue;
        if (*l == 'T' && !first)
            first = v;
        if (fits(*l, v, first))
            continue;
        if (*l == 'T')
            call_err(c, "input %d ('%s') is of type %s, '%s' of %s; wanted "
                     "one type: convert one of them by a Cast", i + 1, v->name,
                     type_info[v->type].name, first->name,
                     type_info[first->type].name);
        call_err(c, "input %d ('%s') is of type %s; wanted %s", i + 1, v->name,
                 type_info[v->type].name, wanted[(int)*l]);
    }
}

void schema_check(const Call *c)
{
    const char *domain = onnx(c)->p->domain;

    check_attributes(c);
    if (!c->g->exact && (!domain || !*domain || !strcmp(domain, "ai.onnx")))
        check_operands(c);
}
