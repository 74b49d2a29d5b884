/* SPDX-License-Identifier: MIT
 *
 * Encoder and K steps of smoothing as one linear map (see l2r_stack_smooth in stack.h):
 *
 *     y = S^K h W + b,    h = F T,    S = D^-1/2 (A + I) D^-1/2
 *
 * F [N × t] has one column per distinct feature row of the batch (all zeros but one) or per real attribute, T [t × D]
 * holds their embeddings. The product may be taken in either order:
 *
 *     (S^K (F T)) W      h first: smooths D columns, and W meets all N nodes
 *     (S^K F) (T W)      features first: smooths t columns, which are constant, so that backward stops there; W meets
 *                        the t rows of T alone
 *
 * t is usually a few dozen atoms against --hidden columns, so the features go first wherever F is the narrower one. The
 * two orders round differently; the choice depends on the batch and the options alone, so a run repeats bit for bit.
 */
#include "nn/stack.h"

#include <string.h>

struct smoothing {
    int64_t n_hops;
    const struct l2r_linear *linear;
};

/* [N × types]: 1 at the type of each node. */
static l2r_node indicators(struct l2r_tape *t, const struct l2r_batch *b)
{
    int64_t types = b->nodes.n;
    l2r_real *f = l2r_tape_alloc(t, b->n_nodes * types, sizeof *f);
    if (!f) return L2R_NO_NODE;
    memset(f, 0, (size_t)(b->n_nodes * types) * sizeof *f);
    for (int64_t v = 0; v < b->n_nodes; v++) f[v * types + b->nodes.type[v]] = 1;
    return l2r_constant(t, f, b->n_nodes, types);
}

/* T of the real attributes, [n × D]: the encoder's answer to each unit vector. */
static l2r_node unit_answers(struct l2r_tape *t, const struct l2r_linear *encoder)
{
    int64_t n = encoder->weight->cols;
    l2r_real *unit = l2r_tape_alloc(t, n * n, sizeof *unit);
    if (!unit) return L2R_NO_NODE;
    memset(unit, 0, (size_t)(n * n) * sizeof *unit);
    for (int64_t k = 0; k < n; k++) unit[k * (n + 1)] = 1;
    return l2r_linear(t, l2r_constant(t, unit, n, n), encoder, L2R_LINEAR);
}

/* S^K F (W Tᵀ)ᵀ + b, for columns F [N × t] with embeddings T [t × D]. */
static l2r_node narrow(struct l2r_tape *t, const struct l2r_batch *b, const struct smoothing *m, l2r_node f,
                       l2r_node table, l2r_node bias)
{
    l2r_node weight = l2r_linear_op(t, l2r_use(t, m->linear->weight), table, L2R_NO_NODE, L2R_LINEAR); /* [D × t] */
    return l2r_linear_op(t, l2r_propagate(t, &b->graph, f, m->n_hops), weight, bias, L2R_LINEAR);
}

static l2r_node features_first(const struct l2r_stack *s, struct l2r_tape *t, const struct l2r_batch *b,
                               const struct smoothing *m)
{
    l2r_node bias = l2r_use(t, m->linear->bias), out = L2R_NO_NODE, reals;
    if (s->node_embedding.n_columns > 0)
        out = narrow(t, b, m, indicators(t, b), l2r_embedding(t, &b->nodes, &s->node_embedding), bias);
    if (!s->node_linear.weight) return out;
    reals =
        narrow(t, b, m, l2r_stack_reals(s, t, b), unit_answers(t, &s->node_linear), out.id < 0 ? bias : L2R_NO_NODE);
    return out.id < 0 ? reals : l2r_add(t, out, reals);
}

l2r_node l2r_stack_smooth(const struct l2r_stack *s, struct l2r_tape *t, const struct l2r_batch *b, int64_t n_hops,
                          const struct l2r_linear *linear)
{
    const struct smoothing m = {n_hops, linear};
    int64_t columns = s->node_embedding.n_columns > 0 ? b->nodes.n : 0; /* t */
    if (s->node_linear.weight) columns += s->node_linear.weight->cols;
    bool masked = t->pass.masks.columns.id >= 0; /* a mask multiplies a feature column, which is not a column of F */
    if (!masked && columns <= s->hidden) return features_first(s, t, b, &m);
    return l2r_linear(t, l2r_propagate(t, &b->graph, l2r_stack_encode(s, t, b), n_hops), linear, L2R_LINEAR);
}
