/* Jobs of the convolution engines N-Eureka and NE16: what their registers say,
 * in what the two differ, and what a job computes. */
#ifndef CONVJOB_H
#define CONVJOB_H

#include "sim/chip.h"

enum { /* registers of a job */
    R_weights, R_in, R_out, R_scale, R_shift, R_bias, R_in_pixel, R_in_row,
    R_out_pixel = 10, R_out_row, R_w_d0, R_w_d1, R_rem_k = 15, R_rem_o,
    R_rem_i, R_num_k, R_num_o, R_pad, R_wmin, R_mask, R_conf, NREG,
};
enum { CONV3 = 0, DEPTHWISE, CONV1 }; /* modes */
enum { KO = 32, PADS = 5 };

/* What one of the engines is. */
typedef struct Unit {
    const char *model;    /* of the description */
    const char *name;     /* in messages */
    const char *slice;    /* on the timeline */
    int side;             /* pixels of a subtile along each axis */
    int tile[3];          /* input channels of a subtile, by mode */
    int load[3];          /* cycles of an input subtile, by mode */
    int behind;           /* cycles of products behind the last word */
    bool depth_at_once;   /* depthwise channels are multiplied side by side */
    bool slots;           /* of 1x1, eight bits of four channels are a slot */
    bool pads_behind;     /* beyond the last row and column lies the padding
                           * value; else 0, but for what R_pad has there */
    uint32_t lacks;       /* bits of R_conf that it does not have, or that are
                           * not simulated */
} Unit;

typedef struct ConvJob {
    const Unit *unit;
    Device *device;
    uint32_t port;        /* base of the memory of the weight port */
    uint32_t reg[NREG];
    int id;
    /* from the registers */
    int mode, qw, tile, ko_tile, nko, nki, nho, nwo, rem_ko, rem_ki;
    int out_bytes, norm_bits, taps;
    bool quant, bias, from_port, prefetch, is_signed, relu, stream_in, strided;
    uint64_t from;
} ConvJob;

/* Reads and writes what the job does.  Outside of memory: a fault. */
void convjob_compute(const ConvJob *j);

#endif
