/* SPDX-License-Identifier: MIT
 *
 * Builds a data set graph by graph. Readers, generators and programs that hold graphs in memory all come
 * through here, so that edges are made symmetric, duplicates dropped and feature rows made distinct in one place.
 */
#ifndef L2R_DATA_BUILDER_H
#define L2R_DATA_BUILDER_H

#include "data/dataset.h" /* and with it l2r.h, where the calls are declared: they are public */

#endif
