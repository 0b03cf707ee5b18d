#include "pmsis.h"

unsigned char stub_ram[RAM_BYTES];
int stub_core;
