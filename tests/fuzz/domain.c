/* SPDX-License-Identifier: MIT
 *
 * Any text as the file of an applicability domain (tensor_file.h), for a model of width 3: refused with a sentence, or
 * distances can be asked for.
 */
#include "predict/domain.h"
#include "refusal.h"
#include "tensor_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const float rows[6] = {0, 1, 2, -3, 4, 1e30F};
    float distance[2];
    struct l2r_error error = {0};
    struct l2r_domain domain;
    struct memory_file file = tensor_file_new(data, size);
    if (l2r_applicability_read(&domain, file.path, "model", 3, &error) != L2R_OK) {
        expect_refusal(&error);
    } else {
        l2r_domain_distances(distance, &domain, rows, 2);
        for (int i = 0; i < 2; i++) {
            float share = l2r_domain_applicability(&domain, distance[i]);
            if (share < 0 || share > 1) abort();
        }
    }
    l2r_domain_clear(&domain);
    close(file.file);
    return 0;
}
