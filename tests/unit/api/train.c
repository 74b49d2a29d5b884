/* SPDX-License-Identifier: MIT
 * l2r/train.h and l2r/model.h: a run in memory is the run of a folder; callbacks, stop and resume; a loop of one's own;
 * copies on other threads; scores by task, distances, ensembles and explanations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/training_runs.h"
#include <l2r/l2r.h>

#include "support/calls.h" /* after the others, whose functions have errors of their own */

#include <math.h>
#include <pthread.h>
#include <string.h>

static const char motif[] = "motif:train=24,valid=12,test=12";
static const int64_t first[] = {0, 5, 47};

static struct l2r_config *small(const char *epochs)
{
    struct l2r_config *config;
    OK(l2r_config_for_run(&config, "gin", "l2r", &error));
    OK(l2r_config_set_json(config, "{\"hidden\": 8, \"layers\": 2, \"batch-size\": 8}", &error));
    OK(l2r_config_set(config, "epochs", epochs, &error));
    return config;
}

struct events {
    int starts, batches, epochs, left;
    pthread_t thread;
};

static void on_start(void *context, const char *summary)
{
    struct events *h = context;
    h->starts += strstr(summary, "gin") != NULL;
    assert_true(pthread_equal(h->thread, pthread_self()));
}

static void on_batch(void *context, const struct l2r_progress *progress)
{
    struct events *h = context;
    h->batches += progress->n_batches == 3;
}

static void on_epoch(void *context, const struct l2r_progress *progress)
{
    struct events *h = context;
    h->epochs += progress->epoch > 0;
}

static bool on_stop(void *context)
{
    struct events *h = context;
    return h->left-- == 0;
}

static struct l2r_callbacks callbacks_into(struct events *h)
{
    struct l2r_callbacks c = L2R_CALLBACKS_INIT;
    *h = (struct events){.left = -1, .thread = pthread_self()};
    c.context = h;
    c.start = on_start;
    c.batch = on_batch;
    c.epoch = on_epoch;
    c.stop = on_stop;
    return c;
}

static enum l2r_status run(struct l2r_result **result, struct l2r_predictor **predictor,
                           const struct l2r_config *config, const struct l2r_dataset *data,
                           const struct l2r_split *split, const char *out, bool resume,
                           const struct l2r_callbacks *callbacks)
{
    struct l2r_run run = L2R_RUN_INIT;
    run.config = config;
    run.data = data;
    run.split = split;
    run.out = out;
    run.resume = resume;
    run.callbacks = callbacks;
    return l2r_train(result, predictor, &run, &error);
}

static void memory_is_as_a_folder(void **state)
{
    (void)state;
    struct l2r_config *config = small("3");
    struct l2r_dataset *data;
    struct l2r_split *split;
    struct l2r_result *kept, *light;
    struct l2r_predictor *a, *b;
    struct events h;
    struct l2r_callbacks c = callbacks_into(&h);
    char dir[256], *json;
    float x[6], y[6];
    OK(l2r_dataset_open(&data, motif, NULL, &error));
    OK(l2r_split_new(&split, data, NULL, &error));
    folder(dir, "kept");
    OK(run(&kept, &a, config, data, split, dir, false, NULL));
    OK(run(&light, &b, config, data, NULL, NULL, false, &c));
    assert_true(h.starts == 1 && h.batches == 9 && h.epochs == 3);
    for (int part = L2R_PART_TRAIN; part <= L2R_PART_TEST; part++)
        assert_true(l2r_result_score(kept, part, NULL) == l2r_result_score(light, part, "accuracy"));
    assert_string_equal(l2r_result_metric(light), "accuracy");
    assert_true(l2r_result_n_epochs(light) == 3 && l2r_result_best_epoch(light) == l2r_result_best_epoch(kept));
    OK(l2r_predictor_predict(x, a, data, first, 3, &error));
    OK(l2r_predictor_predict(y, b, data, first, 3, &error));
    assert_memory_equal(x, y, sizeof x);
    assert_true(l2r_result_n_parameters(light) > 0 && l2r_result_seconds(light) >= 0);
    assert_true(isnan(l2r_result_score(light, 0, "rmse")) && isnan(l2r_result_score(light, 7, NULL)));
    OK(l2r_result_json(&json, light, &error));
    assert_non_null(strstr(json, "\"n_parameters\""));
    l2r_free(json);
    l2r_result_free(light);
    OK(run(&light, NULL, config, data, split, dir, true, NULL)); /* a finished run returns at once */
    l2r_result_free(light);
    l2r_result_free(kept);
    refused(run(&light, NULL, config, data, split, dir, false, NULL), "already holds a run");
    refused(run(&light, NULL, config, data, NULL, NULL, true, NULL), "resumed from its folder");
    refused(run(&light, NULL, config, NULL, split, NULL, false, NULL), "data is NULL, but split");
    refused(run(&light, NULL, config, NULL, NULL, NULL, false, NULL), "`data` is missing");
    refused(run(&light, NULL, NULL, data, NULL, NULL, false, NULL), "config is NULL");
    refused(run(NULL, NULL, config, data, NULL, NULL, false, NULL), "result is NULL");
    refused(l2r_result_json(&json, NULL, &error), "result is NULL");
    assert_true(isnan(l2r_result_score(NULL, 0, NULL)) && !l2r_result_metric(NULL));
    assert_true(l2r_result_n_epochs(NULL) + l2r_result_best_epoch(NULL) + l2r_result_n_parameters(NULL) == 0);
    assert_true(isnan(l2r_result_seconds(NULL)) && isnan(l2r_result_graphs_per_second(NULL)));
    refused(l2r_train(&light, NULL, NULL, &error), "run is NULL");
    l2r_predictor_free(a);
    l2r_predictor_free(b);
    l2r_split_free(split);
    l2r_dataset_free(data);
    l2r_config_free(config);
}

static void stopped_and_resumed(void **state)
{
    (void)state;
    struct l2r_config *config = small("3");
    struct l2r_dataset *data;
    struct l2r_split *split, *other;
    struct l2r_result *result;
    struct events h;
    struct l2r_callbacks c = callbacks_into(&h);
    char dir[256];
    OK(l2r_dataset_open(&data, motif, NULL, &error));
    OK(l2r_split_fold(&split, data, 0, 4, NULL, &error));
    OK(l2r_split_fold(&other, data, 1, 4, NULL, &error));
    folder(dir, "stopped");
    h.left = 4;
    assert_int_equal(run(&result, NULL, config, data, split, dir, false, &c), L2R_ERR_INTERRUPTED);
    assert_null(result);
    refused(run(&result, NULL, config, data, other, dir, true, NULL), "is not the one that the run in");
    OK(run(&result, NULL, config, data, split, dir, true, NULL));
    assert_int_equal(l2r_result_n_epochs(result), 3);
    l2r_result_free(result);
    h.left = 4;
    assert_int_equal(run(&result, NULL, config, data, split, NULL, false, &c), L2R_ERR_INTERRUPTED);
    assert_non_null(strstr(error.message, "nothing is kept"));
    c.size = 3;
    refused(run(&result, NULL, config, data, split, NULL, false, &c), "callbacks.size = 3");
    l2r_split_free(split);
    l2r_split_free(other);
    l2r_dataset_free(data);
    l2r_config_free(config);
}

/* Step by step and epoch by epoch reach the same bits as a run, and parameters can be read and written. */
static void own_loop(void **state)
{
    (void)state;
    struct l2r_evaluation *scores;
    struct l2r_config *config = small("2");
    struct l2r_dataset *data;
    struct l2r_training *t;
    struct l2r_predictor *mine, *theirs;
    struct l2r_result *result;
    struct l2r_parameter p = L2R_PARAMETER_INIT, same = L2R_PARAMETER_INIT;
    double loss, mean = 0;
    char *json;
    float x[6], y[6];
    OK(l2r_dataset_open(&data, motif, NULL, &error));
    OK(l2r_training_new(&t, config, data, NULL, &error));
    assert_int_equal(l2r_training_n_batches(t), 3);
    for (int batch = 0; batch < 3; batch++) {
        OK(l2r_training_step(&loss, t, &error));
        mean += loss / 3;
    }
    assert_int_equal(l2r_training_n_epochs(t), 1);
    OK(l2r_training_epoch(&loss, t, &error));
    assert_true(isfinite(mean) && isfinite(loss) && l2r_training_n_epochs(t) == 2);
    OK(l2r_config_set(config, "early-stop", "0", &error));
    OK(run(&result, &theirs, config, data, NULL, NULL, false, NULL));
    OK(l2r_training_predictor(&mine, t, &error));
    if (l2r_result_best_epoch(result) == 2) {
        OK(l2r_predictor_predict(x, mine, data, first, 3, &error));
        OK(l2r_predictor_predict(y, theirs, data, first, 3, &error));
        assert_memory_equal(x, y, sizeof x);
    }
    OK(l2r_training_evaluate(&scores, t, L2R_PART_VALID, &error));
    OK(l2r_evaluation_json(&json, scores, &error));
    l2r_evaluation_free(scores);
    assert_non_null(strstr(json, "\"accuracy\""));
    l2r_free(json);
    assert_true(l2r_training_learning_rate(t) == 0.001);
    OK(l2r_training_set_learning_rate(t, 0, &error));
    assert_true(l2r_training_n_parameters(t) > 4);
    OK(l2r_training_parameter(&p, t, 0, &error));
    OK(l2r_training_find(&same, t, p.name, &error));
    assert_true(same.value == p.value && p.rows > 0 && p.columns > 0 && p.gradient);
    p.value[0] = 0.25f;
    OK(l2r_training_step(NULL, t, &error));
    assert_true(p.value[0] == 0.25f); /* a rate of 0 moves nothing */
    OK(l2r_training_set_learning_rate(t, NAN, &error));
    assert_true(l2r_training_learning_rate(t) == 0.001);
    refused(l2r_training_set_learning_rate(t, -1, &error), "rate = -1");
    refused(l2r_training_parameter(&p, t, 1000, &error), "i = 1000");
    refused(l2r_training_find(&p, t, "nobody", &error), "no parameter \"nobody\"");
    refused(l2r_training_evaluate(&scores, t, L2R_PART_NONE, &error), "part = 5");
    refused(l2r_training_step(NULL, NULL, &error), "training is NULL");
    refused(l2r_training_epoch(NULL, NULL, &error), "training is NULL");
    l2r_predictor_free(theirs);
    refused(l2r_training_predictor(&theirs, NULL, &error), "training is NULL");
    l2r_training_free(t);
    refused(l2r_training_new(&t, config, NULL, NULL, &error), "data is NULL");
    assert_true(isnan(l2r_training_learning_rate(NULL)) && l2r_training_n_batches(NULL) == 0);
    assert_true(l2r_training_n_parameters(NULL) == 0 && l2r_training_n_epochs(NULL) == 0);
    l2r_training_free(NULL);
    l2r_predictor_free(mine);
    l2r_result_free(result);
    l2r_dataset_free(data);
    l2r_config_free(config);
}

struct job {
    struct l2r_predictor *predictor;
    const struct l2r_dataset *data;
    float output[6];
};

static void *score(void *context)
{
    struct job *job = context;
    l2r_threads_set(1);
    (void)l2r_predictor_predict(job->output, job->predictor, job->data, first, 3, NULL);
    return NULL;
}

static void count_done(void *context, const char *what, int64_t n_done, int64_t n)
{
    if (strcmp(what, "graphs explained") == 0) *(int64_t *)context = n_done == n ? n : 0;
}

static bool always(void *context)
{
    (void)context;
    return true;
}

/* An explanation has the same bits alone and among others. */
static void explain_several(const struct l2r_predictor *p, const struct l2r_dataset *data,
                            const struct l2r_config *options)
{
    struct l2r_explanation *some[3], *alone;
    struct l2r_watch c = L2R_WATCH_INIT;
    int64_t done = 0, n = 0;
    c.context = &done;
    c.progress = count_done;
    OK(l2r_watch_set(&c, &error));
    OK(l2r_explain(some, p, data, first, 3, options, &error));
    assert_int_equal(done, 3);
    OK(l2r_explanation_new(&alone, p, data, first[1], options, &error));
    const float *a = l2r_explanation_edges(&n, alone), *b = l2r_explanation_edges(&n, some[1]);
    assert_memory_equal(a, b, (size_t)n * sizeof *a);
    for (int i = 0; i < 3; i++) l2r_explanation_free(some[i]);
    l2r_explanation_free(alone);
    c.stop = always;
    OK(l2r_watch_set(&c, &error));
    assert_int_equal(l2r_explain(some, p, data, first, 3, options, &error), L2R_ERR_INTERRUPTED);
    assert_true(!some[0] && !some[1] && !some[2]);
    OK(l2r_watch_set(NULL, &error));
    refused(l2r_explain(some, p, data, first, 0, options, &error), "n = 0");
    refused(l2r_explain(some, p, data, NULL, 1, options, &error), "graphs is NULL");
    refused(l2r_explain(NULL, p, data, first, 1, options, &error), "explanations is NULL");
    refused(l2r_explanation_new(NULL, p, data, 0, options, &error), "explanation is NULL");
    c.size = 1;
    refused(l2r_watch_set(&c, &error), "watch.size = 1");
}

static void models(void **state)
{
    (void)state;
    struct l2r_config *config = small("1"), *options;
    struct l2r_dataset *data;
    struct l2r_result *result;
    struct job jobs[2] = {{0}};
    pthread_t threads[2];
    char a[256], b[256], *json;
    float near[3], share[3], mean[6], spread[6];
    struct l2r_evaluation *scores;
    OK(l2r_dataset_open(&data, motif, NULL, &error));
    OK(l2r_config_set(config, "data", motif, &error));
    folder(a, "seed-a");
    folder(b, "seed-b");
    OK(run(&result, &jobs[0].predictor, config, NULL, NULL, a, false, NULL));
    l2r_result_free(result);
    OK(l2r_config_set(config, "seed", "1", &error));
    OK(run(&result, NULL, config, NULL, NULL, b, false, NULL));
    l2r_result_free(result);
    OK(l2r_predictor_copy(&jobs[1].predictor, jobs[0].predictor, &error));
    for (int k = 0; k < 2; k++) {
        jobs[k].data = data;
        assert_int_equal(pthread_create(&threads[k], NULL, score, &jobs[k]), 0);
    }
    for (int k = 0; k < 2; k++) assert_int_equal(pthread_join(threads[k], NULL), 0);
    assert_memory_equal(jobs[0].output, jobs[1].output, sizeof mean);
    struct l2r_predictor *p = jobs[0].predictor;
    OK(l2r_predictor_evaluate(&scores, p, data, first, 3, "accuracy", &error));
    OK(l2r_evaluation_json(&json, scores, &error));
    l2r_evaluation_free(scores);
    assert_true(strstr(json, "\"accuracy\"") && !strstr(json, "rocauc") && strstr(json, "\"n\": 3"));
    l2r_free(json);
    refused(l2r_predictor_evaluate(&scores, p, data, first, 3, "accuracy,luck", &error), "no metric \"luck\"");
    refused(l2r_predictor_evaluate(&scores, p, data, first, 3, "rmse", &error), "does not suit");
    refused(l2r_predictor_evaluate(&scores, p, data, first, -1, NULL, &error), "n = -1");
    const char *hidden;
    OK(l2r_config_get(&hidden, l2r_predictor_config(p), "hidden", &error));
    assert_string_equal(hidden, "8");
    assert_null(l2r_predictor_config(NULL));
    OK(l2r_predictor_signature_json(&json, p, &error));
    assert_non_null(strstr(json, "\"task\""));
    l2r_free(json);
    assert_true(!l2r_predictor_task_name(p, 0) && !l2r_predictor_task_name(NULL, 0));
    OK(l2r_predictor_applicability(near, share, p, data, first, 3, &error));
    assert_true(near[0] > 0 && share[0] >= 0 && share[0] <= 1);
    refused(l2r_predictor_applicability(near, share, p, data, first, -1, &error), "n = -1");
    float far_too[3]; /* a copy belongs to the same run */
    OK(l2r_predictor_applicability(far_too, NULL, jobs[1].predictor, data, first, 3, &error));
    assert_memory_equal(near, far_too, sizeof near);

    static char bytes[1 << 20];
    char path[300];
    float there[6], here[6];
    struct l2r_predictor *loaded;
    snprintf(path, sizeof path, "%s/best.safetensors", a);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t length = fread(bytes, 1, sizeof bytes, file);
    (void)fclose(file);
    OK(l2r_predictor_from_bytes(&loaded, bytes, length, &error));
    OK(l2r_predictor_predict(there, p, data, first, 3, &error));
    OK(l2r_predictor_predict(here, loaded, data, first, 3, &error));
    assert_memory_equal(there, here, sizeof here);
    l2r_predictor_free(loaded);
    assert_int_equal(l2r_predictor_from_bytes(&loaded, bytes, length / 2, &error), L2R_ERR_FORMAT);
    refused(l2r_predictor_from_bytes(&loaded, NULL, 5, &error), "bytes is NULL");

    struct l2r_ensemble *e;
    OK(l2r_ensemble_open(&e, (const char *const[]){a, b}, 2, &error));
    struct l2r_answers answers = L2R_ANSWERS_INIT;
    float far[3], all[3];
    answers.output = mean;
    answers.spread = spread;
    OK(l2r_ensemble_predict(&answers, e, data, first, 3, &error));
    assert_true(fabsf(mean[0] + mean[1] - 1) < 1e-5f && spread[0] >= 0);
    assert_true(l2r_ensemble_n_models(e) == 2 && l2r_predictor_n_outputs(l2r_ensemble_model(e, 1)) == 2);
    assert_true(!l2r_ensemble_model(e, 2) && !l2r_ensemble_model(NULL, 0) && l2r_ensemble_n_models(NULL) == 0);
    answers.applicability = all; /* with and without the distance: the same numbers, whatever the batches */
    answers.batch_size = 1;
    OK(l2r_ensemble_predict(&answers, e, data, first, 3, &error));
    answers.distance = far;
    OK(l2r_ensemble_find_applicability(e, &error));
    memcpy(there, all, sizeof all);
    OK(l2r_ensemble_predict(&answers, e, data, first, 3, &error));
    assert_memory_equal(there, all, sizeof all);
    assert_true(far[0] > 0 && all[0] >= 0 && all[0] <= 1);
    refused(l2r_ensemble_predict(&answers, e, data, (const int64_t[]){-1}, 1, &error), "graphs[0] = -1");
    refused(l2r_ensemble_predict(&answers, e, NULL, first, 1, &error), "data is NULL");
    refused(l2r_ensemble_predict(&answers, e, data, first, -1, &error), "n = -1");
    refused(l2r_ensemble_predict(&answers, NULL, data, first, 1, &error), "ensemble is NULL");
    refused(l2r_ensemble_find_applicability(NULL, &error), "ensemble is NULL");
    answers.batch_size = -1;
    refused(l2r_ensemble_predict(&answers, e, data, first, 1, &error), "answers.batch_size = -1");
    answers.output = NULL;
    refused(l2r_ensemble_predict(&answers, e, data, first, 1, &error), "answers.output is NULL");
    l2r_ensemble_free(e);
    refused(l2r_ensemble_open(&e, (const char *const[]){a, NULL}, 2, &error), "paths[1] is NULL");
    refused(l2r_ensemble_open(&e, (const char *const[]){a}, 0, &error), "n = 0");

    struct l2r_explanation *why;
    int64_t n_ends = 0, n_edges = 0, n_nodes = 0, n_columns = 0;
    OK(l2r_config_for_explanation(&options, &error));
    OK(l2r_config_set(options, "steps", "5", &error));
    OK(l2r_explanation_new(&why, p, data, 0, options, &error));
    const int64_t *start = l2r_dataset_node_start(data);
    assert_true(l2r_explanation_ends(&n_ends, why) && l2r_explanation_edges(&n_edges, why));
    assert_true(l2r_explanation_nodes(&n_nodes, why) && l2r_explanation_columns(&n_columns, why));
    assert_true(n_ends == n_edges && n_edges > 0 && n_nodes == start[1] - start[0] && n_columns == 1);
    l2r_explanation_free(why);
    refused(l2r_explanation_new(&why, p, data, 48, options, &error), "graphs[0] = 48; expected 0 … 47");
    refused(l2r_explanation_new(&why, p, data, 0, config, &error), "not those of an explanation");
    explain_several(p, data, options);
    assert_true(!l2r_explanation_edges(&n_edges, NULL) && n_edges == 0);
    l2r_config_free(options);
    l2r_predictor_free(jobs[0].predictor);
    l2r_predictor_free(jobs[1].predictor);
    l2r_dataset_free(data);
    l2r_config_free(config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(memory_is_as_a_folder), cmocka_unit_test(stopped_and_resumed),
                                       cmocka_unit_test(own_loop), cmocka_unit_test(models)};
    return cmocka_run_group_tests(tests, run_set_up, run_tear_down);
}
