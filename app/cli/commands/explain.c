/* SPDX-License-Identifier: MIT
 *
 * l2r explain: which edges and feature columns the predictions of a trained model rest on (explain/explainer.h). Writes
 * scores, files (cli/explanation_folder.h) and drawings for the chosen graphs.
 */
#include "base/config.h"
#include "base/memory.h"
#include "chem/molecule.h"
#include "cli/command.h"
#include "cli/contributions.h"
#include "cli/explanation_folder.h"
#include "cli/explanation_summary.h"
#include "cli/process.h"
#include "cli/runs.h"
#include "cli/selection.h"
#include "cli/terminal.h"
#include "data/reader.h"
#include "draw/pictures.h"
#include "explain/subject.h"
#include "io/file.h"
#include "model/run_names.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const struct l2r_option options[] = {
    {.name = "graph",
     .kind = L2R_OPTION_TEXT,
     .value = "I[,J…]",
     .group = "Which graphs",
     .help = "graphs to explain, counted from 0 in the order of the data as in split.json; by default a whole part"},
    {.name = "member",
     .kind = L2R_OPTION_INT,
     .fallback = "0",
     .min = 0,
     .max = L2R_MOST_MEMBERS,
     .help = "of a committee: explain this member alone, from 1; 0: all that can be explained"},
    {.name = "label",
     .kind = L2R_OPTION_TEXT,
     .value = "V",
     .help = "only graphs with this label (of the first task), a number or the name of a class"},
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
    {.name = "fragments",
     .kind = L2R_OPTION_FLAG,
     .help = "also find the fragments of molecules that matter over all graphs explained: DIR/fragments.csv"},
    {.name = "json", .kind = L2R_OPTION_FLAG, .help = "print the mean scores as JSON"},
    {0}};

enum { SHOWN = 10 /* rows that were skipped */ };

/* The graphs asked for. */
struct chosen {
    int64_t *graphs;
    size_t n, capacity;
};

static bool add(struct chosen *c, int64_t graph)
{
    if (!l2r_reserve((void **)&c->graphs, &c->capacity, c->n + 1, sizeof *c->graphs)) return false;
    c->graphs[c->n++] = graph;
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
        if (graph < 0 || graph >= l2r_dataset_n_graphs(data))
            return l2r_fail(error, L2R_ERR_ARGUMENT, "--graph: there is no graph %lld in %s, which has 0 to %lld",
                            (long long)graph, where, (long long)l2r_dataset_n_graphs(data) - 1);
        if (!add(c, graph)) return l2r_fail_memory(error, c->n * sizeof *c->graphs, "a list of graphs");
    }
    return L2R_OK;
}

/* Has the graph this label? Classes by the source's words or integers. */
static bool has_label(const struct l2r_dataset *data, int64_t graph, const char *word, double wanted)
{
    float label = l2r_dataset_labels(data)[graph * l2r_dataset_n_tasks(data)];
    if (label != label) return false;
    const char *name =
        l2r_dataset_task(data) != L2R_TASK_REGRESSION ? l2r_dataset_class_name(data, 0, (int32_t)label) : NULL;
    if (name != NULL && strcasecmp(name, word) == 0) return true;
    if (l2r_dataset_task(data) == L2R_TASK_MULTICLASS) return (double)l2r_dataset_class(data, (int32_t)label) == wanted;
    return (double)label == wanted;
}

static enum l2r_status choose(struct chosen *c, const struct cli_selection *s, struct cli_call *call,
                              struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const char *list = l2r_config_text(call->options, "graph"), *label = l2r_config_text(call->options, "label");
    int64_t limit = l2r_config_int(call->options, "limit");
    double wanted = NAN;
    char *copy = list ? l2r_strdup(list) : NULL;
    if (list && !copy) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: a list of graphs");
    if (label && !l2r_parse_real(&wanted, label) && l2r_dataset_class_name(s->data, 0, 0) == NULL) {
        status = cli_misuse(call, error, "--label: '%s' is not a number, and the classes have no names", label);
        goto done;
    }
    if (list) {
        L2R_TRY(parse_graphs(c, copy, s->data, s->where, call, error));
    } else {
        for (int64_t i = 0; i < s->n && (limit == 0 || (int64_t)c->n < limit); i++)
            if ((!label || has_label(s->data, s->graphs[i], label, wanted)) && !add(c, s->graphs[i]))
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

/* Masks that are all equal are no explanation: this is reported instead of a picture in one dark colour. */
static void warn_saturated(struct l2r_explanation *const *explanations, size_t n)
{
    size_t saturated = 0;
    for (size_t i = 0; i < n; i++) saturated += explanations[i]->saturated;
    if (saturated > 0)
        fprintf(stderr,
                "note: in %zu of %zu graphs all masks are equal and explain nothing; try another --edge-size, or "
                "--explainer shapley, which needs no masks\n",
                saturated, n);
}

static void show_progress(void *context, const char *what, int64_t n_done, int64_t n)
{
    char bar[512];
    (void)context;
    if (!cli_terminal_is_live(stderr) || strcmp(what, "graphs explained") != 0) return;
    cli_format_bar(bar, sizeof bar, stderr, (double)n_done / (double)n, 30);
    fprintf(stderr, "\rexplained %lld/%lld  %s", (long long)n_done, (long long)n, bar);
    if (n_done == n) fprintf(stderr, "\r\033[K");
    fflush(stderr);
}

/* Lists the first rows of the table without a molecule: the numbers of graphs skip them. */
static void report_skipped(const struct cli_selection *s)
{
    int64_t line, n = l2r_notes_dropped(s->data, 0, NULL, NULL, 0);
    char reason[200];
    for (int64_t i = 0; i < n && i < SHOWN; i++) {
        (void)l2r_notes_dropped(s->data, i, &line, reason, sizeof reason);
        if (line >= 0) fprintf(stderr, "%s:%lld: skipped: %s\n", s->where, (long long)line, reason);
    }
    if (n > SHOWN)
        fprintf(stderr, "%s: %lld rows were skipped in all; explanations.json lists them\n", s->where, (long long)n);
}

/* Which members of a committee are explained, since it may not be all. */
static enum l2r_status report_subject(const struct l2r_committee *model, enum l2r_explainer_kind kind, bool fragments,
                                      struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_subject subject;
    char sentence[1600], before[1600] = "";
    L2R_TRY(l2r_subject_init(&subject, model, kind, error));
    l2r_subject_describe(before, sizeof before, &subject);
    if (*before) fprintf(stderr, "%s\n", before);
    l2r_subject_clear(&subject);
    if (!fragments) goto done;
    L2R_TRY(l2r_subject_init(&subject, model, L2R_EXPLAINER_OCCLUSION, error));
    l2r_subject_describe(sentence, sizeof sentence, &subject);
    if (*sentence && strcmp(sentence, before) != 0) fprintf(stderr, "fragments %s\n", sentence);
done:
    l2r_subject_clear(&subject);
    return status;
}

/* Does no member read the graph, and do trees have contributions of features? */
static bool are_trees(const struct l2r_committee *model)
{
    bool explained = false;
    for (int32_t k = 0; k < model->n; k++) {
        const struct l2r_model_type *type = model->members[k]->type;
        if (!type->reads_features) return false;
        explained = explained || type->contributions;
    }
    return explained;
}

/* Trees have no masks: what each feature adds to the answer. */
static enum l2r_status explain_trees(const struct l2r_predictor *predictor, const struct cli_selection *selection,
                                     const struct chosen *chosen, struct l2r_explain_settings *settings,
                                     struct cli_call *call, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char dir[CLI_PATH], names[400];
    FILE *lines = l2r_config_flag(call->options, "json") ? NULL : stdout;
    if (l2r_config_flag(call->options, "fragments"))
        L2R_FAIL(L2R_ERR_ARGUMENT,
                 "--fragments: %s reads features of whole molecules, so no fragment can be taken away from it",
                 l2r_predictor_committee(predictor)->members[0]->type->name);
    settings->explainer = L2R_EXPLAINER_MASKS; /* whatever explainer was set: features need none, and no single task */
    L2R_TRY(l2r_explain_check(settings, l2r_predictor_committee(predictor), selection->data, error));
    L2R_TRY(folder_of(dir, call, error));
    L2R_TRY(cli_explanations_check(dir, NULL, 0, 0, error));
    L2R_TRY(cli_contributions_write(dir, lines, predictor, selection->data, chosen->graphs, (int64_t)chosen->n,
                                    settings->task, error));
    cli_contributions_members(names, sizeof names, l2r_predictor_committee(predictor));
    fprintf(stderr, "contributions of features to %zu prediction%s of %s in %s/contributions.csv\n", chosen->n,
            chosen->n == 1 ? "" : "s", names, dir);
done:
    return status;
}

/* Molecules are explained by what atoms and bonds contribute, whose sum is the answer, unless another explainer or
 * an option of masks is typed. */
static enum l2r_status suit_molecules(struct cli_call *call, const struct l2r_predictor *predictor,
                                      struct l2r_error *error)
{
    static const char *const others[] = {"explainer", "target",       "steps",        "lr",   "restarts",
                                         "edge-size", "edge-entropy", "feature-size", "motif"};
    const struct l2r_signature *s = l2r_predictor_signature(predictor);
    bool molecules = s->n_node_columns == L2R_ATOM_COLUMNS && s->n_edge_columns == L2R_BOND_COLUMNS &&
                     s->n_node_values == 0 && s->n_tasks == 1;
    for (size_t i = 0; molecules && i < sizeof others / sizeof *others; i++)
        if (l2r_config_has(call->options, others[i]) && l2r_config_was_set(call->options, others[i])) molecules = false;
    return molecules ? l2r_config_set_default(call->options, "explainer", "shapley", error) : L2R_OK;
}

static enum l2r_status run(struct cli_call *call, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_predictor *predictor = NULL;
    struct cli_selection selection = {0};
    struct chosen chosen = {0};
    struct l2r_explanation **explanations = NULL;
    struct l2r_fragments fragments = {0};
    char dir[CLI_PATH], names[400];
    /* bits as L2R_DRAW_SVG and L2R_DRAW_PNG */
    unsigned formats = l2r_config_flag(call->options, "draw") ? l2r_config_list(call->options, "format") : 0;
    struct l2r_explain_settings settings;
    struct l2r_watch watch = L2R_WATCH_INIT;
    watch.progress = show_progress;
    watch.stop = cli_stop_requested;
    L2R_TRY(cli_open_member(&predictor, call->arguments[0], l2r_config_int(call->options, "member"), error));
    L2R_TRY(suit_molecules(call, predictor, error));
    settings = l2r_explain_settings_of(call->options);
    bool listed = l2r_config_text(call->options, "graph") != NULL;
    if (listed && (l2r_config_text(call->options, "part") || l2r_config_text(call->options, "label"))) {
        status = cli_misuse(call, error, "--graph names the graphs; it cannot be combined with --part or --label");
        goto done;
    }
    bool labels = settings.use_label || l2r_config_text(call->options, "label") != NULL;
    L2R_TRY(cli_selection_load(&selection, predictor, call, listed ? "all" : "test", labels, error));
    L2R_TRY(choose(&chosen, &selection, call, error));
    report_skipped(&selection);
    const struct l2r_committee *model = l2r_predictor_committee(predictor);
    bool wanted = l2r_config_flag(call->options, "fragments");
    if (are_trees(model)) {
        status = explain_trees(predictor, &selection, &chosen, &settings, call, error);
        goto done;
    }
    L2R_TRY(l2r_explain_check(&settings, model, selection.data, error));
    L2R_TRY(report_subject(model, settings.explainer, wanted, error));
    L2R_TRY(folder_of(dir, call, error));
    L2R_TRY(cli_explanations_check(dir, chosen.graphs, (int64_t)chosen.n, formats, error));
    explanations = l2r_alloc(chosen.n, sizeof *explanations);
    if (!explanations) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: %zu explanations", chosen.n);
    cli_interrupt_catch();
    L2R_TRY(l2r_watch_set(&watch, error));
    L2R_TRY(
        l2r_explain(explanations, predictor, selection.data, chosen.graphs, (int64_t)chosen.n, call->options, error));
    L2R_TRY(l2r_watch_set(NULL, error));
    const struct l2r_explained all = {.run = call->arguments[0],
                                      .data_name = selection.where,
                                      .model = model,
                                      .data = selection.data,
                                      .settings = &settings,
                                      .explanations = explanations,
                                      .n = (int64_t)chosen.n};
    if (wanted)
        L2R_TRY(l2r_fragments_find(&fragments, predictor, selection.data, explanations, (int64_t)chosen.n, error));
    L2R_TRY(cli_explanations_write(&all, wanted ? &fragments : NULL, dir, predictor, formats, error));
    L2R_TRY(cli_explanations_print(&all, wanted ? &fragments : NULL, l2r_config_flag(call->options, "json"), error));
    warn_saturated(explanations, chosen.n);
    if (cli_contributions_members(names, sizeof names, model) > 0)
        fprintf(stderr, "contributions of features to the predictions of %s: %s/contributions.csv\n", names, dir);
    fprintf(stderr, "%zu explanation%s in %s\n", chosen.n, chosen.n == 1 ? "" : "s", dir);
done:
    l2r_fragments_clear(&fragments);
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
        "log-odds; Shapley values add up to it, occlusions need not. With --explainer gates a model of --method gsat "
        "shows the gates that it has on its edges. Of a committee occlusion, shapley and --fragments explain the mean "
        "of all members that read the graph, the others one network; the command says which, and answer is what all "
        "members say together, as in l2r predict. The same call always writes the same files. The table shows means "
        "over the graphs: p of the target; fidelity+, how much p drops when the important edges are removed; "
        "fidelity-, how much it drops when only they are kept; sparsity, the fraction of edges that are not important; "
        "and, where the data marks planted motifs, how well importance finds the motif. Of trees (--model boost, "
        "forest, or members of a committee) DIR/contributions.csv says what each feature of the molecule adds to the "
        "answer. DIR/graphs.csv has the line, name and SMILES of every graph with its answer. --fragments takes the "
        "molecules apart (BRICS) and lists the building blocks: by how much the answer drops without one, on average "
        "over the graphs explained, and how often it occurs. Files in DIR that l2r explain did not write are never "
        "replaced.",
    .examples = "l2r explain runs/motif-gin-erm-0 --graph 3001,3003\n"
                "l2r explain runs/motif-gin-erm-0 --part test --label 1 --limit 100\n"
                "l2r explain runs/bace-gin-l2r-0 --out why --restarts 10\n"
                "l2r explain runs/esol --explainer shapley --graph 17 --important 6\n"
                "l2r explain runs/esol --explainer occlusion --fragments --no-draw",
    .section = CLI_SECTION_MODELS,
    .min_arguments = 1,
    .max_arguments = 1,
    .options = {options, l2r_explain_options, cli_selection_options, l2r_data_options},
    .declare = cli_declare_split,
    .run = run,
};

_Static_assert(L2R_DRAW_SVG == 1 && L2R_DRAW_PNG == 2, "the choices of --format stand in the order of the bits");
