/* As much of Arduino as the example of a package wants. */
#ifndef ARDUINO_H
#define ARDUINO_H

#include <stdint.h>
#include <string.h>

void setup();
void loop();

struct Console {
    void begin(long baud);
    void print(const char *text);
};

extern Console Serial;

#endif
