/* SPDX-License-Identifier: MIT
 *
 * See metrics.h. The table of metrics, the checks that all share, and the metrics that count or measure.
 *
 * The counting metrics need three numbers a class k:  hit = graphs of class k given class k,  truth = graphs of class k,
 * guess = graphs given class k. A binary task is a column with two classes, given class 1 where its logit is above 0.
 *
 *     accuracy            sum hit / n
 *     balanced accuracy   mean of hit/truth             over the classes that occur in the labels
 *     F1                  2 hit / (truth + guess)       class 1 of a binary task; otherwise the mean over the classes
 *                                                       that occur in labels or guesses
 */
#include "metrics/metrics.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

struct tally {
    int32_t n_classes;
    bool binary;
    int64_t n;                    /* labelled graphs */
    int64_t *hit, *truth, *guess; /* [n_classes] each, one block that starts at `hit` */
};

static int32_t output_count(const struct l2r_scores *s)
{
    return s->task == L2R_TASK_MULTICLASS ? s->n_classes : s->n_tasks;
}

static int32_t guessed_class(const struct l2r_scores *s, int64_t graph, int32_t task)
{
    const float *row = s->output + graph * output_count(s);
    if (s->task == L2R_TASK_BINARY) return row[task] > 0;
    int32_t best = 0;
    for (int32_t k = 1; k < s->n_classes; k++) {
        if (row[k] > row[best]) best = k;
    }
    return best;
}

static void tally_column(struct tally *t, const struct l2r_scores *s, int32_t task)
{
    t->n = 0;
    memset(t->hit, 0, sizeof *t->hit * 3 * (size_t)t->n_classes);
    for (int64_t g = 0; g < s->n_graphs; g++) {
        float label = s->labels[g * s->n_tasks + task];
        if (isnan(label)) continue;
        int32_t truth = (int32_t)label, guess = guessed_class(s, g, task);
        t->n++;
        t->truth[truth]++;
        t->guess[guess]++;
        t->hit[truth] += truth == guess;
    }
}

static double tally_accuracy(const struct tally *t)
{
    int64_t hits = 0;
    for (int32_t k = 0; k < t->n_classes; k++) hits += t->hit[k];
    return (double)hits / (double)t->n;
}

static double tally_balanced(const struct tally *t)
{
    double sum = 0;
    int32_t present = 0;
    for (int32_t k = 0; k < t->n_classes; k++) {
        if (t->truth[k] == 0) continue;
        sum += (double)t->hit[k] / (double)t->truth[k];
        present++;
    }
    return sum / present;
}

static double tally_f1(const struct tally *t)
{
    double sum = 0;
    int32_t present = 0;
    for (int32_t k = t->binary ? 1 : 0; k < t->n_classes; k++) {
        int64_t either = t->truth[k] + t->guess[k];
        if (either == 0) continue;
        sum += 2 * (double)t->hit[k] / (double)either;
        present++;
    }
    return present ? sum / present : 0; /* no positive graph and no positive guess: 0, as scikit-learn */
}

/* The mean of a formula over the tasks that have a labelled graph. */
static enum l2r_status mean_of_tallies(double *value, const struct l2r_scores *s,
                                       double (*formula)(const struct tally *), struct l2r_error *error)
{
    bool binary = s->task == L2R_TASK_BINARY;
    struct tally t = {.n_classes = binary ? 2 : s->n_classes, .binary = binary};
    t.hit = l2r_alloc(3 * (size_t)t.n_classes, sizeof *t.hit);
    if (!t.hit) return l2r_fail_memory(error, 3 * (size_t)t.n_classes * sizeof *t.hit, "class counts");
    t.truth = t.hit + t.n_classes;
    t.guess = t.truth + t.n_classes;
    double sum = 0;
    int32_t defined = 0;
    for (int32_t task = 0; task < s->n_tasks; task++) {
        tally_column(&t, s, task);
        if (t.n == 0) continue;
        sum += formula(&t);
        defined++;
    }
    *value = defined ? sum / defined : (double)NAN;
    l2r_free(t.hit);
    return L2R_OK;
}

static enum l2r_status accuracy(double *value, const struct l2r_scores *s, struct l2r_error *error)
{
    return mean_of_tallies(value, s, tally_accuracy, error);
}

static enum l2r_status balanced_accuracy(double *value, const struct l2r_scores *s, struct l2r_error *error)
{
    return mean_of_tallies(value, s, tally_balanced, error);
}

static enum l2r_status f1(double *value, const struct l2r_scores *s, struct l2r_error *error)
{
    return mean_of_tallies(value, s, tally_f1, error);
}

/* The mean over tasks of sqrt(mean squared error), or of the mean absolute error. */
static double mean_distance(const struct l2r_scores *s, bool squared)
{
    double total = 0;
    int32_t defined = 0;
    for (int32_t task = 0; task < s->n_tasks; task++) {
        double sum = 0;
        int64_t n = 0;
        for (int64_t at = task; at < s->n_graphs * s->n_tasks; at += s->n_tasks) {
            if (isnan(s->labels[at])) continue;
            double off = (double)s->output[at] - (double)s->labels[at];
            sum += squared ? off * off : fabs(off);
            n++;
        }
        if (n == 0) continue;
        total += squared ? sqrt(sum / (double)n) : sum / (double)n;
        defined++;
    }
    return defined ? total / defined : (double)NAN;
}

static enum l2r_status rmse(double *value, const struct l2r_scores *s, struct l2r_error *error)
{
    (void)error;
    *value = mean_distance(s, true);
    return L2R_OK;
}

static enum l2r_status mae(double *value, const struct l2r_scores *s, struct l2r_error *error)
{
    (void)error;
    *value = mean_distance(s, false);
    return L2R_OK;
}

#define CLASSES (1u << L2R_TASK_MULTICLASS | 1u << L2R_TASK_BINARY)
#define VALUES (1u << L2R_TASK_REGRESSION)
#define LABELLED "a labelled graph"
#define BOTH_CLASSES "a task with both classes among its labelled graphs"

const struct l2r_metric l2r_metrics[] = {
    {"accuracy", "Accuracy", true, CLASSES, LABELLED, accuracy},
    {"balanced_accuracy", "Balanced accuracy", true, CLASSES, LABELLED, balanced_accuracy},
    {"f1", "F1", true, CLASSES, LABELLED, f1},
    {"rocauc", "ROC-AUC", true, CLASSES, BOTH_CLASSES, l2r_metric_rocauc},
    {"ap", "Average precision", true, CLASSES, BOTH_CLASSES, l2r_metric_ap},
    {"rmse", "RMSE", false, VALUES, LABELLED, rmse},
    {"mae", "MAE", false, VALUES, LABELLED, mae},
    {0}};

const struct l2r_metric *l2r_metric_find(const char *name)
{
    for (const struct l2r_metric *m = l2r_metrics; m->name; m++) {
        if (strcmp(m->name, name) == 0) return m;
    }
    return NULL;
}

const struct l2r_metric *l2r_metric_default(enum l2r_task task)
{
    if (task == L2R_TASK_REGRESSION) return l2r_metric_find("rmse");
    return l2r_metric_find(task == L2R_TASK_BINARY ? "rocauc" : "accuracy");
}

bool l2r_metric_suits(const struct l2r_metric *metric, enum l2r_task task)
{
    return metric->tasks >> task & 1u;
}

bool l2r_metric_better(const struct l2r_metric *metric, double value, double best)
{
    if (isnan(value)) return false;
    if (isnan(best)) return true;
    return metric->higher_is_better ? value > best : value < best;
}

static enum l2r_status check_scores(const struct l2r_metric *m, const struct l2r_scores *s, struct l2r_error *error)
{
    int32_t n_outputs = output_count(s);
    if (!l2r_metric_suits(m, s->task))
        return l2r_fail(error, L2R_ERR_ARGUMENT, "metric %s does not suit a %s task; %s does", m->name,
                        l2r_task_name(s->task), l2r_metric_default(s->task)->name);
    if (s->task == L2R_TASK_MULTICLASS && (s->n_classes < 2 || s->n_tasks != 1))
        return l2r_fail(error, L2R_ERR_ARGUMENT,
                        "metric %s: a multi-class task has 1 label column and 2 or more classes, not %d and %d",
                        m->name, s->n_tasks, s->n_classes);
    for (int64_t at = 0; at < s->n_graphs * n_outputs; at++) {
        if (!isfinite(s->output[at]))
            return l2r_fail(error, L2R_ERR_DIVERGED, "metric %s: output %d of graph %lld is %g, not a finite number",
                            m->name, (int)(at % n_outputs), (long long)(at / n_outputs), (double)s->output[at]);
    }
    if (s->task == L2R_TASK_REGRESSION) return L2R_OK;
    int32_t n_classes = s->task == L2R_TASK_BINARY ? 2 : s->n_classes;
    for (int64_t at = 0; at < s->n_graphs * s->n_tasks; at++) {
        float label = s->labels[at];
        if (isnan(label) || (label >= 0 && label < (float)n_classes && label == floorf(label))) continue;
        return l2r_fail(error, L2R_ERR_ARGUMENT, "metric %s: label %d of graph %lld is %g, not a class 0..%d", m->name,
                        (int)(at % s->n_tasks), (long long)(at / s->n_tasks), (double)label, n_classes - 1);
    }
    return L2R_OK;
}

enum l2r_status l2r_metric_compute(double *value, const struct l2r_metric *metric, const struct l2r_scores *scores,
                                   struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    double result = (double)NAN;
    L2R_TRY(check_scores(metric, scores, error));
    L2R_TRY(metric->fn(&result, scores, error));
    if (isnan(result))
        L2R_FAIL(L2R_ERR_ARGUMENT, "metric %s is undefined on these %lld graphs: it needs %s", metric->name,
                 (long long)scores->n_graphs, metric->needs);
done:
    *value = status == L2R_OK ? result : (double)NAN;
    return status;
}
