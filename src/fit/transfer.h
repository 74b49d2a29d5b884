/* SPDX-License-Identifier: MIT
 *
 * Training that starts from another run's model instead of random numbers.
 *
 *     from=RUN                      every parameter starts as the model of RUN has it; names and shapes must agree
 *     from=RUN reset=head           the backbone does, the head starts anew: other tasks, another kind of task
 *     from=RUN freeze=backbone      the backbone stays as it is and runs as in prediction (no dropout, running
 *                                   statistics); the head alone is trained
 *
 *     targets=descriptors           makes such a RUN from molecules without labels (`l2r pretrain`): descriptors are
 *                                   learned as targets (data/descriptor_labels.h), masked atoms are predicted
 *                                   (nn/masking.h), and randomly held-out molecules decide when to stop
 *
 * The data must have the node and edge features that RUN was trained on. Scales of targets and names of tasks are those
 * of the new data; PNA's degree statistics are those of RUN. RUN is read when the run starts and when it resumes.
 */
#ifndef L2R_FIT_TRANSFER_H
#define L2R_FIT_TRANSFER_H

#include "fit/options.h"
#include "nn/network.h"

struct l2r_predictor;

/* Opens the model that `from` names, NULL without it, and takes into the signature what belongs to the backbone. */
enum l2r_status l2r_transfer_open(struct l2r_predictor **origin, struct l2r_signature *signature,
                                  const struct l2r_fit_options *options, struct l2r_error *error);
/* Its numbers into the network; NULL: nothing. That `freeze` trains the head alone is a matter of phases.h. */
enum l2r_status l2r_transfer_take(struct l2r_network *network, const struct l2r_predictor *origin,
                                  const struct l2r_fit_options *options, struct l2r_error *error);

/* Which backbone the model of a run has. */
enum l2r_status l2r_transfer_model(char model[64], const char *run, struct l2r_error *error);
/* The options of that backbone become the defaults of a config for the same one. */
enum l2r_status l2r_transfer_defaults(struct l2r_config *config, const char *run, struct l2r_error *error);

#endif
