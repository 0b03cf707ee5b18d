/* Packets of gdb's remote protocol: $ text # sum, acknowledged by + or - until
 * both sides agree not to, with } before bytes that mean something else, and *
 * for runs of one byte.
 *
 * An acknowledgement is sent in one write with what follows it.  A packet that
 * is not answered in time is sent again, but one that sets the target going;
 * what was sent twice may be answered twice, so the second answer is looked
 * for before the next question. */
#include "dev/gdb.h"

#include <ctype.h>
#include <string.h>

enum { DRAIN = 30 }; /* ms */

bool gdb_fail(Gdb *g, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(g->why, sizeof g->why, fmt, ap);
    va_end(ap);
    return false;
}

int gdb_hex(int c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10
         : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

size_t gdb_from_hex(const char *s, void *to, size_t n)
{
    unsigned char *p = to;
    size_t i;

    for (i = 0; i < n; i++, s += 2) {
        if (gdb_hex(s[0]) < 0 || gdb_hex(s[1]) < 0)
            break;
        p[i] = (unsigned char)(gdb_hex(s[0]) << 4 | gdb_hex(s[1]));
    }
    return i;
}

bool gdb_is_ok(const Gdb *g)
{
    return !strcmp(g->answer, "OK");
}

bool gdb_is_error(const Gdb *g)
{
    return g->answer[0] == 'E' && gdb_hex(g->answer[1]) >= 0 &&
           gdb_hex(g->answer[2]) >= 0 && (!g->answer[3] || g->answer[3] == ';');
}

/* ---- the other side is gone, or is no gdb server ---- */

/* The last line that our own server said of itself. */
static const char *server_said(Gdb *g)
{
    static char line[300];
    FILE *f = g->link->said ? fopen(g->link->said, "r") : NULL;
    char next[300];

    line[0] = 0;
    while (f && fgets(next, sizeof next, f))
        if (next[strspn(next, " \r\n")])
            strcpy(line, next);
    if (f)
        fclose(f);
    line[strcspn(line, "\r\n")] = 0;
    return line;
}

static bool lost(Gdb *g)
{
    const char *said = server_said(g);

    g->lost = true;
    g->running = false;
    return gdb_fail(g, "the server closed the connection%s%s: it was ended or "
        "crashed, or the program locked the core up (QEMU ends then)",
        *said ? ", saying: " : "", said);
}

static bool no_answer(Gdb *g, const char *to, size_t n)
{
    char shown[40];
    size_t i;

    for (i = 0; i < n && i < sizeof shown - 1 && isprint((unsigned char)to[i]);
         i++)
        shown[i] = to[i];
    shown[i] = 0;
    return gdb_fail(g, "no answer to '%s' in %.1f s: the server is busy with "
        "another client, hangs, or is no gdb server (of OpenOCD's ports it is "
        "3333, not 4444 or 6666)", shown, g->timeout / 1000.0 * g->tries);
}

/* ---- bytes in ---- */

/* The next byte; -1: none came by then, -2: the connection is lost. */
static int get_byte(Gdb *g, int64_t until)
{
    if (g->at == g->n) {
        ssize_t k = link_read(g->link, g->got, sizeof g->got, until);

        g->at = 0;
        g->n = k > 0 ? (size_t)k : 0;
        if (k <= 0)
            return k ? -2 : -1;
        g->received += k;
    }
    return g->got[g->at++];
}

static bool flush_ack(Gdb *g, char sign)
{
    g->owes = false;
    return g->noack || link_write(g->link, &sign, 1, link_now() + 1000);
}

/* The text of a packet up to #, its runs and escapes resolved.  -1, -2: as
 * get_byte; -3: another packet began, -4: it is too long or malformed. */
static int get_text(Gdb *g, unsigned *sum, int64_t until)
{
    int c, last = -1;

    g->len = 0;
    for (*sum = 0;; *sum += (unsigned)c) {
        c = get_byte(g, until);
        if (c < 0 || c == '#')
            break;
        if (c == '$')
            return -3;
        if (c == '}' || c == '*') {
            int d = get_byte(g, until);

            if (d < 0 || d == '#')
                return d < 0 ? d : -4;
            *sum += (unsigned)d;
            if (c == '*') {
                int times = d - 29;

                if (last < 0 || times < 3 ||
                    g->len + (size_t)times > GDB_MOST)
                    return -4;
                memset(g->answer + g->len, last, (size_t)times);
                g->len += (size_t)times;
                continue;
            }
            last = d ^ 0x20;
        } else
            last = c;
        if (g->len == GDB_MOST)
            return -4;
        g->answer[g->len++] = (char)last;
    }
    g->answer[g->len] = 0;
    return c < 0 ? c : 0;
}

static bool right_sum(Gdb *g, unsigned sum, int64_t until)
{
    int hi = get_byte(g, until), lo = hi < 0 ? hi : get_byte(g, until);

    return gdb_hex(hi) >= 0 && gdb_hex(lo) >= 0 &&
           (unsigned)(gdb_hex(hi) << 4 | gdb_hex(lo)) == (sum & 255);
}

/* A notification: nobody asked for those.  The digit before the last byte of
 * its sum, or as get_byte. */
static int skip_notification(Gdb *g, int64_t until)
{
    int c;

    do
        c = get_byte(g, until);
    while (c >= 0 && c != '#');
    return c < 0 ? c : get_byte(g, until);
}

/* Looks for the begin of a packet.  '$'; '-': the last one shall be sent
 * again; or as get_byte.  What ends like a packet whose begin was lost is
 * wanted once more. */
static int find_begin(Gdb *g, int64_t until)
{
    bool headless = false;
    int c;

    while ((c = get_byte(g, until)) >= 0 && c != '$') {
        if (c == '%') {
            c = skip_notification(g, until);
            if (c >= 0)
                c = get_byte(g, until);
            if (c < 0)
                return c;
        } else if (c == '+' && !headless) {
            g->heard = true;
        } else if (c == '-' && !headless && !g->noack) {
            return c;
        } else if (c != '#') {
            headless = true;
        } else if (headless) {
            headless = false;
            if (get_byte(g, until) < 0 || get_byte(g, until) < 0 ||
                !flush_ack(g, '-'))
                return -1;
        }
    }
    return c;
}

/* 1: a packet, 0: not by then, -1: lost, 2: send it again. */
static int receive(Gdb *g, int64_t until)
{
    unsigned sum;
    int c, k;

    while ((c = find_begin(g, until)) == '$') {
        g->half = true;
        do
            k = get_text(g, &sum, until);
        while (k == -3);
        if (k == -1 || k == -2)
            return k == -1 ? 0 : -1;
        if (k || !right_sum(g, sum, until)) {
            if (link_now() > until || !flush_ack(g, '-'))
                return 0;
            continue;
        }
        g->owes = !g->noack;
        g->heard = true;
        g->half = false;
        return 1;
    }
    return c == '-' ? 2 : c == -1 ? 0 : -1;
}

bool gdb_want_again(Gdb *g)
{
    g->half = false;
    return flush_ack(g, '-');
}

bool gdb_send_again(Gdb *g)
{
    return link_write(g->link, g->out, g->nout, link_now() + g->timeout) ||
           lost(g);
}

int gdb_receive(Gdb *g, int64_t until)
{
    int k;

    do
        k = receive(g, until);
    while (k == 2 && link_now() < until && gdb_send_again(g));
    if (k < 0)
        lost(g);
    return k == 2 ? 0 : k;
}

/* ---- bytes out ---- */

/* Whatever else may come of a packet that was sent twice. */
static void drain(Gdb *g)
{
    int64_t end = link_now() + 20 * DRAIN;

    g->again = false;
    while (link_now() < end && receive(g, link_now() + DRAIN) == 1)
        if (g->owes)
            flush_ack(g, '+');
}

bool gdb_send(Gdb *g, const void *p, size_t n, int64_t until)
{
    const unsigned char *s = p;
    char end[3], *buf = g->out;
    unsigned sum = 0;
    size_t i, k = 0;

    if (g->lost)
        return gdb_fail(g, "the session is over");
    if (g->again)
        drain(g);
    if (n > GDB_MOST)
        return gdb_fail(g, "a packet of %zu bytes is too long", n);
    if (g->owes)
        buf[k++] = '+';
    buf[k++] = '$';
    memcpy(buf + k, s, n);
    for (i = 0; i < n; i++)
        sum += s[i];
    snprintf(end, sizeof end, "%02x", sum & 255);
    k += n;
    buf[k++] = '#';
    buf[k++] = end[0];
    buf[k++] = end[1];
    g->owes = g->heard = g->half = false;
    g->nout = k;
    g->sent += (int64_t)k;
    return link_write(g->link, buf, k, until) || lost(g);
}

bool gdb_is_console(Gdb *g)
{
    char byte;
    size_t i;

    if (g->answer[0] != 'O' || gdb_is_ok(g) || gdb_hex(g->answer[1]) < 0)
        return false;
    for (i = 1; i + 1 < g->len && g->console.n < 1 << 20; i += 2)
        if (gdb_from_hex(g->answer + i, &byte, 1))
            str_mem(&g->console, &byte, 1);
    return true;
}

bool gdb_ask_bytes(Gdb *g, const void *p, size_t n)
{
    enum { REFUSED = 4 };
    int64_t end = 0;
    int i, k = 2, refused = 0;

    for (i = 0; i < g->tries && k != 1; i++) {
        end = link_now() + g->timeout + (int64_t)n / 2;
        g->again |= i > 0 && k == 0;
        if (!gdb_send(g, p, n, end))
            return false;
        while ((k = receive(g, end)) == 1 && gdb_is_console(g))
            ;
        if (k < 0)
            return lost(g);
        if (k == 2 && refused++ < REFUSED)
            i--; /* it is there, and wants it again */
    }
    g->trips++;
    return k == 1 || no_answer(g, p, n);
}

bool gdb_ask(Gdb *g, const char *fmt, ...)
{
    char s[1024];
    va_list ap;
    int n;

    va_start(ap, fmt);
    n = vsnprintf(s, sizeof s, fmt, ap);
    va_end(ap);
    if (n < 0 || n >= (int)sizeof s)
        return gdb_fail(g, "a question of %d bytes is too long", n);
    return gdb_ask_bytes(g, s, (size_t)n);
}
