/* The result of a simulation, for people and for programs. */
#include "sim/chip.h"

/* One place for what a core's cycles went to. */
typedef struct Column {
    const char *name;
    size_t at;
} Column;

#define COLUMN(m) {#m, offsetof(SimCore, m)}
static const Column columns[] = {
    COLUMN(cycles), COLUMN(insns), COLUMN(run), COLUMN(load), COLUMN(memory),
    COLUMN(bank), COLUMN(icache), COLUMN(barrier), COLUMN(dma), COLUMN(accel),
    COLUMN(sleep),
};

#define COUNT(m) {#m, offsetof(SimCounts, m)}
static const Column counts[] = {
    COUNT(insns), COUNT(l1_bytes), COUNT(l2_bytes), COUNT(dma_bytes),
    COUNT(ext_bytes), COUNT(link_bytes), COUNT(accel_cycles),
    COUNT(core_cycles), COUNT(idle_cycles),
};

static uint64_t get(const void *p, const Column *c)
{
    return *(const uint64_t *)((const char *)p + c->at);
}

static void print_cores(const SimResult *r, FILE *f)
{
    size_t k;
    int i;

    fprintf(f, "%-12s", "core");
    for (k = 0; k < LEN(columns); k++)
        fprintf(f, " %10s", columns[k].name);
    fputc('\n', f);
    for (i = 0; i < r->ncore; i++) {
        if (!r->core[i].cycles)
            continue;
        fprintf(f, "%-12s", r->core[i].name);
        for (k = 0; k < LEN(columns); k++)
            fprintf(f, " %10llu",
                    (unsigned long long)get(&r->core[i], &columns[k]));
        fputc('\n', f);
    }
}

static void print_regions(const SimResult *r, FILE *f)
{
    int i;

    if (r->nregion)
        fprintf(f, "%-24s %8s %12s %12s\n", "region", "count", "cycles",
                "insns");
    for (i = 0; i < r->nregion; i++)
        fprintf(f, "%-24s %8llu %12llu %12llu\n", r->region[i].name,
                (unsigned long long)r->region[i].count,
                (unsigned long long)r->region[i].cycles,
                (unsigned long long)r->region[i].insns);
}

void sim_print(const SimResult *r, FILE *f)
{
    fprintf(f, "%llu cycles, %llu instructions", (unsigned long long)r->cycles,
            (unsigned long long)r->insns);
    if (r->seconds > 0)
        fprintf(f, ", %.3f ms", r->seconds * 1e3);
    if (r->energy_uj == r->energy_uj)
        fprintf(f, ", %.3f uJ", r->energy_uj);
    fputc('\n', f);
    print_cores(r, f);
    print_regions(r, f);
}

static void put_columns(Json *j, const void *p, const Column *c, size_t n)
{
    size_t k;

    for (k = 0; k < n; k++) {
        json_key(j, c[k].name);
        json_int(j, (int64_t)get(p, &c[k]));
    }
}

static void put_regions(const SimResult *r, Json *j)
{
    int i;

    json_key(j, "regions");
    json_arr(j);
    for (i = 0; i < r->nregion; i++) {
        json_obj(j);
        json_key(j, "name");
        json_str(j, r->region[i].name);
        json_key(j, "count");
        json_int(j, (int64_t)r->region[i].count);
        json_key(j, "cycles");
        json_int(j, (int64_t)r->region[i].cycles);
        json_key(j, "instructions");
        json_int(j, (int64_t)r->region[i].insns);
        json_end(j);
    }
    json_end(j);
}

void sim_json(const SimResult *r, Json *j)
{
    int i;

    json_key(j, "ended");
    json_bool(j, r->ok);
    json_key(j, "guest_status");
    if (r->ok)
        json_int(j, r->status);
    else
        json_null(j);
    json_key(j, "fault");
    json_str(j, r->fault[0] ? r->fault : NULL);
    json_key(j, "note");
    json_str(j, r->note[0] ? r->note : NULL);
    json_key(j, "cycles");
    json_int(j, (int64_t)r->cycles);
    json_key(j, "instructions");
    json_int(j, (int64_t)r->insns);
    json_key(j, "seconds");
    json_num(j, r->seconds);
    json_key(j, "energy_uj");
    json_num(j, r->energy_uj);
    json_key(j, "events");
    json_obj(j);
    put_columns(j, &r->counts, counts, LEN(counts));
    json_end(j);
    json_key(j, "cores");
    json_arr(j);
    for (i = 0; i < r->ncore; i++) {
        json_obj(j);
        json_key(j, "name");
        json_str(j, r->core[i].name);
        put_columns(j, &r->core[i], columns, LEN(columns));
        json_end(j);
    }
    json_end(j);
    put_regions(r, j);
}
