/* SPDX-License-Identifier: MIT
 *
 * Malformed data sets: a sound set with one file replaced (text NULL: removed), and the whole sentence with which the
 * reader has to refuse it.
 */
#ifndef L2R_TESTS_MALFORMED_H
#define L2R_TESTS_MALFORMED_H

#include "support/data_sets.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct malformed {
    const char *file, *text, *message;
};

static inline void assert_malformed(const struct malformed *cases, size_t n, struct memory_set (*good_set)(void),
                                    const char *reader)
{
    for (size_t i = 0; i < n; i++) {
        struct memory_set set = good_set();
        struct l2r_dataset *data;
        struct l2r_error error;
        memory_set_text(&set, cases[i].file, cases[i].text);
        enum l2r_status status = memory_set_read(&data, &set, reader_named(reader), &error);
        if (status != L2R_ERR_FORMAT) fail_msg("case %zu was accepted: %s", i, cases[i].message);
        assert_string_equal(error.message, cases[i].message);
        assert_null(data);
    }
}

#endif
