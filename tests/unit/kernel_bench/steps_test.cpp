// SPDX-License-Identifier: Apache-2.0
// Which edits of a script are kept, and what is said of the texts that it was.
#include "app/session/kernel_bench/steps.h"

#include <doctest/doctest.h>
#include <string>

#include "app/session/kernel_bench/run_texts.h"

using namespace hidet;
using namespace hidet::session;
using namespace std::chrono_literals;

namespace {

const EditTrail::Time start{};

RunRecord timed_run(const std::string& when, const std::string& text, double median, int registers) {
    RunRecord run;
    run.when = when;
    run.script = "matmul.py";
    run.hash = hash_text(text);
    run.module = 1;
    run.function = "matmul";
    run.verdict = VerdictKind::Correct;
    run.times = TimesView{median, median * 0.99, median * 1.01, 100, 0.02, {}};
    run.kernels = {{"matmul", registers, 0, 4096, 0.5}};
    return run;
}

std::string texts_of(const EditTrail& trail) {
    std::string out;
    for (const EditState& state : trail.states())
        out += *state.text + " ";
    return out;
}

} // namespace

TEST_CASE("a burst of typing leaves one text, and the first one stays") {
    EditTrail trail;
    trail.note("a", start, "1");
    trail.note("b", start + 1s, "2");
    trail.note("bc", start + 2s, "3");
    trail.note("bcd", start + 4s, "4");
    CHECK(texts_of(trail) == "a bcd ");
    trail.note("e", start + 8s, "5");
    CHECK(texts_of(trail) == "a bcd e ");
    CHECK(trail.states().back().when == "5");
}

TEST_CASE("a burst ends when it was run, and when it has gone on for long") {
    EditTrail trail;
    trail.note("a", start, "1");
    trail.note("b", start + 1s, "2");
    trail.end_burst();
    trail.note("c", start + 2s, "3");
    CHECK(texts_of(trail) == "a b c ");
    EditTrail typing;
    for (int i = 0; i < 40; ++i)
        typing.note(std::to_string(i), start + i * 1s, std::to_string(i));
    CHECK(texts_of(typing) == "0 30 39 ");
}

TEST_CASE("of many texts those go that lie closest together, never the first or the last") {
    EditLimits limits;
    limits.pause = 0ms;
    limits.states = 4;
    EditTrail trail(limits);
    for (const int at : {0, 100, 200, 210, 300, 400})
        trail.note(std::to_string(at), start + at * 1s, std::to_string(at));
    CHECK(trail.states().size() == 4);
    CHECK(*trail.states().front().text == "0");
    CHECK(*trail.states().back().text == "400");
    EditLimits small;
    small.pause = 0ms;
    small.bytes = 10;
    EditTrail large(small);
    for (const char* text : {"aaaa", "bbbb", "cccc", "dddd"})
        large.note(text, start + text[0] * 1s, text);
    CHECK(texts_of(large) == "aaaa dddd ");
}

TEST_CASE("runs and edits of one text are one step, with what it changed") {
    EditTrail trail;
    trail.note("old", start, "2026-01-01T10:00:00.000Z");
    trail.explain("old", {{1, {40, 4096, 2e-5, {}}}, {2, {99, 0, 1.0, {}}}});
    trail.end_burst();
    trail.note("between", start + 10s, "2026-01-01T10:02:00.000Z");
    trail.explain("old", {}); // it is not the newest any more
    trail.note("new", start + 20s, "2026-01-01T10:03:00.000Z");
    trail.explain("new", {{1, {32, 0, 1e-5, {}}}});
    const std::vector<RunRecord> runs{timed_run("2026-01-01T10:01:00Z", "old", 3e-5, 40),
                                      timed_run("2026-01-01T10:01:30Z", "old", 2e-5, 40),
                                      timed_run("2026-01-01T10:04:00Z", "new", 1e-5, 32)};
    const std::vector<TextStep> steps = steps_of(runs, trail.states());
    REQUIRE(steps.size() == 3);
    CHECK(steps[0].runs == 2);
    CHECK(steps[0].figures == CodeFigures{40, 4096, 2e-5, 2e-5});
    CHECK(steps[1].runs == 0);
    CHECK(steps[1].figures == CodeFigures{});
    CHECK(*trail.text_of(steps[1].hash) == "between");
    CHECK(steps[2].figures == CodeFigures{32, 4096, 1e-5, 1e-5});
    CHECK(steps[2].changes.empty()); // nothing is known of the text before
    const std::vector<TextStep> measured = steps_of(runs, {});
    REQUIRE(measured.size() == 2);
    CHECK(measured[1].changes ==
          std::vector<std::string>{"registers 40 to 32", "50 % faster, beyond the spread of both"});
}

TEST_CASE("figures that look alike have not changed, and a time of other arguments is none") {
    CHECK(changes_of({32, 1024, 1.0000e-5, {}}, {32, 1024, 1.0001e-5, {}}).empty());
    CHECK(changes_of({{}, 1024, {}, {}}, {32, 0, {}, {}}) == std::vector<std::string>{"shared memory none to 1 KiB"});
    CHECK(changes_of({{}, {}, 1e-5, {}}, {{}, {}, 2e-5, {}}).size() == 1);
    RunRecord other = timed_run("1", "a", 1e-5, 32);
    other.shapes = "f32[8]";
    const std::vector<TextStep> steps = steps_of({other, timed_run("2", "b", 1e-5, 32)}, {});
    CHECK(!steps[0].figures.measured);
    CHECK(steps[0].figures.registers == 32);
    CHECK(steps[1].figures.measured == 1e-5);
}
