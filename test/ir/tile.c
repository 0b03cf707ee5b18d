/* tile SEED RUNS: nodes cut into tiles (ir/tile.c), at random.
 *
 * For every plain kernel whose family may be cut, nodes are drawn, cut at
 * random along their axes, and every tile is run by itself, told what
 * tile_dims says: of packed pieces in memory of just their size; or of pieces
 * in place, in a copy of the value where all the rest is junk.  The tiles must
 * make every element of the result once, the same bits as the node as a whole,
 * and touch nothing else. */
#include "test/kern/kern.h"

#include <stdlib.h>
#include <string.h>

typedef struct Case {
    const Kern *k;
    const EvalRow *row;
    const Node *n;
    Node seen;                             /* n, or a concat's copy of one */
    int part;                              /* argument of n */
    const char *text;
    unsigned char *arg[NARG], *want, *got; /* wide, of the whole node */
    int *times;                            /* each element was made */
} Case;

static int ntile, nrun, nrefused, nplace, failed;

static int wide_of(const Val *v)
{
    return v->type == T_f32 ? 4 : 8;
}

/* Bytes of the native value as bytes of the wide one. */
static int64_t widened(const Val *v, int64_t bytes)
{
    return bytes / type_info[v->type].bytes * wide_of(v);
}

static bool fail(const Case *c, const char *why)
{
    printf("%s: %s\n%s", c->k->path, why, c->text);
    failed++;
    return false;
}

/* --- nodes --- */

static bool likely(const char *operand, Type t)
{
    if (!strcmp(operand, "i"))
        return t == T_s8 || t == T_s32 || t == T_s64;
    if (t == T_f32 || t == T_b8)
        return true;
    if (!strcmp(operand, "add"))
        return t == T_s32 || t == T_s64;
    if (strlen(operand) > 2) /* bias, mul */
        return t == T_s32;
    return type_info[t].bytes < 8 && t != T_u32;
}

static Type pick_type(const KernType *t)
{
    Type list[NTYPE];
    int i, n = 0;

    for (i = 1; i < NTYPE; i++)
        if (t->types >> i & 1 && likely(t->operand, (Type)i))
            list[n++] = (Type)i;
    return n ? list[roll(n)] : T_s32;
}

static Type type_as(const Inst *in, const KernSig *s, const KernType *t)
{
    int i;

    for (i = 0; t->same && i < s->narg; i++)
        if (!strcmp(s->arg[i].operand, t->same))
            return in->arg[i];
    return pick_type(t);
}

static Inst draw_types(const KernSig *s)
{
    Inst in = {0};
    int i;

    for (i = 0; i < s->narg; i++)
        in.arg[i] = type_as(&in, s, &s->arg[i]);
    in.res = type_as(&in, s, &s->res[0]);
    return in;
}

static const EvalRow *row_for(const Kern *k, const KernSig *s, const Node *n)
{
    const EvalRow *r;
    const Val *v;
    int i;

    for (r = eval_rows; r->kern; r++) {
        if (strcmp(r->kern, k->name))
            continue;
        for (i = 0; i <= s->narg; i++) {
            v = i == s->narg ? n->res[0] : i < n->narg ? n->arg[i] : NULL;
            if (v && r->types[i] != (v->type == T_f32 ? 'f' : 'i'))
                break;
        }
        if (i > s->narg)
            return r;
    }
    return NULL;
}

/* A node for kernel k; false: the draw does not suit it. */
static bool draw_case(Case *c, const Kern *k)
{
    const KernSig *s = &k->sig[roll(k->nsig)];
    Inst in = draw_types(s);
    Graph *g;
    Val *y;

    *c = (Case){.k = k, .text = draw(k->op[roll(k->nop)], &in)};
    g = graph_parse(mem, "draw", c->text);
    c->n = g->last;
    y = g->last->res[0];
    if (in.res != T_f32 && (y->lo < type_info[in.res].lo ||
                            y->hi > type_info[in.res].hi))
        return false;
    y->type = in.res;
    s = kern_takes(k, c->n);
    c->row = s ? row_for(k, s, c->n) : NULL;
    return c->row && val_count(y);
}

/* --- running --- */

/* Memory of just that size: the sanitizer watches its ends. */
static unsigned char *junk(int64_t bytes)
{
    unsigned char *p = malloc((size_t)bytes + !bytes);

    if (!p)
        die("no memory");
    return memset(p, 0xa5, (size_t)bytes);
}

static unsigned char *random_arg(const Val *v)
{
    unsigned char *p = junk(val_count(v) * wide_of(v));
    int64_t i;

    for (i = 0; i < val_count(v); i++)
        if (v->type == T_f32)
            ((float *)p)[i] = (float)(roll(2001) - 1000) / 250;
        else
            ((int64_t *)p)[i] = roll64(v->lo, v->hi);
    return p;
}

static void run(const Case *c, const Node *n, const Dims *d,
                unsigned char *const *in, unsigned char *out)
{
    struct io io = {.out = {out}, .ncore = 1};
    int64_t scratch = kern_expr(c->k, c->k->scratch, n, d);
    int i;

    for (i = 0; i < n->narg; i++)
        io.in[i] = in[i];
    io.tmp = junk(8 * scratch);
    c->row->run(d, &io);
    free(io.tmp);
}

/* Of a concat: the copy of one of its arguments. */
static void look_at(Case *c, int part)
{
    c->part = part;
    c->seen = *c->n;
    if (c->n->op != OP_concat)
        return;
    c->seen.narg = 1;
    c->seen.arg = c->n->arg + part;
}

static int parts_of(const Case *c)
{
    return c->n->op == OP_concat ? c->n->narg : 1;
}

static void run_whole(Case *c)
{
    int64_t bytes = val_count(c->n->res[0]) * wide_of(c->n->res[0]);
    Dims d;
    int i;

    for (i = 0; i < c->n->narg; i++)
        if (c->n->arg[i])
            c->arg[i] = random_arg(c->n->arg[i]);
    c->want = junk(bytes);
    c->got = junk(bytes);
    c->times = NEWN(mem, int, val_count(c->n->res[0]));
    for (i = 0; i < parts_of(c); i++) {
        look_at(c, i);
        if (c->n->op == OP_concat)
            dims_fill_concat(c->n, i, &d);
        else
            dims_fill(c->n, &d);
        run(c, &c->seen, &d, c->arg + i, c->want);
    }
}

static void end_case(Case *c)
{
    int i;

    for (i = 0; i < c->n->narg; i++)
        free(c->arg[i]);
    free(c->want);
    free(c->got);
}

/* --- pieces --- */

static bool piece_ok(const Val *v, const Val *part, Piece p)
{
    return p.off >= 0 && p.row > 0 && p.rows > 0 && p.stride >= p.row &&
           (p.rows > 1 || p.stride == p.row) &&
           p.off + (p.rows - 1) * p.stride + p.row <= val_bytes(v) &&
           p.row * p.rows == val_bytes(part);
}

/* Copies a piece between the whole value and packed rows. */
static void copy_piece(const Val *v, Piece p, unsigned char *value,
                       unsigned char *rows, bool pack)
{
    size_t row = (size_t)widened(v, p.row);
    int64_t i;

    for (i = 0; i < p.rows; i++) {
        unsigned char *a = value + widened(v, p.off + i * p.stride);

        if (pack)
            memcpy(rows + (size_t)i * row, a, row);
        else
            memcpy(a, rows + (size_t)i * row, row);
    }
}

static unsigned char *packed_rows(const Val *v, Piece p, unsigned char *value)
{
    unsigned char *rows = junk(widened(v, p.row * p.rows));

    copy_piece(v, p, value, rows, true);
    return rows;
}

/* The piece where it lies in the value, and junk around. */
static unsigned char *alone(const Val *v, Piece p, unsigned char *value)
{
    unsigned char *all = junk(widened(v, val_bytes(v)));
    unsigned char *rows = packed_rows(v, p, value);

    copy_piece(v, p, all, rows, false);
    free(rows);
    return all;
}

static bool untouched(const Val *v, Piece p, unsigned char *value)
{
    int64_t i, n = widened(v, val_bytes(v));
    unsigned char *rows = junk(widened(v, p.row * p.rows));

    copy_piece(v, p, value, rows, false);
    free(rows);
    for (i = 0; i < n; i++)
        if (value[i] != 0xa5)
            return false;
    return true;
}

/* The tile's result is right as a part of the whole: counted and kept. */
static void keep_result(Case *c, Piece p, unsigned char *rows)
{
    const Val *y = c->n->res[0];
    int b = type_info[y->type].bytes;
    int64_t i, k;

    copy_piece(y, p, c->got, rows, false);
    for (i = 0; i < p.rows; i++)
        for (k = 0; k < p.row / b; k++)
            c->times[(p.off + i * p.stride) / b + k]++;
}

/* --- tiles --- */

static bool tile_ok(const Case *c, const Tile *t)
{
    int i;

    for (i = 0; i < c->seen.narg; i++) {
        const Val *v = c->seen.arg[i];

        if (!v != !t->node->arg[i] ||
            (v && !piece_ok(v, t->node->arg[i], t->in[i])))
            return false;
    }
    return piece_ok(c->n->res[0], t->node->res[0], t->out[0]);
}

static bool far_piece(const Tile *t, unsigned place, bool out)
{
    int i;

    for (i = 0; i < t->node->narg; i++)
        if (place >> i & 1 && t->node->arg[i] && t->in[i].rows > 1)
            return true;
    return out && t->out[0].rows > 1;
}

static bool run_tile(Case *c, const Tile *t)
{
    unsigned place = (unsigned)roll(256);
    bool out_place = roll(2), clean = true;
    unsigned char *in[NARG] = {NULL}, *block[NARG] = {NULL}, *out, *rows;
    const Val *y = c->n->res[0];
    Piece p = t->out[0];
    Dims d;
    int i;

    if (!tile_dims(c->n, t, place, out_place, &d)) {
        place = 0, out_place = false;
        if (!tile_dims(c->n, t, 0, false, &d))
            return fail(c, "packed pieces are refused");
    }
    for (i = 0; i < c->seen.narg; i++) {
        const Val *v = c->seen.arg[i];
        unsigned char *whole = c->arg[c->part + i];

        if (!v)
            continue;
        if (place >> i & 1)
            in[i] = (block[i] = alone(v, t->in[i], whole)) +
                    widened(v, t->in[i].off);
        else
            in[i] = block[i] = packed_rows(v, t->in[i], whole);
    }
    nplace += far_piece(t, place, out_place);
    out = junk(out_place ? widened(y, val_bytes(y))
                         : widened(y, p.row * p.rows));
    run(c, t->node, &d, in, out + (out_place ? widened(y, p.off) : 0));
    rows = out_place ? packed_rows(y, p, out) : out;
    keep_result(c, p, rows);
    if (out_place) {
        clean = untouched(y, p, out);
        free(rows);
    }
    free(out);
    for (i = 0; i < c->n->narg; i++)
        free(block[i]);
    ntile++;
    return clean || fail(c, "a tile touches what is not its own");
}

/* The tile at `at`: 1 ran, 0 refused, -1 wrong. */
static int try_tile(Case *c, const int64_t at[NCUT], const int64_t len[NCUT])
{
    Tile t;

    memset(&t, 0, sizeof t);
    if (!tile_make(mem, c->n, c->part, at, len, &t))
        return 0;
    if (!tile_ok(c, &t) || !kern_takes(c->k, t.node)) {
        fail(c, "a tile is no node of its pieces");
        return -1;
    }
    return run_tile(c, &t) ? 1 : -1;
}

static bool all_once(Case *c)
{
    const Val *y = c->n->res[0];
    int64_t i, n = val_count(y);

    for (i = 0; i < n; i++)
        if (c->times[i] != 1)
            return fail(c, "not every element is made once");
    if (memcmp(c->want, c->got, (size_t)(n * wide_of(y))))
        return fail(c, "tiles differ from the whole");
    return true;
}

/* Tiles of `step` over the whole result; false where one is refused. */
static bool try_cut(Case *c, const int64_t all[NCUT], const int64_t step[NCUT])
{
    int64_t at[NCUT] = {0}, len[NCUT];
    int a, done;

    for (;;) {
        for (a = 0; a < NCUT; a++)
            len[a] = MIN(step[a], all[a] - at[a]);
        done = try_tile(c, at, len);
        if (done <= 0) {
            nrefused += !done;
            return false;
        }
        for (a = NCUT - 1; a >= 0 && (at[a] += step[a]) >= all[a]; a--)
            at[a] = 0;
        if (a < 0)
            break;
    }
    nrun += memcmp(all, step, sizeof at) != 0;
    return true;
}

/* Mostly one or two axes are cut; a step that groups of channels like. */
static void draw_step(const Case *c, const int64_t all[NCUT],
                      int64_t step[NCUT])
{
    int64_t group = op_info[c->n->op].family == FAM_conv
                        ? all[CUT_channel] / attr_int(c->n, A_group) : 1;
    int a;

    for (a = 0; a < NCUT; a++)
        step[a] = roll(3) ? all[a] : 1 + roll((int)all[a]);
    if (group && roll(2))
        step[CUT_channel] = MAX(step[CUT_channel] / group, 1) * group;
    step[CUT_channel] = MIN(step[CUT_channel], all[CUT_channel]);
}

/* Everything, each argument of a concat in its own steps. */
static void try_all(Case *c)
{
    int64_t all[NCUT], step[NCUT];
    bool whole = true;
    int i;

    memset(c->times, 0, (size_t)val_count(c->n->res[0]) * sizeof(int));
    for (i = 0; i < parts_of(c); i++) {
        look_at(c, i);
        tile_axes(c->n, i, all);
        draw_step(c, all, step);
        whole &= try_cut(c, all, step);
    }
    if (whole)
        all_once(c);
}

static bool attempt(const Kern *k)
{
    int i, before;
    Case c;

    if (!draw_case(&c, k))
        return false;
    run_whole(&c);
    before = nrun;
    for (i = 0; i < 4; i++)
        try_all(&c);
    end_case(&c);
    return nrun > before;
}

static bool may_be_cut(const Kern *k)
{
    switch (op_info[k->op[0]].family) {
    case FAM_conv: case FAM_pool: case FAM_matmul: case FAM_map: case FAM_row:
    case FAM_transpose: case FAM_slice: case FAM_expand: case FAM_pad:
    case FAM_reduce: case FAM_gather:
        return true;
    default:
        return false;
    }
}

int main(int argc, char **argv)
{
    Arena *all = arena_new();
    int nkern, i, j, done, runs = argc > 2 ? atoi(argv[2]) : 20;
    Kern **k = kern_load(all, NULL, &nkern);

    seed = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 0) : 1;
    for (i = 0; i < nkern; i++) {
        if (!str_starts(k[i]->path, "kern/ref/") || !may_be_cut(k[i]))
            continue;
        for (j = done = 0; done < runs && j < 40 * runs && failed < 10; j++) {
            mem = arena_new();
            done += attempt(k[i]);
            arena_end(mem);
        }
        if (!done) {
            printf("%s: nothing was cut\n", k[i]->path);
            failed++;
        }
    }
    arena_end(all);
    printf("seed %s: %d nodes cut into %d tiles, %d with pieces in place, "
           "%d refused, %d failed\n", argc > 1 ? argv[1] : "1", nrun, ntile,
           nplace, nrefused, failed);
    return failed != 0;
}
