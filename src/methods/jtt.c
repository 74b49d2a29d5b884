/* SPDX-License-Identifier: MIT
 *
 * JTT, "just train twice" (Liu et al. 2021, eq. 1): a first network is trained for some epochs; a second one starts
 * from new initial values, and the training graphs that the first one misclassifies count λ times as much.
 *
 *     phase 0   --jtt-epochs T of ERM; E = { n : the chosen network errs on graph n in some labelled task }
 *     phase 1   (1/B) Σ w_n ℓ_n  with  w_n ∝ λ in E, 1 elsewhere, mean 1 over the training graphs
 *
 * The paper repeats the graphs of E λ times. T = 60 of 300 epochs is the authors' command for Waterbirds, λ = 4 that
 * for MultiNLI (github.com/anniesch/jtt, README; λ = 100 and 50 for Waterbirds and CelebA, chosen by the worst group of
 * the validation set). In E no graph has the class that the first network predicts, so with a λ that outweighs all
 * other graphs the second one learns to contradict the first, right or wrong. T = 0 is ERM bit for bit.
 */
#include "methods/method.h"

#include "base/json.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct jtt {
    int64_t epochs, first; /* of the run, of phase 0 */
    double upweight;
    int32_t counts[2]; /* phase; graphs of E */
    l2r_real *weight;  /* [n_graphs of the data] */
    int64_t n_graphs, n_train;
};

static const struct l2r_option options[] = {
    {.name = "jtt-epochs",
     .kind = L2R_OPTION_TEXT,
     .value = "EPOCHS",
     .fallback = "20%",
     .group = "JTT",
     .help = "epochs of the first network; with %, that share of `epochs`, at least one; 0: ERM"},
    {.name = "jtt-upweight",
     .needs = "jtt-epochs!=0",
     .kind = L2R_OPTION_REAL,
     .fallback = "4",
     .min = 1,
     .max = 1e6,
     .help = "how much more the graphs count that the first network gets wrong"},
    {0}};

static enum l2r_status init(void *state, const struct l2r_config *config, const struct l2r_network *network,
                            const struct l2r_training_set *set, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct jtt *s = state;
    const char *text = l2r_config_text(config, "jtt-epochs");
    *s = (struct jtt){.epochs = l2r_config_int(config, "epochs"),
                      .upweight = l2r_config_real(config, "jtt-upweight"),
                      .n_graphs = set->data->n_graphs,
                      .n_train = set->n};
    if (network->signature.task == L2R_TASK_REGRESSION)
        L2R_FAIL(L2R_ERR_ARGUMENT, "`method=jtt` looks for graphs of the wrong class, and a regression has none");
    L2R_TRY(l2r_config_epochs(&s->first, config, "jtt-epochs", s->epochs, error));
    if (s->first == 0 && s->epochs > 1 && strpbrk(text, "123456789")) s->first = 1; /* a share that rounds to none */
    if (s->first >= s->epochs && s->epochs > 0)
        L2R_FAIL(L2R_ERR_ARGUMENT, "`jtt-epochs`: %s of %lld epochs leave none for the second network", text,
                 (long long)s->epochs);
    s->weight = l2r_alloc((size_t)s->n_graphs, sizeof *s->weight);
    if (!s->weight) status = l2r_fail_memory(error, (size_t)s->n_graphs * sizeof *s->weight, "weights");
done:
    return status;
}

static void clear(void *state)
{
    l2r_free(((struct jtt *)state)->weight);
}

static bool phase(const void *state, int k, struct l2r_phase *phase)
{
    const struct jtt *s = state;
    bool two = s->first > 0;
    phase->epochs = !two ? s->epochs : k == 0 ? s->first : s->epochs - s->first;
    phase->fresh = k == 1;
    return k == 0 || (k == 1 && two);
}

/* Of several classes the largest output counts, of a binary task its sign. */
static bool is_wrong(const float *output, const struct l2r_dataset *data, int64_t graph)
{
    const float *labels = data->labels + graph * data->n_tasks;
    if (data->task == L2R_TASK_MULTICLASS) {
        for (int32_t k = 0; !isnan(labels[0]) && k < data->n_classes; k++)
            if (output[k] > output[(int32_t)labels[0]]) return true;
        return false;
    }
    for (int32_t k = 0; k < data->n_tasks; k++)
        if (!isnan(labels[k]) && (output[k] > 0) != (labels[k] == 1)) return true;
    return false;
}

static enum l2r_status begin_phase(void *state, int k, const struct l2r_training_set *set,
                                   const struct l2r_network *network, const float *output, struct l2r_error *error)
{
    struct jtt *s = state;
    int32_t outputs = l2r_signature_outputs(&network->signature);
    double sum = 0;
    (void)error;
    s->counts[0] = k;
    s->counts[1] = 0;
    for (int64_t i = 0; i < set->n; i++) {
        bool wrong = is_wrong(output + i * outputs, set->data, set->graphs[i]);
        s->weight[set->graphs[i]] = (l2r_real)(wrong ? s->upweight : 1);
        s->counts[1] += wrong;
        sum += wrong ? s->upweight : 1;
    }
    for (int64_t i = 0; i < set->n; i++)
        s->weight[set->graphs[i]] = (l2r_real)((double)s->weight[set->graphs[i]] * (double)set->n / sum);
    return L2R_OK;
}

static const l2r_real *sample_weights(void *state, const struct l2r_step *step, l2r_node z)
{
    const struct jtt *s = state;
    const struct l2r_batch *b = step->batch;
    (void)z;
    if (s->counts[0] == 0) return NULL;
    l2r_real *w = l2r_tape_alloc(step->tape, b->n_graphs, sizeof *w);
    for (int64_t i = 0; w && i < b->n_graphs; i++) w[i] = s->weight[b->graphs[i]];
    return w;
}

static enum l2r_status after_epoch(void *state, int64_t epoch, json_t *log, char note[256], struct l2r_error *error)
{
    const struct jtt *s = state;
    (void)error;
    l2r_json_put(log, "phase", json_integer(s->counts[0]));
    if (s->counts[0] == 0) return L2R_OK;
    l2r_json_put(log, "errors", json_integer(s->counts[1]));
    if (s->counts[1] == 0 && epoch == s->first)
        snprintf(note, 256, "jtt: the first network errs on none of the training graphs, so the second one is ERM");
    return L2R_OK;
}

static bool state_array(void *state, int i, struct l2r_state_array *array)
{
    struct jtt *s = state;
    const struct l2r_state_array arrays[] = {{"counts", L2R_STATE_I32, s->counts, 2},
                                             {"weight", L2R_STATE_REAL, s->weight, s->n_graphs}};
    if (i > 1) return false;
    *array = arrays[i];
    return true;
}

static bool loaded(const void *state)
{
    const struct jtt *s = state;
    for (int64_t g = 0; g < s->n_graphs; g++)
        if (!(s->weight[g] >= 0) || !isfinite((double)s->weight[g])) return false;
    int64_t searched = s->first > 0 ? 1 : 0;
    return s->counts[0] >= 0 && s->counts[0] <= searched && s->counts[1] >= 0 && s->counts[1] <= s->n_train;
}

const struct l2r_method l2r_method_jtt = {
    .name = "jtt",
    .title = "Just train twice",
    .paper = "Liu et al. 2021",
    .objective = "ERM, then a fresh network with more weight on the graphs that the first one gets wrong",
    .options = options,
    .off = "jtt-epochs=0",
    .space = "jtt-epochs=2%|20%|40%,jtt-upweight=1.5..50:log",
    .size = sizeof(struct jtt),
    .init = init,
    .clear = clear,
    .phase = phase,
    .begin_phase = begin_phase,
    .sample_weights = sample_weights,
    .after_epoch = after_epoch,
    .state_array = state_array,
    .loaded = loaded,
};
