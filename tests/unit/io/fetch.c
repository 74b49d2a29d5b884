/* SPDX-License-Identifier: MIT
 * Fetching against a server in this process that resumes, refuses to, lies, breaks off and falls silent. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "io/download.h"
#include "io/fetch.h"
#include "io/file.h"
#include "support/http_server.h"
#include "support/messages.h"
#include "support/temporary.h"
#include "support/zip_file.h"

#include <dirent.h>

static char folder[TEMPORARY_LENGTH];
static struct l2r_error error;
static struct l2r_fetch_result result;
static struct http_server server;
static char *zip_bytes;
static size_t zip_length;
static char zip_sum[65];

static const char *inside(const char *name)
{
    static char path[4][256];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

/* A small OGB set, stored without compression so that its size is known to be above 20000 bytes. */
static int start(void **state)
{
    (void)state;
    const struct zip_entry entries[] = {{.name = "bace/raw/edge.csv", .content = "0,1\n"},
                                        {.name = "bace/raw/zeros", .zeros = 20000},
                                        {.name = "bace/split/scaffold/train.csv", .content = "0\n"},
                                        {0}};
    if (!temporary_folder(folder) || zip_write(inside("source.zip"), entries, true) != 0) return -1;
    if (l2r_file_read(&zip_bytes, &zip_length, inside("source.zip"), 1 << 20, &error) != L2R_OK) return -1;
    if (l2r_file_sha256(zip_sum, inside("source.zip"), &error) != L2R_OK) return -1;
    unlink(inside("source.zip"));
    return http_server_start(&server, zip_bytes, zip_length);
}

static int stop(void **state)
{
    (void)state;
    http_server_stop(&server);
    l2r_free(zip_bytes);
    l2r_remove_tree(folder);
    return 0;
}

static enum l2r_status fetch(const char *name, const char *sum)
{
    const struct l2r_fetch_request request = {
        .name = name, .out_dir = folder, .base_url = server.url, .sha256 = sum, .stall_seconds = 1};
    error.message[0] = '\0';
    return l2r_fetch(&result, &request, &error);
}

static int files_in_folder(void)
{
    int n = 0;
    DIR *dir = opendir(folder);
    for (const struct dirent *entry; (entry = readdir(dir));) n += entry->d_name[0] != '.';
    closedir(dir);
    return n;
}

static void assert_same_zip(const char *path)
{
    char *found;
    size_t length;
    assert_int_equal(l2r_file_read(&found, &length, path, 1 << 20, &error), L2R_OK);
    assert_int_equal(length, zip_length);
    assert_memory_equal(found, zip_bytes, length);
    l2r_free(found);
}

static void keeps_tu_sets_zipped(void **state)
{
    (void)state;
    assert_int_equal(fetch("enzymes", NULL), L2R_OK); /* known sets: case does not matter */
    assert_string_equal(http_server_seen(&server).last_path, "/sets/ENZYMES.zip");
    assert_string_equal(result.path, inside("ENZYMES.zip"));
    assert_string_equal(result.sha256, zip_sum);
    assert_false(result.compared);
    assert_false(result.already_there);
    assert_same_zip(result.path);
    assert_int_equal(files_in_folder(), 1);
    assert_int_equal(fetch("ENZYMES", zip_sum), L2R_OK);
    assert_true(result.already_there && result.compared);
    assert_int_equal(http_server_seen(&server).n_requests, 1);
}

static void unpacks_ogb_sets(void **state)
{
    (void)state;
    assert_int_equal(fetch("ogbg-molbace", zip_sum), L2R_OK);
    assert_string_equal(http_server_seen(&server).last_path, "/sets/bace.zip");
    assert_string_equal(result.path, inside("bace"));
    assert_true(l2r_path_is_file(inside("bace/raw/edge.csv")));
    assert_true(l2r_path_is_file(inside("bace/split/scaffold/train.csv")));
    assert_int_equal(files_in_folder(), 1); /* no zip, no temporary */
    assert_int_equal(fetch("bace", NULL), L2R_OK);
    assert_true(result.already_there);
    assert_int_equal(fetch("bace", zip_sum), L2R_ERR_ARGUMENT);
    assert_non_null(strstr(error.message, "cannot be checked"));
}

static void refuses_the_wrong_ogb_archive(void **state)
{
    (void)state;
    assert_int_equal(fetch("hiv", NULL), L2R_ERR_FORMAT);
    assert_non_null(strstr(error.message, "holds no folder hiv/raw"));
    assert_int_equal(files_in_folder(), 0);
}

static void resumes(void **state)
{
    (void)state;
    assert_int_equal(l2r_file_write(inside("MUTAG.zip.part"), zip_bytes, 7000, &error), L2R_OK);
    assert_int_equal(fetch("MUTAG", zip_sum), L2R_OK);
    assert_int_equal(http_server_seen(&server).last_range, 7000);
    assert_int_equal(http_server_seen(&server).n_requests, 1);
    assert_same_zip(inside("MUTAG.zip"));
}

static void recognises_a_part_that_is_whole(void **state)
{
    (void)state;
    assert_int_equal(l2r_file_write(inside("MUTAG.zip.part"), zip_bytes, zip_length, &error), L2R_OK);
    assert_int_equal(fetch("MUTAG", NULL), L2R_OK);
    assert_int_equal(http_server_seen(&server).n_requests, 1);
    assert_same_zip(inside("MUTAG.zip"));
}

static void starts_over_when_ranges_are_ignored(void **state)
{
    (void)state;
    static const enum http_behaviour ways[] = {HTTP_NO_RANGE, HTTP_WRONG_RANGE};
    for (int i = 0; i < 2; i++) {
        http_server_behave(&server, ways[i], 0);
        assert_int_equal(l2r_file_write(inside("MUTAG.zip.part"), "old bytes of another file", 25, &error), L2R_OK);
        assert_int_equal(fetch("MUTAG", NULL), L2R_OK);
        assert_int_equal(http_server_seen(&server).n_requests, 1 + i);
        assert_same_zip(inside("MUTAG.zip"));
        unlink(inside("MUTAG.zip"));
    }
}

/* The part is longer than the file (416), or of another version of it: the glued file fails its check. */
static void starts_over_when_the_part_is_foreign(void **state)
{
    (void)state;
    char *foreign = l2r_alloc(2 * zip_length, 1);
    const size_t sizes[] = {2 * zip_length, 9000};
    for (int i = 0; i < 2; i++) {
        http_server_behave(&server, HTTP_GOOD, 0);
        assert_int_equal(l2r_file_write(inside("MUTAG.zip.part"), foreign, sizes[i], &error), L2R_OK);
        assert_int_equal(fetch("MUTAG", NULL), L2R_OK);
        assert_int_equal(http_server_seen(&server).n_requests, 2);
        assert_int_equal(http_server_seen(&server).last_range, -1);
        assert_same_zip(inside("MUTAG.zip"));
        unlink(inside("MUTAG.zip"));
    }
    l2r_free(foreign);
}

static void goes_on_after_a_break(void **state)
{
    (void)state;
    http_server_behave(&server, HTTP_TRUNCATE_ONCE, 5000);
    assert_int_equal(fetch("MUTAG", NULL), L2R_OK);
    assert_int_equal(http_server_seen(&server).n_requests, 2);
    assert_int_equal(http_server_seen(&server).last_range, 5000);
    assert_same_zip(inside("MUTAG.zip"));
}

static void gives_up_and_keeps_the_part(void **state)
{
    (void)state;
    http_server_behave(&server, HTTP_TRUNCATE, 1000);
    assert_int_equal(fetch("MUTAG", NULL), L2R_ERR_NETWORK);
    assert_int_equal(http_server_seen(&server).n_requests, 4);
    assert_non_null(strstr(error.message, "4000 bytes are kept"));
    assert_false(l2r_path_is_file(inside("MUTAG.zip")));
    http_server_behave(&server, HTTP_TRUNCATE, 0);
    assert_int_equal(fetch("MUTAG", NULL), L2R_ERR_NETWORK);
    assert_int_equal(http_server_seen(&server).n_requests, 1); /* no byte came: not tried again */
    http_server_behave(&server, HTTP_GOOD, 0);
    assert_int_equal(fetch("MUTAG", NULL), L2R_OK);
    assert_int_equal(http_server_seen(&server).last_range, 4000);
    assert_same_zip(inside("MUTAG.zip"));
}

static void notices_silence(void **state)
{
    (void)state;
    http_server_behave(&server, HTTP_STALL, 0);
    assert_int_equal(fetch("MUTAG", NULL), L2R_ERR_NETWORK);
    expect_message(error.message, "nothing arrived for 1 s");
    assert_int_equal(files_in_folder(), 0);
    http_server_behave(&server, HTTP_STALL, zip_length - 10);
    assert_int_equal(l2r_file_write(inside("MUTAG.zip.part"), zip_bytes, 5, &error), L2R_OK);
    assert_int_equal(fetch("MUTAG", NULL), L2R_OK); /* silent once, then there are fewer bytes left than the limit */
    assert_int_equal(http_server_seen(&server).n_requests, 2);
}

/* A byte now and then is as good as silence; what came is kept. */
static void does_not_wait_for_a_crawl(void **state)
{
    (void)state;
    struct l2r_fetch_request request = {
        .name = "MUTAG", .out_dir = folder, .base_url = server.url, .stall_seconds = 1, .max_seconds = 60};
    http_server_behave(&server, HTTP_CRAWL, 0);
    assert_int_equal(l2r_fetch(&result, &request, &error), L2R_ERR_NETWORK);
    expect_message(error.message, "less than 1000 bytes a second arrived for 1 s");
    assert_non_null(strstr(error.message, "bytes are kept"));
    assert_int_equal(http_server_seen(&server).n_requests, 4);
    request.stall_seconds = 100;
    request.max_seconds = 1;
    http_server_behave(&server, HTTP_CRAWL, 0);
    assert_int_equal(l2r_fetch(&result, &request, &error), L2R_ERR_NETWORK);
    expect_message(error.message, "not complete after 1 s");
    assert_int_equal(http_server_seen(&server).n_requests, 1);
}

static void shows_no_password(void **state)
{
    (void)state;
    static const enum http_behaviour ways[] = {HTTP_NOT_FOUND, HTTP_BROKEN, HTTP_TO_FILE, HTTP_TRUNCATE};
    static const char *const secrets[] = {"ann:tr0uble@", "ann:tr0uble@tr0uble@", "tr0uble@"};
    for (size_t i = 0; i < 12; i++) {
        char url[512];
        snprintf(url, sizeof url, "http://%s%s", secrets[i % 3], server.url + strlen("http://"));
        const struct l2r_fetch_request request = {
            .name = i % 2 ? "MUTAG" : "NOSUCHSET", .out_dir = folder, .base_url = url};
        http_server_behave(&server, ways[i / 3], 0);
        assert_int_equal(l2r_fetch(&result, &request, &error), L2R_ERR_NETWORK);
        assert_null(strstr(error.message, "tr0uble"));
        assert_non_null(strstr(error.message, "http://…@127.0.0.1:"));
    }
}

static void explains_http_errors(void **state)
{
    (void)state;
    http_server_behave(&server, HTTP_NOT_FOUND, 0);
    assert_int_equal(l2r_file_write(inside("MUTAG.zip.part"), zip_bytes, 9000, &error), L2R_OK);
    assert_int_equal(fetch("MUTAG", NULL), L2R_ERR_NETWORK);
    expect_message(error.message, "/sets/MUTAG.zip: the server answered HTTP 404: there is no such file");
    assert_int_equal(fetch("NOSUCHSET", NULL), L2R_ERR_NETWORK);
    expect_message(error.message, "NOSUCHSET is not in the list of known data sets");
    assert_int_equal(files_in_folder(), 1); /* the good part of MUTAG, nothing of NOSUCHSET */
    http_server_behave(&server, HTTP_BROKEN, 0);
    assert_int_equal(fetch("MUTAG", NULL), L2R_ERR_NETWORK);
    assert_non_null(strstr(error.message, "HTTP 500"));
    http_server_behave(&server, HTTP_TO_FILE, 0);
    assert_int_equal(fetch("DD", NULL), L2R_ERR_NETWORK);
    http_server_behave(&server, HTTP_GOOD, 0);
    assert_int_equal(fetch("MUTAG", NULL), L2R_OK); /* error pages never reached the part */
    assert_int_equal(http_server_seen(&server).last_range, 9000);
}

/* Whether the server tells the size beforehand or not; nothing of it stays. */
static void refuses_what_is_too_large(void **state)
{
    (void)state;
    struct l2r_download_end end;
    char url[128];
    snprintf(url, sizeof url, "%s/a.zip", server.url);
    struct l2r_download download = {.url = url, .path = inside("a.part"), .max_bytes = 10000, .stall_seconds = 5};
    for (int known = 0; known < 2; known++) {
        http_server_behave(&server, known ? HTTP_GOOD : HTTP_NO_LENGTH, 0);
        assert_int_equal(l2r_download(&end, &download, &error), L2R_ERR_NETWORK);
        expect_message(error.message, "/a.zip: the file is larger than 10000 bytes, the limit here");
        assert_int_equal(files_in_folder(), 0);
    }
    download.max_bytes = (int64_t)zip_length;
    assert_int_equal(l2r_download(&end, &download, &error), L2R_OK);
    assert_int_equal(end.http, 200);
    assert_same_zip(inside("a.part"));
}

static void compares_the_sum(void **state)
{
    (void)state;
    char other[65];
    memset(other, 'a', 64);
    other[64] = '\0';
    assert_int_equal(fetch("MUTAG", other), L2R_ERR_FORMAT);
    assert_non_null(strstr(error.message, zip_sum));
    assert_non_null(strstr(error.message, other));
    assert_int_equal(files_in_folder(), 0);
    for (char *c = zip_sum; *c; c++)
        if (*c >= 'a') *c = (char)(*c - 32);
    assert_int_equal(fetch("MUTAG", zip_sum), L2R_OK);       /* upper case is fine */
    assert_int_equal(fetch("MUTAG", other), L2R_ERR_FORMAT); /* an existing file is compared too */
    assert_true(l2r_path_is_file(inside("MUTAG.zip")));
    assert_int_equal(fetch("MUTAG", "12345"), L2R_ERR_ARGUMENT);
    assert_non_null(strstr(error.message, "64 hexadecimal digits"));
}

/* A set whose checksum is known is compared with it without being asked; --sha256 is the way out. */
static void recognises_published_sums(void **state)
{
    (void)state;
    assert_int_equal(fetch("proteins", NULL), L2R_ERR_FORMAT);
    assert_non_null(strstr(error.message, "but fe9d19741637486e"));
    expect_message(error.message, "the one of the set as published");
    assert_int_equal(files_in_folder(), 0);
    assert_int_equal(fetch("proteins", zip_sum), L2R_OK);
    assert_true(result.compared);
}

static void reads_a_file_of_sums(void **state)
{
    (void)state;
    char sums[400];
    struct l2r_fetch_request request = {.name = "MUTAG", .out_dir = folder, .base_url = server.url};
    request.sums = inside("SHA256SUMS");
    snprintf(sums, sizeof sums, "# mine\n\n%064d  NCI1.zip\n%s *MUTAG.zip\nnonsense after what was found\n", 7,
             zip_sum);
    assert_int_equal(l2r_file_write(request.sums, sums, strlen(sums), &error), L2R_OK);
    assert_int_equal(l2r_fetch(&result, &request, &error), L2R_OK);
    assert_true(result.compared);
    request.name = "NCI1";
    assert_int_equal(l2r_fetch(&result, &request, &error), L2R_ERR_FORMAT);
    assert_non_null(strstr(error.message, "0007 was expected"));
    request.name = "DD";
    assert_int_equal(l2r_fetch(&result, &request, &error), L2R_ERR_FORMAT);
    expect_message(error.message, "SHA256SUMS:5: expected 64 hexadecimal digits and a file name");
}

/* TU sets stay zips: an entry that would climb out of a folder must not wait in one for whoever unpacks it. */
static void refuses_entries_that_climb(void **state)
{
    (void)state;
    const struct zip_entry entries[] = {
        {.name = "MUTAG/MUTAG_A.txt", .content = "1, 2\n"}, {.name = "MUTAG/../../.bashrc", .content = "echo\n"}, {0}};
    char *bytes;
    size_t length;
    assert_int_equal(zip_write(inside("climb"), entries, true), 0);
    assert_int_equal(l2r_file_read(&bytes, &length, inside("climb"), 1 << 20, &error), L2R_OK);
    unlink(inside("climb"));
    server.body = bytes; /* no request is under way */
    http_server_shorten(&server, length);
    assert_int_equal(fetch("MUTAG", NULL), L2R_ERR_FORMAT);
    expect_message(error.message, "climbs out of the folder");
    assert_int_equal(files_in_folder(), 0);
    l2r_free(bytes);
}

static void refuses_bad_names(void **state)
{
    (void)state;
    static const char *const names[] = {"", "../x", "a/b", ".hidden", "a b", "x?y", "ogbg-ppa"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) assert_int_equal(fetch(names[i], NULL), L2R_ERR_ARGUMENT);
    assert_int_equal(http_server_seen(&server).n_requests, 0);
}

static void refuses_a_page_instead_of_a_zip(void **state)
{
    (void)state;
    http_server_shorten(&server, 100); /* the first hundred bytes are no archive */
    assert_int_equal(fetch("MUTAG", NULL), L2R_ERR_FORMAT);
    assert_non_null(strstr(error.message, "not a zip archive"));
    assert_int_equal(files_in_folder(), 0);
}

struct watch {
    int64_t last, total, stop_at;
    bool fell;
};

static bool watch_progress(void *context, const char *step, int64_t done, int64_t total)
{
    struct watch *watch = context;
    if (strcmp(step, "download") != 0) return true;
    watch->fell |= done < watch->last;
    watch->last = done;
    if (total > 0) watch->total = total;
    return done < watch->stop_at;
}

static void reports_progress_and_stops(void **state)
{
    (void)state;
    struct watch watch = {.stop_at = 6000};
    struct l2r_fetch_request request = {
        .name = "MUTAG", .out_dir = folder, .base_url = server.url, .progress = watch_progress, .context = &watch};
    assert_int_equal(l2r_file_write(inside("MUTAG.zip.part"), zip_bytes, 6000, &error), L2R_OK);
    assert_int_equal(l2r_fetch(&result, &request, &error), L2R_ERR_INTERRUPTED);
    assert_true(l2r_path_is_file(inside("MUTAG.zip.part")));
    watch = (struct watch){.stop_at = INT64_MAX};
    assert_int_equal(l2r_fetch(&result, &request, &error), L2R_OK);
    assert_false(watch.fell);
    assert_int_equal(watch.last, zip_length);
    assert_int_equal(watch.total, zip_length);
}

static void names_a_server_that_is_not_there(void **state)
{
    (void)state;
    const struct l2r_fetch_request request = {.name = "DD", .out_dir = folder, .base_url = "http://127.0.0.1:1/x/"};
    assert_int_equal(l2r_fetch(&result, &request, &error), L2R_ERR_NETWORK);
    assert_non_null(strstr(error.message, "http://127.0.0.1:1/x/DD.zip: the download failed"));
    assert_int_equal(files_in_folder(), 0);
}

#define SERVED(test) cmocka_unit_test_setup_teardown(test, start, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SERVED(keeps_tu_sets_zipped),
        SERVED(unpacks_ogb_sets),
        SERVED(refuses_the_wrong_ogb_archive),
        SERVED(resumes),
        SERVED(recognises_a_part_that_is_whole),
        SERVED(starts_over_when_ranges_are_ignored),
        SERVED(starts_over_when_the_part_is_foreign),
        SERVED(goes_on_after_a_break),
        SERVED(gives_up_and_keeps_the_part),
        SERVED(notices_silence),
        SERVED(does_not_wait_for_a_crawl),
        SERVED(shows_no_password),
        SERVED(explains_http_errors),
        SERVED(refuses_what_is_too_large),
        SERVED(compares_the_sum),
        SERVED(recognises_published_sums),
        SERVED(reads_a_file_of_sums),
        SERVED(refuses_entries_that_climb),
        SERVED(refuses_bad_names),
        SERVED(refuses_a_page_instead_of_a_zip),
        SERVED(reports_progress_and_stops),
        SERVED(names_a_server_that_is_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
