/* Fuzzes the ONNX reader: any bytes are a graph that the checker accepts, or
 * one clear error.  The first byte chooses among ways of reading. */
#include "front/front.h"

#include "test/lib/fuzz_model.h"

static void read_model(Arena *a, const uint8_t *p, size_t n)
{
    FrontOpts o = {0};
    Graph *g;

    o.ndim = *p >> 2 & 1;
    o.context = *p & 8 ? 9 : 0;
    o.dim_name[0] = "batch";
    o.dim_size[0] = 2;
    if (*p & 1) {
        o.ntype = 1;
        o.type[0] = *p & 2 ? T_s8 : T_u8;
    }
    g = front_parse(a, "fuzz.onnx", p + 1, n - 1, &o);
    graph_check(g, "front");
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
    return fuzz_model(read_model, p, n);
}
