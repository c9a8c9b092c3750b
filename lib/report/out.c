/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "report_priv.h"

int
report_out_open(struct report_out *o, const char *path, const char *what, struct err *e)
{
	struct stat st;
	int fd;

	/* Nothing can be overwritten in a device or a pipe (/dev/stdout, mkfifo); O_NONBLOCK
	 * because control must never wait for a reader. */
	if (stat(path, &st) == 0 && (S_ISCHR(st.st_mode) || S_ISFIFO(st.st_mode)))
		fd = open(path, O_WRONLY | O_APPEND | O_NONBLOCK | O_CLOEXEC);
	else
		fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (fd < 0 && errno == EEXIST) {
		err_usage(e, what, path,
			"a file that does not exist yet: results are not overwritten");
		return -EEXIST;
	}
	if (fd < 0)
		return err_setup(e, errno, what, path, "cannot open: %s", strerror(errno));
	o->fd = fd;
	o->n_bytes = 0;
	o->regular = fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
	return 0;
}

int
report_out_line(struct report_out *o, const char *line, unsigned int n)
{
	ssize_t done;

	do {
		done = write(o->fd, line, n);
	} while (done < 0 && errno == EINTR);
	if (done == (ssize_t)n) {
		o->n_bytes += n;
		return 0;
	}
	if (done < 0)
		return -errno;
	/* Part of a line would be read as wrong numbers, so that the file ends with the line
	 * before. */
	if (o->regular && ftruncate(o->fd, o->n_bytes) != 0)
		return -errno;
	return -ENOSPC;
}

int
report_out_close(struct report_out *o)
{
	int rc = close(o->fd) == 0 ? 0 : -errno;

	o->fd = -1;
	return rc;
}
