/* SPDX-License-Identifier: MIT
 * Every generator: what it makes is sound, the same bits for the same options on any number of threads, other graphs
 * for another seed, and a cache file gives back all of it, environments included. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/config.h"
#include "data/cache.h"
#include "data/reader.h"
#include "support/folder.h"

#include <l2r/l2r.h>
#include <string.h>

static struct l2r_error error;

/* Small, whatever the generator calls its numbers of graphs. */
static struct l2r_dataset *make(const struct l2r_generator *generator, const char *seed)
{
    static const char *const small[][2] = {{"graphs", "100"}, {"train", "60"}, {"valid", "30"}, {"test", "30"}};
    struct l2r_config *config = NULL;
    struct l2r_dataset *data = NULL;
    assert_int_equal(l2r_config_new(&config, &error), L2R_OK);
    assert_int_equal(l2r_config_declare(config, generator->options, &error), L2R_OK);
    for (size_t i = 0; i < sizeof small / sizeof *small; i++)
        if (l2r_config_has(config, small[i][0]))
            assert_int_equal(l2r_config_set(config, small[i][0], small[i][1], &error), L2R_OK);
    assert_int_equal(l2r_config_set(config, "seed", seed, &error), L2R_OK);
    if (generator->generate(&data, config, &error) != L2R_OK) fail_msg("%s: %s", generator->name, error.message);
    l2r_config_free(config);
    return data;
}

static bool same(const struct l2r_dataset *a, const struct l2r_dataset *b)
{
    return a->block_size == b->block_size && memcmp(a->block, b->block, a->block_size) == 0;
}

static void makes_sound_graphs_named_after_itself(void **state)
{
    (void)state;
    for (size_t i = 0; l2r_generators[i]; i++) {
        struct l2r_dataset *data = make(l2r_generators[i], "0");
        assert_string_equal(data->name, l2r_generators[i]->name);
        assert_int_equal(l2r_dataset_check_ranges(data, &error), L2R_OK);
        assert_int_equal(l2r_dataset_check_symmetry(data, &error), L2R_OK);
        assert_int_equal(data->n_environments > 0, data->environment != NULL);
        l2r_dataset_free(data);
    }
}

static void is_a_function_of_its_options(void **state)
{
    (void)state;
    for (size_t i = 0; l2r_generators[i]; i++) {
        l2r_threads_set(1);
        struct l2r_dataset *a = make(l2r_generators[i], "3");
        l2r_threads_set(2);
        struct l2r_dataset *b = make(l2r_generators[i], "3"), *c = make(l2r_generators[i], "4");
        assert_true(same(a, b));
        assert_false(same(a, c));
        l2r_dataset_free(a);
        l2r_dataset_free(b);
        l2r_dataset_free(c);
    }
}

static void survives_a_cache_file(void **state)
{
    (void)state;
    for (size_t i = 0; l2r_generators[i]; i++) {
        struct l2r_dataset *data = make(l2r_generators[i], "0"), *back = NULL;
        const char *path = inside(l2r_generators[i]->name);
        assert_int_equal(l2r_cache_save(data, path, &error), L2R_OK);
        assert_int_equal(l2r_cache_open(&back, path, &error), L2R_OK);
        assert_true(same(data, back));
        assert_int_equal(back->n_environments, data->n_environments);
        for (int32_t k = 0; k < data->n_environments; k++)
            assert_string_equal(l2r_dataset_environment_name(back, k), l2r_dataset_environment_name(data, k));
        l2r_dataset_free(data);
        l2r_dataset_free(back);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(makes_sound_graphs_named_after_itself),
        cmocka_unit_test(is_a_function_of_its_options),
        cmocka_unit_test(survives_a_cache_file),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
