/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>
#include "tcp_priv.h"

/* The contiguous range of held bytes that contains seq. @return 0: none does. */
static int
range_of(const struct tcp *t, const struct tcp_loss *l, uint32_t seq, uint32_t *left,
	uint32_t *right)
{
	uint32_t x = l->x_ooo;

	while (x != TCP_NONE) {
		*left = tcp_ooo_at(t, x)->seq;
		*right = *left;
		while (x != TCP_NONE && tcp_ooo_at(t, x)->seq == *right) {
			*right += tcp_ooo_at(t, x)->len;
			x = tcp_ooo_at(t, x)->x_next;
		}
		if (seq_leq(*left, seq) && seq_lt(seq, *right))
			return 1;
	}
	return 0;
}

/* Blocks to report, that of the latest segment first (RFC 2018 section 4). */
uint8_t
tcp_sack_blocks(const struct tcp *t, const struct tcp_conn *c, uint32_t (*sack)[2], uint32_t n)
{
	const struct tcp_loss *l = tcp_loss_of(t, c);
	uint32_t n_out = 0;
	uint32_t left;
	uint32_t right;
	uint32_t i;
	uint32_t j;

	if (l->x_ooo == TCP_NONE)
		return 0;
	for (i = 0; i < l->n_recent && n_out < n; i++) {
		if (!range_of(t, l, l->recent[i], &left, &right))
			continue;
		for (j = 0; j < n_out && sack[j][0] != left; j++)
			;
		if (j != n_out)
			continue;
		sack[n_out][0] = left;
		sack[n_out][1] = right;
		n_out++;
	}
	return (uint8_t)n_out;
}

/* Add [left, right) to the scoreboard, swallowing what it touches. With no room for one more range
 * the news is dropped: the peer will say it again. */
static void
scoreboard_add(struct tcp_loss *l, uint32_t left, uint32_t right)
{
	uint32_t from = 0;
	uint32_t to;

	while (from < l->n_sacked && seq_lt(l->sacked[from][1], left))
		from++;
	for (to = from; to < l->n_sacked && seq_leq(l->sacked[to][0], right); to++) {
		if (seq_lt(l->sacked[to][0], left))
			left = l->sacked[to][0];
		if (seq_lt(right, l->sacked[to][1]))
			right = l->sacked[to][1];
	}
	if (from == to && l->n_sacked == TCP_SACK_RANGES)
		return;
	memmove(l->sacked[from + 1], l->sacked[to], (l->n_sacked - to) * sizeof(l->sacked[0]));
	l->n_sacked = l->n_sacked - (to - from) + 1;
	l->sacked[from][0] = left;
	l->sacked[from][1] = right;
}

/* SACK option of an acceptable ACK. Blocks outside (SEG.ACK, SND.MAX] are ignored: old news, D-SACK
 * or nonsense. */
void
tcp_sack_in(struct tcp *t, struct tcp_conn *c, const struct seg_in *s)
{
	struct tcp_loss *l;
	uint32_t i;

	if (!(c->flags & TCP_CONN_SACK))
		return;
	for (i = 0; i < s->n_sack; i++) {
		uint32_t left = load_be32(s->sack + 8 * i);
		uint32_t right = load_be32(s->sack + 8 * i + 4);

		if (!seq_lt(left, right) || !seq_lt(s->ack, left) || seq_lt(c->snd_max, right))
			continue;
		l = tcp_loss_take(t, c);
		if (l == NULL)
			return;
		if (l->n_sacked == 0)
			l->rtx_nxt = c->snd_una;
		scoreboard_add(l, left, right);
	}
}

/* The peer may discard what it has selectively acknowledged (RFC 2018 section 8). */
void
tcp_sack_forget(struct tcp *t, struct tcp_conn *c)
{
	if (!(c->flags2 & TCP_CONN2_LOSS))
		return;
	tcp_loss_of(t, c)->n_sacked = 0;
	tcp_loss_settle(t, c);
}

/* SND.UNA has advanced. */
void
tcp_sack_acked(struct tcp *t, struct tcp_conn *c)
{
	struct tcp_loss *l = tcp_loss_of(t, c);
	uint32_t n = 0;

	while (n < l->n_sacked && seq_leq(l->sacked[n][0], c->snd_una))
		n++;
	l->n_sacked -= n;
	memmove(l->sacked[0], l->sacked[n], l->n_sacked * sizeof(l->sacked[0]));
	if (seq_lt(l->rtx_nxt, c->snd_una))
		l->rtx_nxt = c->snd_una;
	tcp_loss_settle(t, c);
}

/* First hole below a selectively acknowledged range that this recovery has not sent again.
 * @return 0: none, or nothing is known. */
int
tcp_sack_hole(const struct tcp *t, const struct tcp_conn *c, uint32_t *seq, uint32_t *len)
{
	const struct tcp_loss *l;
	uint32_t from;
	uint32_t i;

	if (!(c->flags2 & TCP_CONN2_LOSS))
		return 0;
	l = tcp_loss_of(t, c);
	from = seq_lt(l->rtx_nxt, c->snd_una) ? c->snd_una : l->rtx_nxt;
	for (i = 0; i < l->n_sacked; i++) {
		if (seq_lt(from, l->sacked[i][0])) {
			*seq = from;
			*len = l->sacked[i][0] - from;
			return 1;
		}
		if (seq_lt(from, l->sacked[i][1]))
			from = l->sacked[i][1];
	}
	return 0;
}

/* While everything from SND.UNA on is sent again: step over what the peer has, and do not run into
 * it. @return how much of len may be sent from snd_nxt, which may have moved. */
uint32_t
tcp_sack_skip(const struct tcp *t, struct tcp_conn *c, uint32_t len)
{
	const struct tcp_loss *l = tcp_loss_of(t, c);
	uint32_t i;

	for (i = 0; i < l->n_sacked; i++) {
		if (seq_lt(c->snd_nxt, l->sacked[i][0]))
			return min_u32(len, l->sacked[i][0] - c->snd_nxt);
		if (seq_lt(c->snd_nxt, l->sacked[i][1]))
			c->snd_nxt = l->sacked[i][1];
	}
	return len;
}
