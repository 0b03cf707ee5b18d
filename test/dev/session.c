/* session fuzz SEED N: sessions with a gdb server that answers wrongly, in
 * every way it can think of; each must end, with an answer or with a reason.
 * session right: the same calls with a server that answers rightly, and what
 * they give.  The server is this program, behind a socket. */
#include "dev/gdb.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RAM = 0x20000000, SIZE = 4096, REGS = 26, ROOM = 1 << 18 };

static uint64_t seed;

static uint32_t draw(uint32_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % n;
}

/* ---- the server ---- */

typedef struct Server {
    int fd;
    bool wrong, noack, quiet;
    unsigned char ram[SIZE], flash[SIZE], reg[REGS][4];
    bool flashing;        /* until vFlashDone nothing is read of it */
    char in[ROOM], out[ROOM];
} Server;

static void put(Server *s, const void *p, size_t n)
{
    if (send(s->fd, p, n, MSG_NOSIGNAL) < 0)
        _exit(0);
}

static void reply_n(Server *s, const char *text, size_t n)
{
    static char b[2 * ROOM + 8];
    unsigned sum = 0;
    size_t i;

    b[0] = '$';
    for (i = 0; i < n; i++)
        sum += (unsigned char)(b[1 + i] = text[i]);
    snprintf(b + 1 + n, 4, "#%02x", sum & 255);
    put(s, b, n + 4);
}

static void reply(Server *s, const char *text)
{
    reply_n(s, text, strlen(text));
}

static void reply_hex(Server *s, const unsigned char *p, size_t n)
{
    size_t i;

    for (i = 0; i < n; i++)
        sprintf(s->out + 2 * i, "%02x", p[i]);
    reply(s, s->out);
}

static const char target[] = "<target><architecture>arm</architecture>"
    "<xi:include href=\"core.xml\"/></target>";
static const char core[] = "<feature><reg name='r0' bitsize='32' regnum='0'/>"
    "<reg name=\"r1\" bitsize=\"32\"/><reg name=\"sp\" bitsize=\"32\" "
    "regnum=\"13\"/><reg name=\"lr\" bitsize=\"32\"/><reg name=\"pc\" "
    "bitsize=\"32\"/><reg name=\"xpsr\" bitsize=\"32\" regnum=\"25\"/>"
    "</feature>";
static const char map[] = "<memory-map><memory type=\"ram\" start=\"0x20000000"
    "\" length=\"0x1000\"/><memory type=\"flash\" start=\"0x0\" length=\"4096\">"
    "<property name=\"blocksize\">0x80</property></memory></memory-map>";

static void send_part(Server *s, const char *text)
{
    const char *comma = strrchr(s->in, ',');
    const char *colon = strrchr(s->in, ':');
    size_t at = strtoul(colon + 1, NULL, 16);
    size_t n = strtoul(comma + 1, NULL, 16), all = strlen(text);

    at = MIN(at, all);
    n = MIN(MIN(n, 50), all - at);
    s->out[0] = at + n == all ? 'l' : 'm';
    memcpy(s->out + 1, text + at, n);
    reply_n(s, s->out, n + 1);
}

/* Of flash blocks of 128 bytes are erased, bits are only cleared. */
static void flash(Server *s, size_t len)
{
    const char *p = strchr(s->in, ':');
    char *end;
    size_t at = p ? strtoul(p + 1, &end, 16) : 0, n, i;

    if (str_starts(s->in, "vFlashErase:")) {
        n = strtoul(end + 1, NULL, 16);
        s->flashing = true;
        if (at % 128 || n % 128 || at > SIZE || n > SIZE - at) {
            reply(s, "E01");
            return;
        }
        memset(s->flash + at, 255, n);
    } else if (str_starts(s->in, "vFlashWrite:")) {
        for (p = end + 1, i = at; p < s->in + len && i < SIZE; i++, p++)
            s->flash[i] &= *p == '}' ? (unsigned char)*++p ^ 0x20
                                     : (unsigned char)*p;
        if (p < s->in + len) {
            reply(s, "E02");
            return;
        }
    } else {
        s->flashing = false;
    }
    reply(s, "OK");
}

static void memory(Server *s, size_t len)
{
    char *end;
    uint32_t at = (uint32_t)strtoul(s->in + 1, &end, 16) - RAM;
    size_t n = strtoul(end + 1, &end, 16), i, k = 0;
    const char *p = end + 1;

    if (s->in[0] == 'X' && !n) {
        reply(s, "OK");
    } else if (s->in[0] == 'm' && at + RAM < SIZE && !s->flashing) {
        at += RAM;
        reply_hex(s, s->flash + at, MIN(n, SIZE - at));
    } else if (at > SIZE || n > SIZE - at) {
        reply(s, "E01");
    } else if (s->in[0] == 'm') {
        reply_hex(s, s->ram + at, n);
    } else if (s->in[0] == 'M') {
        for (i = 0; i < n; i++)
            s->ram[at + i] = (unsigned char)(gdb_hex(p[2 * i]) << 4 |
                                             gdb_hex(p[2 * i + 1]));
        reply(s, "OK");
    } else {
        for (i = 0; i < n && p + k < s->in + len; i++, k++)
            s->ram[at + i] = p[k] == '}' ? (unsigned char)p[++k] ^ 0x20
                                         : (unsigned char)p[k];
        reply(s, i == n && p + k == s->in + len ? "OK" : "E02");
    }
}

static void right(Server *s, size_t len)
{
    const char *in = s->in;
    unsigned n = (unsigned)strtoul(in + 1, NULL, 16);

    if (str_starts(in, "qSupported"))
        reply(s, "PacketSize=200;qXfer:features:read+;qXfer:memory-map:read+;"
                 "QStartNoAckMode+");
    else if (str_starts(in, "qXfer:features:read:target.xml"))
        send_part(s, target);
    else if (str_starts(in, "qXfer:features:read:core.xml"))
        send_part(s, core);
    else if (str_starts(in, "qXfer:memory-map"))
        send_part(s, map);
    else if (!strcmp(in, "QStartNoAckMode")) {
        reply(s, "OK");
        s->noack = true;
    } else if (str_starts(in, "qRcmd")) {
        reply(s, "O48656c6c6f0a");
        reply(s, "OK");
    } else if (*in == '?' || *in == 'c' || *in == 's')
        reply(s, "T05thread:1;swbreak:;");
    else if (str_starts(in, "vFlash"))
        flash(s, len);
    else if (*in == 'm' || *in == 'M' || *in == 'X')
        memory(s, len);
    else if (*in == 'p' && n < REGS)
        reply_hex(s, s->reg[n], 4);
    else if (*in == 'P' && n < REGS && strchr(in, '=')) {
        gdb_from_hex(strchr(in, '=') + 1, s->reg[n], 4);
        reply(s, "OK");
    } else if (*in == 'Z' || *in == 'z')
        reply(s, in[1] == '0' ? "" : "OK");
    else
        reply(s, "");
}

static void put_noise(Server *s)
{
    size_t n = draw(300), i;

    for (i = 0; i < n; i++)
        s->out[i] = (char)draw(256);
    put(s, s->out, n);
}

static void reply_long(Server *s)
{
    size_t n = ROOM - 10 - draw(ROOM / 2);

    memset(s->out, "0aOTm"[draw(5)], n);
    reply_n(s, s->out, n);
}

static void reply_slowly(Server *s)
{
    static const char text[] = "$OK#9a";
    size_t i;

    for (i = 0; i < sizeof text - 1; i++) {
        put(s, text + i, 1);
        usleep(draw(8000));
    }
}

static void reply_random(Server *s)
{
    static const char *const texts[] = {
        "", "E01", "E", "OK", "O", "Ozz", "T", "T05", "T05thread", "W00", "X0b",
        "S05", "W", "T05;;;;", "N", "l", "m", "lx", "m<reg name=\"pc\"",
        "l<target><xi:include href=\"target.xml\"/></target>",
        "l<reg name=\"pc\" bitsize=\"99999999\" regnum=\"-5\"/>",
        "l<memory type=\"ram\" start=\"x\" length=\"99999999999999999999\"/>",
        "l<<<<reg name='pc", "PacketSize=0", "PacketSize=ffffffffffffffff",
        "PacketSize=80;binary-upload+", "PacketSize=zz;QStartNoAckMode+",
        "0x7", "Fopen,20000000/6,601,1b6", "Fopen,20000000/ffffffff,0,0",
        "Fread,3,20000000,ffffffff", "Fwrite,1,20000000,10", "Fclose,5",
        "Fclose,1", "Flseek,3,ffffffff,7", "Fsystem,20000000/8", "F",
        "Fxx,,,/,", "aa*", "aa* ", "00*~", "12345", "zzzz", "b", "bxyz",
        "OK;", "QC1", "%Stop:T05"};

    reply(s, texts[draw(LEN(texts))]);
}

static void wrong(Server *s, size_t len)
{
    static const char bad_sum[] = "$OK#00";
    int i;

    switch (draw(14)) {
    case 0: put_noise(s); break;
    case 1: reply_long(s); break;
    case 2: reply_slowly(s); break;
    case 3: put(s, bad_sum, sizeof bad_sum - 1); break;
    case 4: put(s, "-", 1); break;
    case 5: break;
    case 6: _exit(0);
    case 7: for (i = draw(50); i--;) reply(s, "O41"); break;
    case 8: put(s, "$$$m0#", draw(7)); break;
    case 9: put(s, "%Stop:", draw(7)); break;
    case 10: right(s, len); right(s, len); break;
    default: reply_random(s);
    }
}

static void answer(Server *s, size_t len)
{
    if (!s->noack)
        put(s, s->wrong && !draw(6) ? "-" : "+", 1);
    if (s->wrong && !draw(s->quiet ? 12 : 3))
        wrong(s, len);
    else
        right(s, len);
}

static int get(Server *s)
{
    unsigned char c;

    return recv(s->fd, &c, 1, 0) == 1 ? c : -1;
}

_Noreturn static void serve(int listener, bool is_wrong)
{
    static Server s;
    size_t n;
    int c;

    s.fd = accept(listener, NULL, NULL);
    s.wrong = is_wrong;
    s.quiet = draw(3) > 0;
    alarm(20);
    while ((c = get(&s)) >= 0) {
        if (c != '$')
            continue;
        for (n = 0; (c = get(&s)) >= 0 && c != '#' && n < ROOM - 1; n++)
            s.in[n] = (char)c;
        s.in[n] = 0;
        get(&s);
        get(&s);
        answer(&s, n);
    }
    _exit(0);
}

/* ---- the client ---- */

static pid_t begin(const char *path, bool is_wrong)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    pid_t pid;

    snprintf(at.sun_path, sizeof at.sun_path, "%s", path);
    unlink(path);
    if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof at) || listen(fd, 1))
        die("no socket");
    pid = fork();
    if (!pid)
        serve(fd, is_wrong);
    close(fd);
    return pid;
}

/* Of a call: did it go well; if not, has it said why? */
static bool well(Gdb *g, bool done, int *untold)
{
    *untold += !done && !*g->why;
    g->why[0] = 0;
    return done;
}

/* Two stretches that share a block, and then another block. */
static bool use_flash(Gdb *g, const unsigned char *a)
{
    const GdbData two[] = {{0x101, a, 150}, {0x1a0, a + 1000, 700}};
    const GdbData again[] = {{0x800, a + 500, 1}}, beyond[] = {{4000, a, 100}};
    unsigned char b[1];

    return gdb_flash(g, two, 2) && gdb_flash(g, again, 1) &&
           gdb_compare(g, 0x101, a, 150) && gdb_read(g, 0x100, b, 1) &&
           b[0] == 255 && !gdb_flash(g, beyond, 1) &&
           strstr(g->why, "no flash for 100 bytes") && !gdb_flash_at(g, RAM);
}

/* Everything that a session can do; how many of it went well. */
static int use(Gdb *g, int *untold)
{
    static unsigned char a[3000], b[3000];
    GdbStop stop = {0};
    uint64_t v = 0;
    size_t i, n = 1 + draw(sizeof a);
    int ok = 0;

    for (i = 0; i < n; i++)
        a[i] = (unsigned char)draw(256);
    ok += well(g, gdb_write(g, RAM + draw(16), a, n), untold);
    ok += well(g, gdb_load(g, RAM, a, n), untold);
    ok += well(g, gdb_read(g, RAM, b, n), untold) && !memcmp(a, b, n);
    ok += well(g, gdb_reg_set(g, "sp", 0x1234567), untold);
    ok += well(g, gdb_reg_get(g, "sp", &v), untold) && v == 0x1234567;
    ok += well(g, gdb_break(g, RAM, 2, true), untold);
    ok += well(g, gdb_continue(g) && gdb_wait(g, 40, &stop), untold) &&
          stop.signal == 5;
    ok += well(g, gdb_step(g), untold);
    ok += well(g, gdb_monitor(g, "hello"), untold) &&
          !strcmp(g->console.s, "Hello\n");
    ok += well(g, gdb_halt(g) && gdb_reset(g), untold);
    for (i = 0; i < sizeof a; i++)
        a[i] = (unsigned char)draw(256);
    ok += well(g, use_flash(g, a), untold);
    return ok;
}

/* One session; want: calls that must go well. */
static bool one(const char *path, bool is_wrong, int want)
{
    enum { LONG = 15000 }; /* ms */
    Arena *a = arena_new();
    const char *why = NULL, *where = arena_fmt(a, "unix:%s", path);
    int64_t start = link_now(), took;
    pid_t pid = begin(path, is_wrong);
    Gdb *g = gdb_open(a, where, 1000, &why);
    int untold = !g && (!why || !*why), ok = g ? use(g, &untold) : 0;
    bool good = !untold && ok >= want;

    if (want)
        good &= g && g->nreg == 6 && g->narea == 2 &&
                g->area[1].block == 0x80 && g->has_X && g->noack;
    if (g)
        gdb_close(g);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    took = link_now() - start;
    if (!good || took > LONG)
        printf("%d of 11 calls, %d without a reason, in %d ms\n", ok, untold,
               (int)took);
    arena_end(a);
    return good && took <= LONG;
}

int main(int argc, char **argv)
{
    char path[64];
    int i, n = argc > 3 ? atoi(argv[3]) : 1, bad = 0;
    bool fuzz = argc > 2 && !strcmp(argv[1], "fuzz");

    seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
    snprintf(path, sizeof path, "/tmp/tilewright-session-%d", (int)getpid());
    if (fuzz)
        gdb_answer_ms = 25;
    for (i = 0; i < n; i++)
        bad += !one(path, fuzz, fuzz ? 0 : 11);
    unlink(path);
    printf("%d sessions, %d not as wanted\n", n, bad);
    return bad > 0;
}
