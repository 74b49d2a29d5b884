/* SPDX-License-Identifier: MIT
 *
 * JKNet with --jk last is GCN bit for bit, and the other ways differ from it. SGC gives the same numbers in both of its
 * forms: a virtual node (of zeros) makes it take the wide one. It does not see bond features.
 */
#include "model/score.h"
#include "support/model_trial.h"

enum { MOST = 3 * ODD_GRAPHS };

static void score(float output[MOST], struct trial *t, const struct l2r_dataset *data)
{
    struct l2r_error error;
    must(l2r_score(output, &t->network, &t->tape, data, t->graphs, data->n_graphs, 4, &error), &error);
}

static struct l2r_dataset *some_graphs(enum graph_kind kind)
{
    struct test_graph graphs[ODD_GRAPHS];
    struct l2r_rng rng = l2r_rng_at(41, L2R_RANDOM_TEST, (uint64_t)kind);
    draw_odd_graphs(graphs, kind, &rng);
    return data_set_of(graphs, ODD_GRAPHS, kind);
}

static void test_last_is_gcn(void **state)
{
    (void)state;
    const struct variant plain = {"plain", {{0}}}, last = {"last", {{"jk", "last"}}}, max = {"max", {{"jk", "max"}}};
    for (int kind = 0; kind < GRAPH_KINDS; kind++) {
        float gcn[MOST], jk[MOST];
        struct l2r_dataset *data = some_graphs((enum graph_kind)kind);
        struct trial t = trial_open(l2r_model_find("gcn"), &plain, data, "9", "0.5");
        size_t bytes = sizeof(float) * ODD_GRAPHS * (size_t)l2r_signature_outputs(&t.network.signature);
        double loss = trial_loss(&t, data, t.graphs, ODD_GRAPHS, NULL, 7, false);
        score(gcn, &t, data);
        trial_close(&t);
        t = trial_open(l2r_model_find("jknet"), &last, data, "9", "0.5");
        assert_true(trial_loss(&t, data, t.graphs, ODD_GRAPHS, NULL, 7, false) == loss);
        score(jk, &t, data);
        assert_memory_equal(jk, gcn, bytes);
        trial_close(&t);
        t = trial_open(l2r_model_find("jknet"), &max, data, "9", "0.5"); /* the same parameters, another answer */
        score(jk, &t, data);
        assert_memory_not_equal(jk, gcn, bytes);
        trial_close(&t);
        l2r_dataset_free(data);
    }
}

static void test_sgc_forms_agree(void **state)
{
    (void)state;
    const struct variant narrow = {"narrow", {{"batch-norm", "false"}, {"readout", "sum"}}},
                         wide = {"wide", {{"batch-norm", "false"}, {"readout", "sum"}, {"virtual-node", "true"}}};
    for (int kind = 0; kind < GRAPH_KINDS; kind++) {
        float a[MOST], b[MOST];
        struct l2r_dataset *data = some_graphs((enum graph_kind)kind);
        struct trial t = trial_open(l2r_model_find("sgc"), &narrow, data, "32", "0"),
                     u = trial_open(l2r_model_find("sgc"), &wide, data, "32", "0");
        for (size_t i = 0; i < u.network.params.count; i++) { /* the same numbers; a virtual node of 0 adds nothing */
            struct l2r_param *p = u.network.params.items[i];
            memset(p->value, 0, (size_t)(p->rows * p->cols) * sizeof *p->value);
            for (size_t k = 0; k < t.network.params.count; k++)
                if (strcmp(t.network.params.items[k]->name, p->name) == 0)
                    memcpy(p->value, t.network.params.items[k]->value, (size_t)(p->rows * p->cols) * sizeof *p->value);
        }
        int64_t n = ODD_GRAPHS * l2r_signature_outputs(&t.network.signature);
        score(a, &t, data), score(b, &u, data);
        for (int64_t i = 0; i < n; i++) assert_true(fabs((double)(a[i] - b[i])) <= 1e-5 * (1 + fabs((double)b[i])));
        trial_close(&t), trial_close(&u);
        l2r_dataset_free(data);
    }
}

static void test_sgc_ignores_bonds(void **state)
{
    (void)state;
    const struct variant with = {"with", {{0}}}, without = {"without", {{"edge-features", "false"}}};
    struct l2r_dataset *data = some_graphs(MOLECULES);
    float a[MOST], b[MOST];
    struct trial t = trial_open(l2r_model_find("sgc"), &with, data, "9", "0"),
                 u = trial_open(l2r_model_find("sgc"), &without, data, "9", "0");
    score(a, &t, data), score(b, &u, data);
    assert_memory_equal(a, b, sizeof a);
    trial_close(&t), trial_close(&u);
    l2r_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_last_is_gcn),
        cmocka_unit_test(test_sgc_forms_agree),
        cmocka_unit_test(test_sgc_ignores_bonds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
