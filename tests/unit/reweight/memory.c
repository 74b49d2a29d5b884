/* SPDX-License-Identifier: MIT
 *
 * Memory of the method: O(Q·B·d), whatever the number of training graphs, apart from one number per graph of the data
 * set (its weight, which `l2r weights` prints) and one more when weights are persistent (its logit). Counted for n and
 * for 10 n graphs: what init asks for, and the arenas of an update and of the look-ahead pass after an epoch.
 */
#include "base/memory.h"
#include "fit/trainer.h"
#include "reweight/reweighting.h"
#include "support/training_runs.h"

enum { GRAPHS = 160, OTHERS = 60, TIMES = 10 };

struct bytes {
    size_t init, update, pass;
};

static struct bytes count_bytes(int64_t n, const char *const *set)
{
    struct l2r_error error = {0};
    struct l2r_config *config = config_for("gin", "l2r", set);
    struct l2r_dataset *data;
    struct l2r_split split;
    struct l2r_trainer trainer;
    struct l2r_reweighting own = {0};
    struct bytes bytes;
    char where[64];
    snprintf(where, sizeof where, "motif:train=%d,valid=30,test=30", (int)n);
    assert_int_equal(l2r_config_set(config, "data", where, &error), L2R_OK);
    assert_int_equal(l2r_dataset_load(&data, where, false, &error), L2R_OK);
    assert_int_equal(l2r_split_make(&split, data, config, &error), L2R_OK);
    if (l2r_trainer_init(&trainer, config, data, &split, &error) != L2R_OK) fail_msg("%s", error.message);
    assert_int_equal(data->n_graphs, n + OTHERS);

    l2r_memory_requested();
    assert_int_equal(trainer.method->init(&own, config, &trainer.network, &trainer.set, &error), L2R_OK);
    bytes.init = l2r_memory_requested();
    trainer.method->clear(&own);

    const struct l2r_reweighting *r = trainer.method_state;
    for (; trainer.at.epoch < 2; trainer.at.epoch++) {
        json_t *log = json_object();
        char note[256];
        l2r_trainer_shuffle(&trainer);
        for (trainer.at.batch = 0; trainer.at.batch < l2r_trainer_batches(&trainer);)
            assert_int_equal(l2r_trainer_step(&trainer, &error), L2R_OK);
        trainer.method->after_epoch(trainer.method_state, trainer.at.epoch, log, note, &error);
        json_decref(log);
    }
    bytes.update = r->learner.arena.peak;
    bytes.pass = r->tape.arena.peak;
    l2r_trainer_clear(&trainer);
    l2r_split_clear(&split);
    l2r_dataset_free(data);
    l2r_config_free(config);
    return bytes;
}

/* `each`: bytes for one more graph. */
static void expect_growth(const char *const *set, size_t each)
{
    struct bytes few = count_bytes(GRAPHS, set), many = count_bytes(TIMES * GRAPHS, set);
    size_t more = (TIMES - 1) * GRAPHS * each;
    assert_true(few.update > 0 && few.pass > 0);
    assert_int_equal(many.update, few.update);
    assert_true(many.pass < few.pass + few.pass / 10); /* graphs differ in their edges, so batches do */
    assert_true(many.init <= few.init + more + 2 * L2R_ALIGNMENT);
    assert_true(many.init + 2 * L2R_ALIGNMENT >= few.init + more);
}

static void test_fresh(void **state)
{
    (void)state;
    expect_growth((const char *const[]){"weights", "fresh", "ess", "0.5", "queues", "3", NULL}, sizeof(l2r_real));
}

static void test_persistent(void **state)
{
    (void)state;
    expect_growth((const char *const[]){"weights", "persistent", NULL}, 2 * sizeof(l2r_real));
}

static void test_roles(void **state)
{
    (void)state;
    expect_growth((const char *const[]){"bilevel", "second", NULL}, 2 * sizeof(l2r_real));
    expect_growth((const char *const[]){"holdout", "0.3", NULL}, 2 * sizeof(l2r_real));
}

/* The constant part follows the queues: Q groups of B rows of d numbers and a weight. */
static void test_queues(void **state)
{
    (void)state;
    struct bytes none = count_bytes(GRAPHS, (const char *const[]){"queues", "0", NULL});
    struct bytes five = count_bytes(GRAPHS, (const char *const[]){"queues", "5", NULL});
    size_t queues = 5 * 16 * (16 + 1) * sizeof(l2r_real); /* batch 16, width 16 */
    assert_true(five.init - none.init >= queues - 2 * L2R_ALIGNMENT &&
                five.init - none.init <= queues + 2 * L2R_ALIGNMENT);
    assert_true(five.update > none.update);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_fresh), cmocka_unit_test(test_persistent),
                                       cmocka_unit_test(test_roles), cmocka_unit_test(test_queues)};
    return cmocka_run_group_tests(tests, run_set_up, run_tear_down);
}
