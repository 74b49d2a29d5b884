/* SPDX-License-Identifier: MIT
 * See subject.h. */
#include "explain/subject.h"

#include "base/decimal.h"
#include "base/memory.h"
#include "nn/members.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool takes_away(enum l2r_explainer_kind kind)
{
    return kind == L2R_EXPLAINER_OCCLUSION || kind == L2R_EXPLAINER_SHAPLEY;
}

static bool fits(const struct l2r_network *voice, enum l2r_explainer_kind kind)
{
    if (takes_away(kind)) return !voice->type->reads_features;
    return kind == L2R_EXPLAINER_GATES ? voice->gates.on : !voice->type->unmaskable;
}

static enum l2r_status refuse(const struct l2r_network *network, enum l2r_explainer_kind kind, struct l2r_error *error)
{
    const struct l2r_model_type *type = network->type;
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

enum l2r_status l2r_subject_init(struct l2r_subject *subject, const struct l2r_network *network,
                                 enum l2r_explainer_kind kind, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int32_t voices = l2r_network_voices(network), n = 0;
    *subject = (struct l2r_subject){.of = network, .kind = kind};
    subject->members = l2r_alloc((size_t)voices, sizeof *subject->members);
    subject->takes_part = l2r_alloc((size_t)voices, 1);
    if (!subject->members || !subject->takes_part) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: what is explained");
    for (int32_t k = 0; k < voices && (n == 0 || takes_away(kind)); k++) {
        const struct l2r_network *voice = l2r_network_voice(network, k);
        if (!fits(voice, kind)) continue;
        subject->takes_part[k] = 1;
        if (n == 0)
            subject->network = *voice;
        else
            subject->members[n - 1] = network->members[k - 1];
        n++;
    }
    if (n == 0) {
        status = refuse(network, kind, error);
        goto done;
    }
    subject->network.members = subject->members;
    subject->network.n_members = n - 1;
    if (n < voices) subject->network.signature.calibration = NULL;
done:
    return status;
}

void l2r_subject_clear(struct l2r_subject *subject)
{
    l2r_free(subject->members);
    l2r_free(subject->takes_part);
    *subject = (struct l2r_subject){0};
}

/* ---- in words ---- */

static void add(char *out, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void add(char *out, size_t size, const char *format, ...)
{
    size_t used = strlen(out);
    va_list arguments;
    va_start(arguments, format);
    l2r_decimal_vprint(out + used, size - used, format, arguments);
    va_end(arguments);
}

/* Is voice k one of those listed: who take part, or who do not, although they read the graph, or do not read it? */
enum listed { EXPLAINED, LEFT_OUT, BLIND };

static bool belongs(const struct l2r_subject *s, int32_t k, enum listed which)
{
    bool blind = l2r_network_voice(s->of, k)->type->reads_features;
    if (s->takes_part[k]) return which == EXPLAINED;
    return which == (blind ? BLIND : LEFT_OUT);
}

/* "1 (gin) and 2 (dmpnn)"; returns their number. */
static int32_t list(char *out, size_t size, const struct l2r_subject *s, enum listed which)
{
    int32_t n = 0, told = 0;
    for (int32_t k = 0; k < l2r_network_voices(s->of); k++) n += belongs(s, k, which);
    for (int32_t k = 0; k < l2r_network_voices(s->of); k++) {
        if (!belongs(s, k, which)) continue;
        add(out, size, "%s%d (%s)",
            told == 0      ? ""
            : told + 1 < n ? ", "
                           : " and ",
            (int)k + 1, l2r_network_voice(s->of, k)->type->name);
        told++;
    }
    return n;
}

void l2r_subject_tell(char *out, size_t size, const struct l2r_subject *s)
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
    for (int32_t k = 0; k < l2r_network_voices(s->of); k++) {
        const struct l2r_model_type *type = l2r_network_voice(s->of, k)->type;
        json_t *row =
            json_pack("{s:i, s:s, s:b}", "member", (int)k + 1, "model", type->name, "explained", (int)s->takes_part[k]);
        const char *why = type->reads_features ? "reads features of the whole molecule and no atoms"
                                               : "not the network that masks are learned for";
        if (!s->takes_part[k]) json_object_set_new(row, "why", json_string(why));
        json_array_append_new(rows, row);
    }
    return rows;
}
