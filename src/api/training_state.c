/* SPDX-License-Identifier: MIT
 * The public calls of l2r/train.h that save and resume a loop of one's own: a checkpoint (store/checkpoint.h) with
 *
 *     tensor     "loop.weights"    those that the caller has set
 *     metadata   "loop"            the rate that the caller has set, and the epoch that the schedule has seen
 *
 * See training.h. */
#include <l2r/train.h>

#include "api/training.h"
#include "base/json.h"
#include "base/misuse.h"
#include "fit/options.h"
#include "store/checkpoint.h"

#include <math.h>
#include <string.h>

static enum l2r_status draft_training(struct l2r_draft *draft, const struct l2r_training *training,
                                      struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_trainer *t = &training->fit.trainer;
    L2R_TRY(l2r_training_is_between(training, error));
    if (t->at.batch > 0 && t->at.batch == l2r_trainer_batches(t))
        L2R_FAIL(L2R_ERR_ARGUMENT, "the end of the epoch has failed; there is nothing to go on from");
    l2r_checkpoint_draft(draft, &training->fit, "{}");
    if (training->weights)
        l2r_draft_array(draft, "loop.", "weights", L2R_DTYPE_F32, training->weights, t->data->n_graphs);
    l2r_draft_json(draft, "loop",
                   json_pack("{s:o, s:I}", "rate", l2r_json_real(t->rate), "observed", (json_int_t)training->observed));
done:
    return status;
}

enum l2r_status l2r_training_to_bytes(void **bytes, size_t *n_bytes, const struct l2r_training *training,
                                      struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_draft draft;
    L2R_NEED(bytes);
    *bytes = NULL;
    L2R_NEED(n_bytes);
    *n_bytes = 0;
    L2R_NEED(training);
    L2R_TRY(draft_training(&draft, training, error));
    L2R_TRY(l2r_draft_pack(&draft, bytes, n_bytes, error));
done:
    return status;
}

enum l2r_status l2r_training_save(const struct l2r_training *training, const char *path, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_draft draft;
    L2R_NEED(training);
    L2R_NEED(path);
    L2R_TRY(draft_training(&draft, training, error));
    L2R_TRY(l2r_draft_finish(&draft, path, NULL, error));
done:
    return status;
}

/* ---- back ---- */

static enum l2r_status read_weights(struct l2r_training *training, const struct l2r_safetensors *file,
                                    const char *where, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int64_t n = training->fit.trainer.data->n_graphs;
    if (!l2r_safetensors_find(file, "loop.weights")) return L2R_OK;
    training->weights = l2r_alloc((size_t)n, sizeof *training->weights);
    if (!training->weights) L2R_FAIL(L2R_ERR_MEMORY, "out of memory for the weights of %lld graphs", (long long)n);
    L2R_TRY(l2r_safetensors_copy(training->weights, file, "loop.weights", L2R_DTYPE_F32, &n, 1, error));
    if (l2r_training_check_weights(training, training->weights, NULL) != L2R_OK)
        L2R_FAIL(L2R_ERR_FORMAT, "%s: a weight of a training graph is out of range", where);
done:
    return status;
}

static enum l2r_status read_loop(struct l2r_training *training, const struct l2r_safetensors *file, const char *where,
                                 struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    json_t *loop = NULL;
    const char *text = l2r_safetensors_metadata(file, "loop");
    if (text) L2R_TRY(l2r_json_parse(&loop, text, strlen(text), where, error));
    const json_t *rate = json_object_get(loop, "rate"), *observed = json_object_get(loop, "observed");
    double given = json_is_number(rate) ? json_number_value(rate) : (double)NAN;
    if (!isnan(given) && !(given >= 0 && given <= 1e3))
        L2R_FAIL(L2R_ERR_FORMAT, "%s: the learning rate is out of range", where);
    training->fit.trainer.rate = given;
    training->observed = json_integer_value(observed);
done:
    json_decref(loop);
    return status;
}

/* From a sound checkpoint, of any data yet. */
static enum l2r_status resume(struct l2r_training **training, const struct l2r_safetensors *file, const char *where,
                              const struct l2r_dataset *data, const struct l2r_split *split, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_training *t = NULL;
    struct l2r_config *config = NULL;
    json_t *options = NULL;
    const char *text = l2r_safetensors_metadata(file, "config");
    if (!text) L2R_FAIL(L2R_ERR_FORMAT, "%s: holds no options of a training", where);
    L2R_TRY(l2r_json_parse(&options, text, strlen(text), where, error));
    L2R_TRY(l2r_run_from_json(&config, options, where, error));
    status = l2r_run_check(config, error);
    if (status == L2R_OK)
        status = l2r_training_make(&t, config, data, split, error);
    else
        l2r_config_free(config);
    if (status != L2R_OK) goto done;
    if (!l2r_checkpoint_is_of(file, &t->fit))
        L2R_FAIL(L2R_ERR_FORMAT, "%s: is of a training with other graphs or another split", where);
    L2R_TRY(l2r_checkpoint_read(&t->fit, file, where, error));
    L2R_TRY(read_weights(t, file, where, error));
    L2R_TRY(read_loop(t, file, where, error));
    t->is_begun = t->fit.trainer.at.batch > 0;
    *training = t;
    t = NULL;
done:
    json_decref(options);
    l2r_training_free(t);
    return status;
}

enum l2r_status l2r_training_from_bytes(struct l2r_training **training, const void *bytes, size_t n_bytes,
                                        const struct l2r_dataset *data, const struct l2r_split *split,
                                        struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_safetensors *file = NULL;
    L2R_NEED(training);
    *training = NULL;
    L2R_NEED(bytes);
    L2R_NEED(data);
    L2R_TRY(l2r_model_file_parse(&file, bytes, n_bytes, "bytes", l2r_format_checkpoint, error));
    L2R_TRY(resume(training, file, "bytes", data, split, error));
done:
    l2r_safetensors_free(file);
    return status;
}

enum l2r_status l2r_training_open(struct l2r_training **training, const char *path, const struct l2r_dataset *data,
                                  const struct l2r_split *split, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_safetensors *file = NULL;
    L2R_NEED(training);
    *training = NULL;
    L2R_NEED(path);
    L2R_NEED(data);
    L2R_TRY(l2r_model_file_open(&file, path, l2r_format_checkpoint, error));
    L2R_TRY(resume(training, file, path, data, split, error));
done:
    l2r_safetensors_free(file);
    return status;
}
