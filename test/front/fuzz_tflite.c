/* Fuzzes the TensorFlow Lite reader: any bytes are a graph that the checker
 * accepts, or one clear error. */
#include "front/front.h"
#include "front/tflite/tflite.h"

#include "test/lib/fuzz_model.h"

static void read_model(Arena *a, const uint8_t *p, size_t n)
{
    FrontOpts o = {0};
    Graph *g = tflite_parse(a, "fuzz.tflite", p, n, &o);

    graph_check(g, "front");
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
    return fuzz_model(read_model, p, n);
}
