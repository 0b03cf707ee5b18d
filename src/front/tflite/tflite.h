/* TensorFlow Lite models -> Graph. */
#ifndef FRONT_TFLITE_H
#define FRONT_TFLITE_H

#include "front/front.h"
#include "ir/ir.h"

/* Does a file that begins with these n bytes say that it is one? */
bool tflite_is(const void *p, size_t n);
Graph *tflite_parse(Arena *mem, const char *path, const void *p, size_t n,
                    const FrontOpts *o);
void tflite_ops(Str *out, const char *name);  /* name: or NULL, all */
void tflite_ops_json(Json *j, const char *name);
bool tflite_knows(const char *name);

#endif
