/* SPDX-License-Identifier: MIT
 *
 * Shared by the C++ files: parsing of SMILES, the conversion of exceptions to errors, and silence: RDKit's logs are
 * global, so the first running call switches them off and the last one back on.
 */
#ifndef L2R_CHEM_RDKIT_GUARD_H
#define L2R_CHEM_RDKIT_GUARD_H

extern "C" {
#include "base/status.h"
}

#include <RDGeneral/RDLog.h>

#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <string>

namespace RDKit
{
class ROMol;
}

namespace l2r
{

/* The SMILES at the beginning of a text, up to the first blank: printable ASCII, or an error. RDKit itself stops at the
 * first other byte and reads what stands before it. */
enum l2r_status take(std::string &smiles, const char *text, struct l2r_error *error);

/* A copy from l2r_alloc. */
enum l2r_status give(char **smiles, const std::string &text, struct l2r_error *error);

/* A molecule from a SMILES that ends at the first blank; what is refused, and why: l2r_molecule_features in molecule.h.
 * Each thread keeps its last one, since a molecule's graph and its features are mostly requested one after the other.
 * To be called within a guard. */
enum l2r_status read(std::shared_ptr<const RDKit::ROMol> &mol, const char *smiles, struct l2r_error *error);

class silence
{
    static inline std::mutex lock;
    static inline int depth = 0;
    static inline std::unique_ptr<RDLog::LogStateSetter> off;

  public:
    silence()
    {
        std::lock_guard<std::mutex> hold(lock);
        if (depth++ == 0) off = std::make_unique<RDLog::LogStateSetter>();
    }
    ~silence()
    {
        std::lock_guard<std::mutex> hold(lock);
        if (--depth == 0) off.reset();
    }
    silence(const silence &) = delete;
    silence &operator=(const silence &) = delete;
};

/* Runs `work`; exceptions become a status and an error. */
template <class Work> enum l2r_status guard(struct l2r_error *error, const char *what, Work work)
{
    try {
        silence quiet;
        return work();
    } catch (const std::bad_alloc &) {
        return l2r_fail_memory(error, 0, what);
    } catch (const std::exception &problem) {
        return l2r_fail(error, L2R_ERR_FORMAT, "%s: %.400s", what, problem.what());
    } catch (...) {
        return l2r_fail(error, L2R_ERR_FORMAT, "%s: RDKit rejected it", what);
    }
}

} // namespace l2r

#endif
