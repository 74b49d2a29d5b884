/* SPDX-License-Identifier: MIT
 *
 * Event files, decoded by a parser of its own that knows only the published formats: record framing, protocol-buffer
 * wire types, and a checksum computed bit by bit.
 */
#include "store/events.h"

#include "base/memory.h"
#include "io/file.h"
#include "support/folder.h"
#include "support/messages.h"

#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

struct point {
    double time;
    int64_t step;
    char version[32], tag[600];
    float value;
};

enum { MOST = 32 };

static uint32_t slow_masked_crc(const uint8_t *bytes, size_t length)
{
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < length; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++) crc = crc & 1 ? crc >> 1 ^ 0x82f63b78U : crc >> 1;
    }
    crc = ~crc;
    return (crc >> 15 | crc << 17) + 0xa282ead8U;
}

static uint64_t varint(const uint8_t **at)
{
    uint64_t value = 0;
    int shift = 0;
    do value |= (uint64_t)(**at & 127) << shift, shift += 7;
    while (*(*at)++ & 128);
    return value;
}

/* Walks a message; fields by path: Event 1, 2, 3, 5 → Summary 1 → Value 1, 2. */
static void decode(struct point *p, const uint8_t *at, const uint8_t *end, int level)
{
    while (at < end) {
        uint64_t key = varint(&at), field = key >> 3;
        size_t length = key % 8 == 1 ? 8 : key % 8 == 5 ? 4 : key % 8 == 2 ? varint(&at) : 0;
        assert_true(length <= (size_t)(end - at));
        if (level == 0 && key == 9)
            memcpy(&p->time, at, 8);
        else if (level == 0 && key == 16)
            p->step = (int64_t)varint(&at);
        else if (level == 0 && key == 26)
            memcpy(p->version, at, length);
        else if ((level == 0 && key == 42) || (level == 1 && key == 10))
            decode(p, at, at + length, level + 1);
        else if (level == 2 && key == 10)
            memcpy(p->tag, at, length);
        else if (level == 2 && key == 21)
            memcpy(&p->value, at, 4);
        else
            fail_msg("unexpected field %d at level %d", (int)field, level);
        at += length;
    }
    assert_ptr_equal(at, end);
}

static size_t decode_file(struct point points[MOST], const char *path)
{
    char *content;
    size_t size, n = 0;
    assert_int_equal(l2r_file_read(&content, &size, path, 1 << 20, NULL), L2R_OK);
    for (const uint8_t *at = (uint8_t *)content, *end = at + size; at < end; n++) {
        uint64_t length;
        uint32_t crc;
        assert_true(n < MOST && end - at >= 16);
        memcpy(&length, at, 8);
        memcpy(&crc, at + 8, 4);
        assert_int_equal(crc, slow_masked_crc(at, 8));
        assert_true(length <= (size_t)(end - at) - 16);
        memcpy(&crc, at + 12 + length, 4);
        assert_int_equal(crc, slow_masked_crc(at + 12, length));
        memset(&points[n], 0, sizeof points[n]);
        decode(&points[n], at + 12, at + 12 + length, 0);
        at += length + 16;
    }
    l2r_free(content);
    return n;
}

static void crc_has_the_known_values(void **state)
{
    (void)state;
    const uint8_t zeros[32] = {0};
    uint8_t ones[32], rising[32];
    memset(ones, 255, sizeof ones);
    for (int i = 0; i < 32; i++) rising[i] = (uint8_t)i;
    assert_int_equal(l2r_crc32c("123456789", 9), 0xe3069283);
    assert_int_equal(l2r_crc32c("", 0), 0);
    assert_int_equal(l2r_crc32c(zeros, 32), 0x8a9136aa); /* RFC 3720, B.4 */
    assert_int_equal(l2r_crc32c(ones, 32), 0x62a8ab43);
    assert_int_equal(l2r_crc32c(rising, 32), 0x46dd794e);
    assert_int_equal(l2r_crc32c_masked("123456789", 9), slow_masked_crc((const uint8_t *)"123456789", 9));
}

/* Opens, writes `n` epochs of two curves from `first` on, closes; the file's path goes to `path`. */
static void write_epochs(char path[4096], int64_t first, int64_t n)
{
    struct l2r_events *events;
    struct l2r_error error = {0};
    if (l2r_events_open(&events, folder, "", &error) != L2R_OK) fail_msg("%s", error.message);
    for (int64_t e = first; e < first + n; e++) {
        assert_int_equal(l2r_events_scalar(events, "train/loss", e, 1.0 / (double)e, &error), L2R_OK);
        assert_int_equal(l2r_events_scalar(events, "valid/rocauc", e, 0.5, &error), L2R_OK);
    }
    snprintf(path, 4096, "%s", l2r_events_path(events));
    assert_int_equal(l2r_events_close(events, &error), L2R_OK);
}

static void file_decodes(void **state)
{
    (void)state;
    char path[4096], name[300];
    struct point points[MOST];
    write_epochs(path, 1, 3);
    assert_int_equal(decode_file(points, path), 7);
    assert_string_equal(points[0].version, "brain.Event:2");
    assert_int_equal(points[0].step, 0);
    assert_true(fabs(points[0].time - (double)time(NULL)) < 60);
    assert_string_equal(points[1].tag, "train/loss");
    assert_string_equal(points[6].tag, "valid/rocauc");
    assert_string_equal(points[6].version, "");
    assert_int_equal(points[5].step, 3);
    assert_true(points[5].value == (float)(1.0 / 3));
    assert_true(points[6].time >= points[1].time);
    l2r_path_base(name, sizeof name, path);
    assert_ptr_equal(strstr(name, "events.out.tfevents.1"), name);
    assert_string_equal(name + strlen(name) - 4, ".l2r");
}

static void large_steps_and_odd_values(void **state)
{
    (void)state;
    struct l2r_events *events;
    struct l2r_error error = {0};
    struct point points[MOST];
    char path[4096], tag[514];
    memset(tag, 't', sizeof tag);
    tag[513] = '\0';
    assert_int_equal(l2r_events_open(&events, folder, "", &error), L2R_OK);
    snprintf(path, sizeof path, "%s", l2r_events_path(events));
    assert_int_equal(l2r_events_scalar(events, tag, 1, 0, &error), L2R_ERR_ARGUMENT);
    expect_message(error.message, "513 bytes, at most 512");
    assert_int_equal(l2r_events_scalar(events, tag + 1, 300, (double)NAN, &error), L2R_OK);
    assert_int_equal(l2r_events_scalar(events, "x", INT64_MAX, (double)-INFINITY, &error), L2R_OK);
    assert_int_equal(l2r_events_flush(events, &error), L2R_OK);
    assert_int_equal(decode_file(points, path), 3); /* before the close */
    assert_string_equal(points[1].tag, tag + 1);
    assert_true(isnan(points[1].value) && points[1].step == 300);
    assert_true(isinf(points[2].value) && points[2].step == INT64_MAX);
    assert_int_equal(l2r_events_close(events, &error), L2R_OK);
}

static size_t count_files(void)
{
    size_t n = 0;
    DIR *dir = opendir(folder);
    while (readdir(dir)) n++;
    closedir(dir);
    return n - 2;
}

static void open_and_close(char path[4096], const char *run)
{
    struct l2r_events *events;
    struct l2r_error error = {0};
    if (l2r_events_open(&events, folder, run, &error) != L2R_OK) fail_msg("%s", error.message);
    snprintf(path, 4096, "%s", l2r_events_path(events));
    assert_int_equal(l2r_events_close(events, &error), L2R_OK);
}

/* A run that begins again removes what it had written; files of other runs and programs stay, and are not continued. */
static void only_own_files_are_touched(void **state)
{
    (void)state;
    char first[4096], again[4096], theirs[4096], unknown[4096], foreign[4096];
    snprintf(unknown, sizeof unknown, "%s/events.out.tfevents.0000000001.elsewhere.l2r", folder);
    snprintf(foreign, sizeof foreign, "%s/events.out.tfevents.0000000001.elsewhere", folder);
    l2r_remove_tree(folder);
    assert_int_equal(l2r_make_dirs(folder, NULL), L2R_OK);
    open_and_close(first, "00000000000000aa");
    open_and_close(theirs, "00000000000000bb");
    assert_string_not_equal(first, theirs);
    assert_int_equal(l2r_file_write(unknown, "x", 1, NULL), L2R_OK);
    assert_int_equal(l2r_file_write(foreign, "x", 1, NULL), L2R_OK);
    assert_int_equal(count_files(), 4);
    open_and_close(again, "00000000000000aa");
    assert_int_equal(count_files(), 4);
    unlink(again);
    unlink(theirs);
    unlink(unknown);
    unlink(foreign);
    assert_int_equal(count_files(), 0);
}

/* Nothing is written through a link that lies where an event file should be. */
static void links_are_not_followed(void **state)
{
    (void)state;
    char path[4096], link[4096], target[4096], *content;
    size_t length;
    snprintf(link, sizeof link, "%s/events.out.tfevents.9999999999.host.l2r", folder);
    snprintf(target, sizeof target, "%s/precious", folder);
    assert_int_equal(l2r_file_write(target, "kept", 4, NULL), L2R_OK);
    assert_int_equal(symlink("precious", link), 0);
    open_and_close(path, "00000000000000aa");
    assert_string_not_equal(path, link);
    assert_int_equal(l2r_file_read(&content, &length, target, 100, NULL), L2R_OK);
    assert_string_equal(content, "kept");
    l2r_free(content);
    unlink(link);
    unlink(target);
    unlink(path);
}

static void errors_name_the_folder(void **state)
{
    (void)state;
    struct l2r_events *events;
    struct l2r_error error = {0};
    assert_int_equal(l2r_events_open(&events, "/tmp/l2r-no-such-folder", "", &error), L2R_ERR_IO);
    assert_ptr_equal(strstr(error.message, "/tmp/l2r-no-such-folder: "), error.message);
    assert_null(events);
    l2r_memory_fail_at(0, true);
    assert_int_equal(l2r_events_open(&events, folder, "", &error), L2R_ERR_MEMORY);
    l2r_memory_fail_at(-1, false);
    assert_null(events);
    assert_int_equal(l2r_events_close(NULL, &error), L2R_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crc_has_the_known_values),   cmocka_unit_test(file_decodes),
        cmocka_unit_test(large_steps_and_odd_values), cmocka_unit_test(only_own_files_are_touched),
        cmocka_unit_test(links_are_not_followed),     cmocka_unit_test(errors_name_the_folder),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
