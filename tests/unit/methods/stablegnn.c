/* SPDX-License-Identifier: MIT
 * StableGNN from end to end: its defaults, where it must coincide with plain training bit for bit, threads, resumption,
 * refusals. */
#include "base/config.h"
#include "base/threads.h"
#include "support/messages.h"
#include "support/training_runs.h"

static void run_named(const char *name, const char *model, const char *method, const char *const *set)
{
    struct l2r_config *config = config_for(model, method, set);
    struct l2r_result result = train(config, name, false, NULL);
    l2r_result_clear(&result);
    l2r_config_free(config);
}

static bool same_file(const char *a, const char *b, const char *tensor)
{
    struct l2r_safetensors *x, *y;
    struct l2r_error error;
    char path[512];
    snprintf(path, sizeof path, "%s/%s/best.safetensors", root, a);
    assert_int_equal(l2r_safetensors_read(&x, path, &error), L2R_OK);
    snprintf(path, sizeof path, "%s/%s/best.safetensors", root, b);
    assert_int_equal(l2r_safetensors_read(&y, path, &error), L2R_OK);
    const struct l2r_tensor *t = l2r_safetensors_find(x, tensor), *u = l2r_safetensors_find(y, tensor);
    assert_true(t && u && l2r_tensor_bytes(t) == l2r_tensor_bytes(u));
    bool same = memcmp(t->data, u->data, l2r_tensor_bytes(t)) == 0;
    l2r_safetensors_free(x);
    l2r_safetensors_free(y);
    return same;
}

static void test_defaults(void **state)
{
    (void)state;
    struct l2r_config *config = config_for("gcn", "stablegnn", NULL);
    struct l2r_error error;
    assert_string_equal(l2r_config_text(config, "readout"), "diffpool");
    assert_int_equal(l2r_config_int(config, "inner-steps"), 50);
    assert_string_equal(l2r_config_text(config, "reweight-after"), "20%");
    assert_int_equal(l2r_config_int(config, "queues"), 0);
    assert_string_equal(l2r_config_default(config, "readout"), "diffpool");
    assert_false(l2r_config_was_set(config, "readout"));
    assert_false(l2r_config_has(config, "fourier-features")); /* it would do nothing */
    assert_int_equal(l2r_config_set(config, "inner-steps", "3", &error), L2R_OK);
    assert_int_equal(l2r_config_int(config, "inner-steps"), 3);
    assert_string_equal(l2r_config_default(config, "inner-steps"), "50");
    l2r_config_free(config);
    config = config_for("gcn", "oodgnn", NULL);
    assert_string_equal(l2r_config_text(config, "readout"), "mean");
    assert_int_equal(l2r_config_int(config, "inner-steps"), 20);
    l2r_config_free(config);
}

static void test_ends_equal_erm(void **state)
{
    (void)state;
    static const char *const pooled[] = {"readout", "diffpool", NULL};
    static const char *const single[] = {"readout", "diffpool", "pool-clusters", "1", NULL};
    run_named("erm", "gin", "erm", pooled);
    run_named("no-steps", "gin", "stablegnn", (const char *const[]){"inner-steps", "0", NULL});
    run_named("ones", "gin", "stablegnn", (const char *const[]){"weights-control", "ones", NULL});
    run_named("warm-up", "gin", "stablegnn", (const char *const[]){"reweight-after", "100%", NULL});
    run_named("weighted", "gin", "stablegnn", NULL);
    same_tensors("erm", "no-steps", "best.safetensors");
    same_tensors("erm", "ones", "best.safetensors");
    same_tensors("erm", "warm-up", "best.safetensors");
    assert_false(same_file("erm", "weighted", "1.head.weight"));
    assert_false(same_file("no-steps", "weighted", "weights"));
    run_named("erm-single", "gcn", "erm", single);
    run_named("single", "gcn", "stablegnn", (const char *const[]){"pool-clusters", "1", NULL});
    same_tensors("erm-single", "single", "best.safetensors");
    /* 20% of 6 epochs is one. */
    run_named("one-epoch", "gin", "stablegnn", (const char *const[]){"reweight-after", "1", NULL});
    run_named("at-once", "gin", "stablegnn", (const char *const[]){"reweight-after", "0", NULL});
    same_tensors("weighted", "one-epoch", "best.safetensors");
    assert_false(same_file("weighted", "at-once", "1.head.weight"));
}

static void test_resume_and_threads(void **state)
{
    (void)state;
    static const char *const variants[][11] = {
        {NULL},
        {"weights", "persistent", "queues", "2", "ess", "0.5", "hsic-sigma", "0.8", "pool-loss", "0", NULL},
        {"weights-control", "shuffled", "covariance", "scaled", NULL}};
    for (size_t v = 0; v < 3; v++) pieces_are_whole("gin", "stablegnn", variants[v], (int)v);
}

static void refuses(const char *option, const char *value, const char *sentence)
{
    const char *const set[] = {option, value, NULL};
    struct l2r_config *config = config_for("gin", "stablegnn", set);
    struct l2r_result result;
    struct l2r_error error;
    char dir[256];
    folder(dir, "refused");
    assert_int_equal(train_into(&result, config, dir, false, NULL, &error), L2R_ERR_ARGUMENT);
    expect_message(error.message, sentence);
    l2r_config_free(config);
}

static void test_refusals(void **state)
{
    (void)state;
    refuses("readout", "mean",
            "`method=stablegnn` needs the clusters of `readout=diffpool`, its default; `readout=mean` makes none");
    refuses("hsic-sigma", "wide", "`hsic-sigma`: \"wide\" is neither median nor a number from 1e-6 to 1e6");
    refuses("hsic-sigma", "0", "`hsic-sigma`: \"0\" is neither median nor a number from 1e-6 to 1e6");
    static const char *const shares[] = {"-1", "101%", "-5%", "%", "1.5", "20 %", ""};
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        char sentence[160];
        snprintf(sentence, sizeof sentence,
                 "`reweight-after`: \"%s\" is neither a number of epochs nor a share of them such as 20%%", shares[i]);
        refuses("reweight-after", shares[i], sentence);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_ends_equal_erm),
        cmocka_unit_test(test_resume_and_threads),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, run_set_up, run_tear_down);
}
