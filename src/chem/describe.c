/* SPDX-License-Identifier: MIT
 * The part of describe.h that does not need RDKit. */
#include "chem/describe.h"

static const struct {
    const char *name;
    int32_t width;
    bool is_count;
} kinds[L2R_DESCRIPTIONS] = {{"morgan", L2R_FOLDED, true},
                             {"pairs", L2R_FOLDED, true},
                             {"torsion", L2R_FOLDED, true},
                             {"erg", L2R_ERG_NUMBERS, false},
                             {"descriptors", L2R_DESCRIPTORS, false}};

const char *l2r_description_name(enum l2r_description kind)
{
    return kinds[kind].name;
}

int32_t l2r_description_width(enum l2r_description kind)
{
    return kinds[kind].width;
}

bool l2r_description_is_count(enum l2r_description kind)
{
    return kinds[kind].is_count;
}
