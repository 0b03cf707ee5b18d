/* Reads a serialized model: looks over its messages before protobuf-c does.
 *
 * protobuf-c 1.4.1 recurses as deep as the file says, and merges a message
 * that is given twice; so this walk first sees to it that messages nest only
 * so deep, that every length stays inside its message, that nothing single is
 * there twice, and that there are no groups (which ONNX never had). */
#include "front/onnx/import.h"

#include <string.h>

enum { NESTED = 64, MANY = 1 << 23 };

enum { VARINT = 0, FIXED64 = 1, BYTES = 2, FIXED32 = 5 };

typedef struct Walk {
    int depth;
    long fields; /* so far; each costs memory when read */
} Walk;

_Noreturn static void cut_short(const ProtobufCMessageDescriptor *d)
{
    err(ERR_MODEL, "not an ONNX model: damaged or cut short in a %s",
        d->short_name);
}

static uint64_t varint(const ProtobufCMessageDescriptor *d,
                       const uint8_t **p, const uint8_t *end)
{
    uint64_t v = 0;
    int shift;

    for (shift = 0; shift < 70 && *p < end; shift += 7) {
        v |= shift < 64 ? (uint64_t)(**p & 127) << shift : 0;
        if (!(*(*p)++ & 128))
            return v;
    }
    cut_short(d);
}

static void message(Walk *w, const ProtobufCMessageDescriptor *d,
                    const uint8_t *p, const uint8_t *end);

static void skip(const ProtobufCMessageDescriptor *d, const uint8_t **p,
                 const uint8_t *end, uint64_t n)
{
    if (n > (uint64_t)(end - *p))
        cut_short(d);
    *p += n;
}

/* A field that came before: fine if repeated or a mere number. */
static void check_once(const ProtobufCMessageDescriptor *d,
                       const ProtobufCFieldDescriptor *f, uint64_t *seen)
{
    size_t i = (size_t)(f - d->fields);

    if (f->label == PROTOBUF_C_LABEL_REPEATED || i >= 64)
        return;
    if (*seen & (uint64_t)1 << i)
        err(ERR_MODEL, "not an ONNX model: '%s' twice in one %s", f->name,
            d->short_name);
    *seen |= (uint64_t)1 << i;
}

static void field(Walk *w, const ProtobufCMessageDescriptor *d,
                  const uint8_t **p, const uint8_t *end, uint64_t *seen)
{
    uint64_t tag = varint(d, p, end), n;
    const ProtobufCFieldDescriptor *f;

    if (!(tag >> 3) || tag >> 32 || ++w->fields > MANY)
        cut_short(d);
    f = protobuf_c_message_descriptor_get_field(d, (unsigned)(tag >> 3));
    if (f)
        check_once(d, f, seen);
    switch (tag & 7) {
    case VARINT: varint(d, p, end); return;
    case FIXED64: skip(d, p, end, 8); return;
    case FIXED32: skip(d, p, end, 4); return;
    case BYTES:
        n = varint(d, p, end);
        if (n > (uint64_t)(end - *p))
            cut_short(d);
        if (f && f->type == PROTOBUF_C_TYPE_MESSAGE)
            message(w, f->descriptor, *p, *p + n);
        *p += n;
        return;
    }
    err(ERR_MODEL, "not an ONNX model: a group in a %s", d->short_name);
}

static void message(Walk *w, const ProtobufCMessageDescriptor *d,
                    const uint8_t *p, const uint8_t *end)
{
    uint64_t seen = 0;

    if (++w->depth > NESTED)
        err(ERR_MODEL, "messages nested deeper than %d, in a %s", NESTED,
            d->short_name);
    while (p < end)
        field(w, d, &p, end, &seen);
    w->depth--;
}

static void wire_check(const ProtobufCMessageDescriptor *d, const uint8_t *p,
                       size_t n)
{
    Walk w = {0};

    message(&w, d, p, p + n);
}

static void *scratch_get(void *arena, size_t n)
{
    return arena_get(arena, n, 1);
}

static void scratch_free(void *arena, void *p)
{
    (void)arena, (void)p;
}

Model *onnx_unpack(Arena *mem, const void *p, size_t n)
{
    ProtobufCAllocator alloc = {scratch_get, scratch_free, mem};
    Model *m;

    wire_check(&onnx__model_proto__descriptor, p, n);
    m = onnx__model_proto__unpack(&alloc, n, p);
    if (!m)
        err(ERR_MODEL, "not an ONNX model: damaged");
    if (!m->graph)
        err(ERR_MODEL, "not an ONNX model: there is no graph in it");
    names_clean(mem, m);
    return m;
}
