/* SPDX-License-Identifier: MIT
 *
 * The operations of the tape. Each section below is one file op_NAME.c, which holds forward, backward and shape check
 * of every operation in it. Where several kernels can compute an operation, it chooses among them itself, so that
 * models read like their equations:
 *
 *     l2r_node sum = l2r_sum_neighbours(t, &b->graph, h, eps, edges);      h [N × D] ──► [N × D]
 *     return l2r_linear_op(t, sum, weight, bias, L2R_RELU);                      ──► [N × out]
 *
 * Shapes: N nodes of all graphs in the batch, B graphs, D columns. An input that may be missing is L2R_NO_NODE; `act`
 * is L2R_LINEAR, L2R_RELU or any other struct l2r_activation. Arrays of a batch (start, index, keep, …) are not copied
 * unless it says so: they must live until backward has run.
 *
 * An operation returns no status: a wrong shape fails the tape, and all later operations return L2R_NO_NODE at once
 * (tape.h).
 */
#ifndef L2R_AUTOGRAD_OPS_H
#define L2R_AUTOGRAD_OPS_H

#include "autograd/tape.h"
#include "kernels/activation.h"
#include "kernels/aggregate.h"
#include "kernels/factor.h"
#include "kernels/lists.h"
#include "kernels/multi_aggregate.h"
#include "kernels/norm.h"
#include "kernels/rows.h"
#include "kernels/segments.h"
#include "kernels/target_scale.h"

/* ---- layers with a weight matrix: op_linear.c ---- */

/* act(x Wᵀ + b): x [n × in], weight [out × in], bias [1 × out] or L2R_NO_NODE. */
l2r_node l2r_linear_op(struct l2r_tape *t, l2r_node x, l2r_node weight, l2r_node bias,
                       const struct l2r_activation *act);

/* The whole convolution without edge features, y = S x Wᵀ + b:  x [N × in], weight [out × in], bias [1 × out]; graph i
 * owns the rows node_start[i] .. node_start[i+1]. */
l2r_node l2r_graph_convolution(struct l2r_tape *t, const struct l2r_adjacency *graph, const int32_t *node_start,
                               int64_t n_graphs, l2r_node x, l2r_node weight, l2r_node bias);

/* ---- sums over neighbours: op_neighbours.c ---- */

/* (1 + eps) x_v + Σ_{u in N(v)} φ(x_u + e_uv): eps [1 × 1] or L2R_NO_NODE for 0; edges [types × D], or L2R_NO_NODE for
 * φ = identity, otherwise φ = ReLU. */
l2r_node l2r_sum_neighbours(struct l2r_tape *t, const struct l2r_adjacency *graph, l2r_node x, l2r_node eps,
                            l2r_node edges);

/* GCN's symmetric norm: Σ_{u in N(v)} s_v s_u φ(x_u + e_uv) + s_v² ψ(x_v); with edges φ = ReLU(·+e) and ψ = ReLU(· +
 * root). */
l2r_node l2r_gcn_neighbours(struct l2r_tape *t, const struct l2r_adjacency *graph, l2r_node x, l2r_node edges,
                            l2r_node root);

/* The same without edges, plus a bias [1 × D]: for x that has been multiplied by the layer's weights already. */
l2r_node l2r_gcn_neighbours_biased(struct l2r_tape *t, const struct l2r_adjacency *graph, l2r_node x, l2r_node bias);

/* S^n_hops x with GCN's S, nothing in between. */
l2r_node l2r_propagate(struct l2r_tape *t, const struct l2r_adjacency *graph, l2r_node x, int64_t n_hops);

/* ---- sums over lists, and between directed arcs (kernels/lists.h): op_lists.c ---- */

/* Σ_{k in list i} x_k for every list: x [n_sources × D] to [n_rows × D]. */
l2r_node l2r_sum_lists(struct l2r_tape *t, const struct l2r_lists *lists, l2r_node x);
/* Σ_{u in N(v), u ≠ w} x_{u→v} for every arc v→w: [arcs × D] to the same. */
l2r_node l2r_arc_messages(struct l2r_tape *t, const struct l2r_adjacency *graph, const int32_t *reverse, l2r_node x);
/* The other direction of every arc, in the tape's arena; NULL after a failure. */
const int32_t *l2r_reverses_of(struct l2r_tape *t, const struct l2r_adjacency *graph);

/* ---- attention over neighbours (kernels/attention.h): op_attention.c ---- */

/* Σ_{u in N(v) and v} α_uv sender_u, α the softmax of a · LeakyReLU(sender_u + receiver_v + e_uv), in n_heads blocks of
 * the D columns: sender, receiver [N × D], a [1 × D], edges [types × D] or L2R_NO_NODE. */
l2r_node l2r_attend(struct l2r_tape *t, const struct l2r_adjacency *graph, l2r_node sender, l2r_node receiver,
                    l2r_node a, l2r_node edges, int64_t n_heads);

/* ---- several statistics of the neighbours: op_multi_aggregate.c ---- */

/* PNA: for each scaler, each aggregator over the messages x_u + own_v + e_uv, side by side: [N × scalers · aggregators
 * · D]. own and edges may be L2R_NO_NODE; a node without neighbours gives 0. */
struct l2r_statistics {
    unsigned aggregators, scalers; /* sets of enum l2r_aggregator and enum l2r_scaler */
    double delta;                  /* > 0: the usual log(degree + 1) */
};
l2r_node l2r_multi_aggregate(struct l2r_tape *t, const struct l2r_adjacency *graph, l2r_node x, l2r_node own,
                             l2r_node edges, const struct l2r_statistics *which);
/* V [scaled statistics] in one: the above followed by a linear layer without bias, of weight V = [V_1 ‖ V_2 ‖ …] [out ×
 * scalers · aggregators · D]; 0 for a node without neighbours. */
l2r_node l2r_multi_aggregate_linear(struct l2r_tape *t, const struct l2r_adjacency *graph, l2r_node x, l2r_node own,
                                    l2r_node edges, l2r_node weight, const struct l2r_statistics *which);
/* Its second half where degrees repeat:  Σ_s scale_s(v) · x_v V_sᵀ over the scalers, for statistics x [N × K] without
 * scales. */
l2r_node l2r_degree_linear(struct l2r_tape *t, const struct l2r_adjacency *graph, l2r_node x, l2r_node weight,
                           const struct l2r_statistics *which);
bool l2r_degrees_repeat(struct l2r_tape *t, const struct l2r_adjacency *graph, unsigned scalers);

/* ---- a graph seen as K weighted graphs, its factors (kernels/factor.h): op_factor.c ---- */

/* The common arrays of operations on these factors, in the tape's arena. NULL after a failure. */
const struct l2r_factors *l2r_factors_of(struct l2r_tape *t, const struct l2r_adjacency *graph, int64_t n_factors);

/* The weights of all arcs, then of each node to itself, [(arcs + N) × K]: scores [N × 2K] of a node as source, then as
 * target; bonds [types × K] or L2R_NO_NODE. */
l2r_node l2r_edge_gates(struct l2r_tape *t, const struct l2r_factors *f, l2r_node scores, l2r_node bonds);

/* Sums over neighbours, each factor with its own weights: of its own block of the columns of x, [N × D] to [N × D]; or,
 * shared, of all columns, [N × D] to [N × K·D]. */
l2r_node l2r_factor_neighbours(struct l2r_tape *t, const struct l2r_factors *f, l2r_node x, l2r_node gates,
                               bool shared);

/* The same numbers in rows of another length. */
l2r_node l2r_reshape(struct l2r_tape *t, l2r_node x, int64_t rows, int64_t cols);

/* ---- batch norm: op_norm.c; layer norm: op_layer_norm.c ---- */

/* Batch norm, activation and dropout in one. */
struct l2r_norm_state {
    l2r_real *running_mean, *running_variance; /* [cols], the model's buffers */
    double momentum, epsilon;
};
l2r_node l2r_batch_norm(struct l2r_tape *t, l2r_node x, l2r_node gamma, l2r_node beta,
                        const struct l2r_norm_state *state, const struct l2r_activation *act, double drop);
/* The same for rows that stand for several equal ones: statistics and gradients are those of all of them. */
l2r_node l2r_batch_norm_counted(struct l2r_tape *t, l2r_node x, l2r_node gamma, l2r_node beta,
                                const struct l2r_norm_state *state, const struct l2r_row_counts *counts,
                                const struct l2r_activation *act, double drop);

/* γ ∘ (x − mean) / sqrt(variance + 1e-5) + β, mean and variance those of each row: gamma, beta [1 × D]. */
l2r_node l2r_layer_norm(struct l2r_tape *t, l2r_node x, l2r_node gamma, l2r_node beta);

/* ---- gates on edges: op_gates.c ---- */

/* (x − mean) / sqrt(variance + 1e-5) over the rows start[g] .. start[g+1] of each graph, column by column. */
l2r_node l2r_instance_norm(struct l2r_tape *t, l2r_node x, const int32_t *start, int64_t n_graphs);
/* σ(x + logistic noise) in a pass with dropout, σ(x) otherwise: x [n × 1]. */
l2r_node l2r_concrete(struct l2r_tape *t, l2r_node x);
/* The mean over the arcs of each edge, times mask [n_edges × 1] unless that is L2R_NO_NODE: x [n_arcs × 1]. */
l2r_node l2r_edge_means(struct l2r_tape *t, l2r_node x, const int32_t *arc_edge, int64_t n_edges, l2r_node mask);
/* (mean of the rows of graph g − target)², 0 for a graph without rows: x [start[n_graphs] × 1] -> [n_graphs × 1]. */
l2r_node l2r_budget(struct l2r_tape *t, l2r_node x, const int32_t *start, int64_t n_graphs, double target);
/* The overlap of two masks of the rows of graph g, Σ a b / Σ (a + b − a b), 0 where both are 0: a, b [start[n_graphs] ×
 * 1] -> [n_graphs × 1]. */
l2r_node l2r_overlap(struct l2r_tape *t, l2r_node a, l2r_node b, const int32_t *start, int64_t n_graphs);

/* ---- rows of tables, nodes and graphs: op_rows.c ---- */

/* Σ_k tables[k][rows[i, k]]: rows [n × n_tables] of category numbers; tables[k] is [vocabulary × D]. A category
 * L2R_HIDDEN adds nothing. */
enum { L2R_HIDDEN = -1 };
l2r_node l2r_embedding_sum(struct l2r_tape *t, const l2r_node *tables, int32_t n_tables, const int32_t *rows,
                           int64_t n);

/* x[index[i]] for i < n. */
l2r_node l2r_take_rows(struct l2r_tape *t, l2r_node x, const int32_t *index, int64_t n);

/* dropout(x[index[i]]) for i < n: rows that stood for several nodes become those nodes again, each with a mask of its
 * own. */
l2r_node l2r_expand_rows(struct l2r_tape *t, l2r_node x, const int32_t *index, int64_t n, double drop);

/* Rows of each graph to one row: start [n_graphs + 1]. */
l2r_node l2r_reduce_graphs(struct l2r_tape *t, l2r_node x, const int32_t *start, int64_t n_graphs,
                           enum l2r_reduction kind);
/* The same for nodes whose rows are x[row[v]], v < n: their gradient comes back summed row by row. */
l2r_node l2r_reduce_graphs_rows(struct l2r_tape *t, l2r_node x, const int32_t *row, int64_t n, const int32_t *start,
                                int64_t n_graphs, enum l2r_reduction kind);
/* x_v + z_graph(v). */
l2r_node l2r_add_to_nodes(struct l2r_tape *t, l2r_node x, l2r_node z, const int32_t *start, int64_t n_graphs);

/* ---- number by number, and joining: op_elementwise.c ---- */

l2r_node l2r_add(struct l2r_tape *t, l2r_node a, l2r_node b);
/* factor · x. */
l2r_node l2r_scale(struct l2r_tape *t, l2r_node x, double factor);
/* [parts[0] ‖ parts[1] ‖ …], and the largest of each place. */
l2r_node l2r_side_by_side(struct l2r_tape *t, const l2r_node *parts, int64_t n);
l2r_node l2r_largest(struct l2r_tape *t, const l2r_node *parts, int64_t n);
/* x repeated: [1 × D] -> [n × D]. */
l2r_node l2r_repeat_row(struct l2r_tape *t, l2r_node x, int64_t n);
/* dropout(act(x)). */
l2r_node l2r_activate(struct l2r_tape *t, l2r_node x, const struct l2r_activation *act, double drop);

/* ---- pooling: op_pooling.c ---- */

/* DiffPool (kernels/segments.h): softmax of each row; Z_g = S_gᵀ h_g of every graph as one row, [B × K·D], for shares s
 * [N × K]; and per graph, [B × 1], the squared distance of S Sᵀ from the adjacency matrix plus the mean entropy of a
 * row of S. */
l2r_node l2r_softmax_rows(struct l2r_tape *t, l2r_node x);
l2r_node l2r_cluster_sums(struct l2r_tape *t, l2r_node s, l2r_node h, const int32_t *start, int64_t n_graphs);
l2r_node l2r_cluster_loss(struct l2r_tape *t, l2r_node s, const struct l2r_adjacency *graph, const int32_t *start,
                          int64_t n_graphs);

/* x p / ‖p‖, [N × 1]: x [N × D], p [1 × D]; all scores are 0 for p = 0. */
l2r_node l2r_projection_score(struct l2r_tape *t, l2r_node x, l2r_node p);

/* x_k tanh(score_k) for the rows k in `keep` [n_kept], which rises: x [N × D], score [N × 1]; place [N] is each row's
 * position in `keep`, or -1. Both arrays must live as long as the tape's values. */
l2r_node l2r_gate_rows(struct l2r_tape *t, l2r_node x, l2r_node score, const int32_t *keep, const int32_t *place,
                       int64_t n_kept);

/* ---- losses: op_loss.c ---- */

/* Losses per graph, [B × 1]. labels are never differentiated; NaN: missing, contributes nothing.
 * weight: per class (cross entropy) or per task for the positives (binary); NULL: 1. */
l2r_node l2r_cross_entropy(struct l2r_tape *t, l2r_node logits, const float *labels, const l2r_real *weight);
l2r_node l2r_binary_cross_entropy(struct l2r_tape *t, l2r_node logits, const float *labels, const l2r_real *weight);
/* Mean over the labelled tasks of the distance between out and the scaled label. */
enum l2r_distance { L2R_DISTANCE_SQUARED, L2R_DISTANCE_ABSOLUTE, L2R_DISTANCE_HUBER };
l2r_node l2r_regression_error(struct l2r_tape *t, l2r_node out, const float *labels, const int8_t *bound,
                              const struct l2r_target_scale *scale, enum l2r_distance distance);
/* Each row times its weight [rows], which is copied. */
l2r_node l2r_scale_rows(struct l2r_tape *t, l2r_node x, const float *weight, double scale);

/* (1/B) Σ_n w_n x_n, [1 × 1]: x [B × 1], w [B] or NULL for ones. */
l2r_node l2r_weighted_mean(struct l2r_tape *t, l2r_node x, const l2r_real *w);

/* ---- masks, for explanations and gates: op_masked.c ----
 *
 * A model calls none of them unless it sums over neighbours in a way of its own: the sums above, and the stack's
 * encoder, call them when the tape has masks (struct l2r_masks in tape.h). */

/* The sums of l2r_sum_neighbours (symmetric false, self is eps) and l2r_gcn_neighbours (symmetric true, self is root)
 * with every message times its edge's mask; `op` names it in errors. */
l2r_node l2r_masked_neighbours(struct l2r_tape *t, const char *op, const struct l2r_adjacency *graph, l2r_node x,
                               l2r_node self, l2r_node edges, bool symmetric);

/* Rows 0 .. n_arcs-1 of x [≥ n_arcs × K] times their edges' masks; the other rows stay. x itself when there is no
 * mask. */
l2r_node l2r_mask_arcs(struct l2r_tape *t, const struct l2r_adjacency *graph, l2r_node x);

/* h_v = Σ_k f_gk · tables[k][rows[type[v], k]], f_g the row of the column masks for v's graph g: [N × D]. start
 * [n_graphs + 1]. */
l2r_node l2r_masked_embedding(struct l2r_tape *t, const l2r_node *tables, int32_t n_tables, const int32_t *rows,
                              const int32_t *type, const int32_t *start, int64_t n_graphs);

/* y_vk = f_g,(first+k) · x_vk for a constant x [N × K]. */
l2r_node l2r_mask_columns(struct l2r_tape *t, l2r_node x, int64_t first, const int32_t *start, int64_t n_graphs);

/* ---- for operations ---- */

/* The rows of a value as kernels take them: there, or made when needed. */
struct l2r_input l2r_input_of(struct l2r_tape *t, l2r_node x);

/* The mask of one dropout operation on a value [rows × cols]: two words of key from the tape's stream, so that the k-th
 * dropout of step s always has the same mask. The mask of an element is a function of key and index, where the index is
 * added to the first word: a batch that holds only part of the rows starts that word where its rows begin, and drops
 * what the whole batch would. */
struct l2r_dropout l2r_dropout_draw(struct l2r_tape *t, double drop, int64_t rows, int64_t cols);

#endif
