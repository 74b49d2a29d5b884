/* SPDX-License-Identifier: MIT
 *
 * A data set from arrays in the layout of PyTorch Geometric, in C++: other labels for the same graphs, a subset, the
 * arrays of it, and a metric. Errors become exceptions, handles are freed by themselves.
 *
 *     c++ arrays.cpp $(pkg-config --cflags --libs l2r) -o arrays && ./arrays
 */
#include <l2r/l2r.h>

#include <cstdio>
#include <memory>
#include <stdexcept>
#include <vector>

static void check(enum l2r_status status, const l2r_error &error)
{
    if (status == L2R_ERR_ARGUMENT) throw std::invalid_argument(error.message);
    if (status != L2R_OK) throw std::runtime_error(error.message);
}

struct free_dataset {
    void operator()(l2r_dataset *data) const
    {
        l2r_dataset_free(data);
    }
};
using dataset = std::unique_ptr<l2r_dataset, free_dataset>;

/* Rings of 3, 4, … nodes, whose node numbers count through all of them. */
static dataset rings(int n_graphs)
{
    std::vector<int64_t> sizes, from, to;
    std::vector<float> labels;
    for (int g = 0, first = 0; g < n_graphs; g++) {
        int size = 3 + g % 4;
        for (int v = 0; v < size; v++) from.push_back(first + v), to.push_back(first + (v + 1) % size);
        sizes.push_back(size);
        labels.push_back(static_cast<float>(size % 2));
        first += size;
    }
    std::vector<int64_t> edge_index(from);
    edge_index.insert(edge_index.end(), to.begin(), to.end());
    l2r_arrays arrays = L2R_ARRAYS_INIT;
    arrays.name = "rings";
    arrays.task = L2R_TASK_BINARY;
    arrays.n_tasks = 1;
    arrays.n_graphs = n_graphs;
    arrays.node_counts = arrays.edge_counts = sizes.data();
    arrays.edge_index = edge_index.data();
    arrays.edge_index_is_global = true;
    arrays.degree_as_feature = true;
    arrays.labels = labels.data();
    l2r_dataset *made = nullptr;
    l2r_error error{};
    check(l2r_dataset_from_arrays(&made, &arrays, &error), error);
    return dataset(made);
}

/* The same graphs with their size to predict; no graph is copied. */
static dataset with_sizes(const dataset &data)
{
    std::vector<int64_t> nodes(static_cast<size_t>(l2r_dataset_n_graphs(data.get())));
    l2r_error error{};
    check(l2r_dataset_sizes(nodes.data(), nullptr, nullptr, data.get(), &error), error);
    std::vector<float> labels(nodes.begin(), nodes.end());
    l2r_relabelling other = L2R_RELABELLING_INIT;
    other.task = L2R_TASK_REGRESSION;
    other.n_tasks = 1;
    other.labels = labels.data();
    l2r_dataset *made = nullptr;
    check(l2r_dataset_relabel(&made, data.get(), &other, &error), error);
    return dataset(made);
}

static void run()
{
    l2r_error error{};
    dataset data = with_sizes(rings(12));
    const std::vector<int64_t> graphs{11, 0};
    l2r_dataset *made = nullptr;
    check(l2r_dataset_subset(&made, data.get(), graphs.data(), 2, &error), error);
    dataset two(made);
    size_t arcs = static_cast<size_t>(l2r_dataset_n_arcs(two.get()));
    std::vector<int64_t> edge_index(2 * arcs);
    check(l2r_dataset_edge_index(edge_index.data(), two.get(), true, &error), error);
    std::printf("%lld graphs, %zu arcs, the last one %lld -> %lld\n",
                static_cast<long long>(l2r_dataset_n_graphs(two.get())), arcs,
                static_cast<long long>(edge_index[arcs - 1]), static_cast<long long>(edge_index[2 * arcs - 1]));
    const std::vector<float> outputs{5, 4};
    l2r_scored scored = L2R_SCORED_INIT;
    scored.task = L2R_TASK_REGRESSION;
    scored.n_rows = 2;
    scored.n_tasks = 1;
    scored.outputs = outputs.data();
    scored.labels = l2r_dataset_labels(two.get());
    double mae = 0;
    check(l2r_metric_value(&mae, "mae", &scored, &error), error);
    std::printf("mean absolute error %.1f\n", mae);
    try {
        check(l2r_dataset_subset(&made, data.get(), graphs.data(), -1, &error), error);
    } catch (const std::invalid_argument &refused) {
        std::printf("refused: %s\n", refused.what());
    }
}

int main()
{
    try {
        run();
    } catch (const std::exception &failure) {
        return std::fprintf(stderr, "arrays: %s\n", failure.what()), 1;
    }
    return 0;
}
