/* SPDX-License-Identifier: MIT
 * See counters.h. */
#include "serve/counters.h"

#include "base/clock.h"

#include <inttypes.h>
#include <math.h>

const double l2r_latency_bounds[L2R_LATENCIES] = {.001, .0025, .005, .01, .02, .05, .1, .25, .5, 1, 5, INFINITY};

void l2r_counters_code(struct l2r_counters *counters, int code)
{
    counters->codes[code >= 100 && code < 600 ? code / 100 : 5]++;
}

void l2r_counters_latency(struct l2r_counters *counters, double seconds)
{
    int k = 0;
    while (k + 1 < L2R_LATENCIES && seconds > l2r_latency_bounds[k]) k++;
    counters->latency[k]++;
    counters->latency_count++;
    counters->latency_nanoseconds += (uint64_t)(1e9 * (seconds > 0 ? seconds : 0));
}

static void print_one(struct l2r_text *text, const char *name, const char *kind, const char *help, uint64_t value)
{
    l2r_text_print(text, "# HELP l2r_%s %s\n# TYPE l2r_%s %s\nl2r_%s %" PRIu64 "\n", name, help, name, kind, name,
                   value);
}

static void print_latency(struct l2r_text *text, const struct l2r_counters *c)
{
    uint64_t sum = 0;
    l2r_text_puts(text, "# HELP l2r_predict_seconds from a whole request to its answer\n"
                        "# TYPE l2r_predict_seconds histogram\n");
    for (int k = 0; k < L2R_LATENCIES; k++) {
        sum += c->latency[k];
        if (k + 1 < L2R_LATENCIES)
            l2r_text_print(text, "l2r_predict_seconds_bucket{le=\"%g\"} %" PRIu64 "\n", l2r_latency_bounds[k], sum);
        else
            l2r_text_print(text, "l2r_predict_seconds_bucket{le=\"+Inf\"} %" PRIu64 "\n", sum);
    }
    l2r_text_print(text, "l2r_predict_seconds_sum %.9f\nl2r_predict_seconds_count %" PRIu64 "\n",
                   1e-9 * (double)c->latency_nanoseconds, (uint64_t)c->latency_count);
}

void l2r_counters_print(struct l2r_text *text, const struct l2r_counters *c, const struct l2r_gauges *gauges)
{
    l2r_text_puts(text, "# HELP l2r_requests_total answers by the class of their code\n"
                        "# TYPE l2r_requests_total counter\n");
    for (int k = 1; k < 6; k++)
        l2r_text_print(text, "l2r_requests_total{code=\"%dxx\"} %" PRIu64 "\n", k, (uint64_t)c->codes[k]);
    print_one(text, "molecules_total", "counter", "molecules that were predicted", c->molecules);
    print_one(text, "batches_total", "counter", "passes in which they were", c->batches);
    print_one(text, "refused_total", "counter", "requests refused because too many waited", c->refused);
    print_one(text, "waiting", "gauge", "requests that wait or are being predicted", gauges->waiting);
    print_one(text, "connections", "gauge", "open connections", gauges->connections);
    print_one(text, "models", "gauge", "models served", gauges->models);
    print_one(text, "uptime_seconds", "gauge", "seconds since the start", (uint64_t)l2r_clock_since(c->started));
    print_latency(text, c);
}
