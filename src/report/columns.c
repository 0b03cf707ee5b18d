/* A row a layer, as text of at most 120 columns, in the page, as CSV. */
#include "report/report.h"

#include <math.h>
#include <string.h>

enum { WIDEST = 120, MOST = 28, SOFT = 19, LEAST = 12 };

typedef enum Shown { ALWAYS, PLAN, WIDE, CSV } Shown;

typedef struct Cell {
    const char *s; /* NULL: a number */
    double v;      /* NaN: none */
} Cell;

typedef struct Column {
    const char *key, *title;
    int digits;
    Shown shown;
    int rank;
    Cell (*get)(const Report *r, Row l, int i);
} Column;

/* ---- values ---- */

static double known(int64_t v)
{
    return v < 0 ? NAN : (double)v;
}

/* NaN where there is nothing to divide by. */
static double per(int64_t a, int64_t b)
{
    return a > 0 && b > 0 ? (double)a / (double)b : NAN;
}

/* Measured, or else estimated, or else predicted. */
static int64_t time_of(Row l)
{
    return l.cycles >= 0 ? l.cycles : l.estimate >= 0 ? l.estimate
                                                      : l.predicted;
}

double report_ms(const Report *r, int64_t cycles)
{
    return cycles >= 0 && r->soc->mhz > 0
               ? (double)cycles / r->soc->mhz / 1000 : NAN;
}

double report_percent(Row l)
{
    return l.all > 0 ? 100 * known(time_of(l)) / (double)l.all : NAN;
}

/* "8x64", rows and channels, of "1x8x64 of 1x16x64, 2 tiles, ..."; with a sign
 * where the next layer takes turns with it. */
static const char *short_tile(const Report *r, const Layer *l)
{
    const char *tile = l->tile;
    const char *of = tile ? strstr(tile, " of ") : NULL;

    if (!of)
        return "";
    if (str_starts(tile, "1x") && str_starts(of, " of 1x"))
        tile += 2;
    return arena_fmt(r->plan->mem, "%.*s%s", (int)(of - tile), tile,
                     l->after ? "+" : "");
}

/* Moved by the engine of hop k. */
static double bytes_of(const Report *r, const Layer *l, int k)
{
    const Engine *e = soc_hop(r->soc, k);

    return e ? (double)l->moved[e->row] : 0;
}

static Cell number(double v)
{
    return (Cell){NULL, v};
}

static Cell word(const char *s)
{
    return (Cell){s, NAN};
}

#define COLUMN(key, title, digits, shown, rank, value) \
    static Cell get_##key(const Report *r, Row l, int i) \
    { \
        (void)r, (void)l, (void)i; \
        return _Generic((value), char *: word, const char *: word, \
                        default: number)(value); \
    }
#include "report/column.def"
#undef COLUMN

static const Column columns[] = {
#define COLUMN(key, title, digits, shown, rank, value) \
    {#key, title, digits, shown, rank, get_##key},
#include "report/column.def"
#undef COLUMN
};

enum { NCOLUMN = LEN(columns) };

/* ---- the table ---- */

typedef struct Grid {
    const Report *r;
    Arena *mem;
    int rows;
    const Row *row;
    Cell *cell;        /* by row and column */
    int width[NCOLUMN]; /* 0: not shown */
} Grid;

static Cell cell(const Grid *g, int row, int c)
{
    return g->cell[row * NCOLUMN + c];
}

static const char *text_of(const Grid *g, int row, int c)
{
    Cell x = cell(g, row, c);
    bool differ = !strcmp(columns[c].title, "differ");

    if (x.s)
        return *x.s ? x.s : "-";
    if (isnan(x.v))
        return "-";
    return arena_fmt(g->mem, differ ? "%+.*f%%" : "%.*f", columns[c].digits,
                     x.v);
}

/* Is there anything but nothing in a column? */
static bool says_something(const Grid *g, int c)
{
    int i;

    for (i = 0; i < g->rows; i++)
        if (cell(g, i, c).s ? *cell(g, i, c).s
                            : fabs(cell(g, i, c).v) > 0)
            return true;
    return !strcmp(columns[c].title, "MACs");
}

static Grid grid_new(const Report *r, Arena *mem, Shown most)
{
    Grid g = {.r = r, .mem = mem, .rows = report_rows(r)};
    int i, c;

    g.row = report_table(r, mem);
    g.cell = NEWN(mem, Cell, (size_t)g.rows * NCOLUMN + 1);
    for (i = 0; i < g.rows; i++)
        for (c = 0; c < NCOLUMN; c++)
            g.cell[i * NCOLUMN + c] = columns[c].get(r, g.row[i], i);
    for (c = 0; c < NCOLUMN; c++) {
        if (columns[c].shown > most || !says_something(&g, c) ||
            (columns[c].shown == PLAN && report_has_cycles(r) && most < WIDE))
            continue;
        g.width[c] = MAX(1, (int)strlen(columns[c].title));
        for (i = 0; i < g.rows; i++)
            g.width[c] = MAX(g.width[c], (int)strlen(text_of(&g, i, c)));
    }
    return g;
}

static int total(const Grid *g)
{
    int c, sum = -1;

    for (c = 0; c < NCOLUMN; c++)
        sum += g->width[c] ? g->width[c] + 1 : 0;
    return sum;
}

/* Names are cut to at least so many letters, as far as it takes. */
static void cut_names(Grid *g, int least)
{
    int c;

    for (c = 0; c < NCOLUMN; c++)
        if (columns[c].digits < 0 && !columns[c].rank && g->width[c] > least)
            g->width[c] = MAX(least, g->width[c] - MAX(0, total(g) - WIDEST));
}

static void fit(Grid *g)
{
    int c, rank;

    for (c = 0; c < NCOLUMN; c++)
        if (columns[c].digits < 0)
            g->width[c] = MIN(g->width[c], MOST);
    cut_names(g, SOFT);
    for (rank = 9; rank && total(g) > WIDEST; rank--)
        for (c = 0; c < NCOLUMN; c++)
            if (columns[c].rank == rank)
                g->width[c] = 0;
    cut_names(g, LEAST);
}

static void put_cell(int width, bool left, const char *s, Str *out)
{
    str_fmt(out, left ? "%-*.*s " : "%*.*s ", width, width, s);
}

static void end_line(Str *out)
{
    while (out->n && out->s[out->n - 1] == ' ')
        out->s[--out->n] = 0;
    str_put(out, "\n");
}

/* Every line of s, indented. */
static void put_lines(const char *s, Str *out)
{
    size_t len;

    for (; *s; s += len + (s[len] == '\n')) {
        len = strcspn(s, "\n");
        str_fmt(out, "       %.*s\n", (int)len, s);
    }
}

static void put_why(const Row *l, Explain explain, Str *out)
{
    const Why *why = &l->layer->why;

    if (l->layer->tile)
        str_fmt(out, "       tiles of %s\n", l->layer->tile);
    put_lines(arena_fmt(out->mem, "%s%s%s", why->chosen, *why->next ? "; " : "",
                        why->next), out);
    if (explain == EXPLAIN_all)
        put_lines(why->rest, out);
}

void columns_text(const Report *r, Explain explain, Str *out)
{
    Grid g = grid_new(r, out->mem, PLAN);
    int i, c;

    fit(&g);
    str_put(out, "\n");
    for (i = -1; i < g.rows; i++) {
        for (c = 0; c < NCOLUMN; c++)
            if (g.width[c])
                put_cell(g.width[c], columns[c].digits < 0, i < 0
                         ? columns[c].title : text_of(&g, i, c), out);
        end_line(out);
        if (explain && i >= 0)
            put_why(&g.row[i], explain, out);
    }
}

/* ---- the page ---- */

static void put_title(const Why *why, Str *out)
{
    html_text(out, why->chosen);
    html_text(out, "; ");
    html_text(out, why->next);
}

static void put_html(const Grid *g, int row, int c, Str *out)
{
    const char *s = row < 0 ? columns[c].title : text_of(g, row, c);
    const char *tag = row < 0 ? "th" : "td";

    str_fmt(out, "<%s%s>", tag, columns[c].digits < 0 ? " class=\"text\"" : "");
    html_text(out, s);
    str_fmt(out, "</%s>", tag);
}

void columns_html(const Report *r, Str *out)
{
    Grid g = grid_new(r, out->mem, WIDE);
    int i, c;

    str_put(out, "<table>\n");
    for (i = -1; i < g.rows; i++) {
        str_put(out, "<tr title=\"");
        if (i >= 0)
            put_title(&g.row[i].layer->why, out);
        str_put(out, "\">");
        for (c = 0; c < NCOLUMN; c++)
            if (g.width[c])
                put_html(&g, i, c, out);
        str_put(out, "</tr>\n");
    }
    str_put(out, "</table>\n");
}

/* ---- CSV (RFC 4180) ---- */

static void put_csv(const Cell *x, Str *out)
{
    const char *s = x->s;

    if (!s && isfinite(x->v))
        str_fmt(out, "%.9g", x->v);
    if (!s)
        return;
    if (!s[strcspn(s, ",\"\n")]) {
        str_put(out, s);
        return;
    }
    str_put(out, "\"");
    for (; *s; s++)
        str_fmt(out, *s == '"' ? "\"%c" : "%c", *s);
    str_put(out, "\"");
}

void report_csv(const Report *r, Str *out)
{
    const Row *row = report_table(r, out->mem);
    int i, c;

    for (c = 0; c < NCOLUMN; c++)
        str_fmt(out, "%s%s", c ? "," : "", columns[c].key);
    str_put(out, "\r\n");
    for (i = 0; i < report_rows(r); i++) {
        for (c = 0; c < NCOLUMN; c++) {
            Cell x = columns[c].get(r, row[i], i);

            str_put(out, c ? "," : "");
            put_csv(&x, out);
        }
        str_put(out, "\r\n");
    }
}
