/* SPDX-License-Identifier: MIT
 *
 * For tests of the public calls: one error that all calls of a program fill, OK(call) for what must work, and
 * refused(call, sentence) for what must not. A refusal speaks of arguments, never of --options. Include cmocka.h
 * before.
 */
#ifndef L2R_TESTS_CALLS_H
#define L2R_TESTS_CALLS_H

#include "support/messages.h"

#include <l2r/arrays.h>

#include <string.h>

static struct l2r_error error;

static inline void refused(enum l2r_status status, const char *sentence)
{
    assert_int_equal(status, L2R_ERR_ARGUMENT);
    expect_message(error.message, sentence);
    assert_null(strstr(error.message, "--"));
    error = (struct l2r_error){0}; /* the next call has to speak for itself */
}

/* For l2r_dataset_from_smiles. */
#define SMILES(texts, values, kind, columns, rows)                                                                     \
    &(struct l2r_smiles)                                                                                               \
    {                                                                                                                  \
        .size = sizeof(struct l2r_smiles), .smiles = (texts), .labels = (values), .task = (kind),                      \
        .n_tasks = (columns), .n_rows = (rows)                                                                         \
    }

#define OK(call)                                                                                                       \
    do {                                                                                                               \
        if ((call) != L2R_OK) fail_msg("%s", error.message);                                                           \
    } while (0)

#endif
