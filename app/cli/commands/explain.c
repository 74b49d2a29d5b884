/* SPDX-License-Identifier: MIT
 *
 * l2r explain: which edges and feature columns the predictions of a trained model rest on (explain/explainer.h). Writes
 * scores, files (explain/export.c) and drawings for the chosen graphs.
 */
#include "base/config.h"
#include "base/memory.h"
#include "base/system.h"
#include "cli/command.h"
#include "cli/contributions.h"
#include "cli/process.h"
#include "cli/runs.h"
#include "cli/selection.h"
#include "cli/terminal.h"
#include "data/reader.h"
#include "draw/pictures.h"
#include "explain/explainer.h"
#include "io/file.h"
#include "io/json_file.h"
#include "io/temporary.h"
#include "predict/run_names.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct l2r_option options[] = {
    {.name = "graph",
     .kind = L2R_OPTION_TEXT,
     .value = "I[,J…]",
     .group = "Which graphs",
     .help = "graphs to explain, counted from 0 in the order of the data as in split.json; by default a whole part"},
    {.name = "label", .kind = L2R_OPTION_TEXT, .value = "V", .help = "only graphs with this label (of the first task)"},
    {.name = "limit",
     .kind = L2R_OPTION_INT,
     .fallback = "0",
     .min = 0,
     .max = 1e9,
     .help = "only the first N; 0: all"},
    {.name = "out",
     .kind = L2R_OPTION_TEXT,
     .value = "DIR",
     .group = "Output",
     .help = "folder for the files; by default RUN/explanations"},
    {.name = "draw", .kind = L2R_OPTION_FLAG, .fallback = "true", .help = "draw every graph: DIR/graph-I.svg, …"},
    {.name = "format",
     .kind = L2R_OPTION_LIST,
     .fallback = "svg,png",
     .choices = "svg|png",
     .help = "file formats of the drawings"},
    {.name = "json", .kind = L2R_OPTION_FLAG, .help = "print the mean scores as JSON"},
    {0}};

static const char all_file[] = "explanations.json";

/* The graphs asked for. */
struct chosen {
    int32_t *graphs;
    size_t n, capacity;
};

static bool add(struct chosen *c, int64_t graph)
{
    if (!l2r_reserve((void **)&c->graphs, &c->capacity, c->n + 1, sizeof *c->graphs)) return false;
    c->graphs[c->n++] = (int32_t)graph;
    return true;
}

/* "7,12,40"; `text` is written to. */
static enum l2r_status parse_graphs(struct chosen *c, char *text, const struct l2r_dataset *data, const char *where,
                                    struct cli_call *call, struct l2r_error *error)
{
    char *rest = text;
    for (char *word; (word = strsep(&rest, ","));) {
        int64_t graph;
        if (!l2r_parse_int(&graph, word))
            return cli_misuse(call, error,
                              "--graph: '%s' is not the number of a graph; expected a list such as 7 or 7,12,40", word);
        if (graph < 0 || graph >= l2r_dataset_graphs(data))
            return l2r_fail(error, L2R_ERR_ARGUMENT, "--graph: there is no graph %lld in %s, which has 0 to %lld",
                            (long long)graph, where, (long long)l2r_dataset_graphs(data) - 1);
        if (!add(c, graph)) return l2r_fail_memory(error, c->n * sizeof *c->graphs, "a list of graphs");
    }
    return L2R_OK;
}

/* Has the graph this label? Classes by the source's integers. */
static bool has_label(const struct l2r_dataset *data, int64_t graph, double wanted)
{
    float label = l2r_dataset_labels(data)[graph * l2r_dataset_tasks(data)];
    if (label != label) return false;
    if (l2r_dataset_task(data) == L2R_TASK_MULTICLASS) return (double)l2r_dataset_class(data, (int32_t)label) == wanted;
    return (double)label == wanted;
}

static enum l2r_status choose(struct chosen *c, const struct cli_selection *s, struct cli_call *call,
                              struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const char *list = l2r_config_text(call->options, "graph"), *label = l2r_config_text(call->options, "label");
    int64_t limit = l2r_config_int(call->options, "limit");
    double wanted = 0;
    char *copy = list ? l2r_strdup(list) : NULL;
    if (list && !copy) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: a list of graphs");
    if (label && !l2r_parse_real(&wanted, label)) {
        status = cli_misuse(call, error, "--label: '%s' is not a number", label);
        goto done;
    }
    if (list) {
        L2R_TRY(parse_graphs(c, copy, s->data, s->where, call, error));
    } else {
        for (int64_t i = 0; i < s->n && (limit == 0 || (int64_t)c->n < limit); i++)
            if ((!label || has_label(s->data, s->graphs[i], wanted)) && !add(c, s->graphs[i]))
                L2R_FAIL(L2R_ERR_MEMORY, "out of memory: a list of graphs");
        if (c->n == 0)
            L2R_FAIL(L2R_ERR_ARGUMENT, "no graph of the %s part of %s has the label %s", s->part, s->where, label);
    }
done:
    l2r_free(copy);
    return status;
}

/* RUN/explanations, beside a checkpoint when RUN is one. */
static enum l2r_status folder_of(char dir[CLI_PATH], const struct cli_call *call, struct l2r_error *error)
{
    const char *out = l2r_config_text(call->options, "out"), *run = call->arguments[0];
    if (out)
        snprintf(dir, CLI_PATH, "%s", out);
    else if (l2r_path_is_dir(run))
        snprintf(dir, CLI_PATH, "%s/explanations", run);
    else
        (void)l2r_path_beside(dir, CLI_PATH, run, "explanations");
    return l2r_make_dirs(dir, error);
}

/* Files of the folder, by the graphs that explanations.json names. */
static void forget_drawings(const char *dir, const json_t *graphs)
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

/* Until all is in place, explanations.json says so, and names the graphs whose drawings may be there, old and new. */
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

/* Files and drawings are made beside the folder and then moved into it. The folder may hold files of the user and of an
 * earlier call: those stay, these are replaced. A kill leaves the old explanations, or the new, or a folder that says
 * that it is incomplete. */
static enum l2r_status write_all(const struct l2r_explained *all, const char *dir, struct l2r_predictor *predictor,
                                 const struct cli_call *call, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_picture_source source = {all->data, predictor, all->data_name};
    unsigned formats = l2r_config_list(call->options, "format"); /* bits as L2R_DRAW_SVG and L2R_DRAW_PNG */
    char made[L2R_TEMPORARY_PATH], inside[CLI_PATH + 64];
    json_t *old = NULL;
    snprintf(inside, sizeof inside, "%s/%s", dir, all_file);
    l2r_remove_litter(dir);
    int lock = l2r_temporary_new(made, inside, true);
    if (lock < 0) L2R_FAIL(L2R_ERR_IO, "%s: cannot be written to: %s", dir, strerror(errno));
    L2R_TRY(l2r_explanations_write(all, made, error));
    if (l2r_config_flag(call->options, "draw"))
        L2R_TRY(l2r_pictures_write(made, &source, all->explanations, all->n, formats, error));
    L2R_TRY(mark_incomplete(&old, all, inside, error));
    forget_drawings(dir, old);
    L2R_TRY(move_files(made, dir, error));
done:
    json_decref(old);
    if (lock >= 0) l2r_remove_tree(made);
    if (lock >= 0) (void)l2r_sys_close(lock);
    return status;
}

/* Masks that tell no edge from another are no explanation: better said than drawn in one dark colour. */
static void warn_saturated(struct l2r_explanation *const *explanations, size_t n)
{
    size_t saturated = 0;
    for (size_t i = 0; i < n; i++) saturated += explanations[i]->saturated;
    if (saturated > 0)
        fprintf(stderr,
                "note: in %zu of %zu graphs the masks are all alike and explain nothing; another --edge-size may help, "
                "--explainer shapley needs none\n",
                saturated, n);
}

static void show_progress(void *context, int64_t n_done, int64_t n)
{
    char bar[512];
    (void)context;
    if (!cli_terminal_is_live(stderr)) return;
    cli_format_bar(bar, sizeof bar, stderr, (double)n_done / (double)n, 30);
    fprintf(stderr, "\rexplained %lld/%lld  %s", (long long)n_done, (long long)n, bar);
    if (n_done == n) fprintf(stderr, "\r\033[K");
    fflush(stderr);
}

/* A regression has values where classes have probabilities; what masks keep of it is in fidelity all the same. */
static void print_table(const json_t *summary, bool values)
{
    static const char *const heads[] = {"p",        "fidelity+",   "fidelity-", "sparsity",
                                        "node AUC", "node prec@k", "edge AUC",  "edge prec@k"};
    const json_t *first = json_array_get(summary, 0);
    int n_scores = json_is_null(json_object_get(first, "node_auc")) ? 4 : 8; /* no marks, no truth to compare with */
    struct cli_table table;
    cli_table_init(&table, n_scores == 4 ? "lrrrrr" : "lrrrrrrrrr");
    cli_table_add(&table, "graphs");
    cli_table_add(&table, "n");
    cli_table_add(&table, "%s", values ? "value" : heads[0]);
    for (int score = 1; score < n_scores; score++) cli_table_add(&table, "%s", heads[score]);
    for (size_t i = 0; i < json_array_size(summary); i++) {
        const json_t *row = json_array_get(summary, i);
        cli_table_add(&table, "%s", json_string_value(json_object_get(row, "graphs")));
        cli_table_add(&table, "%lld", (long long)json_integer_value(json_object_get(row, "n")));
        for (int score = 0; score < n_scores; score++) {
            const char *name = values && score == 0 ? "value" : l2r_explanation_score_names[score];
            const json_t *value = json_object_get(row, name);
            cli_table_add_score(&table, json_is_null(value) ? __builtin_nan("") : json_number_value(value));
        }
    }
    cli_table_print(&table, stdout, "");
    cli_table_clear(&table);
}

static enum l2r_status run(struct cli_call *call, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_predictor *predictor = NULL;
    struct cli_selection selection = {0};
    struct chosen chosen = {0};
    struct l2r_explanation **explanations = NULL;
    json_t *summary = NULL;
    char dir[CLI_PATH];
    struct l2r_explain_settings settings = l2r_explain_settings_of(call->options);
    struct l2r_explain_callbacks callbacks = L2R_EXPLAIN_CALLBACKS_INIT;
    callbacks.done = show_progress;
    callbacks.stop = cli_interrupt_asked;
    L2R_TRY(l2r_predictor_open(&predictor, call->arguments[0], error));
    bool listed = l2r_config_text(call->options, "graph") != NULL;
    if (listed && (l2r_config_text(call->options, "part") || l2r_config_text(call->options, "label"))) {
        status = cli_misuse(call, error, "--graph names the graphs; it cannot be combined with --part or --label");
        goto done;
    }
    bool labels = settings.use_label || l2r_config_text(call->options, "label") != NULL;
    L2R_TRY(cli_selection_load(&selection, predictor, call, listed ? "all" : "test", labels, error));
    L2R_TRY(choose(&chosen, &selection, call, error));
    if (l2r_predictor_network(predictor)->type->fit) {
        L2R_TRY(folder_of(dir, call, error));
        FILE *lines = l2r_config_flag(call->options, "json") ? NULL : stdout;
        L2R_TRY(
            cli_contributions_write(dir, lines, predictor, selection.data, chosen.graphs, (int64_t)chosen.n, error));
        fprintf(stderr, "contributions of features to %zu answers in %s/contributions.csv\n", chosen.n, dir);
        goto done;
    }
    explanations = l2r_alloc(chosen.n, sizeof *explanations);
    if (!explanations) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: %zu explanations", chosen.n);
    cli_interrupt_catch();
    L2R_TRY(l2r_explain(explanations, predictor, selection.data, chosen.graphs, (int64_t)chosen.n, call->options,
                        &callbacks, error));
    const struct l2r_explained all = {.run = call->arguments[0],
                                      .data_name = selection.where,
                                      .network = l2r_predictor_network(predictor),
                                      .data = selection.data,
                                      .settings = &settings,
                                      .explanations = explanations,
                                      .n = (int64_t)chosen.n};
    L2R_TRY(folder_of(dir, call, error));
    L2R_TRY(write_all(&all, dir, predictor, call, error));
    summary = l2r_explanations_summary(&all);
    if (l2r_config_flag(call->options, "json"))
        L2R_TRY(cli_json_print(stdout, json_incref(summary), error));
    else
        print_table(summary, l2r_predictor_task(predictor) == L2R_TASK_REGRESSION);
    warn_saturated(explanations, chosen.n);
    fprintf(stderr, "%zu explanations in %s\n", chosen.n, dir);
done:
    json_decref(summary);
    for (size_t i = 0; explanations && i < chosen.n; i++) l2r_explanation_free(explanations[i]);
    l2r_free((void *)explanations);
    l2r_free(chosen.graphs);
    cli_selection_clear(&selection);
    l2r_predictor_free(predictor);
    return status;
}

const struct l2r_command l2r_command_explain = {
    .name = "explain",
    .summary = "show which edges and features the predictions of a model rest on",
    .usage = "RUN [--graph I[,J…] | --part PART] [--out DIR] [OPTIONS]",
    .about =
        "RUN is the folder of a run or a .safetensors file. By default a mask on every edge and feature column is "
        "learned for each graph (GNNExplainer); importance is its mean over the restarts. With --explainer occlusion "
        "or shapley, nodes and edges get contributions with a sign: by how much they move the model's value or "
        "log-odds; Shapley values add up to it. The same call always writes the same "
        "files. The table shows means over the graphs: p of the target; fidelity+, how much p drops when the important "
        "edges are removed; fidelity-, how much it drops when only they are kept; sparsity, the fraction of edges that "
        "are not important; and, where the data marks planted motifs, how well importance finds the motif. Of trees "
        "(--model boost, "
        "forest) DIR/contributions.csv says what each feature of the molecule adds to the answer (SHAP values).",
    .examples = "l2r explain runs/motif-gin-erm-0 --graph 3001,3003\n"
                "l2r explain runs/motif-gin-erm-0 --part test --label 1 --limit 100\n"
                "l2r explain runs/bace-gin-l2r-0 --out why --restarts 10\n"
                "l2r explain runs/esol --explainer shapley --graph 17 --important 6",
    .section = CLI_SECTION_MODELS,
    .min_arguments = 1,
    .max_arguments = 1,
    .options = {options, l2r_explain_options, cli_selection_options, l2r_data_options},
    .declare = cli_declare_split,
    .run = run,
};

_Static_assert(L2R_DRAW_SVG == 1 && L2R_DRAW_PNG == 2, "the choices of --format stand in the order of the bits");
