/* SPDX-License-Identifier: MIT
 * See explanation_summary.h. */
#include "cli/explanation_summary.h"

#include "base/json.h"
#include "cli/runs.h"
#include "cli/terminal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SHOWN = 10 /* fragments */ };

static double number(const json_t *value)
{
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

/* Is only a part of a committee explained, and is it of one task? */
static bool is_part(const struct l2r_explained *all)
{
    const struct l2r_explanation *e = all->explanations[0];
    return e->n_explained < e->n_members && !isnan(e->answer);
}

/* A regression has values where classes have probabilities; fidelity is defined for both. If some members of a
 * committee are not explained, the prediction of all members comes first. */
static void print_table(const json_t *summary, bool values, bool answers)
{
    static const char *const heads[] = {"p",        "fidelity+",   "fidelity-", "sparsity",
                                        "node AUC", "node prec@k", "edge AUC",  "edge prec@k"};
    const json_t *first = json_array_get(summary, 0);
    int n_scores =
        json_is_null(json_object_get(first, "node_auc")) ? 4 : 8; /* without marks there is no ground truth */
    char alignment[] = "lrrrrrrrrrr";
    struct cli_table table;
    alignment[2 + answers + n_scores] = '\0';
    cli_table_init(&table, alignment);
    cli_table_add(&table, "graphs");
    cli_table_add(&table, "n");
    if (answers) cli_table_add(&table, "answer");
    cli_table_add(&table, "%s", values ? "value" : heads[0]);
    for (int score = 1; score < n_scores; score++) cli_table_add(&table, "%s", heads[score]);
    for (size_t i = 0; i < json_array_size(summary); i++) {
        const json_t *row = json_array_get(summary, i);
        cli_table_add(&table, "%s", json_string_value(json_object_get(row, "graphs")));
        cli_table_add(&table, "%lld", (long long)json_integer_value(json_object_get(row, "n")));
        if (answers) cli_table_add_score(&table, number(json_object_get(row, "answer")));
        for (int score = 0; score < n_scores; score++) {
            const char *name = values && score == 0 ? "value" : l2r_explanation_score_names[score];
            cli_table_add_score(&table, number(json_object_get(row, name)));
        }
    }
    cli_table_print(&table, stdout, "");
    cli_table_clear(&table);
}

/* The fragments that matter most. */
static void print_fragments(const struct l2r_fragments *fragments, const struct l2r_signature *s, int32_t task)
{
    struct cli_table table;
    bool classes = s->task == L2R_TASK_MULTICLASS;
    const char *one = l2r_signature_class_name(s, task, 1), *of = l2r_signature_task_name(s, task);
    printf("\n%zu fragment%s of %lld molecule%s; contributions to ", fragments->n, fragments->n == 1 ? "" : "s",
           (long long)fragments->molecules, fragments->molecules == 1 ? "" : "s");
    if (s->task == L2R_TASK_REGRESSION)
        printf("the value");
    else
        printf("the log-odds of %s%s",
               classes       ? "the class"
               : one == NULL ? "class 1"
                             : "class ",
               classes || one == NULL ? "" : one);
    printf("%s%.60s\n", s->n_tasks > 1 && of ? " of " : "", s->n_tasks > 1 && of ? of : "");
    cli_table_init(&table, classes ? "llrrrr" : "lrrrr");
    cli_table_add(&table, "fragment");
    if (classes) cli_table_add(&table, "class");
    cli_table_add(&table, "molecules");
    cli_table_add(&table, "count");
    cli_table_add(&table, "mean");
    cli_table_add(&table, "sd");
    for (size_t k = 0; k < fragments->n && k < SHOWN; k++) {
        const struct l2r_fragment *f = &fragments->items[k];
        const char *word = classes ? l2r_signature_class_name(s, 0, f->target) : NULL;
        cli_table_add(&table, "%.60s%s", f->smiles, strlen(f->smiles) > 60 ? "…" : "");
        if (classes && word != NULL) cli_table_add(&table, "%.30s", word);
        if (classes && word == NULL) cli_table_add(&table, "%lld", (long long)s->class_value[f->target]);
        cli_table_add(&table, "%lld", (long long)f->molecules);
        cli_table_add(&table, "%lld", (long long)f->count);
        cli_table_add(&table, "%+.4f", f->mean);
        cli_table_add_score(&table, f->sd);
    }
    cli_table_print(&table, stdout, "");
    cli_table_clear(&table);
}

enum l2r_status cli_explanations_print(const struct l2r_explained *all, const struct l2r_fragments *fragments,
                                       bool json, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_signature *s = l2r_committee_signature(all->model);
    json_t *summary = l2r_explanations_summary(all);
    if (json && fragments != NULL)
        L2R_TRY(cli_json_print(
            stdout, json_pack("{s:O, s:o}", "summary", summary, "fragments", l2r_fragments_to_json(fragments, s)),
            error));
    else if (json)
        L2R_TRY(cli_json_print(stdout, json_incref(summary), error));
    else
        print_table(summary, s->task == L2R_TASK_REGRESSION, is_part(all));
    if (!json && fragments != NULL) print_fragments(fragments, s, all->settings->task < 0 ? 0 : all->settings->task);
done:
    json_decref(summary);
    return status;
}
