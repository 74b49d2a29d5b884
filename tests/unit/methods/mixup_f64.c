/* SPDX-License-Identifier: MIT
 * Parts of src/methods/mixup.c: rows of the partners with their gradient, shares of the right distribution, and a loss
 * that is the one between two labels. What ranks make of it is in contract/ranks_f64.c. */
#include "../../../src/methods/mixup.c" /* NOLINT(bugprone-suspicious-include) */

#include "unit/autograd/gradient.h"

static int32_t graphs[] = {4, 2, 0, 1, 3}, of[] = {2, 0, 1, 4, 3}, to[] = {1, 2, 0, 4, 3};
static const struct partners five = {{graphs, 5, 0, 5, NULL}, of, to};

static l2r_node partners(struct l2r_tape *t, const l2r_node *x)
{
    return rows_of_partners(t, &five, x[0]);
}

static l2r_node mixed(struct l2r_tape *t, const l2r_node *x)
{
    return mix(t, x[0], rows_of_partners(t, &five, x[0]), 0.3);
}

static void test_rows_and_gradients(void **state)
{
    (void)state;
    double x[] = {1, 2, 3, 4, 5};
    struct l2r_tape t;
    l2r_tape_init(&t);
    const double *found = l2r_value_of(&t, partners(&t, (l2r_node[]){l2r_constant(&t, x, 5, 1)}))->data;
    for (int i = 0; i < 5; i++) assert_true(found[i] == x[of[i]]);
    l2r_tape_clear(&t);
    check_shapes(partners, (const int64_t[][2]){{5, 3}}, 1, false, 3);
    check_shapes(mixed, (const int64_t[][2]){{5, 4}}, 1, false, 4);
}

/* Beta(a, a) has mean 1/2 and variance 1 / (4 (2a + 1)); of n draws both are known to a few standard errors. */
static void test_shares(void **state)
{
    (void)state;
    static const double alphas[] = {0.01, 0.2, 1, 3};
    enum { N = 20000 };
    for (size_t k = 0; k < sizeof alphas / sizeof *alphas; k++) {
        struct l2r_rng rng = l2r_rng_at(1, L2R_RANDOM_METHOD, k);
        double sum = 0, squares = 0, variance = 1 / (4 * (2 * alphas[k] + 1));
        for (int i = 0; i < N; i++) {
            double share = draw_share(&rng, alphas[k]);
            assert_true(share >= 0 && share <= 1);
            sum += share - 0.5;
            squares += (share - 0.5) * (share - 0.5);
        }
        assert_true(fabs(sum / N) < 5 * sqrt(variance / N));
        assert_true(fabs(squares / N - variance) < 5 * 0.25 / sqrt(N));
    }
}

/* A head that passes Z on, and adds twice the feature that stands beside it if there is one: the outputs are the mixed
 * rows, and the loss is the mean over both labels. */
static void check_losses(int n_features)
{
    double weight[] = {1, 2}, bias[] = {0}, z[] = {0.5, -1, 2, 0.25, -3}, feature[] = {4, -1, 0.5, 0, 2};
    float labels[] = {1, -2, 0.5, 3, 0};
    struct l2r_param w = {.rows = 1, .cols = 1 + n_features, .value = weight},
                     b = {.rows = 1, .cols = 1, .value = bias};
    double zero = 0, one = 1;
    static const struct l2r_model_type backbone = {.name = "none"};
    struct l2r_copy copy = {.head.output = {&w, &b}};
    struct l2r_network network = {.type = &backbone,
                                  .copies = &copy,
                                  .n_copies = 1,
                                  .signature = {.task = L2R_TASK_REGRESSION,
                                                .n_tasks = 1,
                                                .target = {.mean = &zero, .sd = &one},
                                                .features.n = n_features}};
    struct l2r_dataset data = {.n_tasks = 1, .labels = labels};
    float own[5];
    for (int i = 0; i < 5; i++) own[i] = labels[graphs[i]];
    struct l2r_batch batch = {.n_graphs = 5, .graphs = graphs, .labels = own, .n_features = n_features};
    if (n_features > 0) batch.features = feature;
    struct l2r_tape t;
    struct l2r_step step = {.network = &network, .tape = &t, .batch = &batch, .data = &data, .seed = 7, .step = 11};
    struct mixup s = {.alpha = 2};
    l2r_tape_init(&t);
    struct l2r_rng rng = l2r_rng_at(7, L2R_RANDOM_METHOD, 11);
    struct partners p;
    assert_true(draw_partners(&p, &step, &rng));
    double share = draw_share(&rng, 2);
    const double *found = l2r_value_of(&t, graph_losses(&s, &step, l2r_constant(&t, z, 5, 1)))->data;
    for (int i = 0; i < 5; i++) {
        double o = share * z[i] + (1 - share) * z[p.of[i]];
        if (n_features > 0) o += 2 * (share * feature[i] + (1 - share) * feature[p.of[i]]);
        double a = o - (double)own[i], c = o - (double)own[p.of[i]];
        assert_true(fabs(found[i] - share * a * a - (1 - share) * c * c) < 1e-12);
    }
    l2r_tape_clear(&t);
}

static void test_losses(void **state)
{
    (void)state;
    check_losses(0);
    check_losses(1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows_and_gradients), cmocka_unit_test(test_shares),
                                       cmocka_unit_test(test_losses)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
