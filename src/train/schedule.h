/* SPDX-License-Identifier: MIT
 *
 * Schedules: the learning rate of each epoch. With e counted from the end of the warm-up, out of E epochs:
 *
 *     constant   lr
 *     step       lr gamma^(e div step_epochs)
 *     cosine     lr_min + (lr - lr_min) (1 + cos(pi e / E)) / 2
 *     plateau    lr, times gamma whenever the validation metric has not improved (by 0.01 %) for more than `patience` epochs,
 *                never below lr_min
 *
 *     rate
 *       |   /‾‾‾‾\_            warm-up: epoch t < warmup_epochs has lr (t+1) / (warmup_epochs+1); the schedule proper
 *       |  /       \__         starts after it
 *       | /           \___
 *       +-----------------> epoch
 *
 * These are PyTorch's StepLR, CosineAnnealingLR, ReduceLROnPlateau and LinearLR. Only the plateau has state.
 */
#ifndef L2R_TRAIN_SCHEDULE_H
#define L2R_TRAIN_SCHEDULE_H

#include "base/status.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

enum l2r_schedule_kind { L2R_SCHEDULE_CONSTANT, L2R_SCHEDULE_STEP, L2R_SCHEDULE_COSINE, L2R_SCHEDULE_PLATEAU };

struct l2r_schedule {
    enum l2r_schedule_kind kind;
    double lr;             /* > 0: the rate at full height */
    int64_t epochs;        /* of the whole run, warm-up included; cosine ends there */
    int64_t warmup_epochs; /* 0: none */
    int64_t step_epochs;   /* step: >= 1 */
    double gamma;          /* step, plateau: factor in (0, 1) */
    double lr_min;         /* cosine, plateau: >= 0 */
    int64_t patience;      /* plateau: >= 0 */
    bool higher_is_better; /* plateau: of the metric */

    double plateau_lr;  /* state: the rate in force */
    double best;        /* state: best metric so far; infinite at first */
    int64_t bad_epochs; /* state: epochs since the best */
};

/* "constant|step|cosine|plateau": the choices of --lr-schedule. */
extern const char *const l2r_schedule_choices;
const char *l2r_schedule_name(enum l2r_schedule_kind kind);

/* The caller fills the settings (down to higher_is_better); init takes the kind by name, checks and starts the state. */
enum l2r_status l2r_schedule_init(struct l2r_schedule *schedule, const char *kind, struct l2r_error *error);

/* The rate of epoch 0, 1, … */
double l2r_schedule_rate(const struct l2r_schedule *schedule, int64_t epoch);

/* After each epoch: the validation metric. Epochs of the warm-up do not count; NaN counts as no improvement. */
void l2r_schedule_observe(struct l2r_schedule *schedule, int64_t epoch, double metric);

/* The state, for checkpoints: {"kind": "plateau", "lr": 0.001, "best": 0.75, "bad_epochs": 3}. New reference; NULL
 * when out of memory. Settings are not part of it: they come from the run's config. */
json_t *l2r_schedule_to_json(const struct l2r_schedule *schedule);
/* Into a schedule that init has started; `where` names the file in errors. */
enum l2r_status l2r_schedule_from_json(struct l2r_schedule *schedule, const json_t *state, const char *where,
                                       struct l2r_error *error);

#endif
