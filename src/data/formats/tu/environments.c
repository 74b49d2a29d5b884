/* SPDX-License-Identifier: MIT
 *
 * NAME_environments.txt (tu.h): a name per graph, any text on one line. Environments are numbered in the order in which
 * their names first occur. */
#include "base/memory.h"
#include "data/formats/tu/tu.h"

#include <stdio.h>
#include <string.h>

static enum l2r_status number_line(int32_t *number, struct l2r_distinct_texts *names, struct l2r_lines *lines,
                                   struct l2r_error *error)
{
    char name[64];
    size_t length = (size_t)(lines->stop - lines->text);
    if (length == 0 || length >= sizeof name)
        return l2r_lines_fail(lines, error, "expected the name of an environment, of 1 to %zu bytes", sizeof name - 1);
    for (size_t i = 0; i < length; i++) name[i] = lines->text[i] < ' ' || lines->text[i] > '~' ? '_' : lines->text[i];
    name[length] = '\0';
    *number = l2r_distinct_texts_add(names, name);
    return *number < 0 ? l2r_fail_memory(error, length, "environments") : L2R_OK;
}

enum l2r_status l2r_tu_environments_read(struct l2r_tu_tables *t, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_lines lines = {0};
    if (!l2r_source_find2(t->source, t->prefix, "_environments.txt")) return L2R_OK;
    L2R_TRY(l2r_tu_open(&lines, t->source, t->prefix, "_environments.txt", error));
    t->environment = l2r_alloc_raw((size_t)t->n_graphs, sizeof *t->environment);
    if (!t->environment) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: environments");
    for (int64_t g = 0;; g++) {
        L2R_TRY(l2r_lines_next(&lines, error));
        if ((lines.text != NULL) != (g < t->n_graphs)) {
            status = l2r_lines_wrong_count(&lines, t->n_graphs, "graphs", error);
            goto done;
        }
        if (!lines.text) break;
        L2R_TRY(number_line(&t->environment[g], &t->environment_names, &lines, error));
    }
done:
    l2r_lines_close(&lines);
    return status;
}
