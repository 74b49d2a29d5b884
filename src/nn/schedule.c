/* SPDX-License-Identifier: MIT
 * See schedule.h. */
#include "nn/schedule.h"

#include "base/json.h"

#include <math.h>
#include <string.h>

const struct l2r_option l2r_schedule_options[] = {{.name = "lr-schedule",
                                                   .kind = L2R_OPTION_CHOICE,
                                                   .choices = l2r_schedule_choices,
                                                   .fallback = "constant",
                                                   .group = "Schedule",
                                                   .help = "learning-rate schedule"},
                                                  {.name = "lr-warmup-epochs",
                                                   .kind = L2R_OPTION_INT,
                                                   .fallback = "0",
                                                   .min = 0,
                                                   .max = 1e6,
                                                   .help = "epochs of linear warm-up"},
                                                  {.name = "lr-step-epochs",
                                                   .kind = L2R_OPTION_INT,
                                                   .fallback = "30",
                                                   .min = 1,
                                                   .max = 1e6,
                                                   .help = "step: epochs between decays"},
                                                  {.name = "lr-gamma",
                                                   .kind = L2R_OPTION_REAL,
                                                   .fallback = "0.5",
                                                   .min = 1e-6,
                                                   .max = 0.999999,
                                                   .help = "step and plateau: decay factor"},
                                                  {.name = "lr-min",
                                                   .kind = L2R_OPTION_REAL,
                                                   .fallback = "0",
                                                   .min = 0,
                                                   .max = 1e3,
                                                   .help = "cosine and plateau: minimum learning rate"},
                                                  {.name = "lr-patience",
                                                   .kind = L2R_OPTION_INT,
                                                   .fallback = "10",
                                                   .min = 0,
                                                   .max = 1e6,
                                                   .help = "plateau: epochs without improvement before a decay"},
                                                  {0}};

static const struct l2r_schedule_type *find_type(const char *name)
{
    for (size_t i = 0; l2r_schedules[i]; i++)
        if (strcmp(l2r_schedules[i]->name, name) == 0) return l2r_schedules[i];
    return NULL;
}

enum l2r_status l2r_schedule_init(struct l2r_schedule *s, const char *name, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    s->type = find_type(name);
    if (!s->type)
        L2R_FAIL(L2R_ERR_ARGUMENT, "learning-rate schedule \"%s\" is unknown; choose one of %s", name,
                 l2r_schedule_choices);
    s->current = s->lr;
    s->best = s->higher_is_better ? (double)-INFINITY : (double)INFINITY;
    s->bad_epochs = 0;
    if (!(s->lr > 0) || !isfinite(s->lr))
        L2R_FAIL(L2R_ERR_ARGUMENT, "learning rate %g: expected a number above 0", s->lr);
    if (s->warmup_epochs < 0)
        L2R_FAIL(L2R_ERR_ARGUMENT, "%lld warm-up epochs: expected 0 or more", (long long)s->warmup_epochs);
    if (s->type->check) L2R_TRY(s->type->check(s, error));
done:
    return status;
}

enum l2r_status l2r_schedule_start(struct l2r_schedule *s, const struct l2r_config *config, int64_t epochs,
                                   bool higher_is_better, struct l2r_error *error)
{
    const char *name = l2r_config_text(config, "lr-schedule");
    const struct l2r_schedule_type *type = find_type(name);
    *s = (struct l2r_schedule){.lr = l2r_config_real(config, "lr"),
                               .epochs = epochs,
                               .warmup_epochs = l2r_config_int(config, "lr-warmup-epochs"),
                               .step_epochs = l2r_config_int(config, "lr-step-epochs"),
                               .gamma = l2r_config_real(config, "lr-gamma"),
                               .lr_min = l2r_config_real(config, "lr-min"),
                               .patience = l2r_config_int(config, "lr-patience"),
                               .higher_is_better = higher_is_better};
    if (type && type->configure) type->configure(s, config);
    return l2r_schedule_init(s, name, error);
}

double l2r_schedule_rate(const struct l2r_schedule *s, int64_t epoch)
{
    if (epoch < s->warmup_epochs) return s->lr * (double)(epoch + 1) / (double)(s->warmup_epochs + 1);
    return s->type->rate(s, epoch - s->warmup_epochs, s->epochs - s->warmup_epochs);
}

void l2r_schedule_observe(struct l2r_schedule *s, int64_t epoch, double metric)
{
    if (s->type->observe && epoch >= s->warmup_epochs) s->type->observe(s, metric);
}

json_t *l2r_schedule_to_json(const struct l2r_schedule *s)
{
    if (!s->type->observe) return json_pack("{s:s}", "kind", s->type->name);
    return json_pack("{s:s, s:f, s:o, s:I}", "kind", s->type->name, "lr", s->current, "best", l2r_json_real(s->best),
                     "bad_epochs", (json_int_t)s->bad_epochs);
}

enum l2r_status l2r_schedule_from_json(struct l2r_schedule *s, const json_t *state, const char *where,
                                       struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const char *name = json_string_value(json_object_get(state, "kind"));
    if (!name || strcmp(name, s->type->name) != 0)
        L2R_FAIL(L2R_ERR_FORMAT, "%s: the state of a %s learning-rate schedule was expected, found \"%s\"", where,
                 s->type->name, name ? name : "nothing");
    if (!s->type->observe) goto done;
    const json_t *lr = json_object_get(state, "lr"), *best = json_object_get(state, "best");
    const json_t *bad = json_object_get(state, "bad_epochs");
    if (!json_is_number(lr) || !(json_number_value(lr) > 0))
        L2R_FAIL(L2R_ERR_FORMAT, "%s: \"lr\" of the learning-rate schedule is not a number above 0", where);
    if (!json_is_number(best) && !json_is_null(best))
        L2R_FAIL(L2R_ERR_FORMAT, "%s: \"best\" of the learning-rate schedule is neither a number nor null", where);
    if (!json_is_integer(bad) || json_integer_value(bad) < 0 || json_integer_value(bad) > INT32_MAX)
        L2R_FAIL(L2R_ERR_FORMAT, "%s: \"bad_epochs\" of the learning-rate schedule is not a count", where);
    s->current = json_number_value(lr);
    if (json_is_number(best)) s->best = json_number_value(best);
    s->bad_epochs = json_integer_value(bad);
done:
    return status;
}
