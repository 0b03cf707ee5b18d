/* Start of a Cortex-M4 on QEMU, all of whose memory is RAM and loaded; what is
 * printed goes to QEMU's host, and all ends after setup(). */
#include "Arduino.h"

Console Serial;

static void semihost(uint32_t what, const void *with)
{
    register uint32_t r0 __asm__("r0") = what;
    register const void *r1 __asm__("r1") = with;

    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
}

void Console::begin(long)
{
}

void Console::print(const char *text)
{
    enum { WRITE0 = 4 };

    semihost(WRITE0, text);
}

static void stop(uint32_t status)
{
    enum { EXIT_EXTENDED = 0x20, APPLICATION_EXIT = 0x20026 };
    const uint32_t why[2] = {APPLICATION_EXIT, status};

    semihost(EXIT_EXTENDED, why);
}

static void fault()
{
    stop(1);
}

static void start()
{
    *(volatile uint32_t *)0xe000ed88 |= 0xf00000; /* the FPU is on */
    setup();
    stop(0);
}

typedef void Handler();

extern "C" __attribute__((section(".vectors"), used))
Handler *const vectors[] = {(Handler *)0x20010000, start, fault, fault};
