// Seconds since some moment, never going back.
#pragma once

#include <time.h>

static inline double seconds_now() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
