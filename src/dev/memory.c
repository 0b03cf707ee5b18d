/* Memory of a target, in packets as large as its server takes: X (binary) and
 * M (hex) to write, x and m to read. */
#include "dev/gdb.h"

#include <inttypes.h>
#include <string.h>

enum { LEAST = 64 }; /* bytes of a packet that every server takes */

static bool refused(Gdb *g, const char *what, uint64_t at, size_t n)
{
    return gdb_fail(g, "the server refuses to %s %zu bytes at 0x%08" PRIx64
        " (%.20s): there is no memory, or the chip is locked, or asleep",
        what, n, at, *g->answer ? g->answer : "not supported");
}

/* ---- reading ---- */

static size_t read_most(const Gdb *g)
{
    return g->has_x ? g->packet - 8 : (g->packet / 2 - 2) & ~(size_t)3;
}

/* Bytes of the answer to m or x, at most n; 0: it is none. */
static size_t take_answer(Gdb *g, void *p, size_t n)
{
    size_t k;

    if (!g->has_x)
        return g->len == 2 * gdb_from_hex(g->answer, p, n) ? g->len / 2 : 0;
    k = g->len && *g->answer == 'b' ? MIN(n, g->len - 1) : 0;
    memcpy(p, g->answer + 1, k);
    return k;
}

bool gdb_read(Gdb *g, uint64_t at, void *p, size_t n)
{
    size_t most = read_most(g), k, want;
    char *to = p;

    for (; n; n -= k, at += k, to += k) {
        want = MIN(n, most);
        if (!gdb_ask(g, "%c%" PRIx64 ",%zx", g->has_x ? 'x' : 'm', at, want))
            return false;
        k = gdb_is_error(g) ? 0 : take_answer(g, to, want);
        if (!k && most > LEAST && n > LEAST)
            most /= 2; /* less, then: some say more than they can */
        else if (!k)
            return refused(g, "read", at, want);
    }
    return true;
}

/* ---- writing ---- */

static bool needs_escape(char c)
{
    return c == '#' || c == '$' || c == '}' || c == '*';
}

size_t gdb_put_binary(char *to, size_t room, const char *p, size_t n,
                      size_t *used)
{
    size_t i, k = 0;

    for (i = 0; i < n; i++) {
        bool esc = needs_escape(p[i]);

        if (k + 1 + esc > room)
            break;
        if (esc)
            to[k++] = '}';
        to[k++] = (char)(esc ? p[i] ^ 0x20 : p[i]);
    }
    *used = k;
    return i;
}

static size_t put_hex(char *to, size_t room, const char *p, size_t n,
                      size_t *used)
{
    static const char digit[] = "0123456789abcdef";
    size_t i, m = MIN(n, room / 2);

    if (m < n)
        m &= ~(size_t)3; /* words stay whole */
    for (i = 0; i < m; i++) {
        to[2 * i] = digit[(unsigned char)p[i] >> 4];
        to[2 * i + 1] = digit[p[i] & 15];
    }
    *used = 2 * m;
    return m;
}

enum { HEAD = 40, END = 4 }; /* X20000000,7f8: and $ # sum */

/* One packet of at most `packet` bytes; how many of p it had. */
static size_t write_some(Gdb *g, uint64_t at, const char *p, size_t n,
                         size_t packet)
{
    static char data[GDB_MOST], text[GDB_MOST + HEAD];
    char head[HEAD];
    size_t used, k, h, most = g->has_X ? packet : packet / 2;

    h = (size_t)snprintf(head, sizeof head, "X%" PRIx64 ",%zx:", at,
                         MIN(n, most));
    k = (g->has_X ? gdb_put_binary : put_hex)(data, packet - h - END, p, n,
                                              &used);
    h = (size_t)snprintf(head, sizeof head, "%c%" PRIx64 ",%zx:",
                         g->has_X ? 'X' : 'M', at, k);
    memcpy(text, head, h);
    memcpy(text + h, data, used);
    if (!gdb_ask_bytes(g, text, h + used))
        return 0;
    return k;
}

bool gdb_write(Gdb *g, uint64_t at, const void *p, size_t n)
{
    size_t packet = g->packet, k;
    const char *from = p;

    while (n) {
        k = write_some(g, at, from, n, packet);
        if (!k)
            return false;
        if (gdb_is_ok(g)) {
            n -= k, at += k, from += k;
        } else if (packet > 4 * LEAST && k > LEAST) {
            packet /= 2;
        } else if (g->has_X) {
            g->has_X = false;
            packet = g->packet;
        } else
            return refused(g, "write", at, k);
    }
    return true;
}

static bool is_same(Gdb *g, uint64_t at, const char *want, const char *got,
                    size_t n)
{
    size_t i;

    for (i = 0; i < n && want[i] == got[i]; i++)
        ;
    return i == n || gdb_fail(g, "memory at 0x%08" PRIx64 " has 0x%02x after "
        "0x%02x was written: there is no RAM on this chip, it is protected, or "
        "the probe's clock is too fast", at + i, (unsigned char)got[i],
        (unsigned char)want[i]);
}

bool gdb_compare(Gdb *g, uint64_t at, const void *p, size_t n)
{
    char got[4096];
    size_t i, k;

    for (i = 0; i < n; i += k) {
        k = MIN(n - i, sizeof got);
        if (!gdb_read(g, at + i, got, k) ||
            !is_same(g, at + i, (const char *)p + i, got, k))
            return false;
    }
    return true;
}

bool gdb_load(Gdb *g, uint64_t at, const void *p, size_t n)
{
    return gdb_write(g, at, p, n) && gdb_compare(g, at, p, n);
}
