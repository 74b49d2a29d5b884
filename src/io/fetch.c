/* SPDX-License-Identifier: MIT
 *
 * See fetch.h. The steps of a download, each visible on disk only when the one before it is complete:
 *
 *     OUT/hiv.zip.part   download, resumed when it exists; SHA-256 if one is known; every entry's name and CRC
 *     OUT/hiv.zip        by rename: the end for TU sets
 *     OUT/hiv.tmp-<pid>  OGB: unpacked
 *     OUT/hiv            by rename; hiv.zip is removed
 *
 * A resumed download whose check fails was probably glued together from two versions of the file: it is fetched once
 * more from the start before an error is returned.
 */
#include "io/fetch.h"

#include "base/memory.h"
#include "base/system.h"
#include "io/file.h"
#include "io/staging.h"
#include "io/unpack.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static const char *const tu_url = "https://www.chrsmrrs.com/graphkerneldatasets";
static const char *const ogb_url = "https://snap.stanford.edu/ogb/data/graphproppred/csv_mol_download";
static const int64_t max_download = INT64_C(16) << 30;
enum { STALL_SECONDS = 30, MOST_SECONDS = 12 * 3600, LONGEST_SUMS = 1 << 20 };

const struct l2r_known_set l2r_known_sets[] = {
    {"PROTEINS", L2R_FETCH_TU, "PROTEINS", "1113 proteins, 2 classes",
     "fe9d19741637486ea1fd285bf669fce0b117e10b03cdd379f6a5e6197fc830ae"},
    {"DD", L2R_FETCH_TU, "DD", "1178 proteins, 2 classes", NULL},
    {"COLLAB", L2R_FETCH_TU, "COLLAB", "5000 collaboration networks, 3 classes", NULL},
    {"MUTAG", L2R_FETCH_TU, "MUTAG", "188 molecules, 2 classes", NULL},
    {"NCI1", L2R_FETCH_TU, "NCI1", "4110 molecules, 2 classes", NULL},
    {"ENZYMES", L2R_FETCH_TU, "ENZYMES", "600 proteins, 6 classes", NULL},
    {"IMDB-BINARY", L2R_FETCH_TU, "IMDB-BINARY", "1000 actor networks, 2 classes", NULL},
    {"REDDIT-BINARY", L2R_FETCH_TU, "REDDIT-BINARY", "2000 discussion threads, 2 classes", NULL},
    {"ogbg-molhiv", L2R_FETCH_OGB, "hiv", "41127 molecules, 1 task", NULL},
    {"ogbg-molbace", L2R_FETCH_OGB, "bace", "1513 molecules, 1 task", NULL},
    {"ogbg-molbbbp", L2R_FETCH_OGB, "bbbp", "2039 molecules, 1 task", NULL},
    {"ogbg-moltox21", L2R_FETCH_OGB, "tox21", "7831 molecules, 12 tasks", NULL},
    {"ogbg-molclintox", L2R_FETCH_OGB, "clintox", "1477 molecules, 2 tasks", NULL},
    {"ogbg-molesol", L2R_FETCH_OGB, "esol", "1128 molecules, regression", NULL},
    {"ogbg-molfreesolv", L2R_FETCH_OGB, "freesolv", "642 molecules, regression", NULL},
    {"ogbg-mollipo", L2R_FETCH_OGB, "lipophilicity", "4200 molecules, regression", NULL},
    {"ogbg-molsider", L2R_FETCH_OGB, "sider", "1427 molecules, 27 tasks", NULL},
    {"ogbg-moltoxcast", L2R_FETCH_OGB, "toxcast", "8576 molecules, 617 tasks", NULL},
    {"ogbg-molmuv", L2R_FETCH_OGB, "muv", "93087 molecules, 17 tasks", NULL},
    {"ogbg-molpcba", L2R_FETCH_OGB, "pcba", "437929 molecules, 128 tasks", NULL},
    {0}};

struct fetch {
    const struct l2r_fetch_request *request;
    struct l2r_known_set set;
    bool known;
    const char *expected; /* SHA-256; NULL: none is known */
    char listed[65];      /* the one in the file of sums */
    char url[2048], shown[2100];
    char zip[4096], part[4096], folder[4096];
};

/* Names reach URLs and paths: letters, digits and - _ . only, not at the start a dot. */
static bool is_plain_name(const char *name)
{
    if (name[0] == '\0' || name[0] == '.' || strlen(name) > 100) return false;
    for (const char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("-_.", *c)) return false;
    return true;
}

static enum l2r_status find_set(struct fetch *f, struct l2r_error *error)
{
    const char *name = f->request->name;
    for (const struct l2r_known_set *set = l2r_known_sets; set->name; set++)
        if (strcasecmp(name, set->name) == 0 || strcasecmp(name, set->file) == 0) {
            f->set = *set;
            f->known = true;
            return L2R_OK;
        }
    if (!is_plain_name(name))
        return l2r_fail(error, L2R_ERR_ARGUMENT,
                        "\"%.100s\" cannot be the name of a data set: expected letters, digits, '-', '_' and '.'",
                        name);
    if (strncmp(name, "ogbg-", 5) == 0)
        return l2r_fail(error, L2R_ERR_ARGUMENT,
                        "%s is not one of the OGB molecule sets (ogbg-molhiv, ogbg-molbace, …) that can be fetched",
                        name);
    f->set = (struct l2r_known_set){name, L2R_FETCH_TU, name, "not in the list", NULL};
    return L2R_OK;
}

/* "https://user:secret@host/x" becomes "https://…@host/x": a password never reaches a message. */
static void show_url(char *out, size_t size, const char *url)
{
    const char *scheme = strstr(url, "://"), *at = strrchr(url, '@');
    size_t length = scheme ? (size_t)(scheme - url) + 3 : 0;
    bool secret = at && at >= url + length;
    snprintf(out, size, "%.*s%s%s", (int)length, url, secret ? "…" : "", secret ? at : url + length);
}

static enum l2r_status name_paths(struct fetch *f, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_fetch_request *request = f->request;
    const char *base = request->base_url ? request->base_url : f->set.kind == L2R_FETCH_TU ? tu_url : ogb_url;
    char file[128];
    size_t length = strlen(base);
    while (length > 0 && base[length - 1] == '/') length--;
    if (length > 1800) L2R_FAIL(L2R_ERR_ARGUMENT, "the base URL has %zu bytes, at most 1800 are accepted", length);
    snprintf(f->url, sizeof f->url, "%.*s/%s.zip", (int)length, base, f->set.file);
    show_url(f->shown, sizeof f->shown, f->url);
    snprintf(file, sizeof file, "%s.zip", f->set.file);
    L2R_TRY(l2r_path_join(f->zip, sizeof f->zip, request->out_dir, file, error));
    snprintf(file, sizeof file, "%s.zip.part", f->set.file);
    L2R_TRY(l2r_path_join(f->part, sizeof f->part, request->out_dir, file, error));
    L2R_TRY(l2r_path_join(f->folder, sizeof f->folder, request->out_dir, f->set.file, error));
done:
    return status;
}

/* The line "HEX  FILE.zip" of a file of sums ("HEX *FILE.zip" for binary files, as sha256sum writes it too). A file
 * that does not mention the set says nothing about it. */
static enum l2r_status find_listed(struct fetch *f, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char *text = NULL, *rest, wanted[128];
    const char *path = f->request->sums;
    size_t length;
    int number = 0;
    snprintf(wanted, sizeof wanted, "%s.zip", f->set.file);
    L2R_TRY(l2r_file_read(&text, &length, path, LONGEST_SUMS, error));
    rest = text;
    for (char *line; (line = strsep(&rest, "\n")) && !f->expected;) {
        char sum[66], name[128];
        number++;
        if (line[strspn(line, " \t\r")] == '\0' || line[0] == '#') continue;
        if (sscanf(line, "%65s %127s", sum, name) != 2 || !l2r_is_sha256(sum))
            L2R_FAIL(L2R_ERR_FORMAT, "%.400s:%d: expected 64 hexadecimal digits and a file name, as sha256sum writes",
                     path, number);
        if (strcmp(name + (name[0] == '*'), wanted) != 0) continue;
        snprintf(f->listed, sizeof f->listed, "%.64s", sum);
        f->expected = f->listed;
    }
done:
    l2r_free(text);
    return status;
}

static enum l2r_status find_expected(struct fetch *f, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const char *given = f->request->sha256;
    if (given && !l2r_is_sha256(given))
        L2R_FAIL(L2R_ERR_ARGUMENT, "\"%.80s\" is not a SHA-256; expected 64 hexadecimal digits", given);
    f->expected = given;
    if (!f->expected && f->request->sums) L2R_TRY(find_listed(f, error));
    if (!f->expected) f->expected = f->set.sha256;
done:
    return status;
}

static enum l2r_status check_sum(struct l2r_fetch_result *result, const struct fetch *f, const char *path,
                                 struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_TRY(l2r_file_sha256(result->sha256, path, error));
    result->compared = f->expected != NULL;
    if (f->expected && strcasecmp(result->sha256, f->expected) != 0)
        L2R_FAIL(L2R_ERR_FORMAT, "%.400s: the SHA-256 is %s, but %s was expected%s", path, result->sha256, f->expected,
                 f->expected == f->set.sha256 ? " (the one of the set as published; `sha256` names another)" : "");
done:
    return status;
}

static enum l2r_status check_part(struct l2r_fetch_result *result, const struct fetch *f, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_unpack check = {.archive = f->part,
                                     .limits = &l2r_archive_defaults,
                                     .progress = f->request->progress,
                                     .context = f->request->context};
    L2R_TRY(check_sum(result, f, f->part, error));
    L2R_TRY(l2r_unpack(&check, error));
done:
    return status;
}

/* A hint for the server's "there is no such file". */
static enum l2r_status fail_missing(const struct fetch *f, struct l2r_error *error)
{
    return l2r_fail(
        error, L2R_ERR_NETWORK,
        "%s is not in the list of known data sets, and there is no TU set of that name either (%.600s: HTTP 404)",
        f->set.name, f->shown);
}

static enum l2r_status download_zip(struct l2r_fetch_result *result, const struct fetch *f, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int stall = f->request->stall_seconds, most = f->request->max_seconds;
    const struct l2r_download download = {.url = f->url,
                                          .shown = f->shown,
                                          .path = f->part,
                                          .max_bytes = max_download,
                                          .stall_seconds = stall > 0 ? stall : STALL_SECONDS,
                                          .max_seconds = most > 0 ? most : MOST_SECONDS,
                                          .progress = f->request->progress,
                                          .context = f->request->context};
    struct l2r_download_end end;
    do {
        status = l2r_download(&end, &download, error);
        if (status == L2R_ERR_NETWORK && end.http == 404 && !f->known) status = fail_missing(f, error);
        if (status != L2R_OK) goto done;
        status = check_part(result, f, error);
        if (status == L2R_ERR_FORMAT) unlink(f->part); /* resuming a file that is wrong would never end */
    } while (status == L2R_ERR_FORMAT && end.resumed);
    if (status == L2R_OK && l2r_sys_rename(f->part, f->zip) != 0)
        L2R_FAIL(L2R_ERR_IO, "%s: cannot be moved into place: %s", f->zip, strerror(errno));
done:
    return status;
}

static enum l2r_status unpack_ogb(const struct fetch *f, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_staging staging = {0};
    char raw[4500];
    L2R_TRY(l2r_staging_open(&staging, f->folder, error));
    const struct l2r_unpack job = {.archive = f->zip,
                                   .folder = staging.folder,
                                   .limits = &l2r_archive_defaults,
                                   .progress = f->request->progress,
                                   .context = f->request->context};
    L2R_TRY(l2r_unpack(&job, error));
    snprintf(raw, sizeof raw, "%s/%s/raw", staging.folder, f->set.file);
    if (!l2r_path_is_dir(raw))
        L2R_FAIL(L2R_ERR_FORMAT, "%s: holds no folder %s/raw, so it is not an OGB molecule set", f->zip, f->set.file);
done:
    status = l2r_staging_close(&staging, f->set.file, status, error);
    /* Kept only when another attempt can do better: a full disk, an interruption. */
    if (status == L2R_OK || status == L2R_ERR_FORMAT) unlink(f->zip);
    return status;
}

static enum l2r_status fetch_ogb(struct l2r_fetch_result *result, const struct fetch *f, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    result->already_there = l2r_path_is_occupied(f->folder);
    if (result->already_there && f->request->sha256)
        L2R_FAIL(L2R_ERR_ARGUMENT,
                 "%s already exists and its zip is gone, so its SHA-256 cannot be checked; remove it first", f->folder);
    if (result->already_there) goto done;
    if (l2r_path_is_file(f->zip))
        L2R_TRY(check_sum(result, f, f->zip, error));
    else
        L2R_TRY(download_zip(result, f, error));
    L2R_TRY(unpack_ogb(f, error));
done:
    return status;
}

enum l2r_status l2r_fetch(struct l2r_fetch_result *result, const struct l2r_fetch_request *request,
                          struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct fetch f = {.request = request};
    *result = (struct l2r_fetch_result){0};
    L2R_TRY(find_set(&f, error));
    L2R_TRY(find_expected(&f, error));
    L2R_TRY(name_paths(&f, error));
    L2R_TRY(l2r_make_dirs(request->out_dir, error));
    if (f.set.kind == L2R_FETCH_OGB) {
        L2R_TRY(fetch_ogb(result, &f, error));
    } else if (l2r_path_is_file(f.zip)) {
        result->already_there = true;
        L2R_TRY(check_sum(result, &f, f.zip, error));
    } else {
        L2R_TRY(download_zip(result, &f, error));
    }
    snprintf(result->path, sizeof result->path, "%s", f.set.kind == L2R_FETCH_OGB ? f.folder : f.zip);
done:
    return status;
}
