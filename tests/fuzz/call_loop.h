/* SPDX-License-Identifier: MIT
 *
 * The calls for a loop of one's own (l2r/train.h) with arguments made of a fuzzer's bytes.
 */
#ifndef L2R_FUZZ_CALL_LOOP_H
#define L2R_FUZZ_CALL_LOOP_H

#include "call_arguments.h"

enum { LOOP_GRAPHS = 64, LOOP_NUMBERS = 1024 };

static inline void learn(struct handles *h, struct input *in, struct l2r_error *error)
{
    double loss;
    struct l2r_parameter p = L2R_PARAMETER_INIT;
    if (!h->training && h->config) {
        check(l2r_config_set_json(h->config, "{\"hidden\": 2, \"layers\": 1}", error), error);
        check(l2r_training_new(&h->training, h->config, h->data, byte(in) % 2 ? h->split : NULL, error), error);
    }
    check(l2r_training_set_learning_rate(h->training, byte(in) % 4 ? 0.01 : (double)real(in), error), error);
    check(l2r_training_step(&loss, h->training, error), error);
    check(l2r_training_parameter(&p, h->training, (size_t)number(in), error), error);
    check(l2r_training_find(&p, h->training, text(in), error), error);
    float weights[LOOP_GRAPHS];
    if (l2r_dataset_n_graphs(h->data) <= LOOP_GRAPHS)
        check(l2r_training_weights(byte(in) % 8 ? weights : NULL, h->training, error), error);
    l2r_predictor_free(h->predictor);
    h->predictor = NULL;
    check(l2r_training_predictor(&h->predictor, h->training, error), error);
}

/* [LOOP_GRAPHS] weights of graphs, of which one may be odd. */
static inline const float *some_weights(struct input *in)
{
    static float weights[LOOP_GRAPHS];
    for (int i = 0; i < LOOP_GRAPHS; i++) weights[i] = (float)(i % 3);
    if (byte(in) % 4 == 0) weights[byte(in) % 8] = real(in);
    return byte(in) % 8 ? weights : NULL;
}

/* Some of the two halves of a step, in any order. */
static inline void half_steps(struct l2r_training *t, struct input *in, struct l2r_error *error)
{
    static float d_z[LOOP_NUMBERS];
    struct l2r_forward f = {.size = size_of(in, sizeof f)};
    double loss;
    int64_t n;
    const int64_t *graphs;
    check(l2r_training_next(byte(in) % 16 ? &graphs : NULL, &n, t, error), error);
    check(l2r_training_forward(byte(in) % 16 ? &f : NULL, t, error), error);
    f.size = sizeof f;
    if (l2r_training_forward(&f, t, error) != L2R_OK) f.n = 0;
    *error = (struct l2r_error){0};
    if (f.n > LOOP_GRAPHS || f.n * f.width > LOOP_NUMBERS) return;
    for (int64_t i = 0; i < f.n * f.width; i++) d_z[i] = f.z[i];
    d_z[byte(in)] = byte(in) % 4 ? 0 : real(in);
    if (byte(in) % 8 == 0) return; /* the other half is left for another call */
    check(l2r_training_backward(&loss, t, byte(in) % 2 ? some_weights(in) : NULL, byte(in) % 2 ? d_z : NULL, error),
          error);
}

static inline void choose(struct l2r_training *t, struct input *in, struct l2r_error *error)
{
    double score;
    bool is_best;
    struct l2r_evaluation *scores = NULL;
    check(l2r_training_validate(byte(in) % 2 ? &score : NULL, byte(in) % 2 ? &is_best : NULL, t, error), error);
    if (byte(in) % 2) check(l2r_training_keep(t, (double)real(in), error), error);
    if (byte(in) % 2) check(l2r_training_restore(t, error), error);
    check(l2r_training_evaluate(&scores, t, mostly(in, byte(in) % 5), error), error);
    l2r_evaluation_free(scores);
    (void)l2r_training_best_epoch(t);
    (void)l2r_training_best_score(t);
}

/* The training as bytes or as a file, mostly whole, and back. */
static inline void resume(struct handles *h, const char *path, struct input *in, struct l2r_error *error)
{
    struct l2r_training *again = NULL;
    void *bytes = NULL;
    size_t n = 0;
    check(l2r_training_to_bytes(byte(in) % 16 ? &bytes : NULL, &n, h->training, error), error);
    if (n > 0 && byte(in) % 4 == 0) ((uint8_t *)bytes)[(size_t)byte(in) * n / 256] ^= (uint8_t)(1 + byte(in) % 255);
    check(l2r_training_from_bytes(&again, bytes, n, h->data, byte(in) % 2 ? h->split : NULL, error), error);
    l2r_free(bytes);
    if (!again && byte(in) % 4 == 0) {
        check(l2r_training_save(h->training, path, error), error);
        check(l2r_training_open(&again, byte(in) % 8 ? path : text(in), h->data, h->split, error), error);
    }
    if (!again) return;
    l2r_training_free(h->training);
    h->training = again;
}

static inline void loop(struct handles *h, const char *path, struct input *in, struct l2r_error *error)
{
    struct l2r_training *t = h->training;
    double loss;
    char *json = NULL;
    bool taken;
    if (!t || byte(in) % 8 == 0) learn(h, in, error);
    t = h->training;
    (void)l2r_training_n_batches(t);
    (void)l2r_training_n_epochs(t);
    (void)l2r_training_is_over(t);
    (void)l2r_training_learning_rate(t);
    (void)l2r_training_n_parameters(t);
    if (l2r_dataset_n_graphs(h->data) > LOOP_GRAPHS) return;
    switch (byte(in) % 8) {
    case 0:
    case 1:
        half_steps(t, in, error);
        break;
    case 2:
        check(l2r_training_set_weights(t, some_weights(in), error), error);
        half_steps(t, in, error);
        break;
    case 3:
        check(l2r_training_epoch(byte(in) % 2 ? &loss : NULL, t, error), error);
        check(l2r_training_history_json(byte(in) % 8 ? &json : NULL, t, error), error);
        break;
    case 4:
    case 5:
        choose(t, in, error);
        break;
    case 6:
        check(l2r_training_fit_head(&taken, byte(in) % 2 ? &json : NULL, t, some_weights(in), error), error);
        break;
    default:
        resume(h, path, in, error);
    }
    l2r_free(json);
}

#endif
