/* SPDX-License-Identifier: MIT
 *
 * Any bytes as a split file for a set of nine graphs: refused with a sentence, or lists that ascend and share nothing.
 */
#include "data/splits/split.h"
#include "memory_file.h"
#include "refusal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct l2r_dataset nine = {.name = "nine", .n_graphs = 9};
    struct memory_file file = memory_file_new(data, size);
    struct l2r_split split;
    struct l2r_error error = {0};
    if (l2r_split_read(&split, file.path, &nine, &error) == L2R_OK) {
        int seen[9] = {0};
        for (int p = 0; p < 3; p++) {
            for (int64_t i = 0; i < l2r_split_size(&split, p); i++) {
                int32_t g = l2r_split_part(&split, p)[i];
                if (g < 0 || g >= 9 || seen[g]++ || (i > 0 && l2r_split_part(&split, p)[i - 1] >= g)) abort();
            }
        }
    } else {
        if (split.graphs) abort();
        expect_refusal(&error);
    }
    l2r_split_clear(&split);
    close(file.file);
    return 0;
}
