/* SPDX-License-Identifier: MIT
 * See trainings.h: processes, and what is known of them. The words of the command are made in training_words.c. */
#include "serve/trainings.h"

#include "base/array.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/formats/smiles/smiles.h"
#include "data/reader.h"
#include "io/file.h"
#include "io/source.h"
#include "methods/method.h"
#include "nn/model.h"
#include "serve/training_words.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PATH = 4096, LONGEST_MESSAGE = 4000 };

/* One training. */
struct training {
    int64_t id;
    pid_t pid; /* 0: it has ended */
    int words; /* the descriptor of what it prints to stderr */
    char *name, *table, *command, *message;
    const char *state; /* "running", "finished", "stopped", "failed" */
    bool interrupted;
    double began;
};

struct l2r_trainings {
    const char *tables, *runs;
    char program[PATH];
    pthread_mutex_t lock;
    struct training kept[L2R_TRAININGS_KEPT];
    int n;
    int64_t ids;
    bool stop;
};

static void training_clear(struct training *t)
{
    l2r_free(t->name);
    l2r_free(t->table);
    l2r_free(t->command);
    l2r_free(t->message);
    if (t->words >= 0) close(t->words);
}

enum l2r_status l2r_trainings_new(struct l2r_trainings **trainings, const char *tables, const char *runs,
                                  struct l2r_error *error)
{
    struct l2r_trainings *t = *trainings = l2r_alloc(1, sizeof *t);
    if (!t) return l2r_fail_memory(error, sizeof *t, "trainings");
    t->tables = tables;
    t->runs = runs;
    pthread_mutex_init(&t->lock, NULL);
    ssize_t n = readlink("/proc/self/exe", t->program, sizeof t->program - 1);
    if (n > 0) return L2R_OK;
    enum l2r_status status =
        l2r_fail(error, L2R_ERR_IO, "/proc/self/exe: the program does not find itself: %s", strerror(errno));
    l2r_trainings_free(t);
    *trainings = NULL;
    return status;
}

/* ---- processes ---- */

static enum l2r_status spawn(pid_t *pid, const char *program, char *const words[], int messages,
                             struct l2r_error *error)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    int reason = posix_spawn_file_actions_init(&actions);
    if (reason != 0) return l2r_fail(error, L2R_ERR_MEMORY, "out of memory: a process");
    (void)posix_spawnattr_init(&attributes);
    (void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    (void)posix_spawnattr_setsigmask(&attributes, &none);
    (void)posix_spawnattr_setsigdefault(&attributes, &all);
    (void)posix_spawnattr_setpgroup(&attributes, 0); /* Ctrl-C reaches the server, which interrupts it once */
    reason = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (reason == 0) reason = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    if (reason == 0) reason = posix_spawn_file_actions_adddup2(&actions, messages, STDERR_FILENO);
    if (reason == 0) reason = posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
    if (reason == 0) reason = posix_spawn(pid, program, &actions, &attributes, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return reason == 0 ? L2R_OK : l2r_fail(error, L2R_ERR_IO, "%s cannot be started: %s", program, strerror(reason));
}

/* The end of what it printed, without "l2r: " in front. */
static char *read_message(int fd)
{
    static const char ours[] = "l2r: ";
    char text[LONGEST_MESSAGE + 1];
    struct stat s;
    off_t from = fd >= 0 && fstat(fd, &s) == 0 && s.st_size > LONGEST_MESSAGE ? s.st_size - LONGEST_MESSAGE : 0;
    ssize_t n = fd >= 0 ? pread(fd, text, LONGEST_MESSAGE, from) : 0;
    text[n > 0 ? n : 0] = '\0';
    size_t length = strlen(text);
    while (length > 0 && strchr(" \n", text[length - 1])) text[--length] = '\0';
    return l2r_strdup(strncmp(text, ours, sizeof ours - 1) == 0 ? text + sizeof ours - 1 : text);
}

/* With the lock held. */
static void look(struct training *t)
{
    int code;
    if (t->pid == 0 || waitpid(t->pid, &code, WNOHANG) != t->pid) return;
    bool good = WIFEXITED(code) && WEXITSTATUS(code) == 0;
    t->pid = 0;
    t->state = good ? "finished" : t->interrupted ? "stopped" : "failed";
    l2r_free(t->message);
    t->message = read_message(t->words);
    if (t->words >= 0) close(t->words);
    t->words = -1;
}

void l2r_trainings_look(struct l2r_trainings *t)
{
    pthread_mutex_lock(&t->lock);
    for (int i = 0; i < t->n; i++) look(&t->kept[i]);
    pthread_mutex_unlock(&t->lock);
}

static int running(const struct l2r_trainings *t)
{
    int n = 0;
    for (int i = 0; i < t->n; i++) n += t->kept[i].pid != 0;
    return n;
}

void l2r_trainings_stop(struct l2r_trainings *t, double seconds)
{
    if (!t) return;
    const struct timespec pause = {0, 20000000};
    pthread_mutex_lock(&t->lock);
    t->stop = true;
    for (int i = 0; i < t->n; i++) {
        struct training *one = &t->kept[i];
        if (one->pid != 0) one->interrupted = kill(one->pid, SIGINT) == 0;
    }
    for (double start = l2r_clock_seconds(); running(t) > 0 && l2r_clock_since(start) < seconds;) {
        for (int i = 0; i < t->n; i++) look(&t->kept[i]);
        if (running(t) > 0) nanosleep(&pause, NULL);
    }
    pthread_mutex_unlock(&t->lock);
}

void l2r_trainings_free(struct l2r_trainings *t)
{
    if (!t) return;
    for (int i = 0; i < t->n; i++) training_clear(&t->kept[i]);
    pthread_mutex_destroy(&t->lock);
    l2r_free(t);
}

/* ---- what is said of them ---- */

static json_t *to_json(const struct training *t)
{
    json_t *object = json_object();
    l2r_json_put(object, "id", json_integer(t->id));
    l2r_json_put(object, "name", l2r_json_name(t->name));
    l2r_json_put(object, "table", l2r_json_name(t->table));
    l2r_json_put(object, "command", l2r_json_name(t->command));
    l2r_json_put(object, "state", json_string(t->state));
    l2r_json_put(object, "message", t->message && *t->message ? l2r_json_name(t->message) : json_null());
    return object;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The tables of the folder, by name. */
static enum l2r_status put_tables(json_t *answer, const char *dir, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char **names = NULL;
    size_t n = 0, room = 0;
    DIR *folder = opendir(dir);
    if (!folder) return l2r_fail(error, L2R_ERR_IO, "%s: cannot be read: %s", dir, strerror(errno));
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char path[PATH];
        if (!l2r_training_is_table(entry->d_name) || l2r_path_join(path, sizeof path, dir, entry->d_name, NULL) ||
            !l2r_path_is_file(path))
            continue;
        if (!l2r_reserve((void **)&names, &room, n + 1, sizeof *names) || !(names[n] = l2r_strdup(entry->d_name)))
            L2R_FAIL(L2R_ERR_MEMORY, "out of memory: the tables of a folder");
        n++;
    }
    if (n > 1) qsort((void *)names, n, sizeof *names, by_text);
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++) l2r_json_append(list, l2r_json_name(names[i]));
    l2r_json_put(answer, "tables", list);
done:
    closedir(folder);
    for (size_t i = 0; i < n; i++) l2r_free(names[i]);
    l2r_free((void *)names);
    return status;
}

static json_t *named(const char *name, const char *title)
{
    json_t *object = json_object();
    l2r_json_put(object, "name", json_string(name));
    l2r_json_put(object, "title", title ? json_string(title) : json_null());
    return object;
}

enum l2r_status l2r_trainings_list(json_t **answer, struct l2r_trainings *t, struct l2r_error *error)
{
    json_t *object = *answer = json_object(), *list = json_array(), *models = json_array(), *methods = json_array();
    l2r_trainings_look(t);
    l2r_json_put(object, "folder", l2r_json_name(t->tables));
    enum l2r_status status = put_tables(object, t->tables, error);
    for (size_t i = 0; l2r_models[i]; i++) l2r_json_append(models, named(l2r_models[i]->name, l2r_models[i]->title));
    for (size_t i = 0; l2r_methods[i]; i++)
        l2r_json_append(methods, named(l2r_methods[i]->name, l2r_methods[i]->title));
    pthread_mutex_lock(&t->lock);
    for (int i = t->n - 1; i >= 0; i--) l2r_json_append(list, to_json(&t->kept[i]));
    pthread_mutex_unlock(&t->lock);
    l2r_json_put(object, "models", models);
    l2r_json_put(object, "methods", methods);
    l2r_json_put(object, "trainings", list);
    if (status != L2R_OK) json_decref(object), *answer = NULL;
    return status;
}

enum l2r_status l2r_trainings_table(json_t **answer, struct l2r_trainings *t, const char *name, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char path[PATH];
    struct l2r_source *source = NULL;
    struct l2r_config *options = NULL;
    struct l2r_molecule_table table = {0};
    json_t *object = *answer = json_object(), *columns = json_array();
    l2r_json_put(object, "columns", columns);
    if (!name || !l2r_training_is_table(name)) L2R_FAIL(L2R_ERR_ARGUMENT, "there is no such table");
    L2R_TRY(l2r_path_join(path, sizeof path, t->tables, name, error));
    if (!l2r_path_is_file(path)) L2R_FAIL(L2R_ERR_ARGUMENT, "there is no table %s", name);
    L2R_TRY(l2r_config_new(&options, error));
    L2R_TRY(l2r_config_declare(options, l2r_data_options, error));
    L2R_TRY(l2r_source_open(&source, path, error));
    L2R_TRY(l2r_molecule_table_find(&table, source, options, error));
    for (int32_t i = 0; i < table.n_columns; i++) l2r_json_append(columns, l2r_json_name(table.names[i]));
    l2r_json_put(object, "smiles", l2r_json_name(table.names[table.smiles]));
done:
    l2r_molecule_table_clear(&table);
    l2r_source_free(source);
    l2r_config_free(options);
    if (status != L2R_OK) json_decref(object), *answer = NULL;
    return status;
}

/* ---- beginning and ending ---- */

/* Room for one more: the oldest that has ended goes. With the lock held. */
static struct training *make_room(struct l2r_trainings *t)
{
    if (t->n == L2R_TRAININGS_KEPT) {
        int oldest = 0;
        while (t->kept[oldest].pid != 0) oldest++; /* fewer than are kept run */
        training_clear(&t->kept[oldest]);
        memmove(&t->kept[oldest], &t->kept[oldest + 1], (size_t)(t->n - 1 - oldest) * sizeof *t->kept);
        t->n--;
    }
    t->kept[t->n] = (struct training){.words = -1, .state = "running"};
    return &t->kept[t->n];
}

/* With the lock held. */
static enum l2r_status begin(json_t **answer, struct l2r_trainings *t, struct l2r_training_words *words,
                             struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct training *one = make_room(t);
    one->name = l2r_strdup(words->name);
    one->table = l2r_strdup(words->table);
    one->command = l2r_training_command(words);
    if (!one->name || !one->table || !one->command) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: a training");
    one->words = memfd_create("l2r-training", MFD_CLOEXEC);
    if (one->words < 0) L2R_FAIL(L2R_ERR_IO, "a file in memory cannot be made: %s", strerror(errno));
    L2R_TRY(spawn(&one->pid, t->program, words->list, one->words, error));
    one->id = ++t->ids;
    *answer = to_json(one);
    t->n++;
done:
    if (status != L2R_OK) training_clear(one);
    return status;
}

enum l2r_status l2r_trainings_check(json_t **answer, struct l2r_trainings *t, const char *body, size_t length,
                                    struct l2r_error *error)
{
    struct l2r_training_words words = {0};
    struct l2r_error reason = {0};
    *answer = NULL;
    enum l2r_status status = l2r_training_words_make(&words, t->tables, t->runs, body, length, &reason);
    char *command = status == L2R_OK ? l2r_training_command(&words) : NULL;
    if (status != L2R_OK && status != L2R_ERR_ARGUMENT) {
        status = l2r_fail(error, status, "%s", reason.message);
    } else { /* half an option, while it is being typed, is no failure */
        *answer = json_object();
        l2r_json_put(*answer, "command", command ? l2r_json_name(command) : json_null());
        l2r_json_put(*answer, "problem", status == L2R_OK ? json_null() : l2r_json_name(reason.message));
        status = L2R_OK;
    }
    l2r_free(command);
    l2r_training_words_clear(&words);
    return status;
}

static bool is_running(const struct l2r_trainings *t, const char *name)
{
    for (int i = 0; i < t->n; i++)
        if (t->kept[i].pid != 0 && strcmp(t->kept[i].name, name) == 0) return true;
    return false;
}

enum l2r_status l2r_trainings_begin(json_t **answer, bool *busy, struct l2r_trainings *t, const char *body,
                                    size_t length, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_training_words words = {0};
    *answer = NULL;
    *busy = false;
    pthread_mutex_lock(&t->lock);
    L2R_TRY(l2r_training_words_make(&words, t->tables, t->runs, body, length, error));
    for (int i = 0; i < t->n; i++) look(&t->kept[i]);
    if (is_running(t, words.name)) L2R_FAIL(L2R_ERR_ARGUMENT, "%s is being trained already", words.name);
    *busy = t->stop || running(t) >= L2R_MOST_TRAININGS;
    if (*busy)
        L2R_FAIL(L2R_ERR_ARGUMENT, "%d models are being trained already; wait for one, or stop it",
                 (int)L2R_MOST_TRAININGS);
    L2R_TRY(begin(answer, t, &words, error));
done:
    pthread_mutex_unlock(&t->lock);
    l2r_training_words_clear(&words);
    return status;
}

enum l2r_status l2r_trainings_end(json_t **answer, struct l2r_trainings *t, const char *body, size_t length,
                                  struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    json_t *root = NULL;
    *answer = NULL;
    L2R_TRY(l2r_json_parse(&root, body, length, "the body", error));
    const json_t *id = json_object_get(root, "id");
    if (!json_is_integer(id) || json_object_size(root) != 1)
        L2R_FAIL(L2R_ERR_FORMAT, "the body is no {\"id\": NUMBER}");
    pthread_mutex_lock(&t->lock);
    for (int i = 0; i < t->n; i++) {
        struct training *one = &t->kept[i];
        look(one);
        if (one->id != json_integer_value(id)) continue;
        if (one->pid != 0) one->interrupted = kill(one->pid, SIGINT) == 0;
        *answer = to_json(one);
    }
    pthread_mutex_unlock(&t->lock);
    if (!*answer) L2R_FAIL(L2R_ERR_ARGUMENT, "there is no such training; /api/trainings lists them");
done:
    json_decref(root);
    return status;
}
