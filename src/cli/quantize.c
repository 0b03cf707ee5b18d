/* quantize: a float network and examples of its inputs become a network of
 * integers, in the text form, which every other verb reads. */
#include "cli/cli.h"

#include <math.h>
#include <string.h>

typedef struct Quantize {
    Opts o;
    Graph *g, *q;
    Samples s;
    PtqReport r;
} Quantize;

static void put_text(Json *j, const char *key, const char *s)
{
    json_key(j, key);
    json_str(j, s);
}

static void put_num(Json *j, const char *key, double v)
{
    json_key(j, key);
    json_num(j, v);
}

static void put_int(Json *j, const char *key, int64_t v)
{
    json_key(j, key);
    json_int(j, v);
}

static void put_layers(Json *j, const PtqReport *r)
{
    int i;

    json_key(j, "layers");
    json_arr(j);
    for (i = 0; i < r->nlayer; i++) {
        const PtqLayer *l = &r->layer[i];

        json_obj(j);
        put_text(j, "name", l->name);
        put_text(j, "op", l->op);
        put_text(j, "type", type_info[l->type].name);
        put_num(j, "scale", l->scale);
        put_int(j, "zero", l->zero);
        put_num(j, "lo", l->lo);
        put_num(j, "hi", l->hi);
        put_num(j, "clipped", l->clipped);
        put_num(j, "sqnr_db", l->sqnr);
        json_end(j);
    }
    json_end(j);
}

static void put_outputs(Json *j, const PtqReport *r)
{
    int i;

    json_key(j, "outputs");
    json_arr(j);
    for (i = 0; i < r->nout; i++) {
        const PtqOutput *o = &r->out[i];

        json_obj(j);
        put_text(j, "name", o->name);
        put_num(j, "sqnr_db", o->sqnr);
        put_num(j, "cosine", o->cosine);
        put_num(j, "max_abs_diff", o->max_abs);
        put_num(j, "agree", o->agree);
        json_end(j);
    }
    json_end(j);
}

static int write_json(int status, void *arg)
{
    const Quantize *z = arg;
    const PtqReport *r = &z->r;
    Str out = {.mem = z->o.mem};
    Json *j;

    if (!z->o.json)
        return status;
    j = json_new(&out);
    json_obj(j);
    json_trouble(j, status);
    put_text(j, "verb", "quantize");
    put_text(j, "model", z->o.model);
    put_text(j, "written", z->o.out);
    put_int(j, "samples", r->nsample);
    put_outputs(j, r);
    put_num(j, "accuracy_float", r->right_float);
    put_num(j, "accuracy", r->right_int);
    put_int(j, "weights_float", r->bytes_float);
    put_int(j, "weights", r->bytes_int);
    put_int(j, "float_operators", r->nfloat);
    put_layers(j, r);
    json_end(j);
    return json_save(z->o.json, &out, status);
}

static void show_layer(const PtqLayer *l, Str *out)
{
    str_fmt(out, "%-28.28s %-18.18s %-4s %10.4g %10.4g %7.3f", l->name, l->op,
            type_info[l->type].name, l->lo, l->hi, 100 * l->clipped);
    if (!isnan(l->sqnr))
        str_fmt(out, " %8.1f", l->sqnr);
    str_put(out, "\n");
}

static void show_totals(const PtqReport *r, Str *out)
{
    int i;

    for (i = 0; i < r->nout; i++)
        str_fmt(out, "output '%s': SQNR %.1f dB, cosine %.6f, greatest "
                "difference %.4g, same greatest element in %.1f %%\n",
                r->out[i].name, r->out[i].sqnr, r->out[i].cosine,
                r->out[i].max_abs, 100 * r->out[i].agree);
    if (!isnan(r->right_int))
        str_fmt(out, "accuracy      %.2f %% float, %.2f %% integer\n",
                100 * r->right_float, 100 * r->right_int);
    str_fmt(out, "examples      %d\nconstants     %lld bytes, were %lld\n",
            r->nsample, (long long)r->bytes_int, (long long)r->bytes_float);
    if (r->nfloat)
        str_fmt(out, "float         %d operators stay float:", r->nfloat);
    for (i = 0; i < MIN(r->nfloat, (int)LEN(r->left)); i++)
        str_fmt(out, "%s %s", i ? "," : "", r->left[i]);
    str_put(out, r->nfloat > (int)LEN(r->left) ? ", ...\n"
            : r->nfloat ? "\n" : "");
}

static void show(const Quantize *z)
{
    const PtqReport *r = &z->r;
    Str out = {.mem = z->o.mem}, safe = {.mem = z->o.mem};
    int i;

    progress_end();
    if (quiet || (z->o.json && !strcmp(z->o.json, "-")))
        return;
    str_fmt(&out, "%-28s %-18s %-4s %10s %10s %7s %8s\n", "value", "of",
            "type", "least", "greatest", "cut %", "SQNR dB");
    for (i = 0; i < r->nlayer; i++)
        show_layer(&r->layer[i], &out);
    str_put(&out, "\n");
    show_totals(r, &out);
    str_safe(&safe, out.s, "\n");
    fputs(safe.s, stdout);
}

static void check_options(const Quantize *z)
{
    const Opts *o = &z->o;

    if (!o->model)
        err(ERR_USAGE, "quantize: no model given; see `tilewright help "
            "quantize`");
    if (!o->data)
        err(ERR_USAGE, "quantize: wants --data PATH, examples of the inputs");
    if (!o->out)
        err(ERR_USAGE, "quantize: wants -o OUT.il, where the integer network "
            "goes");
    if (file_exists(o->out) && !o->force)
        err(ERR_USAGE, "%s is there; -f overwrites it", o->out);
    file_check_output(o->json);
    file_check_output(o->out);
}

/* Constants folded, factors in weights: as far as passes go on floats without
 * leaving the front form. */
static void simplify(Graph *g)
{
    static const char *const pass[] = {"fold", "identity", "cse", "affine",
                                       "identity"};
    size_t i;

    for (i = 0; i < LEN(pass); i++)
        pass_one(g, pass[i]);
}

static void check_graph(const Quantize *z)
{
    const Node *n;
    bool floats = false;

    for (n = z->g->first; n; n = n->next) {
        floats |= n->res[0]->type == T_f32;
        if (n->op == OP_quantize)
            break;
    }
    if (n || !floats)
        err(ERR_MODEL, "the network is quantized already: compile it as it "
            "is");
}

int verb_quantize(int argc, char **argv)
{
    Arena *mem = arena_new();
    Quantize *z = NEW(mem, Quantize);
    Str text = {.mem = mem};
    PtqOpts o;

    z->r.right_float = z->r.right_int = NAN;
    end_with(write_json, z);
    opts_read(mem, &z->o, "quantize", argc, argv);
    check_options(z);
    err_file(z->o.model);
    z->g = front_read(mem, z->o.model, &z->o.front);
    simplify(z->g);
    check_graph(z);
    ptq_data(mem, z->g, z->o.data, z->o.labels, &z->s);
    if (z->o.samples)
        z->s.n = MIN(z->s.n, z->o.samples);
    o = (PtqOpts){.by = z->o.ranges};
    z->q = ptq_quantize(mem, z->g, &z->s, &o, &z->r);
    graph_print(z->q, &text);
    file_write(z->o.out, text.s, text.n);
    show(z);
    return OK;
}
