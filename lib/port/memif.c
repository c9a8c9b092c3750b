/* SPDX-License-Identifier: BSD-3-Clause */
#include "port_eth.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static int
socket_path(char *path, size_t size, struct err *e)
{
	const char *run = getenv("XDG_RUNTIME_DIR");
	char dir[96];
	struct stat st;
	int n;

	if (run != NULL && *run != 0 && access(run, W_OK | X_OK) == 0) {
		n = snprintf(path, size, "%s/freshet-%u.sock", run, getuid());
		if (n < (int)size && n < (int)sizeof(((struct sockaddr_un *)0)->sun_path))
			return 0;
	}
	snprintf(dir, sizeof(dir), "/tmp/freshet-%u", getuid());
	if (mkdir(dir, 0700) != 0 && errno != EEXIST)
		return err_setup(e, errno, "directory", dir, "%s", strerror(errno));
	if (lstat(dir, &st) != 0 || !S_ISDIR(st.st_mode) || st.st_uid != getuid())
		return err_setup(e, EPERM, "directory", dir, "must be a directory of yours");
	snprintf(path, size, "%s/memif.sock", dir);
	return 0;
}

static int lock_fd = -1;

/* A server holds this lock while it lives. To connect and close would do to ask, but the driver's
 * interrupt thread panics in a server whose client leaves that early (22.11). */
static int
lock_open(const char *path, int flags)
{
	char name[128];

	snprintf(name, sizeof(name), "%s.lock", path);
	return open(name, flags | O_CLOEXEC | O_NOFOLLOW, 0600);
}

/* Queues of the server that holds the lock; 0: none does, or it is not ready. */
static int
server_queues(const char *path)
{
	char text[16] = "";
	int fd = lock_open(path, O_RDWR);
	bool lives;

	if (fd < 0)
		return 0;
	lives = flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
	if (lives && read(fd, text, sizeof(text) - 1) < 0)
		lives = false;
	close(fd);
	return lives && access(path, R_OK | W_OK) == 0 ? atoi(text) : 0;
}

void
port_memif_advertise(const char *path, uint32_t n_queues)
{
	if (lock_fd >= 0)
		dprintf(lock_fd, "%u\n", n_queues);
}

static int
server_lock(const char *path, struct err *e)
{
	lock_fd = lock_open(path, O_RDWR | O_CREAT);
	if (lock_fd < 0)
		return err_setup(e, errno, "lock of the server", path, "%s", strerror(errno));
	if (flock(lock_fd, LOCK_EX | LOCK_NB) == 0 && ftruncate(lock_fd, 0) == 0)
		return 0;
	close(lock_fd);
	lock_fd = -1;
	return err_setup(e, EADDRINUSE, "server", path,
		"another server of yours runs already: end it first");
}

int
port_memif_vdev(bool server, char *vdev, size_t size, char *path, size_t path_size, struct err *e)
{
	int rc = socket_path(path, path_size, e);

	if (rc != 0)
		return rc;
	if (server) {
		rc = server_lock(path, e);
		if (rc != 0)
			return rc;
		unlink(path);
	}
	snprintf(vdev, size,
		"net_memif0,role=%s,socket=%s,socket-abstract=no,zero-copy=no,rsize=10,bsize=2048",
		server ? "server" : "client", path);
	return 0;
}

int
port_memif_wait(const char *path, uint32_t ms, struct err *e)
{
	const struct timespec nap = {.tv_nsec = 50 * 1000 * 1000};
	int n = server_queues(path);

	for (uint32_t t = 0; n == 0 && t < ms; t += 50) {
		nanosleep(&nap, NULL);
		n = server_queues(path);
	}
	if (n > 0)
		return n;
	return err_setup(e, ECONNREFUSED, "no server", path,
		"start `freshet server` first, or name a port before `--`");
}

void
port_memif_remove(const char *path)
{
	char name[128];

	if (lock_fd < 0)
		return;
	unlink(path);
	snprintf(name, sizeof(name), "%s.lock", path);
	unlink(name);
	close(lock_fd);
	lock_fd = -1;
}

static void (*guard_wait)(void *arg);
static void *guard_arg;

void
port_memif_guard(void (*wait)(void *arg), void *arg)
{
	guard_arg = arg;
	__atomic_store_n(&guard_wait, wait, __ATOMIC_RELEASE);
}

/*
 * The driver of 22.11 unmaps the rings of a peer that left on EAL's interrupt thread, while a
 * worker may be in the middle of a burst on them (1 server in 30 died so, beside other busy
 * processes). It has cleared its "connected" flag by then, so a worker that has ended its burst
 * will not come back. Shared libraries find this definition first; libc's own calls do not come by.
 */
int
munmap(void *addr, size_t len)
{
	void (*wait)(void *arg) = __atomic_load_n(&guard_wait, __ATOMIC_ACQUIRE);

	if (wait != NULL)
		wait(guard_arg);
	return (int)syscall(SYS_munmap, addr, len);
}
