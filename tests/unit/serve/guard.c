/* SPDX-License-Identifier: MIT
 *
 * Who may ask a server (serve/guard.h): every combination that a browser, a program or another site can send.
 */
#include "serve/guard.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const struct l2r_guard open_one = {.port = 8080}, locked = {.port = 8080, .token = "sixteen-letters-"};

static enum l2r_guard_answer ask(struct l2r_origin_headers headers, bool page)
{
    return l2r_guard_check(&open_one, &headers, page);
}

static void hosts(void **state)
{
    (void)state;
    static const char *const good[] = {"127.0.0.1:8080", "localhost:8080", "LOCALHOST:8080", "[::1]:8080"};
    static const char *const bad[] = {"",
                                      "127.0.0.1",
                                      "127.0.0.1:80",
                                      "localhost",
                                      "evil.example:8080",
                                      "127.0.0.1:8080.evil.example",
                                      "127.0.0.2:8080",
                                      "0.0.0.0:8080",
                                      "localhost:8080 ",
                                      " localhost:8080"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_int_equal(ask((struct l2r_origin_headers){.host = good[i]}, true), L2R_GUARD_PASS);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(ask((struct l2r_origin_headers){.host = bad[i]}, true), L2R_GUARD_HOST);
    assert_int_equal(ask((struct l2r_origin_headers){0}, true), L2R_GUARD_HOST);
    const struct l2r_guard usual = {.port = 80};
    const struct l2r_origin_headers bare = {.host = "localhost"};
    assert_int_equal(l2r_guard_check(&usual, &bare, true), L2R_GUARD_PASS);
}

static void origins(void **state)
{
    (void)state;
    struct l2r_origin_headers h = {.host = "localhost:8080"};
    static const char *const bad[] = {"null",
                                      "",
                                      "http://evil.example",
                                      "http://localhost",
                                      "https://localhost:8080",
                                      "http://localhost:8080.evil.example",
                                      "http://127.0.0.1:8080"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        h.origin = bad[i];
        assert_int_equal(ask(h, true), L2R_GUARD_ORIGIN);
    }
    h.origin = "http://localhost:8080";
    assert_int_equal(ask(h, false), L2R_GUARD_PASS);
    h.site = "same-origin";
    assert_int_equal(ask(h, false), L2R_GUARD_PASS);
    h.site = "cross-site";
    assert_int_equal(ask(h, false), L2R_GUARD_ORIGIN);
}

static void links_from_elsewhere(void **state)
{
    (void)state;
    struct l2r_origin_headers h = {.host = "localhost:8080", .site = "cross-site", .mode = "navigate"};
    assert_int_equal(ask(h, true), L2R_GUARD_PASS);
    assert_int_equal(ask(h, false), L2R_GUARD_ORIGIN);
    h.mode = "no-cors";
    assert_int_equal(ask(h, true), L2R_GUARD_ORIGIN);
    h = (struct l2r_origin_headers){.host = "localhost:8080", .site = "same-site"};
    assert_int_equal(ask(h, true), L2R_GUARD_ORIGIN);
    h.site = "none";
    assert_int_equal(ask(h, false), L2R_GUARD_PASS);
}

static enum l2r_guard_answer ask_locked(struct l2r_origin_headers headers)
{
    headers.host = "model.example";
    return l2r_guard_check(&locked, &headers, true);
}

static void tokens(void **state)
{
    (void)state;
    typedef struct l2r_origin_headers headers;
    assert_int_equal(ask_locked((headers){0}), L2R_GUARD_TOKEN);
    assert_int_equal(ask_locked((headers){.authorization = "Bearer sixteen-letters-"}), L2R_GUARD_PASS);
    assert_int_equal(ask_locked((headers){.authorization = "bearer sixteen-letters-"}), L2R_GUARD_PASS);
    assert_int_equal(ask_locked((headers){.authorization = "Bearer sixteen-letters-x"}), L2R_GUARD_TOKEN);
    assert_int_equal(ask_locked((headers){.authorization = "Bearer sixteen-letters"}), L2R_GUARD_TOKEN);
    assert_int_equal(ask_locked((headers){.authorization = "Bearer "}), L2R_GUARD_TOKEN);
    assert_int_equal(ask_locked((headers){.query_token = "sixteen-letters-"}), L2R_GUARD_PASS);
    assert_int_equal(ask_locked((headers){.query_token = "-sixteen-letters"}), L2R_GUARD_TOKEN);
    assert_int_equal(ask_locked((headers){.cookie = "a=b; l2r-token=sixteen-letters-; c=d"}), L2R_GUARD_PASS);
    assert_int_equal(ask_locked((headers){.cookie = "l2r-token=; l2r-token=sixteen-letters-"}), L2R_GUARD_PASS);
    assert_int_equal(ask_locked((headers){.cookie = "x-l2r-token=sixteen-letters-"}), L2R_GUARD_TOKEN);
    assert_int_equal(ask_locked((headers){.cookie = "l2r-token=sixteen-letters-x"}), L2R_GUARD_TOKEN);
    /* A token does not make another site's request ours. */
    assert_int_equal(ask_locked((headers){.cookie = "l2r-token=sixteen-letters-", .origin = "http://evil.example"}),
                     L2R_GUARD_ORIGIN);
}

static void made_tokens_differ(void **state)
{
    (void)state;
    char a[L2R_TOKEN], b[L2R_TOKEN];
    assert_true(l2r_token_make(a) && l2r_token_make(b));
    assert_int_equal(strlen(a), L2R_TOKEN - 1);
    assert_string_not_equal(a, b);
    assert_true(l2r_token_is(a, a));
    assert_false(l2r_token_is(a, b) || l2r_token_is(a, "") || l2r_token_is(a, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(hosts), cmocka_unit_test(origins),
                                       cmocka_unit_test(links_from_elsewhere), cmocka_unit_test(tokens),
                                       cmocka_unit_test(made_tokens_differ)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
