/* SPDX-License-Identifier: MIT
 * See explanation_folder.h. */
#include "cli/explanation_folder.h"

#include "base/memory.h"
#include "base/system.h"
#include "cli/contributions.h"
#include "cli/runs.h"
#include "draw/pictures.h"
#include "io/file.h"
#include "io/json_file.h"
#include "io/temporary.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char all_file[] = "explanations.json", fragments_file[] = "fragments.csv",
                  contributions_file[] = "contributions.csv";

/* ---- files of l2r explain ---- */

/* How the tables of this and of earlier versions begin. */
static const struct {
    const char *name, *begins;
} tables[] = {{"graphs.csv", "graph,line,name,smiles,"},
              {"edges.csv", "graph,u,v,importance,important"},
              {"nodes.csv", "graph,node,importance,mark"},
              {fragments_file, "fragment,class,molecules,count,"},
              {contributions_file, "graph,task,feature,value,contribution"}};

static bool begins_with(const char *path, const char *text)
{
    char bytes[64];
    size_t length = strlen(text);
    int file = l2r_sys_open(path, O_RDONLY);
    ssize_t got = file >= 0 ? l2r_sys_read(file, bytes, length) : -1;
    if (file >= 0) (void)l2r_sys_close(file);
    return got == (ssize_t)length && memcmp(bytes, text, length) == 0;
}

static bool lists(const json_t *graphs, int64_t graph)
{
    const json_t *item;
    size_t i;
    json_array_foreach(graphs, i, item)
    {
        if (json_integer_value(json_object_get(item, "graph")) == graph) return true;
    }
    return false;
}

static enum l2r_status refuse(const char *path, struct l2r_error *error)
{
    return l2r_fail(error, L2R_ERR_IO,
                    "%s exists and was not written by l2r explain; move it or choose another folder with --out", path);
}

enum l2r_status cli_explanations_check(const char *dir, const int64_t *graphs, int64_t n, unsigned formats,
                                       struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char path[CLI_PATH + 64];
    json_t *old = NULL;
    snprintf(path, sizeof path, "%s/%s", dir, all_file);
    if (l2r_path_is_there(path) &&
        (l2r_json_read(&old, path, NULL) != L2R_OK || !json_is_array(json_object_get(old, "graphs")))) {
        status = refuse(path, error);
        goto done;
    }
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, tables[i].name);
        if (l2r_path_is_there(path) && !begins_with(path, tables[i].begins)) {
            status = refuse(path, error);
            goto done;
        }
    }
    for (int64_t i = 0; i < n; i++) {
        for (unsigned format = L2R_DRAW_SVG; format <= L2R_DRAW_PNG; format <<= 1) {
            snprintf(path, sizeof path, "%s/graph-%lld.%s", dir, (long long)graphs[i],
                     format == L2R_DRAW_SVG ? "svg" : "png");
            if (!(formats & format) || !l2r_path_is_there(path)) continue;
            if (lists(json_object_get(old, "graphs"), graphs[i])) continue;
            status = refuse(path, error);
            goto done;
        }
    }
done:
    json_decref(old);
    return status;
}

/* ---- writing ---- */

/* Files of the folder, by the graphs that explanations.json names. */
static void drop_drawings(const char *dir, const json_t *graphs)
{
    char path[CLI_PATH + 64];
    const json_t *graph;
    size_t i;
    json_array_foreach(graphs, i, graph)
    {
        long long number = json_integer_value(json_object_get(graph, "graph"));
        for (int png = 0; png < 2; png++) {
            snprintf(path, sizeof path, "%s/graph-%lld.%s", dir, number, png ? "png" : "svg");
            unlink(path);
        }
    }
}

/* Until all files are in place, explanations.json is marked incomplete and lists the graphs that may have drawings, old
 * and new. */
static enum l2r_status mark_incomplete(json_t **graphs, const struct l2r_explained *all, const char *path,
                                       struct l2r_error *error)
{
    json_t *old = NULL, *list = json_array(), *marker = NULL;
    if (l2r_path_is_file(path)) (void)l2r_json_read(&old, path, NULL);
    json_array_extend(list, json_object_get(old, "graphs"));
    *graphs = json_deep_copy(list);
    for (int64_t i = 0; i < all->n; i++)
        json_array_append_new(list, json_pack("{s:i}", "graph", (int)all->explanations[i]->graph));
    marker = json_pack("{s:b, s:o}", "incomplete", 1, "graphs", list);
    enum l2r_status status = l2r_json_write(marker, path, error);
    json_decref(marker);
    json_decref(old);
    return status;
}

/* Moves everything from one folder to the other, explanations.json last. */
static enum l2r_status move_files(const char *from, const char *to, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char source[L2R_TEMPORARY_PATH + 300], target[CLI_PATH + 300];
    DIR *dir = opendir(from);
    for (const struct dirent *item; dir && (item = readdir(dir));) {
        if (item->d_name[0] == '.' || strcmp(item->d_name, all_file) == 0) continue;
        snprintf(source, sizeof source, "%s/%s", from, item->d_name);
        snprintf(target, sizeof target, "%s/%s", to, item->d_name);
        if (l2r_sys_rename(source, target) != 0)
            L2R_FAIL(L2R_ERR_IO, "%s: cannot be moved into place: %s", target, strerror(errno));
    }
    snprintf(source, sizeof source, "%s/%s", from, all_file);
    snprintf(target, sizeof target, "%s/%s", to, all_file);
    l2r_sync_folder_of(target);
    if (!dir || l2r_sys_rename(source, target) != 0)
        L2R_FAIL(L2R_ERR_IO, "%s: cannot be moved into place: %s", target, strerror(errno));
    l2r_sync_folder_of(target);
done:
    if (dir) closedir(dir);
    return status;
}

/* Contributions of trees among the members for the same graphs; false: there are none. */
static enum l2r_status write_contributions(bool *there, const struct l2r_explained *all, const char *dir,
                                           const struct l2r_predictor *predictor, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char names[64];
    int64_t *graphs = NULL;
    *there = cli_contributions_members(names, sizeof names, all->model) > 0;
    if (!*there) goto done;
    graphs = l2r_alloc((size_t)all->n, sizeof *graphs);
    if (!graphs) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: a list of graphs");
    for (int64_t i = 0; i < all->n; i++) graphs[i] = all->explanations[i]->graph;
    L2R_TRY(cli_contributions_write(dir, NULL, predictor, all->data, graphs, all->n, all->settings->task, error));
done:
    l2r_free(graphs);
    return status;
}

enum l2r_status cli_explanations_write(const struct l2r_explained *all, const struct l2r_fragments *fragments,
                                       const char *dir, struct l2r_predictor *predictor, unsigned formats,
                                       struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_picture_source source = {all->data, predictor, all->data_name};
    char made[L2R_TEMPORARY_PATH], inside[CLI_PATH + 64], table[L2R_TEMPORARY_PATH + 64];
    json_t *old = NULL;
    snprintf(inside, sizeof inside, "%s/%s", dir, all_file);
    l2r_remove_litter(dir);
    int lock = l2r_temporary_new(made, inside, true);
    if (lock < 0) L2R_FAIL(L2R_ERR_IO, "%s: cannot be written to: %s", dir, strerror(errno));
    L2R_TRY(l2r_explanations_write(all, made, error));
    snprintf(table, sizeof table, "%s/%s", made, fragments_file);
    if (fragments != NULL) L2R_TRY(l2r_fragments_write(fragments, l2r_committee_signature(all->model), table, error));
    bool features;
    L2R_TRY(write_contributions(&features, all, made, predictor, error));
    if (formats != 0) L2R_TRY(l2r_pictures_write(made, &source, all->explanations, all->n, formats, error));
    L2R_TRY(mark_incomplete(&old, all, inside, error));
    drop_drawings(dir, old);
    snprintf(table, sizeof table, "%s/%s", dir, fragments_file);
    if (fragments == NULL) unlink(table); /* of an earlier call: it belongs to other explanations */
    snprintf(table, sizeof table, "%s/%s", dir, contributions_file);
    if (!features) unlink(table);
    L2R_TRY(move_files(made, dir, error));
done:
    json_decref(old);
    if (lock >= 0) l2r_remove_tree(made);
    if (lock >= 0) (void)l2r_sys_close(lock);
    return status;
}
