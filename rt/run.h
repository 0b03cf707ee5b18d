/* What the program of `tilewright run` is told of a network. */
#ifndef RUN_H
#define RUN_H

#include <stdint.h>

struct tilewright_net {
    int nin, nout, nlayer, steps; /* steps: runs without reset */
    const int32_t *in_bytes, *out_bytes, *layer_bytes;
    const unsigned char *state; /* by input: 0: none, 1: a state, 2: one that
                                   the file has before the first run */
    int (*init)(void); /* 0: done */
    void *(*input)(int i);
    void (*run)(void);
    const void *(*output)(int i);
    void (*step)(int layer); /* 1 to nlayer */
    const void *(*result)(int layer);
    const char *in_file, *out_file, *dump_file;
    int (*load)(void); /* constants that no core can address; 0: done */
    void (*begin)(int step); /* sets run-time numbers, and sizes; or 0 */
    void (*ready)(void); /* waits until all chips are at this run; or 0 */
};
extern const struct tilewright_net tilewright_net;

/* With -DFAR=1: inputs and outputs where no core can address them are written
 * and read in pieces of `bytes`, which lie here. */
#ifndef FAR
#define FAR 0
#endif
struct tilewright_far {
    int (*write)(int i, int32_t offset, int32_t n, const void *from);
    int (*read)(int i, int32_t offset, int32_t n, void *to);
    const int32_t *layer; /* the output there that a layer makes; -1: none */
    void *piece;
    int32_t bytes;
};
extern const struct tilewright_far tilewright_far;

#endif
