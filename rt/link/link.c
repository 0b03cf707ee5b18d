/* Messages between chips, and what is made of them: see link.h. */
#include "link.h"

#include <string.h>

enum { HEAD = 20, AGREE = 24 };

static int fail(struct link *l, int error, int peer)
{
    if (!l->error) {
        l->error = error;
        l->peer = peer;
    }
    return l->error;
}

/* CRC-32 (IEEE 802.3), four bits at a time. */
static uint32_t crc(uint32_t c, const uint8_t *p, uint32_t n)
{
    static const uint32_t table[16] = {
        0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
        0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
        0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c
    };

    for (c = ~c; n--; p++) {
        c = table[(c ^ *p) & 15] ^ c >> 4;
        c = table[(c ^ (uint32_t)(*p >> 4)) & 15] ^ c >> 4;
    }
    return ~c;
}

static void put32(uint8_t *p, uint32_t v)
{
    for (int i = 0; i < 4; i++)
        p[i] = (uint8_t)(v >> 8 * i);
}

static uint32_t get32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
           (uint32_t)p[3] << 24;
}

/* from, to, exchange, number, length, checksum of these and of the bytes */
static void make_head(uint8_t head[HEAD], int from, int to, uint32_t tag,
                      uint32_t number, const void *p, uint32_t n)
{
    put32(head, (uint32_t)from | (uint32_t)to << 8 | 0x4c540000u);
    put32(head + 4, tag);
    put32(head + 8, number);
    put32(head + 12, n);
    put32(head + 16, crc(crc(0, head, 16), p, n));
}

static int send(struct link *l, int to, const void *p, uint32_t n)
{
    uint8_t head[HEAD];
    int bad;

    if (l->error)
        return l->error;
    make_head(head, l->chip, to, l->tag, l->sent[to]++, p, n);
    bad = l->wire.send(l->wire.self, to, head, HEAD, l->ms);
    if (!bad && n)
        bad = l->wire.send(l->wire.self, to, p, n, l->ms);
    return bad ? fail(l, bad, to) : LINK_OK;
}

static int receive(struct link *l, int from, void *p, uint32_t n)
{
    uint8_t head[HEAD], want[HEAD];
    int bad;

    if (l->error)
        return l->error;
    bad = l->wire.receive(l->wire.self, from, head, HEAD, l->ms);
    if (bad)
        return fail(l, bad, from);
    make_head(want, from, l->chip, l->tag, l->taken[from]++, p, 0);
    if (memcmp(head + 2, want + 2, 2))
        return fail(l, LINK_BROKEN, from);
    if (memcmp(head, want, 2))
        return fail(l, LINK_OTHER, from);
    if (memcmp(head + 4, want + 4, 8) || get32(head + 12) != n)
        return fail(l, LINK_ORDER, from);
    if (n)
        bad = l->wire.receive(l->wire.self, from, p, n, l->ms);
    if (bad)
        return fail(l, bad, from);
    if (get32(head + 16) != crc(crc(0, head, 16), p, n))
        return fail(l, LINK_BROKEN, from);
    return LINK_OK;
}

/* l->out to one, l->in from one, who may be another; nothing if there are no
 * bytes.  The chip with the lesser number begins to send, so that no two wait
 * for each other's room. */
static void swap(struct link *l, int to, uint32_t nout, int from, uint32_t nin)
{
    if (nout && l->chip < to)
        send(l, to, l->out, nout);
    if (nin)
        receive(l, from, l->in, nin);
    if (nout && l->chip > to)
        send(l, to, l->out, nout);
}

/* --- parts of values --- */

static int32_t first_of(const struct link *l, const struct link_value *v,
                        int chip)
{
    return (int32_t)((int64_t)chip * v->parts / l->chips) *
           (v->len / v->parts);
}

/* Elements [from, to) of len. */
struct rows {
    int32_t from, to;
};

/* Those that chips [a, b) have. */
static struct rows rows_of(const struct link *l, const struct link_value *v,
                           int a, int b)
{
    return (struct rows){first_of(l, v, a), first_of(l, v, b)};
}

static uint32_t size_of(const struct link_value *v, struct rows r)
{
    return (uint32_t)(r.to - r.from) *
           (uint32_t)(v->outer * v->inner * v->bytes);
}

enum { PACK, UNPACK, ADD };

static void add(uint8_t *y, const uint8_t *x, uint32_t n)
{
    for (; n; n -= 4, x += 4, y += 4) {
        uint32_t s, t;

        memcpy(&s, y, 4);
        memcpy(&t, x, 4);
        s += t;
        memcpy(y, &s, 4);
    }
}

/* Of these rows, of all `outer` one after the other, bytes [at, at + n) from
 * the value to `room`, back, or added. */
static void move(const struct link_value *v, struct rows r, uint32_t at,
                 uint32_t n, uint8_t *room, int how)
{
    uint32_t row = (uint32_t)(v->inner * v->bytes), k;
    uint32_t part = (uint32_t)(r.to - r.from) * row;

    for (; n; n -= k, at += k, room += k) {
        uint8_t *y = (uint8_t *)v->y +
                     (size_t)(at / part) * (size_t)v->len * row +
                     (size_t)r.from * row + at % part;

        k = part - at % part;
        k = k < n ? k : n;
        if (how == PACK)
            memcpy(room, y, k);
        else if (how == UNPACK)
            memcpy(y, room, k);
        else
            add(y, room, k);
    }
}

/* Of n bytes of which `at` are done: how many a message has. */
static uint32_t piece(const struct link *l, uint32_t n, uint32_t at)
{
    uint32_t left = n > at ? n - at : 0, most = l->room & ~(uint32_t)3;

    return left < most ? left : most;
}

/* Some rows to one, some from one, in messages as large as a room. */
static void swap_rows(struct link *l, const struct link_value *v, int to,
                      struct rows given, int from, struct rows got, int how)
{
    uint32_t nout = size_of(v, given), nin = size_of(v, got), at;

    for (at = 0; (at < nout || at < nin) && !l->error; at += l->room & ~3u) {
        uint32_t out = piece(l, nout, at), in = piece(l, nin, at);

        move(v, given, at, out, l->out, PACK);
        swap(l, to, out, from, in);
        if (!l->error)
            move(v, got, at, in, l->in, how);
    }
}

/* Parts [a, b) to one, [c, d) from one. */
static void swap_parts(struct link *l, const struct link_value *v, int to,
                       int a, int b, int from, int c, int d, int how)
{
    swap_rows(l, v, to, rows_of(l, v, a, b), from, rows_of(l, v, c, d), how);
}

static void send_parts(struct link *l, const struct link_value *v, int to,
                       int a, int b)
{
    swap_parts(l, v, to, a, b, to, 0, 0, PACK);
}

static void receive_parts(struct link *l, const struct link_value *v, int from,
                          int a, int b, int how)
{
    swap_parts(l, v, from, 0, 0, from, a, b, how);
}

/* --- ways --- */

/* Partners in the order of their numbers: of all pairs that have not met, the
 * first is always ready. */
static void direct_scatter(struct link *l, const struct link_value *v)
{
    for (int i = 0; i < l->chips; i++)
        if (i != l->chip)
            swap_parts(l, v, i, i, i + 1, i, l->chip, l->chip + 1, ADD);
}

static void direct_gather(struct link *l, const struct link_value *v)
{
    for (int i = 0; i < l->chips; i++)
        if (i != l->chip)
            swap_parts(l, v, i, l->chip, l->chip + 1, i, i, i + 1, UNPACK);
}

/* One part goes round and grows; then each goes round whole. */
static void ring(struct link *l, const struct link_value *v, int how)
{
    int n = l->chips, to = (l->chip + 1) % n, from = (l->chip + n - 1) % n;

    for (int i = 0; i < n - 1; i++) {
        int mine = (l->chip + 2 * n - i - (how == ADD)) % n;
        int other = (mine + n - 1) % n;

        swap_parts(l, v, to, mine, mine + 1, from, other, other + 1, how);
    }
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* Up a tree of `radix`: leaders of a level are multiples of `step`.  how: ADD
 * of all, or UNPACK of the parts of those below. */
static void climb(struct link *l, const struct link_value *v, int radix,
                  int how)
{
    int n = l->chips, step, k;

    for (step = 1; step < n; step *= radix) {
        int group = l->chip - l->chip % (step * radix), c;

        if (l->chip % step)
            return;
        if (l->chip != group) {
            send_parts(l, v, group, how == ADD ? 0 : l->chip,
                       how == ADD ? n : least(l->chip + step, n));
            return;
        }
        for (k = 1; k < radix && (c = group + k * step) < n; k++)
            receive_parts(l, v, c, how == ADD ? 0 : c,
                          how == ADD ? n : least(c + step, n), how);
    }
}

/* All of it back down. */
static void descend(struct link *l, const struct link_value *v, int radix)
{
    int n = l->chips, step = 1, k;

    while (step < n)
        step *= radix;
    for (step /= radix; step; step /= radix) {
        int group = l->chip - l->chip % (step * radix), c;

        if (l->chip % step)
            continue;
        if (l->chip != group)
            receive_parts(l, v, group, 0, n, UNPACK);
        else
            for (k = 1; k < radix && (c = group + k * step) < n; k++)
                send_parts(l, v, c, 0, n);
    }
}

/* Those above the greatest power of two let a partner speak for them. */
static void double_sum(struct link *l, const struct link_value *v)
{
    int n = l->chips, p = 1, c = l->chip, d;

    while (2 * p <= n)
        p *= 2;
    if (c >= p) {
        send_parts(l, v, c - p, 0, n);
        receive_parts(l, v, c - p, 0, n, UNPACK);
        return;
    }
    if (c + p < n)
        receive_parts(l, v, c + p, 0, n, ADD);
    for (d = 1; d < p; d *= 2)
        swap_parts(l, v, c ^ d, 0, n, c ^ d, 0, n, ADD);
    if (c + p < n)
        send_parts(l, v, c + p, 0, n);
}

static void double_gather(struct link *l, const struct link_value *v)
{
    int d;

    for (d = 1; d < l->chips; d *= 2) {
        int a = l->chip & ~(d - 1), b = a ^ d;

        swap_parts(l, v, l->chip ^ d, a, a + d, l->chip ^ d, b, b + d, UNPACK);
    }
}

static int ready(struct link *l, uint32_t tag)
{
    l->tag = tag;
    return l->error;
}

int link_sum(struct link *l, uint32_t tag, int32_t *y, int32_t n)
{
    struct link_value v = {y, 4, 1, n, 1, n > 0 ? n : 1};

    if (ready(l, tag))
        return l->error;
    switch (l->way) {
    case LINK_TREE:
        climb(l, &v, 2, ADD);
        descend(l, &v, 2);
        break;
    case LINK_GROUPS:
        climb(l, &v, 4, ADD);
        descend(l, &v, 4);
        break;
    case LINK_DOUBLING:
        double_sum(l, &v);
        break;
    case LINK_RING:
        ring(l, &v, ADD);
        ring(l, &v, UNPACK);
        break;
    default:
        direct_scatter(l, &v);
        direct_gather(l, &v);
    }
    return l->error;
}

int link_share(struct link *l, uint32_t tag, const struct link_value *v)
{
    if (l->way == LINK_TREE || l->way == LINK_GROUPS || l->way == LINK_DOUBLING)
        return link_sum(l, tag, v->y, v->outer * v->len * v->inner);
    if (ready(l, tag))
        return l->error;
    if (l->way == LINK_RING)
        ring(l, v, ADD);
    else
        direct_scatter(l, v);
    return l->error;
}

int link_gather(struct link *l, uint32_t tag, const struct link_value *v)
{
    if (ready(l, tag))
        return l->error;
    switch (l->way) {
    case LINK_GROUPS:
        climb(l, v, 4, UNPACK);
        descend(l, v, 4);
        break;
    case LINK_DOUBLING:
        if (!(l->chips & (l->chips - 1))) {
            double_gather(l, v);
            break;
        } /* fall through */
    case LINK_TREE:
        climb(l, v, 2, UNPACK);
        descend(l, v, 2);
        break;
    case LINK_RING:
        ring(l, v, UNPACK);
        break;
    default:
        direct_gather(l, v);
    }
    return l->error;
}

/* Pairs that begin with an even chip come first, so that no chip waits for more
 * than two others. */
int link_halo(struct link *l, uint32_t tag, const struct link_value *v,
              const struct link_halo *h)
{
    int32_t end = h->from + h->n, i;

    if (ready(l, tag))
        return l->error;
    for (i = 0; i < 2; i++) {
        int next = (l->chip + i) % 2 == 0, peer = l->chip + (next ? 1 : -1);
        struct rows up = {h->from, h->from + h->up}, first = {0, h->from};
        struct rows down = {end - h->down, end}, last = {end, v->len};

        if (peer >= 0 && peer < l->chips)
            swap_rows(l, v, peer, next ? down : up, peer, next ? last : first,
                      UNPACK);
    }
    return l->error;
}

/* --- agreement --- */

/* To whom a chip but the first hands over, up a tree. */
static int above(int chip, int radix)
{
    int step = radix;

    while (chip % step == 0)
        step *= radix;
    return chip - chip % step;
}

static int is_above(int a, int b, int radix)
{
    return b && above(b, radix) == a;
}

int link_meet(enum link_way way, int chips, int a, int b)
{
    switch (way) {
    case LINK_TREE:
        return is_above(a, b, 2) || is_above(b, a, 2);
    case LINK_GROUPS:
        return is_above(a, b, 4) || is_above(b, a, 4);
    case LINK_DOUBLING: /* a power of two apart; gathering may be up a tree */
        return a != b && !((a ^ b) & ((a ^ b) - 1));
    case LINK_RING:
        return (a + 1) % chips == b || (b + 1) % chips == a;
    default:
        return a != b;
    }
}

static void agree(struct link *l, int with, uint8_t *mine, uint8_t *other)
{
    if (l->chip < with)
        send(l, with, mine, AGREE);
    if (receive(l, with, other, AGREE))
        return;
    if (l->chip > with)
        send(l, with, mine, AGREE);
    if (get32(other) != LINK_VERSION)
        fail(l, LINK_PROTOCOL, with);
    else if (memcmp(mine, other, AGREE))
        fail(l, LINK_MODEL, with);
}

int link_begin(struct link *l)
{
    uint8_t mine[AGREE] = {0}, other[AGREE];
    int i;

    l->tag = LINK_AGREEMENT;
    if (l->room < 4)
        fail(l, LINK_ROOM, l->chip);
    put32(mine, LINK_VERSION);
    put32(mine + 4, (uint32_t)l->chips);
    put32(mine + 8, (uint32_t)l->model);
    put32(mine + 12, (uint32_t)(l->model >> 32));
    put32(mine + 16, (uint32_t)l->way);
    put32(mine + 20, l->room);
    for (i = 0; i < l->chips && !l->error; i++)
        if (i != l->chip && link_meet(l->way, l->chips, l->chip, i))
            agree(l, i, mine, other);
    return l->error;
}
