// SPDX-License-Identifier: Apache-2.0
// Which edits of a script are kept, and what is said of the texts that it was.
#include "app/session/kernel_bench/steps.h"

#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <unistd.h>

#include "app/session/kernel_bench/kept_edits.h"
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

std::string texts_of(const std::vector<EditState>& states) {
    std::string out;
    for (const EditState& state : states)
        out += *state.text + " ";
    return out;
}
std::string texts_of(const EditTrail& trail) {
    return texts_of(trail.states());
}

EditState edited(const std::string& when, const std::string& text) {
    return {when, hash_text(text), std::make_shared<const std::string>(text), {}};
}

struct EditFolder {
    std::filesystem::path path = std::filesystem::temp_directory_path() / ("kept_edits_" + std::to_string(::getpid()));
    EditFolder() { std::filesystem::create_directories(path); }
    ~EditFolder() { std::filesystem::remove_all(path); }
    std::string history() const { return (path / "history.jsonl").string(); }
    std::size_t texts() const {
        std::size_t count = 0;
        for ([[maybe_unused]] const auto& each :
             std::filesystem::directory_iterator(path / "history.jsonl.edits.texts"))
            ++count;
        return count;
    }
};

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

TEST_CASE("edits are there again, each once and by what they hold, with what was foretold of them") {
    const EditFolder folder;
    const KeptEdits kept(folder.history());
    CHECK(kept.of("a.py").empty());
    CHECK(kept.forget().value() == 0);
    std::vector<EditState> states = {edited("1", "one"), edited("2", "two")};
    states[1].modules[1] = {32, 4096, 1e-6, {}};
    REQUIRE(kept.add("a.py", states).ok());
    states.push_back(edited("3", "two"));
    states.push_back(edited("4", "one"));
    REQUIRE(kept.add("a.py", states).ok());
    REQUIRE(kept.add("b.py", {edited("1", "one")}).ok());
    CHECK(texts_of(kept.of("a.py")) == "one two one ");
    CHECK(kept.of("a.py")[1].modules == states[1].modules);
    CHECK(folder.texts() == 2);
    CHECK(kept.forget("a.py").value() == 3);
    CHECK(kept.of("a.py").empty());
    CHECK(texts_of(kept.of("b.py")) == "one ");
    CHECK(folder.texts() == 1);
}

TEST_CASE("of many edits the older ones go, more of them the older they are, and lines that cannot be read") {
    const EditFolder folder;
    const KeptEdits kept(folder.history(), {.of_script = 8, .of_all = 20, .bytes = 1000});
    for (int i = 10; i < 40; ++i)
        REQUIRE(kept.add("a.py", {edited(std::to_string(i), std::to_string(i))}).ok());
    const std::vector<EditState> left = kept.of("a.py");
    CHECK(left.size() <= 8);
    CHECK(*left.front().text == "10");
    CHECK(texts_of(left).ends_with("36 37 38 39 "));
    CHECK(folder.texts() == left.size());
    std::ofstream(folder.history() + ".edits", std::ios::app) << "{\"edit\": 3}\nnothing\n";
    CHECK(texts_of(kept.of("a.py")) == texts_of(left));
    REQUIRE(kept.add("large.py", {edited("1", std::string(600, 'x')), edited("2", std::string(700, 'y'))}).ok());
    CHECK(kept.of("large.py").size() == 1);
    REQUIRE(kept.add("too_large.py", {edited("1", std::string(2000, 'x'))}).ok());
    CHECK(kept.of("too_large.py").empty());
}

TEST_CASE("several programs add to one file") {
    const EditFolder folder;
    std::vector<std::thread> programs;
    for (const char* name : {"a", "b", "c", "d"})
        programs.emplace_back([&, name] {
            const KeptEdits kept(folder.history());
            for (int i = 0; i < 20; ++i)
                (void)kept.add(name, {edited(std::to_string(i + 10), name + std::to_string(i))});
        });
    for (std::thread& program : programs)
        program.join();
    for (const char* name : {"a", "b", "c", "d"})
        CHECK(KeptEdits(folder.history()).of(name).size() == 20);
}
