/* SPDX-License-Identifier: MIT
 *
 * Curves for TensorBoard: DIR/events.out.tfevents.<unix time>.<host>.l2r, a sequence of records
 *
 *     8 bytes length | 4 bytes masked CRC-32C of the length | the record | 4 bytes masked CRC-32C of the record
 *
 * each of which is an Event message (protocol buffers, written by hand: only five of its fields are needed):
 *
 *     1 wall_time (double)   2 step (varint)   3 file_version (first record: "brain.Event:2")
 *     5 summary { 1 value { 1 tag (text)   2 simple_value (float) } }
 *     10 source_metadata { 1 writer (text) }   (first record: "l2r run " and the identity of the run)
 */
#ifndef L2R_STORE_EVENTS_H
#define L2R_STORE_EVENTS_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct l2r_events;

/* A new file. run: its identity (store/ownership.h), which the first record names as the writer; "": none. The files
 * that this run had written before are removed, because TensorBoard would draw both as one curve; those of other runs
 * stay. */
enum l2r_status l2r_events_open(struct l2r_events **opened, const char *dir, const char *run, struct l2r_error *error);
/* Is this the name of an event file of this program? */
bool l2r_events_is_name(const char *name);
/* One point of the curve `tag` ("valid/rocauc"), whose steps must not fall. */
enum l2r_status l2r_events_scalar(struct l2r_events *events, const char *tag, int64_t step, double value,
                                  struct l2r_error *error);
/* Flushes everything to the operating system, so that a viewer sees it. */
enum l2r_status l2r_events_flush(struct l2r_events *events, struct l2r_error *error);
/* And from there to the disk. */
enum l2r_status l2r_events_sync(struct l2r_events *events, struct l2r_error *error);
/* Flushes and frees; NULL is fine. */
enum l2r_status l2r_events_close(struct l2r_events *events, struct l2r_error *error);
const char *l2r_events_path(const struct l2r_events *events);

/* CRC-32C (Castagnoli), and the rotated form that records hold. */
uint32_t l2r_crc32c(const void *bytes, size_t length);
uint32_t l2r_crc32c_masked(const void *bytes, size_t length);

#endif
