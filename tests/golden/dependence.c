/* SPDX-License-Identifier: MIT
 *
 * The weighted dependence against PyTorch: golden/dependence.json, written by dependence_reference.py, holds
 * representations, weights and what autograd makes of the definition. Compared here, in feature space and in sample
 * space:
 *
 *     random features   ω, φ of every variable, which the reference draws by its own Philox
 *     L, ∂L/∂w, ∂L/∂Z   all kinds of pairs, both covariances, one set of features or two
 *     second order      the term on the network of models/gin-plain.safetensors: as the library takes it, with a step
 *                       of 0.01, and its limit for short steps
 *
 * Criterion:  |found − expected| <= tolerance · max(|expected|, largest of the vector)
 *
 * dependence_f64.c builds this file in double.
 */
#include "golden/model_case.h"
#include "reweight/reweighting.h"

#include <math.h>

enum { MOST = 256, FEWEST_PROBLEMS = 3, FEWEST_TERMS = 2, IS_DOUBLE = sizeof(l2r_real) == 8 };

static const double tolerance = IS_DOUBLE ? 1e-9 : 1e-4;

static double real(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

static int64_t integer(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

static bool flag(const json_t *object, const char *key)
{
    assert_true(json_is_boolean(json_object_get(object, key)));
    return json_is_true(json_object_get(object, key));
}

static int64_t reals(double out[MOST], const json_t *object, const char *key)
{
    const json_t *list = json_object_get(object, key);
    int64_t n = (int64_t)json_array_size(list);
    assert_in_range(n, 1, MOST);
    for (int64_t i = 0; i < n; i++) out[i] = json_number_value(json_array_get(list, (size_t)i));
    return n;
}

static void expect_close(const double *found, const json_t *object, const char *key, double bound, const char *where)
{
    double wanted[MOST], largest = 0;
    int64_t n = reals(wanted, object, key);
    for (int64_t i = 0; i < n; i++) largest = fmax(largest, fabs(wanted[i]));
    for (int64_t i = 0; i < n; i++)
        if (!(fabs(found[i] - wanted[i]) <= bound * largest))
            fail_msg("%s, %s[%lld]: %.15g, expected %.15g (largest %.3g)", where, key, (long long)i, found[i],
                     wanted[i], largest);
}

struct problem {
    int64_t rows, d;
    int32_t n_clusters, cluster[MOST];
    l2r_real z[MOST];
    double w[MOST];
};

static enum l2r_pairs pairs_of(const char *name)
{
    if (strcmp(name, "all") == 0) return L2R_PAIRS_ALL;
    return strcmp(name, "within") == 0 ? L2R_PAIRS_WITHIN : L2R_PAIRS_ACROSS;
}

/* ω and φ by variable, as the reference lists them. */
static void expect_features(const struct l2r_dependence *dep, const json_t *test, const char *where)
{
    double omega[MOST], phase[MOST];
    int64_t n_f = dep->options.n_f;
    for (int64_t place = 0; place < dep->d; place++)
        for (int64_t a = 0; a < n_f; a++) {
            omega[dep->variable[place] * n_f + a] = (double)dep->omega[place * n_f + a];
            phase[dep->variable[place] * n_f + a] = (double)dep->phase[place * n_f + a];
        }
    expect_close(omega, test, "omega", IS_DOUBLE ? 1e-11 : 1e-6, where);
    expect_close(phase, test, "phase", IS_DOUBLE ? 1e-11 : 1e-6, where);
}

static void check_kind(const struct problem *p, const json_t *test, const json_t *kind, enum l2r_dependence_form form)
{
    struct l2r_dependence_options options = {.n_f = integer(test, "features"),
                                             .pairs = pairs_of(json_string_value(json_object_get(kind, "pairs"))),
                                             .scaled = flag(kind, "scaled"),
                                             .form = form};
    struct l2r_rng rng =
        l2r_rng_at((uint64_t)integer(test, "seed"), L2R_RANDOM_FOURIER, (uint64_t)integer(test, "place"));
    struct l2r_arena arena;
    struct l2r_dependence dep;
    struct l2r_error error;
    l2r_real d_z[MOST];
    double gradient[MOST], wide[MOST], wanted = real(kind, "value");
    char where[128];
    snprintf(where, sizeof where, "%s, %s, %s, %s space", json_string_value(json_object_get(test, "name")),
             json_string_value(json_object_get(kind, "pairs")), options.scaled ? "scaled" : "weighted",
             form == L2R_FORM_SAMPLE ? "sample" : "feature");
    l2r_arena_init(&arena);
    must(l2r_dependence_init(&dep, &arena, p->z, p->cluster, p->n_clusters, p->rows, p->d, &options, &rng, &error),
         &error);
    assert_int_equal(dep.sample_space, form == L2R_FORM_SAMPLE);
    expect_features(&dep, test, where);
    double value = l2r_dependence_value(&dep, gradient, p->w);
    if (!(fabs(value - wanted) <= tolerance * wanted)) fail_msg("%s: %.15g, expected %.15g", where, value, wanted);
    assert_true(value == l2r_dependence_value(&dep, NULL, p->w));
    expect_close(gradient, kind, "d_w", tolerance, where);
    assert_true(l2r_dependence_gradient_z(&dep, d_z, p->w));
    for (int64_t i = 0; i < p->rows * p->d; i++) wide[i] = (double)d_z[i];
    expect_close(wide, kind, "d_z", tolerance, where);
    l2r_arena_clear(&arena);
}

static void test_dependence(void **state)
{
    (void)state;
    json_t *root = json_load_file(L2R_TEST_DIR "/golden/dependence.json", 0, NULL), *test, *kind;
    size_t i, k;
    assert_true(json_array_size(json_object_get(root, "problems")) >= FEWEST_PROBLEMS);
    json_array_foreach(json_object_get(root, "problems"), i, test)
    {
        struct problem p = {
            .rows = integer(test, "rows"), .d = integer(test, "d"), .n_clusters = (int32_t)integer(test, "clusters")};
        double values[MOST];
        int64_t n = reals(values, test, "z");
        assert_int_equal(n, p.rows * p.d);
        for (int64_t c = 0; c < n; c++) p.z[c] = (l2r_real)values[c];
        assert_int_equal(reals(p.w, test, "w"), p.rows);
        assert_int_equal(reals(values, test, "cluster"), p.d);
        for (int64_t c = 0; c < p.d; c++) p.cluster[c] = (int32_t)values[c];
        assert_true(json_array_size(json_object_get(test, "kinds")) >= 6);
        json_array_foreach(json_object_get(test, "kinds"), k, kind)
        {
            check_kind(&p, test, kind, L2R_FORM_FEATURE);
            check_kind(&p, test, kind, L2R_FORM_SAMPLE);
        }
    }
    json_decref(root);
}

/* Z of the look-ahead pass, compared with the reference's and copied. */
static void represent(l2r_real z[MOST], struct golden *g, const struct l2r_batch *batch, const json_t *test)
{
    double wide[MOST];
    int64_t n = batch->n_graphs * g->network.width;
    l2r_tape_reset(&g->tape);
    l2r_tape_mode_predict(&g->tape);
    g->tape.pass.batch_statistics = true;
    const l2r_real *found = l2r_value_of(&g->tape, l2r_network_represent(&g->network, &g->tape, batch))->data;
    must(g->tape.status, &g->tape.error);
    assert_true(n <= MOST);
    for (int64_t i = 0; i < n; i++) wide[i] = (double)(z[i] = found[i]);
    expect_close(wide, test, "z", tolerance, "look-ahead");
}

static void check_term(const json_t *test)
{
    char path[256];
    snprintf(path, sizeof path, L2R_TEST_DIR "/golden/models/%s.safetensors",
             json_string_value(json_object_get(test, "case")));
    struct golden g = open_golden(path);
    struct l2r_error error;
    struct l2r_batch batch;
    struct l2r_arena arena;
    struct l2r_second_order second;
    struct l2r_learner learner;
    struct l2r_learner_options options = {
        .dependence = {.n_f = 5, .pairs = L2R_PAIRS_ALL, .scaled = flag(test, "scaled"), .expected_steps = 3},
        .inner = {.steps = 1, .lr = 0.1},
        .n_clusters = 1,
        .window = 1};
    uint64_t seed = (uint64_t)integer(test, "seed");
    l2r_real z[MOST];
    const double *extra;
    l2r_arena_init(&arena);
    must(l2r_batch_make(&batch, &arena, g.data, g.graphs, g.data->n_graphs, &error), &error);
    must(l2r_learner_init(&learner, &options, seed, g.network.width, batch.n_graphs, g.data, &error), &error);
    must(l2r_second_order_init(&second, &g.network, batch.n_graphs, &error), &error);
    represent(z, &g, &batch, test);
    for (int limit = 0; limit <= IS_DOUBLE;
         limit++) { /* a step too short for float has no difference of losses to speak of */
        if (limit) second.reach = 1e-7;
        must(l2r_second_order_term(&extra, &second, &learner, &g.tape, &g.network, &batch, z, real(test, "rate"), seed,
                                   0, integer(test, "step"), &error),
             &error);
        assert_non_null(extra);
        expect_close(extra, test, limit ? "exact" : "stepped", limit ? 1e-6 : tolerance, path);
    }
    l2r_second_order_clear(&second);
    l2r_learner_clear(&learner);
    l2r_arena_clear(&arena);
    close_golden(&g);
}

static void test_second_order(void **state)
{
    (void)state;
    json_t *root = json_load_file(L2R_TEST_DIR "/golden/dependence.json", 0, NULL), *test;
    size_t i;
    assert_true(json_array_size(json_object_get(root, "second_order")) >= FEWEST_TERMS);
    json_array_foreach(json_object_get(root, "second_order"), i, test) check_term(test);
    json_decref(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_dependence), cmocka_unit_test(test_second_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
