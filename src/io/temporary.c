/* SPDX-License-Identifier: MIT
 *
 * See temporary.h. Between its creation and its lock a temporary looks like litter. A process that removes litter holds
 * the lock meanwhile, so the writer either fails to get it or finds afterwards that the name is gone, and takes
 * another.
 */
#include "io/temporary.h"

#include "base/system.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

enum { DIGITS = 16, ATTEMPTS = 16, LONGEST_BASE = 200 };
static const char mark[] = ".tmp-";
static const uint64_t key = UINT64_C(0x6c32722d74656d70);

static uint64_t seal_of(const char digits[DIGITS])
{
    return XXH3_64bits_withSeed(digits, DIGITS, key);
}

bool l2r_temporary_is_ours(const char *name)
{
    char seal[DIGITS + 1];
    size_t length = strlen(name), tail = sizeof mark - 1 + 2 * DIGITS;
    if (length <= tail || strncmp(name + length - tail, mark, sizeof mark - 1) != 0) return false;
    const char *digits = name + length - 2 * DIGITS;
    snprintf(seal, sizeof seal, "%016" PRIx64, seal_of(digits));
    return strcmp(seal, digits + DIGITS) == 0;
}

/* Long names are cut: the temporary's must not be longer than the file system allows when the target's is not. */
static bool new_name(char path[L2R_TEMPORARY_PATH], const char *target)
{
    uint64_t number;
    char digits[DIGITS + 1];
    const char *slash = strrchr(target, '/'), *base = slash ? slash + 1 : target;
    if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number) return false;
    snprintf(digits, sizeof digits, "%016" PRIx64, number);
    int written = snprintf(path, L2R_TEMPORARY_PATH, "%.*s%.*s%s%s%016" PRIx64, (int)(base - target), target,
                           LONGEST_BASE, base, mark, digits, seal_of(digits));
    if (written < L2R_TEMPORARY_PATH) return true;
    errno = ENAMETOOLONG;
    return false;
}

static bool is_at(int fd, const char *path)
{
    struct stat held, named;
    return fstat(fd, &held) == 0 && lstat(path, &named) == 0 && held.st_dev == named.st_dev &&
           held.st_ino == named.st_ino;
}

/* Not every file system can lock; there is no litter removed there. */
static bool lock(int fd)
{
    return flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

static int create(const char *path, bool folder)
{
    if (!folder) return l2r_sys_open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW);
    if (l2r_sys_mkdir(path) != 0) return -1;
    int fd = l2r_sys_open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    int reason = errno;
    if (fd < 0) (void)rmdir(path);
    errno = reason;
    return fd;
}

int l2r_temporary_new(char path[L2R_TEMPORARY_PATH], const char *target, bool folder)
{
    for (int i = 0; i < ATTEMPTS && new_name(path, target); i++) {
        int fd = create(path, folder);
        if (fd < 0 && errno != EEXIST) return -1;
        if (fd >= 0 && lock(fd) && is_at(fd, path)) return fd;
        if (fd >= 0) (void)l2r_sys_close(fd);
        errno = EEXIST;
    }
    return -1;
}

int l2r_temporary_link(char path[L2R_TEMPORARY_PATH], const char *from, const char *target)
{
    int fd = l2r_sys_open(from, O_RDONLY | O_NOFOLLOW), reason;
    if (fd < 0) return -1;
    (void)lock(fd); /* any other holder of the lock protects the new name from removal just as well */
    if (new_name(path, target) && l2r_sys_link(from, path) == 0) return fd;
    reason = errno;
    (void)l2r_sys_close(fd);
    errno = reason;
    return -1;
}

/* Every step goes through the descriptor of the folder above, so a folder that is replaced by a link meanwhile does
 * not lead elsewhere. */
static void remove_at(int above, const char *name)
{
    if (unlinkat(above, name, 0) == 0 || (errno != EISDIR && errno != EPERM)) return;
    int fd = openat(above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    if (!dir && fd >= 0) (void)close(fd);
    for (const struct dirent *item; dir && (item = readdir(dir));)
        if (strcmp(item->d_name, ".") != 0 && strcmp(item->d_name, "..") != 0) remove_at(fd, item->d_name);
    if (dir) closedir(dir);
    (void)unlinkat(above, name, AT_REMOVEDIR);
}

void l2r_remove_tree(const char *path)
{
    remove_at(AT_FDCWD, path);
}

/* The entry, opened and locked: then no process writes it any more. -1: leave it alone. */
static int take(int dir, const char *name)
{
    struct stat found, held;
    if (fstatat(dir, name, &found, AT_SYMLINK_NOFOLLOW) != 0 || found.st_uid != geteuid()) return -1;
    bool folder = S_ISDIR(found.st_mode);
    if (!folder && !S_ISREG(found.st_mode)) return -1;
    int fd = openat(dir, name, (folder ? O_RDONLY | O_DIRECTORY : O_RDWR) | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return -1;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &held) == 0 && held.st_ino == found.st_ino &&
        fstatat(dir, name, &found, AT_SYMLINK_NOFOLLOW) == 0 && held.st_ino == found.st_ino)
        return fd;
    (void)close(fd);
    return -1;
}

void l2r_remove_litter(const char *folder)
{
    DIR *dir = opendir(folder);
    for (const struct dirent *item; dir && (item = readdir(dir));) {
        if (!l2r_temporary_is_ours(item->d_name)) continue;
        int fd = take(dirfd(dir), item->d_name);
        if (fd < 0) continue;
        remove_at(dirfd(dir), item->d_name);
        (void)close(fd);
    }
    if (dir) closedir(dir);
}

void l2r_remove_litter_at(const char *path)
{
    char parent[L2R_TEMPORARY_PATH];
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/') length--;
    while (length > 0 && path[length - 1] != '/') length--;
    if (length < sizeof parent) {
        snprintf(parent, sizeof parent, "%.*s", (int)length, path);
        l2r_remove_litter(length > 0 ? parent : ".");
    }
    l2r_remove_litter(path); /* not a folder: nothing there */
}
