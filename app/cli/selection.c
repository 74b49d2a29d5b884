/* SPDX-License-Identifier: MIT
 *
 * Finds the models of a command, and loads the data and the selected part of it.
 */
#include "cli/selection.h"

#include "base/memory.h"
#include "cli/process.h"
#include "cli/runs.h"
#include "cli/terminal.h"
#include "comm/comm.h"
#include "data/dataset.h"
#include "data/formats/smiles/smiles.h"
#include "data/reader.h"
#include "io/file.h"
#include "io/source.h"
#include "model/run_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- graphs ---- */

const struct l2r_option cli_selection_options[] = {
    {.name = "data",
     .kind = L2R_OPTION_TEXT,
     .value = "WHERE",
     .group = "Graphs",
     .help = "folder, zip, table of SMILES or generator; by default the data of the run; -: a table of SMILES on "
             "standard input (predict, fingerprint)"},
    {.name = "part",
     .kind = L2R_OPTION_CHOICE,
     .choices = "train|valid|test|id-valid|id-test|all",
     .help = "which graphs; by default all of them with --data"},
    CLI_OPTION_CACHE,
    CLI_OPTION_THREADS,
    {0}};

const char cli_own_data_hint[] = " (the data that the run was trained on; if it has moved, name it with --data)";
static const char labels_hint[] =
    " (labels are looked up under the column names that the model was trained with; --target-columns names others)";

enum l2r_status cli_declare_split(struct cli_call *call, int argc, char **argv, struct l2r_error *error)
{
    (void)argc;
    (void)argv;
    return l2r_split_declare(call->options, error);
}

static bool split_was_typed(const struct l2r_config *options)
{
    const struct l2r_option *o;
    for (size_t i = 0; (o = l2r_split_option(i)) != NULL; i++)
        if (l2r_config_was_set(options, o->name)) return true;
    return l2r_config_was_set(options, "split-column");
}

/* Are they two names of the same path? */
static bool same_place(const char *a, const char *b)
{
    char *first = realpath(a, NULL), *second = realpath(b, NULL);
    bool same = strcmp(a, b) == 0 || (first != NULL && second != NULL && strcmp(first, second) == 0);
    free(first);
    free(second);
    return same;
}

/* The label columns that a model was trained on, as for --target-columns; false: unknown, or not a list of names. */
static bool target_columns(char *out, size_t size, const struct l2r_predictor *predictor)
{
    size_t used = 0;
    int32_t n = l2r_predictor_task(predictor) == L2R_TASK_MULTICLASS ? 1 : l2r_predictor_n_outputs(predictor);
    for (int32_t k = 0; k < n; k++) {
        const char *name = l2r_predictor_task_name(predictor, k);
        if (name == NULL || *name == '\0' || strchr(name, ',') != NULL || used + strlen(name) + 2 > size) return false;
        used += (size_t)snprintf(out + used, size - used, "%s%s", k > 0 ? "," : "", name);
    }
    return true;
}

/* The names of the classes that a model was trained on, as for --classes; false: there are none. */
static bool class_words(char *out, size_t size, const struct l2r_predictor *predictor)
{
    bool classes = l2r_predictor_task(predictor) == L2R_TASK_MULTICLASS;
    int32_t outputs = l2r_predictor_n_outputs(predictor), lists = classes ? 1 : outputs;
    size_t used = 0;
    for (int32_t t = 0; t < lists; t++) {
        for (int32_t c = 0; c < (classes ? outputs : 2); c++) {
            const char *word = l2r_predictor_class_name(predictor, t, c);
            if (word == NULL) break;
            if (strpbrk(word, ",;") != NULL || used + strlen(word) + 2 > size) return false;
            used += (size_t)snprintf(out + used, size - used, "%s%s", c > 0 ? "," : used > 0 ? ";" : "", word);
        }
    }
    return used > 0;
}

/* How the data is read and split: as for the run, unless options are typed. A table other than the run's own has its
 * labels in columns of the same names, and no column to split by unless one is named. */
static enum l2r_status find_options(struct l2r_config **how, const struct l2r_predictor *predictor, const char *where,
                                    bool own_data, const struct l2r_config *typed, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    enum { NAMES = 1 << 20 }; /* of hundreds of tasks */
    const struct l2r_config *run = l2r_predictor_config(predictor);
    char *columns = l2r_alloc(NAMES, 1);
    if (columns == NULL) return l2r_fail_memory(error, NAMES, "the names of the labels");
    L2R_TRY(l2r_config_for_data(how, error));
    L2R_TRY(l2r_config_set(*how, "cache", l2r_config_flag(typed, "cache") ? "true" : "false", error));
    L2R_TRY(l2r_split_options_copy(*how, run, error));
    if (own_data) {
        L2R_TRY(l2r_data_options_copy(*how, run, error));
    } else if (l2r_source_is_table(where)) {
        L2R_TRY(l2r_config_set(*how, "task-type", l2r_task_name(l2r_predictor_task(predictor)), error));
        if (target_columns(columns, NAMES, predictor)) L2R_TRY(l2r_config_set(*how, "target-columns", columns, error));
        if (class_words(columns, NAMES, predictor)) L2R_TRY(l2r_config_set(*how, "classes", columns, error));
        static const char *const same[] = {"largest-fragment", "targets", "relation-column"};
        for (size_t i = 0; i < sizeof same / sizeof *same; i++)
            if (l2r_config_has(run, same[i]) && l2r_config_text(run, same[i]) != NULL)
                L2R_TRY(l2r_config_set(*how, same[i], l2r_config_text(run, same[i]), error));
    }
    L2R_TRY(l2r_split_options_copy(*how, typed, error));
    L2R_TRY(l2r_data_options_copy(*how, typed, error));
done:
    l2r_free(columns);
    return status;
}

static enum l2r_status choose_all(struct cli_selection *selection, struct l2r_error *error)
{
    selection->n = l2r_dataset_n_graphs(selection->data);
    selection->all = l2r_alloc((size_t)selection->n, sizeof *selection->all);
    if (selection->all == NULL)
        return l2r_fail_memory(error, (size_t)selection->n * sizeof *selection->all, "a list of graphs");
    for (int64_t g = 0; g < selection->n; g++) selection->all[g] = g;
    selection->graphs = selection->all;
    return L2R_OK;
}

/* The numbers of split.json are those of other graphs if rows of a table were added, removed or moved. */
static void warn_of_change(const struct cli_selection *selection, const struct l2r_predictor *predictor,
                           const struct cli_call *call)
{
    struct l2r_error change;
    char text[2048];
    if (!l2r_comm_leads(call->comm)) return;
    if (l2r_predictor_check_data(predictor, selection->data, selection->where, &change) != L2R_OK)
        fprintf(stderr, "l2r: %s; use --split to split the data again\n",
                cli_format_options(text, sizeof text, change.message));
}

/* The split of the run for its own data; false: it has none, or another is requested. */
static enum l2r_status find_own_split(bool *found, struct cli_selection *selection,
                                      const struct l2r_predictor *predictor, const struct cli_call *call,
                                      struct l2r_error *error)
{
    *found = false;
    if (!selection->own || split_was_typed(call->options)) return L2R_OK;
    enum l2r_status status = l2r_predictor_split(&selection->split, predictor, selection->data, error);
    *found = status == L2R_OK;
    return status == L2R_ERR_ARGUMENT ? L2R_OK : status; /* that the model is not in the folder of a run */
}

static enum l2r_status choose_part(struct cli_selection *selection, const struct l2r_predictor *predictor,
                                   const struct cli_call *call, const struct l2r_config *how, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    bool found;
    int part = l2r_part_named(selection->part, strlen(selection->part)); /* there is one: the option's choices */
    L2R_TRY(find_own_split(&found, selection, predictor, call, error));
    if (found)
        warn_of_change(selection, predictor, call);
    else if (!selection->own && !split_was_typed(call->options) && l2r_source_is_table(selection->where) &&
             l2r_dataset_parts(selection->data) == NULL)
        L2R_FAIL(L2R_ERR_ARGUMENT,
                 "%s is not the data that %s was trained on, so it has no %s part; leave out --part for all of it, or "
                 "say how to split it with --split or --split-column",
                 selection->where, l2r_predictor_checkpoint(predictor), selection->part);
    else
        L2R_TRY(l2r_split_new(&selection->split, selection->data, how, error));
    if (!selection->data->environment && selection->split->environments.n > 0)
        l2r_environments_lend(&selection->split->environments, selection->data);
    selection->graphs = l2r_split_graphs(&selection->n, selection->split, part);
    if (selection->n == 0)
        L2R_FAIL(L2R_ERR_ARGUMENT, "the %s part of %s is empty; choose another with --part", selection->part,
                 selection->where);
done:
    return status;
}

/* The model before the refit would be used, but it is missing. */
static void warn_of_learned(const struct cli_selection *selection, const struct l2r_predictor *predictor,
                            const struct cli_call *call)
{
    bool learned = l2r_trained_is_refitted(l2r_predictor_trained(predictor));
    if (learned && selection->own && strstr(selection->part, "valid") != NULL && l2r_comm_leads(call->comm))
        fputs("note: the model was refitted on these validation graphs (--refit), so its scores on them are too "
              "optimistic\n",
              stderr);
}

/* optional: where a table lacks the columns of labels that the model was trained on, it is read without labels. */
static enum l2r_status load_data(struct cli_selection *selection, struct l2r_config *how, bool optional,
                                 struct l2r_error *error)
{
    enum l2r_status status = l2r_dataset_open(&selection->data, selection->where, how, error);
    if (!optional || status != L2R_ERR_ARGUMENT || !l2r_source_is_table(selection->where)) return status;
    if (l2r_config_set(how, "target-columns", "none", error) != L2R_OK) return status;
    return l2r_dataset_open(&selection->data, selection->where, how, error);
}

/* Is it a table of molecules without one of the columns of labels that `how` names? */
static bool lacks_labels(const char *where, const struct l2r_config *how)
{
    struct l2r_source *source = NULL;
    struct l2r_molecule_table table = {0};
    bool lacks = false;
    char columns[4096], *rest = columns, *name;
    const char *list = l2r_config_text(how, "target-columns");
    if (list == NULL || !l2r_source_is_table(where) || l2r_source_open(&source, where, NULL) != L2R_OK) return false;
    snprintf(columns, sizeof columns, "%s", list);
    if (l2r_molecule_table_find(&table, source, how, NULL) == L2R_OK)
        while (!lacks && (name = strsep(&rest, ",")) != NULL) lacks = !l2r_molecule_table_has(&table, name);
    l2r_molecule_table_clear(&table);
    l2r_source_free(source);
    return lacks;
}

enum l2r_status cli_models_unseen(struct cli_models *models, const struct cli_call *call, struct l2r_error *error)
{
    const char *part = l2r_config_text(call->options, "part");
    char path[CLI_PATH];
    bool any = false;
    if (part == NULL || strstr(part, "valid") == NULL || split_was_typed(call->options)) return L2R_OK;
    for (int i = 0; i < models->n; i++) {
        if (!l2r_chosen_find(path, sizeof path, models->paths[i])) continue;
        l2r_free(models->paths[i]);
        models->paths[i] = l2r_strdup(path);
        if (models->paths[i] == NULL) return l2r_fail_memory(error, strlen(path), "a list of models");
        any = true;
    }
    if (any && l2r_comm_leads(call->comm))
        fputs(
            "note: this run was refitted on its validation graphs (--refit); the model before the refit is used here\n",
            stderr);
    return L2R_OK;
}

enum l2r_status cli_selection_load(struct cli_selection *selection, const struct l2r_predictor *predictor,
                                   const struct cli_call *call, const char *own_part, bool labels,
                                   struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_config *how = NULL;
    struct l2r_error reason = {0};
    const char *typed = l2r_config_text(call->options, "data");
    const char *own = l2r_predictor_data(predictor);
    *selection = (struct cli_selection){.where = typed != NULL ? typed : own,
                                        .own = typed == NULL || (own != NULL && same_place(typed, own))};
    selection->part = cli_selection_part(call, own_part);
    if (selection->where == NULL)
        L2R_FAIL(L2R_ERR_ARGUMENT, "%s does not record which data it was trained on; name it with --data",
                 l2r_predictor_checkpoint(predictor));
    if (strcmp(selection->where, "-") == 0)
        L2R_FAIL(L2R_ERR_ARGUMENT, "standard input is read once, row by row, which `l2r predict` and `l2r fingerprint` "
                                   "without --part can do; save it to a file");
    cli_ranks_threads(call);
    L2R_TRY(find_options(&how, predictor, selection->where, selection->own, call->options, error));
    bool guessed = !selection->own && !l2r_config_was_set(call->options, "target-columns");
    bool leads = l2r_comm_leads(call->comm);
    if (!leads) l2r_comm_barrier(call->comm); /* the first rank writes the cache that the others map */
    status = load_data(selection, how, guessed && !labels, &reason);
    if (leads) l2r_comm_barrier(call->comm);
    if (status != L2R_OK)
        L2R_FAIL(status, "%s%s", reason.message,
                 typed == NULL                                    ? cli_own_data_hint
                 : guessed && lacks_labels(selection->where, how) ? labels_hint
                                                                  : "");
    L2R_TRY(
        l2r_comm_agree(call->comm, l2r_dataset_fingerprint(selection->data), "has different data than rank 0", error));
    selection->own = selection->own || l2r_predictor_trained_on(predictor, selection->data);
    if (strcmp(selection->part, "all") == 0)
        L2R_TRY(choose_all(selection, error));
    else
        L2R_TRY(choose_part(selection, predictor, call, how, error));
    warn_of_learned(selection, predictor, call);
done:
    l2r_config_free(how);
    return status;
}

/* Adds the part of model k to `uses` of all graphs [graphs × models]; a model of other data may predict all graphs. */
static enum l2r_status add_part(uint8_t *uses, const struct cli_selection *selection,
                                const struct l2r_ensemble *ensemble, int k, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_predictor *model = l2r_ensemble_model(ensemble, k);
    struct l2r_split *split = NULL;
    int64_t n = l2r_dataset_n_graphs(selection->data), models = l2r_ensemble_n_models(ensemble), n_part = n;
    const int64_t *graphs = NULL;
    if (k == 0 || l2r_predictor_trained_on(model, selection->data)) {
        L2R_TRY(l2r_predictor_split(&split, model, selection->data, error));
        graphs = l2r_split_graphs(&n_part, split, l2r_part_named(selection->part, strlen(selection->part)));
    }
    for (int64_t i = 0; i < n_part; i++) uses[(graphs != NULL ? graphs[i] : i) * models + k] = 1;
done:
    l2r_split_free(split);
    return status;
}

enum l2r_status cli_selection_of_each(struct cli_selection *selection, const struct l2r_ensemble *ensemble,
                                      const struct cli_call *call, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    bool several = l2r_ensemble_n_models(ensemble) > 1 && !l2r_ensemble_shares_split(ensemble);
    if (!several || !selection->own || strcmp(selection->part, "all") == 0 || split_was_typed(call->options))
        return L2R_OK;
    size_t n = (size_t)l2r_dataset_n_graphs(selection->data), models = (size_t)l2r_ensemble_n_models(ensemble);
    l2r_free(selection->all);
    selection->all = l2r_alloc(n, sizeof *selection->all);
    selection->uses = l2r_alloc(n * models, 1);
    if (selection->all == NULL || selection->uses == NULL)
        L2R_FAIL(L2R_ERR_MEMORY, "out of memory: the parts of %zu models", models);
    for (size_t k = 0; k < models; k++) L2R_TRY(add_part(selection->uses, selection, ensemble, (int)k, error));
    selection->graphs = selection->all;
    selection->n = 0;
    for (size_t g = 0; g < n; g++) {
        if (memchr(selection->uses + g * models, 1, models) == NULL) continue;
        int count = 0;
        for (size_t k = 0; k < models; k++) count += selection->uses[g * models + k];
        if (count > selection->most) selection->most = count;
        memmove(selection->uses + (size_t)selection->n * models, selection->uses + g * models, models);
        selection->all[selection->n++] = (int64_t)g;
    }
done:
    return status;
}

bool cli_selection_is_table(const char *where)
{
    return where != NULL && (l2r_source_is_table(where) || strcmp(where, "-") == 0);
}

const char *cli_selection_where(const struct l2r_predictor *predictor, const struct cli_call *call)
{
    const char *where = l2r_config_text(call->options, "data");
    return where != NULL ? where : l2r_predictor_data(predictor);
}

const char *cli_selection_part(const struct cli_call *call, const char *own_part)
{
    const char *part = l2r_config_text(call->options, "part");
    return part != NULL ? part : l2r_config_text(call->options, "data") == NULL ? own_part : "all";
}

const char *cli_selection_table(const struct l2r_predictor *predictor, const struct cli_call *call)
{
    const char *where = cli_selection_where(predictor, call);
    return strcmp(cli_selection_part(call, "all"), "all") == 0 && cli_selection_is_table(where) ? where : NULL;
}

void cli_selection_clear(struct cli_selection *selection)
{
    l2r_free(selection->all);
    l2r_free(selection->uses);
    l2r_dataset_free(selection->data);
    l2r_split_free(selection->split);
    *selection = (struct cli_selection){0};
}
