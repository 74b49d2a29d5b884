/* SPDX-License-Identifier: MIT
 * Batches prepared by a thread are those prepared on the spot, whatever is asked for; errors come with their batch. */
#include "batch/batches.h"
#include "base/memory.h"
#include "base/threads.h"
#include "support/model_trial.h"

enum { N = 24, BATCH = 5 };

struct fixture {
    struct l2r_dataset *data;
    struct trial trial;
};

static struct fixture open_fixture(void)
{
    static struct test_graph graphs[N];
    struct l2r_rng rng = l2r_rng_at(6, L2R_RANDOM_TEST, 0);
    for (int i = 0; i < N; i++) graphs[i] = draw_graph(LABELLED, 3 + i % 9, 2 * (i % 9), &rng);
    struct fixture f = {.data = data_set_of(graphs, N, LABELLED)};
    f.trial = trial_open(l2r_model_find("gcn"), &variants[0], f.data, "4", "0");
    return f;
}

static void close_fixture(struct fixture *f)
{
    trial_close(&f->trial);
    l2r_dataset_free(f->data);
}

/* Equal to a batch made here and now. */
static void check(const struct fixture *f, const struct l2r_batch *found, const int32_t *graphs, int64_t n)
{
    struct l2r_batch batch;
    struct l2r_arena arena;
    struct l2r_error error;
    l2r_arena_init(&arena);
    must(l2r_batch_prepare(&batch, &arena, f->data, graphs, n, &f->trial.network.sharing, NULL, &error), &error);
    assert_int_equal(found->n_graphs, n);
    assert_int_equal(found->n_nodes, batch.n_nodes);
    assert_memory_equal(found->graphs, graphs, (size_t)n * sizeof *graphs);
    assert_memory_equal(found->graph.neighbour, batch.graph.neighbour,
                        (size_t)batch.graph.n_arcs * sizeof *batch.graph.neighbour);
    assert_int_equal(found->levels != NULL, batch.levels != NULL);
    if (batch.levels) {
        assert_int_equal(found->levels->n, batch.levels->n);
        const struct l2r_adjacency *a = &found->levels->level[0].graph, *b = &batch.levels->level[0].graph;
        assert_int_equal(a->n_arcs, b->n_arcs);
        assert_memory_equal(a->neighbour, b->neighbour, (size_t)b->n_arcs * sizeof *b->neighbour);
    }
    l2r_arena_clear(&arena);
}

static void walk(int threads)
{
    struct fixture f = open_fixture();
    struct l2r_batches *batches;
    struct l2r_error error;
    const struct l2r_batch *batch;
    l2r_threads_set(threads);
    must(l2r_batches_new(&batches, f.data, &f.trial.network.sharing, &error), &error);
    for (int round = 0; round < 20; round++)
        for (int64_t begin = 0; begin < N; begin += BATCH) {
            int64_t end = begin + BATCH < N ? begin + BATCH : N, after = end + BATCH < N ? end + BATCH : N;
            const int32_t *all = f.trial.graphs;
            must(l2r_batches_next(&batch, batches, all + begin, end - begin, all + end, after - end, &error), &error);
            check(&f, batch, all + begin, end - begin);
            if (round % 3 == 1 && begin == BATCH) { /* a change of mind: something else than was announced */
                int32_t other[] = {7, 2, 7};
                must(l2r_batches_next(&batch, batches, other, 3, all, 4, &error), &error);
                check(&f, batch, other, 3);
            }
        }
    l2r_batches_free(batches); /* with a batch announced that nobody fetches */
    l2r_threads_set(0);
    close_fixture(&f);
}

static void test_same(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 3; threads++) walk(threads);
}

static void test_errors(void **state)
{
    (void)state;
    static const struct l2r_sharing shared = {.depth = 1, .degrees = true};
    struct fixture f = open_fixture();
    struct l2r_batches *batches;
    struct l2r_error error;
    const struct l2r_batch *batch;
    /* graph 10 claims more arcs than a batch may have */
    int64_t *far = calloc((size_t)f.data->n_nodes + 1, sizeof *far);
    assert_non_null(far);
    for (int64_t v = 0; v <= f.data->n_nodes; v++)
        far[v] = f.data->arc_start[v] + (v >= f.data->node_start[11] ? INT32_MAX : 0);
    const int64_t *kept = f.data->arc_start;
    f.data->arc_start = far;
    for (int threads = 1; threads <= 2; threads++) {
        l2r_threads_set(threads);
        int32_t good[] = {1, 2}, bad[] = {3, 10};
        must(l2r_batches_new(&batches, f.data, &shared, &error), &error);
        must(l2r_batches_next(&batch, batches, good, 2, bad, 2, &error), &error); /* the error is not this one's */
        assert_int_equal(l2r_batches_next(&batch, batches, bad, 2, good, 2, &error), L2R_ERR_ARGUMENT);
        assert_non_null(strstr(error.message, "use a smaller `batch-size`"));
        must(l2r_batches_next(&batch, batches, good, 2, NULL, 0, &error), &error);
        l2r_batches_free(batches);
    }
    f.data->arc_start = kept;
    free(far);
    l2r_threads_set(1);
    l2r_memory_fail_at(0, false);
    assert_int_equal(l2r_batches_new(&batches, f.data, &shared, &error), L2R_ERR_MEMORY);
    l2r_memory_fail_at(-1, false);
    assert_null(batches);
    l2r_batches_free(batches);
    l2r_threads_set(0);
    close_fixture(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same), cmocka_unit_test(test_errors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
