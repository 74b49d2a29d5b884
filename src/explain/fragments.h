/* SPDX-License-Identifier: MIT
 *
 * Substructures that matter over a set of molecules. Each molecule is taken apart into building blocks (BRICS,
 * chem/molecule.h), and each block's contribution is the drop of the prediction without it (contributions.h):
 *
 *     c_F = v(all) − v(all without F)        in the units of the prediction: a regression's, or log-odds
 *
 * Of a committee v is that of the members that read the graph (subject.h), whatever explainer made the explanations.
 * Equal blocks are put together over the set: how often, in how many molecules, mean and standard deviation of c_F.
 * Several classes are kept apart, because v is then the log-odds of the class that is predicted.
 */
#ifndef L2R_EXPLAIN_FRAGMENTS_H
#define L2R_EXPLAIN_FRAGMENTS_H

#include "explain/explainer.h"

struct l2r_fragment {
    char *smiles;
    int32_t target; /* the class explained; -1: the task has no several */
    int64_t molecules, count;
    double mean, sd, least, most; /* of its contributions; sd is NaN for one */
    int64_t seen;                 /* in this molecule last */
};

struct l2r_fragments {
    struct l2r_fragment *items; /* [n]: those of several molecules, then those of one; by |mean|·√count */
    size_t n, capacity;
    int64_t molecules; /* taken apart */
};

/* The explanations are of graphs of `data`, each of one task. Fails where the graphs are no molecules. To be cleared
 * after a failure too. */
enum l2r_status l2r_fragments_find(struct l2r_fragments *fragments, const struct l2r_predictor *predictor,
                                   const struct l2r_dataset *data, struct l2r_explanation *const *explanations,
                                   int64_t n, struct l2r_error *error);
void l2r_fragments_clear(struct l2r_fragments *fragments);

/* [{"fragment": "*c1ccccc1", "class": null, "molecules": 12, "count": 14, "mean": −0.4, "sd": …, "min": …, "max": …}];
 * new reference. */
json_t *l2r_fragments_to_json(const struct l2r_fragments *fragments, const struct l2r_signature *signature);
/* The same as CSV. */
enum l2r_status l2r_fragments_write(const struct l2r_fragments *fragments, const struct l2r_signature *signature,
                                    const char *path, struct l2r_error *error);

#endif
