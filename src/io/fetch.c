/* SPDX-License-Identifier: MIT
 *
 * See fetch.h. The way of a data set, each step visible on disk only when the one before it is complete:
 *
 *     OUT/hiv.zip.part   download, resumed when it exists; SHA-256 if the user named one; every entry's CRC
 *     OUT/hiv.zip        by rename: the end for TU sets
 *     OUT/hiv.tmp-<pid>  OGB: unpacked
 *     OUT/hiv            by rename; hiv.zip is removed
 *
 * A resumed download whose check fails was probably glued together from two versions of the file: it is fetched once
 * more from the start before the user hears of it.
 */
#include "io/fetch.h"

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

const struct l2r_known_set l2r_known_sets[] = {
    {"PROTEINS", L2R_FETCH_TU, "PROTEINS", "1113 proteins, 2 classes"},
    {"DD", L2R_FETCH_TU, "DD", "1178 proteins, 2 classes"},
    {"COLLAB", L2R_FETCH_TU, "COLLAB", "5000 collaboration networks, 3 classes"},
    {"MUTAG", L2R_FETCH_TU, "MUTAG", "188 molecules, 2 classes"},
    {"NCI1", L2R_FETCH_TU, "NCI1", "4110 molecules, 2 classes"},
    {"ENZYMES", L2R_FETCH_TU, "ENZYMES", "600 proteins, 6 classes"},
    {"IMDB-BINARY", L2R_FETCH_TU, "IMDB-BINARY", "1000 actor networks, 2 classes"},
    {"REDDIT-BINARY", L2R_FETCH_TU, "REDDIT-BINARY", "2000 discussion threads, 2 classes"},
    {"ogbg-molhiv", L2R_FETCH_OGB, "hiv", "41127 molecules, 1 task"},
    {"ogbg-molbace", L2R_FETCH_OGB, "bace", "1513 molecules, 1 task"},
    {"ogbg-molbbbp", L2R_FETCH_OGB, "bbbp", "2039 molecules, 1 task"},
    {"ogbg-moltox21", L2R_FETCH_OGB, "tox21", "7831 molecules, 12 tasks"},
    {"ogbg-molclintox", L2R_FETCH_OGB, "clintox", "1477 molecules, 2 tasks"},
    {"ogbg-molesol", L2R_FETCH_OGB, "esol", "1128 molecules, regression"},
    {"ogbg-molfreesolv", L2R_FETCH_OGB, "freesolv", "642 molecules, regression"},
    {"ogbg-mollipo", L2R_FETCH_OGB, "lipophilicity", "4200 molecules, regression"},
    {"ogbg-molsider", L2R_FETCH_OGB, "sider", "1427 molecules, 27 tasks"},
    {"ogbg-moltoxcast", L2R_FETCH_OGB, "toxcast", "8576 molecules, 617 tasks"},
    {"ogbg-molmuv", L2R_FETCH_OGB, "muv", "93087 molecules, 17 tasks"},
    {"ogbg-molpcba", L2R_FETCH_OGB, "pcba", "437929 molecules, 128 tasks"},
    {0}};

struct fetch {
    const struct l2r_fetch_request *request;
    struct l2r_known_set set;
    bool known;
    char url[2048];
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
    f->set = (struct l2r_known_set){name, L2R_FETCH_TU, name, "not in the list"};
    return L2R_OK;
}

static enum l2r_status name_paths(struct fetch *f, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_fetch_request *request = f->request;
    const char *base = request->base_url ? request->base_url : f->set.kind == L2R_FETCH_TU ? tu_url : ogb_url;
    char file[128];
    size_t length = strlen(base);
    while (length > 0 && base[length - 1] == '/') length--;
    if (length > 1800) L2R_FAIL(L2R_ERR_ARGUMENT, "%.100s…: the base URL is too long", base);
    snprintf(f->url, sizeof f->url, "%.*s/%s.zip", (int)length, base, f->set.file);
    snprintf(file, sizeof file, "%s.zip", f->set.file);
    L2R_TRY(l2r_path_join(f->zip, sizeof f->zip, request->out_dir, file, error));
    snprintf(file, sizeof file, "%s.zip.part", f->set.file);
    L2R_TRY(l2r_path_join(f->part, sizeof f->part, request->out_dir, file, error));
    L2R_TRY(l2r_path_join(f->folder, sizeof f->folder, request->out_dir, f->set.file, error));
done:
    return status;
}

static enum l2r_status check_sum(const struct fetch *f, const char *path, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char found[65];
    if (!f->request->sha256) return L2R_OK;
    L2R_TRY(l2r_file_sha256(found, path, error));
    if (strcasecmp(found, f->request->sha256) != 0)
        L2R_FAIL(L2R_ERR_FORMAT, "%.400s: the SHA-256 is %s, but %s was expected", path, found, f->request->sha256);
done:
    return status;
}

static enum l2r_status check_part(const struct fetch *f, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_unpack check = {.archive = f->part,
                                     .limits = &l2r_archive_defaults,
                                     .progress = f->request->progress,
                                     .context = f->request->context};
    L2R_TRY(check_sum(f, f->part, error));
    L2R_TRY(l2r_unpack(&check, error));
done:
    return status;
}

/* What a user can do about the server's "there is no such file". */
static enum l2r_status fail_missing(const struct fetch *f, struct l2r_error *error)
{
    return l2r_fail(
        error, L2R_ERR_NETWORK,
        "%s is not in the list of known data sets, and there is no TU set of that name either (%.600s: HTTP 404)",
        f->set.name, f->url);
}

static enum l2r_status download_zip(const struct fetch *f, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int stall = f->request->stall_seconds > 0 ? f->request->stall_seconds : 30;
    const struct l2r_download download = {.url = f->url,
                                          .path = f->part,
                                          .max_bytes = max_download,
                                          .stall_seconds = stall,
                                          .progress = f->request->progress,
                                          .context = f->request->context};
    struct l2r_download_end end;
    do {
        status = l2r_download(&end, &download, error);
        if (status == L2R_ERR_NETWORK && end.http == 404 && !f->known) status = fail_missing(f, error);
        if (status != L2R_OK) goto done;
        status = check_part(f, error);
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
        L2R_TRY(check_sum(f, f->zip, error));
    else
        L2R_TRY(download_zip(f, error));
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
    if (request->sha256 && !l2r_is_sha256(request->sha256))
        L2R_FAIL(L2R_ERR_ARGUMENT, "\"%.80s\" is not a SHA-256; expected 64 hexadecimal digits", request->sha256);
    L2R_TRY(find_set(&f, error));
    L2R_TRY(name_paths(&f, error));
    L2R_TRY(l2r_make_dirs(request->out_dir, error));
    if (f.set.kind == L2R_FETCH_OGB) {
        L2R_TRY(fetch_ogb(result, &f, error));
    } else if (l2r_path_is_file(f.zip)) {
        result->already_there = true;
        L2R_TRY(check_sum(&f, f.zip, error));
    } else {
        L2R_TRY(download_zip(&f, error));
    }
    snprintf(result->path, sizeof result->path, "%s", f.set.kind == L2R_FETCH_OGB ? f.folder : f.zip);
done:
    return status;
}
