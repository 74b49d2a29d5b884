/* SPDX-License-Identifier: MIT
 *
 * Scoring: a network's outputs for many graphs, in batches, without dropout and with running statistics.
 *
 *     graphs [n]  ──batches──►  output [n × outputs], z [n × width]       ──►  metrics (model/scored.h)
 *
 * Where the tape belongs to one of several ranks (tape->pass.ranks), each scores some of the batches and all get
 * everything.
 */
#ifndef L2R_MODEL_SCORE_H
#define L2R_MODEL_SCORE_H

#include "nn/network.h"

/* output [n × outputs]: logits, or values in the targets' own units.
 * Batches have at most batch_size graphs, and fewer where graphs are big, so that memory stays bounded. The tape is
 * reset. */
enum l2r_status l2r_score(float *output, const struct l2r_network *network, struct l2r_tape *tape,
                          const struct l2r_dataset *data, const int32_t *graphs, int64_t n, int64_t batch_size,
                          struct l2r_error *error);

/* The same, and the graphs' representations: z [n × width], the rows that the head is applied to. output or z may be
 * NULL. */
enum l2r_status l2r_score_represent(float *output, float *z, const struct l2r_network *network, struct l2r_tape *tape,
                                    const struct l2r_dataset *data, const int32_t *graphs, int64_t n,
                                    int64_t batch_size, struct l2r_error *error);

/* The same, and what the head's last layer reads: x [n × l2r_network_last_width]. Any of the three may be NULL. */
struct l2r_layers {
    float *output, *z, *x;
};
enum l2r_status l2r_score_layers(const struct l2r_layers *to, const struct l2r_network *network, struct l2r_tape *tape,
                                 const struct l2r_dataset *data, const int32_t *graphs, int64_t n, int64_t batch_size,
                                 struct l2r_error *error);

/* The same for a batch that the caller has made: output [batch->n_graphs × outputs]. */
enum l2r_status l2r_score_batch(float *output, const struct l2r_network *network, struct l2r_tape *tape,
                                const struct l2r_batch *batch, struct l2r_error *error);

#endif
