/* SPDX-License-Identifier: MIT
 * See phases.h. */
#include "fit/phases.h"

#include "base/memory.h"
#include "model/score.h"

#include <math.h>

int64_t l2r_phase_epochs(const struct l2r_fit_options *o, const struct l2r_method *method,
                         const struct l2r_model_type *type, int64_t n_train)
{
    int64_t most = o->steps / ((n_train + o->batch_size - 1) / o->batch_size);
    if (o->steps == 0 || type->fit || method->phase) return o->epochs;
    return o->epochs < most ? o->epochs : most > 1 ? most : 1;
}

/* Methods without the hook have one phase, of all epochs. */
static bool phase_of(struct l2r_phase *phase, const struct l2r_trainer *t, int64_t k)
{
    *phase = (struct l2r_phase){.epochs = t->epochs};
    bool found = t->method->phase ? k <= INT32_MAX && t->method->phase(t->method_state, (int)k, phase) : k == 0;
    if (t->options.freeze >= 0) phase->head_only = true; /* fit/transfer.h */
    return found;
}

/* A phase that begins with initial values would lose the model that `from` loaded. */
static enum l2r_status check_transfer(const struct l2r_trainer *t, struct l2r_error *error)
{
    struct l2r_phase phase;
    if (!t->options.from) return L2R_OK;
    for (int64_t k = 0; phase_of(&phase, t, k); k++)
        if (phase.fresh)
            return l2r_fail(error, L2R_ERR_ARGUMENT,
                            "`from` does not go with method %s, which starts again from initial values",
                            t->method->name);
    return L2R_OK;
}

enum l2r_status l2r_phase_enter(struct l2r_trainer *t, int64_t k, struct l2r_error *error)
{
    if (k == 0 && check_transfer(t, error) != L2R_OK) return L2R_ERR_ARGUMENT;
    if (!phase_of(&t->phase, t, k))
        return l2r_fail(error, L2R_ERR_FORMAT, "method %s has no phase %lld", t->method->name, (long long)k);
    t->at.phase = k;
    return l2r_schedule_start(&t->schedule, t->config, t->phase.epochs, t->metric->higher_is_better, error);
}

bool l2r_phase_is_over(const struct l2r_trainer *t)
{
    int64_t patience = t->options.early_stop;
    int64_t best = t->at.best_epoch > t->at.phase_epoch ? t->at.best_epoch : t->at.phase_epoch;
    return t->at.epoch - t->at.phase_epoch >= t->phase.epochs || (patience > 0 && t->at.epoch - best >= patience);
}

bool l2r_phase_is_last(const struct l2r_trainer *t)
{
    struct l2r_phase next;
    return !phase_of(&next, t, t->at.phase + 1);
}

/* The outputs of the model of the phase that ends, for the training graphs. */
static enum l2r_status report_outputs(struct l2r_trainer *t, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int32_t outputs = l2r_signature_outputs(&t->network.signature);
    float *output = NULL;
    if (!t->method->begin_phase) return L2R_OK;
    output = l2r_alloc((size_t)t->set.n, (size_t)outputs * sizeof *output);
    if (!output) return l2r_fail_memory(error, (size_t)(t->set.n * outputs) * sizeof *output, "outputs");
    L2R_TRY(
        l2r_score(output, &t->network, &t->tape, t->data, t->set.graphs, t->set.n, t->options.eval_batch_size, error));
    L2R_TRY(t->method->begin_phase(t->method_state, (int)t->at.phase + 1, &t->set, &t->network, output, error));
done:
    l2r_free(output);
    return status;
}

enum l2r_status l2r_phase_advance(struct l2r_trainer *t, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_TRY(report_outputs(t, error));
    L2R_TRY(l2r_phase_enter(t, t->at.phase + 1, error));
    if (t->phase.fresh) l2r_params_fill(&t->network.params, t->seed);
    l2r_optimiser_clear(&t->optimiser);
    L2R_TRY(l2r_optimiser_start(&t->optimiser, t->config, t->network.params.n_trainable, error));
    l2r_averaging_clear(&t->averaging);
    L2R_TRY(l2r_averaging_start(&t->averaging, &t->options, &t->network.params, error));
    t->at.phase_epoch = t->at.epoch;
    t->at.phase_step = t->at.step;
    t->at.best_valid = t->at.other_valid = NAN;
    t->at.best_epoch = t->at.other_epoch = 0;
done:
    return status;
}
