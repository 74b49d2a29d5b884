/* SPDX-License-Identifier: MIT
 *
 * l2r report: runs as one HTML page (report/page.h).
 */
#include "base/memory.h"
#include "cli/command.h"
#include "io/file.h"
#include "model/run_names.h"
#include "report/page.h"
#include "store/ownership.h"
#include "store/result_file.h"

#include <stdio.h>
#include <string.h>

static const struct l2r_option options[] = {
    {.name = "out",
     .kind = L2R_OPTION_TEXT,
     .value = "FILE",
     .group = "Page",
     .help = "the page; by default report.html in the folder of the first run"},
    {.name = "title", .kind = L2R_OPTION_TEXT, .value = "TEXT", .help = "heading of the page"},
    {.name = "predictions",
     .kind = L2R_OPTION_FLAG,
     .fallback = "true",
     .help = "load models and data, and show predictions and weights"},
    {.name = "extremes",
     .kind = L2R_OPTION_INT,
     .fallback = "4",
     .min = 0,
     .max = 100,
     .help = "graphs to draw with the largest and with the smallest weights"},
    {.name = "data",
     .kind = L2R_OPTION_TEXT,
     .value = "WHERE",
     .group = "Graphs",
     .help = "where the data of the runs is, if it has moved"},
    CLI_OPTION_CACHE,
    CLI_OPTION_THREADS,
    {0}};

/* The page shows what the files contain; files that changed after the run are reported. */
static void warn_of_changes(const struct l2r_run_files *files)
{
    struct l2r_error change = {0};
    char path[4200];
    const char *identity = json_string_value(json_object_get(files->result, "run"));
    size_t n = 0;
    snprintf(path, sizeof path, "%s/" L2R_RESULT_FILE, files->dir);
    if (files->result != NULL && l2r_result_check(files->result, path, &change) != L2R_OK)
        fprintf(stderr, "l2r: %s\n", change.message);
    for (size_t i = 0; identity != NULL && i < json_array_size(files->epochs); i++)
        n += l2r_seal_check(json_array_get(files->epochs, i), identity) == L2R_SEAL_BROKEN;
    if (n > 0)
        fprintf(stderr, "l2r: %s/" L2R_METRICS_FILE ": %zu line%s damaged or not of this run\n", files->dir, n,
                n == 1 ? " is" : "s are");
}

static enum l2r_status run(struct cli_call *call, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_run_list list = {0};
    char *html = NULL, path[4096];
    const char *out = l2r_config_text(call->options, "out");
    const struct l2r_report_settings settings = {.title = l2r_config_text(call->options, "title"),
                                                 .data = l2r_config_text(call->options, "data"),
                                                 .predictions = l2r_config_flag(call->options, "predictions"),
                                                 .extremes = l2r_config_int(call->options, "extremes"),
                                                 .cache = l2r_config_flag(call->options, "cache")};
    l2r_threads_set((int)l2r_config_int(call->options, "threads"));
    for (int i = 0; i < call->n_arguments; i++) L2R_TRY(l2r_run_list_add(&list, call->arguments[i], error));
    for (size_t i = 0; i < list.n; i++) warn_of_changes(&list.runs[i]);
    L2R_TRY(l2r_report_page(&html, &list, &settings, error));
    if (out == NULL) L2R_TRY(l2r_path_join(path, sizeof path, call->arguments[0], "report.html", error));
    L2R_TRY(l2r_file_write(out != NULL ? out : path, html, strlen(html), error));
    printf("report of %zu run%s in %s\n", list.n, list.n == 1 ? "" : "s", out != NULL ? out : path);
done:
    l2r_free(html);
    l2r_run_list_clear(&list);
    return status;
}

const struct l2r_command l2r_command_report = {
    .name = "report",
    .summary = "show runs on one HTML page",
    .usage = "RUN… [--out FILE] [OPTIONS]",
    .about = "RUN is the folder of a run, or of runs of several seeds. Runs that differ only in their seed form one "
             "row: mean ± sd, and the paired difference from erm. The page shows learning curves, weights with the "
             "graphs at both extremes, predictions, the drawings of 'l2r explain' and all options, with differences "
             "marked. It is a single file that works offline, has a light and a dark theme, and can be printed.",
    .examples = "l2r report runs/motif-gin-erm-0\n"
                "l2r report runs/gcn-erm runs/gcn-l2r --out compare.html",
    .section = CLI_SECTION_MODELS,
    .min_arguments = 1,
    .max_arguments = 1000,
    .options = {options},
    .run = run,
};
