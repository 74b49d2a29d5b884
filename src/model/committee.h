/* SPDX-License-Identifier: MIT
 *
 * What a trained model is: n >= 1 members, networks or trees that were fitted on the same graphs, and one rule that
 * combines their outputs into a prediction. A single network is a committee of one.
 *
 *     regression   the mean of the members' values; where a map of them is trained on, of their maps
 *     classes      the logit of the mean of their probabilities; with one member its own logits, bit for bit
 *     then         the calibration, which was fitted to this mean on validation graphs
 *
 * Every score, prediction, interval and explanation passes through l2r_combine; so do several committees that predict
 * as an ensemble (model/ensemble.h). Z, and with it the distance to the training graphs, is the first member's.
 *
 * A committee is a view: it does not own its networks.
 */
#ifndef L2R_MODEL_COMMITTEE_H
#define L2R_MODEL_COMMITTEE_H

#include "model/calibration.h"
#include "nn/network.h"

struct l2r_committee {
    const struct l2r_network *const *members;  /* [n] */
    int32_t n;                                 /* >= 1 */
    const struct l2r_calibration *calibration; /* NULL: outputs stay as they are */
};

/* The first member's signature; the others differ in features and scales alone. */
static inline const struct l2r_signature *l2r_committee_signature(const struct l2r_committee *c)
{
    return &c->members[0]->signature;
}
static inline int32_t l2r_committee_outputs(const struct l2r_committee *c)
{
    return l2r_signature_outputs(l2r_committee_signature(c));
}

/* Do all members predict the same targets for the same kind of graphs? L2R_ERR_FORMAT names the first that does not;
 * where: the file. */
enum l2r_status l2r_committee_check(const struct l2r_committee *committee, const char *where, struct l2r_error *error);

/* The one rule: output [rows × outputs] from member [n] of the same size, logits or values in, logits or values out,
 * before calibration. If a member's output is not finite, the result is not finite. can_predict [n × outputs]: 0 where
 * a member has not learned an output and is left out of its mean; NULL: all have. map [outputs]: values are
 * averaged as they are mapped for training; NULL: as they are. room [3 × outputs]. */
void l2r_combine(float *output, double *room, const float *const *member, const uint8_t *can_predict, int32_t n,
                 enum l2r_task task, const struct l2r_target_map *map, int64_t rows, int32_t outputs);
/* How far the members are apart: the standard deviation (n − 1) of their probabilities or values; exactly 0 where they
 * agree, NaN for one member. room [2 × outputs]. */
void l2r_spread(float *spread, double *room, const float *const *member, int32_t n, enum l2r_task task, int64_t rows,
                int32_t outputs);

/* What to compute for some graphs; NULL: not this. */
struct l2r_committee_rows {
    float *output;  /* [n × outputs]: logits, or values in the targets' own units */
    float *members; /* [committee->n × n × outputs]: the same of each member, not calibrated */
    float *z;       /* [n × width of the first] */
};
/* data: in the signature's own numbers (l2r_signature_view). Batches as in model/score.h. The tape is reset. */
enum l2r_status l2r_committee_score(const struct l2r_committee_rows *to, const struct l2r_committee *committee,
                                    struct l2r_tape *tape, const struct l2r_dataset *data, const int32_t *graphs,
                                    int64_t n, int64_t batch_size, struct l2r_error *error);
/* Of one batch that the caller has made: output [batch->n_graphs × outputs]. Features are looked up by the batch's data
 * set and the numbers of its graphs, which l2r_committee_describe has filled in. */
enum l2r_status l2r_committee_score_batch(float *output, const struct l2r_committee *committee, struct l2r_tape *tape,
                                          const struct l2r_batch *batch, struct l2r_error *error);
/* The blocks of molecule features (data/features.h) that any member reads: bit k of block k. */
unsigned l2r_committee_features(const struct l2r_committee *committee);
enum l2r_status l2r_committee_describe(const struct l2r_committee *committee, const struct l2r_dataset *data,
                                       const int32_t *graphs, int64_t n, struct l2r_error *error);

#endif
