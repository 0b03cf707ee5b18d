/* verify: proves the program of a plan; shares no code with the planner. */
#ifndef VERIFY_H
#define VERIFY_H

#include "plan/plan.h"

/* NULL if the plan is sound, and p->program, as it will run, computes the
 * network; else what is wrong, in a sentence. */
const char *verify_plan(Arena *mem, const Plan *p);

/* ---- inside the part ---- */

/* Every byte of every value has a number, from 1 on; 0 is a byte of which
 * nothing is known.  Bytes that are only moved (by reshape, transpose, slice,
 * expand, concat) keep the number of the byte they come from. */
typedef struct Name {
    uint32_t base;        /* of the first byte, the others following */
    const uint32_t *each; /* or of each byte; NULL: by base */
} Name;

/* value.c: by Val.id; NULL if there are too many bytes. */
Name *names_all(Arena *mem, const Graph *g);
/* A concat's result is so many rows, each of which is made of one row of
 * every argument in turn. */
int64_t concat_rows(const Node *n);
bool keeps_bytes(const Node *n);

/* Rows of bytes at one distance. */
typedef struct Region {
    int space;
    int64_t at, row, rows, stride;
} Region;

/* A memory: numbers of its bytes; or, where nothing is written, what was put
 * there to begin with, in order of address. */
typedef struct Given {
    int64_t at, n;
    Name is;
} Given;

typedef struct Space {
    int64_t size;
    uint32_t *byte;
    Given *given;
    int ngiven;
} Space;

/* space.c */
/* n bytes at `at` are now bytes of a value from `off` on; and are they? */
void space_put(Space *s, int64_t at, Name is, int64_t off, int64_t n);
bool space_is(const Space *s, int64_t at, Name is, int64_t off, int64_t n);
void space_forget(Space *s, int64_t at, int64_t n);
/* false: it is not known what all of the bytes are. */
bool space_copy(const Space *from, int64_t at, Space *to, int64_t put,
                int64_t n);
bool space_give(Arena *mem, Space *s, int64_t at, Name is, int64_t n);
bool regions_meet(Region a, Region b);

/* A kernel or transfer that may be under way, in a slot of its engine; a kernel
 * of the cores in slot 0. */
typedef struct Going {
    int engine, slot;
    Region *read, *write;
    int nread, nwrite;
} Going;

/* A record as it is executed: the step that it stands for, with kernel, places
 * and dims as the record has them. */
typedef struct Exec {
    Step s;
    int pos;  /* index of the step: buffers must be live from there */
    int slot;
} Exec;

enum { SPACES = 32 }; /* memories as buffers, then memories as constants */

typedef struct Check {
    Arena *mem;
    const Plan *p;
    Name *name;            /* by Val.id */
    unsigned char **made;  /* by Val.id: each byte was computed */
    Space space[SPACES];
    int *wait;             /* by step: of a start, its wait */
    Step sent;       /* the exchange that is under way beside the cores */
    Going *going;
    int ngoing;
    const char *bad;       /* what is wrong; NULL: nothing yet */
} Check;

/* verify.c */
/* Notes what is wrong first; false, so that callers can return it. */
bool wrong(Check *c, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
int space_of(const Plan *p, int buf);
int64_t addr_of(const Plan *p, Ref r);
/* n bytes of a place lie in its buffer, which lives from the step to its
 * wait. */
bool check_place(Check *c, const Exec *x, const char *what, Ref r, int64_t n);
/* May it read and write there, beside what is under way? */
bool check_free(Check *c, const Exec *x, const Going *now);
/* Begins a kernel or transfer; and all of a slot are over. */
bool exec_start(Check *c, const Exec *x);
bool exec_finish(Check *c, int engine, int slot);
bool exec_slot_busy(const Check *c, int engine, int slot);

/* Elements of an operand or result that a kernel's loops go through:
 * element i of all lies sum of i[k] * here[k] bytes behind a place, and is that
 * of the value, sum of i[k] * there[k] bytes from off on. */
enum { AXES = 12 };
typedef struct Axis {
    int64_t n, here, there;
} Axis;
typedef struct Loops {
    const Val *v;
    int64_t off, shift; /* shift: bytes of the first from the place on */
    int rank;
    Axis axis[AXES];
} Loops;

/* What a step of a kernel computes.  part.c, which goes by what its kernel is
 * told, checks its operands and sets out, the result's elements, and of each
 * operand how many elements and where it reads. */
typedef struct Work {
    Check *c;
    const Exec *x;
    const Step *s;
    const Node *n;
    Dims all;                /* what the whole node's kernel would be told */
    int eb;                  /* bytes of an element of the result */
    int64_t first[RANK];     /* where in the result the part begins */
    int64_t count[NARG];
    Region read[NARG];       /* rows 0: nothing */
    Loops out;
} Work;

/* part.c */
bool part_check(Work *w);

/* loops.c */
/* Do all elements lie within so many bytes of a place, and of the value? */
bool loops_inside(const Loops *l, int64_t bytes);
/* Does memory hold, in so many bytes of a place, what the loops look for?  *r:
 * where that is. */
bool loops_is(Work *w, const char *what, Ref at, int64_t bytes, Loops l,
              Region *r);
Region loops_region(const Plan *p, Ref at, Loops l);
/* Calls row for each run of bytes until one returns true: then true. */
typedef bool RowFn(void *arg, int64_t here, int64_t there, int64_t n);
bool loops_rows(const Loops *l, RowFn *row, void *arg);

/* kernel.c */
bool start_kernel(Check *c, const Exec *x, Going *now);

/* number.c: is it right at every value of the run-time numbers? */
bool numbers_check(Check *c);

/* run.c: all records, as a team of cores or a single one executes them. */
bool run_program(Check *c, const Program *q);

#endif
