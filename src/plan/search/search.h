/* Attempts at a plan, of which the best is taken. */
#ifndef PLAN_SEARCH_H
#define PLAN_SEARCH_H

#include "plan/solve/solve.h"

/* room.c */
enum { UNIT = 8 }; /* memory is given out in so many bytes */
int64_t whole_units(int64_t bytes);
/* Bytes for buffers in L1, beside all stacks; in units. */
int64_t l1_left(const Tiler *t, const PlanOpts *o);
int64_t l1_room_of(const Tiler *t, const PlanOpts *o);
/* Bytes of L2 beside what the program takes; for buffers, beside
 * constants and code too, less than 0 where these do not fit; in units. */
int64_t l2_all(const Tiler *t);
int64_t l2_left(const Tiler *t, const PlanOpts *o);
int64_t l2_room(const Tiler *t, const PlanOpts *o);
int64_t l3_room(const Tiler *t); /* for buffers, beside constants */
int64_t consts_l2_bytes(const Tiler *t); /* of constants there */
void set_rooms(Tiler *t, const PlanOpts *o); /* as constants leave it */

/* placement.c: steps and addresses of a solution. */
typedef struct Rooms {
    int64_t *l1, *l2;     /* by layer */
    int late;             /* times that there was none for what is fetched */
} Rooms;
Rooms new_rooms(Tiler *t, int64_t l1, int64_t l2);
Solution solve_rooms(Tiler *t, int64_t l1, int64_t l2);
bool solves(Tiler *t, int64_t l1, int64_t l2);
/* The program of the steps as they are, until the next is made. */
const Program *tiler_program(Tiler *t);
/* A plan with everything as it is set; false: none fits. */
bool try_placement(Tiler *t, const PlanOpts *o);
/* Keeps the plan if it is the best until now; what is tried next is another.
 * The best takes its place again; false: there is none. */
void best_keep(Tiler *t, int64_t cost);
bool best_take(Tiler *t);
/* Live bytes of a memory by layer, and the most of any. */
int64_t *live_of(Tiler *t, int mem, int64_t *most);

/* infeasible.c: does a minimum-memory solution fail as it did before?  Then all
 * is left as it was then.  One that failed, by its key, with room in L1. */
bool known_infeasible(Tiler *t, const Solution *s, const PlanOpts *o, Rooms *r,
                      uint64_t *key);
void note_infeasible(Tiler *t, const Rooms *r, uint64_t key);

/* attempt.c: plans by one setting each. */
enum { LEAST_FETCHED = 512, /* bytes; smaller constants are never fetched */
       SPILL_PARTS = 16 };
/* All constants that are not small go to L3; false: there is none. */
bool consts_to_l3(const Tiler *t, Options *opt);
bool place_l3(Tiler *t);      /* is there room in L3? */
/* What does not fit may, with fused groups wherever they save room, or spilled;
 * or where inputs and outputs may be in L3 too. */
bool try_all(Tiler *t, const PlanOpts *o, bool first_fit);
bool try_inout(Tiler *t, const PlanOpts *o, bool first_fit);
/* As the best plan of o->like was found; false: that is none here, or not as
 * good. */
bool try_like(Tiler *t, const PlanOpts *o);
const Options *way_of(const Tiler *t); /* NULL: of several attempts */
/* The cost of a plan with these options; of a trial with them; -1: none. */
int64_t try_options(Tiler *t, const PlanOpts *o, const Options *opt);
int64_t try_trial(Tiler *t, const PlanOpts *o, const Options *opt,
                  const Trial *x);
/* Keeps the best of a few trials; false: there is none.  spill: as if L2
 * had so many parts of its SPILL_PARTS, with what is too much spilled; 0:
 * nothing is. */
bool try_l3(Tiler *t, const PlanOpts *o, const Options *opt, int spill);

/* minimum.c: the plan with the least memory, where nothing else fits, or what
 * is missing; a plan with the least of L2, of such plans a quick one, false:
 * there is none. */
void make_minimum(Tiler *t, const PlanOpts *o);
bool make_small(Tiler *t, const PlanOpts *o);

/* floor.c: refuses a network of many layers whose least program and buffers are
 * more than L2 has. */
void refuse_many(Tiler *t, const PlanOpts *o);
/* Of many layers, have as many plans been tried as there is time for?  Refuses
 * the network then, with what the last of these lacked. */
bool tried_enough(const Tiler *t);
void refuse_tried(const Tiler *t);

/* local.c: takes the place of a plan if it finds a better one in time. */
void plan_local_search(Tiler *t, const PlanOpts *o);

#endif
