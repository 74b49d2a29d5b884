/* SPDX-License-Identifier: MIT
 *
 * GSAT (Miao et al. 2022): a network with gates on its edges (nn/gates.h) that are trained to carry as little
 * information as possible.
 *
 *     loss = (1/B) Σ ℓ_n + β (1/A) Σ_a KL(Bernoulli(a) ‖ Bernoulli(r))           over the A arcs of the batch
 *
 * A gate without information is r; any other gate costs its divergence from r, which must be outweighed by a smaller
 * loss, so the gates that open or close are those of the edges that the label depends on. r falls from 0.9 by 0.1 every
 * tenth of the epochs until it is 0.7. The gates are explanations, too: `l2r explain --explainer gates`.
 *
 * β, r, its steps, and the extractor's layers and dropout are those of the authors' configuration for GIN on SPMotif
 * (github.com/Graph-COM/GSAT, src/configs/GIN-spmotif.yml: steps of 10 in 100 epochs). --gates none is ERM bit for bit;
 * β = 0 leaves the gates, but nothing closes them.
 */
#include "base/json.h"
#include "methods/method.h"

#include <math.h>

static const struct l2r_option options[] = {{.name = "gsat-weight",
                                             .needs = "gates=edges",
                                             .kind = L2R_OPTION_REAL,
                                             .fallback = "1",
                                             .min = 0,
                                             .max = 1e6,
                                             .group = "GSAT",
                                             .help = "weight of the information that the gates carry"},
                                            {.name = "gsat-r",
                                             .needs = "gates=edges",
                                             .kind = L2R_OPTION_REAL,
                                             .fallback = "0.7",
                                             .min = 0.01,
                                             .max = 0.99,
                                             .help = "what a gate without information is, in the end"},
                                            {.name = "gsat-interval",
                                             .needs = "gates=edges|gsat-weight!=0",
                                             .kind = L2R_OPTION_TEXT,
                                             .value = "EPOCHS",
                                             .fallback = "10%",
                                             .help = "r falls from 0.9 by 0.1 every so many epochs; with %, that share "
                                                     "of `epochs`; 0: it does not fall, but is `gsat-r`"},
                                            {0}};

struct gsat {
    double weight, r;
    int64_t interval; /* epochs; 0: r from the beginning */
};

static double r_of(double last, int64_t interval, int64_t epoch)
{
    int64_t steps = interval > 0 ? epoch / interval : 0;
    double r = interval > 0 ? 0.9 - 0.1 * (double)steps : last;
    return r > last ? r : last;
}

/* The divergence of one gate as published, ε keeping logarithms finite, and its derivative. */
static double divergence(double *slope, double a, double r)
{
    const double epsilon = 1e-6, rest = 1 - r + epsilon, x = a / r + epsilon, y = (1 - a) / rest + epsilon;
    *slope = log(x) + a / r / x - log(y) - (1 - a) / rest / y;
    return a * log(x) + (1 - a) * log(y);
}

struct information {
    double factor, r;
};

static void backward(struct l2r_tape *t, struct l2r_value *out)
{
    const struct information *s = out->saved;
    const struct l2r_value *gates = l2r_value_of(t, out->input[0]);
    l2r_real beta, *d = l2r_grad_of(t, out->input[0], &beta);
    for (int64_t i = 0; d && i < gates->rows; i++) {
        double slope;
        divergence(&slope, (double)gates->data[i], s->r);
        l2r_real g = (l2r_real)((double)out->grad[0] * s->factor * slope);
        d[i] = beta == 0 ? g : beta * d[i] + g;
    }
}

/* weight / A Σ KL, this rank's part of it. */
static l2r_node information(struct l2r_tape *t, l2r_node gates, double weight, double r)
{
    if (!l2r_tape_ready(t, gates)) return L2R_NO_NODE;
    int64_t rows = l2r_value_of(t, gates)->rows;
    int64_t all = t->pass.share.comm ? t->pass.share.rows[L2R_AT_ARCS].total : rows;
    struct information *s = l2r_tape_alloc(t, 1, sizeof *s);
    l2r_node node = l2r_tape_push(t, "information of gates", 1, 1, backward, &gates, 1);
    if (node.id < 0 || !s) return L2R_NO_NODE;
    double sum = 0, slope;
    *s = (struct information){.factor = all > 0 ? weight / (double)all : 0, .r = r};
    for (int64_t i = 0; i < rows; i++) sum += divergence(&slope, (double)l2r_value_of(t, gates)->data[i], r);
    l2r_value_of(t, node)->saved = s;
    l2r_value_of(t, node)->data[0] = (l2r_real)(s->factor * sum);
    return node;
}

static enum l2r_status init(void *state, const struct l2r_config *config, const struct l2r_network *network,
                            const struct l2r_training_set *set, struct l2r_error *error)
{
    struct gsat *s = state;
    (void)network, (void)set;
    s->weight = l2r_config_real(config, "gsat-weight");
    s->r = l2r_config_real(config, "gsat-r");
    enum l2r_status status =
        l2r_config_epochs(&s->interval, config, "gsat-interval", l2r_config_int(config, "epochs"), error);
    if (s->interval == 0 && *l2r_config_text(config, "gsat-interval") != '0') s->interval = 1; /* a share below one */
    return status;
}

static l2r_node extra_loss(void *state, const struct l2r_step *step, l2r_node z)
{
    const struct gsat *s = state;
    (void)z;
    if (step->tape->gates.arcs.id < 0 || s->weight == 0) return L2R_NO_NODE;
    return information(step->tape, step->tape->gates.arcs, s->weight, r_of(s->r, s->interval, step->epoch));
}

static enum l2r_status after_epoch(void *state, int64_t epoch, json_t *log, char note[256], struct l2r_error *error)
{
    const struct gsat *s = state;
    (void)note, (void)error;
    l2r_json_put(log, "gsat_r", json_real(r_of(s->r, s->interval, epoch)));
    return L2R_OK;
}

const struct l2r_method l2r_method_gsat = {
    .name = "gsat",
    .title = "Graph stochastic attention",
    .paper = "Miao et al. 2022",
    .objective = "(1/B) sum of loss_n + beta times the mean over arcs of KL(Bernoulli(gate) || Bernoulli(r)), on a "
                 "network with gates on its edges",
    .options = options,
    .shared = {l2r_gates_option_table},
    .off = "gates=none",
    .space = "gsat-weight=0.1..10:log,gsat-r=0.5|0.6|0.7|0.8",
    .gated = true,
    .size = sizeof(struct gsat),
    .init = init,
    .extra_loss = extra_loss,
    .after_epoch = after_epoch,
};
