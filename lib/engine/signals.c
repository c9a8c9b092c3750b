/* SPDX-License-Identifier: BSD-3-Clause */
/* The first SIGINT, SIGTERM or SIGHUP asks for a clean end, the second for an end at once. */
#include "engine_priv.h"
#include <signal.h>

static volatile sig_atomic_t n_seen;
static volatile sig_atomic_t last;

static void
handler(int sig)
{
	last = sig;
	n_seen++;
}

void
engine_signals_catch(void)
{
	struct sigaction sa = {.sa_handler = handler};

	sigemptyset(&sa.sa_mask);
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGHUP, &sa, NULL);
	sa.sa_handler = SIG_IGN;
	sigaction(SIGPIPE, &sa, NULL);
}

uint32_t
engine_signals_seen(void)
{
	return (uint32_t)n_seen;
}

int
engine_signals_last(void)
{
	return (int)last;
}
