/* SPDX-License-Identifier: MIT
 *
 * JSON text through jansson, with the project's errors ("path:line: …") on bad input. Files of JSON: io/json_file.h.
 *
 * Objects keep the order in which keys were added, so what is written twice is the same bytes. JSON knows neither NaN
 * nor infinity: l2r_json_real makes them null.
 */
#ifndef L2R_BASE_JSON_H
#define L2R_BASE_JSON_H

#include "base/status.h"

#include <jansson.h>
#include <stdbool.h>

/* Parses text; `where` names it in errors ("config in run/best.safetensors"). */
enum l2r_status l2r_json_parse(json_t **root, const char *text, size_t length, const char *where,
                               struct l2r_error *error);
/* The text of a value, from l2r_alloc; NULL: memory was short. (json_dumps of jansson 2.14 leaves a key out, and
 * reports nothing, where memory ends just before it.) */
char *l2r_json_dump(const json_t *value, size_t flags);
/* The value as text, which steals the reference; from l2r_alloc. NULL: memory was short. */
enum l2r_status l2r_json_text(char **text, json_t *value, struct l2r_error *error);
/* A string of any bytes, such as the name of a file: those that are no UTF-8 become U+FFFD. */
json_t *l2r_json_name(const char *text);
/* Sets a key, or adds to an array; steals the value, which is NULL where memory was short. Returns false then, and also
 * sets the flag of l2r_work_failed (base/threads.h), so that code with many calls can check once at the end. */
bool l2r_json_put(json_t *object, const char *key, json_t *value);
bool l2r_json_append(json_t *array, json_t *value);
/* The same with a status: L2R_ERR_MEMORY where memory was short. */
enum l2r_status l2r_json_set(json_t *object, const char *key, json_t *value, struct l2r_error *error);
enum l2r_status l2r_json_add(json_t *array, json_t *value, struct l2r_error *error);
/* A shallow copy with all keys, or NULL when memory is short (json_copy of jansson may return part of them). */
json_t *l2r_json_copy(const json_t *object);
/* A number, or null when it is not finite (JSON has no NaN). */
json_t *l2r_json_real(double value);
/* The shortest decimal that reads back as the same bits, with a point or an exponent, whatever the locale: "0.1",
 * "5.0". */
void l2r_json_number(char out[32], double value);

#endif
