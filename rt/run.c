/* The program of `tilewright run`: inputs come from a file, one after the
 * other, run by run; results go to another the same way, in the end the stack
 * that was used (4 bytes).  With -DDUMP the result of every layer of the last
 * run goes to a third.  With -DWATCH=N a debugger looks on before and after
 * each layer, told where N results and inputs lie. */
#include "run.h"
#include "mark.h"
#include "rt.h"

#define net tilewright_net
#define far tilewright_far

enum { NO_FILE = 101, NO_MEMORY };

static void fail(const char *what, int status)
{
    rt_print(what);
    rt_print("\n");
    rt_exit(status);
}

static void get(int f, void *p, int32_t n)
{
    if (n && rt_read(f, p, n) != n)
        fail("the inputs are too short", NO_FILE);
}

static void get_far(int f, int i)
{
    int32_t at, n;

    for (at = 0; at < net.in_bytes[i]; at += n) {
        n = net.in_bytes[i] - at;
        n = n < far.bytes ? n : far.bytes;
        get(f, far.piece, n);
        if (far.write(i, at, n, far.piece))
            fail("the network refuses its inputs", NO_FILE);
    }
}

static void get_inputs(int f, int step)
{
    int i;

    for (i = 0; i < net.nin; i++) {
        if (net.state[i] && (step || net.state[i] == 1))
            continue;
        if (FAR && !net.input(i))
            get_far(f, i);
        else
            get(f, net.input(i), net.in_bytes[i]);
    }
}

static void put(int f, const void *p, int32_t n)
{
    if (n && rt_write(f, p, n) != n)
        fail("cannot write the results", NO_FILE);
}

static void put_far(int f, int i)
{
    int32_t at, n;

    for (at = 0; at < net.out_bytes[i]; at += n) {
        n = net.out_bytes[i] - at;
        n = n < far.bytes ? n : far.bytes;
        if (far.read(i, at, n, far.piece))
            fail("the network refuses its outputs", NO_FILE);
        put(f, far.piece, n);
    }
}

static void put_outputs(int f)
{
    int i;

    for (i = 0; i < net.nout; i++)
        if (FAR && !net.output(i))
            put_far(f, i);
        else
            put(f, net.output(i), net.out_bytes[i]);
}

#ifdef DUMP
static void run_net(void)
{
    int i, f = rt_open(net.dump_file, 1);

    if (f < 0)
        fail("cannot write the layers", NO_FILE);
    for (i = 1; i <= net.nlayer; i++) {
        net.step(i);
        if (FAR && far.layer[i - 1] >= 0)
            put_far(f, far.layer[i - 1]);
        else
            put(f, net.result(i), net.layer_bytes[i - 1]);
    }
    rt_close(f);
}
#elif defined WATCH
#include "session.h"

static void run_net(void)
{
    static const void *value[WATCH];
    struct rt_time t[2];
    int i;

    for (i = 0; i < net.nlayer; i++)
        value[i] = net.layer_bytes[i] ? net.result(i + 1) : 0;
    for (i = 0; i < net.nin; i++)
        value[net.nlayer + i] = net.in_bytes[i] ? net.input(i) : 0;
    rt_host(RT_ADDRESSES, (uintptr_t)value, WATCH, 0);
    for (i = 1; i <= net.nlayer; i++) {
        rt_host(RT_LAYER, (uintptr_t)i, 0, 0);
        t[0] = rt_time();
        net.step(i);
        t[1] = rt_time();
        rt_host(RT_LAYER, (uintptr_t)i, 1, (uintptr_t)t);
    }
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
    int in, out, i;
    int32_t stack = 0;

    if (net.load && net.load())
        fail("cannot load the constants", NO_FILE);
    if (net.init())
        fail("the network refuses its memory", NO_MEMORY);
    in = rt_open(net.in_file, 0);
    if (in < 0)
        fail("cannot read the inputs", NO_FILE);
    out = rt_open(net.out_file, 1);
    if (out < 0)
        fail("cannot write the results", NO_FILE);
    for (i = 0; i < net.steps; i++) {
        if (net.begin)
            net.begin(i);
        get_inputs(in, i);
        if (!i)
            rt_paint();
        if (net.ready)
            net.ready();
        run_net();
        if (i == 0)
            stack = rt_stack_used();
        put_outputs(out);
    }
    put(out, &stack, sizeof stack);
    rt_close(in);
    rt_close(out);
    return 0;
}
