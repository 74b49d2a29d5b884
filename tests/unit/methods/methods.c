/* SPDX-License-Identifier: MIT
 * Reweighting methods: where they must coincide with plain training or with each other they do so bit for bit, and they
 * resume. */
#include "base/threads.h"
#include "support/training_runs.h"

static void run_named(const char *name, const char *method, const char *const *set)
{
    struct l2r_config *config = config_for("gin", method, set);
    struct l2r_result result = train(config, name, false, NULL);
    l2r_result_clear(&result);
    l2r_config_free(config);
}

/* Do the two models differ at all? */
static bool same_head(const char *a, const char *b)
{
    struct l2r_safetensors *x, *y;
    struct l2r_error error;
    char path[512];
    snprintf(path, sizeof path, "%s/%s/best.safetensors", root, a);
    assert_int_equal(l2r_safetensors_read(&x, path, &error), L2R_OK);
    snprintf(path, sizeof path, "%s/%s/best.safetensors", root, b);
    assert_int_equal(l2r_safetensors_read(&y, path, &error), L2R_OK);
    const struct l2r_tensor *t = l2r_safetensors_find(x, "1.head.weight"),
                            *u = l2r_safetensors_find(y, "1.head.weight");
    bool same = memcmp(t->data, u->data, l2r_tensor_bytes(t)) == 0;
    l2r_safetensors_free(x);
    l2r_safetensors_free(y);
    return same;
}

static void test_ends_equal_erm(void **state)
{
    (void)state;
    run_named("erm", "erm", NULL);
    run_named("one-cluster", "l2r", (const char *const[]){"clusters", "1", NULL});
    run_named("no-steps", "l2r", (const char *const[]){"inner-steps", "0", NULL});
    run_named("ablation", "l2r", (const char *const[]){"decorrelation", "false", NULL});
    run_named("ones", "oodgnn", (const char *const[]){"weights-control", "ones", NULL});
    run_named("l2r", "l2r", (const char *const[]){"ess", "0.5", NULL});
    same_tensors("erm", "one-cluster", "best.safetensors");
    same_tensors("erm", "no-steps", "best.safetensors");
    same_tensors("erm", "ablation", "best.safetensors");
    same_tensors("erm", "ones", "best.safetensors");
    assert_false(same_head("erm", "l2r"));
}

static void test_oodgnn_is_a_case_of_l2r(void **state)
{
    (void)state;
    run_named("ood", "oodgnn", NULL);
    run_named("all", "l2r", (const char *const[]){"pairs", "all", "bilevel", "none", NULL});
    run_named("across", "l2r", (const char *const[]){"bilevel", "none", NULL});
    same_tensors("ood", "all", "best.safetensors");
    assert_false(same_head("ood", "across"));
    assert_false(same_head("ood", "erm"));
}

static void test_resume_and_threads(void **state)
{
    (void)state;
    static const char *const variants[][11] = {
        {"weights", "persistent", "queues", "2", "bilevel", "second", "ess", "0.6", NULL},
        {"scope", "epoch", "ess", "0.6", "weights-control", "shuffled", "pairs", "within", NULL},
        {"holdout", "0.45", "ess", "0.6", "queues", "2", "weights", "persistent", "clusters", "3", NULL},
        {"form", "paper", "clusters", "3", "window", "4", NULL}};
    for (size_t v = 0; v < sizeof variants / sizeof *variants; v++) pieces_are_whole("gin", "l2r", variants[v], (int)v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ends_equal_erm),
        cmocka_unit_test(test_oodgnn_is_a_case_of_l2r),
        cmocka_unit_test(test_resume_and_threads),
    };
    return cmocka_run_group_tests(tests, run_set_up, run_tear_down);
}
