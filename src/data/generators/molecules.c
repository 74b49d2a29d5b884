/* SPDX-License-Identifier: MIT
 *
 * Molecule-like graphs for measurements: nothing to learn, but the shapes and repetitions of drug molecules.
 *
 *     grow until the size is reached:   a ring of 5 or 6 atoms, aromatic or not, fused to a bond or hung on an atom
 *                                       a chain of 1 to 4 atoms                       hung on an atom
 *
 * Atoms have a valence; what bonds leave free is hydrogen. The nine atom and three bond features of OGB follow from
 * element, bonds and hydrogens, so a few dozen kinds of atoms make up almost everything, as in real sets, and many
 * atoms have equal surroundings. On average 25 atoms and 27 bonds, no atom with more than four neighbours. Labels are
 * coin tosses.
 *
 * Graph g is a function of (seed, g): a larger set starts with the smaller one. Not chemistry: no charges, no stereo,
 * rings of two sizes.
 */
#include "base/memory.h"
#include "base/rng.h"
#include "data/builder.h"
#include "data/reader.h"

#include <math.h>

enum { MOST_ATOMS = 128, MOST_BONDS = 2 * MOST_ATOMS, LEAST_ATOMS = 6, ATOM_COLUMNS = 9, BOND_COLUMNS = 3 };
enum order { SINGLE, DOUBLE, AROMATIC = 3 }; /* as OGB numbers bonds */
enum element { CARBON, NITROGEN, OXYGEN, SULFUR, CHLORINE, FLUORINE };

static const double median_atoms = 23.3, spread_of_log = 0.4; /* a mean of 25 */
static const double ring_rate = 0.42, fuse_rate = 0.25, five_rate = 0.3, aromatic_rate = 0.7, double_rate = 0.35;
static const int32_t atom_vocabulary[ATOM_COLUMNS] = {119, 5, 12, 12, 10, 6, 6, 2, 2};
static const int32_t bond_vocabulary[BOND_COLUMNS] = {5, 6, 2};
static const int32_t atomic_number[] = {6, 7, 8, 16, 17, 9};
static const int valence[] = {4, 3, 2, 2, 1, 1};

struct atom {
    enum element element;
    int degree, orders; /* neighbours; sum of the orders of bonds that are not aromatic */
    bool aromatic, in_ring, planar;
};

struct sketch {
    int n_atoms, n_bonds;
    struct atom atoms[MOST_ATOMS];
    int32_t ends[MOST_BONDS][2];
    enum order order[MOST_BONDS];
    int32_t atom_rows[MOST_ATOMS][ATOM_COLUMNS], bond_rows[MOST_BONDS][BOND_COLUMNS];
};

/* Single bonds that still fit. */
static int room_at(const struct atom *a)
{
    if (a->aromatic) return a->element == CARBON ? 3 - a->degree : 0;
    return valence[a->element] - a->orders;
}

static int add_atom(struct sketch *s, enum element element, bool ring, bool aromatic)
{
    s->atoms[s->n_atoms] = (struct atom){.element = element, .in_ring = ring, .aromatic = aromatic, .planar = aromatic};
    return s->n_atoms++;
}

static void add_bond(struct sketch *s, int a, int b, enum order order)
{
    const int ends[2] = {a, b};
    for (int i = 0; i < 2; i++) {
        struct atom *atom = &s->atoms[ends[i]];
        s->ends[s->n_bonds][i] = ends[i];
        atom->degree++;
        if (order != AROMATIC) atom->orders += order == DOUBLE ? 2 : 1;
        if (order == DOUBLE) atom->planar = true;
    }
    s->order[s->n_bonds++] = order;
}

/* An atom at which a bond still fits; -1: none. */
static int free_atom(const struct sketch *s, struct l2r_rng *rng)
{
    int count = 0, found = -1;
    for (int i = 0; i < s->n_atoms; i++)
        if (room_at(&s->atoms[i]) > 0 && l2r_rng_below(rng, (uint64_t)++count) == 0) found = i;
    return found;
}

/* A bond of a ring whose two atoms can take another one; -1: none. */
static int free_ring_bond(const struct sketch *s, struct l2r_rng *rng)
{
    int count = 0, found = -1;
    for (int i = 0; i < s->n_bonds; i++) {
        const struct atom *a = &s->atoms[s->ends[i][0]], *b = &s->atoms[s->ends[i][1]];
        if (!a->in_ring || !b->in_ring || room_at(a) < 1 || room_at(b) < 1) continue;
        if (l2r_rng_below(rng, (uint64_t)++count) == 0) found = i;
    }
    return found;
}

static enum element draw_ring_element(struct l2r_rng *rng, bool odd_one)
{
    double u = l2r_rng_uniform(rng);
    if (odd_one) return u < 0.5 ? NITROGEN : u < 0.8 ? OXYGEN : SULFUR;
    return u < 0.88 ? CARBON : NITROGEN;
}

static enum element draw_chain_element(struct l2r_rng *rng)
{
    double u = l2r_rng_uniform(rng);
    return u < 0.52   ? CARBON
           : u < 0.66 ? NITROGEN
           : u < 0.92 ? OXYGEN
           : u < 0.94 ? SULFUR
           : u < 0.98 ? CHLORINE
                      : FLUORINE;
}

/* A ring of `size`, of which two neighbouring atoms may be there already (fused), otherwise hung on `parent` (-1:
 * first). */
static void add_ring(struct sketch *s, struct l2r_rng *rng, int size, bool aromatic, int fused_bond, int parent)
{
    int first = s->n_atoms, fresh = fused_bond < 0 ? size : size - 2;
    if (fused_bond >= 0) /* aromatic bonds need aromatic ends */
        aromatic = s->atoms[s->ends[fused_bond][0]].aromatic && s->atoms[s->ends[fused_bond][1]].aromatic;
    enum order order = aromatic ? AROMATIC : SINGLE;
    for (int i = 0; i < fresh; i++) {
        bool odd_one = i == 1 && size == 5 && aromatic;
        enum element element = i == 0 ? CARBON : draw_ring_element(rng, odd_one);
        add_atom(s, element, true, aromatic);
        if (i > 0) add_bond(s, first + i - 1, first + i, order);
    }
    if (fused_bond >= 0) {
        add_bond(s, s->ends[fused_bond][0], first, order);
        add_bond(s, s->n_atoms - 1, s->ends[fused_bond][1], order);
    } else {
        add_bond(s, s->n_atoms - 1, first, order);
        if (parent >= 0) add_bond(s, parent, first, SINGLE);
    }
}

static void add_chain(struct sketch *s, struct l2r_rng *rng, int length, int parent)
{
    for (int i = 0; i < length && parent >= 0; i++) {
        int atom = add_atom(s, s->n_atoms == 0 ? CARBON : draw_chain_element(rng), false, false);
        bool twice = room_at(&s->atoms[parent]) >= 2 && room_at(&s->atoms[atom]) >= 2;
        add_bond(s, parent, atom, twice && l2r_rng_uniform(rng) < double_rate ? DOUBLE : SINGLE);
        parent = room_at(&s->atoms[atom]) > 0 ? atom : free_atom(s, rng);
    }
}

static void grow(struct sketch *s, struct l2r_rng *rng, int target)
{
    s->n_atoms = s->n_bonds = 0;
    add_ring(s, rng, 6, l2r_rng_uniform(rng) < aromatic_rate, -1, -1);
    while (s->n_atoms < target) {
        int left = target - s->n_atoms, parent = free_atom(s, rng);
        if (parent < 0) return;
        bool ring = l2r_rng_uniform(rng) < ring_rate, aromatic = l2r_rng_uniform(rng) < aromatic_rate;
        int size = l2r_rng_uniform(rng) < five_rate ? 5 : 6;
        int bond = l2r_rng_uniform(rng) < fuse_rate ? free_ring_bond(s, rng) : -1;
        if (ring && left >= (bond < 0 ? size : size - 2)) {
            add_ring(s, rng, size, aromatic, bond, parent);
        } else {
            int length = 1 + (int)l2r_rng_below(rng, 3);
            add_chain(s, rng, length < left ? length : left, parent);
        }
    }
}

static void describe(struct sketch *s)
{
    for (int i = 0; i < s->n_atoms; i++) {
        const struct atom *a = &s->atoms[i];
        int hydrogens = room_at(a);
        const int32_t row[ATOM_COLUMNS] = {atomic_number[a->element] - 1,
                                           0,
                                           a->degree + hydrogens,
                                           5,
                                           hydrogens,
                                           0,
                                           a->planar ? 1 : 2,
                                           a->aromatic,
                                           a->in_ring};
        for (int k = 0; k < ATOM_COLUMNS; k++) s->atom_rows[i][k] = row[k];
    }
    for (int i = 0; i < s->n_bonds; i++) {
        bool conjugated = s->atoms[s->ends[i][0]].planar && s->atoms[s->ends[i][1]].planar;
        const int32_t row[BOND_COLUMNS] = {s->order[i], 0, conjugated};
        for (int k = 0; k < BOND_COLUMNS; k++) s->bond_rows[i][k] = row[k];
    }
}

static enum l2r_status add_molecule(struct l2r_builder *builder, struct sketch *s, uint64_t seed, int64_t graph,
                                    struct l2r_error *error)
{
    struct l2r_rng rng = l2r_rng_at(seed, L2R_RANDOM_DATA, (uint64_t)graph);
    double size = median_atoms * exp(spread_of_log * l2r_rng_normal(&rng));
    grow(s, &rng, (int)fmin(fmax(size + 0.5, LEAST_ATOMS), MOST_ATOMS));
    describe(s);
    float label = (float)l2r_rng_below(&rng, 2);
    struct l2r_graph_view view = {.n_nodes = s->n_atoms,
                                  .n_edges = s->n_bonds,
                                  .edges = s->ends[0],
                                  .node_rows = s->atom_rows[0],
                                  .edge_rows = s->bond_rows[0],
                                  .labels = &label,
                                  .part = L2R_PART_NONE};
    return l2r_builder_add(builder, &view, error);
}

static enum l2r_status generate(struct l2r_dataset **data, const struct l2r_config *config, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_builder *builder = NULL;
    struct sketch *sketch = l2r_alloc(1, sizeof *sketch);
    const struct l2r_schema schema = {.name = "molecules",
                                      .task = L2R_TASK_BINARY,
                                      .n_tasks = 1,
                                      .n_node_columns = ATOM_COLUMNS,
                                      .n_edge_columns = BOND_COLUMNS,
                                      .node_vocabulary = atom_vocabulary,
                                      .edge_vocabulary = bond_vocabulary};
    if (!sketch) return l2r_fail_memory(error, sizeof *sketch, "a molecule");
    L2R_TRY(l2r_builder_new(&builder, &schema, error));
    for (int64_t g = 0; g < l2r_config_int(config, "graphs"); g++)
        L2R_TRY(add_molecule(builder, sketch, (uint64_t)l2r_config_int(config, "seed"), g, error));
    L2R_TRY(l2r_builder_finish(data, builder, error));
done:
    l2r_builder_free(builder);
    l2r_free(sketch);
    return status;
}

static const struct l2r_option options[] = {
    {.name = "graphs",
     .kind = L2R_OPTION_INT,
     .fallback = "2000",
     .min = 1,
     .max = 10000000,
     .help = "number of graphs"},
    {.name = "seed", .kind = L2R_OPTION_INT, .fallback = "0", .max = 9007199254740991.0, .help = "seed of the graphs"},
    {0}};

const struct l2r_generator l2r_generator_molecules = {
    .name = "molecules",
    .description = "for benchmarks: graphs like drug molecules (25 atoms, 27 bonds), random labels",
    .options = options,
    .generate = generate,
};
