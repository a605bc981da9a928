// SPDX-License-Identifier: Apache-2.0
// The main program of all C++ tests. ctest runs the cases of one file of it (--source-file); that none were found is a
// failure, and that all were skipped is exit code 77, neither of which doctest knows.
#define DOCTEST_CONFIG_IMPLEMENT
#include <atomic>
#include <cstdio>
#include <doctest/doctest.h>

#include "tests/harness/skip.h"

namespace {

struct Counts {
    unsigned cases = 0;
    unsigned skipped_cases = 0;
    std::atomic<bool> has_skipped = false; // the case that runs
};
Counts counts;

struct Counter : doctest::IReporter {
    explicit Counter(const doctest::ContextOptions&) {}
    void report_query(const doctest::QueryData&) override {}
    void test_run_start() override {}
    void test_run_end(const doctest::TestRunStats& run) override { counts.cases = run.numTestCasesPassingFilters; }
    void test_case_start(const doctest::TestCaseData&) override { counts.has_skipped = false; }
    void test_case_reenter(const doctest::TestCaseData&) override {}
    void test_case_end(const doctest::CurrentTestCaseStats&) override { counts.skipped_cases += counts.has_skipped; }
    void test_case_exception(const doctest::TestCaseException&) override {}
    void subcase_start(const doctest::SubcaseSignature&) override {}
    void subcase_end() override {}
    void log_assert(const doctest::AssertData&) override {}
    void log_message(const doctest::MessageData&) override {}
    void test_case_skipped(const doctest::TestCaseData&) override {}
};

} // namespace

REGISTER_LISTENER("counter", 1, Counter);

void hidet::test::skip(std::string_view reason) {
    std::printf("skipped: %.*s\n", static_cast<int>(reason.size()), reason.data());
    counts.has_skipped = true;
}

int main(int argc, char** argv) {
    doctest::Context context;
    context.setOption("no-intro", true);
    context.applyCommandLine(argc, argv);
    const int code = context.run();
    if (code != 0 || context.shouldExit())
        return code;
    if (counts.cases == 0) {
        std::printf("no case was chosen\n");
        return 1;
    }
    return counts.skipped_cases == counts.cases ? 77 : 0;
}
