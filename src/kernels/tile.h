/* SPDX-License-Identifier: MIT
 *
 * One vector of a row, whole or only its first `count` numbers (the end of a row); the lanes beyond are 0. With a constant
 * count of L2R_LANES it is a plain load or store.
 */
#ifndef L2R_KERNELS_TILE_H
#define L2R_KERNELS_TILE_H

#include "kernels/real.h"

#include <string.h>

L2R_INLINE l2r_vec l2r_tile_load(const l2r_real *from, int64_t count)
{
    l2r_vec v = {0};
    if (count == L2R_LANES) return *(const l2r_vec *)from;
    memcpy(&v, from, (size_t)count * sizeof *from);
    return v;
}

L2R_INLINE l2r_mask l2r_tile_load_lanes(const l2r_lane *from, int64_t count)
{
    l2r_mask v = {0};
    if (count == L2R_LANES) return *(const l2r_mask *)from;
    memcpy(&v, from, (size_t)count * sizeof *from);
    return v;
}

L2R_INLINE void l2r_tile_store(l2r_real *to, l2r_vec v, int64_t count)
{
    if (count == L2R_LANES)
        *(l2r_vec *)to = v;
    else
        memcpy(to, &v, (size_t)count * sizeof *to);
}

#endif
