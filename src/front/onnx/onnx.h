/* ONNX models -> Graph. */
#ifndef FRONT_ONNX_H
#define FRONT_ONNX_H

#include "ir/ir.h"
#include "front/front.h"

/* The model in the n bytes at p.  dir: of external data; NULL: none allowed.
 * file: the arena those bytes are in, which ends as soon as they are unpacked;
 * NULL: it stays. */
Graph *onnx_parse(Arena *mem, const char *path, const char *dir,
                  const void *p, size_t n, const FrontOpts *o, Arena *file);
/* cache.c: the options, with --context as states and a run-time number. */
const FrontOpts *onnx_caches(Arena *mem, const void *p, size_t n,
                             const FrontOpts *o);
void onnx_ops(Str *out, const char *name);
void onnx_ops_json(Json *j, const char *name);

#endif
