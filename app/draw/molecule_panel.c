/* SPDX-License-Identifier: MIT
 *
 * One molecule in a box: the importance of nodes and edges, put into the order of its atoms and bonds.
 */
#include "base/memory.h"
#include "draw/panel.h"

/* The drawing's edges may stand in another order than the molecule's bonds. */
static void sort_bonds(float *bonds, const struct l2r_drawing *drawing, const struct l2r_shade *shade,
                       const struct l2r_molecule *molecule)
{
    for (int64_t i = 0; i < drawing->n_edges; i++) {
        int32_t bond = l2r_molecule_bond_between(molecule, drawing->edges[2 * i], drawing->edges[2 * i + 1]);
        if (bond >= 0) bonds[bond] = shade->edge[i];
    }
}

enum l2r_status l2r_panel_molecule(struct l2r_text *svg, const struct l2r_drawing *drawing,
                                   const struct l2r_shade *shade, const struct l2r_molecule *molecule,
                                   struct l2r_box box, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char *inside = NULL;
    float *atoms = l2r_alloc((size_t)l2r_molecule_atoms(molecule), sizeof *atoms);
    float *bonds = l2r_alloc((size_t)l2r_molecule_bonds(molecule), sizeof *bonds);
    if (atoms == NULL || bonds == NULL) {
        status = l2r_fail_memory(error, (size_t)drawing->n_nodes * sizeof *atoms, "a molecule's shades");
        goto done;
    }
    for (int32_t v = 0; shade->any && v < drawing->n_nodes; v++) atoms[v] = shade->node[v];
    if (shade->any) sort_bonds(bonds, drawing, shade, molecule);
    L2R_TRY(l2r_molecule_svg(&inside, molecule, atoms, bonds, (int)box.width, (int)box.height, error));
    l2r_text_print(svg, "<svg");
    l2r_svg_attribute(svg, "x", box.x);
    l2r_svg_attribute(svg, "y", box.y);
    l2r_svg_attribute(svg, "width", box.width);
    l2r_svg_attribute(svg, "height", box.height);
    l2r_text_print(svg, " viewBox=\"0 0 %d %d\">\n%s</svg>\n", (int)box.width, (int)box.height, inside);
done:
    l2r_free(inside);
    l2r_free(atoms);
    l2r_free(bonds);
    return status;
}
