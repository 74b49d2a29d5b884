/* SPDX-License-Identifier: MIT
 * The public calls of l2r/model.h that say something about graphs: outputs, representations, distances. */
#include <l2r/model.h>

#include "api/graph_list.h"
#include "base/memory.h"
#include "base/misuse.h"
#include "model/ensemble.h"

enum l2r_status l2r_predictor_embed(float *z, float *output, struct l2r_predictor *predictor,
                                    const struct l2r_dataset *data, const int64_t *graphs, int64_t n,
                                    struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_graph_list list = {0};
    L2R_NEED(predictor);
    L2R_TRY(l2r_graph_list_take(&list, "graphs", data, graphs, n, error));
    L2R_TRY(l2r_predictor_represent(output, z, predictor, data, list.graphs, n, error));
done:
    l2r_graph_list_clear(&list);
    return status;
}

enum l2r_status l2r_predictor_predict(float *output, struct l2r_predictor *predictor, const struct l2r_dataset *data,
                                      const int64_t *graphs, int64_t n, struct l2r_error *error)
{
    if (!output && n > 0) return l2r_fail(error, L2R_ERR_ARGUMENT, "output is NULL; expected room for the outputs");
    return l2r_predictor_embed(NULL, output, predictor, data, graphs, n, error);
}

/* Members [n_members × n × outputs], and their spread. */
static enum l2r_status spread_members(float *spread, const float *members, const struct l2r_predictor *p, int64_t n,
                                      struct l2r_error *error)
{
    int32_t outputs = l2r_predictor_n_outputs(p), count = l2r_predictor_n_members(p);
    const float **member = l2r_alloc((size_t)count, sizeof *member);
    double *room = l2r_alloc(2 * (size_t)outputs, sizeof *room);
    for (int32_t k = 0; member && k < count; k++) member[k] = members + k * n * outputs;
    if (member && room) l2r_spread(spread, room, member, count, l2r_predictor_task(p), n, outputs);
    enum l2r_status status = member && room ? L2R_OK : l2r_fail(error, L2R_ERR_MEMORY, "out of memory for a spread");
    l2r_free((void *)member);
    l2r_free(room);
    return status;
}

enum l2r_status l2r_predictor_predict_members(float *members, float *spread, struct l2r_predictor *predictor,
                                              const struct l2r_dataset *data, const int64_t *graphs, int64_t n,
                                              struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_graph_list list = {0};
    float *room = NULL, *own = NULL;
    L2R_NEED(predictor);
    L2R_TRY(l2r_graph_list_take(&list, "graphs", data, graphs, n, error));
    size_t cells = (size_t)n * (size_t)l2r_predictor_n_outputs(predictor);
    room = l2r_alloc_raw(cells, sizeof *room);
    if (!members) own = l2r_alloc_raw(cells * (size_t)l2r_predictor_n_members(predictor), sizeof *own);
    if (!room || (!members && !own)) L2R_FAIL(L2R_ERR_MEMORY, "out of memory for the outputs of members");
    const struct l2r_committee_rows rows = {.output = room, .members = members ? members : own};
    L2R_TRY(l2r_predictor_rows(&rows, predictor, data, list.graphs, n, error));
    if (spread) L2R_TRY(spread_members(spread, rows.members, predictor, n, error));
done:
    l2r_free(room);
    l2r_free(own);
    l2r_graph_list_clear(&list);
    return status;
}

enum l2r_status l2r_ensemble_predict(const struct l2r_answers *answers, struct l2r_ensemble *ensemble,
                                     const struct l2r_dataset *data, const int64_t *graphs, int64_t n,
                                     struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_graph_list list = {0};
    L2R_NEED(ensemble);
    L2R_TRY(l2r_graph_list_take(&list, "graphs", data, graphs, n, error));
    L2R_TRY(l2r_ensemble_answer(answers, ensemble, data, list.graphs, n, error));
done:
    l2r_graph_list_clear(&list);
    return status;
}

enum l2r_status l2r_predictor_applicability(float *distance, float *applicability, struct l2r_predictor *predictor,
                                            const struct l2r_dataset *data, const int64_t *graphs, int64_t n,
                                            struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_domain *domain;
    struct l2r_graph_list list = {0};
    float *z = NULL, *far = NULL;
    int32_t *unseen = NULL;
    L2R_NEED(predictor);
    L2R_TRY(l2r_graph_list_take(&list, "graphs", data, graphs, n, error));
    z = l2r_alloc((size_t)n, (size_t)l2r_predictor_width(predictor) * sizeof *z);
    far = l2r_alloc((size_t)n, sizeof *far);
    unseen = l2r_alloc((size_t)n, sizeof *unseen);
    if (!z || !far || !unseen)
        L2R_FAIL(L2R_ERR_MEMORY, "out of memory for the representations of %lld graphs", (long long)n);
    L2R_TRY(l2r_predictor_represent(NULL, z, predictor, data, list.graphs, n, error));
    L2R_TRY(l2r_predictor_domain(&domain, predictor, error));
    l2r_domain_distances(far, domain, z, n);
    L2R_TRY(l2r_predictor_unseen(unseen, predictor, data, list.graphs, n, error));
    for (int64_t i = 0; i < n; i++) {
        if (distance) distance[i] = far[i];
        if (applicability) applicability[i] = unseen[i] >= 0 ? 0 : l2r_domain_applicability(domain, far[i]);
    }
done:
    l2r_free(unseen);
    l2r_free(z);
    l2r_free(far);
    l2r_graph_list_clear(&list);
    return status;
}
