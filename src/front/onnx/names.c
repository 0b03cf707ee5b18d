/* Names in a model, made fit to be shown anywhere: on a terminal, in C, in
 * JSON, HTML and CSV.  What is hidden in a name is written \x1b or \u202e, in
 * every string of the message alike, so that names still match. */
#include "front/onnx/import.h"

static void clean_message(Arena *a, ProtobufCMessage *m);

static void clean_string(Arena *a, char **s)
{
    Str out = {.mem = a};

    if (!*s || text_is_safe(*s))
        return;
    str_safe(&out, *s, "");
    *s = out.s;
}

/* One value: p points at the pointer to it. */
static void clean_value(Arena *a, const ProtobufCFieldDescriptor *f, void *p)
{
    if (f->type == PROTOBUF_C_TYPE_STRING)
        clean_string(a, p);
    else if (*(ProtobufCMessage **)p)
        clean_message(a, *(ProtobufCMessage **)p);
}

/* Of a oneof, what is stored may be of another field. */
static bool is_set(const ProtobufCMessage *m,
                   const ProtobufCFieldDescriptor *f)
{
    const char *at = (const char *)m;

    return !(f->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) ||
           *(const uint32_t *)(at + f->quantifier_offset) == f->id;
}

static void clean_field(Arena *a, ProtobufCMessage *m,
                        const ProtobufCFieldDescriptor *f)
{
    char *at = (char *)m;
    size_t i, n;
    void **list;

    if (f->label != PROTOBUF_C_LABEL_REPEATED) {
        if (is_set(m, f))
            clean_value(a, f, at + f->offset);
        return;
    }
    n = *(size_t *)(at + f->quantifier_offset);
    list = *(void ***)(at + f->offset);
    for (i = 0; i < n; i++)
        clean_value(a, f, &list[i]);
}

static void clean_message(Arena *a, ProtobufCMessage *m)
{
    const ProtobufCMessageDescriptor *d = m->descriptor;
    unsigned i;

    for (i = 0; i < d->n_fields; i++)
        if (d->fields[i].type == PROTOBUF_C_TYPE_STRING ||
            d->fields[i].type == PROTOBUF_C_TYPE_MESSAGE)
            clean_field(a, m, &d->fields[i]);
}

void names_clean(Arena *a, Model *m)
{
    clean_message(a, &m->base);
}
