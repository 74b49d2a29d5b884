/* SPDX-License-Identifier: MIT
 * The public calls of l2r/model.h about what a model is. Opening is in model/predictor.c, what models say of graphs in
 * predict.c and evaluation.c. */
#include <l2r/model.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/misuse.h"
#include "io/file.h"
#include "io/staging.h"
#include "model/predictor.h"
#include "model/run_names.h"

#include <math.h>
#include <string.h>

enum l2r_status l2r_predictor_signature_json(char **json, const struct l2r_predictor *predictor,
                                             struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_NEED(json);
    *json = NULL;
    L2R_NEED(predictor);
    json_t *object = l2r_signature_to_json(l2r_predictor_signature(predictor));
    const struct l2r_calibration *calibration = l2r_predictor_committee(predictor)->calibration;
    if (calibration) json_object_set_new(object, "calibration", l2r_calibration_to_json(calibration));
    L2R_TRY(l2r_json_text(json, object, error));
done:
    return status;
}

/* low, high = output ∓ half, row by row; of mapped values where these are trained on. */
static void spread_out(float *low, float *high, const float *output, const double *half,
                       const struct l2r_target_map *map, int64_t n, int32_t columns)
{
    for (int64_t i = 0; i < n * columns; i++) {
        int64_t k = i % columns;
        double middle = l2r_target_transform(map, k, (double)output[i]);
        low[i] = (float)l2r_target_restore(map, k, middle - half[k]);
        high[i] = (float)l2r_target_restore(map, k, middle + half[k]);
    }
}

enum l2r_status l2r_predictor_intervals(float *low, float *high, const float *output,
                                        const struct l2r_predictor *predictor, int64_t n, double coverage,
                                        struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    double *half = NULL;
    L2R_NEED(predictor);
    if (n < 0) L2R_FAIL(L2R_ERR_ARGUMENT, "n = %lld; expected a number of graphs", (long long)n);
    if (n > 0 && (!low || !high || !output))
        L2R_FAIL(L2R_ERR_ARGUMENT, "%s is NULL", !low ? "low" : !high ? "high" : "output");
    int32_t columns = l2r_predictor_n_outputs(predictor);
    half = l2r_alloc((size_t)columns, sizeof *half);
    if (!half) L2R_FAIL(L2R_ERR_MEMORY, "out of memory for intervals");
    L2R_TRY(l2r_predictor_half_widths(half, predictor, coverage == 0 ? (double)NAN : coverage, error));
    spread_out(low, high, output, half, l2r_predictor_signature(predictor)->target.map, n, columns);
done:
    l2r_free(half);
    return status;
}

enum l2r_status l2r_predictor_split(struct l2r_split **split, const struct l2r_predictor *predictor,
                                    const struct l2r_dataset *data, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_split *made = NULL;
    char path[4200];
    bool known;
    L2R_NEED(split);
    *split = NULL;
    L2R_NEED(predictor);
    L2R_NEED(data);
    (void)l2r_path_beside(path, sizeof path, l2r_predictor_checkpoint(predictor), L2R_SPLIT_FILE);
    if (!l2r_path_is_occupied(path)) /* anything that exists and is no file is refused below */
        L2R_FAIL(L2R_ERR_ARGUMENT, "%s is not in the folder of a run, where its split would be",
                 l2r_predictor_checkpoint(predictor));
    made = l2r_alloc(1, sizeof *made);
    if (!made) L2R_FAIL(L2R_ERR_MEMORY, "out of memory for a split");
    L2R_TRY(l2r_predictor_read_split(made, &known, predictor, path, data, error));
    *split = made;
    made = NULL;
done:
    l2r_free(made);
    return status;
}

enum l2r_status l2r_predictor_weights(float *weights, const struct l2r_predictor *predictor,
                                      const struct l2r_dataset *data, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_NEED(weights);
    L2R_NEED(predictor);
    L2R_NEED(data);
    const struct l2r_trained *t = l2r_predictor_trained(predictor);
    if (!t->weights)
        L2R_FAIL(L2R_ERR_ARGUMENT, "%s has no weights: its method weights all graphs equally; train with `method=l2r`",
                 l2r_predictor_checkpoint(predictor));
    if (t->n_weights != data->n_graphs)
        L2R_FAIL(L2R_ERR_FORMAT, "%s has weights of %lld graphs, but data set \"%s\" has %lld",
                 l2r_predictor_checkpoint(predictor), (long long)t->n_weights, data->name, (long long)data->n_graphs);
    memcpy(weights, t->weights, (size_t)data->n_graphs * sizeof *weights);
done:
    return status;
}
