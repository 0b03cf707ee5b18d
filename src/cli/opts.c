/* The common options. */
#include "cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int64_t read_bytes(const char *option, const char *s)
{
    char *end;
    long long v, unit;

    errno = 0;
    v = strtoll(s, &end, 0);
    unit = *end == 'K' ? 1 << 10 : *end == 'M' ? 1 << 20 : 1;
    if (errno || end == s || end[unit > 1] || v < 0 ||
        v > INT64_MAX / 2 / unit)
        err(ERR_USAGE, "%s: %s, wanted a number of bytes (512, 64K, 2M)",
            option, s);
    return v * unit;
}

/* NAME=VALUE: the value; *name is what stands before it. */
static const char *split(Opts *o, const char *option, const char *s,
                         const char **name)
{
    const char *eq = strchr(s, '=');

    if (!eq || eq == s || !eq[1])
        err(ERR_USAGE, "%s: %s, wanted NAME=VALUE", option, s);
    *name = arena_fmt(o->mem, "%.*s", (int)(eq - s), s);
    return eq + 1;
}

static void limit_mem(Opts *o, const char *option, const char *name,
                      const char *size)
{
    if (o->nmem == (int)LEN(o->mem_name))
        err(ERR_USAGE, "%s: more than %zu times", option, LEN(o->mem_name));
    o->mem_name[o->nmem] = name;
    o->mem_size[o->nmem++] = read_bytes(option, size);
}

static void add_mem(Opts *o, const char *s)
{
    const char *name;

    s = split(o, "--mem", s, &name);
    limit_mem(o, "--mem", name, s);
}

static void add_l1(Opts *o, const char *s)
{
    limit_mem(o, "--l1", "L1", s);
}

static void add_l2(Opts *o, const char *s)
{
    limit_mem(o, "--l2", "L2", s);
}

static void add_dim(Opts *o, const char *s)
{
    FrontOpts *f = &o->front;
    const char *size, *dots;
    int64_t v;

    if (f->ndim == (int)LEN(f->dim_name))
        err(ERR_USAGE, "--dim: more than %zu times", LEN(f->dim_name));
    size = split(o, "--dim", s, &f->dim_name[f->ndim]);
    dots = strstr(size, "..");
    if (dots) {
        f->dim_varies[f->ndim] = true;
        f->dim_least[f->ndim] = read_bytes("--dim", arena_fmt(
            o->mem, "%.*s", (int)(dots - size), size));
        size = dots + 2;
    }
    v = read_bytes("--dim", size);
    if (v < 1)
        err(ERR_USAGE, "--dim: %s, wanted a size of at least 1", s);
    if (f->dim_least[f->ndim] > v)
        err(ERR_USAGE, "--dim: %s, wanted NAME=LEAST..MOST", s);
    if (f->dim_least[f->ndim] == v)
        f->dim_varies[f->ndim] = false;
    f->dim_size[f->ndim++] = v;
}

static void set_context(Opts *o, const char *s)
{
    o->front.context = read_bytes("--context", s);
    if (o->front.context < 1)
        err(ERR_USAGE, "--context: %s, wanted at least 1", s);
}

static void set_chunk(Opts *o, const char *s)
{
    o->front.chunk = read_bytes("--chunk", s);
    if (o->front.chunk < 1)
        err(ERR_USAGE, "--chunk: %s, wanted at least 1", s);
}

/* A number from lo to hi. */
static double read_num(const char *option, const char *s, double lo, double hi)
{
    char *end;
    double v = strtod(s, &end);

    if (end == s || *end || !(v >= lo && v <= hi))
        err(ERR_USAGE, "%s: %s, wanted a number from %g to %g", option, s, lo,
            hi);
    return v;
}

static void set_tokens(Opts *o, const char *s)
{
    o->talk.tokens = (int)read_num("--tokens", s, 0, 1 << 20);
}

static void set_temperature(Opts *o, const char *s)
{
    o->talk.temperature = read_num("--temperature", s, 0, 100);
}

static void set_top_p(Opts *o, const char *s)
{
    o->talk.top_p = read_num("--top-p", s, 0, 1);
}

static void set_top_k(Opts *o, const char *s)
{
    o->talk.top_k = (int)read_num("--top-k", s, 1, 1 << 20);
}

static void set_penalty(Opts *o, const char *s)
{
    o->talk.penalty = read_num("--penalty", s, 1, 100);
}

static void set_seed(Opts *o, const char *s)
{
    char *end;

    o->talk.seed = strtoull(s, &end, 0);
    if (end == s || *end || *s == '-' || !o->talk.seed)
        err(ERR_USAGE, "--seed: %s, wanted a number from 1", s);
}

static int64_t read_whole(const char *s, const char *what, char **end)
{
    int64_t v = strtoll(s, end, 10);

    if (*end == s || v < -INT32_MAX || v > INT32_MAX)
        err(ERR_USAGE, "--at: %s, wanted NAME=VALUE or NAME=VALUE+BY", what);
    return v;
}

static void add_at(Opts *o, const char *s)
{
    const char *rest;
    char *end;

    if (o->nat == (int)LEN(o->at_name))
        err(ERR_USAGE, "--at: more than %zu times", LEN(o->at_name));
    rest = split(o, "--at", s, &o->at_name[o->nat]);
    o->at_value[o->nat] = read_whole(rest, s, &end);
    if (*end == '+' || *end == '-')
        o->at_by[o->nat] = read_whole(end, s, &end);
    if (*end)
        err(ERR_USAGE, "--at: %s, wanted NAME=VALUE or NAME=VALUE+BY", s);
    o->nat++;
}

static void add_channels(Opts *o, const char *s)
{
    int i = o->nchannel++;

    if (i == (int)LEN(o->channel_of))
        err(ERR_USAGE, "--channels: more than %zu times",
            LEN(o->channel_of));
    s = split(o, "--channels", s, &o->channel_of[i]);
    o->channel[i] = (int64_t)read_num("--channels", s, 1, 1 << 20);
}

static void add_state(Opts *o, const char *s)
{
    FrontOpts *f = &o->front;

    if (f->nstate == (int)LEN(f->state_in))
        err(ERR_USAGE, "--state: more than %zu times", LEN(f->state_in));
    f->state_out[f->nstate] = split(o, "--state", s, &f->state_in[f->nstate]);
    f->nstate++;
}

static void add_given(Opts *o, const char *s)
{
    FrontOpts *f = &o->front;

    if (f->ngiven == (int)LEN(f->given_in))
        err(ERR_USAGE, "--given: more than %zu times", LEN(f->given_in));
    f->given_as[f->ngiven] = split(o, "--given", s, &f->given_in[f->ngiven]);
    f->ngiven++;
}

static void add_type(Opts *o, const char *s)
{
    FrontOpts *f = &o->front;
    const char *name = NULL, *word = s;
    int t;

    if (strchr(s, '='))
        word = split(o, "--input-type", s, &name);
    if (f->ntype == (int)LEN(f->type))
        err(ERR_USAGE, "--input-type: more than %zu times", LEN(f->type));
    for (t = T_none + 1; t < NTYPE && strcmp(type_info[t].name, word); t++)
        ;
    if (t == NTYPE)
        err(ERR_USAGE, "--input-type: %s, wanted f32 s8 u8 s16 s32", word);
    f->type_name[f->ntype] = name;
    f->type[f->ntype++] = (Type)t;
}

static void set_tolerance(Opts *o, const char *s)
{
    char *end;

    o->tolerance = strtod(s, &end);
    if (end == s || *end || !(o->tolerance >= 0))
        err(ERR_USAGE, "--tolerance: %s, wanted a number from 0", s);
}

static void set_budget(Opts *o, const char *s)
{
    char *end;

    o->budget = strtod(s, &end);
    if (end == s || *end || !(o->budget > 0 && o->budget <= 1e6))
        err(ERR_USAGE, "--budget: %s, wanted a number of seconds", s);
}

static void set_cores(Opts *o, const char *s)
{
    char *end;
    long n = strtol(s, &end, 10);

    if (end == s || *end || n < 1 || n > 1024)
        err(ERR_USAGE, "--cores: %s, wanted a number from 1", s);
    o->cores = (int)n;
}

static void set_mhz(Opts *o, const char *s)
{
    char *end;
    double v = strtod(s, &end);

    if (end == s || *end || !(v >= 1 && v <= 10000))
        err(ERR_USAGE, "--mhz: %s, wanted a number from 1 to 10000", s);
    o->mhz = v;
}

static void set_battery(Opts *o, const char *s)
{
    char *end;
    int i;

    for (i = 0; i < 2; i++) {
        o->battery[i] = strtod(s, &end);
        if (end == s || !(o->battery[i] > 0 && o->battery[i] < 1e12))
            break;
        if (!*end)
            return;
        if (*end != ',')
            break;
        s = end + 1;
    }
    err(ERR_USAGE, "--battery: wanted MWH or MWH,SECONDS, numbers above 0");
}

static void set_images(Opts *o, const char *s)
{
    o->images = !strcmp(s, "rows") ? IMAGES_rows : IMAGES_channels;
    if (o->images != IMAGES_rows && strcmp(s, "channels"))
        err(ERR_USAGE, "--images: %s, wanted rows or channels", s);
}

static void set_inner(Opts *o, const char *s)
{
    o->inner = !strcmp(s, "sums") ? INNER_sums : INNER_gather;
    if (o->inner != INNER_sums && strcmp(s, "gather"))
        err(ERR_USAGE, "--inner: %s, wanted sums or gather", s);
}

static void set_chips(Opts *o, const char *s)
{
    char *end;
    long n = strtol(s, &end, 10);

    if (end == s || *end || n < 1 || n > 64)
        err(ERR_USAGE, "--chips: %s, wanted a number from 1 to 64", s);
    o->chips = (int)n;
}

static void set_objective(Opts *o, const char *s)
{
    int i;

    for (i = 0; i < NAIM && strcmp(s, objective_name[i]); i++)
        ;
    if (i == NAIM)
        err(ERR_USAGE, "--objective: %s, wanted time, memory, energy or "
            "flash", s);
    o->objective = (Objective)i;
}

/* What graphs are printed after. */
static void set_print(Opts *o, const char *s)
{
    int i;

    for (i = 0; i < npass && strcmp(passes[i].name, s); i++)
        ;
    if (i == npass && strcmp(s, "front") && strcmp(s, "quant"))
        err(ERR_USAGE, "-d %s: no such pass, nor front or quant", s);
    o->print = s;
}

static void be_quiet(Opts *o, const char *s)
{
    (void)o, (void)s;
    quiet = true;
}

static void set_bin(Opts *o, const char *s)
{
    (void)s;
    o->weights = WEIGHTS_bin;
}

static void set_no_bin(Opts *o, const char *s)
{
    (void)s;
    o->weights = WEIGHTS_c;
}

/* --no-PASS */
static void switch_off(Opts *o, const char *s)
{
    int i;

    for (i = 0; i < npass && strcmp(passes[i].name, s + 5); i++)
        ;
    if (i == npass || !passes[i].keeps)
        err(ERR_USAGE, "%s: no pass %s that can be switched off; "
            "`tilewright help compile` lists them", s, s + 5);
    o->off[o->noff++] = s + 5;
    if (o->noff == (int)LEN(o->off))
        err(ERR_USAGE, "%s: too many", s);
}

/* ---- the table ---- */

static void set_ranges(Opts *o, const char *s)
{
    int i;

    for (i = 0; i < NRANGEBY; i++)
        if (!strcmp(s, range_by_name[i])) {
            o->ranges = (RangeBy)i;
            return;
        }
    err(ERR_USAGE, "--ranges: %s, wanted mse, minmax, percentile or "
        "kl", s);
}

static void set_weights(Opts *o, const char *s)
{
    o->lm.bits = !strcmp(s, "int8") ? 8 : !strcmp(s, "int4") ? 4 : 0;
    if (!o->lm.bits)
        err(ERR_USAGE, "--weights: %s, wanted int8 or int4", s);
}

static void set_group(Opts *o, const char *s)
{
    o->lm.group = (int)read_num("--group", s, 1, 1 << 20);
}

static void set_activations(Opts *o, const char *s)
{
    o->lm.floats = !strcmp(s, "float");
    o->lm.dynamic = !strcmp(s, "int8");
    o->lm.fixed = o->front.floats = !strcmp(s, "static");
    o->wide = !strcmp(s, "int16");
    if (!o->lm.floats && !o->lm.dynamic && !o->lm.fixed && !o->wide)
        err(ERR_USAGE, "--activations: %s, wanted float, int8, static or int16",
            s);
}

static void set_max_drop(Opts *o, const char *s)
{
    o->max_drop = read_num("--max-drop", s, 0, 100);
}

static void set_bytes(Opts *o, const char *s)
{
    o->bytes = read_bytes("--bytes", s);
}

static void set_rounding(Opts *o, const char *s)
{
    o->nearest = !strcmp(s, "nearest");
    if (!o->nearest && strcmp(s, "learned"))
        err(ERR_USAGE, "--rounding: %s, wanted learned or nearest", s);
}

static void set_jobs(Opts *o, const char *s)
{
    o->jobs = (int)read_num("-j", s, 1, 256);
}

static void set_part(Opts *o, const char *s)
{
    o->part = (int)read_num("--part", s, 1, 256);
}

static void set_samples(Opts *o, const char *s)
{
    o->samples = (int)read_num("--samples", s, 1, 1 << 20);
}

typedef struct Option {
    const char *name, *arg; /* arg: NULL for none */
    void (*take)(Opts *o, const char *arg); /* NULL: it is kept */
    size_t at;              /* in Opts */
    const char *about;
} Option;

static const Option options[] = {
#define FLAG(name, member, about) \
    {name, NULL, NULL, offsetof(Opts, member), about},
#define WORD(name, arg, member, about) \
    {name, arg, NULL, offsetof(Opts, member), about},
#define TAKE(name, arg, take, about) {name, arg, take, 0, about},
#include "cli/option.def"
};

static const Option *find_option(const char *s)
{
    size_t i;

    for (i = 0; i < LEN(options); i++)
        if (!strcmp(options[i].name, s))
            return &options[i];
    return NULL;
}

static void take_option(Opts *o, const Option *p, const char *arg)
{
    char *at = (char *)o + p->at;

    if (p->take)
        p->take(o, arg);
    else if (p->arg)
        *(const char **)(void *)at = arg;
    else
        *(bool *)at = true;
}

void opts_help(FILE *f)
{
    size_t i, n;

    for (i = 0; i < LEN(options); i++) {
        const char *s = options[i].about;

        n = (size_t)fprintf(f, "  %s%s%s", options[i].name,
                            options[i].arg ? " " : "",
                            options[i].arg ? options[i].arg : "");
        if (n >= 24) {
            fputc('\n', f);
            n = 0;
        }
        for (; *s; s += strcspn(s, "\n"), s += *s == '\n', n = 0)
            fprintf(f, "%*s%.*s\n", (int)MAX(24 - (int)n, 1), "",
                    (int)strcspn(s, "\n"), s);
    }
    fputs("  --no-PASS             switch a pass off\n", f);
}

void opts_read(Arena *a, Opts *o, const char *verb, int argc, char **argv)
{
    int i;

    *o = (Opts){.mem = a, .tolerance = 1e-4, .max_drop = -1,
                .talk = {.tokens = 256, .seed = 1, .prompt = ""},
                .json = json_option(argc, argv)};
    for (i = 0; i < argc; i++) {
        const char *s = argv[i];
        const Option *p = find_option(s);

        if (*s != '-' || !s[1]) {
            if (o->model)
                err(ERR_USAGE, "%s: a second model %s after %s", verb, s,
                    o->model);
            o->model = s;
        } else if (p && p->arg && i + 1 == argc) {
            err(ERR_USAGE, "%s: %s wants a value; see `tilewright help %s`",
                verb, s, verb);
        } else if (p) {
            take_option(o, p, p->arg ? argv[++i] : NULL);
        } else if (str_starts(s, "--no-")) {
            switch_off(o, s);
        } else {
            err(ERR_USAGE, "%s: unknown option %s; see `tilewright help %s`",
                verb, s, verb);
        }
    }
}
