/* Faults of a disk, for a process that is started with LD_PRELOAD.
 *
 * Counts the calls that change files whose path contains FAULT_PATH, and from the FAULT_AT-th on
 * (the first is 1):
 *   FAULT_KIND=kill   SIGKILL before the call
 *   FAULT_KIND=tear   the first half of the bytes is written, then SIGKILL
 *   FAULT_KIND=error  the call fails with FAULT_ERRNO; FAULT_TIMES of them do (default: all)
 *   FAULT_KIND=count  nothing; the count is written to FAULT_COUNT at exit and after each call
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static pid_t configured;
static const char *path_part, *count_file;
static long at, times, count;
static int error_number;
static enum { NOTHING, KILL, TEAR, ERROR, COUNT } kind;

static void configure(void) {
    const char *text;
    if (configured == getpid()) return;
    configured = getpid();
    count = 0;
    path_part = getenv("FAULT_PATH");
    count_file = getenv("FAULT_COUNT");
    at = (text = getenv("FAULT_AT")) ? atol(text) : 0;
    times = (text = getenv("FAULT_TIMES")) ? atol(text) : 0;
    error_number = (text = getenv("FAULT_ERRNO")) ? atoi(text) : ENOSPC;
    text = getenv("FAULT_KIND");
    kind = NOTHING;
    if (text && path_part) {
        if (!strcmp(text, "kill")) kind = KILL;
        if (!strcmp(text, "tear")) kind = TEAR;
        if (!strcmp(text, "error")) kind = ERROR;
        if (!strcmp(text, "count")) kind = COUNT;
    }
}

static void note(void) {
    char line[32];
    int file;
    if (!count_file) return;
    file = syscall(SYS_openat, AT_FDCWD, count_file, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0) return;
    syscall(SYS_write, file, line, snprintf(line, sizeof line, "%ld\n", count));
    syscall(SYS_close, file);
}

/* What is to happen to a call on a path: 0, or the fault. */
static int fault_on(const char *path) {
    configure();
    if (kind == NOTHING || !path || !strstr(path, path_part)) return 0;
    count++;
    if (kind == COUNT) { note(); return 0; }
    if (count < at) return 0;
    if (kind == KILL) syscall(SYS_kill, getpid(), SIGKILL);
    if (kind == ERROR && times && count >= at + times) return 0;
    return kind;
}

static int fault(int fd) {
    char link[64], path[4096];
    ssize_t length;
    configure();
    if (kind == NOTHING) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return fault_on(path);
}

#define DIE() do { syscall(SYS_kill, getpid(), SIGKILL); } while (0)
#define FAIL(code) do { errno = error_number; return code; } while (0)

ssize_t write(int fd, const void *data, size_t size) {
    int found = fault(fd);
    if (found == ERROR) FAIL(-1);
    if (found == TEAR) { syscall(SYS_write, fd, data, size / 2); DIE(); }
    return syscall(SYS_write, fd, data, size);
}

ssize_t pwrite64(int fd, const void *data, size_t size, off64_t offset) {
    int found = fault(fd);
    if (found == ERROR) FAIL(-1);
    if (found == TEAR) { syscall(SYS_pwrite64, fd, data, size / 2, offset); DIE(); }
    return syscall(SYS_pwrite64, fd, data, size, offset);
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t offset) {
    return pwrite64(fd, data, size, offset);
}

int fsync(int fd) {
    int found = fault(fd);
    if (found == ERROR) FAIL(-1);
    if (found == TEAR) DIE();
    return syscall(SYS_fsync, fd);
}

int fdatasync(int fd) {
    int found = fault(fd);
    if (found == ERROR) FAIL(-1);
    if (found == TEAR) DIE();
    return syscall(SYS_fdatasync, fd);
}

int ftruncate64(int fd, off64_t size) {
    int found = fault(fd);
    if (found == ERROR) FAIL(-1);
    if (found == TEAR) DIE();
    return syscall(SYS_ftruncate, fd, size);
}

int ftruncate(int fd, off_t size) { return ftruncate64(fd, size); }

int unlink(const char *path) {
    int found = fault_on(path);
    if (found == ERROR) FAIL(-1);
    if (found == TEAR) DIE();
    return syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

int rename(const char *from, const char *to) {
    int found = fault_on(to);
    if (found == ERROR) FAIL(-1);
    if (found == TEAR) DIE();
    return syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int posix_fallocate64(int fd, off64_t offset, off64_t size) {
    int found = fault(fd);
    if (found == ERROR) return error_number;
    if (found == TEAR) DIE();
    return syscall(SYS_fallocate, fd, 0, offset, size) ? errno : 0;
}

int posix_fallocate(int fd, off_t offset, off_t size) { return posix_fallocate64(fd, offset, size); }
