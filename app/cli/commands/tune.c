/* SPDX-License-Identifier: MIT
 *
 * l2r tune: chooses hyper-parameters on the validation graphs, with the same budget for every method (tune/study.h).
 *
 * All options of `l2r train` hold for every trial except those that --space names. With several methods an option may
 * belong to only one of them; it is then set, or searched, where it exists.
 */
#include "base/memory.h"
#include "base/threads.h"
#include "cli/command.h"
#include "cli/display.h"
#include "cli/process.h"
#include "cli/runs.h"
#include "cli/terminal.h"
#include "cli/tuning.h"
#include "fit/options.h"
#include "io/file.h"
#include "io/json_file.h"
#include "methods/method.h"
#include "recipe/table_defaults.h"

#include <stdio.h>
#include <string.h>

static const struct l2r_option options[] = {
    {.name = "space",
     .kind = L2R_OPTION_TEXT,
     .value = "LIST",
     .group = "Search",
     .help = "options to search and their values, as in lr=1e-4..1e-2:log,hidden=64|128,dropout=0..0.6; default: what "
             "the model and the methods name, see l2r list methods --json"},
    {.name = "search",
     .kind = L2R_OPTION_CHOICE,
     .choices = "random|grid",
     .fallback = "random",
     .help = "random draws, or every combination (ranges as in dropout=0..0.6:4)"},
    {.name = "trials",
     .kind = L2R_OPTION_INT,
     .fallback = "20",
     .min = 1,
     .max = 100000,
     .help = "draws per method; for a grid, the maximum number of combinations"},
    {.name = "methods",
     .kind = L2R_OPTION_TEXT,
     .value = "A,B,…",
     .help = "tune several methods with the same budget and the same draws, instead of --method"},
    {.name = "seeds",
     .kind = L2R_OPTION_TEXT,
     .value = "LIST",
     .help = "train every trial once for each seed, as in 0-2, and rank by the mean; by default only --seed"},
    {.name = "search-seed",
     .kind = L2R_OPTION_INT,
     .fallback = "0",
     .min = 0,
     .max = 4294967295.0,
     .help = "seed of the draws"},
    {.name = "median-stop",
     .kind = L2R_OPTION_INT,
     .fallback = "0",
     .min = 0,
     .max = 1e6,
     .help = "from this epoch on stop runs below the median of earlier trials; 0: never"},
    {.name = "final", .kind = L2R_OPTION_FLAG, .help = "then train and test the winner of each method with all seeds"},
    {.name = "out",
     .kind = L2R_OPTION_TEXT,
     .value = "DIR",
     .group = "Run",
     .help = "folder of the study; finished runs in it are not repeated; by default runs/DATA-MODEL-tune"},
    {.name = "jobs",
     .kind = L2R_OPTION_INT,
     .fallback = "0",
     .min = 0,
     .max = 256,
     .help = "number of parallel runs, one thread each; 0: one per core"},
    {.name = "json", .kind = L2R_OPTION_FLAG, .help = "print the result as JSON; progress goes to stderr"},
    CLI_OPTION_QUIET,
    {0}};

enum { MOST_METHODS = 16, NAME = 64 };

struct names {
    char list[MOST_METHODS][NAME];
    int n;
};

/* "erm,l2r" */
static enum l2r_status split_names(struct names *names, struct cli_call *call, const char *text,
                                   struct l2r_error *error)
{
    names->n = 0;
    for (const char *at = text;; at++) {
        size_t length = strcspn(at, ",");
        if (names->n == MOST_METHODS) return cli_misuse(call, error, "--methods: more than %d methods", MOST_METHODS);
        char *name = names->list[names->n];
        snprintf(name, NAME, "%.*s", (int)length, at);
        struct cli_nearest nearest = {.word = name};
        for (size_t i = 0; l2r_methods[i] != NULL; i++) cli_nearest_try(&nearest, l2r_methods[i]->name);
        if (nearest.best != NULL && nearest.distance > 0)
            return cli_misuse(call, error, "there is no method '%s'; did you mean '%s'?", name, nearest.best);
        for (int i = 0; i < names->n; i++)
            if (strcmp(names->list[i], name) == 0)
                return cli_misuse(call, error, "--methods %s: %s is listed twice", text, name);
        names->n++;
        at += length;
        if (*at == '\0') return L2R_OK;
    }
}

/* The options of the model and of all methods together; make_base picks values and defaults for each method. */
static enum l2r_status declare(struct cli_call *call, int argc, char **argv, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct names names;
    const char *model = cli_arguments_peek(argc, argv, "model", L2R_OPTION_TEXT);
    const char *method = cli_arguments_peek(argc, argv, "method", L2R_OPTION_TEXT);
    const char *methods = cli_arguments_peek(argc, argv, "methods", L2R_OPTION_TEXT);
    if (method != NULL && methods != NULL)
        return cli_misuse(call, error, "--method and --methods cannot be combined; name all of them with --methods");
    const char *data = cli_arguments_peek(argc, argv, "data", L2R_OPTION_TEXT);
    if (method == NULL) method = l2r_run_default("method", data);
    if (model == NULL) model = l2r_run_default("model", data);
    L2R_TRY(split_names(&names, call, methods != NULL ? methods : method, error));
    L2R_TRY(l2r_run_declare(call->subject, model, names.list[0], error));
    L2R_TRY(l2r_run_suit(call->subject, data, error));
    for (int i = 1; i < names.n; i++) {
        const struct l2r_method *how = l2r_method_find(names.list[i]);
        if (how == NULL)
            return cli_misuse(call, error, "there is no method '%s'; 'l2r list methods' lists them", names.list[i]);
        L2R_TRY(l2r_config_declare(call->subject, how->options, error));
        for (int k = 0; k < L2R_MOST_SHARED && how->shared[k] != NULL; k++)
            L2R_TRY(l2r_config_declare(call->subject, how->shared[k], error));
    }
done:
    return status;
}

/* The options that were set, for one method. */
static enum l2r_status make_base(struct l2r_config **base, const struct l2r_config *typed, const char *method,
                                 struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_option *option;
    L2R_TRY(l2r_config_new(base, error));
    L2R_TRY(l2r_run_declare(*base, l2r_config_text(typed, "model"), method, error));
    L2R_TRY(l2r_run_suit(*base, l2r_config_text(typed, "data"), error));
    for (size_t i = 0; (option = l2r_config_option(typed, i)) != NULL; i++) {
        bool fixed = strcmp(option->name, "method") == 0 || strcmp(option->name, "model") == 0;
        if (fixed || !l2r_config_was_set(typed, option->name) || !l2r_config_has(*base, option->name)) continue;
        L2R_TRY(l2r_config_set(*base, option->name, l2r_config_text(typed, option->name), error));
    }
done:
    return status;
}

/* One use of the command, while it runs. */
struct job {
    struct cli_call *call;
    struct names names;
    struct l2r_config *bases[MOST_METHODS];
    struct l2r_space space;
    struct l2r_search search;
    struct cli_seeds seeds;
    char seeds_text[32];
    const char *typed_seeds;
    char out[CLI_PATH];
    struct cli_jobs_display display;
    FILE *progress;
    size_t n_ended;
};

static void on_progress(void *context, const struct l2r_runner_state *state, const struct l2r_job *jobs)
{
    struct job *job = context;
    cli_jobs_display_progress(&job->display, state, jobs);
}

/* In a pipe: "[12/60] l2r trial 3 seed 0: valid accuracy 0.8125 @ 12, 0:04". */
static void on_ended(void *context, const char *label, const json_t *line)
{
    struct job *job = context;
    char score[32], time[32];
    const char *outcome = json_string_value(json_object_get(line, "outcome"));
    const char *why = json_string_value(json_object_get(line, "why"));
    job->n_ended++;
    if (job->display.quiet || job->display.live) return;
    fprintf(job->progress, "[%zu/%zu] %s: ", job->n_ended, job->display.n_jobs, label);
    if (why != NULL)
        fprintf(job->progress, "%s: %s\n", outcome, why);
    else
        fprintf(job->progress, "%svalid %s %s @ %lld, %s\n", strcmp(outcome, "stopped") == 0 ? "stopped at " : "",
                json_string_value(json_object_get(line, "metric")),
                cli_format_score(score, sizeof score, l2r_line_number(line, "valid")),
                (long long)json_integer_value(json_object_get(line, "best_epoch")),
                cli_format_duration(time, sizeof time, l2r_line_number(line, "seconds")));
    fflush(job->progress);
}

static enum l2r_status prepare(struct job *job, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct cli_call *call = job->call;
    const char *methods = l2r_config_text(call->options, "methods"), *text = l2r_config_text(call->options, "space");
    if (l2r_config_text(call->subject, "data") == NULL)
        return cli_misuse(call, error, "'l2r tune' needs --data: a folder, a zip, or a generator such as motif:mu=0.8");
    L2R_TRY(l2r_config_check_texts(call->subject, error));
    L2R_TRY(
        split_names(&job->names, call, methods != NULL ? methods : l2r_config_text(call->subject, "method"), error));
    for (int m = 0; m < job->names.n; m++) L2R_TRY(make_base(&job->bases[m], call->subject, job->names.list[m], error));
    char known[L2R_SPACE_DEFAULT];
    l2r_space_default(known, call->subject, (const struct l2r_config *const *)job->bases, job->names.n);
    if (text == NULL && known[0] == '\0')
        L2R_FAIL(L2R_ERR_ARGUMENT,
                 "every option that is searched by default is given; say what to search with --space");
    if (text == NULL) text = known;
    L2R_TRY(l2r_space_parse(&job->space, text, (const struct l2r_config *const *)job->bases, job->names.n, error));
    for (size_t i = 0; i < job->space.n; i++)
        if (l2r_config_was_set(call->subject, job->space.dimensions[i].name))
            L2R_FAIL(L2R_ERR_ARGUMENT, "--%s is given and is also in --space; only one of them can set its value",
                     job->space.dimensions[i].name);
    job->typed_seeds = l2r_config_text(call->options, "seeds");
    snprintf(job->seeds_text, sizeof job->seeds_text, "%s", l2r_config_text(call->subject, "seed"));
    if (job->typed_seeds == NULL) job->typed_seeds = job->seeds_text;
    L2R_TRY(cli_seeds_parse(&job->seeds, job->typed_seeds, error));
    bool grid = l2r_config_is(call->options, "search", "grid");
    bool all = grid && !l2r_config_was_set(call->options, "trials");
    job->search = (struct l2r_search){.space = &job->space,
                                      .kind = grid ? L2R_SEARCH_GRID : L2R_SEARCH_RANDOM,
                                      .seed = (uint64_t)l2r_config_int(call->options, "search-seed"),
                                      .trials = all ? 0 : l2r_config_int(call->options, "trials")};
    int64_t n;
    for (int m = 0; m < job->names.n; m++) L2R_TRY(l2r_search_size(&n, &job->search, job->bases[m], error));
done:
    if (status == L2R_ERR_ARGUMENT) call->misuse = true;
    return status;
}

static void print_table_line(void *stream, const char *line)
{
    char text[1024];
    fprintf(stream, "table   %s\n", cli_format_options(text, sizeof text, line));
}

/* Prints the search space and the reader's notes on the data, as in l2r train. */
static void print_budget(const struct job *job, const struct l2r_study *study)
{
    const struct l2r_study_settings *s = &study->settings;
    const struct l2r_dataset *data = study->shared.n > 0 ? study->shared.sets[0].data : NULL;
    if (job->display.quiet) return;
    if (data != NULL) l2r_notes_report(data, 10, print_table_line, job->progress);
    fprintf(job->progress, "search  %s, %s\nbudget  ", l2r_config_text(job->call->options, "search"), job->space.text);
    for (int m = 0; m < s->n_methods; m++)
        fprintf(job->progress, "%s%s %lld trial%s", m > 0 ? ", " : "", job->names.list[m],
                (long long)study->n_trials[m], study->n_trials[m] == 1 ? "" : "s");
    fprintf(job->progress, " × %lld epoch%s × %d seed%s\nruns    %zu, %zu of them done before; in %s\n",
            (long long)l2r_config_int(s->bases[0], "epochs"), l2r_config_int(s->bases[0], "epochs") == 1 ? "" : "s",
            s->n_seeds, s->n_seeds == 1 ? "" : "s", study->n, study->n - l2r_study_left(study), s->dir);
    fflush(job->progress);
}

static enum l2r_status train_winners(struct cli_tuning *tuning, struct l2r_study *study,
                                     const struct l2r_study_callbacks *callbacks, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    size_t n = (size_t)study->settings.n_methods, n_seeds = (size_t)study->settings.n_seeds;
    tuning->finals = l2r_alloc(n, sizeof *tuning->finals);
    if (tuning->finals == NULL) return l2r_fail_memory(error, n * sizeof *tuning->finals, "results");
    for (size_t m = 0; m < n; m++) {
        tuning->finals[m] = l2r_alloc(n_seeds, sizeof **tuning->finals);
        if (tuning->finals[m] == NULL) L2R_FAIL(L2R_ERR_MEMORY, "out of memory for results");
        L2R_TRY(l2r_study_finish(tuning->finals[m], study, (int)m, tuning->scores[m][0].trial, callbacks, error));
    }
done:
    return status;
}

/* Prints the result and writes DIR/tune.json. */
static enum l2r_status report_result(struct job *job, const struct cli_tuning *tuning, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char path[CLI_PATH + 16];
    json_t *object = cli_tuning_to_json(tuning);
    snprintf(path, sizeof path, "%s/tune.json", job->out);
    L2R_TRY(l2r_json_write(object, path, error));
    if (l2r_config_flag(job->call->options, "json"))
        L2R_TRY(cli_json_print(stdout, json_incref(object), error));
    else
        cli_tuning_print(stdout, tuning);
done:
    json_decref(object);
    return status;
}

/* A file that would be overwritten at the end must be the result of a study. */
static enum l2r_status refuse_foreign(const struct job *job, struct l2r_error *error)
{
    char path[CLI_PATH + 16];
    json_t *object = NULL;
    (void)snprintf(path, sizeof path, "%s/tune.json", job->out);
    if (!l2r_path_is_there(path)) return L2R_OK;
    bool own = l2r_json_read(&object, path, NULL) == L2R_OK && json_is_array(json_object_get(object, "methods")) &&
               json_is_string(json_object_get(object, "space"));
    json_decref(object);
    if (own) return L2R_OK;
    return l2r_fail(error, L2R_ERR_ARGUMENT,
                    "%s exists and is not the result of a study; move it, or choose another --out", path);
}

static enum l2r_status tune(struct job *job, const struct l2r_study_settings *settings, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_study study;
    struct cli_tuning tuning = {0};
    const struct l2r_study_callbacks callbacks = {
        .context = job, .progress = on_progress, .ended = on_ended, .stop = cli_stop_requested};
    L2R_TRY(l2r_study_open(&study, settings, error));
    print_budget(job, &study);
    L2R_TRY(l2r_study_train(&study, &callbacks, error));
    L2R_TRY(cli_tuning_init(&tuning, &study, job->typed_seeds, error));
    if (l2r_config_flag(job->call->options, "final")) L2R_TRY(train_winners(&tuning, &study, &callbacks, error));
    cli_jobs_display_erase(&job->display);
    L2R_TRY(report_result(job, &tuning, error));
done:
    cli_jobs_display_erase(&job->display);
    if (status == L2R_ERR_INTERRUPTED)
        l2r_fail(error, status, "interrupted with %zu runs to go; the same command continues from there",
                 l2r_study_left(&study));
    cli_tuning_clear(&tuning);
    l2r_study_close(&study);
    return status;
}

static enum l2r_status run(struct cli_call *call, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct job job = {.call = call, .progress = l2r_config_flag(call->options, "json") ? stderr : stdout};
    const struct l2r_config *o = call->options;
    L2R_TRY(prepare(&job, error));
    if (l2r_config_text(o, "out") != NULL)
        snprintf(job.out, sizeof job.out, "%s", l2r_config_text(o, "out"));
    else
        cli_run_folder_tune(job.out, call->subject);
    L2R_TRY(refuse_foreign(&job, error));
    cli_jobs_display_init(&job.display, job.progress, l2r_config_flag(o, "quiet"));
    cli_interrupt_catch();
    const struct l2r_study_settings settings = {.dir = job.out,
                                                .search = job.search,
                                                .bases = job.bases,
                                                .n_methods = job.names.n,
                                                .seeds = job.seeds.values,
                                                .n_seeds = job.seeds.n,
                                                .median_from = l2r_config_int(o, "median-stop"),
                                                .n_workers = (int)l2r_config_int(o, "jobs")};
    L2R_TRY(tune(&job, &settings, error));
done:
    for (int m = 0; m < MOST_METHODS; m++) l2r_config_free(job.bases[m]);
    l2r_space_clear(&job.space);
    return status;
}

const struct l2r_command l2r_command_tune = {
    .name = "tune",
    .summary = "choose hyper-parameters on the validation graphs",
    .usage = "--data WHERE [--space LIST] [--model NAME] [--methods A,B,…] [OPTIONS]",
    .about = "Trains with many settings and ranks them by the validation score, averaged over the seeds; the test "
             "graphs are not scored. Every method gets the same number of trials, epochs and seeds, and the same draws "
             "of the options that it shares with the others. Each finished run is a line of DIR/trials.jsonl: the "
             "command can be killed and started again at any time, and a larger --trials extends it. At the end it "
             "prints the command that trains and tests the winner; --final runs it. All options of 'l2r train' hold "
             "for every trial; see docs/tuning.md.",
    .examples =
        "l2r tune --data motif:mu=0.8 --space lr=1e-4..1e-2:log,hidden=32|64 --trials 10 --epochs 20\n"
        "l2r tune --data PROTEINS.zip --methods erm,oodgnn,l2r --space lr=1e-4..1e-2:log,ess=0.3..0.9 --seeds 0-2\n"
        "l2r tune --data ogb/bace --space 'dropout=0..0.6:4,layers=2..5' --search grid --final",
    .section = CLI_SECTION_MODELS,
    .options = {options},
    .declare = declare,
    .run = run,
};
