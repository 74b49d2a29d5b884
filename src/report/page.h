/* SPDX-License-Identifier: MIT
 *
 * The report page: runs side by side, then each with its scores, its options and the gallery of its explanations.
 */
#ifndef L2R_REPORT_PAGE_H
#define L2R_REPORT_PAGE_H

#include "report/run_files.h"

/* Text from l2r_alloc. Equal files, equal page: it holds no date. */
enum l2r_status l2r_report_page(char **html, const struct l2r_run_list *list, struct l2r_error *error);

#endif
