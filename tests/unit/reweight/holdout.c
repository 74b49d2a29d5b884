/* SPDX-License-Identifier: MIT
 * --holdout: each epoch's parts are disjoint and complete, every held-out batch has one turn, weights change for
 * held-out graphs only, training sees them with mean 1, and options that cannot go together say so. */
#include "reweight/reweighting.h"

#include "fit/trainer.h"
#include "reweight/reweighting.h"
#include "support/messages.h"
#include "support/training_runs.h"

#include <math.h>

static void test_turns(void **state)
{
    (void)state;
    static const struct {
        double share;
        int64_t n, batch;
    } cases[] = {{0.5, 400, 32}, {0.1, 400, 32}, {0.9, 400, 32}, {0.2, 101, 16}, {0.99, 800, 7}, {0.08, 100, 64}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct l2r_holdout h;
        struct l2r_error error;
        int32_t order[1000];
        l2r_real weight[1000];
        int64_t n = cases[c].n, next = 0, graphs = 0;
        for (int32_t i = 0; i < n; i++) order[i] = i, weight[i] = 1;
        assert_int_equal(l2r_holdout_init(&h, cases[c].share, n, cases[c].batch, &error), L2R_OK);
        assert_int_equal(l2r_holdout_epoch(&h, order, weight) + h.n_held, n);
        assert_int_equal(h.n_held, llround(cases[c].share * (double)n));
        for (int64_t b = 0; b < h.batches; b++) {
            int64_t begin, end, size;
            l2r_holdout_due(&begin, &end, &h, b);
            assert_int_equal(begin, next); /* one after the other, none twice */
            for (next = begin; next < end; next++) {
                const int32_t *held = l2r_holdout_batch(&size, &h, next);
                assert_int_equal(held[0], h.n_train + graphs);
                assert_true(size > 0 && size <= cases[c].batch);
                graphs += size;
            }
        }
        assert_int_equal(next, h.held);
        assert_int_equal(graphs, h.n_held);
        for (int32_t i = 0; i < n; i++) weight[i] = i % 2 ? 3 : 2; /* a mean that is not 1 */
        l2r_holdout_epoch(&h, order, weight);
        double sum = 0;
        for (int64_t i = 0; i < h.n_train; i++) sum += h.factor * (double)weight[i];
        assert_true(fabs(sum / (double)h.n_train - 1) < 1e-12);
    }
}

struct bench {
    struct l2r_config *config;
    struct l2r_dataset *data;
    struct l2r_split split;
    struct l2r_trainer trainer;
    struct l2r_reweighting *method;
};

static void open_bench(struct bench *b, const char *const *set)
{
    struct l2r_error error = {0};
    *b = (struct bench){.config = config_for("gin", "l2r", set)};
    assert_int_equal(l2r_dataset_load(&b->data, l2r_config_text(b->config, "data"), false, &error), L2R_OK);
    assert_int_equal(l2r_split_make(&b->split, b->data, b->config, &error), L2R_OK);
    if (l2r_trainer_init(&b->trainer, b->config, b->data, &b->split, &error) != L2R_OK) fail_msg("%s", error.message);
    b->method = b->trainer.method_state;
}

static void close_bench(struct bench *b)
{
    l2r_trainer_clear(&b->trainer);
    l2r_split_clear(&b->split);
    l2r_dataset_free(b->data);
    l2r_config_free(b->config);
}

static void test_epochs(void **state)
{
    (void)state;
    struct bench b;
    struct l2r_error error;
    char note[256] = "";
    int held_in[60] = {0};
    l2r_real before[60];
    open_bench(&b, (const char *const[]){"holdout", "0.4", "ess", "0.5", "clusters", "3", NULL});
    struct l2r_trainer *t = &b.trainer;
    for (int64_t epoch = 0; epoch < 8; epoch++) {
        l2r_trainer_shuffle(t);
        assert_int_equal(t->n_active, 36);
        assert_int_equal(l2r_trainer_batches(t), 3);
        for (int g = 0; g < 60; g++) before[g] = b.method->graph_weight[g];
        while (t->at.batch < l2r_trainer_batches(t)) assert_int_equal(l2r_trainer_step(t, &error), L2R_OK);
        for (int64_t i = 0; i < 60; i++) {
            int32_t g = t->order[i];
            bool same = memcmp(&before[g], &b.method->graph_weight[g], sizeof *before) == 0;
            if (i < 36) assert_true(same);
            held_in[g] += i >= 36;
            /* 24 held out: a batch of 16, and one of 8. In the first epoch there are no clusters yet. */
            if (i >= 36 && epoch >= 1) assert_false(same);
        }
        json_t *log = json_object();
        assert_int_equal(t->method->after_epoch(t->method_state, epoch, log, note, &error), L2R_OK);
        assert_int_equal(json_integer_value(json_object_get(json_object_get(log, "reweight"), "updates")),
                         epoch ? 2 : 0);
        json_decref(log);
        t->at.epoch++;
        t->at.batch = 0;
    }
    int fewest = 8, most = 0;
    for (int g = 0; g < 60; g++) {
        fewest = held_in[g] < fewest ? held_in[g] : fewest;
        most = held_in[g] > most ? held_in[g] : most;
    }
    assert_true(most < 8 && most > fewest); /* a new part each epoch */
    close_bench(&b);
}

static void expect_refusal(const char *const *set, const char *words)
{
    struct l2r_config *config = config_for("gin", "l2r", set);
    struct l2r_result result;
    struct l2r_error error = {0};
    char dir[256];
    folder(dir, "refused");
    assert_int_equal(train_into(&result, config, dir, false, NULL, &error), L2R_ERR_ARGUMENT);
    if (!message_matches(error.message, words)) fail_msg("\"%s\" does not say \"%s\"", error.message, words);
    l2r_config_free(config);
}

static void test_refusals(void **state)
{
    (void)state;
    expect_refusal((const char *const[]){"holdout", "0.5", "scope", "epoch", NULL}, "`scope=batch`");
    expect_refusal((const char *const[]){"holdout", "0.5", "bilevel", "none", NULL}, "`bilevel=none`");
    expect_refusal((const char *const[]){"holdout", "0.5", "bilevel", "second", NULL}, "`bilevel=first`");
    expect_refusal((const char *const[]){"holdout", "0.1", NULL}, "holds out 6 of 60");
    expect_refusal((const char *const[]){"holdout", "0.999", NULL}, "leaves none of 60");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_turns), cmocka_unit_test(test_epochs),
                                       cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, run_set_up, run_tear_down);
}
