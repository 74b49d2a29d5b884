/* SPDX-License-Identifier: MIT
 *
 * Safetensors files that are not what they claim: each kind of damage gives one sentence, and no length is trusted.
 */
#include "io/safetensors.h"

#include "base/memory.h"
#include "io/file.h"
#include "support/messages.h"
#include "support/temporary.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static void expect_words(const struct l2r_error *error, const char *words)
{
    if (!message_matches(error->message, words)) fail_msg("\"%s\" does not say \"%s\"", error->message, words);
}

#define ENTRY(dtype, shape, offsets) "{\"dtype\":\"" dtype "\",\"shape\":" shape ",\"data_offsets\":" offsets "}"

static const struct {
    const char *header;
    size_t data; /* bytes that follow */
    const char *words;
} damaged[] = {
    {"{\"a\":" ENTRY("F32", "[2]", "[0,8]") "}", 8, NULL},
    {"{\"a\":" ENTRY("F32", "[2]", "[0,8]") ",\"b\":" ENTRY("U8", "[0]", "[8,8]") "}   ", 8, NULL},
    {"{\"b\":" ENTRY("U8", "[1]", "[0,1]") ",\"a\":" ENTRY("F64", "[]", "[1,9]") "}", 9, NULL}, /* not aligned */
    {"", 0, "does not start with {"},
    {" {}", 0, "does not start with {"},
    {"{\"a\":}", 0, "test:1: not valid JSON"},
    {"{} x", 0, "not valid JSON"},
    {"{\"a\":" ENTRY("F32", "[2]", "[0,8]") ",\"a\":" ENTRY("F32", "[2]", "[0,8]") "}", 8, "duplicate"},
    {"{\"a\":3}", 0, "tensor \"a\" has dtype missing"},
    {"{\"a\":" ENTRY("BF16", "[4]", "[0,8]") "}", 8, "dtype BF16, not one of"},
    {"{\"a\":" ENTRY("F32", "2", "[0,8]") "}", 8, "tensor \"a\" has no shape"},
    {"{\"a\":" ENTRY("F32", "[1,1,1,1,1,1,1,1,2]", "[0,8]") "}", 8, "at most 8 dimensions"},
    {"{\"a\":" ENTRY("F32", "[1,-2]", "[0,8]") "}", 8, "dimension 1 of tensor \"a\" is not a count"},
    {"{\"a\":" ENTRY("F32", "[2.0]", "[0,8]") "}", 8, "dimension 0 of tensor \"a\" is not a count"},
    {"{\"a\":" ENTRY("F32", "[4611686018427387904,4611686018427387904]", "[0,8]") "}", 8, "larger than any memory"},
    {"{\"a\":" ENTRY("F32", "[99999999999999999999]", "[0,8]") "}", 8, "not valid JSON"},
    {"{\"a\":" ENTRY("F32", "[2]", "[0]") "}", 8, "no pair of data_offsets"},
    {"{\"a\":" ENTRY("F32", "[2]", "[0,8,8]") "}", 8, "no pair of data_offsets"},
    {"{\"a\":" ENTRY("F32", "[2]", "[0,\"8\"]") "}", 8, "no pair of data_offsets"},
    {"{\"a\":" ENTRY("F32", "[2]", "[8,0]") "}", 8, "lies at bytes 8..0, outside the 8 bytes"},
    {"{\"a\":" ENTRY("F32", "[2]", "[-8,0]") "}", 8, "lies at bytes -8..0"},
    {"{\"a\":" ENTRY("F32", "[2]", "[0,8]") "}", 7, "lies at bytes 0..8, outside the 7 bytes"},
    {"{\"a\":" ENTRY("F32", "[3]", "[0,8]") "}", 8, "takes 8 bytes, its shape and dtype need 12"},
    {"{\"a\":" ENTRY("F32", "[1]", "[0,4]") ",\"b\":" ENTRY("F32", "[1]", "[2,6]") "}", 6, "inside another tensor"},
    {"{\"a\":" ENTRY("F32", "[1]", "[0,4]") ",\"b\":" ENTRY("F32", "[1]", "[8,12]") "}", 12,
     "after a gap (expected 4)"},
    {"{\"a\":" ENTRY("F32", "[2]", "[0,8]") "}", 10, "2 bytes follow the last tensor"},
    {"{\"__metadata__\":[]}", 0, "__metadata__ is not an object"},
    {"{\"__metadata__\":{\"epoch\":3}}", 0, "__metadata__ \"epoch\" is not text"},
    {"{\"__metadata__\":{\"xxh3\":\"00\"},\"a\":" ENTRY("F32", "[2]", "[0,8]") "}", 8, "damaged"},
};

static void every_damage_has_its_sentence(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof damaged / sizeof damaged[0]; i++) {
        uint64_t length = strlen(damaged[i].header);
        size_t size = 8 + length + damaged[i].data;
        char *bytes = calloc(size, 1);
        struct l2r_safetensors *file;
        struct l2r_error error = {0};
        memcpy(bytes, &length, 8);
        memcpy(bytes + 8, damaged[i].header, length);
        enum l2r_status status = l2r_safetensors_parse(&file, bytes, size, "test", &error);
        if (damaged[i].words) {
            if (status != L2R_ERR_FORMAT) fail_msg("accepted: %s", damaged[i].header);
            expect_words(&error, damaged[i].words);
            assert_ptr_equal(strstr(error.message, "test:"), error.message);
            assert_null(file);
        } else if (status != L2R_OK) {
            fail_msg("%s: %s", damaged[i].header, error.message);
        }
        l2r_safetensors_free(file);
        free(bytes);
    }
}

static void header_length_is_not_trusted(void **state)
{
    (void)state;
    static const uint64_t lengths[] = {9, 1000, 100000001, UINT64_MAX, UINT64_MAX - 7, (uint64_t)1 << 63};
    struct l2r_safetensors *file;
    struct l2r_error error = {0};
    char bytes[16] = {0};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        memcpy(bytes, &lengths[i], 8);
        assert_int_equal(l2r_safetensors_parse(&file, bytes, sizeof bytes, "test", &error), L2R_ERR_FORMAT);
        expect_words(&error, "is announced, 8 bytes follow");
    }
}

/* 64 GiB that take no place on the disk: zeros, a header that is not what it says, and one that describes them all. No
 * more memory is asked for than the header takes, and the answer comes at once. */
static void large_files_are_refused_by_their_header(void **state)
{
    (void)state;
    static const struct {
        const char *header;
        enum l2r_status status;
        const char *words;
    } files[] = {
        {"", L2R_ERR_FORMAT, "does not start with {"},
        {"{\"a\":" ENTRY("F32", "[2]", "[0,8]") "}", L2R_ERR_FORMAT, "bytes follow the last tensor"},
        {"{\"a\":" ENTRY("U8", "[68719476736]", "[0,68719476736]") "}", L2R_ERR_MEMORY, "out of memory: 68719476736"},
    };
    char folder[TEMPORARY_LENGTH], path[TEMPORARY_LENGTH + 24];
    assert_non_null(temporary_folder(folder));
    snprintf(path, sizeof path, "%s/large.safetensors", folder);
    int fd = open(path, O_RDWR | O_CREAT, 0600);
    assert_true(fd >= 0);
    if ((uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) > (uint64_t)64 << 30) skip();
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        struct l2r_safetensors *file;
        struct l2r_error error = {0};
        uint64_t length = strlen(files[i].header);
        assert_int_equal(pwrite(fd, &length, 8, 0), 8);
        assert_int_equal(pwrite(fd, files[i].header, length, 8), length);
        if (ftruncate(fd, (off_t)(8 + length) + ((off_t)64 << 30)) != 0) skip(); /* a file system without holes */
        l2r_memory_requested();
        assert_int_equal(l2r_safetensors_read(&file, path, &error), files[i].status);
        expect_words(&error, files[i].words);
        assert_true(l2r_memory_requested() < 100000);
    }
    close(fd);
    unlink(path);
}

/* A pipe in the place of a model is refused instead of waited for. */
static void pipes_are_refused(void **state)
{
    (void)state;
    char folder[TEMPORARY_LENGTH], path[TEMPORARY_LENGTH + 8];
    struct l2r_safetensors *file;
    struct l2r_error error = {0};
    assert_non_null(temporary_folder(folder));
    snprintf(path, sizeof path, "%s/pipe", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(l2r_safetensors_read(&file, path, &error), L2R_ERR_IO);
    expect_words(&error, "it is a pipe, a socket or a device; expected a file");
    unlink(path);
    rmdir(folder);
}

/* A file cut anywhere, or with any bit of its data flipped, is noticed. */
static void cuts_and_flips_are_noticed(void **state)
{
    (void)state;
    struct l2r_safetensors *file;
    struct l2r_error error = {0};
    char folder[TEMPORARY_LENGTH], path[TEMPORARY_LENGTH + 24], *content;
    size_t length;
    uint64_t header;
    const float weight[] = {1, 2.5F, -3, 0.125F, 5, 6};
    const uint8_t flags[] = {7, 255, 0};
    const struct l2r_tensor tensors[] = {{"flags", L2R_DTYPE_U8, 1, {3}, flags},
                                         {"w", L2R_DTYPE_F32, 2, {3, 2}, weight}};
    assert_non_null(temporary_folder(folder));
    snprintf(path, sizeof path, "%s/example.safetensors", folder);
    assert_int_equal(l2r_safetensors_write(path, tensors, 2, NULL, 0, &error), L2R_OK);
    assert_int_equal(l2r_file_read(&content, &length, path, 1 << 20, &error), L2R_OK);
    unlink(path);
    rmdir(folder);
    for (size_t cut = 0; cut < length; cut++) {
        char *part = malloc(cut + 1); /* of its own, so that a sanitizer sees a read past the cut */
        memcpy(part, content, cut);
        part = realloc(part, cut ? cut : 1);
        assert_int_equal(l2r_safetensors_parse(&file, part, cut, path, &error), L2R_ERR_FORMAT);
        free(part);
    }
    memcpy(&header, content, 8);
    for (size_t bit = (8 + header) * 8; bit < length * 8; bit++) {
        content[bit / 8] = (char)(content[bit / 8] ^ 1 << bit % 8);
        assert_int_equal(l2r_safetensors_parse(&file, content, length, path, &error), L2R_ERR_FORMAT);
        expect_words(&error, "the data is damaged");
        content[bit / 8] = (char)(content[bit / 8] ^ 1 << bit % 8);
    }
    l2r_free(content);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_damage_has_its_sentence),
        cmocka_unit_test(header_length_is_not_trusted),
        cmocka_unit_test(large_files_are_refused_by_their_header),
        cmocka_unit_test(pipes_are_refused),
        cmocka_unit_test(cuts_and_flips_are_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
