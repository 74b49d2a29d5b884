/* SPDX-License-Identifier: MIT
 * See onnx_graph.h. A field is its number and kind, then a number in pieces of seven bits, or a length and bytes. */
#include "model/onnx_graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- protocol buffers ---- */

static void put_number(struct l2r_text *to, uint64_t value)
{
    do {
        unsigned char byte = (unsigned char)(value & 127);
        value >>= 7;
        if (value > 0) byte |= 128;
        l2r_text_add(to, (const char *)&byte, 1);
    } while (value > 0);
}

static void put_integer(struct l2r_text *to, int field, int64_t value)
{
    put_number(to, (uint64_t)field << 3);
    put_number(to, (uint64_t)value);
}

static void put_real(struct l2r_text *to, int field, float value)
{
    put_number(to, (uint64_t)field << 3 | 5);
    l2r_text_add(to, (const char *)&value, 4);
}

static void put_bytes(struct l2r_text *to, int field, const void *bytes, size_t n)
{
    put_number(to, (uint64_t)field << 3 | 2);
    put_number(to, n);
    if (n > 0) l2r_text_add(to, bytes, n);
}

static void put_word(struct l2r_text *to, int field, const char *word)
{
    put_bytes(to, field, word, strlen(word));
}

/* A message that is complete becomes a field of another. */
static void put_message(struct l2r_text *to, int field, struct l2r_text *message)
{
    put_bytes(to, field, message->text, message->length);
    to->failed = to->failed || message->failed;
    l2r_text_clear(message);
}

/* ---- what a graph consists of ---- */

static void put_shape(struct l2r_text *type, const char *const *words, int n)
{
    struct l2r_text shape = {0};
    for (int i = 0; i < n; i++) {
        struct l2r_text dim = {0};
        char *end;
        long long number = strtoll(words[i], &end, 10);
        if (*end == '\0')
            put_integer(&dim, 1, number);
        else
            put_word(&dim, 2, words[i]);
        put_message(&shape, 1, &dim);
    }
    put_message(type, 2, &shape);
}

/* cols NULL: a vector. */
static void put_value(struct l2r_text *to, int field, const char *name, enum l2r_onnx_type kind, const char *rows,
                      const char *cols)
{
    struct l2r_text value = {0}, type = {0}, tensor = {0};
    const char *const words[] = {rows, cols};
    put_word(&value, 1, name);
    put_integer(&tensor, 1, kind);
    put_shape(&tensor, words, cols ? 2 : 1);
    put_message(&type, 1, &tensor);
    put_message(&value, 2, &type);
    put_message(to, field, &value);
}

static struct l2r_onnx_name new_name(struct l2r_onnx *o)
{
    struct l2r_onnx_name name;
    snprintf(name.text, sizeof name.text, "v%d", o->n_values++);
    return name;
}

static struct l2r_onnx_name named(const char *text)
{
    struct l2r_onnx_name name;
    snprintf(name.text, sizeof name.text, "%s", text);
    return name;
}

struct l2r_onnx_name l2r_onnx_input(struct l2r_onnx *o, const char *name, enum l2r_onnx_type type, const char *rows,
                                    const char *cols)
{
    put_value(&o->inputs, 11, name, type, rows, cols);
    return named(name);
}

void l2r_onnx_output(struct l2r_onnx *o, const char *name, const char *rows, const char *cols)
{
    put_value(&o->outputs, 12, name, L2R_ONNX_FLOAT, rows, cols);
}

static struct l2r_onnx_name put_tensor(struct l2r_onnx *o, const char *name, enum l2r_onnx_type type,
                                       const void *values, size_t bytes, const int64_t *dims, int n_dims)
{
    struct l2r_text tensor = {0};
    struct l2r_onnx_name own = name ? named(name) : new_name(o);
    if (name && l2r_distinct_texts_find(&o->tensors, name) >= 0) return own;
    if (name && l2r_distinct_texts_add(&o->tensors, name) < 0) o->initialisers.failed = true;
    for (int i = 0; i < n_dims; i++) put_integer(&tensor, 1, dims[i]);
    put_integer(&tensor, 2, type);
    put_word(&tensor, 8, own.text);
    put_bytes(&tensor, 9, values, bytes);
    put_message(&o->initialisers, 5, &tensor);
    return own;
}

struct l2r_onnx_name l2r_onnx_floats(struct l2r_onnx *o, const char *name, const float *values, int64_t rows,
                                     int64_t cols)
{
    return put_tensor(o, name, L2R_ONNX_FLOAT, values, (size_t)(rows * cols) * sizeof *values,
                      (const int64_t[]){rows, cols}, 2);
}

struct l2r_onnx_name l2r_onnx_vector(struct l2r_onnx *o, const char *name, const float *values, int64_t n)
{
    return put_tensor(o, name, L2R_ONNX_FLOAT, values, (size_t)n * sizeof *values, &n, 1);
}

struct l2r_onnx_name l2r_onnx_number(struct l2r_onnx *o, float value)
{
    return put_tensor(o, NULL, L2R_ONNX_FLOAT, &value, sizeof value, NULL, 0);
}

struct l2r_onnx_name l2r_onnx_integers(struct l2r_onnx *o, const int64_t *values, int64_t n)
{
    return put_tensor(o, NULL, L2R_ONNX_INT64, values, (size_t)n * sizeof *values, &n, 1);
}

struct l2r_onnx_name l2r_onnx_integer(struct l2r_onnx *o, int64_t value)
{
    return put_tensor(o, NULL, L2R_ONNX_INT64, &value, sizeof value, NULL, 0);
}

static void put_attribute(struct l2r_text *node, const struct l2r_onnx_attribute *a)
{
    enum { FLOAT = 1, INT = 2, STRING = 3 };
    struct l2r_text attribute = {0};
    put_word(&attribute, 1, a->name);
    if (a->kind == L2R_ONNX_REAL) put_real(&attribute, 2, (float)a->real);
    if (a->kind == L2R_ONNX_INT) put_integer(&attribute, 3, a->integer);
    if (a->kind == L2R_ONNX_WORD) put_word(&attribute, 4, a->word);
    put_integer(&attribute, 20, a->kind == L2R_ONNX_REAL ? FLOAT : a->kind == L2R_ONNX_INT ? INT : STRING);
    put_message(node, 5, &attribute);
}

void l2r_onnx_node_named(struct l2r_onnx *o, const char *value, const char *operator,
                         const struct l2r_onnx_name * const * inputs, int n,
                         const struct l2r_onnx_attribute *attributes)
{
    struct l2r_text node = {0};
    for (int i = 0; i < n; i++) put_word(&node, 1, inputs[i]->text);
    put_word(&node, 2, value);
    put_word(&node, 4, operator);
    for (; attributes && attributes->name; attributes++) put_attribute(&node, attributes);
    put_message(&o->nodes, 1, &node);
}

struct l2r_onnx_name l2r_onnx_node(struct l2r_onnx *o, const char *operator,
                                   const struct l2r_onnx_name * const * inputs, int n,
                                   const struct l2r_onnx_attribute *attributes)
{
    struct l2r_onnx_name value = new_name(o);
    l2r_onnx_node_named(o, value.text, operator, inputs, n, attributes);
    return value;
}

struct l2r_onnx_name l2r_onnx_1(struct l2r_onnx *o, const char *operator, struct l2r_onnx_name a)
{
    return l2r_onnx_node(o, operator,(const struct l2r_onnx_name *const[]){&a}, 1, NULL);
}

struct l2r_onnx_name l2r_onnx_2(struct l2r_onnx *o, const char *operator, struct l2r_onnx_name a,
                                struct l2r_onnx_name b)
{
    return l2r_onnx_node(o, operator,(const struct l2r_onnx_name *const[]){&a, &b}, 2, NULL);
}

struct l2r_onnx_name l2r_onnx_3(struct l2r_onnx *o, const char *operator, struct l2r_onnx_name a,
                                struct l2r_onnx_name b, struct l2r_onnx_name c)
{
    return l2r_onnx_node(o, operator,(const struct l2r_onnx_name *const[]){&a, &b, &c}, 3, NULL);
}

void l2r_onnx_clear(struct l2r_onnx *o)
{
    l2r_text_clear(&o->nodes);
    l2r_text_clear(&o->initialisers);
    l2r_text_clear(&o->inputs);
    l2r_text_clear(&o->outputs);
    l2r_distinct_texts_clear(&o->tensors);
}

enum l2r_status l2r_onnx_finish(char **bytes, size_t *length, struct l2r_onnx *o, const char *title,
                                struct l2r_error *error)
{
    struct l2r_text model = {0}, graph = {0}, operators = {0};
    struct l2r_text *const parts[] = {&o->nodes, &o->initialisers, &o->inputs, &o->outputs};
    for (int i = 0; i < 4; i++) {
        l2r_text_add(&graph, parts[i]->text ? parts[i]->text : "", parts[i]->length);
        graph.failed = graph.failed || parts[i]->failed;
        if (i == 0) put_word(&graph, 2, title);
    }
    put_integer(&model, 1, L2R_ONNX_FORMAT);
    put_word(&model, 2, "l2r");
    put_word(&model, 3, l2r_version());
    put_word(&operators, 1, "");
    put_integer(&operators, 2, L2R_ONNX_OPERATORS);
    put_message(&model, 7, &graph);
    put_message(&model, 8, &operators);
    l2r_onnx_clear(o);
    *length = model.length;
    return l2r_text_finish(bytes, &model, "an ONNX file", error);
}
