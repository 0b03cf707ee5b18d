/* gen: a plan -> a C project.
 *
 * The project is a folder that builds as it is and whose parts fit into
 * others: the network (NAME.h, NAME.c, weights, one small file for each
 * kernel and combination of types), a self-test, the runtime of the chip, a
 * linker script, and files for make and CMake.  Layers are numbered from 1.
 * On one core a layer is a C function (layers.c); a team of cores works through
 * a program (team.c, rt/program.h). */
#ifndef GEN_H
#define GEN_H

#include "ir/vocab.h"
#include "plan/plan.h"

/* As a .bin with an assembler include, or as C: by default the first if they
 * are more than 4 MB, which C compilers take long for. */
typedef enum WeightForm { WEIGHTS_by_size, WEIGHTS_bin, WEIGHTS_c } WeightForm;

typedef struct GenOpts {
    const char *name;    /* C prefix */
    const char *dir;     /* made; must not exist, or be empty, unless force */
    bool force;
    WeightForm weights;
    void *const *example;  /* one array per input for the self-test; NULL: no
                              self-test, the program only runs the network */
    const int64_t *value;  /* run-time numbers of the example, by id; NULL:
                              the greatest */
    bool drawn;            /* the example is that of gen_draw_inputs() */
    const Eval *expected;  /* of the example; NULL: none */
    double tolerance;
    const Vocab *vocab;    /* of a language model; NULL: none */
    const char *version;
    const char *runtime; /* "pmsis": of an SDK; NULL: the chip's own */
    const char *package; /* "zephyr" ...: of a build system (package.c) */
} GenOpts;

/* gen.c: writes the project, whole or not at all.  err(ERR_USAGE) if there
 * is something else in its place. */
void gen_project(const Plan *p, const GenOpts *o);
/* folder.c: the same error, before there is a plan. */
void gen_check_place(const char *dir, bool force);
/* package.c: err(ERR_USAGE) if there is none of that name, or none for the
 * chip. */
void gen_check_package(const char *name, const Soc *soc);
/* build.c: what -t takes for a chip, wherever a project is: a name of ours, or
 * the whole path of its file. */
const char *gen_target(Arena *mem, const Soc *soc);
/* names.c: a C prefix from the name of a model's file: legal and free.  A name
 * that is not free gets a suffix; *taken_by is then who has it, else NULL. */
char *gen_name(Arena *a, const char *path, const char **taken_by);
/* ends.c: which of the outputs in memory that only a DMA reaches a value is;
 * -1: none. */
int gen_far_output(const Plan *p, const Val *v);
/* selftest.c: inputs for a network of which no example is given, at random:
 * in[i] for g->in[i]. */
void gen_draw_inputs(Arena *mem, const Graph *g, void **in);

/* Within the part: what its files share. */
typedef struct Gen {
    Arena *mem;
    const Plan *p;
    const GenOpts *o;
    const char *name, *caps; /* prefix as is, and in capitals */
    const char *dir;         /* being written */
    const char *below;       /* "src/": where files go in it now */
    bool bin;                /* weights are a .bin */
    struct Kinds *kinds;     /* link.c: of exchanges; NULL: not known yet */
    int nlayer, nsrc, nwritten;
    const Step **layer;      /* [0] is layer 1: its first kernel */
    const int *dims;         /* [0] of layer 1: the first layer with the same
                                dims, from 0 */
    const int *call;         /* the same: the first layer whose call it shares */
    bool *shared;            /* by such a first layer: do others share it? */
    unsigned *passed;        /* and, by bit, operands that differ and are passed */
    const char **weight;     /* name of a constant's array, by buffer */
    const char **number;     /* names of run-time numbers in C, by id */
    const char **src;        /* what is to be compiled of the network */
    const char **written;    /* every file, for -f */
} Gen;

/* gen.c */
Gen *gen_begin(Arena *mem, const Plan *p, const GenOpts *o);

/* folder.c */
void gen_file(Gen *g, const char *path, const Str *text);
void gen_source(Gen *g, const char *path); /* is to be compiled */
const char *gen_path(Gen *g, const char *path); /* where it is written */
char *gen_folder(Gen *g); /* a new one, beside that which is wanted */
void gen_archive(Gen *g, const char *path); /* a zip of all so far */
void gen_put_in_place(Gen *g); /* it becomes that one */

/* names.c */
const char *gen_mem(const Gen *g, int mem); /* "ram" */
char *gen_caps(Arena *a, const char *s);
char *gen_word(Arena *a, const char *s); /* as a variable in NAME.c */
const char *gen_comment(Gen *g, const char *s); /* safe in a comment */
/* link.c: the link to other chips, if the network is shared by several. */
void gen_link(Gen *g, Str *list);
/* The function of the link that makes an exchange; NULL: its kernel does. */
const char *gen_exchange(Gen *g, const Node *n);
bool gen_has_link(const Gen *g); /* has it exchanges with other chips? */
void gen_quote(const char *s, Str *out);        /* as a string of C */

/* terms.c */
void gen_shape(const Val *v, Str *out); /* s8[1,2] */
void gen_about(Gen *g, int layer, const char *indent, Str *out); /* a comment */
void gen_dims_list(const Step *s, const char *indent, Str *out); /* ".n = 1" */
void gen_int(int32_t v, Str *out);
void gen_ref(Gen *g, Ref r, Str *out); /* a place, as an expression */

/* rows.c: functions that make dims of rows; the row of a layer. */
void gen_rows(const Gen *g, Str *out);
void gen_row(const DimsRows *r, int layer, const Step *s, Str *out);

/* layers.c: which layers share a function; the function that copies weights, if
 * any are; the function of a layer. */
void gen_list_layers(Gen *g);
void gen_bring(const Gen *g, Str *out);
void gen_layer(Gen *g, int layer, Str *out);

/* mlperf.c: a project for MLPerf Tiny's harness; what is compiled of it.
 * err(ERR_USAGE) if the network is none of its. */
bool gen_is_mlperf(const GenOpts *o);
void gen_mlperf(Gen *g);
const char *gen_mlperf_sources(Gen *g);

/* kernels.c: the file of each instance */
void gen_kernels(Gen *g);

/* header.c, net.c: NAME.h and NAME.c */
void gen_header(Gen *g);
void gen_net(Gen *g);
/* Has the result of a layer a place where all of it is once it is complete? */
bool gen_has_result(const Plan *p, int layer);

/* team.c: what the program stands on; the program as C, and what runs it */
void gen_team_top(Gen *g, Str *out);
void gen_team_net(Gen *g, Str *out);

/* weights.c */
void gen_weights(Gen *g);
/* An array of bytes as C: its definition; in: a macro, or NULL, that says in which
 * memory. */
void gen_array(FILE *f, const char *name, Type t, const void *data,
               int64_t bytes, int align, const char *in);

/* image.c: constants in memory that only a DMA reaches go to NAME_l3.bin, at
 * their addresses; buffers there come behind. */
bool gen_far(const Gen *g); /* is anything there? */
bool gen_in_image(const Gen *g, const Buf *u);
int64_t gen_image_bytes(const Gen *g);
bool gen_far_values(const Gen *g); /* are there buffers? */
int64_t gen_far_bytes(const Gen *g); /* with buffers */
void gen_image(Gen *g);
/* A call that loads the file, of the folder dir, and gives 0. */
void gen_load(Gen *g, const char *dir, Str *out);

/* ends.c: what NAME.c has for inputs and outputs */
void gen_ends(Gen *g, Str *out);
/* Where one lies that only a DMA reaches; -1: elsewhere, or nowhere. */
int64_t gen_end_at(const Gen *g, const Val *v);
/* An array of GEN_PIECE bytes through which they go. */
enum { GEN_PIECE = 256 };
void gen_piece(Gen *g, Str *out);
void gen_far_outputs(Gen *g, Str *out); /* layer_far[]: the one it makes */
const char *gen_beside_far(const Gen *g); /* name of the memory it is in */

/* number.c: run-time numbers */
const char *const *gen_number_names(Gen *g);
void gen_count(Gen *g, const Val *v, Str *out); /* elements, an expression */
void gen_count_at(Gen *g, const char *p, const Val *v, Str *out);
void gen_number_macros(Gen *g, Str *out);
void gen_number_member(Gen *g, Str *out);
void gen_number_header(Gen *g, Str *out);
void gen_number_setters(Gen *g, Str *out);
void gen_number_init(Gen *g, Str *out);
void gen_number_locals(Gen *g, unsigned set, Str *out);
bool gen_ends_vary(const Gen *g, bool in);
void gen_ends_bytes(Gen *g, bool in, Str *out);
/* What its kernel is told, as the numbers are now; to: "dims." or a page's. */
void gen_follow(Gen *g, const Step *s, const char *to, Str *out);
/* "if (n == 0) { what }", where there is nothing to compute at some value. */
void gen_if_none(Gen *g, const Step *s, const char *what, Str *out);
/* Numbers that its dims, or whether it is computed at all, follow. */
unsigned gen_follow_set(const Step *s);

/* state.c: what NAME.h and NAME.c have for states */
bool gen_has_states(const Gen *g);
int64_t gen_state_bytes(const Gen *g);
void gen_state_header(Gen *g, Str *out);
void gen_states(Gen *g, Str *out);

/* selftest.c */
void gen_selftest(Gen *g);
/* memory.c: storage for one network, in C: arrays NAME_ram and so on, and
 * what fills struct NAME_memory `m`. */
void gen_storage(Gen *g, Str *out);
void gen_fill_memory(Gen *g, Str *out);
int gen_base(const Gen *g, int mem);    /* its number in programs, from 1 */

/* build.c: Makefile, CMakeLists.txt, linker scripts, runtime, README.md */
void gen_build(Gen *g);

/* pmsis.c: the same for the SDKs of PULP chips */
bool gen_pmsis(const Gen *g);
void gen_pmsis_build(Gen *g);

/* package.c: what describes the network to a build system, and an example */
void gen_package(Gen *g);
/* card.c: MODEL_CARD.md, what the network is and needs */
void gen_card(Gen *g);

/* lm.c: NAME_lm.h and NAME_lm.c of a language model, and rt/lm. */
bool gen_is_lm(const Gen *g);
void gen_lm(Gen *g);
/* lm_harness.c: what rt/lm/generate.c has to know of it, as C; its files are in
 * dir; the prompt has so many bytes. */
void gen_lm_harness(const Plan *p, const char *name, const char *dir,
                    int64_t prompt, Str *out);

/* harness.c: what rt/run.c has to know of a network, as C; its files are in
 * the folder dir, which ends in a slash; it runs so many times, states first as
 * in the file or as reset leaves them; value: MOST_NUMBERS for each run, the
 * run-time numbers by id; NULL where there are none */
void gen_harness(const Plan *p, const char *name, const char *dir, int steps,
                 bool reset, const int64_t *value, Str *out);

#endif
