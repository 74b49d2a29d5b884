/* SPDX-License-Identifier: MIT
 * See system.h. As in the kernel, a close that fails has still closed the descriptor. */
#include "base/system.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Set by tests only; besides thread-local data, the only mutable state of the library. */
static _Atomic unsigned fault_calls;
static _Atomic long fault_made, fault_at;
static _Atomic bool fault_stays;
static _Atomic int fault_reason;

static void (*_Atomic tracer)(enum l2r_call call, int fd);

static _Thread_local int write_reason;

void l2r_sys_trace(void (*function)(enum l2r_call call, int fd))
{
    atomic_store(&tracer, function);
}

/* Reports a call that returned `answer` to the tracer, and returns `answer`. */
static ssize_t traced(ssize_t answer, enum l2r_call call, int fd)
{
    void (*trace)(enum l2r_call, int) = atomic_load_explicit(&tracer, memory_order_relaxed);
    if (trace && answer >= 0) trace(call, fd);
    return answer;
}

long l2r_fault_set(unsigned calls, long k, bool for_good, int reason)
{
    atomic_store(&fault_calls, 0);
    long made = atomic_exchange(&fault_made, 0);
    atomic_store(&fault_at, k);
    atomic_store(&fault_stays, for_good);
    atomic_store(&fault_reason, reason);
    atomic_store(&fault_calls, calls);
    return made;
}

bool l2r_fault_due(enum l2r_call call)
{
    if (!(atomic_load_explicit(&fault_calls, memory_order_relaxed) & (unsigned)call)) return false;
    long k = atomic_fetch_add(&fault_made, 1), at = atomic_load(&fault_at);
    if (k != at && !(k > at && atomic_load(&fault_stays))) return false;
    errno = atomic_load(&fault_reason);
    return true;
}

static int refuse(int fd, int reason)
{
    (void)close(fd);
    errno = reason;
    return -1;
}

int l2r_sys_open(const char *path, int flags)
{
    struct stat about;
    if (l2r_fault_due(L2R_CALL_OPEN)) return -1;
    int fd = open(path, flags | O_CLOEXEC | O_NONBLOCK, 0666);
    if (fd < 0) return -1;
    if (fstat(fd, &about) != 0) return refuse(fd, errno);
    bool readable = S_ISREG(about.st_mode) || S_ISDIR(about.st_mode);
    if ((flags & O_ACCMODE) == O_RDONLY && !readable) return refuse(fd, L2R_NOT_A_FILE);
    /* Writing to a pipe or a terminal may wait, once its other end is there. */
    if (!readable && !(flags & O_NONBLOCK) && fcntl(fd, F_SETFL, flags & O_APPEND) != 0) return refuse(fd, errno);
    return fd;
}

const char *l2r_sys_reason(int code)
{
    return code == L2R_NOT_A_FILE ? "it is a pipe, a socket or a device; expected a file" : strerror(code);
}

ssize_t l2r_sys_read(int fd, void *bytes, size_t size)
{
    ssize_t n;
    if (l2r_fault_due(L2R_CALL_READ)) return -1;
    do n = read(fd, bytes, size);
    while (n < 0 && errno == EINTR);
    return n;
}

ssize_t l2r_sys_write(int fd, const void *bytes, size_t size)
{
    ssize_t n;
    if (l2r_fault_due(L2R_CALL_WRITE)) {
        int reason = errno;
        if (!atomic_load(&fault_stays))
            (void)!write(fd, bytes, size / 2); /* a disk fills up in the middle of a write */
        errno = reason;
        return -1;
    }
    do n = write(fd, bytes, size);
    while (n < 0 && errno == EINTR);
    return traced(n, L2R_CALL_WRITE, fd);
}

int l2r_sys_fsync(int fd)
{
    if (l2r_fault_due(L2R_CALL_FSYNC)) return -1;
    return (int)traced(fsync(fd) == 0 || errno == EINVAL || errno == EROFS ? 0 : -1, L2R_CALL_FSYNC, fd);
}

int l2r_sys_ftruncate(int fd, off_t length)
{
    return l2r_fault_due(L2R_CALL_WRITE) ? -1 : (int)traced(ftruncate(fd, length), L2R_CALL_WRITE, fd);
}

int l2r_sys_close(int fd)
{
    bool fails = l2r_fault_due(L2R_CALL_CLOSE);
    int reason = errno, closed = close(fd);
    if (!fails) return closed;
    errno = reason;
    return -1;
}

int l2r_sys_rename(const char *from, const char *to)
{
    return l2r_fault_due(L2R_CALL_RENAME) ? -1 : (int)traced(rename(from, to), L2R_CALL_RENAME, -1);
}

int l2r_sys_link(const char *from, const char *to)
{
    return l2r_fault_due(L2R_CALL_RENAME) ? -1 : (int)traced(link(from, to), L2R_CALL_RENAME, -1);
}

int l2r_sys_mkdir(const char *path)
{
    return l2r_fault_due(L2R_CALL_RENAME) ? -1 : (int)traced(mkdir(path, 0777), L2R_CALL_RENAME, -1);
}

void *l2r_sys_map(int fd, size_t bytes)
{
    /* Populated at once: everything is about to be read for a checksum. */
    return l2r_fault_due(L2R_CALL_MAP) ? MAP_FAILED : mmap(NULL, bytes, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
}

void *l2r_sys_pages(size_t bytes)
{
    if (l2r_fault_due(L2R_CALL_MAP)) return MAP_FAILED;
    return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/* What stdio calls; the cookie is the descriptor itself. */

static int descriptor_of(void *cookie)
{
    return (int)(intptr_t)cookie;
}

static ssize_t stream_read(void *cookie, char *bytes, size_t size)
{
    return l2r_sys_read(descriptor_of(cookie), bytes, size);
}

static ssize_t stream_write(void *cookie, const char *bytes, size_t size)
{
    size_t done = 0;
    while (done < size) {
        ssize_t n = l2r_sys_write(descriptor_of(cookie), bytes + done, size - done);
        if (n == 0) errno = ENOSPC;
        if (n <= 0) {
            write_reason = errno;
            return 0; /* stdio can report all or nothing only: it sets the error flag */
        }
        done += (size_t)n;
    }
    return (ssize_t)size;
}

int l2r_sys_write_reason(void)
{
    return write_reason ? write_reason : EIO;
}

static int stream_seek(void *cookie, off64_t *offset, int whence)
{
    off64_t at = lseek(descriptor_of(cookie), *offset, whence);
    if (at < 0) return -1;
    *offset = at;
    return 0;
}

static int stream_close(void *cookie)
{
    return l2r_sys_close(descriptor_of(cookie));
}

/* Takes the descriptor; it is closed where there is no memory for a stream. */
static FILE *stream_on(int *fd, int flags)
{
    static const cookie_io_functions_t calls = {stream_read, stream_write, stream_seek, stream_close};
    static const char *const modes[] = {[O_RDONLY] = "r", [O_WRONLY] = "w", [O_RDWR] = "r+"};
    if (*fd < 0) return NULL;
    FILE *stream = fopencookie((void *)(intptr_t)*fd, flags & O_APPEND ? "a" : modes[flags & O_ACCMODE], calls);
    if (stream) return stream;
    int reason = errno;
    (void)close(*fd);
    *fd = -1;
    errno = reason;
    return NULL;
}

FILE *l2r_sys_stream(int *fd, const char *path, int flags)
{
    *fd = l2r_sys_open(path, flags);
    return stream_on(fd, flags);
}

FILE *l2r_sys_stream_of(int *fd, int open, int flags)
{
    *fd = l2r_fault_due(L2R_CALL_OPEN) ? -1 : fcntl(open, F_DUPFD_CLOEXEC, 0);
    return stream_on(fd, flags);
}
