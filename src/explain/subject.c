/* SPDX-License-Identifier: MIT
 * See subject.h. */
#include "explain/subject.h"

#include "base/decimal.h"
#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool takes_away(enum l2r_explainer_kind kind)
{
    return kind == L2R_EXPLAINER_OCCLUSION || kind == L2R_EXPLAINER_SHAPLEY;
}

static bool fits(const struct l2r_network *member, enum l2r_explainer_kind kind)
{
    if (takes_away(kind)) return !member->type->reads_features;
    return kind == L2R_EXPLAINER_GATES ? l2r_network_copy(member)->gates.on : !member->type->unmaskable;
}

static enum l2r_status refuse(const struct l2r_committee *model, enum l2r_explainer_kind kind, struct l2r_error *error)
{
    const struct l2r_model_type *type = model->members[0]->type;
    if (kind == L2R_EXPLAINER_GATES)
        return l2r_fail(error, L2R_ERR_ARGUMENT,
                        "`explainer=gates`: the model has no gates on its edges; train with `method=gsat` for some");
    if (takes_away(kind))
        return l2r_fail(error, L2R_ERR_ARGUMENT, "%s cannot be explained by its nodes and edges: %s", type->name,
                        type->unmaskable);
    return l2r_fail(error, L2R_ERR_ARGUMENT, "%s cannot be explained by masks on edges: %s%s", type->name,
                    type->unmaskable,
                    type->reads_features ? "" : "; `explainer=occlusion` and `explainer=shapley` need no masks");
}

enum l2r_status l2r_subject_init(struct l2r_subject *subject, const struct l2r_committee *model,
                                 enum l2r_explainer_kind kind, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int32_t n = 0;
    *subject = (struct l2r_subject){.of = model, .kind = kind};
    subject->members = l2r_alloc((size_t)model->n, sizeof *subject->members);
    subject->takes_part = l2r_alloc((size_t)model->n, 1);
    if (!subject->members || !subject->takes_part) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: what is explained");
    for (int32_t k = 0; k < model->n && (n == 0 || takes_away(kind)); k++) {
        if (!fits(model->members[k], kind)) continue;
        subject->takes_part[k] = 1;
        subject->members[n++] = model->members[k];
    }
    if (n == 0) {
        status = refuse(model, kind, error);
        goto done;
    }
    subject->committee = (struct l2r_committee){subject->members, n, n == model->n ? model->calibration : NULL};
done:
    return status;
}

void l2r_subject_clear(struct l2r_subject *subject)
{
    l2r_free((void *)subject->members);
    l2r_free(subject->takes_part);
    *subject = (struct l2r_subject){0};
}

/* ---- the sentence ---- */

static void add(char *out, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void add(char *out, size_t size, const char *format, ...)
{
    size_t used = strlen(out);
    va_list arguments;
    va_start(arguments, format);
    l2r_decimal_vprint(out + used, size - used, format, arguments);
    va_end(arguments);
}

/* Is member k in the list of members explained, of those that read the graph but are left out, or of those that do not
 * read it? */
enum listed { EXPLAINED, LEFT_OUT, BLIND };

static bool belongs(const struct l2r_subject *s, int32_t k, enum listed which)
{
    bool blind = s->of->members[k]->type->reads_features;
    if (s->takes_part[k]) return which == EXPLAINED;
    return which == (blind ? BLIND : LEFT_OUT);
}

/* "1 (gin) and 2 (dmpnn)"; returns their number. */
static int32_t list(char *out, size_t size, const struct l2r_subject *s, enum listed which)
{
    int32_t n = 0, listed = 0;
    for (int32_t k = 0; k < s->of->n; k++) n += belongs(s, k, which);
    for (int32_t k = 0; k < s->of->n; k++) {
        if (!belongs(s, k, which)) continue;
        add(out, size, "%s%d (%s)",
            listed == 0      ? ""
            : listed + 1 < n ? ", "
                             : " and ",
            (int)k + 1, s->of->members[k]->type->name);
        listed++;
    }
    return n;
}

void l2r_subject_describe(char *out, size_t size, const struct l2r_subject *s)
{
    char explained[400] = "", left[400] = "", blind[400] = "";
    int32_t n = list(explained, sizeof explained, s, EXPLAINED), n_left = list(left, sizeof left, s, LEFT_OUT),
            n_blind = list(blind, sizeof blind, s, BLIND);
    out[0] = '\0';
    if (n_left + n_blind == 0) return;
    add(out, size,
        n > 1 ? "explained: the mean of members %s of the committee" : "explained: member %s of the committee alone",
        explained);
    if (n_left > 0)
        add(out, size, "; not %s, because %s one network", left,
            s->kind == L2R_EXPLAINER_GATES ? "gates are those of" : "masks are learned for");
    if (n_blind > 0)
        add(out, size, "; not %s, which read%s features of the whole molecule and no atoms", blind,
            n_blind > 1 ? "" : "s");
}

json_t *l2r_subject_to_json(const struct l2r_subject *s)
{
    json_t *rows = json_array();
    for (int32_t k = 0; k < s->of->n; k++) {
        const struct l2r_model_type *type = s->of->members[k]->type;
        json_t *row =
            json_pack("{s:i, s:s, s:b}", "member", (int)k + 1, "model", type->name, "explained", (int)s->takes_part[k]);
        const char *why = type->reads_features ? "reads features of the whole molecule and no atoms"
                                               : "not the network that masks are learned for";
        if (!s->takes_part[k]) json_object_set_new(row, "why", json_string(why));
        json_array_append_new(rows, row);
    }
    return rows;
}
