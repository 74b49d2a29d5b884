/* SPDX-License-Identifier: MIT
 *
 * Labels for pretraining: RDKit's descriptors of the molecules (--targets descriptors), which a network learns before
 * it is trained on the few molecules with measurements (fit/transfer.h).
 *
 *     y_k = asinh(x_k)      x: descriptors of the molecule (chem/describe.h), [n_graphs × K]; unknown ones are missing
 *
 * The inverse hyperbolic sine is x near 0 and a logarithm far from it, so that descriptors whose values reach over many
 * orders of magnitude (Ipc) have a scale; training standardises regression targets anyway. Left out are descriptors
 * that are unknown for more than 1 of 20 molecules, or another one than the median for fewer than 1 of 100: the
 * standard deviation of such a column is that of a few molecules. --target-columns chooses descriptors by name instead.
 */
#ifndef L2R_DATA_DESCRIPTOR_LABELS_H
#define L2R_DATA_DESCRIPTOR_LABELS_H

#include "base/config.h"
#include "data/dataset.h"

/* Is it enabled by the options? */
bool l2r_labels_are_descriptors(const struct l2r_config *options);
/* Replaces the data set by one of the same graphs with these labels, a regression; fails, and leaves it, where there
 * are no SMILES. list: "tpsa,amw", in this order; NULL: all that are worth learning. */
enum l2r_status l2r_dataset_label_by_descriptors(struct l2r_dataset **data, const char *list, struct l2r_error *error);

#endif
