/* The program of `tilewright run`: inputs come from a file, one after the
 * other; results go to another the same way, then the stack that was used (4
 * bytes).  With -DDUMP the result of every layer goes to a third. */
#include "run.h"
#include "mark.h"
#include "rt.h"

#define net tilewright_net

enum { NO_FILE = 101, NO_MEMORY };

static void fail(const char *what, int status)
{
    rt_print(what);
    rt_print("\n");
    rt_exit(status);
}

static void get_inputs(void)
{
    int i, f = rt_open(net.in_file, 0);

    if (f < 0)
        fail("cannot read the inputs", NO_FILE);
    for (i = 0; i < net.nin; i++)
        if (net.in_bytes[i] && rt_read(f, net.input(i), net.in_bytes[i]) !=
            net.in_bytes[i])
            fail("the inputs are too short", NO_FILE);
    rt_close(f);
}

static void put(int f, const void *p, int32_t n)
{
    if (n && rt_write(f, p, n) != n)
        fail("cannot write the results", NO_FILE);
}

static void put_outputs(int32_t stack)
{
    int i, f = rt_open(net.out_file, 1);

    if (f < 0)
        fail("cannot write the results", NO_FILE);
    for (i = 0; i < net.nout; i++)
        put(f, net.output(i), net.out_bytes[i]);
    put(f, &stack, sizeof stack);
    rt_close(f);
}

#ifdef DUMP
static void run_net(void)
{
    int i, f = rt_open(net.dump_file, 1);

    if (f < 0)
        fail("cannot write the layers", NO_FILE);
    for (i = 1; i <= net.nlayer; i++) {
        net.step(i);
        put(f, net.result(i), net.layer_bytes[i - 1]);
    }
    rt_close(f);
}
#else
static void run_net(void)
{
    MARK_BEGIN();
    net.run();
    MARK_END();
}
#endif

int main(void)
{
    if (net.load && net.load())
        fail("cannot load the constants", NO_FILE);
    if (net.init())
        fail("the network refuses its memory", NO_MEMORY);
    get_inputs();
    rt_paint();
    run_net();
    put_outputs(rt_stack_used());
    return 0;
}
