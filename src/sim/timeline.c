/* What happened when, for chrome://tracing and ui.perfetto.dev: cores, DMA,
 * accelerator and links as tracks, in the JSON "trace event" format. */
#include "sim/chip.h"

#include <string.h>

enum { TRACKS = 1024 };

typedef struct Timeline {
    FILE *f;
    int ntrack;
    struct { int chip; const char *name; } track[TRACKS];
} Timeline;

void timeline_open(Sim *s)
{
    if (!s->opt.timeline)
        return;
    s->timeline = NEW(s->mem, Timeline);
    s->timeline->f = fopen(s->opt.timeline, "w");
    if (!s->timeline->f)
        err(ERR_TOOL, "%s: cannot be written", s->opt.timeline);
    fputs("{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n", s->timeline->f);
}

/* The number of a track; a new one announces its name. */
static int track(Timeline *t, int chip, const char *name, Arena *mem)
{
    int i;

    for (i = 0; i < t->ntrack; i++)
        if (t->track[i].chip == chip && !strcmp(t->track[i].name, name))
            return i;
    if (i == TRACKS)
        return TRACKS - 1;
    t->track[i].chip = chip;
    t->track[i].name = arena_str(mem, name);
    t->ntrack++;
    fprintf(t->f, "{\"ph\": \"M\", \"name\": \"thread_name\", \"pid\": %d, "
            "\"tid\": %d, \"args\": {\"name\": \"%s\"}},\n", chip, i, name);
    return i;
}

/* JSON wants no quotes, backslashes or control characters in a name. */
static void put_name(FILE *f, const char *s)
{
    for (; *s; s++)
        fputc(*s == '"' || *s == '\\' || (unsigned char)*s < 32 ? '_' : *s, f);
}

void chip_worked(Chip *c, uint64_t from, uint64_t to)
{
    SimResult *r = c->sim->res;
    int i;

    for (i = 0; i < 2; i++) {
        GROW(c->sim->mem, r->mark, r->nmark);
        r->mark[r->nmark++] = (SimMark){
            .kind = i ? SIM_JOB_OVER : SIM_JOB, .chip = (uint32_t)c->id,
            .at = i ? to : from,
        };
    }
}

void timeline_slice(Chip *c, const char *name_of_track, const char *name,
                    uint64_t from, uint64_t to)
{
    Timeline *t = c->sim->timeline;
    double us = 1e3 / (double)c->sim->khz; /* of a tick */

    if (!t || !t->f)
        return;
    fprintf(t->f, "{\"ph\": \"X\", \"pid\": %d, \"tid\": %d, \"ts\": %.4f, "
            "\"dur\": %.4f, \"name\": \"", c->id,
            track(t, c->id, name_of_track, c->sim->mem), (double)from * us,
            (double)(to - from) * us);
    put_name(t->f, name);
    fputs("\"},\n", t->f);
}

void timeline_close(Sim *s)
{
    if (!s->timeline || !s->timeline->f)
        return;
    fputs("{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": 0, "
          "\"args\": {\"name\": \"chip\"}}\n]}\n", s->timeline->f);
    fclose(s->timeline->f);
    s->timeline->f = NULL;
}
