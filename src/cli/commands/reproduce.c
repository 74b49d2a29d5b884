/* SPDX-License-Identifier: MIT
 *
 * l2r reproduce: makes a figure or table again, from training to drawing (reproduce/reproduction.h).
 */
#include "base/file.h"
#include "base/threads.h"
#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/display.h"
#include "cli/interrupt.h"
#include "cli/run_folder.h"
#include "cli/table.h"
#include "reproduce/reproduction.h"

#include <stdio.h>
#include <string.h>

static const struct l2r_option options[] = {
    {.name = "out",
     .kind = L2R_OPTION_TEXT,
     .value = "DIR",
     .group = "Output",
     .help = "folder of runs and figures; by default runs/NAME, or runs/NAME-quick"},
    {.name = "quick",
     .kind = L2R_OPTION_FLAG,
     .help = "a small version that shows that all works; its numbers mean nothing"},
    {.name = "threads",
     .kind = L2R_OPTION_INT,
     .fallback = "0",
     .min = 0,
     .max = 1024,
     .help = "threads; 0: one per core"},
    {.name = "quiet", .kind = L2R_OPTION_FLAG, .help = "print no progress"},
    {0}};

static void begin_step(void *context, const char *label)
{
    struct cli_display *display = context;
    cli_display_erase(display);
    cli_display_restart(display, label);
}

static void print_line(void *context, const char *line)
{
    cli_display_erase(context);
    printf("%s\n", line);
}

static void print_list(void)
{
    struct cli_table table;
    cli_table_init(&table, "ll");
    table.no_heading = true;
    for (size_t i = 0; l2r_reproductions[i] != NULL; i++) {
        cli_table_add(&table, "%s", l2r_reproductions[i]->name);
        cli_table_add(&table, "%s", l2r_reproductions[i]->title);
    }
    cli_table_print(&table, stdout, "");
    cli_table_clear(&table);
}

static const struct l2r_reproduction *find(const char *name)
{
    for (size_t i = 0; l2r_reproductions[i] != NULL; i++)
        if (strcmp(l2r_reproductions[i]->name, name) == 0) return l2r_reproductions[i];
    return NULL;
}

static enum l2r_status refuse(struct cli_call *call, const char *name, struct l2r_error *error)
{
    struct cli_nearest nearest = {.word = name};
    for (size_t i = 0; l2r_reproductions[i] != NULL; i++) cli_nearest_try(&nearest, l2r_reproductions[i]->name);
    if (nearest.best != NULL)
        return cli_misuse(call, error, "there is no '%s' to reproduce; did you mean '%s'?", name, nearest.best);
    return cli_misuse(call, error, "there is no '%s' to reproduce; 'l2r reproduce' lists what there is", name);
}

static enum l2r_status run(struct cli_call *call, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char dir[CLI_PATH];
    struct cli_display display;
    if (call->n_arguments == 0) {
        print_list();
        return L2R_OK;
    }
    const char *name = call->arguments[0], *out = l2r_config_text(call->options, "out");
    const struct l2r_reproduction *entry = find(name);
    if (entry == NULL) return refuse(call, name, error);
    bool quick = l2r_config_flag(call->options, "quick");
    if (out != NULL)
        snprintf(dir, sizeof dir, "%s", out);
    else
        snprintf(dir, sizeof dir, "runs/%s%s", name, quick ? "-quick" : "");
    l2r_threads_set((int)l2r_config_int(call->options, "threads"));
    cli_display_init(&display, stdout, l2r_config_flag(call->options, "quiet"));
    cli_interrupt_catch();
    struct l2r_watch watch = cli_display_watch(&display);
    const struct l2r_reproduce job = {
        .dir = dir, .quick = quick, .context = &display, .step = begin_step, .say = print_line, .watch = &watch};
    L2R_TRY(l2r_make_dirs(dir, error));
    L2R_TRY(entry->make(&job, error));
    printf("%s in %s\n", name, dir);
done:
    cli_display_erase(&display);
    if (status == L2R_ERR_INTERRUPTED)
        l2r_fail(error, status, "interrupted; the same command goes on from where it stopped");
    return status;
}

const struct l2r_command l2r_command_reproduce = {
    .name = "reproduce",
    .summary = "make a figure of the paper again, from training to drawing",
    .usage = "[NAME] [--quick] [--out DIR] [OPTIONS]",
    .about =
        "Without NAME: what there is. Runs that are finished are kept, a stopped one is continued: the command can be "
        "stopped and started again at any time. fig-cases trains GCN plainly and with learned weights on the biased "
        "motif set, explains three test graphs that hold a wheel and a star, and draws both models side by side.",
    .examples = "l2r reproduce\n"
                "l2r reproduce fig-cases --out runs/fig-cases\n"
                "l2r reproduce fig-cases --quick",
    .section = CLI_SECTION_MODELS,
    .max_arguments = 1,
    .options = {options},
    .run = run,
};
