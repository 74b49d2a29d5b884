/* SPDX-License-Identifier: MIT
 * See refit.h. */
#include "methods/refit/refit.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

const struct l2r_option l2r_refit_option_table[] = {
    {.name = "refit-epochs",
     .kind = L2R_OPTION_TEXT,
     .value = "EPOCHS",
     .fallback = "20%",
     .group = "Refit",
     .help = "the last epochs refit the head on frozen representations; with %, that share of `epochs`, at least one; "
             "0: ERM"},
    {0}};

enum l2r_status l2r_refit_init(struct l2r_refit *r, const char *method, const struct l2r_config *config,
                               const struct l2r_network *network, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const char *text = l2r_config_text(config, "refit-epochs");
    *r = (struct l2r_refit){.epochs = l2r_config_int(config, "epochs"),
                            .first = network->n_backbone,
                            .n_anchor = network->params.n_trainable - network->n_backbone};
    if (network->signature.task == L2R_TASK_REGRESSION)
        L2R_FAIL(L2R_ERR_ARGUMENT, "`method=%s` weighs graphs by their classes, and a regression has none", method);
    L2R_TRY(l2r_config_epochs(&r->refit, config, "refit-epochs", r->epochs, error));
    if (r->refit == 0 && r->epochs > 1 && strpbrk(text, "123456789")) r->refit = 1; /* a share that rounds to none */
    if (r->refit > 0 && r->refit >= r->epochs && r->epochs > 0)
        L2R_FAIL(L2R_ERR_ARGUMENT, "`refit-epochs`: %s of %lld epochs leave none to train the network in", text,
                 (long long)r->epochs);
    r->anchor = l2r_alloc((size_t)r->n_anchor, sizeof *r->anchor);
    if (!r->anchor) status = l2r_fail_memory(error, (size_t)r->n_anchor * sizeof *r->anchor, "the head");
done:
    return status;
}

void l2r_refit_clear(struct l2r_refit *r)
{
    l2r_free(r->anchor);
    r->anchor = NULL;
}

bool l2r_refit_phase(const struct l2r_refit *r, int k, struct l2r_phase *phase)
{
    phase->epochs = k == 0 ? r->epochs - r->refit : r->refit;
    phase->head_only = k == 1;
    return k == 0 || (k == 1 && r->refit > 0);
}

void l2r_refit_begin(struct l2r_refit *r, int k, const struct l2r_network *network)
{
    r->phase = k;
    if (r->n_anchor > 0) memcpy(r->anchor, network->params.value + r->first, (size_t)r->n_anchor * sizeof *r->anchor);
}

double l2r_label_probability(const float *output, const struct l2r_dataset *data, int64_t graph)
{
    const float *labels = data->labels + graph * data->n_tasks;
    double sum = 0, known = 0;
    if (data->task == L2R_TASK_MULTICLASS) {
        if (isnan(labels[0])) return (double)NAN;
        for (int32_t k = 0; k < data->n_classes; k++) sum += exp((double)(output[k] - output[(int32_t)labels[0]]));
        return 1 / sum;
    }
    for (int32_t k = 0; k < data->n_tasks; k++) {
        if (isnan(labels[k])) continue;
        sum += 1 / (1 + exp((double)(labels[k] == 1 ? -output[k] : output[k])));
        known++;
    }
    return sum / known;
}

/* ---- the penalty ---- */

struct penalty {
    const l2r_real *anchor;
    double lambda2, lambda1;
};

static void penalty_backward(struct l2r_tape *t, struct l2r_value *out)
{
    const struct penalty *p = out->saved;
    const struct l2r_value *x = l2r_value_of(t, out->input[0]);
    int64_t n = x->rows * x->cols;
    l2r_real beta, *grad = l2r_grad_of(t, out->input[0], &beta);
    for (int64_t i = 0; grad && i < n; i++) {
        double v = (double)x->data[i], sign = v > 0 ? 1 : v < 0 ? -1 : 0;
        l2r_real g = out->grad[0] * (l2r_real)(2 * p->lambda2 * (v - (double)p->anchor[i]) + p->lambda1 * sign);
        grad[i] = beta == 0 ? g : grad[i] + g;
    }
}

static l2r_node penalty_of(struct l2r_tape *t, const struct l2r_param *param, const l2r_real *anchor, double lambda2,
                           double lambda1)
{
    l2r_node x = l2r_use(t, param);
    struct penalty *saved = l2r_tape_alloc(t, 1, sizeof *saved);
    l2r_node node = l2r_tape_push(t, "head penalty", 1, 1, penalty_backward, &x, 1);
    double sum = 0;
    if (node.id < 0 || !saved) return L2R_NO_NODE;
    *saved = (struct penalty){anchor, lambda2, lambda1};
    for (int64_t i = 0; i < param->rows * param->cols; i++) {
        double v = (double)param->value[i], away = v - (double)anchor[i];
        sum += lambda2 * away * away + lambda1 * fabs(v);
    }
    l2r_value_of(t, node)->saved = saved;
    l2r_value_of(t, node)->data[0] = (l2r_real)sum;
    return node;
}

l2r_node l2r_refit_penalty(const struct l2r_refit *r, const struct l2r_step *step, double lambda2, double lambda1)
{
    const struct l2r_params *params = &step->network->params;
    l2r_node total = L2R_NO_NODE;
    /* Gradients are summed over the ranks: one of them brings this one. */
    if (r->phase == 0 || (lambda2 == 0 && lambda1 == 0) || !l2r_comm_leads(step->tape->pass.share.comm)) return total;
    for (size_t i = 0; i < params->count; i++) {
        const struct l2r_param *p = params->items[i];
        if (!p->trainable || p->value < params->value + r->first) continue;
        l2r_node one = penalty_of(step->tape, p, r->anchor + (p->value - params->value - r->first), lambda2, lambda1);
        total = total.id < 0 ? one : l2r_add(step->tape, total, one);
    }
    return total;
}

/* ---- what a checkpoint keeps ---- */

bool l2r_refit_array(struct l2r_refit *r, int i, struct l2r_state_array *array)
{
    const struct l2r_state_array arrays[L2R_REFIT_ARRAYS] = {{"phase", L2R_STATE_I32, &r->phase, 1},
                                                             {"anchor", L2R_STATE_REAL, r->anchor, r->n_anchor}};
    if (i >= L2R_REFIT_ARRAYS) return false;
    *array = arrays[i];
    return true;
}

bool l2r_refit_loaded(const struct l2r_refit *r)
{
    for (int64_t i = 0; i < r->n_anchor; i++)
        if (!isfinite((double)r->anchor[i])) return false;
    return r->phase == 0 || (r->phase == 1 && r->refit > 0);
}
