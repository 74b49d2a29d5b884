/* SPDX-License-Identifier: MIT
 * See chemprop_features.h. */
#include "model/chemprop_features.h"

#include "chem/molecule.h"

#include <stdbool.h>
#include <stddef.h>

/* Hybridisations in OGB's order, and those that it calls "other". */
enum { SP, SP2, SP3, SP3D, SP3D2, OTHER, S, SP2D };

struct l2r_chemprop_features {
    int atom, bond;   /* numbers in a row */
    int up_to;        /* elements 1 … up_to, */
    int elements[12]; /* and then these; 0: no more */
    int n_hybrid;
    int hybrid[7];
    bool rigr;
};

static const struct l2r_chemprop_features known[] = {
    {72, 14, 36, {53}, 7, {S, SP, SP2, SP2D, SP3, SP3D, SP3D2}, false},
    {133, 14, 100, {0}, 5, {SP, SP2, SP3, SP3D, SP3D2}, false},
    {44, 14, 0, {1, 5, 6, 7, 8, 9, 14, 15, 16, 17, 35, 53}, 4, {S, SP, SP2, SP3}, false},
    {52, 2, 36, {53}, 0, {0}, true},
};

const struct l2r_chemprop_features *l2r_chemprop_features_find(int64_t atom, int64_t bond)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].atom == atom && known[i].bond == bond) return &known[i];
    return NULL;
}

static int n_elements(const struct l2r_chemprop_features *f)
{
    int n = 0;
    while (n < 12 && f->elements[n] > 0) n++;
    return f->up_to + n;
}

/* The place of an element; the last one is that of all others. */
static int element_place(const struct l2r_chemprop_features *f, int element)
{
    int n = n_elements(f);
    if (element <= f->up_to) return element - 1;
    for (int i = f->up_to; i < n; i++)
        if (f->elements[i - f->up_to] == element) return i;
    return n;
}

static int hybrid_place(const struct l2r_chemprop_features *f, int hybrid)
{
    int i = 0;
    while (i < f->n_hybrid && f->hybrid[i] != hybrid) i++;
    return i;
}

static int charge_place(int charge)
{
    static const int order[] = {-1, -2, 1, 2, 0};
    int i = 0;
    while (i < 5 && order[i] != charge) i++;
    return i;
}

/* Where the properties begin in a row; -1: they are not there. */
struct places {
    int degree, charge, chirality, hydrogens, hybrid, aromatic, mass;
};

static struct places places_of(const struct l2r_chemprop_features *f)
{
    int degree = n_elements(f) + 1, after = degree + 7;
    if (f->rigr) return (struct places){degree, -1, -1, after, -1, -1, after + 6};
    int hybrid = after + 6 + 5 + 6, aromatic = hybrid + f->n_hybrid + 1;
    return (struct places){degree, after, after + 6, after + 11, hybrid, aromatic, aromatic + 1};
}

static int one(struct l2r_chemprop_share *share, int first, int place)
{
    *share = (struct l2r_chemprop_share){first + place, 1};
    return first >= 0;
}

static int mass(struct l2r_chemprop_share *share, const struct places *at, double u)
{
    *share = (struct l2r_chemprop_share){at->mass, 0.01 * u};
    return 1;
}

/* A digit of the mass beyond the element's mean. */
static int mass_digit(struct l2r_chemprop_share *share, const struct places *at, int digit, int32_t value)
{
    double unit = 1;
    for (int i = 0; i < digit; i++) unit *= L2R_MASS_BASE;
    return mass(share, at, (value * unit - (digit == 2 ? L2R_MASS_ZERO : 0)) / L2R_MASS_UNITS);
}

/* s and sp2d, which stand beside the category "other": they take its place. */
static int exact_hybrid(struct l2r_chemprop_share shares[L2R_CHEMPROP_SHARES], const struct l2r_chemprop_features *f,
                        const struct places *at, int32_t value)
{
    if (value == 0 || f->rigr) return 0;
    shares[0] = (struct l2r_chemprop_share){at->hybrid + hybrid_place(f, value == 1 ? S : SP2D), 1};
    shares[1] = (struct l2r_chemprop_share){at->hybrid + f->n_hybrid, -1};
    return 2;
}

int l2r_chemprop_atom(struct l2r_chemprop_share shares[L2R_CHEMPROP_SHARES], const struct l2r_chemprop_features *f,
                      int32_t k, int32_t value)
{
    const struct places at = places_of(f);
    switch (k) {
    case 0:
        return one(shares, 0, element_place(f, value + 1)) + mass(shares + 1, &at, l2r_element_mass(value + 1));
    case 1:
        return one(shares, at.chirality, value);
    case 2:
        return one(shares, at.degree, value <= 5 ? value : 6);
    case 3:
        return one(shares, at.charge, value <= 10 ? charge_place(value - 5) : 5);
    case 4:
        return one(shares, at.hydrogens, value <= 4 ? value : 5);
    case 6:
        return one(shares, at.hybrid, value == OTHER ? f->n_hybrid : hybrid_place(f, value));
    case 7:
        return value == 1 ? one(shares, at.aromatic, 0) : 0;
    case L2R_ATOM_COLUMNS:
        return exact_hybrid(shares, f, &at, value);
    default: /* radical electrons and rings it does not read; the others are digits */
        return k > L2R_ATOM_COLUMNS ? mass_digit(shares, &at, k - L2R_ATOM_COLUMNS - 1, value) : 0;
    }
}

int l2r_chemprop_bond(struct l2r_chemprop_share shares[L2R_CHEMPROP_SHARES], const struct l2r_chemprop_features *f,
                      int32_t k, int32_t value)
{
    /* [no bond | single, double, triple, aromatic | conjugated | in a ring | stereo: none, any, Z, E, cis, trans,
     * other] */
    static const int stereo[] = {0, 2, 3, 4, 5, 1};
    if (f->rigr) return k == L2R_BOND_COLUMNS && value == 1 ? one(shares, 1, 0) : 0;
    switch (k) {
    case 0:
        return value < 4 ? one(shares, 1, value) : 0;
    case 1:
        return one(shares, 7, stereo[value]);
    case 2:
        return value == 1 ? one(shares, 5, 0) : 0;
    default:
        return value == 1 ? one(shares, 6, 0) : 0;
    }
}
