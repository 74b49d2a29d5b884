/* SPDX-License-Identifier: MIT
 *
 * Any text as the files of a OGB data set (sections.h): refused with a sentence, or a sound data set.
 */
#include "sections.h"

extern const struct l2r_reader l2r_reader_ogb;
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sections_read(data, size, &l2r_reader_ogb);
    return 0;
}
