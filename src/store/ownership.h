/* SPDX-License-Identifier: MIT
 *
 * Which run a file belongs to. All files of a folder belong to one run; an intact file of another run in it counts as
 * damage, too.
 *
 *     identity   XXH3 of the options that change a number (l2r_options_fingerprint), of the data and of the split
 *     seal       "check": XXH3 of the identity and of the object's other keys; on each line of metrics.jsonl and in
 *                result.json. It detects edits and mix-ups, not deliberate forgery.
 *     manifest   in result.json: the checksums of the model and of the other files as they were when the run ended
 *
 * Two runs of one identity have the same bits, so their files may be mixed. Files written before there were seals and
 * identities have none, and are accepted unchecked.
 */
#ifndef L2R_STORE_OWNERSHIP_H
#define L2R_STORE_OWNERSHIP_H

#include "base/config.h"
#include "base/json.h"
#include "recipe/recipe.h"

enum { L2R_IDENTITY_TEXT = 17 };
enum l2r_status l2r_identity_of(char identity[L2R_IDENTITY_TEXT], const struct l2r_recipe *recipe,
                                struct l2r_error *error);

/* False: out of memory. */
bool l2r_seal(json_t *object, const char *identity);
/* Is the object unchanged since it was sealed? L2R_SEAL_NONE: it has no seal. */
enum l2r_seal_state { L2R_SEAL_NONE, L2R_SEAL_WHOLE, L2R_SEAL_BROKEN };
enum l2r_seal_state l2r_seal_check(const json_t *object, const char *identity);

/* An object that maps the names of config, split, data's place, metrics and chosen model to the checksums of these
 * files. */
json_t *l2r_manifest_make(const char *dir);
/* The name of the first file that differs from the manifest, valid as long as the manifest; NULL: none. */
const char *l2r_manifest_check(const json_t *manifest, const char *dir);

/* A new run overwrites nothing: fails with the name of the first file in the way. */
enum l2r_status l2r_folder_refuse_files(const char *dir, struct l2r_error *error);
/* Removes the files of a run, whatever its options; others in the folder stay. */
void l2r_folder_release(const char *dir);
/* A run writes into its own folder and nowhere else: fails where one of its files is a link, a pipe or a device. */
enum l2r_status l2r_folder_refuse_links(const char *dir, struct l2r_error *error);
/* A run that an older version began is not continued. */
enum l2r_status l2r_folder_refuse_old(const char *dir, struct l2r_error *error);

#endif
