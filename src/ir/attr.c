/* Attributes: a list per node, absent ones read as their default. */
#include "ir/ir.h"

#include <math.h>
#include <string.h>

/* attr.def says FLOAT where ir.h's enum says FLOAT_. */
#define KIND_INT INT
#define KIND_FLOAT FLOAT_
#define KIND_INTS INTS

const AttrInfo attr_info[NATTR] = {
    [A_none] = {"none", INT, 0, 0, ""},
#define INT_INT(x) (x)
#define INT_INTS(x) 0
#define INT_FLOAT(x) 0
#define NUM_INT(x) 0
#define NUM_INTS(x) 0
#define NUM_FLOAT(x) (x)
#define ATTR(name, kind, none, about) \
    [A_##name] = {#name, KIND_##kind, INT_##kind(none), NUM_##kind(none), \
                  about},
#include "ir/attr.def"
};

bool op_has_attr(OpCode op, AttrCode c)
{
    const char *s = op_info[op].attrs, *name = attr_info[c].name;
    size_t len, want = strlen(name);

    for (; *s; s += len) {
        s += *s == ' ';
        len = strcspn(s, " ");
        if (len == want && !strncmp(s, name, len))
            return true;
    }
    return false;
}

static Attr *find(const Node *n, AttrCode c)
{
    Attr *a;

    for (a = n->attr; a; a = a->next)
        if (a->code == c)
            return a;
    return NULL;
}

static Attr *find_or_add(Graph *g, Node *n, AttrCode c)
{
    Attr *a = find(n, c);
    Attr **p = &n->attr;

    if (a)
        return a;
    a = NEW(g->mem, Attr);
    a->code = c;
    while (*p && (*p)->code < c)
        p = &(*p)->next;
    a->next = *p;
    *p = a;
    return a;
}

int64_t attr_int(const Node *n, AttrCode c)
{
    const Attr *a = find(n, c);

    return a ? a->i : attr_info[c].i;
}

double attr_num(const Node *n, AttrCode c)
{
    const Attr *a = find(n, c);

    return a ? a->f : attr_info[c].f;
}

int attr_list(const Node *n, AttrCode c, const int64_t **list)
{
    const Attr *a = find(n, c);

    *list = a ? a->list : NULL;
    return a ? a->n : 0;
}

int64_t attr_at(const Node *n, AttrCode c, int i, int64_t none)
{
    const Attr *a = find(n, c);

    return a && i >= 0 && i < a->n ? a->list[i] : none;
}

Size attr_size(const Node *n, AttrCode c, int i, Size none)
{
    const Attr *a = find(n, c);

    if (!a || i < 0 || i >= a->n)
        return none;
    return (Size){a->list[i], a->vary ? a->vary[i] : (Vary){NULL, 0}};
}

bool attr_has(const Node *n, AttrCode c)
{
    return find(n, c);
}

void attr_set_int(Graph *g, Node *n, AttrCode c, int64_t v)
{
    find_or_add(g, n, c)->i = v;
}

void attr_set_num(Graph *g, Node *n, AttrCode c, double v)
{
    find_or_add(g, n, c)->f = v;
}

void attr_set_list(Graph *g, Node *n, AttrCode c, int len, const int64_t *v)
{
    Attr *a = find_or_add(g, n, c);

    if (len < 0 || len > (int)LEN(a->list))
        err_node(n, "%s has %d numbers: at most %d are supported",
                 attr_info[c].name, len, (int)LEN(a->list));
    if (len)
        memmove(a->list, v, (size_t)len * sizeof *v);
    a->n = len;
    a->vary = NULL;
}

void attr_set_shape(Graph *g, Node *n, AttrCode c, Shape s)
{
    Attr *a;
    Vary *vary;

    attr_set_list(g, n, c, s.rank, s.dim);
    if (!shape_varies(s))
        return;
    a = find(n, c);
    vary = NEWN(g->mem, Vary, RANK);
    memcpy(vary, s.vary, sizeof s.vary);
    a->vary = vary;
}

void attr_drop(Node *n, AttrCode c)
{
    Attr **p = &n->attr;

    while (*p && (*p)->code != c)
        p = &(*p)->next;
    if (*p)
        *p = (*p)->next;
}

void attr_copy(Graph *g, Node *to, const Node *from)
{
    const Attr *a;
    Attr *b, *next;

    for (a = from->attr; a; a = a->next) {
        b = find_or_add(g, to, a->code);
        next = b->next;
        *b = *a;
        b->next = next;
    }
}
