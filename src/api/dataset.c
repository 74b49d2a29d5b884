/* SPDX-License-Identifier: MIT
 * The public calls of l2r/data.h that load data sets from files, generators and bytes (l2r/arrays.h), and summarise
 * them. */
#include <l2r/arrays.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/misuse.h"
#include "base/watch.h"
#include "data/cache.h"
#include "data/formats/tu/tu.h"
#include "data/reader.h"
#include "data/summary.h"

#include <stdio.h>
#include <stdlib.h>

enum l2r_status l2r_dataset_open(struct l2r_dataset **data, const char *where, const struct l2r_config *options,
                                 struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_NEED(data);
    *data = NULL;
    L2R_NEED(where);
    L2R_TRY(l2r_data_options_check(options, error));
    L2R_TRY(l2r_dataset_load_with(data, where, options, !options || l2r_config_flag(options, "cache"), error));
done:
    return status;
}

enum l2r_status l2r_dataset_from_bytes(struct l2r_dataset **data, const char *name, const void *bytes, size_t n_bytes,
                                       const struct l2r_config *options, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_NEED(data);
    *data = NULL;
    L2R_NEED(name);
    L2R_NEED(bytes);
    L2R_TRY(l2r_data_options_check(options, error));
    L2R_TRY(l2r_dataset_load_bytes(data, name, bytes, n_bytes, options, error));
done:
    return status;
}

enum l2r_status l2r_dataset_save(const struct l2r_dataset *data, const char *path, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_NEED(data);
    L2R_NEED(path);
    L2R_TRY(l2r_cache_save(data, path, error));
done:
    return status;
}

enum l2r_status l2r_dataset_generate(struct l2r_dataset **data, const char *generator, const struct l2r_config *options,
                                     struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_config *defaults = NULL;
    L2R_NEED(data);
    *data = NULL;
    L2R_TRY(l2r_config_for_generator(&defaults, generator, error));
    const struct l2r_generator *found = l2r_generator_find(generator);
    for (size_t i = 0; options && found->options[i].name; i++)
        if (!l2r_config_has(options, found->options[i].name))
            L2R_FAIL(L2R_ERR_ARGUMENT, "options are not those of %s; l2r_config_for_generator makes them", generator);
    struct l2r_watched loop;
    l2r_watched_begin(&loop, "graphs read", -1);
    status = l2r_watched_end(&loop, found->generate(data, options ? options : defaults, error), error);
    if (status == L2R_OK) goto done;
    l2r_dataset_free(*data);
    *data = NULL;
done:
    l2r_config_free(defaults);
    return status;
}

enum l2r_status l2r_dataset_export(const struct l2r_dataset *data, const char *dir, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_NEED(data);
    L2R_NEED(dir);
    L2R_TRY(l2r_tu_write(data, dir, error));
done:
    return status;
}

enum l2r_status l2r_dataset_summary(char **text, const struct l2r_dataset *data, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_summary summary = {0};
    char *page = NULL;
    size_t length = 0;
    L2R_NEED(text);
    *text = NULL;
    L2R_NEED(data);
    L2R_TRY(l2r_summary_make(&summary, data, error));
    FILE *stream = open_memstream(&page, &length);
    if (stream) l2r_summary_print(stream, &summary);
    if (stream && fclose(stream) == 0) *text = l2r_strdup(page); /* memory for l2r_free */
    if (!*text) status = l2r_fail_memory(error, length, "a summary");
done:
    free(page);
    l2r_summary_clear(&summary);
    return status;
}

enum l2r_status l2r_dataset_summary_json(char **json, const struct l2r_dataset *data, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_summary summary = {0};
    L2R_NEED(json);
    *json = NULL;
    L2R_NEED(data);
    L2R_TRY(l2r_summary_make(&summary, data, error));
    L2R_TRY(l2r_json_text(json, l2r_summary_to_json(&summary), error));
done:
    l2r_summary_clear(&summary);
    return status;
}
