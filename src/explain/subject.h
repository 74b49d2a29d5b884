/* SPDX-License-Identifier: MIT
 *
 * What is explained of a model. Some members of a committee (model/committee.h) read no graph, only features of the
 * whole molecule: no atom can be taken away from them, and no edge masked.
 *
 *     occlusion, shapley, fragments   the mean of all members that read the graph
 *     gnnexplainer, gates             one network: the first member that masks can be put on, or that has gates
 *
 * A single model, and a committee all of whose members are explained, is explained with its calibration. If members are
 * left out, the mean of the others is explained without: the calibration was fitted to the mean of all.
 */
#ifndef L2R_EXPLAIN_SUBJECT_H
#define L2R_EXPLAIN_SUBJECT_H

#include "explain/explainer.h"

struct l2r_subject {
    struct l2r_committee committee;     /* those that are explained; their first member is the network under masks */
    const struct l2r_committee *of;     /* the whole model */
    const struct l2r_network **members; /* [committee.n] */
    uint8_t *takes_part;                /* [of->n] */
    enum l2r_explainer_kind kind;
};

/* Fails if no member can be explained in this way. It points into the model. To be cleared after a failure, too. */
enum l2r_status l2r_subject_init(struct l2r_subject *subject, const struct l2r_committee *model,
                                 enum l2r_explainer_kind kind, struct l2r_error *error);
void l2r_subject_clear(struct l2r_subject *subject);

/* A sentence about the members of a committee that are explained and those that are not; "" if all are. */
void l2r_subject_describe(char *out, size_t size, const struct l2r_subject *subject);

/* [{"member": 1, "model": "gin", "explained": true}, {"member": 3, "model": "mlp", "explained": false, "why": …}, …];
 * new reference. */
json_t *l2r_subject_to_json(const struct l2r_subject *subject);

#endif
