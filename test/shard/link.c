/* link SEED ROUNDS MOST [FAULTS]: exchanges of random values by all ways among
 * 1 to MOST processes over sockets, then with faults: a chip that never starts,
 * that has another model or says that it is another, a message that is dropped,
 * broken, sent twice or comes too late.  Without faults every result is right, and
 * if a message is late but in time; with one no result is wrong, some chip
 * reports it, and all have ended soon. */
#include "rt/link/link.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum fault {
    NONE, ABSENT, MODEL, OTHER, DROPPED, BROKEN, TWICE, DELAYED, FAULTS, SLOW
};
enum {
    RIGHT = 0, WRONG = 1, REPORTED = 3, TURNS = 5, ROOM = 1 << 14, LIMIT = 200,
    LONGEST = 30 /* seconds */
};

static uint64_t state;
static char folder[] = "/tmp/linkXXXXXX";
static struct { int chip, at, count, kind; } fault;
static uint32_t room = ROOM; /* what a message may have */
static int *done; /* shared: the fault took place */
static struct link_wire wire;

/* xorshift64 (Marsaglia 2003) */
static int between(int lo, int hi)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return lo + (int)((state >> 33) % (unsigned)(hi - lo + 1));
}

static int bad_send(void *self, int to, const void *p, uint32_t n, int32_t ms)
{
    uint8_t copy[ROOM];
    int bad;

    if (!n || n > ROOM || fault.count++ != fault.at)
        return wire.send(self, to, p, n, ms);
    *done = 1;
    if (fault.kind == DROPPED)
        return LINK_OK;
    if (fault.kind >= DELAYED)
        usleep(1000 * (fault.kind == SLOW ? LIMIT / 8 : 3 * LIMIT));
    memcpy(copy, p, n);
    if (fault.kind == BROKEN)
        copy[(unsigned)fault.at % n] ^= (uint8_t)(1 << fault.at % 8);
    bad = wire.send(self, to, copy, n, ms);
    return bad || fault.kind != TWICE ? bad : wire.send(self, to, p, n, ms);
}

static int32_t drawn(int chip, int turn, int i)
{
    return (int32_t)((uint32_t)(chip + 1) * 2654435761u ^
                     (uint32_t)(turn * 7919 + i) * 40503u);
}

static int sum_is_right(struct link *l, int turn, int n)
{
    int32_t y[1000];
    int i, c, right = 1;

    for (i = 0; i < n; i++)
        y[i] = drawn(l->chip, turn, i);
    if (link_sum(l, (uint32_t)turn, y, n))
        return REPORTED;
    for (i = 0; i < n; i++) {
        uint32_t sum = 0;

        for (c = 0; c < l->chips; c++)
            sum += (uint32_t)drawn(c, turn, i);
        right &= (uint32_t)y[i] == sum;
    }
    return right ? RIGHT : WRONG;
}

static int gather_is_right(struct link *l, int turn, int outer, int part)
{
    int parts = l->chips + turn, len = parts * part, i, j, right = 1;
    int16_t y[3 * 5 * 80];
    struct link_value v = {y, 2, outer, len, 1, parts};

    memset(y, 0, sizeof y);
    for (i = 0; i < outer; i++)
        for (j = l->chip * parts / l->chips * part;
             j < (l->chip + 1) * parts / l->chips * part; j++)
            y[i * len + j] = (int16_t)drawn(7, turn, i * len + j);
    if (link_gather(l, (uint32_t)turn, &v))
        return REPORTED;
    for (i = 0; i < outer * len; i++)
        right &= y[i] == (int16_t)drawn(7, turn, i);
    return right ? RIGHT : WRONG;
}

/* Chips have `part` rows and as many of both neighbours as these have, or one. */
static int halo_is_right(struct link *l, int turn, int outer, int part)
{
    int first = l->chip ? 1 + turn % part : 0, i, j, right = 1;
    int last = l->chip + 1 < l->chips ? part : 0, len = first + part + last;
    int16_t y[3 * 12];
    struct link_value v = {y, 2, outer, len, 1, 0};
    struct link_halo h = {first, part, l->chip ? part : 0,
                          last ? 1 + turn % part : 0};

    memset(y, 0, sizeof y);
    for (i = 0; i < outer; i++)
        for (j = first; j < first + part; j++)
            y[i * len + j] =
                (int16_t)drawn(i, turn, l->chip * part + j - first);
    if (link_halo(l, (uint32_t)turn, &v, &h))
        return REPORTED;
    for (i = 0; i < outer * len; i++)
        right &= y[i] == (int16_t)drawn(i / len, turn, l->chip * part +
                                        i % len - first);
    return right ? RIGHT : WRONG;
}

static int run_chip(int chip, int chips, int way, int ms, int n)
{
    static struct link_unix u;
    static uint8_t in[ROOM], out[ROOM];
    struct link l = {.chip = chip, .chips = chips, .way = (enum link_way)way,
                     .ms = ms, .model = 42, .in = in, .out = out,
                     .room = room};
    char text[200];
    int i, is = RIGHT;

    if (fault.kind == ABSENT && chip == fault.chip)
        return *done = 1, REPORTED;
    if (fault.kind == MODEL && chip == fault.chip)
        l.model = 43, *done = 1;
    if (link_unix_open(&u, &l, folder))
        is = REPORTED;
    wire = l.wire;
    if (chip == fault.chip && fault.kind >= DROPPED)
        l.wire.send = bad_send;
    if (chip == fault.chip && fault.kind == OTHER)
        l.chip ^= 1, *done = 1;
    if (!is && link_begin(&l))
        is = REPORTED;
    for (i = 0; i < TURNS && !is; i++)
        is = i == 3 ? halo_is_right(&l, i, 1 + n % 3, 1 + n % 4)
             : i & 1 ? sum_is_right(&l, i, n)
             : gather_is_right(&l, i, 1 + n % 3, 1 + n % 4);
    link_say(&(struct link_fault){l.chip, l.error, l.peer, l.tag}, 0, text,
             sizeof text);
    if (is == REPORTED && (!strstr(text, "chip ") || !l.error))
        is = WRONG;
    link_unix_close(&u);
    return is;
}

/* Of all chips: how many ended so. */
static void run_all(int chips, int way, int ms, int n, int count[4])
{
    pid_t pid[LINK_CHIPS];
    int i, status;

    memset(count, 0, 4 * sizeof *count);
    *done = 0;
    for (i = 0; i < chips; i++)
        if (!(pid[i] = fork())) {
            alarm(LONGEST);
            _exit(run_chip(i, chips, way, ms, n));
        }
    for (i = 0; i < chips; i++) {
        waitpid(pid[i], &status, 0);
        status = WIFEXITED(status) ? WEXITSTATUS(status) : WRONG;
        count[status == RIGHT || status == REPORTED ? status : WRONG]++;
    }
}

static void check(int ok, const char *what, int chips, int way)
{
    if (ok)
        return;
    printf("%s: %d chips, way %d, fault %d of chip %d at %d\n", what, chips,
           way, fault.kind, fault.chip, fault.at);
    exit(1);
}

int main(int argc, char **argv)
{
    int count[4], i, way, most = argc > 3 ? atoi(argv[3]) : 1, found = 0;
    int faults = argc > 4 ? atoi(argv[4]) : 0, runs = 0;

    if (argc < 4 || !mkdtemp(folder))
        return 2;
    state = strtoull(argv[1], NULL, 10) * 2654435761u + 88172645463325252u;
    done = mmap(NULL, sizeof *done, PROT_READ | PROT_WRITE,
                MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (i = 0; i < atoi(argv[2]); i++)
        for (way = 0; way < LINK_WAYS; way++, runs++) {
            int chips = i < most ? most - i : between(1, most);

            room = (uint32_t)between(4, i & 1 ? 100 : ROOM);
            run_all(chips, way, 20000, between(0, 1000), count);
            check(count[RIGHT] == chips, "not all right", chips, way);
        }
    for (i = 0; i < faults; i++) {
        int chips = between(2, most < 6 ? most : 6);

        way = between(0, LINK_WAYS - 1);
        fault.kind = 1 + i % (FAULTS - 1);
        fault.chip = between(0, chips - 1);
        fault.at = between(0, 12);
        room = (uint32_t)between(64, ROOM);
        run_all(chips, way, LIMIT, between(1, 1000), count);
        check(!count[WRONG], "a wrong result", chips, way);
        /* the last message may be there twice: nobody reads it */
        check(!*done || fault.kind == TWICE || count[REPORTED],
              "nobody reports", chips, way);
        found += *done && count[REPORTED];
    }
    for (i = 0; i < faults / 4; i++) {
        fault.kind = SLOW;
        fault.chip = i & 1;
        fault.at = between(0, 6);
        way = i % LINK_WAYS;
        run_all(2, way, 100 * LIMIT, between(1, 1000), count);
        check(count[RIGHT] == 2, "a message is late, but in time", 2, way);
    }
    printf("%d exchanges of all ways right, %d faults of %d reported\n",
           runs * TURNS, found, faults);
    for (i = 0; i < most; i++) {
        char path[64];

        snprintf(path, sizeof path, "%s/%d", folder, i);
        unlink(path);
    }
    rmdir(folder);
    return faults && found * 2 < faults;
}
