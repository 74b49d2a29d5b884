/* SPDX-License-Identifier: MIT
 * Averages of the parameters: the numbers of both kinds, what a run scores and saves, and the same bits with any number
 * of threads and after being stopped at any batch. */
#include "fit/averaging.h"
#include "base/threads.h"
#include "io/file.h"
#include "model/model_file.h"
#include "store/checkpoint.h"
#include "support/messages.h"
#include "support/training_runs.h"

#include <math.h>

/* A model of one number and one running statistic. */
struct tiny {
    l2r_real value, buffer;
    struct l2r_params params;
    struct l2r_averaging averaging;
};

static void start(struct tiny *t, struct l2r_config *config)
{
    struct l2r_error error;
    struct l2r_fit_options options;
    l2r_fit_options_fill(&options, config);
    *t = (struct tiny){.value = 1, .buffer = 2};
    t->params = (struct l2r_params){.value = &t->value, .buffer = &t->buffer, .n_trainable = 1, .n_buffer = 1};
    assert_int_equal(l2r_averaging_start(&t->averaging, &options, &t->params, &error), L2R_OK);
}

static void test_ema(void **state)
{
    (void)state;
    struct l2r_config *config = config_with("gin", (const char *const[]){"ema", "0.9", NULL});
    struct tiny t;
    double mean = 1, buffer = 2;
    start(&t, config);
    for (int step = 0; step < 100; step++) {
        t.value = (l2r_real)sin(step);
        t.buffer = (l2r_real)cos(step);
        double decay = fmin(0.9, (1.0 + step) / (10.0 + step));
        mean = decay * mean + (1 - decay) * (double)t.value;
        buffer = decay * buffer + (1 - decay) * (double)t.buffer;
        l2r_averaging_step(&t.averaging, &t.params, step);
        assert_true(fabs((double)t.averaging.mean[0] - mean) < 1e-6);
        assert_true(fabs((double)t.averaging.mean[1] - buffer) < 1e-6);
    }
    l2r_real before = t.value, average = t.averaging.mean[0];
    l2r_averaging_swap(&t.averaging, &t.params);
    assert_true(t.value == average && t.averaging.mean[0] == before);
    l2r_averaging_swap(&t.averaging, &t.params);
    assert_true(t.value == before && t.averaging.mean[0] == average);
    l2r_averaging_clear(&t.averaging);
    l2r_config_free(config);
}

/* Epoch e has two steps, with parameters 2e and 2e + 1. Which epochs are in the mean after the last? */
static void valley(const double *losses, int n, const char *in)
{
    struct l2r_config *config = config_with("gin", (const char *const[]){"swa", "true", NULL});
    struct tiny t;
    double sum = 0, count = 0;
    start(&t, config);
    for (int e = 0; e < n; e++) {
        for (int s = 0; s < 2; s++) {
            t.value = (l2r_real)(2 * e + s);
            l2r_averaging_step(&t.averaging, &t.params, 2 * e + s);
        }
        l2r_averaging_epoch(&t.averaging, losses[e]);
        if (in[e] == '1') sum += 2 * e + 0.5, count++;
    }
    if (fabs((double)t.averaging.mean[0] - sum / count) > 1e-5)
        fail_msg("%s: the mean is %g, expected %g", in, (double)t.averaging.mean[0], sum / count);
    assert_true(t.averaging.mean[1] == 2); /* it never moved */
    l2r_averaging_clear(&t.averaging);
    l2r_config_free(config);
}

static void test_valley(void **state)
{
    (void)state;
    valley((const double[]){3, 2, 1}, 3, "001");                                  /* still falling: the last epoch */
    valley((const double[]){3, 1, 1.1, 2}, 4, "0111");                            /* two that are no better open it */
    valley((const double[]){3, 1, 1.1, 1.2, 0.5, 0.4}, 6, "011111");              /* and then it stays open */
    valley((const double[]){1, 1, 1, 1.29, 1.31, 1.2}, 6, "111101");              /* single epochs are left out */
    valley((const double[]){1, 1, 1, 9, 9, 9, 9, 9, 1}, 9, "111000001");          /* five above in a row */
    valley((const double[]){1, 1, 1, 9, 9, 9, 9, 9, 9, 1, 1}, 11, "11100000000"); /* six: it has ended */
    valley((const double[]){NAN, NAN, 2, 1, 3, 3}, 6, "000111"); /* a loss that is not defined opens none */
}

static void test_resume(void **state)
{
    (void)state;
    static const char *const ema[] = {"ema", "0.9", NULL}, *const swa[] = {"swa", "true", "epochs", "8", NULL};
    pieces_are_whole("gin", "erm", ema, 1);
    pieces_are_whole("gin", "l2r", ema, 2);
    pieces_are_whole("gin", "erm", swa, 3);
}

static const l2r_real *tensor(const struct l2r_safetensors *file, const char *name)
{
    const struct l2r_tensor *t = l2r_safetensors_find(file, name);
    if (!t) fail_msg("there is no tensor %s", name);
    return t->data;
}

static enum l2r_status keep(void *path, struct l2r_fit *fit, struct l2r_error *error)
{
    return l2r_checkpoint_write(path, NULL, fit, "{}", error);
}

/* Averaging does not change the training; what differs is the model in the end. The checkpoint has both. */
static void test_fit_ends_in_the_average(void **state)
{
    (void)state;
    static const char *const one[] = {"epochs", "1", NULL}, *const two[] = {"epochs", "1", "ema", "0.9", NULL};
    struct l2r_config *configs[] = {config_with("gin", one), config_with("gin", two)};
    struct l2r_fit fits[2];
    struct l2r_safetensors *last[2];
    struct l2r_dataset *data;
    struct l2r_split split;
    struct l2r_error error;
    char path[512];
    const char *name = "head.bias";
    snprintf(path, sizeof path, "%s/checkpoint", root);
    const struct l2r_fit_observer watch = {.store = path, .save = keep};
    assert_int_equal(l2r_dataset_load(&data, l2r_config_text(configs[0], "data"), false, &error), L2R_OK);
    assert_int_equal(l2r_split_make(&split, data, configs[0], &error), L2R_OK);
    for (int i = 0; i < 2; i++) {
        if (l2r_fit_init(&fits[i], configs[i], data, &split, NULL, &error) != L2R_OK) fail_msg("%s", error.message);
        if (l2r_fit_run(&fits[i], &watch, &error) != L2R_OK) fail_msg("%s", error.message);
        assert_int_equal(l2r_model_file_open(&last[i], path, l2r_format_checkpoint, &error), L2R_OK);
        assert_int_equal(json_array_size(fits[i].history), 1);
    }
    float bias[2];
    for (int i = 0; i < 2; i++) {
        const struct l2r_params *p = &fits[i].trainer.network.params;
        for (size_t k = 0; k < p->count; k++)
            if (strcmp(p->items[k]->name, name) == 0) bias[i] = (float)p->items[k]->value[0];
    }
    assert_true(tensor(last[0], name)[0] == tensor(last[1], name)[0]);
    assert_true(bias[0] == tensor(last[0], name)[0]);
    assert_true(bias[1] != tensor(last[1], name)[0]);
    assert_non_null(l2r_safetensors_find(last[1], "state.average.mean"));
    for (int i = 0; i < 2; i++) {
        l2r_safetensors_free(last[i]);
        l2r_fit_clear(&fits[i]);
        l2r_config_free(configs[i]);
    }
    l2r_split_clear(&split);
    l2r_dataset_free(data);
}

static void refused(const char *const *options, const char *sentence)
{
    struct l2r_config *config = config_with("gin", options);
    struct l2r_result result;
    struct l2r_error error;
    char dir[256];
    folder(dir, "refused");
    assert_int_equal(train_into(&result, config, dir, false, NULL, &error), L2R_ERR_ARGUMENT);
    expect_message(error.message, sentence);
    l2r_config_free(config);
}

static void test_refused(void **state)
{
    (void)state;
    refused((const char *const[]){"ema", "0.9", "swa", "true", NULL},
            "`swa` and `ema` both average the parameters; choose one of them");
    refused((const char *const[]){"swa", "true", "data", "motif:train=40,valid=0,test=10", NULL},
            "`swa` averages by the loss on validation graphs, and the split leaves none");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ema),     cmocka_unit_test(test_valley),
        cmocka_unit_test(test_resume),  cmocka_unit_test(test_fit_ends_in_the_average),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, run_set_up, run_tear_down);
}
