/* SPDX-License-Identifier: MIT
 * See folder.h. */
#include "train/folder.h"

#include "base/system.h"
#include "io/file.h"
#include "io/json_file.h"
#include "io/safetensors.h"
#include "io/staging.h"
#include "predict/run_names.h"
#include "train/result.h"
#include "train/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>

enum l2r_status l2r_folder_init(struct l2r_folder *folder, const char *dir, bool leads, const struct l2r_watch *watch,
                                struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    *folder = (struct l2r_folder){.dir = dir, .lock = -1, .leads = leads, .watch = watch};
    L2R_TRY(l2r_saved_init(&folder->saved, dir, error));
    L2R_TRY(l2r_path_join(folder->result, sizeof folder->result, dir, L2R_RESULT_FILE, error));
    L2R_TRY(l2r_path_join(folder->split, sizeof folder->split, dir, L2R_SPLIT_FILE, error));
    L2R_TRY(l2r_path_join(folder->config, sizeof folder->config, dir, L2R_CONFIG_FILE, error));
done:
    return status;
}

void l2r_folder_clear(struct l2r_folder *folder)
{
    l2r_saved_close(&folder->saved);
    if (folder->lock >= 0) (void)l2r_sys_close(folder->lock);
    folder->lock = -1;
}

enum l2r_status l2r_folder_lock(struct l2r_folder *folder, struct l2r_error *error)
{
    if (folder->lock >= 0 || !folder->leads) return L2R_OK;
    enum l2r_status status = l2r_make_dirs(folder->dir, error);
    if (status != L2R_OK) return status;
    folder->lock = l2r_sys_open(folder->dir, O_RDONLY | O_DIRECTORY);
    if (folder->lock < 0) return l2r_fail(error, L2R_ERR_IO, "%s: cannot be opened: %s", folder->dir, strerror(errno));
    if (flock(folder->lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) /* some file systems cannot lock */
        return l2r_fail(error, L2R_ERR_ARGUMENT, "%s: another run is in progress there; choose another --out",
                        folder->dir);
    l2r_remove_litter(folder->dir);
    return L2R_OK;
}

static enum l2r_status write_config(const struct l2r_folder *folder, const struct l2r_config *config,
                                    struct l2r_error *error)
{
    json_t *object = l2r_config_to_json(config);
    enum l2r_status status = l2r_json_write(object, folder->config, error);
    json_decref(object);
    return status;
}

enum l2r_status l2r_folder_write(const struct l2r_folder *folder, const struct l2r_config *config,
                                 const struct l2r_split *split, struct l2r_error *error)
{
    enum l2r_status status = l2r_split_write(split, folder->split, error);
    return status == L2R_OK ? write_config(folder, config, error) : status;
}

enum l2r_status l2r_folder_mend_config(const struct l2r_folder *folder, const struct l2r_config *config,
                                       struct l2r_error *error)
{
    if (!folder->leads) return L2R_OK;
    json_t *object = NULL;
    struct l2r_error damage = {0};
    enum l2r_status status = l2r_json_read(&object, folder->config, &damage);
    json_decref(object);
    if (status == L2R_OK) return L2R_OK;
    if (status != L2R_ERR_FORMAT && l2r_path_is_file(folder->config))
        return l2r_fail(error, status, "%s", damage.message);
    l2r_watch_note(folder->watch, "config.json is missing or damaged; it is written again");
    return write_config(folder, config, error);
}

enum l2r_status l2r_folder_split(struct l2r_split *split, const struct l2r_folder *folder,
                                 const struct l2r_config *config, const struct l2r_dataset *data,
                                 struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    bool made = false;
    if (!folder->saved.file) return l2r_split_make(split, data, config, error);
    L2R_TRY(l2r_resume_data(&folder->saved, data, error));
    L2R_TRY(l2r_resume_split(split, &made, &folder->saved, folder->split, data, config, error));
    if (!made || !folder->leads) goto done;
    l2r_watch_note(
        folder->watch,
        "split.json is missing or damaged; it is made again from the options and the data, as the checkpoint knows it");
    L2R_TRY(l2r_split_write(split, folder->split, error));
done:
    return status;
}

enum l2r_status l2r_folder_result(struct l2r_result *result, const struct l2r_folder *folder,
                                  const struct l2r_config *config, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_safetensors *best = NULL;
    struct l2r_error damage = {0};
    status = l2r_result_read(result, folder->result, &damage);
    if (status == L2R_OK) status = l2r_model_file_open(&best, folder->saved.best, &damage);
    if (status == L2R_OK) {
        L2R_TRY(l2r_resume_options(config, best, folder->saved.best, error));
        l2r_watch_note(folder->watch, "the run is already finished");
        goto done;
    }
    l2r_result_clear(result);
    bool missing = status == L2R_ERR_IO && !l2r_path_is_file(folder->saved.best);
    if (status != L2R_ERR_FORMAT && !missing) L2R_FAIL(status, "%s", damage.message);
    status = L2R_OK;
    char sentence[1200];
    snprintf(sentence, sizeof sentence, "%.1000s; it is written again", damage.message);
    l2r_watch_note(folder->watch, sentence);
done:
    l2r_safetensors_free(best);
    return status;
}
