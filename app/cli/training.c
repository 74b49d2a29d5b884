/* SPDX-License-Identifier: MIT
 *
 * See training.h: one run, or one for each of several seeds, folds of a cross-validation (--folds,
 * data/splits/folds.c) or replicates, which have a seed and a split of their own. Options: training_options.c. */
#include "cli/training.h"

#include "base/memory.h"
#include "cli/display.h"
#include "cli/process.h"
#include "cli/runs.h"
#include "cli/side_by_side.h"
#include "cli/terminal.h"
#include "fit/transfer.h"
#include "io/file.h"
#include "io/source.h"
#include "model/run_names.h"
#include "recipe/table_defaults.h"

#include <stdio.h>
#include <string.h>

/* For a table of molecules: prints the model and method chosen by default. */
static void report_choice(FILE *out, const struct l2r_config *config)
{
    const char *method = l2r_config_text(config, "method");
    const char *data = l2r_config_text(config, "data");
    if (!l2r_run_reads_table(data)) return;
    int64_t patience = l2r_config_int(config, "early-stop");
    const char *members = l2r_config_text(config, "members");
    if (members != NULL && strchr(members, ',') != NULL) {
        char names[512];
        l2r_committee_name(names, sizeof names, members, ", ", " and ");
        fprintf(out, "chosen  a committee of %s; predictions are their mean (--model NAME trains one)\n", names);
        return;
    }
    fprintf(out, "chosen  %s trained with %s%s", l2r_config_text(config, "model"), method,
            strcmp(method, "l2r") == 0 ? ", which reweights the training graphs for unfamiliar molecules" : "");
    if (patience > 0 && l2r_config_origin(config, "early-stop") != L2R_FROM_USER)
        fprintf(out, "; it stops after %lld epochs without improvement (--early-stop)", (long long)patience);
    fputc('\n', out);
}

/* One use of the command, while it runs. */
struct job {
    struct cli_call *call;
    struct cli_seeds members; /* n = 0: one run */
    struct cli_display display;
    char out[CLI_PATH];
    bool resume;
};

/* The options beside --resume --out that continue several runs. */
static void continue_with(char *extra, size_t size, const struct job *job)
{
    const struct l2r_config *config = job->call->subject;
    const char *seeds = l2r_config_text(job->call->options, "seeds");
    extra[0] = '\0';
    if (seeds != NULL) snprintf(extra, size, " --seeds %s", seeds);
    if (job->members.n > 0 && job->members.kind == L2R_SIBLING_FOLD)
        snprintf(extra, size, " --folds %d --seed %s", job->members.n, l2r_config_text(config, "seed"));
    if (job->members.n > 0 && job->members.kind == L2R_SIBLING_REPLICATE)
        snprintf(extra, size, " --replicates %d --seed %s --split-seed %s", job->members.n,
                 l2r_config_text(config, "seed"), l2r_config_text(config, "split-seed"));
}

/* Replaces the error of a stopped run: where it is saved and how to continue it. */
static enum l2r_status report_interrupted(const struct job *job, const char *dir, struct l2r_error *error)
{
    char state[CLI_PATH + 32], quoted[CLI_PATH], extra[CLI_PATH];
    snprintf(state, sizeof state, "%s/" L2R_STATE_FOLDER, dir);
    if (!l2r_path_is_dir(state)) return l2r_fail(error, L2R_ERR_INTERRUPTED, "interrupted before anything was saved");
    cli_format_shell(quoted, sizeof quoted, job->out);
    continue_with(extra, sizeof extra, job);
    return l2r_fail(
        error, L2R_ERR_INTERRUPTED,
        "interrupted in epoch %lld of %lld; saved in %.300s, continue with:\n  l2r %s --resume --out %.300s%.100s",
        (long long)job->display.epoch, (long long)job->display.n_epochs, dir, job->call->command->name, quoted, extra);
}

static enum l2r_status train_into(struct l2r_result **result, struct job *job, const struct l2r_config *config,
                                  const char *dir, struct l2r_error *error)
{
    struct l2r_callbacks callbacks = cli_display_callbacks(&job->display);
    struct l2r_run run = L2R_RUN_INIT;
    run.config = config;
    run.out = dir;
    run.resume = job->resume;
    run.callbacks = &callbacks;
    run.comm = job->call->comm;
    enum l2r_status status = l2r_train(result, NULL, &run, error);
    cli_display_erase(&job->display);
    return status == L2R_ERR_INTERRUPTED ? report_interrupted(job, dir, error) : status;
}

static enum l2r_status train_one(struct job *job, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_result *result = NULL;
    const struct l2r_config *config = job->call->subject;
    L2R_TRY(train_into(&result, job, config, job->out, error));
    if (l2r_config_flag(job->call->options, "json"))
        L2R_TRY(cli_json_print(
            stdout, cli_result_to_json(result, job->out, L2R_SIBLING_SEED, l2r_config_int(config, "seed")), error));
    else
        cli_result_print(stdout, result, job->out);
done:
    l2r_result_free(result);
    return status;
}

/* Sets the options of run `number` of several: its seed, its fold, or a seed and a split. */
static enum l2r_status set_member(struct l2r_config *config, enum l2r_sibling kind, int64_t number,
                                  struct l2r_error *error)
{
    static const char *const options_of[L2R_N_SIBLINGS][2] = {{"seed"}, {"fold"}, {"seed", "split-seed"}};
    enum l2r_status status = L2R_OK;
    for (int i = 0; i < 2 && options_of[kind][i] != NULL; i++) {
        char text[24];
        const char *name = options_of[kind][i];
        int64_t first = kind == L2R_SIBLING_REPLICATE ? l2r_config_int(config, name) : 0;
        snprintf(text, sizeof text, "%lld", (long long)(first + number));
        L2R_TRY(l2r_config_set(config, name, text, error));
    }
done:
    return status;
}

static enum l2r_status train_member(struct l2r_result **result, struct job *job, int64_t number,
                                    struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_config *config = NULL;
    char label[48], dir[CLI_PATH + 40];
    enum l2r_sibling kind = job->members.kind;
    snprintf(label, sizeof label, "%s %lld", l2r_sibling_names[kind], (long long)number);
    (void)l2r_sibling_folder(dir, sizeof dir, job->out, kind, number);
    L2R_TRY(l2r_config_copy(&config, job->call->subject, error));
    L2R_TRY(set_member(config, kind, number, error));
    cli_display_restart(&job->display, label);
    L2R_TRY(train_into(result, job, config, dir, error));
    job->display.brief = true;
done:
    l2r_config_free(config);
    return status;
}

/* All at once, as many as --jobs allows. */
static enum l2r_status train_together(struct l2r_result **results, struct job *job, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct cli_seeds *members = &job->members;
    size_t n = (size_t)members->n;
    const struct l2r_config *options = job->call->options;
    struct l2r_job *jobs = l2r_alloc(n, sizeof *jobs);
    struct l2r_config **configs = l2r_alloc(n, sizeof *configs);
    char(*labels)[48] = l2r_alloc(n, sizeof *labels), (*dirs)[CLI_PATH + 40] = l2r_alloc(n, sizeof *dirs);
    if (jobs == NULL || configs == NULL || labels == NULL || dirs == NULL)
        L2R_FAIL(L2R_ERR_MEMORY, "out of memory for %zu runs", n);
    for (size_t i = 0; i < n; i++) {
        int64_t number = members->values[i];
        snprintf(labels[i], sizeof labels[i], "%s %lld", l2r_sibling_names[members->kind], (long long)number);
        (void)l2r_sibling_folder(dirs[i], sizeof dirs[i], job->out, members->kind, number);
        L2R_TRY(l2r_config_copy(&configs[i], job->call->subject, error));
        L2R_TRY(set_member(configs[i], members->kind, number, error));
        jobs[i] = (struct l2r_job){
            .label = labels[i], .dir = dirs[i], .config = configs[i], .strict = true, .resume = job->resume};
    }
    status = cli_train_side_by_side(results, jobs, n, (int)l2r_config_int(options, "jobs"), job->display.stream,
                                    l2r_config_flag(options, "quiet"), error);
    if (status == L2R_ERR_INTERRUPTED) {
        char quoted[CLI_PATH], extra[CLI_PATH];
        continue_with(extra, sizeof extra, job);
        L2R_FAIL(status, "interrupted; continue with:\n  l2r %s --resume --out %.300s%.100s --jobs %s",
                 job->call->command->name, cli_format_shell(quoted, sizeof quoted, job->out), extra,
                 l2r_config_text(options, "jobs"));
    }
done:
    for (size_t i = 0; configs != NULL && i < n; i++) l2r_config_free(configs[i]);
    l2r_free((void *)configs);
    l2r_free(jobs);
    l2r_free(labels);
    l2r_free(dirs);
    return status;
}

/* Predictions of the test graphs of folds or replicates, each by the models that have not seen it:
 * `l2r predict OUT --ensemble --part test --out OUT/out-of-fold.csv`. */
static enum l2r_status write_out_of_fold(const struct job *job, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct cli_call call = {0};
    char file[CLI_PATH + 32];
    int used;
    const char *words[] = {"predict", "--ensemble", "--part", "test", "--quiet", "--threads",
                           NULL,      "--out",      file,     "--",   job->out};
    enum { N = sizeof words / sizeof *words };
    words[6] = l2r_config_text(job->call->options, "threads");
    snprintf(file, sizeof file, "%s/out-of-fold.csv", job->out);
    const struct l2r_command *command = cli_command_find(&used, 1, (char **)(uintptr_t)words);
    L2R_TRY(cli_call_begin(&call, command, N - 1, (char **)(uintptr_t)(words + 1), error));
    L2R_TRY(cli_arguments_parse(&call, N - 1, (char **)(uintptr_t)(words + 1), error));
    call.comm = job->call->comm;
    L2R_TRY(command->run(&call, error));
done:
    cli_call_clear(&call);
    return status;
}

static enum l2r_status train_many(struct job *job, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct cli_seeds *members = &job->members;
    struct l2r_result **results = l2r_alloc((size_t)members->n, sizeof *results);
    if (results == NULL) return l2r_fail_memory(error, (size_t)members->n * sizeof *results, "results");
    if (l2r_config_int(job->call->options, "jobs") != 1) {
        L2R_TRY(train_together(results, job, error));
    } else {
        for (int i = 0; i < members->n; i++) L2R_TRY(train_member(&results[i], job, members->values[i], error));
    }
    bool folds = members->kind != L2R_SIBLING_SEED && members->n > 1;
    if (folds) L2R_TRY(write_out_of_fold(job, error));
    if (l2r_config_flag(job->call->options, "json"))
        L2R_TRY(cli_json_print(stdout, cli_results_to_json(results, members, job->out), error));
    else
        cli_results_print(stdout, results, members, job->out);
    if (folds && !l2r_config_flag(job->call->options, "json") && l2r_comm_leads(job->call->comm))
        printf("out-of-fold predictions in %s/out-of-fold.csv\n", job->out);
done:
    for (int i = 0; i < members->n; i++) l2r_result_free(results[i]);
    l2r_free((void *)results);
    return status;
}

/* Which runs there are to train: one (n = 0), or those of --seeds, --folds or --replicates, of which one is given. */
static enum l2r_status find_members(struct cli_seeds *members, struct cli_call *call, struct l2r_error *error)
{
    const char *list = l2r_config_text(call->options, "seeds");
    int64_t replicates = l2r_config_int(call->options, "replicates"), folds = l2r_config_int(call->subject, "folds");
    bool all_folds = folds > 0 && !l2r_config_was_set(call->subject, "fold");
    *members = (struct cli_seeds){.kind = list != NULL ? L2R_SIBLING_SEED
                                          : all_folds  ? L2R_SIBLING_FOLD
                                                       : L2R_SIBLING_REPLICATE};
    if ((list != NULL) + (replicates > 0) + all_folds > 1)
        return cli_misuse(call, error, "--seeds, --folds and --replicates exclude each other%s",
                          all_folds ? "; --fold K trains one fold" : "");
    if (list != NULL) return cli_seeds_parse(members, list, error);
    if (replicates == 0 && !all_folds) return L2R_OK;
    members->n = (int)(all_folds ? folds : replicates);
    for (int i = 0; i < members->n; i++) members->values[i] = i;
    return L2R_OK;
}

enum l2r_status cli_training_run(struct cli_call *call, bool pretrains, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct job job = {.call = call, .resume = l2r_config_flag(call->options, "resume")};
    const char *out = l2r_config_text(call->options, "out");
    if (l2r_config_text(call->subject, "data") == NULL)
        return cli_misuse(call, error, "'l2r %s' needs --data: %s", call->command->name,
                          pretrains ? "a table of SMILES"
                                    : "a folder, a zip, a table of SMILES, or a generator such as motif:mu=0.8");
    if ((status = find_members(&job.members, call, error)) != L2R_OK) {
        call->misuse = true;
        return status;
    }
    char found[CLI_PATH];
    bool many = false;
    bool one = job.members.n == 0;
    if (one && l2r_config_was_set(call->options, "jobs"))
        return cli_misuse(call, error, "--jobs is for several runs: --seeds, --folds or --replicates");
    if (call->comm != NULL && l2r_config_int(call->options, "jobs") != 1)
        return cli_misuse(call, error, "--jobs is for one process; ranks divide each run among them");
    if (job.resume && one && out != NULL && cli_run_folder_config(found, &many, out) && many)
        return cli_misuse(call, error,
                          "%s holds several runs; say which to continue, as in --seeds 0-9 or --replicates 5", out);
    cli_ranks_threads(call);
    char plural[16];
    snprintf(plural, sizeof plural, "%ss", l2r_sibling_names[job.members.kind]);
    if (out != NULL)
        snprintf(job.out, sizeof job.out, "%s", out);
    else
        cli_run_folder_name(job.out, call->subject, one ? l2r_config_text(call->subject, "seed") : plural, job.resume);

    bool json = l2r_config_flag(call->options, "json");
    cli_display_init(&job.display, json ? stderr : stdout, l2r_config_flag(call->options, "quiet"));
    cli_interrupt_catch();
    L2R_TRY(l2r_run_resolve(call->subject, l2r_run_reads_table(l2r_config_text(call->subject, "data")), error));
    const char *where = l2r_config_text(call->subject, "data");
    bool is_there = !l2r_source_is_table(where) || l2r_path_is_there(where); /* an error says that it is missing */
    if (!l2r_config_flag(call->options, "quiet") && !pretrains && is_there)
        report_choice(job.display.stream, call->subject);
    L2R_TRY(one ? train_one(&job, error) : train_many(&job, error));
    if (pretrains && one && !json) {
        char quoted[CLI_PATH];
        printf("used by: l2r train --data my.csv --from %s --reset head\n",
               cli_format_shell(quoted, sizeof quoted, job.out));
    }
done:
    return status;
}
