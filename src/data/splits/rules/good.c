/* SPDX-License-Identifier: MIT
 *
 * good: the five parts of the benchmark GOOD (Gui et al. 2022), as it cuts GOOD-HIV from ogbg-molhiv. Graphs are sorted
 * by domain, their scaffold (as text, without stereochemistry) or their number of nodes.
 *
 *     covariate   the first 80 % train, the next 10 % are valid, the rest is test; a border moves up to where the next
 *                 domain begins. Sizes run downwards: large graphs train. id-valid and id-test are 10 % + 10 % of all
 *                 graphs, drawn from train.
 *     concept     in the lower half of the domains positives go with training, in the upper half negatives; test is the
 *                 other way round. Five rounds over all graphs that are left: a graph that agrees with its half is
 *                 taken at rate bias, one that does not at 1 - bias, and of these a share is picked:
 *
 *                     round      1 train   2 test   3 train   4 train   5 valid
 *                     bias        .95       .95       .9        .85     all that is left
 *                     picked      .3        .5        .6       1
 *
 *                 A domain of both classes of which only one came in gives one graph of the other. id-valid and id-test
 *                 are 15 % + 15 % of train.
 *
 * Environments, as in GOOD: under covariate shift ten of like size, stretches of the sorted training graphs that end
 * where a domain does; under concept shift the three rounds that train. Graphs that only validate or test are
 * environments of their own.
 *
 * Random numbers come from --split-seed; the published parts, drawn by another generator, have the same sizes under
 * covariate shift and nearly the same under concept shift. */
#include "base/memory.h"
#include "base/rng.h"
#include "base/threads.h"
#include "chem/molecule.h"
#include "data/environments.h"
#include "data/splits/rule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 5, CHUNK = 64, COVARIATE_ENVIRONMENTS = 10 };

struct sorted {
    int64_t n;
    int32_t *order;  /* [n]: graphs, domain by domain */
    int32_t *domain; /* [n]: of each graph, numbered in that order */
};

/* ---- domains ---- */

struct scaffolds {
    const struct l2r_dataset *data;
    int32_t n;
    int64_t *graph; /* [n]: one that has it */
    char **text;    /* [n] */
};

/* GOOD's scaffolds know no stereochemistry. */
static char *without_stereo(const char *smiles)
{
    char *copy = l2r_strdup(smiles), *to = copy;
    for (const char *c = smiles; copy && *c; c++)
        if (!strchr("@/\\", *c)) *to++ = *c;
    if (copy) *to = '\0';
    return copy;
}

/* The data set has only numbers: the scaffold's structure comes from one of its molecules. */
static void find_texts(void *context, int64_t chunk)
{
    struct scaffolds *s = context;
    for (int64_t k = chunk * CHUNK; k < (chunk + 1) * CHUNK && k < s->n; k++) {
        struct l2r_molecule_graph molecule = {0};
        char *smiles = without_stereo(s->data->smiles + s->data->smiles_start[s->graph[k]]);
        if (smiles && l2r_molecule_features(&molecule, smiles, true, NULL) == L2R_OK)
            s->text[k] = l2r_strdup(molecule.scaffold);
        l2r_free(smiles);
        l2r_molecule_graph_clear(&molecule);
    }
}

static int by_text(const void *a, const void *b)
{
    return strcmp(**(char **const *)a, **(char **const *)b);
}

/* place[k]: where scaffold k comes in the order of their texts; equal texts have one place. */
static enum l2r_status rank_scaffolds(int64_t **place, const struct l2r_dataset *data, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct scaffolds s = {.data = data};
    char ***sorted = NULL;
    for (int64_t g = 0; g < data->n_graphs; g++)
        if (data->scaffold[g] >= s.n) s.n = data->scaffold[g] + 1;
    s.graph = l2r_alloc((size_t)s.n, sizeof *s.graph);
    s.text = l2r_alloc((size_t)s.n, sizeof *s.text);
    sorted = l2r_alloc((size_t)s.n, sizeof *sorted);
    *place = l2r_alloc((size_t)s.n, sizeof **place);
    if (!s.graph || !s.text || !sorted || !*place) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: a split");
    for (int64_t g = data->n_graphs - 1; g >= 0; g--) s.graph[data->scaffold[g]] = g;
    l2r_parallel(l2r_chunk_count(s.n, CHUNK), find_texts, &s);
    for (int32_t k = 0; k < s.n; k++) {
        if (!s.text[k]) L2R_FAIL(L2R_ERR_MEMORY, "a scaffold of data set \"%s\" cannot be made again", data->name);
        sorted[k] = &s.text[k];
    }
    qsort((void *)sorted, (size_t)s.n, sizeof *sorted, by_text);
    for (int32_t k = 0, at = 0; k < s.n; k++) {
        at += k > 0 && strcmp(*sorted[k], *sorted[k - 1]) != 0;
        (*place)[sorted[k] - s.text] = at;
    }
done:
    for (int32_t k = 0; s.text && k < s.n; k++) l2r_free(s.text[k]);
    l2r_free(s.graph);
    l2r_free((void *)s.text);
    l2r_free((void *)sorted);
    return status;
}

struct keyed {
    int64_t key;
    int32_t graph;
};

static int by_key(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return x->graph - y->graph;
}

static enum l2r_status sort_graphs(struct sorted *sorted, const struct l2r_splitting *s, bool size,
                                   struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_dataset *data = s->data;
    int64_t *place = NULL;
    struct keyed *keys = l2r_alloc((size_t)data->n_graphs, sizeof *keys);
    sorted->n = data->n_graphs;
    sorted->order = l2r_alloc((size_t)data->n_graphs, sizeof *sorted->order);
    sorted->domain = l2r_alloc((size_t)data->n_graphs, sizeof *sorted->domain);
    if (!keys || !sorted->order || !sorted->domain) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: a split");
    if (!size) {
        L2R_TRY(l2r_split_need_scaffolds(s, error));
        L2R_TRY(rank_scaffolds(&place, data, error));
    }
    for (int64_t g = 0; g < data->n_graphs; g++)
        keys[g] = (struct keyed){size ? l2r_dataset_nodes_of(data, g) : place[data->scaffold[g]], (int32_t)g};
    qsort(keys, (size_t)data->n_graphs, sizeof *keys, by_key);
    for (int64_t i = 0, domain = -1; i < data->n_graphs; i++) {
        domain += i == 0 || keys[i].key != keys[i - 1].key;
        sorted->order[i] = keys[i].graph;
        sorted->domain[keys[i].graph] = (int32_t)domain;
    }
done:
    l2r_free(keys);
    l2r_free(place);
    return status;
}

/* ---- parts ---- */

/* `held` graphs each of the training graphs become id-valid and id-test. */
static enum l2r_status hold_out(const struct l2r_splitting *s, int64_t held, struct l2r_rng *rng,
                                struct l2r_error *error)
{
    int64_t n = 0;
    int32_t *train = l2r_alloc((size_t)s->data->n_graphs, sizeof *train);
    if (!train) return l2r_fail_memory(error, (size_t)s->data->n_graphs * sizeof *train, "a split");
    for (int64_t g = 0; g < s->data->n_graphs; g++)
        if (s->part[g] == L2R_PART_TRAIN) train[n++] = (int32_t)g;
    l2r_rng_shuffle(rng, train, (size_t)n);
    for (int64_t i = 0; i < held && n - 1 - i >= 0; i++) s->part[train[n - 1 - i]] = L2R_PART_ID_TEST;
    for (int64_t i = held; i < 2 * held && n - 1 - i >= 0; i++) s->part[train[n - 1 - i]] = L2R_PART_ID_VALID;
    l2r_free(train);
    return L2R_OK;
}

static void cut_covariate(const struct l2r_splitting *s, const struct sorted *sorted, bool downwards)
{
    const int64_t border[2] = {(int64_t)((double)sorted->n * 0.8), (int64_t)((double)sorted->n * 0.9)};
    int32_t before = -1;
    int part = L2R_PART_TRAIN;
    for (int64_t i = 0; i < sorted->n; i++) {
        int32_t graph = sorted->order[downwards ? sorted->n - 1 - i : i];
        if (part < L2R_PART_TEST && i >= border[part] && sorted->domain[graph] != before) part++;
        before = sorted->domain[graph];
        s->part[graph] = (uint8_t)part;
    }
}

/* The graphs of train in their order, before some are held out: a new environment every tenth, where a domain
 * begins. */
static enum l2r_status name_covariate(const struct l2r_splitting *s, const struct sorted *sorted, bool downwards,
                                      struct l2r_error *error)
{
    static const char *const names[] = {"train 0", "train 1", "train 2", "train 3", "train 4", "train 5",
                                        "train 6", "train 7", "train 8", "train 9", "valid",   "test"};
    enum l2r_status status = L2R_OK;
    int64_t n_train = 0, seen = 0;
    int32_t before = -1, k = -1;
    L2R_TRY(l2r_environments_name_all(s->environments, "split", names, COVARIATE_ENVIRONMENTS + 2, sorted->n, error));
    for (int64_t g = 0; g < sorted->n; g++) n_train += s->part[g] == L2R_PART_TRAIN;
    for (int64_t i = 0; i < sorted->n; i++) {
        int32_t graph = sorted->order[downwards ? sorted->n - 1 - i : i];
        if (s->part[graph] != L2R_PART_TRAIN) {
            s->environments->of_graph[graph] = COVARIATE_ENVIRONMENTS + (s->part[graph] == L2R_PART_TEST);
            continue;
        }
        bool full = seen >= (k + 1) * (n_train / COVARIATE_ENVIRONMENTS);
        if (k + 1 < COVARIATE_ENVIRONMENTS && full && sorted->domain[graph] != before) k++;
        before = sorted->domain[graph];
        s->environments->of_graph[graph] = k;
        seen++;
    }
done:
    return status;
}

static const double bias[ROUNDS] = {0.95, 0.95, 0.9, 0.85, 0.5}, picked[ROUNDS] = {0.3, 0.5, 0.6, 1, 1};
static const uint8_t part_of_round[ROUNDS] = {L2R_PART_TRAIN, L2R_PART_TEST, L2R_PART_TRAIN, L2R_PART_TRAIN,
                                              L2R_PART_VALID};
static const int32_t environment_of_round[ROUNDS] = {0, 3, 1, 2, 4};
static const char *const round_names[ROUNDS] = {"train, bias 0.95", "train, bias 0.9", "train, bias 0.85", "test",
                                                "valid"};

static void take(const struct l2r_splitting *s, int32_t graph, int round)
{
    s->part[graph] = part_of_round[round];
    s->environments->of_graph[graph] = environment_of_round[round];
}

/* One domain, order[begin .. end), in one round: agreeing graphs and the others, the graphs taken and the candidates
 * left. */
static void take_domain(const struct l2r_splitting *s, const struct sorted *sorted, int64_t begin, int64_t end,
                        int round, bool positives_agree, double mean, struct l2r_rng *rng)
{
    bool occurs[2] = {false}, taken[2] = {false};
    int32_t candidate[2] = {-1, -1};
    for (int64_t i = begin; i < end; i++) {
        int32_t graph = sorted->order[i];
        if (s->part[graph] != L2R_PART_NONE) continue;
        double pick = l2r_rng_uniform(rng), chance = l2r_rng_uniform(rng);
        double label = l2r_dataset_label_class(s->data, graph) > 0;
        int disagrees = !(positives_agree ? label > mean : label < mean);
        bool fits = disagrees ? chance > bias[round] : chance < bias[round];
        occurs[disagrees] = true;
        if (fits && pick < picked[round]) {
            taken[disagrees] = true;
            take(s, graph, round);
        } else {
            candidate[disagrees] = graph;
        }
    }
    if (!occurs[0] || !occurs[1] || taken[0] == taken[1]) return;
    int missing = taken[0] ? 1 : 0;
    if (candidate[missing] >= 0) take(s, candidate[missing], round);
}

static void cut_concept(const struct l2r_splitting *s, const struct sorted *sorted, struct l2r_rng *rng)
{
    double mean = 0;
    memset(s->part, L2R_PART_NONE, (size_t)sorted->n);
    for (int64_t g = 0; g < sorted->n; g++)
        mean += (double)(l2r_dataset_label_class(s->data, g) > 0) / (double)sorted->n;
    for (int round = 0; round + 1 < ROUNDS; round++) {
        for (int64_t begin = 0, end; begin < sorted->n; begin = end) {
            int32_t domain = sorted->domain[sorted->order[begin]];
            for (end = begin; end < sorted->n && sorted->domain[sorted->order[end]] == domain;) end++;
            bool lower = (double)begin < (double)sorted->n / 2, train = part_of_round[round] == L2R_PART_TRAIN;
            take_domain(s, sorted, begin, end, round, lower == train, mean, rng);
        }
    }
    for (int64_t g = 0; g < sorted->n; g++)
        if (s->part[g] == L2R_PART_NONE) take(s, (int32_t)g, ROUNDS - 1);
}

static enum l2r_status split(struct l2r_splitting *s, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct sorted sorted = {0};
    struct l2r_rng rng = l2r_rng_at(s->seed, L2R_RANDOM_SPLIT, 0);
    bool size = l2r_config_is(s->config, "good-domain", "size");
    bool concept = l2r_config_is(s->config, "good-shift", "concept");
    int64_t n_train = 0;
    if (concept && l2r_dataset_label_classes(s->data) != 2)
        L2R_FAIL(L2R_ERR_ARGUMENT, "`good-shift=concept` needs two classes; data set \"%s\" has another task",
                 s->data->name);
    L2R_TRY(sort_graphs(&sorted, s, size, error));
    if (concept) {
        L2R_TRY(l2r_environments_name_all(s->environments, "split", round_names, ROUNDS, sorted.n, error));
        cut_concept(s, &sorted, &rng);
    } else {
        cut_covariate(s, &sorted, size);
        L2R_TRY(name_covariate(s, &sorted, size, error));
    }
    for (int64_t g = 0; g < sorted.n; g++) n_train += s->part[g] == L2R_PART_TRAIN;
    int64_t held = (int64_t)(concept ? (double)n_train * 0.15 : (double)sorted.n * 0.1);
    L2R_TRY(hold_out(s, held, &rng, error));
done:
    l2r_free(sorted.order);
    l2r_free(sorted.domain);
    return status;
}

static const struct l2r_option options[] = {
    {.name = "good-domain",
     .kind = L2R_OPTION_CHOICE,
     .choices = "scaffold|size",
     .fallback = "scaffold",
     .help = "good split: what the parts differ in"},
    {.name = "good-shift",
     .kind = L2R_OPTION_CHOICE,
     .choices = "covariate|concept",
     .fallback = "covariate",
     .help = "good split: covariate: other domains in valid and test; concept: labels that go with other domains"},
    {0}};

const struct l2r_split_rule l2r_split_rule_good = {
    .name = "good",
    .help = "GOOD's five parts by scaffold (tables of SMILES) or size, under covariate or concept shift",
    .options = options,
    .when_empty = ": too few graphs",
    .split = split};
