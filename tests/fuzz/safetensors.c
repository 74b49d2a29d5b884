/* SPDX-License-Identifier: MIT
 *
 * Any bytes as a safetensors file: they are refused with a sentence, or every tensor can be found and read to its end.
 */
#include "io/safetensors.h"
#include "refusal.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct l2r_safetensors *file;
    struct l2r_error error = {0};
    const struct l2r_tensor *t;
    size_t total = 0;
    if (l2r_safetensors_parse(&file, data, size, "input", &error) != L2R_OK) {
        if (file || strncmp(error.message, "input:", 6) != 0) abort();
        expect_refusal(&error);
        return 0;
    }
    for (size_t i = 0; (t = l2r_safetensors_at(file, i)); i++) {
        if (l2r_safetensors_find(file, t->name) != t) abort();
        total += l2r_tensor_bytes(t);
        (void)XXH3_64bits(t->data, l2r_tensor_bytes(t)); /* touches every byte, for the sanitizer */
    }
    if (total > size) abort();
    l2r_safetensors_free(file);
    return 0;
}
