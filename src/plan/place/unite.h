/* Allocations that are being united. */
#ifndef PLAN_PLACE_UNITE_H
#define PLAN_PLACE_UNITE_H

#include "plan/plan.h"

typedef struct Chunk {
    const Val *val;
    int64_t off, size; /* within val */
    int birth;
} Chunk;

/* What was changed, to be taken back. */
typedef struct Change {
    enum { LAST, ALLOC, UNION } kind;
    int id;          /* value; allocation; one that became part of .. */
    int into;        /* .. this one */
    int64_t delta;   /* where in it */
    int last;        /* as it was */
    Alloc alloc;
} Change;

/* The values of an allocation are a binary tree, so that those which live at a
 * time are found without looking at all. */
typedef struct Branch {
    int up, left, right; /* -1: none */
    int from, to;        /* nothing here lives outside of these positions */
} Branch;

typedef struct Worker {
    Allocs *s;
    Arena *mem;      /* scratch */
    int nval;
    const Val **val; /* by Val.id */
    int64_t *bytes;
    int *pos;        /* by Node.id */
    int *last;       /* by Val.id: position of the last reader */
    bool *over;      /* by Val.id: of a state, whose last reader writes the next
                        value over it */
    int64_t **joined; /* by Node.id: where arguments of a concat lie in its
                         result, and its end, if that is one run of them */
    Branch *tree;    /* those below nval are values, by Val.id */
    int ntree;
    int *root;       /* by allocation: its values */
    Profile *live;   /* bytes, by position + 1 */
    int64_t area;    /* bytes times positions, of all */
    int npeak;       /* positions where as much lives as at any */
    Change *change;
    int nchange;
    /* when changes began to be noted */
    int64_t old_bound, old_area;
    int old_npeak;
} Worker;

/* Values that may live from one position to another, one after the other. */
typedef struct Walk {
    int val, part;   /* to come; no value: -1 */
    int from, to;
} Walk;

/* How operand i may lie under the result: both begin together and the result
 * is no larger, or both end together and the result is larger, or the result
 * begins so much ahead as the head says (`ahead`); a kernel that goes through
 * both in order never meets itself.  The shorter elements must be
 * single bytes, which in C may alias anything: of 16 bits on 32 a compiler
 * might store one too early.  Returns the result's offset in the operand. */
enum { SAME, SMALLER, LARGER, AHEAD, NOT };

bool alloc_is_view(const Allocs *s, const Node *n, int arg);
/* Whether the whole of a node is a view: no step is needed. */
bool alloc_all_views(const Allocs *s, const Node *n);
Walk alloc_walk_while(const Worker *w, int alloc, int from, int to);
/* All of an allocation. */
Walk alloc_walk(const Worker *w, int alloc);
/* false: there is none any more. */
bool alloc_next_piece(const Worker *w, Walk *at, Chunk *p);
int alloc_death(const Worker *w, const Chunk *p);
void alloc_put(Worker *w, int id, Alloc t);
/* Value v is read at pos; what it is a view of is read then too. */
void alloc_read_later(Worker *w, const Val *v, int pos);
/* Branch `right` joins those of allocation a. */
void alloc_join_trees(Worker *w, int a, int right);
/* Takes back all changes but the first n. */
void alloc_go_back(Worker *w, int n);
void alloc_mark(Worker *w);
bool alloc_overlap(int64_t a, int64_t an, int64_t b, int64_t bn);
/* Makes value v begin `off` bytes into value x, if their allocations allow.
 * at: the node at that position takes over an operand; -1: none does.  grows:
 * one need not be all within the other. */
bool alloc_lay(Worker *w, const Val *x, const Val *v, int64_t off, int at,
               bool grows);
int alloc_fit_of(const Node *n, int i, const Choice *c);
/* Drops the views of n that were tried since alloc_mark(). */
void alloc_hide(Worker *w, const Node *n);

#endif
