/* SPDX-License-Identifier: MIT
 * The reports of the weight learner: numbers of each epoch, warnings, and one sentence at the end of a run. */
#include "base/decimal.h"
#include "base/json.h"
#include "reweight/learner.h"

#include <math.h>
#include <stdio.h>

void l2r_learner_note(struct l2r_learner *l, const struct l2r_inner_report *r)
{
    l->totals.before += r->before;
    l->totals.after += r->after;
    l->totals.ess += r->ess;
    l->totals.median += r->median;
    l->totals.least = l->counts.updates ? fmin(l->totals.least, r->least) : r->least;
    l->totals.most = l->counts.updates ? fmax(l->totals.most, r->most) : r->most;
    l->counts.updates++;
    l->run.updates++;
    l->run.ess += r->ess;
}

static json_t *cluster_sizes(const struct l2r_clusters *c)
{
    json_t *sizes = json_array();
    for (int32_t k = 0; k < c->n_clusters; k++) {
        json_int_t n = 0;
        for (int64_t i = 0; i < c->d; i++) n += c->cluster[i] == k;
        l2r_json_append(sizes, json_integer(n));
    }
    return sizes;
}

/* Warns of weights that hardly move, or raise the dependence. */
static void warn(char note[256], const struct l2r_learner *l, int64_t epoch, double ess, double before, double after)
{
    const struct l2r_learner_options *o = &l->options;
    bool wanted = o->inner.steps > 0 && epoch >= o->warmup_epochs;
    if (l->counts.updates == 0 && wanted && l->most_rows < L2R_FEWEST_GRAPHS)
        snprintf(note, 256,
                 "epoch %lld: no weights are learned from fewer than %d graphs at once; try a larger `batch-size`",
                 (long long)epoch + 1, L2R_FEWEST_GRAPHS);
    if (l->counts.updates == 0) return;
    if (ess > 0.999 && before - after < 0.01 * before)
        l2r_decimal_print(
            note, 256,
            "epoch %lld: the weights hardly move (ESS %.4f, dependence %.4g to %.4g); try %sa larger `inner-lr`",
            (long long)epoch + 1, ess, before, after, o->inner.ess > 0 ? "" : "`ess=0.8` or ");
    else if (after > before)
        l2r_decimal_print(
            note, 256,
            "epoch %lld: the weights raise the dependence (%.4g to %.4g) to reach an ESS of %.2f; try a larger "
            "`ess`%s%s",
            (long long)epoch + 1, before, after, ess, o->inner.ess > 0 ? ", `ess=auto`" : "",
            o->dependence.scaled ? " or `covariance=weighted`" : "");
}

void l2r_learner_epoch(struct l2r_learner *l, int64_t epoch, json_t *log, char note[256])
{
    double n = l->counts.updates ? (double)l->counts.updates : 1, before = l->totals.before / n,
           after = l->totals.after / n, ess = l->totals.ess / n;
    json_t *object = json_object();
    if (l->counts.updates > 0) {
        l2r_json_put(object, "dependence_before", l2r_json_real(before));
        l2r_json_put(object, "dependence_after", l2r_json_real(after));
        l2r_json_put(object, "ess", l2r_json_real(ess));
        l2r_json_put(object, "weight_min", l2r_json_real(l->totals.least));
        l2r_json_put(object, "weight_median", l2r_json_real(l->totals.median / n));
        l2r_json_put(object, "weight_max", l2r_json_real(l->totals.most));
    }
    l2r_json_put(object, "updates", json_integer(l->counts.updates));
    l2r_json_put(object, "batches_left_at_1", json_integer(l->counts.idle));
    if (l->clusters.n_clusters > 1) {
        l2r_json_put(object, "cluster_sizes", cluster_sizes(&l->clusters));
        l2r_json_put(object, "variables_moved", json_integer(l->counts.changed));
        l2r_json_put(object, "clusterings", json_integer(l->counts.clusterings));
    }
    l2r_json_put(log, "reweight", object);
    warn(note, l, epoch, ess, before, after);
    l->totals = (struct l2r_learner_totals){0};
    l->counts = (struct l2r_learner_counts){0};
}

/* The kind of weights, as text. */
static const char *whose(const struct l2r_learner *l)
{
    switch (l->options.control) {
    case L2R_CONTROL_NONE:
        return "the learned weights";
    case L2R_CONTROL_ONES:
        return "the learned weights, which the control did not use,";
    case L2R_CONTROL_SHUFFLED:
        return "the learned weights, which the control shuffled,";
    case L2R_CONTROL_GROUPS:
    case L2R_CONTROL_ROOT_GROUPS:
        break;
    }
    return "the weights from known groups";
}

void l2r_learner_conclude(const struct l2r_learner *l, json_t *about, char *sentence, size_t size)
{
    const struct l2r_learner_run *r = &l->run;
    double left = r->after / r->before, shuffled = r->shuffled / r->before, ess = r->ess / r->updates;
    l2r_json_put(about, "updates", json_integer((json_int_t)r->updates));
    if (!(r->evaluated > 0) || !(r->before > 0)) {
        snprintf(sentence, size, "no weights were learned: the model is that of plain training");
        return;
    }
    l2r_json_put(about, "ess", l2r_json_real(ess));
    l2r_json_put(about, "dependence_left", l2r_json_real(left));
    l2r_json_put(about, "dependence_left_shuffled", l2r_json_real(shuffled));
    bool nothing = left > shuffled - 0.05;
    l2r_decimal_print(sentence, size,
                      "%s left %.0f %% of the dependence between variables, the same ones shuffled %.0f %%%s; they "
                      "cost %.0f %% of the sample (ESS %.2f); compare with a run of `method=erm`",
                      whose(l), 100 * left, 100 * shuffled, nothing ? ", so they removed next to nothing" : "",
                      100 * (1 - ess), ess);
}
