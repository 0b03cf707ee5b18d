/* Boxes that overlap no better one of their class much: [batch, class, box].
 *
 * op       nms
 * types    boxes:f32 scores:f32 -> y:s8|s16|s32|s64
 * isa      any
 * scratch  4 * boxes
 * stack    256
 * cycles   batches * classes * boxes * (60 + 30 * most)
 *
 * boxes[batches][boxes][4], scores[batches][classes][boxes], y[rows][3].  Of
 * each class of each batch in turn, by falling scores (of equals the first),
 * at most `most` boxes are kept: those whose score is above `score` and whose
 * overlap (the area in common by the area of both) with each that is kept
 * already is `iou` at most.  Rows that are left over are -1.  center 0: boxes
 * are y, x, y, x of two opposite corners, 1: x, y of the centre, width,
 * height.
 */
#include "kern/kern.h"

typedef int32_t place;
#define PLACE place
#define X SCORES

static inline int above(const SCORES *x, place a, place b, int mode)
{
    (void)mode;
    return x[a] == x[b] ? a < b : x[a] > x[b];
}

#include "kern/row/heap.h"

struct box {
    float top, left, bottom, right;
};

static struct box box_of(const BOXES *p, int center)
{
    struct box b = {p[0], p[1], p[2], p[3]};

    if (center)
        return (struct box){p[1] - p[3] / 2, p[0] - p[2] / 2,
                            p[1] + p[3] / 2, p[0] + p[2] / 2};
    if (b.top > b.bottom)
        b.top = p[2], b.bottom = p[0];
    if (b.left > b.right)
        b.left = p[3], b.right = p[1];
    return b;
}

static float area(struct box b)
{
    return b.bottom > b.top && b.right > b.left
               ? (b.bottom - b.top) * (b.right - b.left) : 0;
}

static int overlaps(const struct nms_dims *k, struct box a, struct box b)
{
    const struct box both = {a.top > b.top ? a.top : b.top,
                             a.left > b.left ? a.left : b.left,
                             a.bottom < b.bottom ? a.bottom : b.bottom,
                             a.right < b.right ? a.right : b.right};
    const float common = area(both);

    return common > 0 && common / (area(a) + area(b) - common) > k->iou;
}

/* Is box i kept beside those of the n rows y? */
static int stands(const struct nms_dims *k, const BOXES *boxes, place i,
                  const Y *y, int32_t n)
{
    const struct box b = box_of(boxes + 4 * (ptrdiff_t)i, k->center);

    for (int32_t j = 0; j < n; j++)
        if (overlaps(k, box_of(boxes + 4 * (ptrdiff_t)y[3 * j + 2], k->center),
                     b))
            return 0;
    return 1;
}

/* Class c of batch b: gives the number of rows it has at y. */
static int32_t one_class(const struct nms_dims *k, const struct io *io,
                         int32_t b, int32_t c, Y *y)
{
    const BOXES *boxes = (const BOXES *)io->in[0] +
                         (ptrdiff_t)b * k->boxes * 4;
    const SCORES *x = (const SCORES *)io->in[1] +
                      ((ptrdiff_t)b * k->classes + c) * k->boxes;
    place *h = io->tmp;
    int32_t left = 0, n = 0;

    for (int32_t i = 0; i < k->boxes; i++)
        if (x[i] > k->score)
            h[left++] = i;
    heap_make(x, h, left, 0);
    while (left && n < k->most) {
        if (stands(k, boxes, h[0], y, n)) {
            y[3 * n] = (Y)b;
            y[3 * n + 1] = (Y)c;
            y[3 * n++ + 2] = (Y)h[0];
        }
        h[0] = h[--left];
        heap_sift(x, h, left, 0, 0);
    }
    return n;
}

void FN(const struct nms_dims *k, const struct io *io)
{
    Y *y = io->out[0];
    int32_t n = 0;

    for (int32_t b = 0; b < k->batches; b++)
        for (int32_t c = 0; c < k->classes; c++)
            n += one_class(k, io, b, c, y + 3 * (ptrdiff_t)n);
    for (int32_t i = 3 * n; i < 3 * k->rows; i++)
        y[i] = -1;
}
