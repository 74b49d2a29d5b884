/* SPDX-License-Identifier: MIT
 *
 * Power failures. A run is watched call by call (base/system.h). After each call that changed the disk there are two
 * extremes of what a failure of the power could leave behind:
 *
 *     nothing that was not flushed   names as when their folder was last flushed, content as when the file was
 *     names without content          all names as they are now, but content only as far as it was flushed
 *
 * Both are made as folders, the run is resumed from them in a process of its own, and must end with the bits of one
 * that nothing happened to. At the end nothing may depend on luck: all that the run left must have been flushed.
 */
#include "base/memory.h"
#include "base/system.h"
#include "io/file.h"
#include "support/training_runs.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xxhash.h>

enum { MOST_FILES = 4096, MOST_NAMES = 64, MOST_STATES = 4096 };

/* Content of a file when it was last flushed. */
static struct flushed {
    ino_t inode;
    char *bytes;
    size_t size;
} flushed[MOST_FILES];
static size_t n_flushed;

struct name {
    char text[256];
    ino_t inode;
};
/* The folder of the run and that of its checkpoints, which is in it. */
enum { RUN, STATE, N_FOLDERS };
static const char *const inside[N_FOLDERS] = {"", "state/"};
struct names {
    struct name list[N_FOLDERS][MOST_NAMES];
    size_t n[N_FOLDERS];
};
static struct names durable; /* when the folders were last flushed */
static bool folder_durable;  /* its own name in the folder above */
static uint64_t seen[MOST_STATES];
static size_t n_seen, n_calls;
static char run_dir[256];
static const struct l2r_config *run_config;

static const struct flushed *find_flushed(ino_t inode)
{
    for (size_t i = n_flushed; i-- > 0;)
        if (flushed[i].inode == inode) return &flushed[i];
    return NULL;
}

static void keep_content(int fd, const struct stat *about)
{
    assert_true(n_flushed < MOST_FILES);
    struct flushed *f = &flushed[n_flushed++];
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    *f = (struct flushed){about->st_ino, malloc((size_t)about->st_size + 1), (size_t)about->st_size};
    int again = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(again >= 0 && read(again, f->bytes, f->size) == (ssize_t)f->size);
    close(again);
}

static void list_names(struct names *names, int f)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", run_dir, inside[f]);
    names->n[f] = 0;
    DIR *dir = opendir(path);
    for (const struct dirent *item; dir && (item = readdir(dir));) {
        if (item->d_name[0] == '.') continue;
        assert_true(names->n[f] < MOST_NAMES);
        struct name *name = &names->list[f][names->n[f]++];
        snprintf(name->text, sizeof name->text, "%s", item->d_name);
        name->inode = item->d_ino;
    }
    if (dir) closedir(dir);
}

static bool is_folder(const struct name *name)
{
    return strcmp(name->text, "state") == 0;
}

/* A flush of a folder of the run, of the one above, or of a file. */
static void note_flush(int fd)
{
    struct stat about, own, above;
    assert_int_equal(fstat(fd, &about), 0);
    if (S_ISREG(about.st_mode)) keep_content(fd, &about);
    if (stat(run_dir, &own) != 0 || stat(root, &above) != 0) return;
    if (about.st_ino == own.st_ino) list_names(&durable, RUN);
    for (size_t i = 0; i < durable.n[RUN]; i++)
        if (is_folder(&durable.list[RUN][i]) && durable.list[RUN][i].inode == about.st_ino) list_names(&durable, STATE);
    if (about.st_ino == above.st_ino) folder_durable = true;
}

/* The same state as before needs no second look. */
static bool is_new(const struct names *names)
{
    uint64_t hash = names->n[RUN];
    for (int d = 0; d < N_FOLDERS; d++)
        for (size_t i = 0; i < names->n[d]; i++) {
            const struct name *name = &names->list[d][i];
            const struct flushed *f = find_flushed(name->inode);
            uint64_t parts[4] = {XXH3_64bits(name->text, strlen(name->text)), f ? XXH3_64bits(f->bytes, f->size) : 0,
                                 f != NULL, (uint64_t)d};
            hash += XXH3_64bits(parts, sizeof parts); /* in whatever order they are listed */
        }
    for (size_t i = 0; i < n_seen; i++)
        if (seen[i] == hash) return false;
    assert_true(n_seen < MOST_STATES);
    seen[n_seen++] = hash;
    return true;
}

static void make_file(const char *dir, const struct name *name)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s", dir, name->text);
    if (is_folder(name)) {
        assert_int_equal(mkdir(path, 0777), 0);
    } else {
        const struct flushed *f = find_flushed(name->inode);
        int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        assert_true(fd >= 0 && (!f || write(fd, f->bytes, f->size) == (ssize_t)f->size));
        close(fd);
    }
}

static void make_folder(const struct names *names)
{
    char dir[256], path[300];
    bool with_state = false;
    folder(dir, "after");
    l2r_remove_tree(dir);
    assert_int_equal(mkdir(dir, 0777), 0);
    for (size_t i = 0; i < names->n[RUN]; i++) {
        make_file(dir, &names->list[RUN][i]);
        with_state = with_state || is_folder(&names->list[RUN][i]);
    }
    snprintf(path, sizeof path, "%s/state", dir);
    for (size_t i = 0; with_state && i < names->n[STATE]; i++) make_file(path, &names->list[STATE][i]);
}

/* Every epoch stands in metrics.jsonl, once. */
static bool has_all_lines(void)
{
    char path[600], *text;
    size_t length, n = 0;
    snprintf(path, sizeof path, "%s/after/metrics.jsonl", root);
    if (l2r_file_read(&text, &length, path, 1 << 20, NULL) != L2R_OK) return false;
    for (size_t i = 0; i < length; i++) n += text[i] == '\n';
    l2r_free(text);
    return n == 3;
}

static void try_state(const struct names *names, const char *what)
{
    if (!is_new(names)) return;
    make_folder(names);
    pid_t child = fork();
    if (child == 0) {
        l2r_sys_trace(NULL);
        struct l2r_error error = {0};
        struct l2r_result result;
        char dir[256];
        folder(dir, "after");
        if (train_into(&result, run_config, dir, true, NULL, &error) != L2R_OK) {
            fprintf(stderr, "after call %zu, %s: %s\n", n_calls, what, error.message);
            _exit(1);
        }
        same_runs("whole", "after"); /* ends the process with another code if not */
        _exit(has_all_lines() ? 0 : 2);
    }
    int code;
    assert_int_equal(waitpid(child, &code, 0), child);
    if (code == 0) return;
    l2r_sys_trace(NULL);
    fail_msg("a failure after call %zu, %s, is not survived (%d):%s", n_calls, what, code,
             names->n[RUN] ? "" : " empty");
}

static void after_call(enum l2r_call call, int fd)
{
    static const struct names nothing;
    struct names now;
    n_calls++;
    if (call == L2R_CALL_FSYNC) note_flush(fd);
    try_state(folder_durable ? &durable : &nothing, "nothing but what was flushed");
    for (int f = 0; f < N_FOLDERS; f++) list_names(&now, f);
    try_state(&now, "names without content");
}

static void every_moment_is_survived(void **state)
{
    static const char *const set[] = {"epochs", "3", "batch-size",         "32", "hidden", "8",
                                      "layers", "2", "checkpoint-seconds", "0",  NULL};
    (void)state;
    l2r_threads_set(1);
    struct l2r_config *config = config_for("gin", "erm", set);
    struct l2r_result result = train(config, "whole", false, NULL);
    l2r_result_clear(&result);
    folder(run_dir, "run");
    run_config = config;
    l2r_sys_trace(after_call);
    result = train(config, "run", false, NULL);
    l2r_sys_trace(NULL);
    l2r_result_clear(&result);
    print_message("%zu calls, %zu states of the disk\n", n_calls, n_seen);
    assert_true(n_seen > 20);
    /* Nothing is left to luck at the end. */
    struct names now;
    list_names(&now, RUN);
    assert_true(folder_durable);
    assert_int_equal(now.n[RUN], durable.n[RUN]);
    for (size_t i = 0; i < now.n[RUN]; i++) {
        const struct name *name = &now.list[RUN][i];
        struct stat about;
        char path[600];
        const struct flushed *f = find_flushed(name->inode);
        snprintf(path, sizeof path, "%s/%.255s", run_dir, name->text);
        assert_int_equal(stat(path, &about), 0);
        if (!f || f->size != (size_t)about.st_size) fail_msg("%s was not flushed", name->text);
    }
    for (size_t i = 0; i < n_flushed; i++) free(flushed[i].bytes);
    l2r_config_free(config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_moment_is_survived)};
    return cmocka_run_group_tests_name("power failures", tests, run_set_up, run_tear_down);
}
