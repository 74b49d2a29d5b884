/* SPDX-License-Identifier: MIT
 *
 * Symbols of the chemical elements.
 */
#ifndef L2R_CHEM_ELEMENTS_H
#define L2R_CHEM_ELEMENTS_H

/* 6 -> "C"; "?" outside 1..118. */
const char *l2r_element_symbol(int atomic_number);

#endif
