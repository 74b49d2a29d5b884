/* SPDX-License-Identifier: MIT
 * See queue_display.h. */
#include "cli/queue_display.h"

#include "cli/terminal.h"

#include <math.h>
#include <string.h>

enum { LINE_SIZE = 1024, BAR_MIN = 6, BAR_MAX = 30 };

void cli_queue_display_init(struct cli_queue_display *display, FILE *stream, bool quiet)
{
    *display = (struct cli_queue_display){
        .stream = stream, .quiet = quiet, .live = cli_terminal_is_live(stream), .seconds_left = (double)NAN};
}

void cli_queue_display_erase(struct cli_queue_display *display)
{
    if (!display->drawn) return;
    fprintf(display->stream, "\r\033[K");
    fflush(display->stream);
    display->drawn = false;
}

static double fraction_done(const struct l2r_runner_state *state)
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
        int width = cli_text_width(one);
        if (width > columns || n + strlen(one) + 1 > size) break;
        columns -= width;
        n += (size_t)snprintf(out + n, size - n, "%s", one);
    }
}

void cli_queue_display_line(char *line, size_t size, FILE *stream, const struct l2r_runner_state *state,
                            const struct l2r_job *jobs, int width)
{
    char head[80], tail[64], time[32], active[600], bar[4 * BAR_MAX + 64];
    size_t failed = state->n_failed;
    int n = snprintf(head, sizeof head, "%zu/%zu", state->n_done, state->n_jobs);
    if (failed > 0) snprintf(head + n, sizeof head - (size_t)n, " (%zu failed)", failed);
    snprintf(tail, sizeof tail, "%s left", cli_format_duration(time, sizeof time, state->seconds_left));
    int left = width - cli_text_width(head) - cli_text_width(tail) - 4;
    list_active(active, sizeof active, state, jobs, left);
    left -= active[0] != '\0' ? cli_text_width(active) + 2 : 0;
    int columns = left < BAR_MAX ? left : BAR_MAX;
    bool shown = columns >= BAR_MIN;
    if (shown) cli_format_bar(bar, sizeof bar, stream, fraction_done(state), columns);
    snprintf(line, size, "%s%s%s%s%s  %s", head, shown ? "  " : "", shown ? bar : "", active[0] != '\0' ? "  " : "",
             active, tail);
}

void cli_queue_display_progress(struct cli_queue_display *display, const struct l2r_runner_state *state,
                                const struct l2r_job *jobs)
{
    char line[LINE_SIZE];
    display->n_done = state->n_done;
    display->n_jobs = state->n_jobs;
    display->seconds_left = state->seconds_left;
    if (display->quiet || !display->live) return;
    cli_queue_display_line(line, sizeof line, display->stream, state, jobs,
                           cli_terminal_width(display->stream, 80) - 3);
    fprintf(display->stream, "\r%s\033[K", line);
    fflush(display->stream);
    display->drawn = true;
}

void cli_queue_display_finished(struct cli_queue_display *display, const char *label, const struct l2r_result *result)
{
    char score[32], time[32], left[32];
    if (display->quiet || display->live) return;
    fprintf(display->stream, "[%zu/%zu] %s: %s %s, %s, %s left\n", display->n_done + 1, display->n_jobs, label,
            result->metric, cli_format_score(score, sizeof score, result->test),
            cli_format_duration(time, sizeof time, result->seconds),
            cli_format_duration(left, sizeof left, display->seconds_left));
    fflush(display->stream);
}
