/* Which C functions a plan calls: a kernel is compiled once for each
 * combination of types that it is used with. */
#include "plan/plan.h"

#include <string.h>

static bool fits_32(int64_t lo, int64_t hi)
{
    return lo >= -INT32_MAX && hi <= INT32_MAX;
}

static bool sums_up(const Node *n)
{
    switch (op_info[n->op].family) {
    case FAM_conv: case FAM_convt: case FAM_matmul: case FAM_pool:
    case FAM_reduce: case FAM_pconv: case FAM_pinterleave:
    case FAM_rowmatmul:
        return true;
    default:
        return false;
    }
}

/* Is all that is summed up, and every sum of it, within 32 bits? */
static bool small_sums(const Node *n)
{
    const Val *x = n->arg[0];

    return fits_32(x->lo, x->hi) && fits_32(n->acc.lo, n->acc.hi);
}

static bool within_16(const Step *s, int i)
{
    const Val *v = i < s->node->narg ? s->node->arg[i] : NULL;

    return v && v->type == s->in_type[i] && v->lo >= -INT16_MAX &&
           v->hi <= INT16_MAX;
}

/* Elementwise kernels: is the sum or product of two elements within 32 bits?
 * Of 8 bits, and of 16 with sign; where there are but two, of values that these
 * hold. */
static bool small_operands(const Step *s)
{
    int i, n = 0;

    for (i = 0; i < s->nin; i++)
        n += s->in[i].buf >= 0;
    for (i = 0; i < s->nin; i++) {
        const TypeInfo *t = &type_info[s->in_type[i]];

        if (s->in[i].buf >= 0 && (t->bytes > 2 || s->in_type[i] == T_u16) &&
            (n > 2 || !within_16(s, i)))
            return false;
    }
    return true;
}

bool step_is_float(const Step *s)
{
    int i;

    for (i = 0; i < s->nin; i++)
        if (s->in[i].buf >= 0 && s->in_type[i] == T_f32)
            return true;
    return s->out_type[0] == T_f32;
}

/* The type sums are made in: the least that holds them. */
const char *step_acc_type(const Step *s)
{
    if (step_is_float(s))
        return "float";
    if (sums_up(s->node) ? small_sums(s->node) : small_operands(s))
        return "int32_t";
    return "int64_t";
}

const char *step_arg_type(const Step *s, int i)
{
    if (i < s->nin && s->in[i].buf >= 0)
        return type_info[s->in_type[i]].name;
    return "n";
}

/* Shipped with the compiler, or from --kernels? */
bool kern_is_shipped(const Kern *k)
{
    return packed_find(k->path) != NULL;
}

static const char *inst_name(Arena *a, const Step *s)
{
    Str b = {.mem = a};
    int i;

    str_fmt(&b, "%s%s_", s->kern->name, kern_is_shipped(s->kern) ? "" : "_own");
    for (i = 0; i < s->sig->narg; i++)
        str_put(&b, step_arg_type(s, i));
    str_put(&b, "_");
    for (i = 0; i < s->sig->nres; i++)
        str_put(&b, type_info[s->out_type[i]].name);
    if (!strcmp(step_acc_type(s), "int64_t"))
        str_put(&b, "_wide");
    if (node_round(s->node))
        str_fmt(&b, "_round%d", node_round(s->node));
    if (node_upper_half(s->node))
        str_put(&b, "_upper");
    return b.s;
}

/* Have two steps of a node the same name for certain? */
static bool same_name(const Step *a, const Step *b)
{
    int i;

    if (a->kern != b->kern || a->node != b->node)
        return false;
    for (i = 0; i < a->sig->narg; i++)
        if (step_arg_type(a, i) != step_arg_type(b, i))
            return false;
    return !memcmp(a->out_type, b->out_type, sizeof a->out_type);
}

/* Does what is compiled for `has` serve s too?  A kernel of ours looks whether
 * an operand is there. */
static bool serves(const Step *has, const Step *s)
{
    const char *type;
    int i;

    if (kern_serves(has->kern, s->kern))
        return true;
    if (has->kern != s->kern || has->sig != s->sig ||
        memcmp(has->out_type, s->out_type, sizeof s->out_type))
        return false;
    for (i = 0; i < has->sig->narg; i++) {
        type = step_arg_type(s, i);
        if (strcmp(type, step_arg_type(has, i)) &&
            (*type != 'n' || !kern_is_shipped(s->kern)))
            return false;
    }
    return step_is_float(has) == step_is_float(s) &&
           !strcmp(step_acc_type(has), step_acc_type(s)) &&
           node_round(has->node) == node_round(s->node) &&
           node_upper_half(has->node) == node_upper_half(s->node);
}

/* The instance that serves s; one that s serves gives way to it. */
static int inst_for(Arena *mem, Insts *t, const Step *s)
{
    int i;

    for (i = 0; i < t->n; i++)
        if (serves(t->v[i].step, s))
            return i;
    for (i = 0; i < t->n && !serves(s, t->v[i].step); i++)
        ;
    if (i == t->n)
        GROW(mem, t->v, (size_t)t->n++);
    t->v[i] = (Inst){inst_name(mem, s), s->kern, s};
    return i;
}

Insts plan_instances(Arena *mem, const Plan *p)
{
    Insts t = {.of = NEWN(mem, int, p->nstep + 1)};
    const Step *before = NULL;
    int i, j = 0;

    for (i = 0; i < p->nstep; i++) {
        const Step *s = &p->step[i];

        if (!step_starts_kernel(p, s))
            continue;
        if (!before || !same_name(before, s))
            j = inst_for(mem, &t, s);
        before = s;
        t.of[i] = j;
    }
    return t;
}
