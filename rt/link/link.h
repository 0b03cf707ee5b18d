/* Exchanges between chips that run one network by shares.
 *
 * All chips make the same exchanges in the same order.  What is below is a wire
 * of a few functions: bytes to and from another chip, in order, within a time
 * limit.  Every message has a number, a length and a checksum, which the
 * receiver knows before or computes: one that is lost, twice there, broken or of
 * another exchange ends in an error that says so, never in a wrong result. */
#ifndef LINK_H
#define LINK_H

#include <stdint.h>

enum { LINK_CHIPS = 64, LINK_DEEPEST = 6, LINK_VERSION = 2 };

#define LINK_AGREEMENT UINT32_C(0xffffffff) /* the tag of what is said first */

enum link_error {
    LINK_OK, LINK_LATE, LINK_CLOSED, LINK_BROKEN, LINK_ORDER, LINK_PROTOCOL,
    LINK_MODEL, LINK_ROOM, LINK_OTHER, LINK_PLACE
};

/* How exchanges are made: everyone with everyone, a tree, groups of four and
 * their leaders, pairs at doubling distances, a ring. */
enum link_way {
    LINK_DIRECT, LINK_TREE, LINK_GROUPS, LINK_DOUBLING, LINK_RING, LINK_WAYS
};

/* n bytes to or from a chip: LINK_OK, LINK_LATE after `ms`, LINK_CLOSED. */
struct link_wire {
    void *self;
    int (*send)(void *self, int to, const void *p, uint32_t n, int32_t ms);
    int (*receive)(void *self, int from, void *p, uint32_t n, int32_t ms);
};

/* Set all up to `room` (the rest 0), then link_begin(). */
struct link {
    int chip, chips;
    struct link_wire wire;
    enum link_way way;
    int32_t ms;            /* time limit of a message */
    uint64_t model;        /* a number that all chips' networks share */
    uint8_t *in, *out;     /* two rooms: what a message may have, */
    uint32_t room;         /* 4 bytes at least */
    uint32_t sent[LINK_CHIPS], taken[LINK_CHIPS]; /* messages so far */
    int error, peer;       /* the first error, and of whom; then all fails */
    uint32_t tag;          /* of the exchange under way */
};

/* y[outer][len][inner] of `bytes` each; of len, which has `parts` equal parts,
 * chip i of n has those from i * parts / n on. */
struct link_value {
    void *y;
    int32_t bytes, outer, len, inner, parts;
};

/* Of len a chip has n from `from` on.  Its first `up` go to the chip before it,
 * its last `down` to that behind it; of these come the first and the last of
 * len. */
struct link_halo {
    int32_t from, n, up, down;
};

/* Agrees on protocol, model, number of chips, way and room with all that it
 * meets. */
int link_begin(struct link *l);
/* Do two chips send each other anything? */
int link_meet(enum link_way way, int chips, int a, int b);
/* Adds y[n] over all chips, modulo 2^32: all have the sums. */
int link_sum(struct link *l, uint32_t tag, int32_t *y, int32_t n);
/* The same of a value, of which a chip has then the sums in its own part. */
int link_share(struct link *l, uint32_t tag, const struct link_value *v);
/* Every chip gets the parts of all. */
int link_gather(struct link *l, uint32_t tag, const struct link_value *v);
/* Neighbours get each other's rows; whatever the way, they are connected.
 * parts of the value: 0. */
int link_halo(struct link *l, uint32_t tag, const struct link_value *v,
              const struct link_halo *h);
/* What went wrong at a chip, and with whom, in the exchange under way. */
struct link_fault {
    int chip, error, peer;
    uint32_t tag;
};
/* say.c: it as a message; layer: the name of the exchange, or 0. */
void link_say(const struct link_fault *f, const char *layer, char *text,
              int n);

/* A wire (unix.c, serial.c ...): sets l->wire; 0, or not within l->ms. */
int link_open(struct link *l);

/* unix.c: sockets in a folder, one process a chip. */
struct link_unix {
    int chips, fd[LINK_CHIPS];
};
int link_unix_open(struct link_unix *u, struct link *l, const char *folder);
void link_unix_close(struct link_unix *u);

/* serial.c: a line of bytes to each chip, of as few functions of the board
 * (cmsdk.c is an example); lines are numbered from 0. */
void link_line_begin(int line);
int link_line_put(int line, uint8_t byte); /* 0: it is on its way; else again */
int link_line_get(int line);               /* what came; -1: nothing yet */
int link_line_busy(int line);              /* something has not left yet */
uint32_t link_line_ms(void);               /* a clock that may begin anywhere */

#endif
