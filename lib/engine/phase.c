/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine_phase.h"

double
phase_progress(const struct plan_phase *ph, uint64_t elapsed_ns, uint64_t done)
{
	double at = 0;

	if (ph->goal.duration_ns != PLAN_NEVER && ph->goal.duration_ns != 0)
		at = (double)elapsed_ns / (double)ph->goal.duration_ns;
	if (ph->goal.n_xactions != PLAN_NEVER && ph->goal.n_xactions != 0) {
		double n = (double)done / (double)ph->goal.n_xactions;

		at = n > at ? n : at;
	}
	return at > 1 ? 1 : at;
}

uint64_t
phase_end_ns(const struct plan_phase *ph, uint64_t beg_ns)
{
	return ph->goal.duration_ns == PLAN_NEVER ? PLAN_NEVER : beg_ns + ph->goal.duration_ns;
}

static double
between(double beg, double end, double at)
{
	return beg + (end - beg) * at;
}

/** Robots start one after the other over the launch window, so the offered rate climbs with them.
 */
static void
launch_window(const struct plan *p, uint32_t x, uint64_t elapsed_ns, uint64_t beg_ns,
	struct phase_piece *out)
{
	uint64_t win = p->robots.launch_win_ns;
	double at = (double)elapsed_ns / (double)win;

	if (x != 0 || win == 0 || elapsed_ns >= win)
		return;
	if (out->per_sec2 != 0 && out->end_ns > out->beg_ns + PHASE_PIECE_NS)
		out->end_ns = out->beg_ns + PHASE_PIECE_NS; /* a product of ramps is no line */
	if (out->end_ns > beg_ns + win)
		out->end_ns = beg_ns + win;
	out->per_sec2 = out->per_sec2 * at + out->per_sec / ((double)win * 1e-9);
	out->per_sec *= at;
}

void
phase_piece_at(const struct plan *p, uint32_t x, uint64_t beg_ns, uint64_t from_ns, uint64_t done,
	struct phase_piece *out)
{
	const struct plan_phase *ph = &p->phase[x];
	double at = phase_progress(ph, from_ns - beg_ns, done);
	double load = between(ph->load_beg, ph->load_end, at);
	double populus = between(ph->populus_beg, ph->populus_end, at);
	bool load_moves = ph->load_beg != ph->load_end;
	bool populus_moves = ph->populus_beg != ph->populus_end;
	bool timed = ph->goal.duration_ns != PLAN_NEVER && ph->goal.n_xactions == PLAN_NEVER;

	out->beg_ns = from_ns;
	out->end_ns = phase_end_ns(ph, beg_ns);
	out->x_phase = x;
	out->populus = populus;
	out->per_sec = p->robots.rate_per_sec * load * populus;
	out->per_sec2 = 0;
	if (timed && load_moves != populus_moves) {
		/* One factor moves with time: the whole phase is one straight line. */
		double whole = between(ph->load_beg, ph->load_end, 1) *
				       between(ph->populus_beg, ph->populus_end, 1) -
			       ph->load_beg * ph->populus_beg;

		out->per_sec2 =
			p->robots.rate_per_sec * whole / ((double)ph->goal.duration_ns * 1e-9);
	}
	if ((load_moves && populus_moves) || ((load_moves || populus_moves) && !timed) ||
		populus_moves) {
		if (out->end_ns > from_ns + PHASE_PIECE_NS)
			out->end_ns = from_ns + PHASE_PIECE_NS;
	}
	launch_window(p, x, from_ns - beg_ns, beg_ns, out);
}

double
phase_piece_offered(const struct phase_piece *s, uint64_t from_ns, uint64_t to_ns)
{
	double a, b;

	if (from_ns < s->beg_ns)
		from_ns = s->beg_ns;
	if (to_ns > s->end_ns)
		to_ns = s->end_ns;
	if (to_ns <= from_ns)
		return 0;
	a = (double)(from_ns - s->beg_ns) * 1e-9;
	b = (double)(to_ns - s->beg_ns) * 1e-9;
	return s->per_sec * (b - a) + 0.5 * s->per_sec2 * (b * b - a * a);
}

uint64_t
phase_share(uint64_t whole, uint32_t x, uint32_t n)
{
	return whole / n + (x < whole % n);
}

/* Robots of the lanes below x. */
static uint64_t
robots_below(uint32_t n_robots, uint32_t x, uint32_t n)
{
	uint64_t more = n_robots % n;

	return (uint64_t)(n_robots / n) * x + (x < more ? x : more);
}

uint64_t
phase_quota(uint64_t whole, uint32_t n_robots, uint32_t x, uint32_t n)
{
	unsigned __int128 lo = (unsigned __int128)whole * robots_below(n_robots, x, n);
	unsigned __int128 hi = (unsigned __int128)whole * robots_below(n_robots, x + 1, n);

	return (uint64_t)(hi / n_robots) - (uint64_t)(lo / n_robots);
}

double
phase_weight(uint32_t n_robots, uint32_t x, uint32_t n)
{
	return (double)phase_share(n_robots, x, n) / n_robots;
}
