/* The part of start-up that C can say. */
#include "../rt.h"

extern uint32_t rt_data_start[], rt_data_end[], rt_bss_start[], rt_bss_end[];
extern const uint32_t rt_data_load[];
int main(void);
void rt_start(void);
void rt_fault(uint32_t cause, uint32_t pc, uint32_t value, uint32_t ra);

void rt_start(void)
{
    volatile uint32_t *p;
    const volatile uint32_t *q = rt_data_load;

    for (p = rt_data_start; p < rt_data_end; p++)
        *p = *q++;
    for (p = rt_bss_start; p < rt_bss_end; p++)
        *p = 0;
    rt_exit(main());
}

void rt_fault(uint32_t cause, uint32_t pc, uint32_t value, uint32_t ra)
{
    rt_print_hex("fault: mcause=", cause);
    rt_print_hex(" pc=", pc);
    rt_print_hex(" ra=", ra);
    rt_print_hex(" mtval=", value);
    rt_print("\n");
    rt_exit(RT_FAULT);
}
