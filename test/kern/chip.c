/* Writes operators for test/sim/chip.c to run with a kernel on a simulated
 * chip: chip DIR NCORE SEED RUNS KERNEL draws them at random, within the
 * kernel's head; chip DIR NCORE - - KERNEL takes one graph in the text form
 * from stdin.
 *
 * DIR/cases.c holds what the kernel is told of each, DIR/fast.c and DIR/plain.c
 * the kernel and its reference for the types of all.  The values of operands
 * are the guest's affair, which knows their ranges. */
#include "test/kern/kern.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static Kern **kerns;
static int nkern;

static Kern *find(const char *path)
{
    int i;

    for (i = 0; i < nkern; i++)
        if (!strcmp(kerns[i]->path, path) || !strcmp(kerns[i]->name, path))
            return kerns[i];
    err(ERR_USAGE, "no kernel %s", path);
}

/* The kernel or, every other time, one of its variants, which follow it. */
static Kern *find_drawn(const char *path)
{
    Kern *first = find(path);
    int i, n;

    for (i = 0; kerns[i] != first; i++)
        ;
    for (n = 1; i + n < nkern && !strcmp(kerns[i + n]->path, path); n++)
        ;
    return n > 1 && roll(2) ? kerns[i + roll(n)] : first;
}

/* --- types --- */

static bool likely(const char *operand, Type t)
{
    if (!strcmp(operand, "shifts"))
        return t == T_s8;
    if (t == T_f32 || t == T_b8)
        return true;
    if (!strcmp(operand, "scores") || !strcmp(operand, "parts") ||
        !strcmp(operand, "mask"))
        return t == T_s8 || t == T_s32;
    if (!strcmp(operand, "powers"))
        return t == T_u8 || t == T_s32;
    if (!strcmp(operand, "table"))
        return t == T_s8 || t == T_s16;
    if (strlen(operand) > 2)
        return t == T_s32 || (t == T_s64 && !strcmp(operand, "add"));
    return type_info[t].bytes < 8 && t != T_u32;
}

static Type pick(const KernType *t, const KernSig *s, const Inst *in)
{
    Type from[NTYPE];
    int i, n = 0;

    for (i = 0; t->same && i < s->narg; i++)
        if (!strcmp(s->arg[i].operand, t->same))
            return in->arg[i];
    for (i = 1; i < NTYPE; i++)
        if (t->types >> i & 1 && likely(t->operand, (Type)i))
            from[n++] = (Type)i;
    if (n || t->types >> T_s32 & 1)
        return n ? from[roll(n)] : T_s32;
    for (i = 1; i < NTYPE; i++)
        if (t->types >> i & 1)
            return (Type)i;
    return T_s32; /* of an operand that is then not drawn */
}

/* Has mul 32 bits, and add 64? */
static bool upper_types(const KernSig *s, const Inst *in)
{
    bool both = true;
    int i;

    for (i = 0; i < s->narg; i++)
        if (!strcmp(s->arg[i].operand, "mul"))
            both &= in->arg[i] == T_s32;
        else if (!strcmp(s->arg[i].operand, "add"))
            both &= in->arg[i] == T_s64;
    return both;
}

static Inst choose(const Kern *k)
{
    Inst in = {.name = k->name, .sig = roll(k->nsig)};
    const KernSig *s = &k->sig[in.sig];
    int i;

    for (i = 0; i < s->narg; i++) {
        in.arg[i] = pick(&s->arg[i], s, &in);
        if (!strcmp(s->arg[i].operand, "shifts"))
            in.shifts = i;
    }
    if (k->round)
        in.round = k->round[roll((int)strlen(k->round) / 2 + 1) * 2] - '0';
    in.upper = (in.shifts || in.round) && upper_types(s, &in) && roll(4);
    in.res = pick(&s->res[0], s, &in);
    return in;
}

/* --- files --- */

/* The instance of k called fn, for the types of in. */
static void put_kernel(const char *dir, const Kern *k, const KernSig *s,
                       const Inst *in, const char *fn, const char *acc)
{
    Str o = {.mem = mem};
    int i;

    str_put(&o, "#include <stdint.h>\n");
    if (in->round)
        str_fmt(&o, "#define ROUND %d\n", in->round);
    if (in->shifts)
        str_put(&o, "#define SHIFTS SHIFTS\n");
    if (in->upper)
        str_put(&o, "#define UPPER_HALF 1\n");
    kern_put_params(k, &o);
    for (i = 0; i <= s->narg; i++) {
        const char *p = i < s->narg ? s->arg[i].operand : s->res[0].operand;
        const Type t = i < s->narg ? in->arg[i] : in->res;

        str_fmt(&o, "typedef %s ", /* of one that it alone has, any */
                type_info[t == T_none ? T_s32 : t].ctype);
        for (; *p; p++)
            str_fmt(&o, "%c", toupper((unsigned char)*p));
        str_put(&o, ";\n");
    }
    str_fmt(&o, "#define ACC %s\n#define FN %s\n#include \"%s\"\n", acc, fn,
            k->path);
    file_write(arena_fmt(mem, "%s/%s.c", dir, fn), o.s, o.n);
}

static const Kern *reference(const Kern *k, const Inst *in, int *sig)
{
    const int narg = k->sig[in->sig].narg;
    int i, j, o;

    for (i = 0; i < nkern; i++)
        for (j = 0; j < kerns[i]->nsig; j++) {
            for (o = 0; o < kerns[i]->nop && kerns[i]->op[o] != k->op[0]; o++)
                ;
            if (o < kerns[i]->nop && str_starts(kerns[i]->path, "kern/ref/") &&
                (!in->shifts || kerns[i]->sig[j].narg == narg) &&
                kerns[i]->sig[j].arg[0].types >> in->arg[0] & 1 &&
                kerns[i]->sig[j].res[0].types >> in->res & 1) {
                *sig = in->shifts ? j : 0;
                return kerns[i];
            }
        }
    die("no reference for %s", k->path);
}

/* Elements of 8 or 16 bits are multiplied and summed in 32. */
static const char *acc_of(const Inst *in, const Node *n)
{
    int i;

    for (i = 0; i < n->narg && i < 2; i++)
        if (n->arg[i] && (type_info[in->arg[i]].bytes > 2 ||
                          in->arg[i] == T_u16))
            return "int64_t";
    return "int32_t";
}

static void put_data(Str *o, const Val *v)
{
    int64_t i;

    str_fmt(o, "(const %s[]){", type_info[v->type].ctype);
    for (i = 0; i < val_count(v); i++)
        str_fmt(o, "%s%" PRId64, i ? ", " : "", val_int(v, i));
    str_put(o, "}");
}

static void put_operand(Str *o, const Val *v)
{
    if (!v) {
        str_put(o, "{0}, ");
        return;
    }
    str_fmt(o, "{%d, %d, %" PRId64 "LL, %" PRId64 "LL, ", (int)val_count(v),
            type_info[v->type].bytes, v->lo, v->hi);
    if (v->data && type_info[v->type].kind != FLOAT)
        put_data(o, v);
    else
        str_put(o, "0");
    str_put(o, "}, ");
}

/* Operands at whose address the result may begin, as a mask. */
static unsigned inplace(const Kern *k, const KernSig *s, const Node *n)
{
    const Val *y = n->res[0];
    unsigned set = 0;
    int i;

    for (i = 0; i < n->narg && i < s->narg; i++) {
        const char *name = s->arg[i].operand;
        const char *at = k->inplace ? strstr(k->inplace, name) : NULL;

        if (at && n->arg[i] && val_count(n->arg[i]) == val_count(y) &&
            type_info[n->arg[i]->type].bytes == type_info[y->type].bytes)
            set |= 1u << i;
    }
    return set;
}

/* Expressions that were read know how many cores there are. */
static void set_cores(Kern *k, int ncore)
{
    k->ncore = ncore;
    k->exprs->first = NULL;
}

/* Bytes of a core, of one to eight of them. */
static void put_scratch(Str *o, Kern *k, const Node *n, const Dims *d)
{
    const int ncore = k->ncore;
    int i;

    str_put(o, "{");
    for (i = 1; i <= 8 && k->scratch; i++) {
        set_cores(k, i);
        str_fmt(o, "%d, ", (int)kern_expr(k, k->scratch, n, d));
    }
    str_put(o, "}, ");
    set_cores(k, ncore);
}

static void put_case(Str *o, Kern *k, const Inst *in, const Node *n,
                     const Dims *d)
{
    const DimsInfo *info = dims_of(n->op);
    int64_t cycles = 0, code = 0, ahead = -1;
    int i;

    if (k->ahead)
        ahead = kern_expr(k, k->ahead, n, d);
    if (k->cycles)
        cycles = kern_expr(k, k->cycles, n, d);
    if (k->code)
        code = kern_expr(k, k->code, n, d);
    str_put(o, "    {{");
    for (i = 0; i < info->size / 4; i++)
        str_fmt(o, "%d, ", ((const int *)d)[i]);
    str_put(o, "},\n     {");
    for (i = 0; i < n->narg; i++)
        put_operand(o, n->arg[i]);
    str_put(o, "},\n     ");
    put_operand(o, n->res[0]);
    str_fmt(o, "%d, ", n->narg);
    put_scratch(o, k, n, d);
    str_fmt(o, "0x%x, %d, %d, %d, %d},\n",
            inplace(k, &k->sig[in->sig], n), (int)ahead, (int)cycles, (int)code,
            (int)MAX(node_macs(n), val_count(n->res[0])));
}

/* --- operators --- */

/* The node of a graph in the text form, if the kernel takes it. */
static Node *node_for(const Kern *k, const Inst *in, const char *text, Dims *d)
{
    Graph *g = graph_parse(mem, "draw", text);
    Node *n = g->last;
    Val *y = n->res[0];

    if (y->lo < type_info[in->res].lo || y->hi > type_info[in->res].hi)
        return NULL;
    y->type = in->res;
    if (!kern_takes(k, n) || (in->upper && !upper_fits(n)) ||
        node_round(n) != in->round)
        return NULL;
    dims_fill(n, d);
    return !k->when || kern_expr(k, k->when, n, d) ? n : NULL;
}

/* Is there room for all of it on the chip (BYTES of cases.h)? */
static bool has_room(const Kern *k, const Node *n, const Dims *d)
{
    enum { ROOM = 180000 };
    int64_t sum = val_bytes(n->res[0]);
    int i;

    for (i = 0; i < n->narg; i++)
        sum += n->arg[i] ? val_bytes(n->arg[i]) : 0;
    return sum + (k->scratch ? kern_expr(k, k->scratch, n, d) : 0) < ROOM;
}

/* Joining is several calls: the kernels that do it do moves of one, too. */
static Node *drawn(const Kern *k, const Inst *in, Dims *d)
{
    Node *n = NULL;
    int i;

    for (i = 0; !n && i < 10000; i++) {
        OpCode op = k->op[roll(k->nop)];

        if (op != OP_concat)
            n = node_for(k, in, draw(op, in), d);
        if (n && !has_room(k, n, d))
            n = NULL;
    }
    return n;
}

/* The first operator, of types of which some can be drawn. */
static Node *first_drawn(const Kern *k, Inst *in, Dims *d)
{
    Node *n = NULL;
    int i;

    for (i = 0; !n && i < 20; i++) {
        *in = choose(k);
        n = drawn(k, in, d);
    }
    return n;
}

static char *read_all(FILE *f)
{
    Str o = {.mem = mem};
    int c;

    while ((c = getc(f)) != EOF)
        str_fmt(&o, "%c", c);
    return o.s;
}

/* The same of a graph without data, whose addends have such bounds that
 * operands() of cases.h makes them odd multiples of 2^30. */
static bool upper_bounds(const Node *n)
{
    const Val *add = node_arg(n, "add"), *shifts = node_arg(n, "shifts");
    const int64_t low = 0x7fffffff, half = 1 << 30;

    return add && shifts && shifts->lo > 31 && (add->lo & low) == half &&
           (add->hi & low) == half && upper_fits(n);
}

static Inst types_of(const Kern *k, const char *text)
{
    Graph *g = graph_parse(mem, "stdin", text);
    Inst in = {.name = k->name};
    const KernSig *s;
    Node *n = g->last;
    int i;

    s = kern_takes(k, n);
    if (!s)
        err(ERR_USAGE, "%s takes other types", k->path);
    in.sig = (int)(s - k->sig);
    in.round = node_round(n);
    for (i = 0; i < s->narg; i++) {
        in.arg[i] = i < n->narg && n->arg[i] ? n->arg[i]->type : T_s32;
        if (!strcmp(s->arg[i].operand, "shifts"))
            in.shifts = i;
    }
    in.res = n->res[0]->type;
    in.upper = node_upper_half(n) || upper_bounds(n);
    return in;
}

int main(int argc, char **argv)
{
    Str o;
    const Kern *ref;
    Kern *k;
    char *text = NULL;
    Node *n = NULL;
    Inst in;
    Dims d;
    int i, runs, sig;

    if (argc != 6)
        err(ERR_USAGE, "chip DIR NCORE SEED RUNS KERNEL");
    mem = arena_new();
    o = (Str){.mem = mem};
    kerns = kern_load(mem, NULL, &nkern);
    if (*argv[3] == '-')
        text = read_all(stdin);
    seed = (unsigned)strtoul(argv[3], NULL, 0);
    k = text ? find(argv[5]) : find_drawn(argv[5]);
    k->ncore = atoi(argv[2]);
    runs = text ? 1 : atoi(argv[4]);
    if (text)
        in = types_of(k, text);
    n = text ? node_for(k, &in, text, &d) : first_drawn(k, &in, &d);
    str_put(&o, "#include \"test/sim/chip.h\"\n\nconst Case cases[] = {\n");
    for (i = 0; i < runs; i++) {
        if (i)
            n = drawn(k, &in, &d);
        if (!n)
            err(ERR_USAGE, "%s%s: not when %s", text ? text : "nothing drawn ",
                k->path, k->when);
        put_case(&o, k, &in, n, &d);
    }
    str_fmt(&o, "};\nconst int ncase = %d;\nuint32_t seed = %uu;\n", runs,
            text ? 1 : seed);
    file_write(arena_fmt(mem, "%s/cases.c", argv[1]), o.s, o.n);
    put_kernel(argv[1], k, &k->sig[in.sig], &in, "fast", acc_of(&in, n));
    ref = reference(k, &in, &sig);
    put_kernel(argv[1], ref, &ref->sig[sig], &in, "plain", "int64_t");
    arena_end(mem);
    return 0;
}
