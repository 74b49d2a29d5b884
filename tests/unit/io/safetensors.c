/* SPDX-License-Identifier: MIT
 *
 * Safetensors: what is written is read back, an independent reader agrees, what cannot be written leaves the
 * old file alone. Damaged files: safetensors_damage.c.
 */
#include "io/safetensors.h"

#include "base/memory.h"
#include "io/file.h"
#include "support/messages.h"
#include "support/temporary.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[TEMPORARY_LENGTH], path[TEMPORARY_LENGTH + 24];

static const float weight[] = {1, 2.5F, -3, 0.125F, 5, 6};
static const uint8_t flags[] = {7, 255, 0};
static const double loss = 0.1;
static const int64_t steps[] = {-5, INT64_MAX};
static const int32_t order[] = {3, -1};
static const struct l2r_tensor tensors[] = {
    {"flags", L2R_DTYPE_U8, 1, {3}, flags},      {"layer.weight", L2R_DTYPE_F32, 2, {3, 2}, weight},
    {"loss", L2R_DTYPE_F64, 0, {0}, &loss},      {"steps", L2R_DTYPE_I64, 1, {2}, steps},
    {"nothing", L2R_DTYPE_F32, 2, {0, 4}, NULL}, {"order", L2R_DTYPE_I32, 2, {1, 2}, order}};
enum { N_TENSORS = sizeof tensors / sizeof tensors[0] };
static const struct l2r_metadatum metadata[] = {{"config", "{\"model\": \"gin\"}"}, {"title", "Grüße \"\n"}};

static void write_example(void)
{
    struct l2r_error error = {0};
    if (l2r_safetensors_write(path, tensors, N_TENSORS, metadata, 2, &error) != L2R_OK) fail_msg("%s", error.message);
}

static void reads_what_was_written(void **state)
{
    (void)state;
    struct l2r_safetensors *file;
    struct l2r_error error = {0};
    write_example();
    assert_int_equal(l2r_safetensors_read(&file, path, &error), L2R_OK);
    for (size_t i = 0; i < N_TENSORS; i++) {
        const struct l2r_tensor *t = l2r_safetensors_find(file, tensors[i].name);
        assert_non_null(t);
        assert_int_equal(t->dtype, tensors[i].dtype);
        assert_int_equal(t->n_dims, tensors[i].n_dims);
        assert_memory_equal(t->shape, tensors[i].shape, sizeof t->shape);
        assert_int_equal((uintptr_t)t->data % 64, 0);
        if (l2r_tensor_bytes(t) > 0) assert_memory_equal(t->data, tensors[i].data, l2r_tensor_bytes(t));
    }
    assert_string_equal(l2r_safetensors_at(file, 0)->name, "loss"); /* the wide ones first */
    assert_string_equal(l2r_safetensors_at(file, N_TENSORS - 1)->name, "flags");
    assert_null(l2r_safetensors_at(file, N_TENSORS));
    assert_null(l2r_safetensors_find(file, "__metadata__"));
    assert_string_equal(l2r_safetensors_metadata(file, "config"), "{\"model\": \"gin\"}");
    assert_string_equal(l2r_safetensors_metadata(file, "title"), "Grüße \"\n");
    assert_int_equal(strlen(l2r_safetensors_metadata(file, "xxh3")), 32);
    assert_null(l2r_safetensors_metadata(file, "seed"));
    l2r_safetensors_free(file);
}

static void copies_only_what_fits(void **state)
{
    (void)state;
    struct l2r_safetensors *file;
    struct l2r_error error = {0};
    const int64_t shape[] = {3, 2}, turned[] = {2, 3};
    float out[6] = {0};
    char words[300];
    write_example();
    assert_int_equal(l2r_safetensors_read(&file, path, &error), L2R_OK);
    assert_int_equal(l2r_safetensors_copy(out, file, "layer.weight", L2R_DTYPE_F32, shape, 2, &error), L2R_OK);
    assert_memory_equal(out, weight, sizeof weight);
    assert_int_equal(l2r_safetensors_copy(out, file, "layer.weight", L2R_DTYPE_F32, turned, 2, &error), L2R_ERR_FORMAT);
    snprintf(words, sizeof words, "%s: tensor \"layer.weight\" is F32 [3, 2], expected F32 [2, 3]", path);
    expect_message(error.message, words);
    assert_int_equal(l2r_safetensors_copy(out, file, "layer.weight", L2R_DTYPE_F64, shape, 2, &error), L2R_ERR_FORMAT);
    assert_int_equal(l2r_safetensors_copy(out, file, "bias", L2R_DTYPE_F32, shape, 1, &error), L2R_ERR_FORMAT);
    snprintf(words, sizeof words, "%s: tensor \"bias\" is missing, expected F32 [3]", path);
    expect_message(error.message, words);
    l2r_safetensors_free(file);
}

static void a_file_may_hold_nothing(void **state)
{
    (void)state;
    struct l2r_safetensors *file;
    assert_int_equal(l2r_safetensors_write(path, NULL, 0, NULL, 0, NULL), L2R_OK);
    assert_int_equal(l2r_safetensors_read(&file, path, NULL), L2R_OK);
    assert_null(l2r_safetensors_at(file, 0));
    l2r_safetensors_free(file);
}

static void independent_reader_agrees(void **state)
{
    (void)state;
    char command[600], text[2000];
    if (system("python3 -c 'import json, struct' >/dev/null 2>&1") != 0) skip();
    write_example();
    snprintf(command, sizeof command, "PYTHONIOENCODING=utf-8 python3 '%s/golden/check_safetensors.py' '%s' 2>&1",
             L2R_TEST_DIR, path);
    FILE *reader = popen(command, "r");
    assert_non_null(reader);
    text[fread(text, 1, sizeof text - 1, reader)] = '\0';
    int left = pclose(reader);
    assert_string_equal(text, "flags U8 [3] [7, 255, 0]\n"
                              "layer.weight F32 [3, 2] [1.0, 2.5, -3.0, 0.125, 5.0, 6.0]\n"
                              "loss F64 [] [0.1]\n"
                              "nothing F32 [0, 4] []\n"
                              "order I32 [1, 2] [3, -1]\n"
                              "steps I64 [2] [-5, 9223372036854775807]\n"
                              "config = \"{\\\"model\\\": \\\"gin\\\"}\"\n"
                              "title = \"Gr\\u00fc\\u00dfe \\\"\\n\"\n");
    assert_true(WIFEXITED(left) && WEXITSTATUS(left) == 0);
}

static void expect_words(const struct l2r_error *error, const char *words)
{
    if (!message_matches(error->message, words)) fail_msg("\"%s\" does not say \"%s\"", error->message, words);
}

static void expect_unwritable(const struct l2r_tensor *list, size_t n, const struct l2r_metadatum *texts,
                              size_t n_texts, const char *words)
{
    struct l2r_error error = {0};
    struct l2r_safetensors *file;
    assert_int_equal(l2r_safetensors_write(path, list, n, texts, n_texts, &error), L2R_ERR_ARGUMENT);
    expect_words(&error, words);
    assert_int_equal(l2r_safetensors_read(&file, path, &error), L2R_OK); /* what was there stays */
    assert_non_null(l2r_safetensors_find(file, "layer.weight"));
    l2r_safetensors_free(file);
}

static void what_cannot_be_written_is_refused(void **state)
{
    (void)state;
    const struct l2r_tensor twice[] = {tensors[0], tensors[1], tensors[0]};
    const struct l2r_tensor reserved = {"__metadata__", L2R_DTYPE_U8, 1, {3}, flags};
    const struct l2r_tensor negative = {"a", L2R_DTYPE_U8, 1, {-3}, flags}, deep = {"a", L2R_DTYPE_U8, 9, {1}, flags};
    const struct l2r_tensor garbled = {"\xff", L2R_DTYPE_U8, 1, {3}, flags};
    const struct l2r_metadatum taken = {"xxh3", "0"}, binary = {"blob", "\xff\xfe"};
    struct l2r_error error = {0};
    write_example();
    expect_unwritable(twice, 3, NULL, 0, "tensor name \"flags\" is given twice or reserved");
    expect_unwritable(&reserved, 1, NULL, 0, "\"__metadata__\" is given twice or reserved");
    expect_unwritable(&negative, 1, NULL, 0, "tensor \"a\" has no valid shape");
    expect_unwritable(&deep, 1, NULL, 0, "tensor \"a\" has no valid shape");
    expect_unwritable(&garbled, 1, NULL, 0, "not UTF-8");
    expect_unwritable(NULL, 0, &taken, 1, "metadata \"xxh3\" is given twice or reserved");
    expect_unwritable(NULL, 0, &binary, 1, "metadata \"blob\" is not UTF-8 text");
    char nowhere[200];
    snprintf(nowhere, sizeof nowhere, "%s/no/such.safetensors", folder);
    assert_int_equal(l2r_safetensors_write(nowhere, tensors, 1, NULL, 0, &error), L2R_ERR_IO);
    expect_words(&error, nowhere);
    struct l2r_safetensors *file;
    assert_int_equal(l2r_safetensors_read(&file, nowhere, &error), L2R_ERR_IO);
    expect_words(&error, nowhere);
    assert_null(file);
}

/* Allocation k fails, for k = 0, 1, … until all goes well: an error each time, and nothing leaks. */
static void survives_lack_of_memory(void **state)
{
    (void)state;
    struct l2r_safetensors *file = NULL;
    enum l2r_status status = L2R_ERR_MEMORY;
    long k = 0;
    for (; status != L2R_OK; k++) {
        l2r_memory_fail_at(k, true);
        status = l2r_safetensors_write(path, tensors, N_TENSORS, metadata, 2, NULL);
        if (status == L2R_OK) status = l2r_safetensors_read(&file, path, NULL);
        l2r_memory_fail_at(-1, false);
        assert_true(status == L2R_OK || status == L2R_ERR_MEMORY);
        assert_true(status == L2R_OK || !file);
    }
    assert_in_range(k, 6, 20);
    l2r_safetensors_free(file);
}

static int make_folder(void **state)
{
    (void)state;
    if (!temporary_folder(folder)) return -1;
    snprintf(path, sizeof path, "%s/example.safetensors", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder); /* fails if a temporary was left behind */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_what_was_written),
        cmocka_unit_test(copies_only_what_fits),
        cmocka_unit_test(a_file_may_hold_nothing),
        cmocka_unit_test(independent_reader_agrees),
        cmocka_unit_test(what_cannot_be_written_is_refused),
        cmocka_unit_test(survives_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
