/* Pages of a program: stretches that are small enough for a buffer in the
 * L1, none of which ends within a loop or a kernel. */
#include "plan/plan.h"

enum { WORD = 4 };

/* Jobs that are records of their own. */
static int direct_jobs(const Step *s, bool direct)
{
    return direct && s->dims.pconv.again > 0 ? 2 : 1;
}

int rec_jobs(const Rec *c)
{
    return direct_jobs(c->step, c->direct);
}

/* As rt/program.h has them. */
int rec_words(const Rec *c)
{
    int moving = c->moving ? c->nplace : 0;

    switch (c->kind) {
    case REC_call:
        return 5 + c->nplace + moving;
    case REC_start:
        return rec_jobs(c) * (5 + c->nplace + moving);
    case REC_move:
        return (c->rows > 1 ? 6 : 4) + moving;
    case REC_loop:
        return 2;
    default:
        return 1;
    }
}

static Page *new_page(Program *q, int from)
{
    GROW(q->mem, q->page, (size_t)q->npage);
    q->page[q->npage] = (Page){.from = from, .to = from, .bytes = WORD};
    return &q->page[q->npage++];
}

/* Records that must stay together: a loop, a kernel from start to finish. */
static int group_end(const Program *q, int i)
{
    const Rec *c = &q->item[i];
    RecKind end = c->kind == REC_loop ? REC_next
                  : c->deferred ? REC_share : c->kind;

    while (q->item[i].kind != end)
        i++;
    return i + 1;
}

static int64_t dims_bytes(const PageDims *d)
{
    return d->direct ? WORD * JOB_WORDS * direct_jobs(d->step, true)
                     : (int64_t)dims_of(d->step->node->op)->size;
}

/* Where the page has the dims of c's kernel; its number, or -1. */
static int find_dims(const Page *pg, const Rec *c)
{
    int i;

    for (i = 0; i < pg->ndims; i++)
        if (pg->dims[i].direct == c->direct &&
            step_same_dims(pg->dims[i].step, c->step))
            return i;
    return -1;
}

static void add_dims(Program *q, Page *pg, Rec *c)
{
    c->dims = find_dims(pg, c);
    if (c->dims >= 0)
        return;
    c->dims = pg->ndims;
    GROW(q->mem, pg->dims, (size_t)pg->ndims);
    pg->dims[c->dims] = (PageDims){c->step, c->direct};
    pg->bytes += (int)dims_bytes(&pg->dims[c->dims]);
    pg->ndims++;
}

int page_value(const Page *pg, int buf)
{
    int i;

    for (i = 0; i < pg->nvalue && pg->value[i] != buf; i++)
        ;
    return i;
}

static void add_values(Program *q, Page *pg, const Rec *c)
{
    int i;

    for (i = 0; i < c->nplace; i++) {
        int buf = c->place[i].buf;

        if (c->place[i].kind != PLACE_page ||
            page_value(pg, buf) < pg->nvalue)
            continue;
        GROW(q->mem, pg->value, (size_t)pg->nvalue);
        pg->value[pg->nvalue++] = buf;
        pg->bytes += WORD;
    }
}

/* Puts items [i, end) on page pg if they fit. */
static bool fill(Program *q, Page *pg, int i, int end)
{
    Page was = *pg;
    int j;

    for (j = i; j < end; j++) {
        Rec *c = &q->item[j];

        pg->bytes += WORD * rec_words(c);
        pg->words += rec_words(c);
        if (!rec_is_kernel(c))
            continue;
        add_dims(q, pg, c);
        add_values(q, pg, c);
    }
    pg->to = end;
    if (pg->bytes <= PAGE_BYTES)
        return true;
    if (was.from == was.to)
        die("a record of %lld bytes", (long long)pg->bytes);
    *pg = was;
    return false;
}

/* Items [i, end) on the last page, or on one more; the word they begin with. */
static int place_group(Program *q, int i, int end)
{
    Page *pg = q->npage ? &q->page[q->npage - 1] : NULL;
    int word = pg ? pg->words : 0;

    if (pg && fill(q, pg, i, end))
        return word;
    q->code[q->item[i].flat].page_begins = q->npage > 0;
    fill(q, new_page(q, i), i, end);
    return 0;
}

void program_pages(Program *q)
{
    int layer = 0, i, end, word;

    q->start = NEWN(q->mem, Spot, q->p->nlayer + 1);
    for (i = 0; i < q->nitem; i = end) {
        end = group_end(q, i);
        word = place_group(q, i, end);
        for (; layer <= q->p->nlayer && (!layer || q->stop[layer - 1] <= i);
             layer++)
            q->start[layer] = (Spot){q->npage - 1, word};
    }
    for (; layer <= q->p->nlayer; layer++)
        q->start[layer] = (Spot){q->npage, 0};
}
