/* SPDX-License-Identifier: MIT
 *
 * A pool of threads, each with a copy of one model, that share a data set and take its graphs in turn.
 *
 *     cc thread_pool.c $(pkg-config --cflags --libs l2r) -lpthread -o thread_pool && ./thread_pool runs/motif motif
 */
#include <l2r/l2r.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 4 };

struct pool {
    const struct l2r_dataset *data; /* shared: it is read-only */
    pthread_mutex_t lock;
    int64_t next;  /* graph that nobody has taken */
    float *output; /* [graphs × columns] */
};

struct worker {
    struct pool *pool;
    struct l2r_predictor *model; /* its own */
    struct l2r_error error;
    pthread_t thread;
};

static int64_t take(struct pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    int64_t graph = pool->next++;
    pthread_mutex_unlock(&pool->lock);
    return graph;
}

static void *work(void *context)
{
    struct worker *w = (struct worker *)context;
    int64_t graph, columns = l2r_predictor_n_outputs(w->model);
    l2r_threads_set(1); /* the pool itself keeps the cores busy */
    while ((graph = take(w->pool)) < l2r_dataset_n_graphs(w->pool->data)) {
        float *row = w->pool->output + graph * columns;
        if (l2r_predictor_predict(row, w->model, w->pool->data, &graph, 1, &w->error) != L2R_OK) break;
        l2r_predictor_probabilities(row, w->model, 1);
    }
    return NULL;
}

static int run(struct pool *pool, const struct l2r_predictor *model, struct l2r_error *error)
{
    struct worker workers[THREADS];
    int n = 0, failed = 0;
    for (; n < THREADS && !failed; n++) {
        workers[n].pool = pool;
        workers[n].error.status = L2R_OK;
        failed = l2r_predictor_copy(&workers[n].model, model, error) ||
                 pthread_create(&workers[n].thread, NULL, work, &workers[n]) != 0;
        if (failed) l2r_predictor_free(workers[n--].model);
    }
    for (int k = 0; k < n; k++) {
        pthread_join(workers[k].thread, NULL);
        if (workers[k].error.status != L2R_OK) *error = workers[k].error, failed = 1;
        l2r_predictor_free(workers[k].model);
    }
    return failed;
}

int main(int argc, char **argv)
{
    struct l2r_error error = L2R_ERROR_INIT;
    struct l2r_predictor *model = NULL;
    struct l2r_dataset *data = NULL;
    struct pool pool = {NULL, PTHREAD_MUTEX_INITIALIZER, 0, NULL};
    if (argc != 3) return fprintf(stderr, "usage: thread_pool RUN DATA\n"), 2;
    int failed = l2r_predictor_open(&model, argv[1], &error) || l2r_dataset_open(&data, argv[2], NULL, &error);
    int64_t n = l2r_dataset_n_graphs(data), columns = l2r_predictor_n_outputs(model);
    pool.data = data;
    pool.output = (float *)calloc((size_t)(n * columns + 1), sizeof *pool.output);
    if (!failed) failed = !pool.output || run(&pool, model, &error);
    for (int64_t g = 0; !failed && g < n; g++)
        printf("graph %lld: %.3f\n", (long long)g, (double)pool.output[g * columns]);
    if (failed) fprintf(stderr, "thread_pool: %s\n", error.message);
    free(pool.output);
    l2r_dataset_free(data);
    l2r_predictor_free(model);
    return failed ? 1 : 0;
}
