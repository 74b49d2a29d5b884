/* SPDX-License-Identifier: MIT
 *
 * l2r report: runs as one HTML page (report/page.h).
 */
#include "base/file.h"
#include "base/memory.h"
#include "cli/command.h"
#include "report/page.h"

#include <stdio.h>
#include <string.h>

static const struct l2r_option options[] = {{.name = "out",
                                             .kind = L2R_OPTION_TEXT,
                                             .value = "FILE",
                                             .group = "Output",
                                             .help = "the page; by default RUN/report.html of the first run"},
                                            {0}};

static enum l2r_status run(struct cli_call *call, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_run_list list = {0};
    char *html = NULL, path[4096];
    const char *out = l2r_config_text(call->options, "out");
    size_t drawings = 0;
    for (int i = 0; i < call->n_arguments; i++) L2R_TRY(l2r_run_list_add(&list, call->arguments[i], error));
    L2R_TRY(l2r_report_page(&html, &list, error));
    if (out == NULL) L2R_TRY(l2r_path_join(path, sizeof path, call->arguments[0], "report.html", error));
    L2R_TRY(l2r_file_write(out != NULL ? out : path, html, strlen(html), error));
    for (size_t i = 0; i < list.n; i++) drawings += list.runs[i].n_drawings;
    printf("%zu run%s and %zu drawing%s in %s\n", list.n, list.n == 1 ? "" : "s", drawings, drawings == 1 ? "" : "s",
           out != NULL ? out : path);
done:
    l2r_free(html);
    l2r_run_list_clear(&list);
    return status;
}

const struct l2r_command l2r_command_report = {
    .name = "report",
    .summary = "show runs and their explanations on one HTML page",
    .usage = "RUN… [--out FILE]",
    .about = "RUN is the folder of a run, or of runs of several seeds. The page holds the scores, the options and, "
             "when 'l2r explain' has "
             "drawn some, the explanations of each run. It is one file that needs neither a network nor scripts, and "
             "follows the reader's light or dark setting.",
    .examples = "l2r report runs/motif-gin-erm-0\n"
                "l2r report runs/gcn-erm runs/gcn-l2r --out compare.html",
    .section = CLI_SECTION_MODELS,
    .min_arguments = 1,
    .max_arguments = 1000,
    .options = {options},
    .run = run,
};
