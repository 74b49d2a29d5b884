/* SPDX-License-Identifier: MIT
 *
 * See schedule.h. All but the plateau are closed formulas of the epoch, so a resumed run needs nothing for them.
 */
#include "train/schedule.h"

#include "base/json.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;
static const double threshold = 1e-4;    /* relative improvement that counts, as in ReduceLROnPlateau */
static const double smallest_cut = 1e-8; /* a smaller change of the rate is not made, likewise */

const char *const l2r_schedule_choices = "constant|step|cosine|plateau";

static const char *const names[] = {"constant", "step", "cosine", "plateau"};

const char *l2r_schedule_name(enum l2r_schedule_kind kind)
{
    return names[kind];
}

static enum l2r_status check_settings(const struct l2r_schedule *s, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    bool plateau = s->kind == L2R_SCHEDULE_PLATEAU, step = s->kind == L2R_SCHEDULE_STEP;
    if (!(s->lr > 0) || !isfinite(s->lr))
        L2R_FAIL(L2R_ERR_ARGUMENT, "learning rate %g: expected a number above 0", s->lr);
    if (s->warmup_epochs < 0)
        L2R_FAIL(L2R_ERR_ARGUMENT, "%lld warm-up epochs: expected 0 or more", (long long)s->warmup_epochs);
    if (step && s->step_epochs < 1)
        L2R_FAIL(L2R_ERR_ARGUMENT, "schedule step every %lld epochs: expected 1 or more", (long long)s->step_epochs);
    if ((step || plateau) && !(s->gamma > 0 && s->gamma < 1))
        L2R_FAIL(L2R_ERR_ARGUMENT, "schedule %s with factor %g: expected a number above 0 and below 1", names[s->kind],
                 s->gamma);
    if ((plateau || s->kind == L2R_SCHEDULE_COSINE) && !(s->lr_min >= 0 && s->lr_min <= s->lr))
        L2R_FAIL(L2R_ERR_ARGUMENT, "smallest learning rate %g: expected 0 to the learning rate %g", s->lr_min, s->lr);
    if (plateau && s->patience < 0)
        L2R_FAIL(L2R_ERR_ARGUMENT, "schedule plateau with patience %lld: expected 0 or more", (long long)s->patience);
done:
    return status;
}

enum l2r_status l2r_schedule_init(struct l2r_schedule *s, const char *kind, struct l2r_error *error)
{
    size_t k = 0, n = sizeof names / sizeof names[0];
    while (k < n && strcmp(names[k], kind) != 0) k++;
    if (k == n)
        return l2r_fail(error, L2R_ERR_ARGUMENT, "learning-rate schedule \"%s\" is unknown; choose one of %s", kind,
                        l2r_schedule_choices);
    s->kind = (enum l2r_schedule_kind)k;
    s->plateau_lr = s->lr;
    s->best = s->higher_is_better ? (double)-INFINITY : (double)INFINITY;
    s->bad_epochs = 0;
    return check_settings(s, error);
}

double l2r_schedule_rate(const struct l2r_schedule *s, int64_t epoch)
{
    if (epoch < s->warmup_epochs) return s->lr * (double)(epoch + 1) / (double)(s->warmup_epochs + 1);
    int64_t e = epoch - s->warmup_epochs, n = s->epochs - s->warmup_epochs;
    int64_t cuts = s->kind == L2R_SCHEDULE_STEP ? e / s->step_epochs : 0;
    switch (s->kind) {
    case L2R_SCHEDULE_STEP:
        return s->lr * pow(s->gamma, (double)cuts);
    case L2R_SCHEDULE_COSINE: /* stays at the bottom if the run is longer than announced */
        if (e >= n) return s->lr_min;
        return s->lr_min + (s->lr - s->lr_min) * (1 + cos(pi * (double)e / (double)n)) / 2;
    case L2R_SCHEDULE_PLATEAU:
        return s->plateau_lr;
    case L2R_SCHEDULE_CONSTANT:
        break;
    }
    return s->lr;
}

static bool improves(const struct l2r_schedule *s, double metric)
{
    if (!isfinite(s->best)) return s->higher_is_better ? metric > s->best : metric < s->best;
    return s->higher_is_better ? metric > s->best * (1 + threshold) : metric < s->best * (1 - threshold);
}

void l2r_schedule_observe(struct l2r_schedule *s, int64_t epoch, double metric)
{
    if (s->kind != L2R_SCHEDULE_PLATEAU || epoch < s->warmup_epochs) return;
    if (improves(s, metric)) {
        s->best = metric;
        s->bad_epochs = 0;
    } else {
        s->bad_epochs++;
    }
    if (s->bad_epochs <= s->patience) return;
    double lower = fmax(s->plateau_lr * s->gamma, s->lr_min);
    if (s->plateau_lr - lower > smallest_cut) s->plateau_lr = lower;
    s->bad_epochs = 0;
}

json_t *l2r_schedule_to_json(const struct l2r_schedule *s)
{
    if (s->kind != L2R_SCHEDULE_PLATEAU) return json_pack("{s:s}", "kind", names[s->kind]);
    return json_pack("{s:s, s:f, s:o, s:I}", "kind", names[s->kind], "lr", s->plateau_lr, "best",
                     l2r_json_real(s->best), "bad_epochs", (json_int_t)s->bad_epochs);
}

enum l2r_status l2r_schedule_from_json(struct l2r_schedule *s, const json_t *state, const char *where,
                                       struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const char *kind = json_string_value(json_object_get(state, "kind"));
    if (!kind || strcmp(kind, names[s->kind]) != 0)
        L2R_FAIL(L2R_ERR_FORMAT, "%s: the state of a %s learning-rate schedule was expected, found \"%s\"", where,
                 names[s->kind], kind ? kind : "nothing");
    if (s->kind != L2R_SCHEDULE_PLATEAU) goto done;
    const json_t *lr = json_object_get(state, "lr"), *best = json_object_get(state, "best");
    const json_t *bad = json_object_get(state, "bad_epochs");
    if (!json_is_number(lr) || !(json_number_value(lr) > 0))
        L2R_FAIL(L2R_ERR_FORMAT, "%s: \"lr\" of the learning-rate schedule is not a number above 0", where);
    if (!json_is_number(best) && !json_is_null(best))
        L2R_FAIL(L2R_ERR_FORMAT, "%s: \"best\" of the learning-rate schedule is neither a number nor null", where);
    if (!json_is_integer(bad) || json_integer_value(bad) < 0 || json_integer_value(bad) > INT32_MAX)
        L2R_FAIL(L2R_ERR_FORMAT, "%s: \"bad_epochs\" of the learning-rate schedule is not a count", where);
    s->plateau_lr = json_number_value(lr);
    if (json_is_number(best)) s->best = json_number_value(best);
    s->bad_epochs = json_integer_value(bad);
done:
    return status;
}
