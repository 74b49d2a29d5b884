/* SPDX-License-Identifier: MIT
 *
 * A learning-rate schedule: src/fit/schedules/NAME.c defines one `const struct l2r_schedule_type l2r_schedule_NAME`,
 * and `--lr-schedule NAME` and `l2r list schedules` follow.
 *
 *     rate
 *       |   /‾‾‾‾\_            warm-up: epoch t < warmup_epochs has lr (t+1) / (warmup_epochs+1); the schedule proper
 *       |  /       \__         starts after it and counts its epochs e = 0, 1, … from there
 *       | /           \___
 *       +-----------------> epoch
 *
 * The warm-up is the same for all. A schedule is a formula of the epoch, unless it has `observe`: then it follows the
 * validation metric, and its state (rate, best, bad_epochs) goes into checkpoints.
 */
#ifndef L2R_NN_SCHEDULE_H
#define L2R_NN_SCHEDULE_H

#include "base/config.h"
#include "base/status.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct l2r_schedule;

struct l2r_schedule_type {
    const char *name; /* as typed: "cosine" */
    const char *title;
    const struct l2r_option *options; /* its own, beside l2r_schedule_options; ends with a zero row; NULL: none */
    /* Reads its own options; NULL: it has none. */
    void (*configure)(struct l2r_schedule *schedule, const struct l2r_config *config);
    /* Are the settings possible? NULL: all are. */
    enum l2r_status (*check)(const struct l2r_schedule *schedule, struct l2r_error *error);
    /* The rate of epoch e of n, both counted from the end of the warm-up; e may exceed n. */
    double (*rate)(const struct l2r_schedule *schedule, int64_t e, int64_t n);
    /* After an epoch; NaN: there is no metric. NULL: a closed formula without state. */
    void (*observe)(struct l2r_schedule *schedule, double metric);
};

extern const struct l2r_schedule_type *const l2r_schedules[]; /* NULL at the end */
extern const char l2r_schedule_choices[];                     /* "constant|step|…" */

/* --lr-schedule and the settings that several schedules understand; ends with a zero row. */
extern const struct l2r_option l2r_schedule_options[];

struct l2r_schedule {
    const struct l2r_schedule_type *type;
    double lr;             /* > 0: the rate at full height */
    int64_t epochs;        /* of the whole run, warm-up included */
    int64_t warmup_epochs; /* 0: none */
    int64_t step_epochs;   /* epochs between cuts, >= 1 */
    double gamma;          /* factor of a cut, in (0, 1) */
    double lr_min;         /* lowest rate, >= 0 */
    double final;          /* exponential: the last rate, as a part of lr */
    int64_t patience;      /* epochs without improvement before a cut, >= 0 */
    double own[4];         /* free for the type's own settings */
    bool higher_is_better; /* of the metric */

    double current;     /* state: the rate in force */
    double best;        /* state: best metric so far; infinite at first */
    int64_t bad_epochs; /* state: epochs since the best */
};

/* The caller fills the settings (down to higher_is_better); init takes the type by name, checks and starts the
 * state. */
enum l2r_status l2r_schedule_init(struct l2r_schedule *schedule, const char *name, struct l2r_error *error);
/* The same with --lr, l2r_schedule_options and the type's own options. */
enum l2r_status l2r_schedule_start(struct l2r_schedule *schedule, const struct l2r_config *config, int64_t epochs,
                                   bool higher_is_better, struct l2r_error *error);

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
