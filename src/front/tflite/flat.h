/* Inside front/tflite: FlatBuffers, read with every offset checked.
 *
 * A buffer is a tree of tables.  A table has numbered fields, which are absent
 * or not; a field is a number, or refers to a string, a vector or a table.
 * err(ERR_MODEL) wherever something lies outside the file.  (FlatBuffers
 * internals, flatbuffers.dev/internals.) */
#ifndef FRONT_TFLITE_FLAT_H
#define FRONT_TFLITE_FLAT_H

#include "base/base.h"

typedef struct Flat {
    const uint8_t *p;
    uint64_t n;
} Flat;

typedef struct Table {
    const Flat *f;   /* NULL: absent; all its fields are */
    uint64_t at;     /* of the table, from the start of the file */
    uint64_t fields; /* of its list of offsets, of that many bytes */
    uint32_t nfields, bytes;
} Table;

typedef struct Vector {
    const Flat *f;
    uint64_t at; /* of the first element */
    uint32_t n;
} Vector;

Table flat_root(const Flat *f);
bool flat_has(Table t, int field);
int64_t flat_int(Table t, int field, int bytes, int64_t none); /* signed */
double flat_f32(Table t, int field, double none);
Table flat_table(Table t, int field);
Vector flat_vector(Table t, int field, int bytes); /* of an element */
Table flat_table_at(Vector v, uint32_t i);         /* of a vector of those */
int64_t flat_int_at(Vector v, int bytes, uint32_t i); /* signed */
float flat_f32_at(Vector v, uint32_t i);
/* Fit to be shown anywhere; NULL: absent. */
const char *flat_text(Arena *a, Table t, int field);

#endif
