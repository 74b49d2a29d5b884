/* SPDX-License-Identifier: MIT
 *
 * Loops of one's own on small graphs with planted motifs, compared bit for bit by what their models say of all graphs.
 * A test program calls set_up and tear_down as the group's fixtures.
 */
#ifndef L2R_TESTS_OWN_LOOPS_H
#define L2R_TESTS_OWN_LOOPS_H

#include "support/training_runs.h"
#include <l2r/l2r.h>

#include "support/calls.h"

enum { N = 60, TRAIN = 30 };

static struct l2r_dataset *data;

static inline int set_up(void **state)
{
    OK(l2r_dataset_open(&data, "motif:train=30,valid=15,test=15", NULL, &error));
    return run_set_up(state);
}

static inline int tear_down(void **state)
{
    l2r_dataset_free(data);
    return run_tear_down(state);
}

static inline struct l2r_config *config_of(const char *model, const char *method, const char *options)
{
    struct l2r_config *config;
    OK(l2r_config_for_run(&config, model, method, &error));
    OK(l2r_config_set_json(
        config,
        "{\"hidden\": 8, \"layers\": 2, \"batch-size\": 8, \"epochs\": 4, \"lr\": 0.02, \"calibrate\": \"none\"}",
        &error));
    OK(l2r_config_set_json(config, options, &error));
    return config;
}

static inline struct l2r_training *begin(const char *model, const char *method, const char *options)
{
    struct l2r_config *config = config_of(model, method, options);
    struct l2r_training *t;
    OK(l2r_training_new(&t, config, data, NULL, &error));
    l2r_config_free(config);
    return t;
}

static inline void outputs_of(float *out, struct l2r_predictor *predictor)
{
    OK(l2r_predictor_predict(out, predictor, data, NULL, N, &error));
    l2r_predictor_free(predictor);
}

static inline void outputs(float *out, const struct l2r_training *t)
{
    struct l2r_predictor *predictor;
    OK(l2r_training_predictor(&predictor, t, &error));
    outputs_of(out, predictor);
}

static inline void expect_same(const struct l2r_training *a, const struct l2r_training *b)
{
    float x[2 * N], y[2 * N];
    outputs(x, a);
    outputs(y, b);
    assert_memory_equal(x, y, sizeof x);
}

#endif
