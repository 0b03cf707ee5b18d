/* Inside front/tflite: the model that is being read, and the operator of it
 * that is being imported.
 *
 * TensorFlow Lite has channels last; the graph has them first until the layout
 * pass decides.  So a tensor may be known in two forms, each made of the other
 * when it is asked for: plain, in the order of the file, and as an image, with
 * its last axis moved to place 1.  Operators on images take and give images,
 * so that between them nothing is transposed. */
#ifndef FRONT_TFLITE_IMPORT_H
#define FRONT_TFLITE_IMPORT_H

#include "front/build.h"
#include "front/tflite/flat.h"
#include "front/tflite/tflite.h"

/* Numbers of the schema (schema.fbs of TensorFlow Lite). */
typedef enum TfType {
    TF_f32 = 0, TF_f16 = 1, TF_s32 = 2, TF_u8 = 3, TF_s64 = 4, TF_text = 5,
    TF_bool = 6, TF_s16 = 7, TF_s8 = 9, TF_f64 = 10, TF_u64 = 12,
    TF_resource = 13, TF_u32 = 15, TF_u16 = 16, TF_s4 = 17, TF_s2 = 19,
    TF_u4 = 20
} TfType;

typedef enum Act {
    ACT_none, ACT_relu, ACT_relu1, ACT_relu6, ACT_tanh, ACT_sign
} Act;

/* A tensor of the subgraph, and what it is in the graph. */
typedef struct Tensor {
    int index;
    const char *name;
    TfType type;
    Shape shape;        /* as declared; rank 0 where it may be unknown */
    bool has_shape;
    const uint8_t *data; /* a constant's bytes in the file; NULL: none */
    uint64_t bytes;
    uint32_t nscale;    /* 0: not quantized; 1: one for all */
    Vector scale, zero;
    int axis;           /* of more scales than one */
    bool variable;
    int resource;       /* number of the variable it names, plus one */
    Val *plain, *image; /* NULL: not made yet */
    bool bad;           /* its operator was refused: say no more */
} Tensor;

typedef struct Row Row;

/* What VAR_HANDLE names, and variable tensors: what lives from run to run. */
typedef struct Variable {
    const char *name;
    Val *first;  /* the input that holds it when a run begins */
    Val *now;    /* what it holds at this place of the network */
    Tensor *t;   /* a variable tensor, or NULL */
    int64_t less; /* what is held is this much less than its value */
    const Tensor *init; /* given by CALL_ONCE, or NULL */
} Variable;

typedef struct Model {
    Reading r;
    Flat file;
    Table root;
    Vector codes, buffers, subgraphs;
    int ntensor;
    Tensor *tensor;
    int nvar;
    Variable *var[64];
} Model;

/* One operator being imported.  Operands are asked for by in() and the like;
 * Call.arg is not filled. */
typedef struct LiteCall {
    Call c;
    Model *m;
    const Row *row;
    Table op, options;
    Tensor **in;  /* Call.narg of them; NULL: absent */
    Tensor **out; /* Call.nres of them */
} LiteCall;

static inline LiteCall *lite(const Call *c)
{
    return (LiteCall *)c;
}

struct Row { /* of ops.def */
    int code;         /* of the schema's BuiltinOperator */
    const char *name; /* "CONV_2D" */
    void (*import)(Call *c); /* NULL: refused, about says why */
    int min, max;     /* operands */
    const char *types; /* of data: "i8 i16 f32" */
    const char *about;
};

/* table.c */
const Row *lite_row(int code); /* NULL: unknown */

/* tensor.c */
void tensors_read(Model *m, Vector v);
Val *tensor_const(const Call *c, const Tensor *t);
double scale_at(const Tensor *t, uint32_t i); /* of channel i */
int64_t zero_of(const Tensor *t);

/* variable.c: what lives from run to run */
Variable *variable_new(const Call *c, const char *name);
/* Makes the input that holds it; states begin at their zero point.  like: a
 * tensor of its kind. */
void variable_begin(Call *c, Variable *v, Type type, Shape s,
                    const Tensor *like);
Val *variable_now(Call *c, Tensor *t);
void variable_set(Call *c, Tensor *t, Val *v); /* a variable tensor */
void variables_end(Model *m); /* makes outputs of what states become */

/* operand.c */
/* The operator's number, and the name of a custom one. */
int lite_code(const Model *m, Table op, const char **custom);
Tensor *in(const Call *c, int i);   /* NULL: absent */
Tensor *need(const Call *c, int i); /* err if absent */
Tensor *out(const Call *c, int i);
Val *plain(const Call *c, int i);   /* NULL: absent */
Val *image(const Call *c, int i);   /* of 4 axes; err if not */
bool has_image(const Call *c, int i); /* made as one, and of 4 axes */
Val *tensor_plain(const Call *c, Tensor *t);
const Val *known(const Call *c, int i); /* constant; err if not */
void give_plain(Call *c, int i, Val *v);
void give_image(Call *c, int i, Val *v);
Val *to_image(Call *c, Val *v);
Val *to_plain(Call *c, Val *v);
/* An option by its field, of one, four bytes. */
int64_t option8(const Call *c, int field, int64_t none);
int64_t option32(const Call *c, int field, int64_t none);
double option_f32(const Call *c, int field, double none);
int64_t list_at(const Call *c, int i, int max, int64_t *list); /* constant */
Type type_of(TfType t);             /* T_none: none holds it */
const char *type_name(TfType t);
bool is_float(const Tensor *t);
bool is_int8(const Tensor *t);
bool is_int16(const Tensor *t);
bool is_quantized(const Tensor *t); /* s8, u8 or s16 with a scale */
/* err if the operator is not of these types. */
void want_quantized(const Call *c, const Tensor *t);

/* scale.c: quantization */
double scale_of(const Call *c, const Tensor *t); /* the only one */
void same_scale(const Call *c, const Tensor *x, const Tensor *y);

/* A real factor as integers: (v * mul + half) >> shift, rounded as TensorFlow
 * Lite's MultiplyByQuantizedMultiplier does: SRDHM, then RDP. */
typedef struct Factor {
    int64_t mul;
    int shift; /* 31 less the exponent */
    int64_t plus; /* to the zero point: all there is if mul is 0 */
} Factor;
Factor factor(const Call *c, double d);
int64_t mbqm(int64_t v, Factor f);
int64_t clamp64(int64_t v, int64_t lo, int64_t hi);
int64_t whole(double v); /* rounded, ties away from 0; 32 bits, NaN is 0 */
/* Bounds of a result after its fused activation. */
void bounds(const Call *c, const Tensor *y, Act act, int64_t *lo,
            int64_t *hi);
Val *float_act(Call *c, Val *v, Act act); /* a fused activation, of floats */
Act act_of(const Call *c, int field);     /* err if there is none such */

/* The last step of an operator on integers, as operands and attributes. */
typedef struct Epilogue {
    Val *mul, *add, *shifts; /* shifts: NULL if they are equal */
    int shift;
    bool round;
    int64_t lo, hi;
} Epilogue;
/* clip(zero + MBQM(v)) of one factor, or n, one per channel. */
Epilogue epilogue(Call *c, const Factor *f, int64_t n, const Tensor *y,
                  Act act);
/* The same for sums of 64 bits, whose factors have 16. */
Epilogue epilogue64(Call *c, const Factor *f, int64_t n, const Tensor *y,
                    Act act);
Val *finish(Call *c, Node *n, const Epilogue *e); /* as done() */
/* clip(zero + round(v * d)), zero and bounds y's. */
Val *rescale(Call *c, Val *v, double d, const Tensor *y, Act act);
/* clip(MBQM(v), lo, hi) */
Val *rescale_to(Call *c, Val *v, Factor f, int64_t lo, int64_t hi);
Val *centred(Call *c, Val *v, int64_t zero); /* v less its zero point */

/* What an operator makes of one value of 8 bits; x and y: its tensors. */
typedef int64_t Table8(const Call *c, const Tensor *x, const Tensor *y,
                       int64_t v);
Val *table8(Call *c, Val *v, const Tensor *x, const Tensor *y, Table8 *fn);

/* op_unary.c: logistic function or tanh of x mul / 2^shift, 16 bits */
Val *qsigmoid(Call *c, Val *x, bool is_tanh, int64_t mul, int shift);

#define TFLITE(code, name, how, min, max, types, about) \
    void lite_##how(Call *c);
#define REFUSED(code, name, why)
#include "front/tflite/ops.def"

/* op_move.c: the sizes a list asks for; one of them may be -1: what is left. */
Shape shape_told(const Call *c, const Val *x, int64_t n, const int64_t *list);

#endif
