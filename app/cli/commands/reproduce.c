/* SPDX-License-Identifier: MIT
 *
 * l2r reproduce: makes tables and figures again, from training to drawing (reproduce/reproduction.h).
 */
#include "base/memory.h"
#include "base/threads.h"
#include "cli/command.h"
#include "cli/display.h"
#include "cli/process.h"
#include "cli/runs.h"
#include "cli/terminal.h"
#include "comm/comm.h"
#include "io/file.h"
#include "reproduce/reproduction.h"

#include <stdio.h>
#include <string.h>

enum { MOST_NAMES = 64 };

static const struct l2r_option options[] = {
    {.name = "list", .kind = L2R_OPTION_FLAG, .group = "What", .help = "list what can be reproduced and exit"},
    {.name = "data-root",
     .kind = L2R_OPTION_TEXT,
     .value = "DIR",
     .fallback = ".",
     .help = "folder that holds ogb/bace, tu/PROTEINS.zip and so on"},
    {.name = "seeds",
     .kind = L2R_OPTION_TEXT,
     .value = "LIST",
     .help = "seeds, as in 0-9 or 0,3,5, instead of those of the table; a data set with fewer takes the first ones"},
    {.name = "only", .kind = L2R_OPTION_TEXT, .value = "SYSTEM,…", .help = "only these rows"},
    {.name = "sets", .kind = L2R_OPTION_TEXT, .value = "NAME,…", .help = "only these data sets"},
    {.name = "epochs", .kind = L2R_OPTION_TEXT, .value = "N", .help = "epochs, instead of those of the table"},
    {.name = "set",
     .kind = L2R_OPTION_TEXT,
     .value = "OPTION=VALUE,…",
     .help = "options of l2r train for every run whose system has them"},
    {.name = "quick",
     .kind = L2R_OPTION_FLAG,
     .help = "a small version on generated graphs that checks that everything works; ignore its numbers"},
    {.name = "show", .kind = L2R_OPTION_FLAG, .help = "only rebuild the tables and figures from existing results"},
    {.name = "out",
     .kind = L2R_OPTION_TEXT,
     .value = "DIR",
     .group = "Output",
     .help = "folder of runs, tables and figures; by default runs/reproduce, or runs/reproduce-quick"},
    {.name = "results",
     .kind = L2R_OPTION_TEXT,
     .value = "FILE",
     .help = "file of finished runs, one per line; by default OUT/results.jsonl"},
    {.name = "jobs",
     .kind = L2R_OPTION_INT,
     .fallback = "0",
     .min = 0,
     .max = 256,
     .help = "number of parallel runs, one thread each; 0: one per core. A single run uses all threads"},
    CLI_OPTION_QUIET,
    {0}};

static void on_start(void *context, const struct l2r_reproduce_start *start)
{
    struct cli_jobs_display *display = context;
    char time[32];
    if (display->quiet) return;
    fprintf(display->stream, "%zu runs, %zu done already", start->n_planned,
            start->n_planned - start->n_equal - start->n_todo);
    if (start->n_equal > 0) fprintf(display->stream, ", %zu the same as others", start->n_equal);
    if (start->n_todo > 0)
        fprintf(display->stream, "; %zu to do, %d at a time, about %s", start->n_todo, start->n_workers,
                cli_format_duration(time, sizeof time, start->seconds));
    fprintf(display->stream, "\n");
    fflush(display->stream);
}

static void on_progress(void *context, const struct l2r_runner_state *state, const struct l2r_job *jobs)
{
    cli_jobs_display_progress(context, state, jobs);
}

static void on_finished(void *context, const char *label, const struct l2r_result *result)
{
    cli_jobs_display_finished(context, label, result);
}

static void on_failed(void *context, const char *label, const char *why)
{
    struct cli_jobs_display *display = context;
    char text[2048];
    cli_jobs_display_erase(display);
    fflush(display->stream);
    fprintf(stderr, "l2r: %s: %s\n", label, cli_format_options(text, sizeof text, why));
}

static void print_line(void *context, const char *line)
{
    cli_jobs_display_erase(context);
    printf("%s\n", line);
}

static enum l2r_status print_list(struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct cli_table table;
    cli_table_init(&table, "ll");
    table.no_heading = true;
    for (const struct l2r_spec_text *text = l2r_spec_texts; text->name != NULL; text++) {
        struct l2r_spec spec = {0};
        status = l2r_spec_load(&spec, text->name, false, error);
        if (status == L2R_OK) {
            cli_table_add(&table, "%s", spec.name);
            cli_table_add(&table, "%s", spec.title);
        }
        l2r_spec_clear(&spec);
        if (status != L2R_OK) goto done;
    }
    cli_table_print(&table, stdout, "");
done:
    cli_table_clear(&table);
    return status;
}

static bool is_known(const char *name)
{
    size_t length = strlen(name);
    if (length > 5 && strcmp(name + length - 5, ".json") == 0) return true;
    for (const struct l2r_spec_text *text = l2r_spec_texts; text->name != NULL; text++)
        if (strcmp(text->name, name) == 0) return true;
    return false;
}

static enum l2r_status refuse(struct cli_call *call, const char *name, struct l2r_error *error)
{
    struct cli_nearest nearest = {.word = name};
    for (const struct l2r_spec_text *text = l2r_spec_texts; text->name != NULL; text++)
        cli_nearest_try(&nearest, text->name);
    if (nearest.best != NULL)
        return cli_misuse(call, error, "cannot reproduce '%s'; did you mean '%s'?", name, nearest.best);
    return cli_misuse(call, error, "cannot reproduce '%s'; 'l2r reproduce' lists what can be reproduced", name);
}

static bool is_of_the_paper(const char *name)
{
    return strncmp(name, "table", 5) == 0 || strncmp(name, "fig-", 4) == 0;
}

/* The names on the command line; "all" stands for the tables and figures of the paper. */
static enum l2r_status gather_names(const char **names, int *n, struct cli_call *call, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    *n = 0;
    for (int i = 0; i < call->n_arguments; i++) {
        bool all = strcmp(call->arguments[i], "all") == 0;
        if (!all && !is_known(call->arguments[i])) return refuse(call, call->arguments[i], error);
        if (!all && *n < MOST_NAMES) names[(*n)++] = call->arguments[i];
        for (const struct l2r_spec_text *text = l2r_spec_texts; all && text->name != NULL && *n < MOST_NAMES; text++)
            if (is_of_the_paper(text->name)) names[(*n)++] = text->name;
    }
    for (int i = 0; i < *n; i++)
        for (int k = 0; k < i; k++)
            if (strcmp(names[i], names[k]) == 0) return cli_misuse(call, error, "'%s' is named twice", names[i]);
    return status;
}

/* --epochs is a shorthand for the most common --set. */
static void join_settings(char *out, size_t size, const struct l2r_config *typed)
{
    const char *epochs = l2r_config_text(typed, "epochs"), *set = l2r_config_text(typed, "set");
    snprintf(out, size, "%s%s%s%s", epochs != NULL ? "epochs=" : "", epochs != NULL ? epochs : "",
             epochs != NULL && set != NULL ? "," : "", set != NULL ? set : "");
}

static enum l2r_status reproduce(struct cli_call *call, const char *const *names, int n_names,
                                 const struct cli_seeds *seeds, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char set[2048];
    struct cli_jobs_display display;
    size_t n_failed = 0;
    const char *out = l2r_config_text(call->options, "out");
    bool quick = l2r_config_flag(call->options, "quick");
    if (out == NULL) out = quick ? "runs/reproduce-quick" : "runs/reproduce";
    join_settings(set, sizeof set, call->options);
    cli_jobs_display_init(&display, stdout, l2r_config_flag(call->options, "quiet"));
    cli_interrupt_catch();
    if (call->comm != NULL) l2r_threads_set(call->comm->threads);
    const struct l2r_reproduce_order order = {.names = names,
                                              .n_names = n_names,
                                              .dir = out,
                                              .results = l2r_config_text(call->options, "results"),
                                              .quick = quick,
                                              .show = l2r_config_flag(call->options, "show"),
                                              .plan = {.data_root = l2r_config_text(call->options, "data-root"),
                                                       .seeds = seeds->values,
                                                       .n_seeds = seeds->n,
                                                       .only = l2r_config_text(call->options, "only"),
                                                       .sets = l2r_config_text(call->options, "sets"),
                                                       .set = set},
                                              .n_workers = (int)l2r_config_int(call->options, "jobs"),
                                              .comm = call->comm,
                                              .context = &display,
                                              .start = on_start,
                                              .progress = on_progress,
                                              .finished = on_finished,
                                              .failed = on_failed,
                                              .report = print_line,
                                              .stop = cli_stop_requested};
    L2R_TRY(l2r_reproduce_all(&order, &n_failed, error));
    for (int i = 0; i < n_names; i++) printf("%s in %s\n", names[i], out);
    if (n_failed > 0) L2R_FAIL(L2R_ERR_DIVERGED, "%zu runs failed; run the same command again to retry them", n_failed);
done:
    cli_jobs_display_erase(&display);
    if (status == L2R_ERR_INTERRUPTED)
        l2r_fail(error, status, "interrupted; the same command continues where it stopped");
    return status;
}

static enum l2r_status run(struct cli_call *call, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const char *names[MOST_NAMES], *list = l2r_config_text(call->options, "seeds");
    struct cli_seeds seeds = {.n = 0};
    int n_names;
    if (call->n_arguments == 0 || l2r_config_flag(call->options, "list")) return print_list(error);
    if ((status = gather_names(names, &n_names, call, error)) != L2R_OK) return status;
    if (list != NULL && (status = cli_seeds_parse(&seeds, list, error)) != L2R_OK) {
        call->misuse = true;
        return status;
    }
    return reproduce(call, names, n_names, &seeds, error);
}

const struct l2r_command l2r_command_reproduce = {
    .name = "reproduce",
    .summary = "reproduce tables and figures of the paper, from training to drawing",
    .usage = "[NAME…] [--data-root DIR] [--quick] [--out DIR] [OPTIONS]",
    .about = "Without NAME it lists what can be reproduced; 'all' is every table and figure of the paper; a file "
             "ending in .json defines a table of your own (share/reproduce/table1.json is an example). Trains every "
             "system on every data set for every seed, several runs in parallel, and writes OUT/NAME.md, .csv and "
             ".tex: mean and standard deviation beside the paper's values, paired differences from the backbone with "
             "95 % intervals, effective sample sizes, times. Each finished run is a line of OUT/results.jsonl and is "
             "never repeated; a stopped one is continued: the command can be stopped or killed and started again at "
             "any time, with the same outcome. Changed options add new runs beside the old ones. Figures are drawn by "
             "gnuplot as OUT/NAME.svg and .pdf from NAME.dat and NAME.gp, which are written even without gnuplot. "
             "fig-cases trains GCN with and without learned weights on the biased motif set, explains three test "
             "graphs that hold a wheel and a star, and draws both models side by side.",
    .examples = "l2r reproduce\n"
                "l2r reproduce table1 table2 --data-root data --seeds 0-2\n"
                "l2r reproduce table1 --data-root data --sets BACE,ESOL --only GIN,L2R-GNN\n"
                "l2r reproduce table1 --show\n"
                "l2r reproduce fig-mu fig-ablation --seeds 0-4\n"
                "l2r reproduce fig-cases --quick",
    .section = CLI_SECTION_MODELS,
    .max_arguments = MOST_NAMES,
    .divides = true,
    .options = {options},
    .run = run,
};
