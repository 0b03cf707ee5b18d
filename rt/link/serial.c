/* A wire of serial lines, one to each chip, with nothing that holds the other
 * end back: a chip sends only what another asks for.
 *
 * Who receives sends a byte that asks, with the number of this receipt, again
 * and again until something comes: the other may not be switched on.  Who sends
 * waits for that byte, and puts one that begins and n bytes onto the line.
 * Anything else that comes meanwhile is old, or noise, and is passed over; that
 * nothing is lost or broken the message itself says (link.c). */
#include "here.h"
#include "link.h"

enum { BEGIN = 0x53, ASK = 0xc0, NUMBER = 0x3f, AGAIN_MS = 20 };

static const signed char line_to[] = {LINK_LINE_TO};
static uint8_t given[LINK_OF], taken[LINK_OF];

struct until {
    uint32_t from;
    int32_t ms;
};

static struct until until(int32_t ms)
{
    return (struct until){link_line_ms(), ms};
}

static int over(struct until u)
{
    return (int32_t)(link_line_ms() - u.from) >= u.ms;
}

static int put(int line, uint8_t byte, struct until u)
{
    while (link_line_put(line, byte))
        if (over(u))
            return LINK_LATE;
    return LINK_OK;
}

static int get(int line, struct until u)
{
    int c;

    while ((c = link_line_get(line)) < 0 && !over(u))
        ;
    return c;
}

static int send(void *self, int to, const void *p, uint32_t n, int32_t ms)
{
    const int line = line_to[to], asks = ASK | (given[to]++ & NUMBER);
    const struct until u = until(ms);
    const uint8_t *q = p;
    int c, bad;

    (void)self;
    if (line < 0)
        return LINK_CLOSED;
    do
        c = get(line, u);
    while (c != asks && !over(u));
    if (c != asks)
        return LINK_LATE;
    for (bad = put(line, BEGIN, u); n && !bad; n--)
        bad = put(line, *q++, u);
    while (!bad && link_line_busy(line))
        bad = over(u) ? LINK_LATE : LINK_OK;
    return bad; /* whoever ends now is heard */
}

/* Asks until the other begins. */
static int ask(int line, int asks, struct until u)
{
    do {
        struct until again = until(AGAIN_MS);
        int c;

        if (put(line, (uint8_t)asks, u))
            return LINK_LATE;
        do
            if ((c = link_line_get(line)) == BEGIN)
                return LINK_OK;
        while (!over(again));
    } while (!over(u));
    return LINK_LATE;
}

static int receive(void *self, int from, void *p, uint32_t n, int32_t ms)
{
    const int line = line_to[from];
    const struct until u = until(ms);
    uint8_t *q = p;

    (void)self;
    if (line < 0)
        return LINK_CLOSED;
    if (ask(line, ASK | (taken[from]++ & NUMBER), u))
        return LINK_LATE;
    for (; n; n--) {
        int c = get(line, u);

        if (c < 0)
            return LINK_LATE;
        *q++ = (uint8_t)c;
    }
    return LINK_OK;
}

int link_open(struct link *l)
{
    for (int i = 0; i < LINK_OF; i++)
        if (line_to[i] >= 0)
            link_line_begin(line_to[i]);
    l->wire = (struct link_wire){0, send, receive};
    return LINK_OK;
}
