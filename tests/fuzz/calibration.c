/* SPDX-License-Identifier: MIT
 *
 * Any JSON as what a model file says of calibration (model/calibration.h): refused, or it maps outputs without turning
 * their order around or making one up where there is none, gives intervals that are no narrower for more coverage, and
 * is the same when written and read again. The first byte chooses the task and its outputs.
 */
#include "model/calibration.h"
#include "base/json.h"
#include "refusal.h"

#include <math.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { OUTPUTS = 4, STEPS = 7 };
static const float logits[STEPS] = {-1e30F, -40, -1, 0, 0.5F, 60, 1e30F};

/* Every logit in turn, the other outputs being 0. */
static void apply(float out[STEPS][OUTPUTS], const struct l2r_calibration *c, enum l2r_task task, int32_t n)
{
    for (int i = 0; i < STEPS; i++) {
        for (int32_t k = 0; k < n; k++) out[i][k] = k == 0 ? logits[i] : 0;
        l2r_calibration_apply(out[i], c, task, 1, n);
    }
}

static void use(const struct l2r_calibration *c, enum l2r_task task, int32_t n)
{
    float out[STEPS][OUTPUTS] = {{0}}, none[OUTPUTS] = {NAN, NAN, NAN, NAN};
    apply(out, c, task, n);
    for (int i = 0; i + 1 < STEPS; i++)
        if (out[i][0] > out[i + 1][0] && (task == L2R_TASK_BINARY || c->joint)) abort();
    l2r_calibration_apply(none, c, task, 1, n);
    for (int32_t k = 0; k < n; k++)
        if (!isnan(none[k])) abort();
    for (int32_t k = 0; k < c->n_residuals; k++)
        if (l2r_residuals_half(&c->residuals[k], 0.5) > l2r_residuals_half(&c->residuals[k], 0.9)) abort();
}

static void expect_same(struct l2r_arena *arena, const struct l2r_calibration *c, enum l2r_task task, int32_t n)
{
    const struct l2r_calibration *again = NULL;
    json_t *first = l2r_calibration_to_json(c);
    if (l2r_calibration_from_json(&again, arena, first, task, n) != L2R_OK) abort();
    json_t *second = l2r_calibration_to_json(again);
    if (!json_equal(first, second)) abort();
    json_decref(first);
    json_decref(second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct l2r_arena arena;
    const struct l2r_calibration *c = NULL;
    json_t *object = NULL;
    struct l2r_error error = {0};
    if (size == 0) return 0;
    enum l2r_task task = (enum l2r_task)(data[0] % 3);
    int32_t n = 1 + data[0] / 3 % OUTPUTS;
    l2r_arena_reset(&arena);
    if (l2r_json_parse(&object, (const char *)data + 1, size - 1, "input", &error) != L2R_OK) {
        expect_refusal(&error);
    } else if (l2r_calibration_from_json(&c, &arena, object, task, n) == L2R_OK) {
        use(c, task, n);
        expect_same(&arena, c, task, n);
    }
    json_decref(object);
    return 0;
}
