/* SPDX-License-Identifier: MIT
 *
 * The weight learner of L2R-GNN, OOD-GNN and StableGNN: from a representation Z to one weight per graph.
 *
 *     Z [B × d] ──► Ẑ = [queue; Z] ──► L(w): dependence.h, given the clusters, or hsic.h ──► weights.h ──► w [B]
 *          └──────► window of correlations ──► clusters          (Z, w) ──► queue,   log w ──► stored logits
 *
 * It owns the clusters, the queue, the stored logits and the epoch's statistics. reweighting.h decides which Z it gets,
 * and when.
 */
#ifndef L2R_REWEIGHT_LEARNER_H
#define L2R_REWEIGHT_LEARNER_H

#include "base/array.h"
#include "base/config.h"
#include "base/status.h"
#include "data/dataset.h"
#include "data/environments.h"
#include "kernels/real.h"
#include "reweight/clusters.h"
#include "reweight/dependence.h"
#include "reweight/hsic.h"
#include "reweight/queue.h"
#include "reweight/weights.h"

#include <jansson.h>
#include <math.h>

enum l2r_weights_control {
    L2R_CONTROL_NONE,
    L2R_CONTROL_ONES,
    L2R_CONTROL_SHUFFLED,
    L2R_CONTROL_GROUPS, /* groups.h */
    L2R_CONTROL_ROOT_GROUPS
};

#define L2R_WEIGHTS_CONTROLS "none|ones|shuffled|groups|root-groups"
/* As typed, both ways; an unknown name is L2R_CONTROL_NONE. */
const char *l2r_weights_control_name(enum l2r_weights_control control);
enum l2r_weights_control l2r_weights_control_of(const char *name);

struct l2r_learner_options {
    struct l2r_dependence_options dependence;
    bool head_pairs; /* pairs are weighted by what the head uses (importance.h) */
    struct l2r_hsic_options hsic;
    int64_t hsic_blocks; /* > 0: the objective is the HSIC between this many blocks of Z instead of `dependence` */
    struct l2r_inner_options inner;
    int32_t n_clusters;
    int64_t window, n_queues;
    double queue_momentum;
    int64_t warmup_epochs; /* weights stay 1 */
    bool persistent;       /* logits start from the graph's last ones */
    bool keep_classes;     /* weights have mean 1 within each class, where graphs have classes */
    enum l2r_weights_control control;
    const struct l2r_environments *environments; /* of the training graphs, for controls that use them */
    double holdout; /* share of the training graphs held out in an epoch; 0: each batch takes this role itself */
};

struct l2r_learner {
    struct l2r_learner_options options;
    int64_t d;
    uint64_t seed;
    struct l2r_clusters clusters;
    struct l2r_queue queue;
    l2r_real *logits;    /* [n_graphs of the data set] when persistent, else NULL */
    l2r_real *known;     /* [n_graphs]: weights from known groups, instead of learned ones; else NULL */
    int64_t n_graphs;    /* of the data set */
    const float *labels; /* [n_graphs] of the data set where they are classes to keep, else NULL */
    int32_t n_classes;
    const l2r_real *importance; /* [d] of the current batch, set by the caller; NULL: all variables count the same */
    int64_t most_rows;          /* of a batch so far */
    struct l2r_arena arena;     /* of one update */
    /* Over the epoch's updates: for the log. */
    struct l2r_learner_totals {
        double before, after, ess, median; /* sums */
        double least, most;
    } totals;
    struct l2r_learner_counts {
        int64_t updates, idle, changed, clusterings;
    } counts;
    /* Over the run: for its last sentence. The sums of the dependence are over the updates that were evaluated, one in
     * eight. */
    struct l2r_learner_run {
        double updates, ess, evaluated, before, after, shuffled;
    } run;
};

/* Options that methods share: of the Fourier features, of the inner steps, and of weights that are learned batch by
 * batch; each table ends with a zero row. */
extern const struct l2r_option l2r_fourier_option_table[], l2r_learner_option_table[], l2r_weights_option_table[];
/* Reads those that the config has, beside `ess`, `keep-classes` and `weights-control`, which it must have; the method
 * sets pairs, clusters and window. */
enum l2r_status l2r_learner_options_read(struct l2r_learner_options *options, const struct l2r_config *config,
                                         struct l2r_error *error);

/* data: the whole data set, for stored logits and classes, which must outlive the learner; batch_rows: the size of a
 * full batch. */
enum l2r_status l2r_learner_init(struct l2r_learner *learner, const struct l2r_learner_options *options, uint64_t seed,
                                 int64_t d, int64_t batch_rows, const struct l2r_dataset *data,
                                 struct l2r_error *error);
void l2r_learner_clear(struct l2r_learner *learner);

/* Learns weights of mean 1 for a batch with representation z [n × d]; graphs [n] are indices into the data set. extra
 * [n] or NULL: c of weights.h. `step` selects the stream of the random features. */
enum l2r_status l2r_learner_weigh(struct l2r_learner *learner, l2r_real *w, const l2r_real *z, const int32_t *graphs,
                                  const double *extra, int64_t n, int64_t epoch, uint64_t step,
                                  struct l2r_error *error);

/* The labels of a data set whose classes weights keep, each with mean 1 (`keep-classes`), and how many there are; NULL:
 * it has none. Graphs without a label form one more: class_of is below *count + 1. */
const float *l2r_kept_classes(int32_t *count, const struct l2r_dataset *data, bool keep_classes);
static inline int32_t l2r_kept_class(float label, int32_t count)
{
    return isnan(label) ? count : (int32_t)label;
}

/* ∂L/∂z [n × d] of the dependence at equal weights, with the random features that l2r_learner_weigh will draw for this
 * step; *value is L there. When *counts is false, no weights will be learned for this batch, and d_z is not set. */
enum l2r_status l2r_learner_slope(struct l2r_learner *learner, l2r_real *d_z, double *value, bool *counts,
                                  const l2r_real *z, int64_t n, int64_t epoch, uint64_t step, struct l2r_error *error);

/* Adds a batch to the window of correlations. */
void l2r_learner_observe(struct l2r_learner *learner, const l2r_real *z, int64_t n);
/* Forms the clusters anew from the window; `place` selects the random stream of the k-means++ start. */
void l2r_learner_cluster(struct l2r_learner *learner, int64_t place);

/* At the end of an epoch: adds "reweight": {…} to the log and resets the statistics. The note warns when the weights
 * hardly move, or raise the dependence. */
void l2r_learner_epoch(struct l2r_learner *learner, int64_t epoch, json_t *log, char note[256]);

/* At the end of a run: the dependence that the weights removed, compared with the same weights shuffled, and their cost
 * in sample size, as keys of an object and as one sentence. */
void l2r_learner_conclude(const struct l2r_learner *learner, json_t *about, char *sentence, size_t size);
/* The numbers of an update, for both. */
void l2r_learner_note(struct l2r_learner *learner, const struct l2r_inner_report *report);

/* Are the arrays of l2r_learner_state, after reading them from a file, valid for this learner? */
bool l2r_learner_possible(const struct l2r_learner *learner);
/* The i-th array that a checkpoint must carry; false past the last. */
bool l2r_learner_state(struct l2r_learner *learner, int i, struct l2r_state_array *array);

#endif
