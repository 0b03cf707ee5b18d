/* As much of the PMSIS interface as our runtime and main() call, on this
 * machine: cores one after the other, transfers as late as may be. */
#ifndef PMSIS_H
#define PMSIS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI_L1

enum { RAM_BYTES = 8 << 20, RAM_AT = 4096 };

struct pi_device {
    int open;
};
struct pi_cluster_conf {
    int id;
};
struct pi_cluster_task {
    void (*entry)(void *);
    void *arg;
    uint32_t stack_size, slave_stack_size;
};

/* A transfer that is to come. */
typedef struct later {
    unsigned char *to;
    const unsigned char *from;
    uint32_t size, row, to_stride, from_stride;
    int pending;
} pi_cl_dma_cmd_t, pi_cl_ram_req_t;

typedef enum { PI_CL_DMA_DIR_LOC2EXT, PI_CL_DMA_DIR_EXT2LOC } pi_cl_dma_dir_e;

extern int stub_core;
extern unsigned char stub_ram[RAM_BYTES];

static inline void stub_begin(struct later *l, uintptr_t to, uintptr_t from,
                              uint32_t size, uint32_t row, uint32_t to_stride,
                              uint32_t from_stride)
{
    struct later one = {(unsigned char *)to, (const unsigned char *)from, size,
                        row, to_stride, from_stride, 1};
    uint32_t i;

    if (l->pending)
        abort(); /* still under way */
    *l = one;
    for (i = 0; i < size / row; i++)
        memset(l->to + i * to_stride, 0x5a, row);
}

static inline void stub_end(struct later *l)
{
    uint32_t i;

    if (!l->pending)
        abort();
    for (i = 0; i < l->size / l->row; i++)
        memmove(l->to + i * l->to_stride, l->from + i * l->from_stride,
                l->row);
    l->pending = 0;
}

static inline int pi_core_id(void)
{
    return stub_core;
}

static inline void pi_cl_team_fork(int n, void (*entry)(void *), void *arg)
{
    for (stub_core = 0; stub_core < n; stub_core++)
        entry(arg);
    stub_core = 0;
}

static inline void pi_cl_dma_cmd_2d(uintptr_t ext, uintptr_t loc,
                                    uint32_t size, uint32_t stride,
                                    uint32_t length, pi_cl_dma_dir_e dir,
                                    pi_cl_dma_cmd_t *cmd)
{
    if (dir == PI_CL_DMA_DIR_EXT2LOC)
        stub_begin(cmd, loc, ext, size, length, length, stride);
    else
        stub_begin(cmd, ext, loc, size, length, stride, length);
}

static inline void pi_cl_dma_cmd(uintptr_t ext, uintptr_t loc, uint32_t size,
                                 pi_cl_dma_dir_e dir, pi_cl_dma_cmd_t *cmd)
{
    pi_cl_dma_cmd_2d(ext, loc, size, size, size, dir, cmd);
}

static inline void pi_cl_dma_cmd_wait(pi_cl_dma_cmd_t *cmd)
{
    stub_end(cmd);
}

static inline void pi_cl_ram_read_2d(struct pi_device *ram, uint32_t at,
                                     void *p, uint32_t size, uint32_t stride,
                                     uint32_t length, pi_cl_ram_req_t *req)
{
    if (!ram->open)
        abort();
    stub_begin(req, (uintptr_t)p, (uintptr_t)(stub_ram + at), size, length,
               length, stride);
}

static inline void pi_cl_ram_write_2d(struct pi_device *ram, uint32_t at,
                                      void *p, uint32_t size, uint32_t stride,
                                      uint32_t length, pi_cl_ram_req_t *req)
{
    if (!ram->open)
        abort();
    stub_begin(req, (uintptr_t)(stub_ram + at), (uintptr_t)p, size, length,
               stride, length);
}

static inline void pi_cl_ram_read_wait(pi_cl_ram_req_t *req)
{
    stub_end(req);
}

static inline void pi_cl_ram_write_wait(pi_cl_ram_req_t *req)
{
    stub_end(req);
}

/* ---- the fabric controller's side ---- */

struct pi_default_ram_conf {
    int id;
};
struct pi_hostfs_conf {
    int id;
};
typedef FILE pi_fs_file_t;
enum { PI_FS_FLAGS_READ };

static inline void pi_cluster_conf_init(struct pi_cluster_conf *c)
{
    c->id = 0;
}

static inline void pi_default_ram_conf_init(struct pi_default_ram_conf *c)
{
    c->id = 0;
}

static inline void pi_hostfs_conf_init(struct pi_hostfs_conf *c)
{
    c->id = 0;
}

static inline void pi_open_from_conf(struct pi_device *d, void *conf)
{
    (void)conf;
    d->open = 0;
}

static inline int pi_cluster_open(struct pi_device *d)
{
    d->open = 1;
    return 0;
}

static inline int pi_ram_open(struct pi_device *d)
{
    d->open = 1;
    return 0;
}

static inline int pi_fs_mount(struct pi_device *d)
{
    d->open = 1;
    return 0;
}

static inline void pi_cluster_task(struct pi_cluster_task *t,
                                   void (*entry)(void *), void *arg)
{
    memset(t, 0, sizeof *t);
    t->entry = entry;
    t->arg = arg;
}

static inline void pi_cluster_send_task_to_cl(struct pi_device *d,
                                              struct pi_cluster_task *t)
{
    if (!d->open || !t->stack_size || !t->slave_stack_size)
        abort();
    t->entry(t->arg);
}

static inline void pi_cluster_close(struct pi_device *d)
{
    d->open = 0;
}

static inline int pi_ram_alloc(struct pi_device *d, uint32_t *at,
                               uint32_t size)
{
    *at = RAM_AT;
    return !d->open || size > RAM_BYTES - RAM_AT;
}

static inline void pi_ram_write(struct pi_device *d, uint32_t at, void *p,
                                uint32_t size)
{
    (void)d;
    memcpy(stub_ram + at, p, size);
}

static inline pi_fs_file_t *pi_fs_open(struct pi_device *d, const char *name,
                                       int flags)
{
    (void)flags;
    return d->open ? fopen(name, "rb") : NULL;
}

static inline int32_t pi_fs_read(pi_fs_file_t *f, void *p, uint32_t n)
{
    return (int32_t)fread(p, 1, n, f);
}

static inline void pi_fs_close(pi_fs_file_t *f)
{
    fclose(f);
}

static inline int pmsis_kickoff(void *start)
{
    void (*f)(void);

    memcpy(&f, &start, sizeof f);
    f();
    return 1;
}

static inline void pmsis_exit(int status)
{
    exit(status);
}

#endif
