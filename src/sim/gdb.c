/* A debugger's stub: the remote serial protocol of gdb on a TCP port,
 * or on standard input and output.
 *
 * The program waits at its first instruction until gdb says go.  Threads are
 * the cores of the first chip that have started, numbered from 1.  Software
 * breakpoints never touch memory: they are a list, asked before every
 * instruction (core.c runs a table of its own then, so nobody else pays). */
#include "sim/stub.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* ---- packets ---- */

/* The next byte that gdb sent, or -1 when it has left. */
static int get_byte(Gdb *g)
{
    if (g->at_in == g->n_in && !g->gone) {
        ssize_t n = read(g->fd, g->got, sizeof g->got);

        g->at_in = 0;
        g->n_in = n > 0 ? (size_t)n : 0;
        g->gone = n <= 0;
    }
    return g->gone ? -1 : g->got[g->at_in++];
}

static void put_bytes(Gdb *g, const char *s, size_t n)
{
    while (n && !g->gone) {
        ssize_t k = write(g->to, s, n);

        if (k <= 0)
            g->gone = true;
        else
            s += k, n -= (size_t)k;
    }
}

/* One packet in one write, and the acknowledgement of gdb's before it. */
static void reply(Gdb *g, const char *s)
{
    char packet[PACKET + 8], *p = packet;
    unsigned sum = 0;
    const char *q;

    if (g->owes)
        *p++ = '+';
    g->owes = false;
    *p++ = '$';
    for (q = s; *q; q++) {
        sum += (unsigned char)*q;
        *p++ = *q;
    }
    p += sprintf(p, "#%02x", sum & 255);
    put_bytes(g, packet, (size_t)(p - packet));
}

/* The program goes on, the answer comes later: the acknowledgement does not. */
static void acknowledge(Gdb *g)
{
    if (g->owes)
        put_bytes(g, "+", 1);
    g->owes = false;
}

/* The next packet in g->in; false when gdb has left. */
static bool get_packet(Gdb *g)
{
    size_t n = 0;
    int c;

    while ((c = get_byte(g)) != '$')
        if (c < 0)
            return false;
    while ((c = get_byte(g)) >= 0 && c != '#')
        if (n + 1 < PACKET)
            g->in[n++] = (char)c;
    g->in[n] = 0;
    get_byte(g);
    get_byte(g);
    g->owes = true;
    return !g->gone;
}

/* ---- cores ---- */

static int number_of(Gdb *g, const Core *c)
{
    int n;

    for (n = 1; stub_core(g, n) && stub_core(g, n) != c; n++)
        ;
    return n;
}

static void put_byte(char *s, unsigned v)
{
    s[0] = "0123456789abcdef"[v >> 4 & 15];
    s[1] = "0123456789abcdef"[v & 15];
    s[2] = 0;
}

static void put_word(char *s, uint32_t v)
{
    int i;

    for (i = 0; i < 4; i++)
        put_byte(s + 2 * i, v >> 8 * i);
}

static uint32_t get_word(const char *s)
{
    char b[3] = "";
    uint32_t v = 0;
    int i;

    for (i = 0; i < 4 && s[2 * i] && s[2 * i + 1]; i++) {
        memcpy(b, s + 2 * i, 2);
        v |= (uint32_t)strtoul(b, NULL, 16) << 8 * i;
    }
    return v;
}

/* ---- commands ---- */

static void read_regs(Gdb *g)
{
    unsigned i;

    for (i = 0; i <= PC; i++)
        put_word(g->out + 8 * i, stub_get(g->now, i));
    reply(g, g->out);
}

static void write_regs(Gdb *g)
{
    unsigned i;

    for (i = 0; i <= PC && strlen(g->in) >= 1 + 8 * (i + 1); i++)
        stub_set(g->now, i, get_word(g->in + 1 + 8 * i));
    reply(g, "OK");
}

static void one_reg(Gdb *g)
{
    char *end;
    unsigned n = (unsigned)strtoul(g->in + 1, &end, 16);

    if (*g->in == 'P' && *end == '=') {
        stub_set(g->now, n, get_word(end + 1));
        reply(g, "OK");
        return;
    }
    put_word(g->out, stub_get(g->now, n));
    reply(g, g->out);
}

static void read_memory(Gdb *g)
{
    char *end;
    uint32_t at = (uint32_t)strtoul(g->in + 1, &end, 16);
    uint32_t n = *end ? (uint32_t)strtoul(end + 1, NULL, 16) : 0, i;
    Ram *r;

    n = MIN(n, PACKET / 2 - 1);
    r = ram_find(&g->sim->chip[0], at, n);
    if (!r || !n) {
        reply(g, "E01");
        return;
    }
    for (i = 0; i < n; i++)
        put_byte(g->out + 2 * i, r->data[at - r->base + i]);
    reply(g, g->out);
}

static void write_memory(Gdb *g)
{
    char *end, byte[3] = "";
    uint32_t at = (uint32_t)strtoul(g->in + 1, &end, 16), n, i;
    Chip *c = &g->sim->chip[0];
    Ram *r;

    n = *end ? (uint32_t)strtoul(end + 1, &end, 16) : 0;
    r = n ? ram_find(c, at, n) : NULL;
    if (!r || *end != ':' || strlen(end + 1) < 2 * (size_t)n) {
        reply(g, n ? "E01" : "OK");
        return;
    }
    for (i = 0; i < n; i++) {
        memcpy(byte, end + 1 + 2 * i, 2);
        r->data[at - r->base + i] = (uint8_t)strtoul(byte, NULL, 16);
    }
    code_changed(c, r, at - r->base, n);
    code_flush(c);
    reply(g, "OK");
}

static void set_break(Gdb *g, bool on)
{
    uint32_t at;
    int i;

    if (strncmp(g->in + 1, "0,", 2) && strncmp(g->in + 1, "1,", 2)) {
        reply(g, "");
        return;
    }
    at = (uint32_t)strtoul(g->in + 3, NULL, 16);
    for (i = 0; i < g->nbreak && g->at[i] != at; i++)
        ;
    if (on && i == g->nbreak && i < BREAKS)
        g->at[g->nbreak++] = at;
    else if (!on && i < g->nbreak)
        g->at[i] = g->at[--g->nbreak];
    reply(g, "OK");
}

static void choose_thread(Gdb *g, const char *number)
{
    Core *c = stub_core(g, (int)strtol(number, NULL, 16));

    if (c)
        g->now = c;
    reply(g, "OK");
}

static void list_threads(Gdb *g)
{
    size_t n = 1;
    int i;

    strcpy(g->out, "m");
    for (i = 1; stub_core(g, i); i++)
        n += (size_t)sprintf(g->out + n, i > 1 ? ",%x" : "%x", (unsigned)i);
    reply(g, g->out);
}

static void name_thread(Gdb *g, const char *number)
{
    Core *c = stub_core(g, (int)strtol(number, NULL, 16));
    const char *s = c ? c->count.name : "?";
    size_t n = 0;

    for (; *s; s++)
        n += (size_t)sprintf(g->out + n, "%02x", (unsigned char)*s);
    reply(g, g->out);
}

/* qRcmd: the one command is version. */
static void command(Gdb *g, const char *hex)
{
    static const char version[] = "tilewright sim\n";
    size_t i;

    if (strcmp(hex, "76657273696f6e")) {
        reply(g, "E01");
        return;
    }
    for (i = 0; version[i]; i++)
        put_byte(g->out + 2 * i, (unsigned char)version[i]);
    reply(g, g->out);
}

static void query(Gdb *g)
{
    static const char target[] = "qXfer:features:read:target.xml:";

    if (str_starts(g->in, "qSupported"))
        reply(g, "PacketSize=1fff;qXfer:features:read+;swbreak+");
    else if (str_starts(g->in, target))
        reply(g, "l<?xml version=\"1.0\"?><target version=\"1.0\">"
                 "<architecture>riscv:rv32</architecture></target>");
    else if (!strcmp(g->in, "qC")) {
        sprintf(g->out, "QC%x", (unsigned)number_of(g, g->now));
        reply(g, g->out);
    } else if (!strcmp(g->in, "qAttached"))
        reply(g, "1");
    else if (!strcmp(g->in, "qfThreadInfo"))
        list_threads(g);
    else if (!strcmp(g->in, "qsThreadInfo"))
        reply(g, "l");
    else if (str_starts(g->in, "qThreadExtraInfo,"))
        name_thread(g, g->in + 17);
    else if (str_starts(g->in, "qRcmd,"))
        command(g, g->in + 6);
    else
        reply(g, "");
}

static void say_why(Gdb *g)
{
    sprintf(g->out, "T%02xthread:%x;", (unsigned)g->signal,
            (unsigned)number_of(g, g->now));
    reply(g, g->out);
}

/* vCont;s:2;c and the like: the first action counts. */
static bool resume_as_told(Gdb *g)
{
    const char *s = g->in + 5;
    const char *to;

    if (*s == '?') {
        reply(g, "vCont;c;s;C;S");
        return false;
    }
    to = strchr(s, ':');
    if (to && (s[1] == 's' || s[1] == 'S')) {
        Core *c = stub_core(g, (int)strtol(to + 1, NULL, 16));

        if (c)
            g->now = c;
    }
    stub_resume(g, s[1] == 's' || s[1] == 'S');
    return true;
}

/* Does one packet; true if the program is to run again. */
static bool obey(Gdb *g)
{
    switch (*g->in) {
    case '?': say_why(g); break;
    case 'g': read_regs(g); break;
    case 'G': write_regs(g); break;
    case 'p': case 'P': one_reg(g); break;
    case 'm': read_memory(g); break;
    case 'M': write_memory(g); break;
    case 'Z': set_break(g, true); break;
    case 'z': set_break(g, false); break;
    case 'H': choose_thread(g, g->in + 2); break;
    case 'T': reply(g, stub_core(g, (int)strtol(g->in + 1, NULL, 16)) ? "OK"
                                                                 : "E01");
        break;
    case 'q': query(g); break;
    case 'c': case 's': stub_resume(g, *g->in == 's'); return true;
    case 'v':
        if (str_starts(g->in, "vCont"))
            return resume_as_told(g);
        reply(g, "");
        break;
    case 'D': reply(g, "OK"); g->gone = true; break;
    case 'k': g->gone = g->sim->done = true; break;
    default: reply(g, "");
    }
    return false;
}

static void talk(Gdb *g)
{
    if (g->probe) {
        probe_talk(g);
        return;
    }
    while (!g->gone && get_packet(g)) {
        bool on = obey(g);

        acknowledge(g);
        if (on)
            return;
    }
    g->gone = true;
    g->sim->done |= !g->fd; /* nobody else will come */
}

/* ---- towards the simulator ---- */

/* Waits for somebody to connect; -1: on standard input and output. */
static void open_port(Gdb *g, int port, const char *whom)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd, on = 1;

    if (port < 0) {
        g->fd = 0;
        g->to = 1;
        return;
    }
    fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd >= 0)
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof at) ||
        listen(fd, 1))
        err(ERR_TOOL, "port %d cannot be opened", port);
    fprintf(stderr, "waiting for %s%d\n", whom, port);
    g->fd = g->to = accept(fd, NULL, NULL);
    close(fd);
    setsockopt(g->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

void stub_open(Sim *s)
{
    const int port = s->opt.gdb_port ? s->opt.gdb_port : s->opt.jtag_port;
    Gdb *g;

    if (!port)
        return;
    g = s->gdb = NEW(s->mem, Gdb);
    g->sim = s;
    g->signal = TRAP;
    signal(SIGPIPE, SIG_IGN);
    open_port(g, port, s->opt.gdb_port ? "gdb: target remote :"
                                       : "OpenOCD: remote_bitbang port ");
    g->gone = g->fd < 0;
    g->now = stub_core(g, 1);
    if (!g->now)
        return;
    if (!s->opt.gdb_port)
        probe_begin(g);
    talk(g);
}

/* What the simulator has to say of a fault, for the console. */
static void say_fault(Gdb *g, const char *s)
{
    size_t n = 1;

    strcpy(g->out, "O");
    for (; *s && n + 3 < PACKET; s++, n += 2)
        put_byte(g->out + n, (unsigned char)*s);
    reply(g, g->out);
}

/* After the loops were left: a breakpoint, a fault, or the end. */
void stub_stopped(Sim *s)
{
    Gdb *g = s->gdb;

    if (g && g->gone && !g->fd)
        s->done = true;
    if (!g || g->gone) {
        if (!g)
            s->done = true;
        return;
    }
    if (g->probe) {
        if (!s->done)
            probe_stopped(g);
        return;
    }
    if (s->done && s->res->ok) {
        sprintf(g->out, "W%02x", s->res->status & 255);
        reply(g, g->out);
        g->gone = true;
        return;
    }
    if (s->done) {
        g->signal = SEGV;
        say_fault(g, s->res->fault);
    }
    say_why(g);
    talk(g);
    if (s->done && !g->gone)
        reply(g, "X0b");
}

static bool interrupted(Gdb *g)
{
    struct pollfd p = {.fd = g->fd, .events = POLLIN};

    int c;

    if (g->probe)
        return probe_halts(g);
    if (++g->asked % ASK_EVERY ||
        (g->at_in == g->n_in && poll(&p, 1, 0) <= 0))
        return false;
    c = get_byte(g);
    return c == 3 || (c < 0 && !g->fd);
}

bool gdb_breaks(Core *c, uint32_t pc)
{
    Gdb *g = c->chip->sim->gdb;
    int i;

    if (g->gone || c->chip->id)
        return false;
    if (interrupted(g))
        return stub_stop(g, c, INT);
    if (c == g->skip) {
        g->skip = NULL;
        return false;
    }
    if (c == g->step)
        return stub_stop(g, c, TRAP);
    for (i = 0; i < g->nbreak; i++)
        if (g->at[i] == pc)
            return stub_stop(g, c, TRAP);
    return false;
}

void gdb_trapped(Core *c)
{
    stub_stop(c->chip->sim->gdb, c, TRAP);
}

void stub_close(Sim *s)
{
    if (s->gdb && s->gdb->fd > 0)
        close(s->gdb->fd);
}
