/* SPDX-License-Identifier: MIT
 * See figure.h. */
#include "figure/figure.h"

#include "base/memory.h"
#include "figure/script.h"
#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct l2r_chart *find_chart(const json_t *description)
{
    const char *name = json_string_value(json_object_get(description, "chart"));
    for (size_t i = 0; name != NULL && l2r_charts[i] != NULL; i++)
        if (strcmp(l2r_charts[i]->name, name) == 0) return l2r_charts[i];
    return NULL;
}

enum l2r_status l2r_figure_check(const json_t *description, const char *where, struct l2r_error *error)
{
    static const struct {
        const char *key;
        char type; /* t text, n number above 0, f flag */
    } known[] = {{"chart", 't'},   {"x", 't'},      {"y", 't'},     {"scale", 'n'},
                 {"columns", 'n'}, {"height", 'n'}, {"shared", 'f'}};
    enum l2r_status status = L2R_OK;
    const char *key;
    json_t *value;
    if (!json_is_object(description)) L2R_FAIL(L2R_ERR_FORMAT, "%s: \"figure\" must be an object", where);
    json_object_foreach((json_t *)(uintptr_t)description, key, value)
    {
        size_t i = 0, n = sizeof known / sizeof *known;
        while (i < n && strcmp(known[i].key, key) != 0) i++;
        if (i == n) L2R_FAIL(L2R_ERR_FORMAT, "%s: a figure has no \"%s\"", where, key);
        if (known[i].type == 't' && !json_is_string(value))
            L2R_FAIL(L2R_ERR_FORMAT, "%s: \"%s\" of a figure must be a text", where, key);
        if (known[i].type == 'n' && !(json_number_value(value) > 0))
            L2R_FAIL(L2R_ERR_FORMAT, "%s: \"%s\" of a figure must be a number above 0", where, key);
        if (known[i].type == 'f' && !json_is_boolean(value))
            L2R_FAIL(L2R_ERR_FORMAT, "%s: \"%s\" of a figure must be true or false", where, key);
    }
    if (json_object_get(description, "columns") != NULL &&
        json_number_value(json_object_get(description, "columns")) < 1)
        L2R_FAIL(L2R_ERR_FORMAT, "%s: \"columns\" of a figure must be 1 or more", where);
    if (find_chart(description) == NULL) {
        char names[200] = "";
        for (size_t i = 0; l2r_charts[i] != NULL; i++)
            snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i > 0 ? ", " : "",
                     l2r_charts[i]->name);
        L2R_FAIL(L2R_ERR_FORMAT, "%s: \"chart\" must be one of %s", where, names);
    }
done:
    return status;
}

bool l2r_figure_reads_folders(const json_t *description)
{
    return find_chart(description)->reads_folders;
}

static double number_or(const json_t *description, const char *key, double otherwise)
{
    const json_t *value = json_object_get(description, key);
    return json_is_number(value) ? json_number_value(value) : otherwise;
}

static const char *text_or_empty(const json_t *description, const char *key)
{
    const char *text = json_string_value(json_object_get(description, key));
    return text != NULL ? text : "";
}

static enum l2r_status make_plot(struct l2r_plot *plot, const json_t *description, const struct l2r_chart_runs *runs,
                                 struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    double scale = number_or(description, "scale", 1);
    struct l2r_chart_run *scaled = l2r_alloc(runs->n, sizeof *scaled);
    if (scaled == NULL) return l2r_fail_memory(error, runs->n * sizeof *scaled, "the runs of a figure");
    for (size_t i = 0; i < runs->n; i++) {
        scaled[i] = runs->items[i];
        scaled[i].value *= scale;
    }
    plot->x_label = l2r_plot_text(plot, text_or_empty(description, "x"));
    plot->y_label = l2r_plot_text(plot, text_or_empty(description, "y"));
    plot->n_columns = (size_t)number_or(description, "columns", 1);
    plot->panel_height = number_or(description, "height", plot->panel_height);
    plot->shared_y = json_is_true(json_object_get(description, "shared"));
    const struct l2r_chart_runs all = {.items = scaled, .n = runs->n};
    L2R_TRY(find_chart(description)->make(plot, &all, error));
    L2R_TRY(l2r_plot_check(plot, error));
done:
    l2r_free(scaled);
    return status;
}

/* ---- gnuplot: a separate program that may be missing. It reads no start-up file of the user (-d), and its messages
 * come back through a pipe. ---- */

static int start(pid_t *child, const char *dir, const char *script, int words)
{
    posix_spawn_file_actions_t actions;
    char program[] = "gnuplot", defaults[] = "-d", file[300];
    char *const arguments[] = {program, defaults, file, NULL};
    snprintf(file, sizeof file, "%s", script);
    int reason = posix_spawn_file_actions_init(&actions);
    if (reason != 0) return reason;
    reason = posix_spawn_file_actions_addchdir_np(&actions, dir);
    if (reason == 0) reason = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (reason == 0) reason = posix_spawn_file_actions_adddup2(&actions, words, STDOUT_FILENO);
    if (reason == 0) reason = posix_spawn_file_actions_adddup2(&actions, words, STDERR_FILENO);
    if (reason == 0) reason = posix_spawnp(child, program, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return reason;
}

/* The first `size` bytes; the rest is read, too, or the child would block. */
static void read_output(char *words, size_t size, int from)
{
    char more[512];
    size_t n = 0;
    for (;;) {
        ssize_t got = read(from, more, sizeof more);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        size_t room = size - 1 - n, take = (size_t)got < room ? (size_t)got : room;
        memcpy(words + n, more, take);
        n += take;
    }
    words[n] = '\0';
}

/* The line that says what is wrong. gnuplot shows the place first: an empty line, the command, a caret below it, then
 * "file.gp" line 12: the reason. */
static const char *reason_in(char *words)
{
    char *found = strstr(words, "line ");
    char *begin = found != NULL ? found : words + strspn(words, "\n ");
    begin[strcspn(begin, "\n")] = '\0';
    return *begin != '\0' ? begin : "it gave no reason";
}

enum l2r_status l2r_gnuplot_run(bool *found, const char *dir, const char *name, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int pipe_ends[2] = {-1, -1}, how = 0;
    pid_t child;
    char script[256], words[4096] = "";
    *found = true;
    snprintf(script, sizeof script, "%s.gp", name);
    if (!l2r_path_is_dir(dir)) L2R_FAIL(L2R_ERR_IO, "%s: there is no such folder to draw in", dir);
    if (pipe2(pipe_ends, O_CLOEXEC) != 0) L2R_FAIL(L2R_ERR_IO, "no pipe to gnuplot: %s", strerror(errno));
    int reason = start(&child, dir, script, pipe_ends[1]);
    if (reason == ENOENT) *found = false;
    if (reason == ENOENT) goto done;
    if (reason != 0) L2R_FAIL(L2R_ERR_IO, "gnuplot cannot be started: %s", strerror(reason));
    close(pipe_ends[1]);
    pipe_ends[1] = -1;
    read_output(words, sizeof words, pipe_ends[0]);
    while (waitpid(child, &how, 0) < 0 && errno == EINTR) {
    }
    if (!WIFEXITED(how) || WEXITSTATUS(how) != 0)
        L2R_FAIL(L2R_ERR_IO, "%s/%s: gnuplot failed: %.300s", dir, script, reason_in(words));
done:
    for (int i = 0; i < 2; i++)
        if (pipe_ends[i] >= 0) close(pipe_ends[i]);
    return status;
}

enum l2r_status l2r_figure_write(const char *dir, const char *name, const json_t *description,
                                 const struct l2r_chart_runs *runs, char note[L2R_FIGURE_NOTE], struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_plot plot;
    bool found;
    note[0] = '\0';
    l2r_plot_init(&plot);
    L2R_TRY(l2r_figure_check(description, name, error));
    if (runs->n == 0) L2R_FAIL(L2R_ERR_ARGUMENT, "%s: no run has finished, so there is nothing to draw", name);
    L2R_TRY(make_plot(&plot, description, runs, error));
    L2R_TRY(l2r_make_dirs(dir, error));
    L2R_TRY(l2r_plot_write(&plot, dir, name, error));
    L2R_TRY(l2r_gnuplot_run(&found, dir, name, error));
    if (!found)
        snprintf(
            note, L2R_FIGURE_NOTE,
            "gnuplot is not installed, so %s was not drawn (Debian: gnuplot-nox); its numbers are in %.200s/%s.dat, "
            "and `gnuplot %s.gp` in that folder draws them",
            name, dir, name, name);
done:
    l2r_plot_clear(&plot);
    return status;
}
