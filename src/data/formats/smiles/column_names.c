/* SPDX-License-Identifier: MIT
 *
 * Classifies a column by its name (targets.h): an identifier or a date, a split, something computed, a label. Names are
 * compared by their words, in small letters: "PUBCHEM_CID", "PubChem CID" and "pubchemCid" have the words pubchem and
 * cid. */
#include "data/formats/smiles/targets.h"

#include <ctype.h>
#include <string.h>

enum { LONGEST = 128 };

/* The words with a blank before and after each: " pubchem cid ". Returns how many there are. */
static int32_t split_words(char words[LONGEST], const char *name)
{
    size_t used = 0;
    int32_t n = 0;
    unsigned char before = 0;
    words[used++] = ' ';
    for (; *name && used + 3 < LONGEST; before = (unsigned char)*name++) {
        unsigned char letter = (unsigned char)*name;
        bool part = isalnum(letter) || letter >= 128;
        bool begins = islower(before) && isupper(letter);
        if ((!part || begins) && words[used - 1] != ' ') words[used++] = ' ';
        if (!part) continue;
        n += words[used - 1] == ' ';
        words[used++] = (char)tolower(letter);
    }
    if (words[used - 1] != ' ') words[used++] = ' ';
    words[used] = '\0';
    return n;
}

static bool is_among(const char *word, size_t length, const char *const *list)
{
    for (; *list; list++)
        if (strlen(*list) == length && strncmp(*list, word, length) == 0) return true;
    return false;
}

/* Is any of the words in the list? last: the last word alone. */
static bool has_word(const char *name, const char *const *list, bool last)
{
    char words[LONGEST];
    (void)split_words(words, name);
    for (const char *at = words + 1; *at;) {
        size_t length = strcspn(at, " ");
        bool end = at[length] == '\0' || at[length + 1] == '\0';
        if ((end || !last) && is_among(at, length, list)) return true;
        at += length + (at[length] == ' ');
    }
    return false;
}

/* The place of a name in a list that ends with NULL, words run together; -1: it is not there. */
static int32_t place_of(const char *name, const char *const *list)
{
    char words[LONGEST], joined[LONGEST];
    size_t length = 0;
    (void)split_words(words, name);
    for (const char *at = words; *at; at++)
        if (*at != ' ') joined[length++] = *at;
    joined[length] = '\0';
    for (int32_t i = 0; list[i]; i++)
        if (strcmp(list[i], joined) == 0) return i;
    return -1;
}

bool l2r_column_is_identifier(const char *name)
{
    static const char *const names[] = {"",      "idx", "index", "unnamed0", "molid", "cid",    "row",      "cas",
                                        "casrn", "no",  "nr",    "sid",      "aid",   "number", "inchikey", NULL};
    static const char *const ends[] = {"id", "ids", "identifier", "index", "number", "sid", "cid", "aid", "tag", NULL};
    static const char *const anywhere[] = {"year", "date", "pmid", "doi", NULL};
    return place_of(name, names) >= 0 || has_word(name, ends, true) || has_word(name, anywhere, false);
}

bool l2r_column_is_split(const char *name)
{
    static const char *const ends[] = {"split", "fold", "set", "subset", "partition", "part", NULL};
    return has_word(name, ends, true);
}

bool l2r_column_is_computed(const char *name)
{
    static const char *const anywhere[] = {"calc", "calculated", "computed", "predicted", "pred", "prediction", NULL};
    return has_word(name, anywhere, false);
}

int32_t l2r_column_is_known_label(const char *name)
{
    static const char *const names[] = {"pchemblvalue", "standardvalue", "pubchemactivityoutcome", "activityoutcome",
                                        NULL};
    return place_of(name, names);
}

int32_t l2r_column_is_usual_label(const char *name)
{
    static const char *const names[] = {"y",     "label", "labels",   "target",   "activity", "outcome",
                                        "class", "value", "exp",      "expt",     "pic50",    "pec50",
                                        "pki",   "pkd",   "response", "endpoint", "active",   NULL};
    static const char *const words[] = {"measured", "experimental", "exp", "expt", NULL};
    return place_of(name, names) >= 0 ? 0 : has_word(name, words, false) ? 1 : -1;
}

bool l2r_columns_have_like_names(const char *a, const char *b)
{
    char first[LONGEST], second[LONGEST];
    int32_t n = split_words(first, a), shared = 0, other = 0;
    if (split_words(second, b) != n) return false;
    for (const char *x = first + 1, *y = second + 1; *x && *y;) {
        size_t i = strcspn(x, " "), j = strcspn(y, " ");
        bool same = i == j && strncmp(x, y, i) == 0;
        size_t stem = strcspn(x, "0123456789 ");
        bool numbered = stem > 0 && strncmp(x, y, stem) == 0 && stem + strspn(x + stem, "0123456789") == i &&
                        stem + strspn(y + stem, "0123456789") == j;
        bool numbers = strspn(x, "0123456789") == i && strspn(y, "0123456789") == j;
        shared += same;
        other += !same && !numbered && !numbers;
        x += i + (x[i] == ' ');
        y += j + (y[j] == ' ');
    }
    return other == 0 || (other == 1 && shared >= 2);
}

bool l2r_column_is_relation_of(const char *name, const char *target, bool only)
{
    static const char *const names[] = {"standardrelation", "relation", "qualifier", "operator", "modifier", NULL};
    static const char *const words[] = {"relation", "qualifier", "operator", "modifier", NULL};
    char own[LONGEST], other[LONGEST];
    int32_t place = place_of(name, names);
    if (l2r_column_is_known_label(target) >= 0) return place == 0;
    if (place > 0) return only;
    int32_t n = split_words(own, name);
    if (n < 2 || split_words(other, target) != n - 1 || !has_word(name, words, true)) return false;
    return strncmp(own, other, strlen(other)) == 0; /* "IC50 relation" goes with "IC50" */
}
