/* SPDX-License-Identifier: MIT
 * What the head uses of each variable, against slopes of the outputs by central differences, and against the columns of
 * a linear head; classes are centred, single outputs are not. */
#include "fit/trainer.h"
#include "reweight/importance.h"
#include "support/training_runs.h"

#include <math.h>

enum { ROWS = 20, WIDTH = 6 };

struct setting {
    struct l2r_config *config;
    struct l2r_dataset *data;
    struct l2r_split split;
    struct l2r_trainer trainer;
    double z[ROWS * WIDTH];
};

static void start(struct setting *s, const char *data)
{
    struct l2r_error error = {0};
    struct l2r_rng rng = l2r_rng_at(1, L2R_RANDOM_TEST, 0);
    s->config = config_for("gin", "l2r", (const char *const[]){"hidden", "6", NULL});
    assert_int_equal(l2r_dataset_load(&s->data, data, false, &error), L2R_OK);
    assert_int_equal(l2r_split_make(&s->split, s->data, s->config, &error), L2R_OK);
    assert_int_equal(l2r_trainer_init(&s->trainer, s->config, s->data, &s->split, &error), L2R_OK);
    assert_int_equal(s->trainer.network.width, WIDTH);
    for (int i = 0; i < ROWS * WIDTH; i++) s->z[i] = (1 + i % WIDTH) * l2r_rng_normal(&rng);
}

static void stop(struct setting *s)
{
    l2r_trainer_clear(&s->trainer);
    l2r_split_clear(&s->split);
    l2r_dataset_free(s->data);
    l2r_config_free(s->config);
}

static void outputs_of(double *out, struct setting *s)
{
    struct l2r_tape tape;
    l2r_tape_init(&tape);
    l2r_tape_mode_predict(&tape);
    l2r_node node = l2r_network_output(&s->trainer.network, &tape, NULL, l2r_constant(&tape, s->z, ROWS, WIDTH));
    const struct l2r_value *value = l2r_value_of(&tape, node);
    memcpy(out, value->data, (size_t)(value->rows * value->cols) * sizeof *out);
    l2r_tape_clear(&tape);
}

/* Σ over the outputs of the squared slope of row r in variable i. */
static double squared_slope(struct setting *s, int r, int i, int k, bool centred)
{
    const double h = 1e-5;
    double up[ROWS * 8], down[ROWS * 8], kept = s->z[r * WIDTH + i], mean = 0, sum = 0;
    s->z[r * WIDTH + i] = kept + h;
    outputs_of(up, s);
    s->z[r * WIDTH + i] = kept - h;
    outputs_of(down, s);
    s->z[r * WIDTH + i] = kept;
    for (int o = 0; centred && o < k; o++) mean += (up[r * k + o] - down[r * k + o]) / (2 * h) / k;
    for (int o = 0; o < k; o++) sum += pow((up[r * k + o] - down[r * k + o]) / (2 * h) - mean, 2);
    return sum;
}

static void check(const char *data, bool centred)
{
    struct setting s;
    struct l2r_importance importance;
    struct l2r_error error;
    const double *a;
    double expected[WIDTH], square = 0;
    start(&s, data);
    int k = l2r_signature_outputs(&s.trainer.network.signature);
    l2r_importance_init(&importance, true);
    assert_int_equal(l2r_importance_find(&a, &importance, &s.trainer.network, s.z, ROWS, &error), L2R_OK);
    for (int i = 0; i < WIDTH; i++) {
        double slope = 0, mean = 0, variance = 0;
        for (int r = 0; r < ROWS; r++) slope += sqrt(squared_slope(&s, r, i, k, centred)) / ROWS;
        for (int r = 0; r < ROWS; r++) mean += s.z[r * WIDTH + i] / ROWS;
        for (int r = 0; r < ROWS; r++) variance += pow(s.z[r * WIDTH + i] - mean, 2) / ROWS;
        expected[i] = slope * sqrt(variance);
        square += expected[i] * expected[i] / WIDTH;
    }
    for (int i = 0; i < WIDTH; i++)
        if (fabs(a[i] - expected[i] / sqrt(square)) > 1e-7)
            fail_msg("%s, variable %d: %.12g, expected %.12g", data, i, a[i], expected[i] / sqrt(square));
    l2r_importance_clear(&importance);
    stop(&s);
}

static void test_slopes(void **state)
{
    (void)state;
    check("motif:train=40,valid=10,test=10", true);
    check("molecules:graphs=40", false);
}

/* Not wanted, or a head that uses nothing: none. */
static void test_ends(void **state)
{
    (void)state;
    struct setting s;
    struct l2r_importance importance;
    struct l2r_error error;
    const double *a;
    start(&s, "motif:train=40,valid=10,test=10");
    l2r_importance_init(&importance, false);
    assert_int_equal(l2r_importance_find(&a, &importance, &s.trainer.network, s.z, ROWS, &error), L2R_OK);
    assert_null(a);
    l2r_importance_clear(&importance);
    l2r_importance_init(&importance, true);
    memset(s.trainer.network.params.value, 0, (size_t)s.trainer.network.params.n_trainable * sizeof(l2r_real));
    assert_int_equal(l2r_importance_find(&a, &importance, &s.trainer.network, s.z, ROWS, &error), L2R_OK);
    assert_null(a);
    l2r_importance_clear(&importance);
    stop(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_slopes), cmocka_unit_test(test_ends)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
