/* SPDX-License-Identifier: MIT
 * See environments.h. */
#include "fit/environments.h"

#include "base/memory.h"
#include "model/predictor.h"
#include "reweight/kmeans.h"

enum { DEFAULT_CLUSTERS = 4 };

struct points {
    int64_t n, d;
    float *z;    /* [n × d]: all graphs of the data set */
    double *row; /* [d] */
};

static void points_clear(struct points *p)
{
    l2r_free(p->z);
    l2r_free(p->row);
}

static enum l2r_status represent(struct points *p, const char *from, const struct l2r_dataset *data,
                                 struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_predictor *predictor = NULL;
    int32_t *graphs = l2r_alloc_raw((size_t)data->n_graphs, sizeof *graphs);
    if (!graphs) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: environments");
    for (int64_t g = 0; g < data->n_graphs; g++) graphs[g] = (int32_t)g;
    L2R_TRY(l2r_predictor_open(&predictor, from, error));
    p->n = data->n_graphs;
    p->d = l2r_predictor_width(predictor);
    p->z = l2r_alloc_raw((size_t)p->n * (size_t)p->d, sizeof *p->z);
    p->row = l2r_alloc((size_t)p->d, sizeof *p->row);
    if (!p->z || !p->row) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: environments");
    L2R_TRY(l2r_predictor_represent(NULL, p->z, predictor, data, graphs, data->n_graphs, error));
done:
    l2r_predictor_free(predictor);
    l2r_free(graphs);
    return status;
}

static void copy_row(double *row, const struct points *p, int64_t graph)
{
    for (int64_t j = 0; j < p->d; j++) row[j] = (double)p->z[graph * p->d + j];
}

static enum l2r_status cluster(struct l2r_environments *e, const struct points *p, const int32_t *train,
                               int64_t n_train, int32_t k, uint64_t seed, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_rng rng = l2r_rng_at(seed, L2R_RANDOM_CLUSTER, UINT64_MAX);
    size_t n = (size_t)n_train, d = (size_t)p->d, clusters = (size_t)k;
    double *rows = l2r_alloc_raw(n * d, sizeof *rows);
    struct l2r_kmeans kmeans = {.n = n_train,
                                .d = p->d,
                                .k = k,
                                .rows = rows,
                                .centres = l2r_alloc(clusters * d, sizeof(l2r_real)),
                                .cluster = l2r_alloc(n, sizeof(int32_t)),
                                .scratch = l2r_alloc(n + clusters * d + clusters, sizeof(double))};
    if (!rows || !kmeans.centres || !kmeans.cluster || !kmeans.scratch)
        L2R_FAIL(L2R_ERR_MEMORY, "out of memory: environments");
    for (int64_t i = 0; i < n_train; i++) copy_row(rows + i * p->d, p, train[i]);
    l2r_kmeans_seed(&kmeans, &rng);
    l2r_kmeans_run(&kmeans);
    for (int64_t g = 0; g < p->n; g++) {
        copy_row(p->row, p, g);
        e->of_graph[g] = l2r_kmeans_nearest(&kmeans, p->row);
    }
done:
    l2r_free(rows);
    l2r_free(kmeans.centres);
    l2r_free(kmeans.cluster);
    l2r_free(kmeans.scratch);
    return status;
}

enum l2r_status l2r_run_environments(struct l2r_environments *e, const struct l2r_config *config,
                                     const struct l2r_dataset *data, const struct l2r_split *split,
                                     struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const int32_t *train = l2r_split_part(split, L2R_PART_TRAIN);
    int64_t n_train = l2r_split_size(split, L2R_PART_TRAIN);
    const char *from = l2r_config_text(config, "environments-from");
    bool clusters = l2r_config_is(config, "environments", "kmeans");
    struct points points = {0};
    *e = (struct l2r_environments){.rule = "none"};
    if (clusters != (from != NULL))
        L2R_FAIL(L2R_ERR_ARGUMENT, clusters ? "`environments=kmeans` needs `environments-from`, a trained model whose "
                                              "representations are clustered"
                                            : "`environments-from` goes with `environments=kmeans`");
    if (!clusters) return l2r_environments_make(e, config, data, split, error);
    int32_t k = (int32_t)l2r_config_int(config, "n-environments");
    if (k == 0) k = DEFAULT_CLUSTERS;
    if (k > n_train)
        L2R_FAIL(L2R_ERR_ARGUMENT, "`n-environments=%d`: there are only %lld training graphs", (int)k,
                 (long long)n_train);
    L2R_TRY(represent(&points, from, data, error));
    L2R_TRY(l2r_environments_init(e, "kmeans", "cluster", k, data->n_graphs, error));
    L2R_TRY(cluster(e, &points, train, n_train, k, (uint64_t)l2r_config_int(config, "seed"), error));
done:
    points_clear(&points);
    return status;
}
