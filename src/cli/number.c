/* The values of run-time numbers in each run: of --at, or else as the arrays of
 * -i are shaped, or else the greatest. */
#include "cli/cli.h"

#include <string.h>

static int64_t *value_of(Job *j, int step)
{
    return j->value + step * MOST_NUMBERS;
}

int64_t job_count(const Job *j, const Val *v, int step)
{
    return j->value ? val_count_at(v, j->value + step * MOST_NUMBERS)
                    : val_count(v);
}

int64_t job_before(const Job *j, const Val *v, int step)
{
    int64_t sum = 0;

    while (step--)
        sum += job_count(j, v, step);
    return sum;
}

Shape job_shape(const Job *j, const Val *v, int step)
{
    Shape s = v->shape;
    int i;

    for (i = 0; i < s.rank && j->value; i++)
        shape_put(&s, i, size_const(dim_at(v->shape, i, j->value + step *
                                           MOST_NUMBERS)));
    return s;
}

void job_set_numbers(Job *j, int step)
{
    if (j->value)
        graph_set_numbers(j->g, value_of(j, step));
}

/* The value at which a size is what an array has. */
static bool solve(Size s, int64_t have, int64_t *value)
{
    const Number *k = s.vary.num;
    int64_t rest = have - s.n;

    if (!k || rest % s.vary.by)
        return false;
    *value = k->now + rest / s.vary.by;
    return true;
}

/* What the shape of an array says of each number that has no value yet; more:
 * its axes before those of v. */
static void read_shape(Job *j, const Val *v, const Array *a, int more,
                       int64_t *value, bool *known)
{
    int i;

    for (i = 0; i < v->shape.rank && a->rank == v->shape.rank + more; i++) {
        const Number *k = v->shape.vary[i].num;
        int64_t is;

        if (!k || known[k->id] ||
            !solve(size_at(v->shape, i), a->dim[i + more], &is))
            continue;
        if (is < k->lo || is > k->hi)
            err(ERR_MODEL, "array '%s' has shape %s: %s would be %lld, beyond "
                "its %lld..%lld", a->name,
                shape_str(j->o.mem, shape_of(MIN(a->rank, RANK), a->dim)),
                k->name, (long long)is, (long long)k->lo, (long long)k->hi);
        value[k->id] = is;
        known[k->id] = true;
    }
}

/* A flat array's count says it where there is one number. */
static void read_count(const Job *j, const Val *v, const Array *a,
                       int64_t *value, bool *known)
{
    const Number *k = j->g->nnum == 1 ? j->g->num[0] : NULL;
    int64_t is;

    if (!k || known[0] || !shape_varies(v->shape) || j->o.sequence)
        return;
    for (is = k->lo; is <= k->hi; is++)
        if (val_count_at(v, &is) == a->n) {
            value[0] = is;
            known[0] = true;
            return;
        }
}

static void read_vectors(Job *j, int64_t *value, bool *known)
{
    const Array *a = skip_empty(j->vectors);
    int i;

    for (i = 0; i < j->g->nin && a; i++) {
        const Val *v = j->g->in[i];
        bool state = graph_next_state(j->g, v) != NULL;

        if (state && !j->states_given)
            continue;
        read_shape(j, v, a, !state && j->o.sequence, value, known);
        read_count(j, v, a, value, known);
        a = skip_empty(a->next);
    }
}

static void read_options(Job *j, int64_t *value, int64_t *by, bool *known)
{
    int i;

    for (i = 0; i < j->o.nat; i++) {
        const Number *k = graph_number_find(j->g, j->o.at_name[i]);

        if (!k)
            err(ERR_USAGE, "--at %s: there is no run-time number of that name",
                j->o.at_name[i]);
        value[k->id] = j->o.at_value[i];
        by[k->id] = j->o.at_by[i];
        known[k->id] = true;
    }
}

void job_numbers_first(Job *j)
{
    bool known[MOST_NUMBERS] = {false};
    int64_t *value;
    int i;

    if (j->o.nat && !j->g->nnum)
        err(ERR_USAGE, "--at %s: there are no run-time numbers; --dim "
            "NAME=LO..HI declares one", j->o.at_name[0]);
    if (!j->g->nnum)
        return;
    value = j->value = NEWN(j->o.mem, int64_t, MOST_NUMBERS);
    j->value_by = NEWN(j->o.mem, int64_t, MOST_NUMBERS);
    for (i = 0; i < j->g->nnum; i++)
        value[i] = j->g->num[i]->hi;
    read_options(j, value, j->value_by, known);
    if (j->vectors)
        read_vectors(j, value, known);
}

void job_numbers_all(Job *j)
{
    int64_t *first = j->value;
    int i, t;

    if (!first)
        return;
    j->value = NEWN(j->o.mem, int64_t, j->steps * MOST_NUMBERS);
    for (t = 0; t < j->steps; t++)
        for (i = 0; i < j->g->nnum; i++) {
            const Number *k = j->g->num[i];
            int64_t is = first[i] + t * j->value_by[i];

            if (is < k->lo || is > k->hi)
                err(ERR_USAGE, "run %d: %s would be %lld, beyond its "
                    "%lld..%lld", t + 1, k->name, (long long)is,
                    (long long)k->lo, (long long)k->hi);
            value_of(j, t)[i] = is;
        }
}
