/* Writes what test/kern/kern.c runs: kernemit DIR SEED INSTANCES KERNEL...
 *
 * For each line of types of the kernels named (kern/ref means all of that
 * folder) so many instances, or if that is 0 one of one line, with types drawn
 * from its sets, a file each; for every reference kernel that is needed an
 * instance in wide types; and DIR/insts.c, the table of them all. */
#include "test/kern/kern.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static Arena *arena;
static Kern **kerns;
static int nkern, nfile;
static const char *dir;

static void put_type(Str *o, const char *operand, const char *ctype)
{
    if (!strcmp(operand, "shifts"))
        str_put(o, "#define SHIFTS SHIFTS\n");
    str_fmt(o, "typedef %s ", ctype);
    for (; *operand; operand++)
        str_fmt(o, "%c", toupper((unsigned char)*operand));
    str_put(o, ";\n");
}

static void put_file(Str *o, const char *name, const char *acc,
                     const char *path, const Inst *in)
{
    if (in->round)
        str_fmt(o, "#define ROUND %d\n", in->round);
    if (in->upper)
        str_put(o, "#define UPPER_HALF 1\n");
    str_fmt(o, "#define ACC %s\n#define FN %s\n#include \"%s\"\n", acc, name,
            path);
    file_write(arena_fmt(arena, "%s/%s.c", dir, name), o->s, o->n);
}

static Type type_of(const Inst *in, const KernSig *s, const char *operand)
{
    int i;

    for (i = 0; i < s->narg && strcmp(s->arg[i].operand, operand); i++)
        ;
    return i < s->narg ? in->arg[i] : T_none;
}

static bool may_be_upper(const Inst *in, const KernSig *s)
{
    return (in->shifts || in->round) && type_of(in, s, "mul") == T_s32 &&
           type_of(in, s, "add") == T_s64;
}

static bool has_float(const Inst *in, int narg)
{
    int i;

    for (i = 0; i < narg; i++)
        if (in->arg[i] == T_f32)
            return true;
    return in->res == T_f32;
}

static bool scales(const char *operand)
{
    return !strcmp(operand, "mul") || !strcmp(operand, "add") ||
           !strcmp(operand, "bias") || !strcmp(operand, "shifts");
}

/* Are sums made in 32 bits (doc/kernels.md)?  Only where the operands are
 * narrow, and then not always, for a network may need more. */
static bool small_sums(const Inst *in, const KernSig *s)
{
    bool narrow = true;
    int i;

    if (has_float(in, s->narg))
        return false;
    for (i = 0; i < s->narg; i++)
        narrow &= scales(s->arg[i].operand) ||
                  (s->narg > 4 && i == 2) || /* the bias of a convolution */
                  (type_info[in->arg[i]].bytes <= 2 && in->arg[i] != T_u16);
    return narrow && rand() % 3;
}

static void emit_native(const Inst *in, const Kern *k, const char *name)
{
    const KernSig *s = &k->sig[in->sig];
    Str o = {.mem = arena};
    int i;

    str_put(&o, "#include <stdint.h>\n");
    kern_put_params(k, &o);
    for (i = 0; i < s->narg; i++)
        put_type(&o, s->arg[i].operand, type_info[in->arg[i]].ctype);
    put_type(&o, s->res[0].operand, type_info[in->res].ctype);
    put_file(&o, name, has_float(in, s->narg) ? "float"
                       : in->small            ? "int32_t" : "int64_t",
             k->path, in);
}

static const char *wide(Type t)
{
    return t == T_f32 ? "float" : "int64_t";
}

static void emit_wide(const Inst *in, const Kern *ref, int sig,
                      const char *name)
{
    const KernSig *s = &ref->sig[sig];
    Str o = {.mem = arena};
    int i;

    str_put(&o, "#include <stdint.h>\n");
    for (i = 0; i < s->narg; i++)
        put_type(&o, s->arg[i].operand, wide(in->arg[i]));
    put_type(&o, s->res[0].operand, wide(in->res));
    put_file(&o, name, in->res == T_f32 ? "float" : "int64_t", ref->path,
             in);
}

/* --- choosing --- */

static bool likely(const char *operand, Type t)
{
    bool sum = strlen(operand) > 2; /* bias, mul, add */

    if (!strcmp(operand, "shifts"))
        return t == T_s8;
    if (!strcmp(operand, "i"))
        return t == T_s8 || t == T_s32 || t == T_s64;
    if (t == T_f32 || t == T_b8)
        return true;
    if (!strcmp(operand, "add"))
        return t == T_s32 || t == T_s64;
    if (!strcmp(operand, "scores") || !strcmp(operand, "parts") ||
        !strcmp(operand, "mask"))
        return t == T_s8 || t == T_s32;
    if (!strcmp(operand, "powers"))
        return t == T_u8 || t == T_s32;
    if (!strcmp(operand, "table"))
        return t == T_s8 || t == T_s16;
    if (sum)
        return t == T_s32;
    return type_info[t].bytes < 8 && t != T_u32;
}

static Type pick_type(const KernType *t)
{
    Type pick[NTYPE];
    int i, n = 0;

    for (i = 1; i < NTYPE; i++)
        if (t->types >> i & 1 && likely(t->operand, (Type)i))
            pick[n++] = (Type)i;
    if (!n && t->types >> T_s64 & 1)
        return T_s64;
    return n ? pick[rand() % n] : T_s32; /* `none`: absent, but it has one */
}

static Type same(const Inst *in, const KernSig *s, const char *operand)
{
    int i;

    for (i = 0; i < s->narg; i++)
        if (!strcmp(s->arg[i].operand, operand))
            return in->arg[i];
    die("=%s", operand);
}

static Inst choose(const Kern *k, int sig)
{
    const KernSig *s = &k->sig[sig];
    Inst in = {.name = k->name, .sig = sig};
    int i;

    for (i = 0; i < s->narg; i++) {
        in.arg[i] = s->arg[i].same ? same(&in, s, s->arg[i].same)
                                   : pick_type(&s->arg[i]);
        if (!strcmp(s->arg[i].operand, "shifts"))
            in.shifts = i;
    }
    if (k->round)
        in.round = k->round[rand() % ((int)strlen(k->round) / 2 + 1) * 2] - '0';
    in.upper = may_be_upper(&in, s) && rand() % 4;
    in.res = s->res[0].same ? same(&in, s, s->res[0].same)
                            : pick_type(&s->res[0]);
    return in;
}

static bool serves(const Kern *k, OpCode op)
{
    int i;

    for (i = 0; i < k->nop && k->op[i] != op; i++)
        ;
    return i < k->nop;
}

/* The reference kernel for the same operator and types. */
static const Kern *reference(const Kern *k, const Inst *in, int *sig)
{
    const KernSig *want = &k->sig[in->sig], *s;
    int i, j;

    for (i = 0; i < nkern; i++) {
        if (!str_starts(kerns[i]->path, "kern/ref/") ||
            !serves(kerns[i], k->op[0]))
            continue;
        for (*sig = 0; *sig < kerns[i]->nsig; ++*sig) {
            s = &kerns[i]->sig[*sig];
            if (in->shifts && s->narg != want->narg)
                continue;
            for (j = 0; j < want->narg; j++)
                if (want->arg[j].types && s->arg[j].types &&
                    !(s->arg[j].types >> in->arg[j] & 1))
                    break;
            if (j == want->narg && s->res[0].types >> in->res & 1)
                return kerns[i];
        }
    }
    die("no reference for %s", k->path);
}

/* --- the table --- */

static Str table, protos;
static int count;

static void put_row(const Inst *in, int narg, const char *fn, const char *ref)
{
    int i;

    str_fmt(&protos, "Fn %s, %s;\n", fn, ref);
    str_fmt(&table, "    {\"%s\", %d, {", in->name, in->sig);
    for (i = 0; i < narg; i++)
        str_fmt(&table, "T_%s, ", type_info[in->arg[i]].name);
    str_fmt(&table, "}, T_%s, %d, %d, %d, %d, %s, %s},\n",
            type_info[in->res].name, in->shifts, in->round, in->upper,
            in->small, fn, ref);
    count++;
}

static void instance(const Kern *k, int sig)
{
    Inst in = choose(k, sig);
    char *fn = arena_fmt(arena, "fast%d", nfile++), *ref, kinds[NARG + 2] = "";
    int rsig, i, narg = k->sig[sig].narg;
    const Kern *r = reference(k, &in, &rsig);

    in.small = small_sums(&in, &k->sig[sig]);
    emit_native(&in, k, fn);
    for (i = 0; i <= narg; i++)
        kinds[i] = (i < narg ? in.arg[i] : in.res) == T_f32 ? 'f' : 'i';
    ref = arena_fmt(arena, "%s_%s%s", r->name, kinds, in.round ? "_r" : "");
    if (!file_exists(arena_fmt(arena, "%s/%s.c", dir, ref)))
        emit_wide(&in, r, rsig, ref);
    put_row(&in, narg, fn, ref);
}

static bool named(const Kern *k, int argc, char **argv)
{
    int i;

    for (i = 0; i < argc; i++)
        if (str_starts(k->path, argv[i]))
            return true;
    return false;
}

/* Of a kernel's variants one is drawn, besides the default. */
static bool drawn(int i)
{
    static int left;
    int k;

    if (!kern_is_variant(kerns[i])) {
        for (k = i + 1; k < nkern && kern_is_variant(kerns[k]); k++)
            ;
        left = k > i + 1 ? rand() % (k - i - 1) : 0;
        return true;
    }
    return left-- == 0;
}

int main(int argc, char **argv)
{
    int i, j, each;
    Str all;

    if (argc < 5)
        err(ERR_USAGE, "kernemit DIR SEED INSTANCES KERNEL...");
    arena = arena_new();
    dir = argv[1];
    srand((unsigned)atoi(argv[2]));
    each = atoi(argv[3]);
    table.mem = protos.mem = arena;
    kerns = kern_load(arena, NULL, &nkern);
    for (i = 0; i < nkern; i++) {
        if (!named(kerns[i], argc - 4, argv + 4) || !drawn(i))
            continue;
        for (j = 0; j < kerns[i]->nsig * each; j++)
            instance(kerns[i], j % kerns[i]->nsig);
        if (!each)
            instance(kerns[i], rand() % kerns[i]->nsig);
    }
    all = (Str){.mem = arena};
    str_fmt(&all, "#include \"test/kern/kern.h\"\n\n%s\nconst Inst insts[] = {\n%s"
            "};\nconst int ninst = %d;\n", protos.s, table.s, count);
    file_write(arena_fmt(arena, "%s/insts.c", dir), all.s, all.n);
    arena_end(arena);
    return 0;
}
