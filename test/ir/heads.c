/* Kernel heads: every shipped one is read and its expressions hold numbers;
 * what is wrong with a head, and with an expression, is said. */
#include "ir/ir.h"
#include "test/lib/rng.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

static int passed, failed;
static jmp_buf refused;
static char said[2048];
static Rng r;

static void expect(bool ok, const char *what, const char *is)
{
    passed += ok;
    failed += !ok;
    if (!ok)
        printf("FAIL %s: %s\n", what, is);
}

static void refuse(const Trouble *t)
{
    snprintf(said, sizeof said, "%s", t->message);
    longjmp(refused, 1);
}

/* A head that is refused with a message that contains `why`. */
static void refused_for(Arena *a, const char *lines, const char *why)
{
    char *text = arena_fmt(a, "/* A title.\n *\n%s */\n", lines);

    strcpy(said, "it was taken");
    if (!setjmp(refused))
        kern_parse(a, "kern/x/k.c", text);
    expect(strstr(said, why), why, said);
}

#define BAD_LET " * op abs\n * types x:int -> y:int\n * let "

#define BAD_PARAM " * op abs\n * types x:int -> y:int\n * param "

static void bad_heads(Arena *a)
{
    refused_for(a, " * op abs\n", "no line `types`");
    refused_for(a, " * types x:int -> y:int\n", "no line `op`");
    refused_for(a, " * op frob\n", "unknown operator 'frob'");
    refused_for(a, " * op abs\n * types x:s7 -> y:int\n", "unknown type 's7'");
    refused_for(a, " * op abs\n * types x -> y:int\n", "operand:type");
    refused_for(a, " * op abs\n * types x:int\n", "'-> result:type'");
    refused_for(a, " * op abs\n * types x:int -> y:int\n * size 3\n",
                "unknown key 'size'");
    refused_for(a, " * op abs\n * types x:int -> y:int\n * inplace z\n",
                "no operand 'z'");
    refused_for(a, BAD_LET "7\n", "NAME = EXPRESSION");
    refused_for(a, BAD_LET "a-b = 7\n", "NAME = EXPRESSION");
    refused_for(a, BAD_LET "a = 7\n * let a = 8\n", "a second 'a'");
    refused_for(a, BAD_LET "ncore = 7\n", "'ncore' means something else");
    refused_for(a, BAD_LET "n = 7\n", "'n' means something else");
    refused_for(a, BAD_LET "a = 7\n * param a 1 2\n", "'a' is a `let` too");
    refused_for(a, BAD_PARAM "P 1 x\n", "'x' is no number");
    refused_for(a, BAD_PARAM "P\n", "NAME VALUE VALUE");
    refused_for(a, BAD_PARAM "P 1 2\n * param P 3\n", "a second 'P'");
    refused_for(a, BAD_PARAM "n 1 2\n", "'n' means something else");
    refused_for(a, BAD_PARAM "P 1 2 3 4 5 6 7 8 9\n", "more than 8 values");
    strcpy(said, "it was taken");
    if (!setjmp(refused))
        kern_check(kern_parse(a, "kern/x/k.c", "/* T.\n *\n" BAD_LET
                              "a = b\n * let b = 1\n */"));
    expect(strstr(said, "unknown name at 'b'"), "let before its meaning",
           said);
    strcpy(said, "it was taken");
    if (!setjmp(refused))
        kern_parse(a, "kern/x/k.c", "int x;");
    expect(strstr(said, "does not begin with a comment"), "no comment", said);
    strcpy(said, "it was taken");
    if (!setjmp(refused))
        kern_load(a, "/nonexistent", &(int){0});
    expect(strstr(said, "no kernel"), "empty folder", said);
}

static void good_head(Arena *a)
{
    Kern *k = kern_parse(a, "my-kernels/fast_add.c",
                         "/* Two lines of\n * title.\n *\n"
                         " * op       add sub\n"
                         " * types    x:s8|u8 y:=x mul:none add:none\n"
                         " *          -> z:int\n"
                         " * when     x.n % 4 == 0 &&\n"
                         " *          !has.mul\n"
                         " *\n * op nothing: this is prose\n */\n");

    expect(!strcmp(k->name, "fast_add_my_kernels"), "name", k->name);
    expect(!strcmp(k->about, "Two lines of"), "about", k->about);
    expect(k->nop == 2 && k->op[1] == OP_sub, "op", "");
    expect(k->nsig == 1 && k->sig[0].narg == 4 && k->sig[0].nres == 1,
           "types", "");
    expect(!strcmp(k->when, "x.n % 4 == 0 && !has.mul"), "when", k->when);
    expect(!k->cycles && !strcmp(k->inplace, ""), "absent keys", "");
}

/* Parameters are numbers of expressions, and names of variants. */
static void params(Arena *a)
{
    static const char text[] = "/* T.\n *\n * op abs\n"
        " * types x:f32 -> y:f32\n * param P 4 1 2\n * param Q 0 7\n"
        " * cycles 10 * P + Q\n */\n";
    static const struct {
        const char *name;
        int64_t cycles;
    } want[] = {{"k_my", 40}, {"k_my_P1", 10}, {"k_my_P2", 20},
                {"k_my_Q7", 47}, {"k_my_P1_Q7", 17}, {"k_my_P2_Q7", 27}};
    char *dir = arena_fmt(a, "%s/my", dir_temp(a));
    Graph *g = graph_parse(a, "p", "graph \"p\"\nx = input : f32[4]\n"
                           "y = abs x\noutput y\n");
    int n, i;
    Kern **k;
    Str out = {.mem = a};
    Dims d;

    dir_make(dir);
    file_write(arena_fmt(a, "%s/k.c", dir), text, strlen(text));
    k = kern_load(a, dir, &n) + n - (int)LEN(want);
    dims_fill(g->last, &d);
    for (i = 0; i < (int)LEN(want); i++) {
        expect(!strcmp(k[i]->name, want[i].name), want[i].name, k[i]->name);
        expect(kern_expr(k[i], k[i]->cycles, g->last, &d) == want[i].cycles,
               want[i].name, "cycles");
        expect(kern_is_variant(k[i]) == (i > 0) &&
                   !strcmp(k[i]->base, "k_my"), want[i].name, "variant");
    }
    kern_put_params(k[4], &out);
    expect(!strcmp(out.s, "#define P 1\n#define Q 7\n"), "macros", out.s);
}

static Graph *sample(Arena *a)
{
    return graph_parse(a, "sample",
                       "graph \"s\" exact\n"
                       "x = input : s8[1,4,8,8] range -3 7\n"
                       "w = input : s8[4,4,3,3]\n"
                       "b = input : s32[4]\n"
                       "c = conv x w b pad=1,1,1,1\n"
                       "u = input : u8[16]\n"
                       "s = input : s8[16]\n"
                       "d = add u u\n"
                       "e = add u s\n"
                       "f = input : f32[2,3]\n"
                       "g = softmax f\n");
}

static const struct {
    const char *text;
    int64_t value;
} sums[] = {
    {"1 + 2 * 3", 7}, {"(1 + 2) * 3", 9}, {"10 - 4 - 3", 3},
    {"7 / 2", 3}, {"-7 / 2", -3}, {"-7 % 4", -3}, {"1 << 4 | 3", 19},
    {"0x10", 16}, {"5 & 3 ^ 1", 0}, {"!0 + !5", 1}, {"~0", -1},
    {"1 < 2 == 1", 1}, {"2 <= 1 || 3 >= 3", 1}, {"1 != 1 && 1 / 0", 0},
    {"1 || 1 / 0", 1}, {"0 ? 1 / 0 : 4", 4}, {"1 ? 5 : 1 / 0", 5},
    {"min(3, 2) + max(3, 2)", 5}, {"1 > 2 ? 3 : 4 > 3 ? 5 : 6", 5},
    {"9223372036854775807 + 1", INT64_MAX}, {"1 << 62 << 1", INT64_MAX},
    {"-1 << 62 << 1", INT64_MIN}, {"4611686018427387904 * -4", INT64_MIN},
    {"kh * kw", 9}, {"oh + padv", 8}, {"c", 4}, {"x.n", 256}, {"x.lo", -3},
    {"x.hi", 7}, {"b.bytes", 4}, {"y.bytes", 8}, {"has.b", 1},
    {"has.mul", 0}, {"mul.n", 0}, {"fhi > 0", 1}, {"flo < 0", 1},
    {"min(kh, 1) == 1 ? sh : sw", 1}, {"ceil(7, 2) + ceil(8, 2)", 8},
    {"ceil(0, 3)", 0}, {"taps", 9}, {"window * 2", 72}, {"max(taps, window)", 36},
};

static const struct {
    const char *text, *why;
} wrong[] = {
    {"1 / 0", "division by zero"}, {"1 << 63", "a shift"},
    {"frob", "unknown name"}, {"x.frob", "lo, hi, n or bytes"},
    {"zz.n", "no operand 'zz'"}, {"has.zz", "no operand 'zz'"},
    {"1 +", "a value was wanted"}, {"(1", "missing"}, {"1 2", "not understood"},
    {"min(1)", "missing"}, {"1 ? 2", "missing"}, {"", "a value was wanted"},
    {"ceil(1, 0)", "division by zero"}, {"ceil(1)", "missing"},
    {"fit.call", "has no such number"},
};

/* --- random expressions, whose value is known as they are written --- */

__extension__ typedef __int128 Wide;

static Wide clamped(Wide v)
{
    return v > INT64_MAX ? INT64_MAX : v < INT64_MIN ? INT64_MIN : v;
}

static Wide draw(Str *s, int deep);

static Wide draw_leaf(Str *s)
{
    static const char *const name[] = {"kh", "c", "x.n", "x.lo", "has.mul"};
    static const int64_t worth[] = {3, 4, 256, -3, 0};
    uint32_t i = (uint32_t)pick(&r, 8);
    int64_t v = pick(&r, 100);

    if (i == 7)
        v = INT64_MAX - v;
    if (i < LEN(name))
        str_put(s, name[i]);
    else
        str_fmt(s, "%lld", (long long)v);
    return i < LEN(name) ? worth[i] : v;
}

/* In brackets on either side, so that precedence is not at stake. */
static Wide draw_pair(Str *s, int deep)
{
    static const char *const op[] = {"+", "-", "*", "/", "%", "<", ">=", "==",
                                     "&&", "||", "&", "|", "^", "!="};
    uint32_t i = (uint32_t)pick(&r, LEN(op));
    Wide a, b;
    size_t from;

    str_put(s, "(");
    a = draw(s, deep);
    str_fmt(s, ") %s ", op[i]);
    from = s->n;
    str_put(s, "(");
    b = draw(s, deep);
    if ((i == 3 || i == 4) && !b) {
        s->n = from;
        str_put(s, "(7");
        b = 7;
    }
    str_put(s, ")");
    switch (i) {
    case 0: return clamped(a + b);
    case 1: return clamped(a - b);
    case 2: return clamped(a * b);
    case 3: return clamped(a / b);
    case 4: return a % b;
    case 5: return a < b;
    case 6: return a >= b;
    case 7: return a == b;
    case 8: return a && b;
    case 9: return a || b;
    case 10: return a & b;
    case 11: return a | b;
    case 12: return a ^ b;
    default: return a != b;
    }
}

/* What is not taken would not work. */
static Wide draw_choice(Str *s, int deep)
{
    bool yes = pick(&r, 2);
    Wide v;

    str_fmt(s, "%d ? ", yes);
    if (!yes)
        str_put(s, "1 / 0 : ");
    v = draw(s, deep);
    if (yes)
        str_put(s, " : n + 1 << 99");
    return v;
}

static Wide draw(Str *s, int deep)
{
    Wide a, b;
    bool least;

    if (!deep)
        return draw_leaf(s);
    switch (pick(&r, 6)) {
    case 0:
        str_put(s, "-(");
        a = clamped(-draw(s, deep - 1));
        str_put(s, ")");
        return a;
    case 1:
        least = pick(&r, 2);
        str_put(s, least ? "min(" : "max(");
        a = draw(s, deep - 1);
        str_put(s, ", ");
        b = draw(s, deep - 1);
        str_put(s, ")");
        return least == (a < b) ? a : b;
    case 2:
        return draw_choice(s, deep - 1);
    default:
        return draw_pair(s, deep - 1);
    }
}

static void random_expression(Arena *a, const Kern *k, const Node *n,
                              const Dims *d, int deep)
{
    Str *s = NEW(a, Str);
    Wide v;

    s->mem = a;
    v = draw(s, deep);
    if (!setjmp(refused))
        expect(kern_expr(k, s->s, n, d) == v, "random", s->s);
    else
        expect(false, s->s, said);
}

static void expressions(Arena *a, Graph *g)
{
    Kern *k = kern_parse(a, "kern/x/conv.c",
                         "/* T.\n *\n * op conv\n * types x:int w:int b:int "
                         "mul:int add:int -> y:int\n * let taps = kh * kw\n"
                         " * let window = taps *\n *     c\n */\n");
    const Node *n = g->first;
    Dims d;
    size_t i;
    char *deep = arena_get(a, 400, 1);

    dims_fill(n, &d);
    expect(kern_expr(k, "ncore", n, &d) == 1, "ncore", "of nobody's cores");
    k->ncore = 8;
    expect(kern_expr(k, "ncore * 2", n, &d) == 16, "ncore", "of 8 cores");
    for (i = 0; i < LEN(sums); i++) {
        int64_t v = kern_expr(k, sums[i].text, n, &d);

        expect(v == sums[i].value, sums[i].text,
               arena_fmt(a, "%lld", (long long)v));
    }
    for (i = 0; i < LEN(wrong); i++) {
        strcpy(said, "it was taken");
        if (!setjmp(refused))
            kern_expr(k, wrong[i].text, n, &d);
        expect(strstr(said, wrong[i].why), wrong[i].text, said);
    }
    memset(deep, '(', 399);
    if (!setjmp(refused))
        kern_expr(k, deep, n, &d);
    expect(strstr(said, "too deep"), "deep", said);
    for (i = 0; i < 2000; i++)
        random_expression(a, k, n, &d, (int)i % 6);
}

static void arrays(Arena *a, Graph *g)
{
    Kern *k = kern_parse(a, "kern/x/add.c",
                         "/* T.\n *\n * op add\n"
                         " * types x:u8 y:=x mul:none add:none -> z:int\n"
                         " */\n");
    const Node *d = g->first->next, *e = d->next;
    Dims dims;

    dims_fill(d, &dims);
    expect(kern_takes(k, d) == &k->sig[0], "u8 and u8", "not taken");
    expect(!kern_takes(k, e), "u8 and s8", "taken");
    expect(!kern_takes(k, g->first), "a conv", "taken");
    expect(kern_expr(k, "n[5] + n[0]", d, &dims) == 17, "n[5]", "");
    if (!setjmp(refused))
        kern_expr(k, "n[6]", d, &dims);
    expect(strstr(said, "out of range"), "n[6]", said);
}

/* On the way to a result: parts of a sum count, so do zeros, biases alone, and
 * products without their addend. */
static const struct {
    const char *node, *text;
    int64_t value;
} ways[] = {
    {"raw", "acc.hi", 30}, {"raw", "acc.lo", -70}, {"raw", "scaled.hi", 30},
    {"end", "acc.hi", 130}, {"end", "acc.lo", -77}, {"end", "scaled.hi", 1130},
    {"end", "scaled.lo", -154}, {"pad", "acc.hi", 35}, {"pad", "acc.lo", -70},
    {"mm", "acc.hi", 21}, {"mm", "acc.lo", -10}, {"mm", "scaled.hi", 21},
    {"less", "acc.hi", -5}, {"less", "acc.lo", -10}, {"less", "scaled.hi", 80},
    {"less", "scaled.lo", -10}, {"up", "acc.hi", 20}, {"up", "acc.lo", 6},
    {"wide", "scaled.hi", INT64_MAX}, {"wide", "y.hi", 195312},
};

static void on_the_way(Arena *a)
{
    Graph *g = graph_parse(a, "ways",
                           "graph \"w\" exact\n"
                           "x = input : s8[1,2,1,1] range 3 10\n"
                           "w = const : s8[2,2,1,1] {1,2,-3,-4}\n"
                           "b = const : s32[2] {100,-7}\n"
                           "m = const : s32[2] {1,2}\n"
                           "a = const : s32[2] {1000,0}\n"
                           "raw = conv x w\n"
                           "end = conv x w b m a\n"
                           "pad = conv x w pad=0,1,0,1 padvalue=-5\n"
                           "v = input : s8[1,2] range 0 7\n"
                           "c = const : s8[2,2] {1,-1,2,0}\n"
                           "bias = const : s32[2] {0,-3}\n"
                           "mm = matmul v c bias\n"
                           "u = input : s8[1,1] range -10 -5\n"
                           "minus = const : s32[] {-8}\n"
                           "none = const : s32[] {0}\n"
                           "less = requant u minus none\n"
                           "up = add x x\n"
                           "l = input : s8[1,2] range 100 101\n"
                           "far = const : s32[2,1] {2147483647,-2147483647}\n"
                           "by = const : s32[1] {100000000}\n"
                           "zero = const : s32[1] {0}\n"
                           "wide = matmul l far zero by zero shift=40\n");
    Kern *k = kern_parse(a, "kern/x/any.c", "/* T.\n *\n * op conv\n"
                         " * types x:int w:int b:int mul:int add:int -> y:int"
                         "\n */\n");
    size_t i;

    for (i = 0; i < LEN(ways); i++) {
        const Node *n = graph_find(g, ways[i].node)->def;
        Dims d;
        int64_t v;

        dims_fill(n, &d);
        v = kern_expr(k, ways[i].text, n, &d);
        expect(v == ways[i].value,
               arena_fmt(a, "%s of %s", ways[i].text, ways[i].node),
               arena_fmt(a, "%lld", (long long)v));
    }
}

/* Rows of kern/fit.tsv are those that heads name. */
static void fitted(Arena *a, Kern **k, int n)
{
    const char *at = strchr(packed_find("kern/fit.tsv")->data, '\n') + 1;
    int i;

    for (; *at; at = strchr(at, '\n') + 1) {
        char *kernel = arena_fmt(a, "%.*s", (int)strcspn(at, "\t"), at);
        const char *row = at + strlen(kernel) + 1;
        char *name = arena_fmt(a, "fit.%.*s", (int)strcspn(row, "\t"), row);

        for (i = 0; i < n && strcmp(k[i]->name, kernel); i++)
            ;
        expect(i < n && strstr(k[i]->text, name), kernel, name);
    }
}

/* What every shipped kernel says can be read, and of a node it takes be worked
 * out. */
static void shipped(Arena *a, Graph *g)
{
    int n, i;
    Kern **k = kern_load(a, NULL, &n);
    const Node *node;
    Dims d;

    fitted(a, k, n);
    for (i = 0; i < n; i++)
        kern_check(k[i]);
    for (node = g->first; node; node = node->next) {
        int takers = 0;

        dims_fill(node, &d);
        for (i = 0; i < n; i++) {
            if (!kern_takes(k[i], node))
                continue;
            takers += str_starts(k[i]->path, "kern/ref/");
            kern_expr(k[i], k[i]->when, node, &d);
            kern_expr(k[i], k[i]->scratch, node, &d);
            expect(kern_expr(k[i], k[i]->stack, node, &d) > 0, k[i]->name,
                   "no stack");
            kern_expr(k[i], k[i]->cycles, node, &d);
        }
        expect(takers == 1, node->name, "plain kernels that take it");
    }
}

int main(int argc, char **argv)
{
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
    Arena *a = arena_new();
    Graph *g = sample(a);

    r.s = seed;
    err_hook = refuse;
    bad_heads(a);
    good_head(a);
    if (!setjmp(refused))
        params(a);
    else
        expect(false, "parameters", said);
    expressions(a, g);
    arrays(a, g);
    on_the_way(a);
    if (!setjmp(refused))
        shipped(a, g);
    else
        expect(false, "shipped heads", said);
    printf("%d of %d statements about heads hold, seed %llu\n", passed,
           passed + failed, (unsigned long long)seed);
    return failed != 0;
}
