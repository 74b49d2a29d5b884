/* SPDX-License-Identifier: MIT
 *
 * Positions for graphs in, positions out; bench/layout/compare does the rest. One graph a line:
 *
 *     in     name n_nodes a b a b …          (edges as pairs of nodes)
 *     out    name milliseconds x y x y …     (nodes in order)
 */
#include "draw/positions.h"
#include "base/clock.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>

static bool place(char *line)
{
    char name[64];
    int used = 0, more = 0;
    int32_t n = 0, *edges = NULL;
    size_t count = 0, capacity = 0;
    struct l2r_positions positions;
    struct l2r_error error = {0};
    if (sscanf(line, "%63s %d%n", name, &n, &used) != 2) return false;
    for (int32_t end; sscanf(line += used, "%d%n", &end, &more) == 1; used = more) {
        if (!l2r_reserve((void **)&edges, &capacity, count + 1, sizeof *edges)) return false;
        edges[count++] = end;
    }
    double start = l2r_clock_process_seconds();
    bool placed = l2r_positions_make(&positions, n, edges, (int64_t)(count / 2), &error) == L2R_OK;
    printf("%s %.1f", name, 1000 * (l2r_clock_process_seconds() - start));
    for (int32_t v = 0; placed && v < n; v++) printf(" %.6f %.6f", positions.xy[2 * v], positions.xy[2 * v + 1]);
    printf("\n");
    if (!placed) fprintf(stderr, "%s: %s\n", name, error.message);
    l2r_positions_clear(&positions);
    l2r_free(edges);
    return placed;
}

int main(void)
{
    char *line = NULL;
    size_t size = 0;
    bool all = true;
    while (all && getline(&line, &size, stdin) > 0) all = place(line);
    free(line);
    return all ? 0 : 1;
}
