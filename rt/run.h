/* What the program of `tilewright run` is told of a network. */
#ifndef RUN_H
#define RUN_H

#include <stdint.h>

struct tilewright_net {
    int nin, nout, nlayer;
    const int32_t *in_bytes, *out_bytes, *layer_bytes;
    int (*init)(void); /* 0: done */
    void *(*input)(int i);
    void (*run)(void);
    const void *(*output)(int i);
    void (*step)(int layer); /* 1 to nlayer */
    const void *(*result)(int layer);
    const char *in_file, *out_file, *dump_file;
    int (*load)(void); /* constants that no core can address; 0: done */
};
extern const struct tilewright_net tilewright_net;

#endif
