/* SPDX-License-Identifier: MIT
 *
 * An ONNX graph under construction. The file is one protocol buffer, a tree of numbered fields, of which this writes
 * the few that a graph needs:
 *
 *     model ── operator set 18
 *           └─ graph ── inputs, outputs   names, types, shapes
 *                    ├─ initialisers      named tensors: the parameters
 *                    └─ nodes             operator, names of its inputs and of its output
 *
 * Every call appends a node and returns the name of its value. A lack of memory is reported at the end.
 */
#ifndef L2R_MODEL_ONNX_GRAPH_H
#define L2R_MODEL_ONNX_GRAPH_H

#include "base/array.h"
#include "base/text.h"

enum { L2R_ONNX_OPERATORS = 18, L2R_ONNX_FORMAT = 8 };

struct l2r_onnx_name {
    char text[112];
};

struct l2r_onnx {
    struct l2r_text nodes, initialisers, inputs, outputs;
    struct l2r_distinct_texts tensors; /* names of those that are there: a second time they are not written */
    int n_values;
};
void l2r_onnx_clear(struct l2r_onnx *o);
/* The whole file, to be freed with l2r_free; clears. title: of the graph. */
enum l2r_status l2r_onnx_finish(char **bytes, size_t *length, struct l2r_onnx *o, const char *title,
                                struct l2r_error *error);

/* Shapes are given as words: "nodes", or "9". */
enum l2r_onnx_type { L2R_ONNX_FLOAT = 1, L2R_ONNX_INT64 = 7 };
struct l2r_onnx_name l2r_onnx_input(struct l2r_onnx *o, const char *name, enum l2r_onnx_type type, const char *rows,
                                    const char *cols);
void l2r_onnx_output(struct l2r_onnx *o, const char *name, const char *rows, const char *cols);

struct l2r_onnx_name l2r_onnx_floats(struct l2r_onnx *o, const char *name, const float *values, int64_t rows,
                                     int64_t cols);
struct l2r_onnx_name l2r_onnx_vector(struct l2r_onnx *o, const char *name, const float *values, int64_t n);
struct l2r_onnx_name l2r_onnx_number(struct l2r_onnx *o, float value);
struct l2r_onnx_name l2r_onnx_integers(struct l2r_onnx *o, const int64_t *values, int64_t n);
struct l2r_onnx_name l2r_onnx_integer(struct l2r_onnx *o, int64_t value); /* a scalar */

/* Attributes of a node. */
struct l2r_onnx_attribute {
    const char *name; /* NULL: the end */
    enum { L2R_ONNX_REAL, L2R_ONNX_INT, L2R_ONNX_WORD } kind;
    double real;
    int64_t integer;
    const char *word;
};
struct l2r_onnx_name l2r_onnx_node(struct l2r_onnx *o, const char *operator,
                                   const struct l2r_onnx_name * const * inputs, int n,
                                   const struct l2r_onnx_attribute *attributes);
/* The same with a given name for its value. */
void l2r_onnx_node_named(struct l2r_onnx *o, const char *value, const char *operator,
                         const struct l2r_onnx_name * const * inputs, int n,
                         const struct l2r_onnx_attribute *attributes);
/* Without attributes. */
struct l2r_onnx_name l2r_onnx_1(struct l2r_onnx *o, const char *operator, struct l2r_onnx_name a);
struct l2r_onnx_name l2r_onnx_2(struct l2r_onnx *o, const char *operator, struct l2r_onnx_name a,
                                struct l2r_onnx_name b);
struct l2r_onnx_name l2r_onnx_3(struct l2r_onnx *o, const char *operator, struct l2r_onnx_name a,
                                struct l2r_onnx_name b, struct l2r_onnx_name c);

#endif
