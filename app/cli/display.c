/* SPDX-License-Identifier: MIT
 *
 * The live line of a run consists of fields with priorities: fields are added by priority while they fit, then printed
 * in reading order, and the bar takes the remaining columns. At most ten redraws a second.
 */
#include "cli/display.h"
#include "base/text.h"

#include "base/clock.h"
#include "cli/process.h"
#include "cli/terminal.h"

#include <math.h>
#include <string.h>

enum { FIELDS = 7, BAR = 1, BAR_MIN = 8, JOBS_BAR_MIN = 6, BAR_MAX = 30, FIELD_SIZE = 64, LINE_SIZE = 1024 };

/* Three columns stay free: some terminals wrap when the last is written, and Ctrl-C echoes as "^C". */
static int line_width(FILE *stream)
{
    return cli_terminal_width(stream, 80) - 3;
}

static void draw_line(FILE *stream, bool *drawn, const char *line)
{
    fprintf(stream, "\r%s\033[K", line);
    fflush(stream);
    *drawn = true;
}

static void erase_line(FILE *stream, bool *drawn)
{
    if (*drawn) draw_line(stream, drawn, "");
    *drawn = false;
}

/* ---- one run ---- */

void cli_display_init(struct cli_display *display, FILE *stream, bool quiet)
{
    *display = (struct cli_display){.stream = stream, .quiet = quiet, .live = cli_terminal_is_live(stream)};
    cli_display_restart(display, "");
}

void cli_display_restart(struct cli_display *display, const char *label)
{
    snprintf(display->label, sizeof display->label, "%s", label);
    display->valid = (double)NAN;
    display->drawn_at = 0;
    display->epoch = display->n_epochs = 0;
}

void cli_display_erase(struct cli_display *display)
{
    erase_line(display->stream, &display->drawn);
}

static double fraction_done(const struct l2r_progress *p)
{
    double batches = p->n_batches > 0 ? (double)p->batch / (double)p->n_batches : 0;
    double done = p->n_epochs > 0 ? ((double)(p->epoch - 1) + batches) / (double)p->n_epochs : 0;
    return done < 0 ? 0 : done > 1 ? 1 : done;
}

static void write_fields(char fields[FIELDS][FIELD_SIZE], const struct cli_display *display,
                         const struct l2r_progress *p)
{
    char score[32];
    const char *gap = display->label[0] != '\0' ? "  " : "";
    snprintf(fields[0], FIELD_SIZE, "%s%sepoch %lld/%lld", display->label, gap, (long long)p->epoch,
             (long long)p->n_epochs);
    fields[BAR][0] = '\0';
    snprintf(fields[2], FIELD_SIZE, "loss %s", cli_format_score(score, sizeof score, p->loss));
    snprintf(fields[3], FIELD_SIZE, "valid %s %s", p->metric, cli_format_score(score, sizeof score, display->valid));
    snprintf(fields[4], FIELD_SIZE, "best %s @ %lld", cli_format_score(score, sizeof score, p->best_valid),
             (long long)p->best_epoch);
    if (isnan(p->best_valid)) fields[4][0] = '\0';
    if (isnan(display->valid)) fields[3][0] = '\0';
    snprintf(fields[5], FIELD_SIZE, "%.0f graphs/s", p->graphs_per_second);
    snprintf(fields[6], FIELD_SIZE, "%s left", cli_format_duration(score, sizeof score, p->seconds_left));
}

static void display_line(char *line, size_t size, const struct cli_display *display,
                         const struct l2r_progress *progress, int width)
{
    static const int ranked[FIELDS] = {0, 6, 3, 2, BAR, 4, 5};
    char fields[FIELDS][FIELD_SIZE];
    char bar[4 * BAR_MAX + 64];
    bool shown[FIELDS] = {false};
    int left = width;
    write_fields(fields, display, progress);
    for (int r = 0; r < FIELDS; r++) {
        int f = ranked[r];
        int needed = f == BAR ? BAR_MIN : l2r_text_columns(fields[f]);
        if (r > 0) needed += 2;
        if ((f != BAR && fields[f][0] == '\0') || needed > left) continue;
        shown[f] = true;
        left -= needed;
    }
    int columns = BAR_MIN + left < BAR_MAX ? BAR_MIN + left : BAR_MAX;
    cli_format_bar(bar, sizeof bar, display->stream, fraction_done(progress), columns);
    size_t n = 0;
    line[0] = '\0';
    for (int f = 0; f < FIELDS; f++)
        if (shown[f] && n < size)
            n += (size_t)snprintf(line + n, size - n, "%s%s", n > 0 ? "  " : "", f == BAR ? bar : fields[f]);
}

static void redraw(struct cli_display *display, const struct l2r_progress *progress, bool at_once)
{
    char line[LINE_SIZE];
    double time = l2r_clock_seconds();
    if (!at_once && time - display->drawn_at < 0.1) return;
    display_line(line, sizeof line, display, progress, line_width(display->stream));
    draw_line(display->stream, &display->drawn, line);
    display->drawn_at = time;
}

static void print_epoch(struct cli_display *display, const struct l2r_progress *p)
{
    char score[32];
    int digits = snprintf(NULL, 0, "%lld", (long long)p->n_epochs);
    FILE *out = display->stream;
    if (display->label[0] != '\0') fprintf(out, "%s  ", display->label);
    fprintf(out, "epoch %*lld/%lld", digits, (long long)p->epoch, (long long)p->n_epochs);
    fprintf(out, "  loss %s", cli_format_score(score, sizeof score, p->loss));
    if (!isnan(p->train)) fprintf(out, "  train %s %s", p->metric, cli_format_score(score, sizeof score, p->train));
    fprintf(out, "  valid %s %s", p->metric, cli_format_score(score, sizeof score, p->valid));
    fprintf(out, "  best %s @ %lld", cli_format_score(score, sizeof score, p->best_valid), (long long)p->best_epoch);
    fprintf(out, "  %.0f graphs/s", p->graphs_per_second);
    fprintf(out, "  %s left\n", cli_format_duration(score, sizeof score, p->seconds_left));
    fflush(out);
}

static void on_start(void *context, const char *summary)
{
    struct cli_display *display = context;
    if (display->quiet || display->brief) return;
    for (size_t length; *summary != '\0'; summary += length + (summary[length] == '\n')) {
        char line[1024], text[2048];
        length = strcspn(summary, "\n");
        snprintf(line, sizeof line, "%.*s", (int)(length < sizeof line ? length : sizeof line - 1), summary);
        fprintf(display->stream, "%s\n", cli_format_options(text, sizeof text, line));
    }
    fflush(display->stream);
}

static void on_batch(void *context, const struct l2r_progress *progress)
{
    struct cli_display *display = context;
    display->epoch = progress->epoch;
    display->n_epochs = progress->n_epochs;
    if (!display->quiet && display->live) redraw(display, progress, false);
}

static void on_epoch(void *context, const struct l2r_progress *progress)
{
    struct cli_display *display = context;
    display->epoch = progress->epoch;
    display->n_epochs = progress->n_epochs;
    display->valid = progress->valid;
    if (display->quiet) return;
    if (display->live)
        redraw(display, progress, progress->epoch == progress->n_epochs);
    else
        print_epoch(display, progress);
}

static void on_note(void *context, const char *sentence)
{
    struct cli_display *display = context;
    char text[2048];
    cli_display_erase(display);
    fflush(display->stream);
    fprintf(stderr, "l2r: %s\n", cli_format_options(text, sizeof text, sentence));
}

struct l2r_callbacks cli_display_callbacks(struct cli_display *display)
{
    return (struct l2r_callbacks){.size = sizeof(struct l2r_callbacks),
                                  .context = display,
                                  .start = on_start,
                                  .batch = on_batch,
                                  .epoch = on_epoch,
                                  .note = on_note,
                                  .stop = cli_stop_requested};
}

/* ---- many runs (jobs/runner.h) ---- */

void cli_jobs_display_init(struct cli_jobs_display *display, FILE *stream, bool quiet)
{
    *display = (struct cli_jobs_display){
        .stream = stream, .quiet = quiet, .live = cli_terminal_is_live(stream), .seconds_left = (double)NAN};
}

void cli_jobs_display_erase(struct cli_jobs_display *display)
{
    erase_line(display->stream, &display->drawn);
}

static double jobs_fraction_done(const struct l2r_runner_state *state)
{
    double done = (double)(state->n_done + state->n_failed);
    for (size_t a = 0; a < state->n_active; a++) done += state->active[a].done;
    return state->n_jobs > 0 ? done / (double)state->n_jobs : 1;
}

/* "BACE GIN 3 12/50, …": as many as fit into `columns`. */
static void list_active(char *out, size_t size, const struct l2r_runner_state *state, const struct l2r_job *jobs,
                        int columns)
{
    size_t n = 0;
    out[0] = '\0';
    for (size_t a = 0; a < state->n_active; a++) {
        char one[200];
        const struct l2r_job_active *active = &state->active[a];
        snprintf(one, sizeof one, "%s%s %lld/%lld", n > 0 ? ", " : "", jobs[active->job].label,
                 (long long)active->epoch, (long long)active->n_epochs);
        int width = l2r_text_columns(one);
        if (width > columns || n + strlen(one) + 1 > size) break;
        columns -= width;
        n += (size_t)snprintf(out + n, size - n, "%s", one);
    }
}

static void jobs_display_line(char *line, size_t size, FILE *stream, const struct l2r_runner_state *state,
                              const struct l2r_job *jobs, int width)
{
    char head[80], tail[64], time[32], active[600], bar[4 * BAR_MAX + 64];
    size_t failed = state->n_failed;
    int n = snprintf(head, sizeof head, "%zu/%zu", state->n_done, state->n_jobs);
    if (failed > 0) snprintf(head + n, sizeof head - (size_t)n, " (%zu failed)", failed);
    snprintf(tail, sizeof tail, "%s left", cli_format_duration(time, sizeof time, state->seconds_left));
    int left = width - l2r_text_columns(head) - l2r_text_columns(tail) - 4;
    list_active(active, sizeof active, state, jobs, left);
    left -= active[0] != '\0' ? l2r_text_columns(active) + 2 : 0;
    int columns = left < BAR_MAX ? left : BAR_MAX;
    bool shown = columns >= JOBS_BAR_MIN;
    if (shown) cli_format_bar(bar, sizeof bar, stream, jobs_fraction_done(state), columns);
    snprintf(line, size, "%s%s%s%s%s  %s", head, shown ? "  " : "", shown ? bar : "", active[0] != '\0' ? "  " : "",
             active, tail);
}

void cli_jobs_display_progress(struct cli_jobs_display *display, const struct l2r_runner_state *state,
                               const struct l2r_job *jobs)
{
    char line[LINE_SIZE];
    display->n_done = state->n_done;
    display->n_jobs = state->n_jobs;
    display->seconds_left = state->seconds_left;
    if (display->quiet || !display->live) return;
    jobs_display_line(line, sizeof line, display->stream, state, jobs, line_width(display->stream));
    draw_line(display->stream, &display->drawn, line);
}

void cli_jobs_display_finished(struct cli_jobs_display *display, const char *label, const struct l2r_result *result)
{
    char score[32], time[32], left[32];
    if (display->quiet || display->live) return;
    fprintf(display->stream, "[%zu/%zu] %s: %s %s, %s, %s left\n", display->n_done + 1, display->n_jobs, label,
            result->metric, cli_format_score(score, sizeof score, result->test),
            cli_format_duration(time, sizeof time, result->seconds),
            cli_format_duration(left, sizeof left, display->seconds_left));
    fflush(display->stream);
}
