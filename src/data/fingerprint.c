/* SPDX-License-Identifier: MIT
 * See fingerprint.h. */
#include "data/fingerprint.h"

#include <xxhash.h>

enum { PIECE = 1 << 12, MOST_PIECES = 256 /* of an array; a megabyte */ };

/* All of it, or pieces evenly spaced. */
static uint64_t add(uint64_t hash, const void *data, int64_t bytes)
{
    const char *from = data;
    if (!data || bytes <= 0) return hash;
    if (bytes <= (int64_t)PIECE * MOST_PIECES) return XXH3_64bits_withSeed(data, (size_t)bytes, hash);
    for (int64_t k = 0; k < MOST_PIECES; k++)
        hash = XXH3_64bits_withSeed(from + (bytes - PIECE) / (MOST_PIECES - 1) * k, PIECE, hash);
    return hash;
}

static uint64_t add_categories(uint64_t hash, const struct l2r_categories *c, int64_t n)
{
    const int32_t sizes[] = {c->n_columns, c->n_types};
    hash = add(hash, sizes, sizeof sizes);
    hash = add(hash, c->vocabulary, (int64_t)c->n_columns * (int64_t)sizeof *c->vocabulary);
    hash = add(hash, c->rows, (int64_t)c->n_types * c->n_columns * (int64_t)sizeof *c->rows);
    return add(hash, c->type, n * (int64_t)sizeof *c->type);
}

uint64_t l2r_dataset_fingerprint(const struct l2r_dataset *d)
{
    const int64_t sizes[] = {(int64_t)d->task, d->n_tasks, d->n_classes,   d->n_graphs,
                             d->n_nodes,       d->n_arcs,  d->n_node_reals};
    uint64_t hash = add(0, sizes, sizeof sizes);
    hash = add(hash, d->node_start, (d->n_graphs + 1) * (int64_t)sizeof *d->node_start);
    hash = add(hash, d->arc_start, (d->n_nodes + 1) * (int64_t)sizeof *d->arc_start);
    hash = add(hash, d->neighbour, d->n_arcs * (int64_t)sizeof *d->neighbour);
    hash = add_categories(hash, &d->nodes, d->n_nodes);
    hash = add_categories(hash, &d->arcs, d->n_arcs);
    hash = add(hash, d->node_real, d->n_nodes * d->n_node_reals * (int64_t)sizeof *d->node_real);
    return add(hash, d->labels, d->n_graphs * d->n_tasks * (int64_t)sizeof *d->labels);
}
