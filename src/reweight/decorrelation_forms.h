/* SPDX-License-Identifier: MIT
 *
 * The forms behind decorrelation.h. *_init takes its memory from dep->arena and returns false when there is none.
 */
#ifndef L2R_REWEIGHT_DECORRELATION_FORMS_H
#define L2R_REWEIGHT_DECORRELATION_FORMS_H

#include "reweight/decorrelation.h"

/* v of the sample space forms. */
static inline double l2r_measure(const struct l2r_dependence *dep, double w)
{
    return dep->options.scaled ? w * w : w;
}

bool l2r_sample_form_init(struct l2r_dependence *dep);
double l2r_sample_form_value(struct l2r_dependence *dep, double *gradient, const double *w);

/* Sample space with two sets of features. */
bool l2r_separate_form_init(struct l2r_dependence *dep);
double l2r_separate_form_value(struct l2r_dependence *dep, double *gradient, const double *w);

bool l2r_feature_form_init(struct l2r_dependence *dep);
double l2r_feature_form_value(struct l2r_dependence *dep, double *gradient, const double *w);

#endif
