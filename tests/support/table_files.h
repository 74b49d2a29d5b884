/* SPDX-License-Identifier: MIT
 *
 * For tests that write small tables and read them: a folder with a cache of its own, the options of reading and
 * splitting, and the data set that was read last. set_up and tear_down are the fixtures of each test.
 */
#ifndef L2R_TESTS_TABLE_FILES_H
#define L2R_TESTS_TABLE_FILES_H

#include "data/reader.h"
#include "data/splits/split.h"
#include "support/data_sets.h"
#include "support/folder.h"

#include <string.h>

static struct l2r_error error;
static struct l2r_config *config;
static struct l2r_dataset *data;

static int set_up(void **state)
{
    data = NULL;
    return make_folder(state) == 0 && setenv("L2R_CACHE_DIR", path_in(folder, "cache"), 1) == 0 &&
                   l2r_config_new(&config, &error) == L2R_OK && l2r_split_declare(config, &error) == L2R_OK &&
                   l2r_config_declare(config, l2r_data_options, &error) == L2R_OK
               ? 0
               : -1;
}

static int tear_down(void **state)
{
    l2r_dataset_free(data);
    l2r_config_free(config);
    return remove_folder(state);
}

static void set(const char *name, const char *value)
{
    assert_int_equal(l2r_config_set(config, name, value, &error), L2R_OK);
}

static const char *write_file(const char *name, const char *text)
{
    const char *path = path_in(folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
    return path;
}

#endif
