/* SPDX-License-Identifier: MIT
 *
 * Any bytes as a results file (reproduce/results.h): lines that are no objects are skipped and counted, of the others
 * any number can be asked for.
 */
#include "results/results.h"
#include "memory_file.h"
#include "refusal.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct l2r_error error = {0};
    struct l2r_results results;
    size_t lines = 1;
    struct memory_file file = memory_file_new(data, size);
    for (size_t i = 0; i < size; i++) lines += data[i] == '\n';
    if (l2r_results_open(&results, file.path, false, &error) != L2R_OK) abort();
    if (results.n + results.n_skipped > lines) abort();
    for (size_t i = 0; i < results.n; i++) {
        (void)l2r_line_number(results.lines[i], "test");
        (void)l2r_line_metric(results.lines[i], "test", "rocauc");
    }
    l2r_results_close(&results);
    close(file.file);
    return 0;
}
