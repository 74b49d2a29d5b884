/* SPDX-License-Identifier: MIT
 * Environments from every rule, and how a method sees them: over the training set, and for each graph of a batch. */
#include "fit/environments.h"
#include "data/reader.h"
#include "fit/trainer.h"
#include "support/messages.h"
#include "support/training_runs.h"

/* A method that looks at what it is given. */
static struct {
    int64_t n_train, batches, graphs, by_group[16];
} seen;

static enum l2r_status probe_init(void *state, const struct l2r_config *config, const struct l2r_network *network,
                                  const struct l2r_training_set *set, struct l2r_error *error)
{
    (void)state, (void)config, (void)network;
    for (int64_t i = 0; i < set->n; i++) assert_int_equal(set->data->official[set->graphs[i]], L2R_PART_TRAIN);
    seen.n_train = set->n;
    return l2r_environments_need(set->environments, set->data, set->graphs, set->n, "probe", error);
}

static const l2r_real *probe_weights(void *state, const struct l2r_step *step, l2r_node z)
{
    (void)state, (void)z;
    const struct l2r_environments *e = step->set->environments;
    for (int64_t i = 0; i < step->batch->n_graphs; i++) {
        int64_t graph = step->batch->graphs[i];
        assert_int_equal(l2r_step_environment(step, i), e->of_graph[graph]);
        assert_int_equal(l2r_step_group(step, i),
                         (int32_t)step->batch->labels[i] * e->n + step->data->environment[graph]);
        seen.by_group[l2r_step_group(step, i)]++;
    }
    seen.batches++;
    seen.graphs += step->batch->n_graphs;
    return NULL;
}

static const struct l2r_option no_options[] = {{0}};
static const struct l2r_method probe = {
    .name = "probe", .title = "looks", .options = no_options, .init = probe_init, .sample_weights = probe_weights};
extern const struct l2r_method l2r_method_erm;
const struct l2r_method *const l2r_methods[] = {&l2r_method_erm, &probe, NULL};

#define SPMOTIF "spmotif:train=90,valid=30,test=30"

static struct l2r_error error;

static void methods_see_environments_and_groups(void **state)
{
    (void)state;
    struct l2r_config *config = config_for("gin", "probe", (const char *const[]){"data", SPMOTIF, "epochs", "1", NULL});
    struct l2r_result result = train(config, "probe", false, NULL);
    struct l2r_dataset *data;
    int64_t expected[16] = {0};
    assert_int_equal(seen.n_train, 90);
    assert_int_equal(seen.graphs, 90);
    assert_int_equal(seen.batches, 6);
    assert_int_equal(l2r_dataset_load(&data, SPMOTIF, false, &error), L2R_OK);
    for (int64_t g = 0; g < 90; g++) expected[(int)data->labels[g] * 3 + data->environment[g]]++;
    assert_memory_equal(seen.by_group, expected, sizeof expected);
    l2r_dataset_free(data);
    l2r_result_clear(&result);
    l2r_config_free(config);
}

/* The environments of a run on `where`. */
static enum l2r_status make(struct l2r_environments *e, struct l2r_dataset **data, const char *where,
                            const char *const *set)
{
    struct l2r_config *config = config_for("gin", "erm", set);
    struct l2r_split split;
    assert_int_equal(l2r_config_set(config, "data", where, &error), L2R_OK);
    if (l2r_dataset_load(data, where, false, &error) != L2R_OK) fail_msg("%s", error.message);
    assert_int_equal(l2r_split_make(&split, *data, config, &error), L2R_OK);
    enum l2r_status status = l2r_run_environments(e, config, *data, &split, &error);
    l2r_split_clear(&split);
    l2r_config_free(config);
    return status;
}

static void auto_takes_what_the_data_says(void **state)
{
    (void)state;
    struct l2r_environments e;
    struct l2r_dataset *data;
    assert_int_equal(make(&e, &data, SPMOTIF, NULL), L2R_OK);
    assert_string_equal(e.rule, "given");
    assert_int_equal(e.n, 3);
    assert_memory_equal(e.of_graph, data->environment, 150 * sizeof *e.of_graph);
    assert_string_equal(l2r_environments_name(&e, 2), "wheel");
    assert_null(l2r_environments_name(&e, 3));
    assert_int_equal(l2r_group_count(&e, data), 9);
    l2r_environments_clear(&e);
    l2r_dataset_free(data);
    assert_int_equal(make(&e, &data, SPMOTIF, (const char *const[]){"environments", "none", NULL}), L2R_OK);
    assert_int_equal(e.n, 0);
    assert_int_equal(l2r_group_count(&e, data), 3);
    l2r_dataset_free(data);
    assert_int_equal(make(&e, &data, "molecules:graphs=50", NULL), L2R_OK);
    assert_string_equal(e.rule, "none");
    l2r_dataset_free(data);
}

/* Bins are as full as ties allow; larger graphs of other parts go to the last one. */
static void size_bins_are_equally_full(void **state)
{
    (void)state;
    struct l2r_environments e;
    struct l2r_dataset *data;
    int64_t count[3] = {0}, smallest[3] = {1000, 1000, 1000}, largest[3] = {0};
    assert_int_equal(make(&e, &data, "spmotif:train=900,valid=30,test=90,test-bases=large",
                          (const char *const[]){"environments", "size", "n-environments", "3", NULL}),
                     L2R_OK);
    assert_int_equal(e.n, 3);
    for (int64_t g = 0; g < 900; g++) {
        int64_t n = l2r_dataset_nodes_of(data, g), k = e.of_graph[g];
        count[k]++;
        if (n < smallest[k]) smallest[k] = n;
        if (n > largest[k]) largest[k] = n;
    }
    for (int k = 0; k < 3; k++) assert_in_range(count[k], 220, 380);
    assert_true(largest[0] < smallest[1] && largest[1] < smallest[2]);
    char name[64];
    snprintf(name, sizeof name, "up to %d nodes", (int)smallest[1] - 1);
    assert_string_equal(l2r_environments_name(&e, 0), name);
    snprintf(name, sizeof name, "%d nodes or more", (int)smallest[2]);
    assert_string_equal(l2r_environments_name(&e, 2), name);
    for (int64_t g = 930; g < 1020; g++)
        if (l2r_dataset_nodes_of(data, g) > 30) assert_int_equal(e.of_graph[g], 2);
    l2r_environments_clear(&e);
    l2r_dataset_free(data);
    assert_int_equal(
        make(&e, &data, "motif:train=20,valid=5,test=5", (const char *const[]){"environments", "size", NULL}), L2R_OK);
    assert_int_equal(e.n, 1); /* all have 18 nodes */
    assert_string_equal(l2r_environments_name(&e, 0), "all sizes");
    l2r_environments_clear(&e);
    l2r_dataset_free(data);
}

/* With base and label tied a trained model's Z falls into the three kinds of graphs. */
static void kmeans_clusters_a_models_z(void **state)
{
    (void)state;
    char from[256];
    struct l2r_environments e, again;
    struct l2r_dataset *data;
    static const char where[] = "spmotif:bias=1,train=120,valid=30,test=30";
    struct l2r_config *config =
        config_for("gin", "erm", (const char *const[]){"data", where, "epochs", "15", "lr", "0.01", NULL});
    struct l2r_result result = train(config, "source", false, NULL);
    folder(from, "source");
    const char *const set[] = {"environments", "kmeans", "n-environments", "3", "environments-from", from, NULL};
    l2r_threads_set(1);
    assert_int_equal(make(&e, &data, where, set), L2R_OK);
    l2r_dataset_free(data);
    l2r_threads_set(2);
    assert_int_equal(make(&again, &data, where, set), L2R_OK);
    assert_memory_equal(e.of_graph, again.of_graph, 180 * sizeof *e.of_graph);
    int64_t pure = 0;
    for (int k = 0; k < 3; k++) {
        int64_t count[3] = {0}, most = 0;
        for (int64_t g = 0; g < 120; g++)
            if (e.of_graph[g] == k) count[data->environment[g]]++;
        for (int b = 0; b < 3; b++) most = count[b] > most ? count[b] : most;
        pure += most;
    }
    assert_true(pure > 110); /* a third by chance */
    assert_string_equal(l2r_environments_name(&e, 2), "cluster 2");
    l2r_environments_clear(&e);
    l2r_environments_clear(&again);
    l2r_dataset_free(data);
    l2r_result_clear(&result);
    l2r_config_free(config);
}

static void reports_what_is_missing(void **state)
{
    (void)state;
    static const struct {
        const char *where, *set[7], *message;
    } cases[] = {
        {"molecules:graphs=50",
         {"environments", "given", NULL},
         "`environments=given`: data set \"molecules\" has no environments; `environment-column` takes them "
         "from a table"},
        {SPMOTIF,
         {"environments", "scaffold", NULL},
         "`environments=scaffold`: data set \"spmotif\" is not a table of SMILES, so its scaffolds are unknown"},
        {SPMOTIF,
         {"n-environments", "3", NULL},
         "`n-environments` has no effect here; it goes with `environments=scaffold`, size or kmeans"},
        {SPMOTIF,
         {"environments", "kmeans", NULL},
         "`environments=kmeans` needs `environments-from`, a trained model whose representations are clustered"},
        {SPMOTIF, {"environments-from", "somewhere", NULL}, "`environments-from` goes with `environments=kmeans`"},
        {SPMOTIF,
         {"environments", "kmeans", "environments-from", "x", "n-environments", "91", NULL},
         "`n-environments=91`: there are only 90 training graphs"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct l2r_environments e;
        struct l2r_dataset *data;
        assert_int_equal(make(&e, &data, cases[i].where, cases[i].set), L2R_ERR_ARGUMENT);
        expect_message(error.message, cases[i].message);
        l2r_environments_clear(&e);
        l2r_dataset_free(data);
    }
    struct l2r_config *config =
        config_for("gin", "probe", (const char *const[]){"data", SPMOTIF, "environments", "none", NULL});
    struct l2r_result result;
    char dir[256];
    folder(dir, "none");
    assert_int_equal(train_into(&result, config, dir, false, NULL, &error), L2R_ERR_ARGUMENT);
    expect_message(error.message, "`method=probe` compares environments, but the training graphs of data set "
                                  "\"spmotif\" have none; `environments=size`, scaffold or kmeans makes some");
    l2r_config_free(config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(methods_see_environments_and_groups),
        cmocka_unit_test(auto_takes_what_the_data_says),
        cmocka_unit_test(size_bins_are_equally_full),
        cmocka_unit_test(kmeans_clusters_a_models_z),
        cmocka_unit_test(reports_what_is_missing),
    };
    return cmocka_run_group_tests(tests, run_set_up, run_tear_down);
}
