/* A session: what a gdb server has, and what its target does. */
#include "dev/gdb.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

int gdb_answer_ms = 3000;

enum { TRIES = 3, PLAIN = 400 };
static const size_t MOST_PACKET = 1 << 16;

/* ---- connecting ---- */

static bool offers(const Gdb *g, const char *what)
{
    const char *s = g->answer;
    size_t n = strlen(what);

    for (; *s; s += strcspn(s, ";"), s += *s == ';')
        if (!strncmp(s, what, n) && s[n] == '+')
            return true;
    return false;
}

static bool ask_supported(Gdb *g)
{
    const char *size;

    if (!gdb_ask(g, "qSupported:swbreak+;hwbreak+;xmlRegisters=arm,riscv"))
        return false;
    size = strstr(g->answer, "PacketSize=");
    if (*g->answer && !strchr(g->answer, '=') && !strchr(g->answer, '+') &&
        !strchr(g->answer, '-'))
        return gdb_fail(g, "'%.40s' is no answer of a gdb server: another port,"
            " or the answer to another client's question", g->answer);
    g->packet = size ? strtoul(size + 11, NULL, 16) : PLAIN;
    if (g->packet < 128)
        return gdb_fail(g, "the server takes packets of %zu bytes only: it is "
            "too old, or damaged", g->packet);
    g->packet = MIN(g->packet, MOST_PACKET);
    g->has_features = offers(g, "qXfer:features:read");
    g->has_map = offers(g, "qXfer:memory-map:read");
    g->has_x = offers(g, "binary-upload");
    if (offers(g, "QStartNoAckMode")) {
        if (!gdb_ask(g, "QStartNoAckMode"))
            return false;
        if (gdb_is_ok(g)) {
            if (g->owes)
                link_write(g->link, "+", 1, link_now() + 1000);
            g->owes = false;
            g->noack = true;
        }
    }
    return true;
}

/* Who is it?  Each is asked only what does no harm elsewhere. */
static bool ask_kind(Gdb *g)
{
    if (!gdb_ask(g, "qqemu.sstep"))
        return false;
    if (str_starts(g->answer, "0x")) {
        g->kind = GDB_qemu;
        return true;
    }
    if (!gdb_monitor(g, "version"))
        return !g->lost;
    if (strstr(g->console.s, "Open On-Chip Debugger"))
        g->kind = GDB_openocd;
    else if (strstr(g->console.s, "tilewright sim"))
        g->kind = GDB_sim;
    return true;
}

static bool parse_stop(Gdb *g, GdbStop *s)
{
    const char *p;
    unsigned char n = 0;

    *s = (GdbStop){.kind = *g->answer};
    if (!strchr("TSWX", *g->answer) || !gdb_from_hex(g->answer + 1, &n, 1))
        return false;
    s->signal = n;
    if (s->kind == 'S')
        s->kind = 'T';
    for (p = g->answer + 3; s->kind == 'T' && *p;
         p += strcspn(p, ";"), p += *p == ';')
        if (strstr(p, "watch:") == p || strstr(p, "swbreak") == p ||
            strstr(p, "hwbreak") == p)
            snprintf(s->reason, sizeof s->reason, "%.*s",
                     (int)strcspn(p, ";"), p);
    return true;
}

static bool interrupt(Gdb *g)
{
    return link_write(g->link, "\3", 1, link_now() + 1000);
}

/* A server that does not say how its target is has it running. */
static bool ask_state(Gdb *g)
{
    GdbStop s;

    if (!gdb_ask(g, "?"))
        return false;
    if (parse_stop(g, &s)) {
        if (s.kind != 'T')
            g->lost = true;
        return s.kind == 'T' ||
               gdb_fail(g, "the program on the target has ended");
    }
    if (!*g->answer || g->answer[0] == 'N' || gdb_is_ok(g)) {
        g->running = true;
        return gdb_halt(g);
    }
    return gdb_fail(g, "'%.40s' does not say whether the target has stopped: "
        "out of step with the server; connect again", g->answer);
}

static bool begin(Gdb *g)
{
    if (!ask_supported(g) || !ask_state(g) || !ask_kind(g))
        return false;
    gdb_read_target(g);
    if (g->lost || !gdb_ask(g, "X0,0:"))
        return false;
    g->has_X = gdb_is_ok(g);
    g->trips = 0;
    return true;
}

Gdb *gdb_open(Arena *a, const char *where, int patience, const char **why)
{
    Link *l = link_open(a, where, patience, why);
    Gdb *g;

    if (!l)
        return NULL;
    g = NEW(a, Gdb);
    g->mem = g->console.mem = a;
    g->link = l;
    g->timeout = gdb_answer_ms;
    g->tries = TRIES;
    g->answer = arena_get(a, GDB_MOST + 1, 1);
    g->out = arena_get(a, GDB_MOST + 8, 1);
    str_put(&g->console, "");
    if (begin(g))
        return g;
    *why = g->why;
    link_close(l);
    return NULL;
}

void gdb_close(Gdb *g)
{
    if (!g->lost && g->link->child)
        gdb_send(g, "k", 1, link_now() + 200);
    link_close(g->link);
    g->lost = true;
}

/* ---- running ---- */

/* c or s */
static bool go(Gdb *g, char how)
{
    g->going = how;
    if (!gdb_send(g, &how, 1, link_now() + g->timeout))
        return false;
    g->running = true;
    return true;
}

bool gdb_continue(Gdb *g)
{
    return go(g, 'c');
}

/* A packet from a target that runs, or was told to.  A server that acknowledges
 * and did not hear that is told again; if it had heard, it stops for it. */
static int receive(Gdb *g, int64_t until, bool *twice)
{
    int k;

    do {
        k = gdb_receive(g, g->noack ? until
                                    : MIN(until, link_now() + g->timeout));
        if (k || g->noack || link_now() >= until)
            return k;
        *twice |= !g->heard;
    } while (!g->heard ? gdb_send_again(g) : !g->half || gdb_want_again(g));
    return -1;
}

/* 1: stopped, 0: not by then, -1: failed. */
static int wait_until(Gdb *g, int64_t until, GdbStop *stop)
{
    bool twice = false;
    int k;

    while ((k = receive(g, until, &twice)) == 1) {
        if (parse_stop(g, stop)) {
            if (twice && stop->kind == 'T' && stop->signal == 2 &&
                go(g, g->going)) {
                twice = false;
                continue;
            }
            g->running = false;
            g->trips++;
            return 1;
        }
        if (!gdb_is_console(g) && *g->answer == 'F' && !gdb_file(g))
            return -1;
        if (gdb_is_error(g) || !*g->answer) {
            g->running = false;
            gdb_fail(g, "the server does not let the target run (%.20s): it is "
                "locked, asleep, or has no power", g->answer);
            return -1;
        }
        if (link_now() > until)
            return 0;
    }
    return k;
}

bool gdb_halt(Gdb *g)
{
    GdbStop s;
    int i, k = 0;

    for (i = 0; i < 2 && g->running && !k; i++) {
        if (!interrupt(g))
            break;
        g->heard = true; /* it is not to go on again */
        k = wait_until(g, link_now() + g->timeout, &s);
    }
    if (g->lost && !*g->why)
        return gdb_fail(g, "the session is over");
    if (k < 0 || g->lost)
        return false;
    if (g->running && gdb_ask(g, "?") && parse_stop(g, &s))
        g->running = false; /* it had never begun */
    return !g->running || gdb_fail(g, "the target does not stop when it is "
        "told to: asleep, held in reset, or without clock; reset it, or "
        "connect under reset");
}

bool gdb_wait(Gdb *g, int ms, GdbStop *stop)
{
    int k = wait_until(g, link_now() + ms, stop);
    uint64_t pc = 0;

    if (k)
        return k > 0;
    if (!gdb_halt(g))
        return false;
    gdb_reg_get(g, "pc", &pc);
    return gdb_fail(g, "the target did not stop in %.1f s: it hangs at pc=0x%08"
                    PRIx64 ", or needs longer", ms / 1000.0, pc);
}

bool gdb_step(Gdb *g)
{
    GdbStop s;

    return go(g, 's') && gdb_wait(g, g->timeout, &s);
}

bool gdb_break(Gdb *g, uint64_t at, int bytes, bool on)
{
    int kind, first = gdb_flash_at(g, at) != NULL; /* hardware's, there */

    for (kind = 0; kind < 2; kind++) {
        if (!gdb_ask(g, "%c%d,%" PRIx64 ",%d", on ? 'Z' : 'z', kind ^ first,
                     at, bytes))
            return false;
        if (gdb_is_ok(g))
            return true;
    }
    return gdb_fail(g, "the server sets no breakpoint at 0x%08" PRIx64
        " (%.20s): no memory there, or all comparators are used", at,
        *g->answer ? g->answer : "not supported");
}

/* ---- commands of the server's own ---- */

bool gdb_monitor(Gdb *g, const char *command)
{
    char s[600] = "qRcmd,";
    size_t n = strlen(command), i;

    if (n > 250)
        return gdb_fail(g, "a command of %zu bytes is too long", n);
    for (i = 0; i < n; i++)
        sprintf(s + 6 + 2 * i, "%02x", (unsigned char)command[i]);
    g->console.n = 0;
    str_put(&g->console, "");
    if (!gdb_ask(g, "%s", s))
        return false;
    if (gdb_is_error(g))
        return gdb_fail(g, "the server's command '%s' failed: %.200s", command,
                        g->console.s);
    if (!*g->answer)
        return gdb_fail(g, "the server has no commands of its own, such as "
                        "'%s'", command);
    for (i = 0; !gdb_is_ok(g) && i + 1 < g->len; i += 2) {
        char c;

        if (gdb_from_hex(g->answer + i, &c, 1))
            str_mem(&g->console, &c, 1);
    }
    return true;
}

bool gdb_reset(Gdb *g)
{
    const char *how = g->kind == GDB_qemu ? "system_reset" : "reset halt";

    if (g->running && !gdb_halt(g))
        return false;
    return gdb_monitor(g, how);
}
