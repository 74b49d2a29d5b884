/* SPDX-License-Identifier: MIT
 *
 * The calls of molecule.h and describe.h as the library has them; the rdkit*.cpp do the work. Three builds of this
 * file:
 *
 *     inside l2r_chem.so       the table of calls (base/module.h)
 *     library, with RDKit      forwards to that table. A molecule can only exist once the module is loaded, so
 *                              only the calls that can come first check for it
 *     library, without         errors: no molecule can be made, so the other calls are never reached
 */
#include "base/module.h"
#include "chem/describe.h"
#include "chem/molecule.h"

#ifdef L2R_WITH_RDKIT

struct calls {
    struct l2r_module module;
    const char *(*version)(void);
    enum l2r_status (*parse)(struct l2r_molecule **molecule, const char *smiles, struct l2r_error *error);
    void (*free)(struct l2r_molecule *molecule);
    int32_t (*atoms)(const struct l2r_molecule *molecule);
    int32_t (*bonds)(const struct l2r_molecule *molecule);
    int32_t (*bond_between)(const struct l2r_molecule *molecule, int32_t a, int32_t b);
    enum l2r_status (*svg)(char **inside, const struct l2r_molecule *molecule, const float *atom_intensity,
                           const float *bond_intensity, int width, int height, struct l2r_error *error);
    enum l2r_status (*features)(struct l2r_molecule_graph *graph, const char *smiles, bool scaffold,
                                struct l2r_error *error);
    enum l2r_status (*largest_fragment)(char **smiles, const char *text, struct l2r_error *error);
    enum l2r_status (*from_block)(char **smiles, const char *block, size_t length, struct l2r_error *error);
    enum l2r_status (*pieces)(struct l2r_molecule_pieces *pieces, const char *smiles, struct l2r_error *error);
    enum l2r_status (*alerts)(struct l2r_molecule_alerts *alerts, const char *smiles, struct l2r_error *error);
    enum l2r_status (*describe)(float *const rows[L2R_DESCRIPTIONS], const char *smiles, struct l2r_error *error);
    const char *(*descriptor_name)(int32_t i);
    enum l2r_status (*details)(int32_t *rows, int32_t n_atoms, const char *smiles, struct l2r_error *error);
    double (*element_mass)(int atomic_number);
};

#ifdef L2R_INSIDE_MODULE

L2R_MODULE_TABLE struct calls l2r_chem_calls;
const struct calls l2r_chem_calls = {{L2R_VERSION},
                                     l2r_chem_version,
                                     l2r_molecule_parse,
                                     l2r_molecule_free,
                                     l2r_molecule_atoms,
                                     l2r_molecule_bonds,
                                     l2r_molecule_bond_between,
                                     l2r_molecule_svg,
                                     l2r_molecule_features,
                                     l2r_molecule_largest_fragment,
                                     l2r_molecule_from_block,
                                     l2r_molecule_pieces_find,
                                     l2r_molecule_alerts_find,
                                     l2r_molecule_describe,
                                     l2r_descriptor_name,
                                     l2r_molecule_details,
                                     l2r_element_mass};

#else

static const struct calls *load(struct l2r_error *error)
{
    static const struct l2r_module *_Atomic kept;
    return (const struct calls *)l2r_module_load(&kept, "l2r_chem", "l2r_chem_calls", error);
}

const char *l2r_chem_version(void)
{
    const struct calls *calls = load(NULL);
    return calls ? calls->version() : NULL;
}

enum l2r_status l2r_molecule_parse(struct l2r_molecule **molecule, const char *smiles, struct l2r_error *error)
{
    const struct calls *calls = load(error);
    *molecule = NULL;
    return calls ? calls->parse(molecule, smiles, error) : L2R_ERR_MISSING;
}

enum l2r_status l2r_molecule_features(struct l2r_molecule_graph *graph, const char *smiles, bool scaffold,
                                      struct l2r_error *error)
{
    const struct calls *calls = load(error);
    *graph = (struct l2r_molecule_graph){0};
    return calls ? calls->features(graph, smiles, scaffold, error) : L2R_ERR_MISSING;
}

enum l2r_status l2r_molecule_largest_fragment(char **smiles, const char *text, struct l2r_error *error)
{
    const struct calls *calls = load(error);
    *smiles = NULL;
    return calls ? calls->largest_fragment(smiles, text, error) : L2R_ERR_MISSING;
}

enum l2r_status l2r_molecule_from_block(char **smiles, const char *block, size_t length, struct l2r_error *error)
{
    const struct calls *calls = load(error);
    *smiles = NULL;
    return calls ? calls->from_block(smiles, block, length, error) : L2R_ERR_MISSING;
}

enum l2r_status l2r_molecule_pieces_find(struct l2r_molecule_pieces *pieces, const char *smiles,
                                         struct l2r_error *error)
{
    const struct calls *calls = load(error);
    *pieces = (struct l2r_molecule_pieces){0};
    return calls ? calls->pieces(pieces, smiles, error) : L2R_ERR_MISSING;
}

enum l2r_status l2r_molecule_alerts_find(struct l2r_molecule_alerts *alerts, const char *smiles,
                                         struct l2r_error *error)
{
    const struct calls *calls = load(error);
    *alerts = (struct l2r_molecule_alerts){0};
    return calls ? calls->alerts(alerts, smiles, error) : L2R_ERR_MISSING;
}

enum l2r_status l2r_molecule_describe(float *const rows[L2R_DESCRIPTIONS], const char *smiles, struct l2r_error *error)
{
    const struct calls *calls = load(error);
    return calls ? calls->describe(rows, smiles, error) : L2R_ERR_MISSING;
}

const char *l2r_descriptor_name(int32_t i)
{
    const struct calls *calls = load(NULL);
    return calls ? calls->descriptor_name(i) : NULL;
}

enum l2r_status l2r_molecule_details(int32_t *rows, int32_t n_atoms, const char *smiles, struct l2r_error *error)
{
    const struct calls *calls = load(error);
    return calls ? calls->details(rows, n_atoms, smiles, error) : L2R_ERR_MISSING;
}

double l2r_element_mass(int atomic_number)
{
    const struct calls *calls = load(NULL);
    return calls ? calls->element_mass(atomic_number) : 0;
}

void l2r_molecule_free(struct l2r_molecule *molecule)
{
    if (molecule) load(NULL)->free(molecule);
}

int32_t l2r_molecule_atoms(const struct l2r_molecule *molecule)
{
    return load(NULL)->atoms(molecule);
}

int32_t l2r_molecule_bonds(const struct l2r_molecule *molecule)
{
    return load(NULL)->bonds(molecule);
}

int32_t l2r_molecule_bond_between(const struct l2r_molecule *molecule, int32_t a, int32_t b)
{
    return load(NULL)->bond_between(molecule, a, b);
}

enum l2r_status l2r_molecule_svg(char **inside, const struct l2r_molecule *molecule, const float *atom_intensity,
                                 const float *bond_intensity, int width, int height, struct l2r_error *error)
{
    return load(NULL)->svg(inside, molecule, atom_intensity, bond_intensity, width, height, error);
}

#endif

#else /* built without RDKit */

const char *l2r_chem_version(void)
{
    return NULL;
}

enum l2r_status l2r_molecule_parse(struct l2r_molecule **molecule, const char *smiles, struct l2r_error *error)
{
    (void)smiles;
    *molecule = NULL;
    return l2r_fail(error, L2R_ERR_MISSING,
                    "molecules need RDKit, but this program was built without it; install librdkit-dev and rebuild");
}

enum l2r_status l2r_molecule_features(struct l2r_molecule_graph *graph, const char *smiles, bool scaffold,
                                      struct l2r_error *error)
{
    (void)smiles, (void)scaffold;
    *graph = (struct l2r_molecule_graph){0};
    return l2r_fail(error, L2R_ERR_MISSING,
                    "SMILES need RDKit, but this program was built without it; install librdkit-dev and rebuild");
}

enum l2r_status l2r_molecule_largest_fragment(char **smiles, const char *text, struct l2r_error *error)
{
    (void)text;
    *smiles = NULL;
    return l2r_fail(error, L2R_ERR_MISSING, "molecules need RDKit, but this program was built without it");
}

enum l2r_status l2r_molecule_from_block(char **smiles, const char *block, size_t length, struct l2r_error *error)
{
    (void)block, (void)length;
    *smiles = NULL;
    return l2r_fail(error, L2R_ERR_MISSING,
                    "SD files need RDKit, but this program was built without it; install librdkit-dev and rebuild");
}

enum l2r_status l2r_molecule_pieces_find(struct l2r_molecule_pieces *pieces, const char *smiles,
                                         struct l2r_error *error)
{
    (void)smiles;
    *pieces = (struct l2r_molecule_pieces){0};
    return l2r_fail(error, L2R_ERR_MISSING, "molecules need RDKit, but this program was built without it");
}

enum l2r_status l2r_molecule_alerts_find(struct l2r_molecule_alerts *alerts, const char *smiles,
                                         struct l2r_error *error)
{
    (void)smiles;
    *alerts = (struct l2r_molecule_alerts){0};
    return l2r_fail(error, L2R_ERR_MISSING, "molecules need RDKit, but this program was built without it");
}

enum l2r_status l2r_molecule_describe(float *const rows[L2R_DESCRIPTIONS], const char *smiles, struct l2r_error *error)
{
    (void)rows, (void)smiles;
    return l2r_fail(error, L2R_ERR_MISSING,
                    "molecule features need RDKit, but this program was built without it; install librdkit-dev and "
                    "rebuild");
}

const char *l2r_descriptor_name(int32_t i)
{
    (void)i;
    return NULL;
}

enum l2r_status l2r_molecule_details(int32_t *rows, int32_t n_atoms, const char *smiles, struct l2r_error *error)
{
    (void)rows, (void)n_atoms, (void)smiles;
    return l2r_fail(error, L2R_ERR_MISSING, "molecules need RDKit, but this program was built without it");
}

double l2r_element_mass(int atomic_number)
{
    (void)atomic_number;
    return 0;
}

void l2r_molecule_free(struct l2r_molecule *molecule)
{
    (void)molecule;
}

int32_t l2r_molecule_atoms(const struct l2r_molecule *molecule)
{
    (void)molecule;
    return 0;
}

int32_t l2r_molecule_bonds(const struct l2r_molecule *molecule)
{
    (void)molecule;
    return 0;
}

int32_t l2r_molecule_bond_between(const struct l2r_molecule *molecule, int32_t a, int32_t b)
{
    (void)molecule, (void)a, (void)b;
    return -1;
}

enum l2r_status l2r_molecule_svg(char **inside, const struct l2r_molecule *molecule, const float *atom_intensity,
                                 const float *bond_intensity, int width, int height, struct l2r_error *error)
{
    (void)molecule, (void)atom_intensity, (void)bond_intensity, (void)width, (void)height;
    *inside = NULL;
    return l2r_fail(error, L2R_ERR_MISSING, "molecules need RDKit, but this program was built without it");
}

#endif
