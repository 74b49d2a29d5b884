/* SPDX-License-Identifier: MIT
 *
 * Messages without their wording: the expected sentence shows what a message is like, and the message must have
 *
 *     its keys     options, paths, numbers, quoted names, capitals:  --lr, `lr`, a/b.csv:7, "gin", 0..4, RDKit, UTF-8
 *     its words    at least half of those with five letters or more
 *
 * so that a sentence can be rewritten without its tests.
 */
#ifndef L2R_TESTS_MESSAGES_H
#define L2R_TESTS_MESSAGES_H

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { MESSAGE_WORD = 256 };

static inline bool message_word_is_key(const char *word, bool quoted)
{
    if (quoted || strpbrk(word, "0123456789/_=<>|") || strncmp(word, "--", 2) == 0) return true;
    for (const char *c = word + 1; *c; c++)
        if (isupper((unsigned char)*c)) return true;
    return false;
}

/* The next word of the sentence without punctuation; false at the end. */
static inline bool message_next_word(char *word, bool *quoted, const char **at)
{
    static const char marks[] = "`\"'(),;:.[]{}!?";
    *at += strspn(*at, " \n");
    size_t n = strcspn(*at, " \n");
    const char *first = *at, *last = *at + n;
    if (n == 0) return false;
    *quoted = memchr(first, '`', n) || memchr(first, '"', n);
    *at = last;
    while (first < last && strchr(marks, *first)) first++;
    while (last > first && strchr(marks, last[-1])) last--;
    n = (size_t)(last - first) < MESSAGE_WORD ? (size_t)(last - first) : 0;
    memcpy(word, first, n);
    word[n] = '\0';
    return true;
}

static inline bool message_matches(const char *message, const char *expected)
{
    char word[MESSAGE_WORD];
    bool quoted;
    int words = 0, found = 0;
    while (message_next_word(word, &quoted, &expected)) {
        if (*word == '\0') continue;
        bool there = strcasestr(message, word) != NULL;
        if (message_word_is_key(word, quoted)) {
            if (!strstr(message, word)) return false;
        } else if (strlen(word) >= 5) {
            words++;
            found += there;
        }
    }
    return *message && 2 * found >= words;
}

/* The same for one of several lines. */
static inline bool message_has_line(const char *text, const char *expected)
{
    char line[4096];
    while (text && *text) {
        size_t n = strcspn(text, "\n");
        snprintf(line, sizeof line, "%.*s", (int)n, text);
        if (message_matches(line, expected)) return true;
        text += n + (text[n] == '\n');
    }
    return false;
}

static inline void expect_message(const char *message, const char *expected)
{
    if (!message_matches(message, expected)) fail_msg("\"%s\" is not like \"%s\"", message, expected);
}

#endif
