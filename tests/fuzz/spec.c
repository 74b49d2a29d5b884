/* SPDX-License-Identifier: MIT
 *
 * Any bytes as the description of a table or figure (reproduce/spec.h): refused with a sentence, or planned run by run.
 */
#include "refusal.h"
#include "reproduce/plan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_small(const struct l2r_spec *spec)
{
    return spec->seeds > 0 && spec->seeds * (int64_t)spec->n_rows * (int64_t)spec->n_columns <= 8;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (int quick = 0; quick < 2; quick++) {
        const struct l2r_plan_settings settings = {.data_root = "root"};
        struct l2r_error error = {0};
        struct l2r_spec spec;
        struct l2r_plan plan;
        if (l2r_spec_parse(&spec, (const char *)data, size, "input", quick != 0, &error) != L2R_OK) {
            expect_refusal(&error);
        } else if (is_small(&spec)) {
            if (l2r_plan_make(&plan, &spec, &settings, &error) != L2R_OK) expect_refusal(&error);
            l2r_plan_clear(&plan);
        }
        l2r_spec_clear(&spec);
    }
    return 0;
}
