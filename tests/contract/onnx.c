/* SPDX-License-Identifier: MIT
 *
 * Every registered model as an ONNX graph, or refused with a sentence. The file is read again: each node has inputs
 * that are there before it, names are unique, each tensor has as many bytes as its shape says, and each parameter of
 * the network is there with its shape. That the numbers agree is checked with onnxruntime (bench/peer/onnx).
 */
#include "model/onnx.h"
#include "support/model_trial.h"

static struct l2r_error error;

/* ---- protocol buffers ---- */

struct field {
    uint64_t number, value; /* value: of integers */
    const unsigned char *bytes;
    size_t n; /* of the bytes */
};

static uint64_t number_at(const unsigned char **at, const unsigned char *end)
{
    uint64_t value = 0;
    for (int shift = 0; *at < end && shift < 64; shift += 7) {
        unsigned char byte = *(*at)++;
        value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) return value;
    }
    fail_msg("%s: a number does not end", where);
    return 0;
}

/* False at the end. */
static bool next(struct field *f, const unsigned char **at, const unsigned char *end)
{
    if (*at == end) return false;
    uint64_t key = number_at(at, end);
    *f = (struct field){.number = key >> 3};
    if ((key & 7) == 0) f->value = number_at(at, end);
    if ((key & 7) == 5) f->bytes = *at, f->n = 4, *at += 4;
    if ((key & 7) == 2) {
        f->n = (size_t)number_at(at, end);
        f->bytes = *at;
        assert_true(f->n <= (size_t)(end - *at));
        *at += f->n;
    }
    assert_true((key & 7) == 0 || (key & 7) == 2 || (key & 7) == 5);
    return true;
}

/* ---- the graph ---- */

static struct l2r_distinct_texts names;

static void define(const struct field *f)
{
    char name[160];
    int32_t before = names.n;
    snprintf(name, sizeof name, "%.*s", (int)f->n, (const char *)f->bytes);
    if (l2r_distinct_texts_add(&names, name) != before) fail_msg("%s: %s is there twice", where, name);
}

static bool is_defined(const struct field *f)
{
    char name[160];
    snprintf(name, sizeof name, "%.*s", (int)f->n, (const char *)f->bytes);
    return l2r_distinct_texts_find(&names, name) >= 0;
}

static void check_tensor(const struct field *tensor, const struct l2r_network *network, int *parameters)
{
    const unsigned char *at = tensor->bytes, *end = at + tensor->n;
    struct field f, name = {0}, data = {0};
    uint64_t numbers = 1, type = 0;
    while (next(&f, &at, end)) {
        if (f.number == 1) numbers *= f.value;
        if (f.number == 2) type = f.value;
        if (f.number == 8) name = f;
        if (f.number == 9) data = f;
    }
    assert_int_equal(data.n, numbers * (type == 1 ? 4 : 8));
    define(&name);
    for (size_t i = 0; i < network->params.count; i++) {
        const struct l2r_param *p = network->params.items[i];
        size_t n = strlen(p->name);
        if (name.n != n + 2 || memcmp(name.bytes, "1.", 2) != 0 || memcmp(name.bytes + 2, p->name, n) != 0) continue;
        assert_int_equal(numbers, p->rows * p->cols);
        assert_memory_equal(data.bytes, p->value, data.n);
        ++*parameters;
    }
}

/* The name of an input is its first field. */
static void define_value(const struct field *value)
{
    const unsigned char *at = value->bytes;
    struct field f;
    assert_true(next(&f, &at, at + value->n) && f.number == 1);
    define(&f);
}

static void check_node(const struct field *node)
{
    static const char *const operators =
        " Add Cast Concat Div Elu Erf Exp Expand Gather Gemm Greater Identity LeakyRelu "
        "LayerNormalization BatchNormalization Max Mul Pow Range ReduceMax ReduceSum "
        "Relu Reshape ScatterND Shape Sigmoid Slice Softmax Sqrt Sub Tanh Unsqueeze "
        "Where ";
    const unsigned char *at = node->bytes, *end = at + node->n;
    struct field f, out = {0};
    char operator[40];
    while (next(&f, &at, end)) {
        if (f.number == 1 && !is_defined(&f))
            fail_msg("%s: %.*s is used before it is there", where, (int)f.n, (const char *)f.bytes);
        if (f.number == 2) out = f;
        if (f.number != 4) continue;
        snprintf(operator, sizeof operator, " %.*s ", (int)f.n, (const char *)f.bytes);
        if (!strstr(operators, operator)) fail_msg("%s: operator%s", where, operator);
    }
    define(&out);
}

static void check_graph(const struct field *graph, const struct l2r_network *network)
{
    const unsigned char *at = graph->bytes, *end = at + graph->n;
    struct field f;
    int parameters = 0, inputs = 0, outputs = 0;
    while (next(&f, &at, end)) {
        if (f.number == 5) check_tensor(&f, network, &parameters);
        if (f.number == 11) define_value(&f);
        inputs += f.number == 11;
        outputs += f.number == 12;
    }
    for (at = graph->bytes; next(&f, &at, end);)
        if (f.number == 1) check_node(&f);
    assert_true(l2r_distinct_texts_find(&names, "prediction") >= 0);
    assert_int_equal(outputs, 1);
    assert_in_range(inputs, 2, 6);
    assert_int_equal(parameters, network->params.count);
}

static void check_file(const char *bytes, size_t length, const struct l2r_network *network)
{
    const unsigned char *at = (const unsigned char *)bytes, *end = at + length;
    struct field f;
    bool graph = false;
    while (next(&f, &at, end)) {
        if (f.number == 7) check_graph(&f, network);
        graph = graph || f.number == 7;
    }
    assert_true(graph);
    l2r_distinct_texts_clear(&names);
}

static int n_written;

static void write_one(const struct l2r_model_type *type, const struct variant *variant, enum graph_kind kind)
{
    static const char *const written = " gin gcn gat sgc jknet dmpnn ";
    struct l2r_rng rng = l2r_rng_at(2, L2R_RANDOM_TEST, 0);
    struct test_graph graphs[2] = {draw_graph(kind, 4, 2, &rng), draw_graph(kind, 5, 3, &rng)};
    struct l2r_dataset *data = data_set_of(graphs, 2, kind);
    struct trial t = trial_open(type, variant, data, "8", "0");
    struct l2r_trained *trained;
    char *bytes, name[40];
    size_t length;
    must(l2r_trained_new(&trained, t.config, &error), &error);
    must(l2r_trained_add(trained, &t.network, t.config, &error), &error);
    snprintf(name, sizeof name, " %s ", type->name);
    bool expected = strstr(written, name) && !l2r_config_is(t.config, "readout", "diffpool");
    enum l2r_status status = l2r_onnx_pack(&bytes, &length, trained, "model", &error);
    if (expected) must(status, &error);
    if (status == L2R_OK) {
        check_file(bytes, length, &t.network);
        n_written++;
    } else {
        assert_int_equal(status, L2R_ERR_ARGUMENT);
        assert_memory_equal(error.message, "model: ", 7);
        assert_null(bytes);
    }
    l2r_free(bytes);
    l2r_trained_free(trained);
    trial_close(&t);
    l2r_dataset_free(data);
}

static void test_all_models(void **state)
{
    (void)state;
    for_all_models(write_one);
    assert_true(n_written > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_models)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
