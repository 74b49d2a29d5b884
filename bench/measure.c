/* SPDX-License-Identifier: MIT
 * See measure.h. */
#include "bench/measure.h"

#include "base/array.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

struct l2r_spread l2r_spread_of(const double *values, int64_t n)
{
    double *sorted = l2r_alloc((size_t)n, sizeof *sorted);
    if (!sorted) return (struct l2r_spread){NAN, NAN, NAN};
    memcpy(sorted, values, (size_t)n * sizeof *sorted);
    qsort(sorted, (size_t)n, sizeof *sorted, l2r_compare_double);
    struct l2r_spread spread = {(sorted[(n - 1) / 2] + sorted[n / 2]) / 2, sorted[0], sorted[n - 1]};
    l2r_free(sorted);
    return spread;
}

int64_t l2r_peak_memory(void)
{
    char line[256];
    long kilobytes = -1;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && kilobytes < 0 && fgets(line, sizeof line, file))
        if (strncmp(line, "VmHWM:", 6) == 0) kilobytes = strtol(line + 6, NULL, 10);
    if (file) fclose(file);
    if (kilobytes < 0) { /* no /proc: the peak since the start */
        struct rusage usage;
        getrusage(RUSAGE_SELF, &usage);
        kilobytes = usage.ru_maxrss;
    }
    return (int64_t)kilobytes * 1024;
}

void l2r_peak_memory_reset(void)
{
    FILE *file = fopen("/proc/self/clear_refs", "w");
    if (!file) return;
    fputs("5", file); /* Linux: reset VmHWM */
    fclose(file);
}

double l2r_load_average(void)
{
    double load;
    return getloadavg(&load, 1) == 1 ? load : -1;
}

json_t *l2r_spread_to_json(struct l2r_spread s)
{
    return json_pack("{s:f, s:f, s:f}", "median", s.median, "min", s.least, "max", s.most);
}
