/* SPDX-License-Identifier: MIT
 *
 * l2r: graph neural networks that keep working when the test graphs differ from the training graphs.
 *
 * This is the only header a program needs. Conventions, everywhere:
 *   - a call that can fail returns a status; the sentence for a person goes to the caller's struct l2r_error (which may
 *     be NULL). Outputs come first, sizes last;
 *   - what this build has not (a module, RDKit) is L2R_ERR_MISSING, so that it is never taken for a wrong argument;
 *   - what cannot be meant (NULL, a number out of range, a NaN, an object in the wrong state) is L2R_ERR_ARGUMENT with
 *     a sentence that names the argument; the object is as it was and can still be used;
 *   - a handle that a call puts into its first argument (*_new, *_open, *_copy, *_from_…, *_for_…, …) belongs to the
 *     caller, who frees it with the matching *_free (NULL is fine). Strings that a call hands over are freed with
 *     l2r_free. Arrays and texts that a getter lends live as long as the object they come from;
 *   - structs that callers fill begin with their size, which their _INIT macro sets, so that they can grow in later
 *     versions;
 *   - counts are called n_…; arrays are row-major, and their shape stands beside them;
 *   - the library never prints, never exits and keeps no global state: separate handles may be used from separate
 *     threads. Data sets, splits and configs can be shared while nobody changes them; the other handles have one user
 *     at a time;
 *   - nothing is written outside the folder or file that a call names, except the cache of l2r_dataset_open.
 */
#ifndef L2R_L2R_H
#define L2R_L2R_H

#include <l2r/arrays.h>   /* data sets from arrays, and as arrays */
#include <l2r/data.h>     /* data sets and splits */
#include <l2r/metrics.h>  /* metrics on arrays */
#include <l2r/model.h>    /* trained models: scores, ensembles, explanations */
#include <l2r/options.h>  /* options by the names of the command line, and what they can choose */
#include <l2r/reweight.h> /* weights for the rows of any matrix */
#include <l2r/status.h>   /* status, error, version, threads */
#include <l2r/train.h>    /* training, whole runs or step by step */

#endif
