// SPDX-License-Identifier: Apache-2.0
// What a history keeps, whoever writes to it, and what it says of two runs.
#include "app/session/kernel_bench/history.h"
#include "app/session/kernel_bench/versions.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

using namespace hidet;
using namespace hidet::session;

namespace {

class Folder {
public:
    Folder() {
        char name[] = "/tmp/hidet-history-XXXXXX";
        m_path = ::mkdtemp(name);
    }
    ~Folder() {
        std::error_code ignored;
        std::filesystem::remove_all(m_path, ignored);
    }
    std::string file() const { return m_path + "/history.jsonl"; }

private:
    std::string m_path;
};

RunRecord run_at(const std::string& when, double median, double spread = 0.02) {
    RunRecord run;
    run.when = when;
    run.script = "matmul.py";
    run.module = 1;
    run.function = "matmul";
    run.shapes = "f32[64, 64]";
    run.where = "emulator";
    run.verdict = VerdictKind::Correct;
    run.sentence = "correct: agrees with 'expected'";
    run.times = TimesView{median, median * (1 - spread), median * (1 + spread), 100, 2 * spread, {}};
    run.kernels = {{"matmul", 32, 0, 1024, 0.5}};
    return run;
}

std::string text_of(const std::string& path) {
    std::ostringstream out;
    out << std::ifstream(path).rdbuf();
    return out.str();
}

TEST_CASE("a missing file is an empty history") {
    Folder folder;
    History history(folder.file());
    REQUIRE(history.load().ok());
    REQUIRE(history.runs().size() == 0u);
    REQUIRE(history.note() == "");
}

TEST_CASE("an error of zero and no comparison at all are two things") {
    Folder folder;
    History history(folder.file());
    RunRecord compared = run_at("2025-01-01T00:00:00Z", 1e-3), unchecked = run_at("2025-01-02T00:00:00Z", 1e-3);
    compared.max_absolute = 0;
    unchecked.verdict = VerdictKind::Unchecked;
    REQUIRE(history.append(compared, "text").ok());
    REQUIRE(history.append(unchecked, "text").ok());
    History other(folder.file());
    REQUIRE(other.load().ok());
    REQUIRE(other.runs()[0].max_absolute == 0.0);
    REQUIRE(!other.runs()[1].max_absolute);
}

TEST_CASE("what is appended is read again, in order") {
    Folder folder;
    History history(folder.file());
    RunRecord first = run_at("2025-01-01T00:00:00Z", 1e-3), second = run_at("2025-01-02T00:00:00Z", 2e-3);
    REQUIRE(history.append(first, "text").ok());
    REQUIRE(history.append(second, "text").ok());
    History other(folder.file());
    REQUIRE(other.load().ok());
    REQUIRE(other.runs().size() == 2u);
    REQUIRE(other.runs()[1].when == "2025-01-02T00:00:00Z");
    REQUIRE(other.runs()[1].times->median == 2e-3);
    REQUIRE(other.runs()[0].kernels.at(0).registers == 32);
    REQUIRE(other.runs()[0].verdict == VerdictKind::Correct);
}

TEST_CASE("runs of one instant get numbers") {
    Folder folder;
    History history(folder.file());
    RunRecord first = run_at("now", 1), second = run_at("now", 2);
    REQUIRE((history.append(first, "text").ok() && history.append(second, "text").ok()));
    REQUIRE(first.number == 0);
    REQUIRE(second.number == 1);
}

TEST_CASE("lines that cannot be read are skipped and counted, and a cut line swallows nothing") {
    Folder folder;
    History history(folder.file());
    RunRecord run = run_at("a", 1);
    REQUIRE(history.append(run, "text").ok());
    std::ofstream(folder.file(), std::ios::app) << "{\"run\": {\"when\": 3}}\nnonsense\n{\"run\": {\"wh";
    RunRecord next = run_at("b", 1);
    REQUIRE(history.append(next, "text").ok());
    History other(folder.file());
    REQUIRE(other.load().ok());
    REQUIRE(other.runs().size() == 2u);
    REQUIRE(other.runs()[1].when == "b");
    REQUIRE(other.note() == "3 lines of '" + folder.file() + "' could not be read");
}

TEST_CASE("a baseline is one run of its key, and another pin replaces it") {
    Folder folder;
    History history(folder.file());
    RunRecord a = run_at("a", 1), b = run_at("b", 1);
    REQUIRE((history.append(a, "text").ok() && history.append(b, "text").ok()));
    REQUIRE(history.pin("a", 0).value());
    REQUIRE(history.pin("b", 0).value());
    REQUIRE(!history.pin("c", 0).value());
    History other(folder.file());
    REQUIRE(other.load().ok());
    REQUIRE(baselines_of(other.runs()).at(a.key())->when == "b");
    REQUIRE(other.unpin(a.key()).ok());
    REQUIRE(baselines_of(other.runs()).empty());
    REQUIRE(history.load().ok());
    REQUIRE(baselines_of(history.runs()).empty());
}

TEST_CASE("a history that grows too large loses its older half, but no baseline") {
    Folder folder;
    History history(folder.file(), {4096});
    RunRecord first = run_at("000", 1);
    REQUIRE(history.append(first, "text").ok());
    REQUIRE(history.pin("000", 0).value());
    for (int i = 1; i < 40; ++i) {
        RunRecord run = run_at(std::to_string(100 + i), 1);
        REQUIRE(history.append(run, "text").ok());
    }
    REQUIRE(text_of(folder.file()).size() <= 4096 + 600);
    REQUIRE(baselines_of(history.runs()).at(first.key())->when == "000");
    REQUIRE(history.runs().back().when == "139");
    REQUIRE(history.runs().size() < 20);
    History other(folder.file());
    REQUIRE(other.load().ok());
    REQUIRE(other.runs().size() == history.runs().size());
    REQUIRE(other.note() == "");
}

TEST_CASE("of a file that others have made far too long only the newest lines are read") {
    Folder folder;
    History history(folder.file());
    for (int i = 0; i < 20; ++i) {
        RunRecord run = run_at(std::to_string(100 + i), 1);
        REQUIRE(history.append(run, "text").ok());
    }
    const std::size_t line = text_of(folder.file()).size() / 20;
    History other(folder.file(), {static_cast<std::int64_t>(line * 2)});
    REQUIRE(other.load().ok());
    REQUIRE(other.runs().size() >= 3);
    REQUIRE(other.runs().size() <= 4);
    REQUIRE(other.runs().back().when == "119");
    REQUIRE(other.note().find("older lines") == 0);
}

TEST_CASE("writers side by side lose nothing") {
    Folder folder;
    std::vector<std::thread> writers;
    for (int t = 0; t < 4; ++t)
        writers.emplace_back([&folder] {
            History history(folder.file());
            for (int i = 0; i < 10; ++i) {
                RunRecord run = run_at("same", 1);
                (void)history.append(run, "text").ok();
            }
        });
    for (std::thread& writer : writers)
        writer.join();
    History history(folder.file());
    REQUIRE(history.load().ok());
    REQUIRE(history.runs().size() == 40u);
    std::vector<bool> seen(40);
    for (const RunRecord& run : history.runs())
        seen.at(static_cast<std::size_t>(run.number)) = true;
    REQUIRE(std::find(seen.begin(), seen.end(), false) == seen.end());
    REQUIRE(history.note() == "");
}

TEST_CASE("a file that cannot be written is an error, not an exception") {
    History history("/nonexistent/folder/history.jsonl");
    RunRecord run = run_at("a", 1);
    REQUIRE(history.append(run, "text").error().code == "file-not-written");
}

// Of another text.
RunRecord edited(const std::string& when, const std::string& text, double median) {
    RunRecord run = run_at(when, median);
    run.hash = hash_text(text);
    return run;
}

TEST_CASE("a text is kept once, read again, and gone with the last run of it") {
    Folder folder;
    History history(folder.file());
    RunRecord a = edited("a", "one\n", 1), again = edited("b", "one\n", 1), empty = edited("c", "", 1);
    REQUIRE(history.append(a, "one\n").ok());
    REQUIRE(history.append(again, "one\n").ok());
    REQUIRE(history.append(empty, "").ok());
    REQUIRE(history.text_of(a).value() == "one\n");
    REQUIRE(history.text_of(empty).value() == "");
    empty.hash = "../../etc/passwd";
    REQUIRE(history.text_of(empty).error().code == "history-text-missing");
    const std::string kept = folder.file() + ".texts/" + hash_text("one\n") + ".py";
    std::ofstream(kept) << "two\n";
    REQUIRE(history.text_of(a).error().message == "the file with the text of this run was changed");
    REQUIRE(history.append(again, "one\n").ok()); // which mends it
    REQUIRE(history.text_of(a).value() == "one\n");
    RunRecord other = edited("d", "three\n", 1);
    other.script = "softmax.py";
    REQUIRE(history.append(other, "three\n").ok());
    REQUIRE(history.forget("matmul.py").ok());
    REQUIRE(history.runs().size() == 1u);
    REQUIRE(!std::filesystem::exists(kept));
    REQUIRE(history.text_of(other).value() == "three\n");
}

TEST_CASE("a name stays with its run, also when the history grows too large") {
    Folder folder;
    History history(folder.file(), {4096});
    RunRecord first = run_at("000", 1);
    REQUIRE(history.append(first, "text").ok());
    REQUIRE(history.rename("000", 0, "before the swizzle").value());
    REQUIRE(!history.rename("nobody", 0, "x").value());
    for (int i = 1; i < 40; ++i) {
        RunRecord run = run_at(std::to_string(100 + i), 1);
        REQUIRE(history.append(run, "text").ok());
    }
    History other(folder.file());
    REQUIRE(other.load().ok());
    REQUIRE(other.runs().front().when == "000");
    REQUIRE(other.runs().front().name == "before the swizzle");
    REQUIRE(other.rename("000", 0, "").value());
    REQUIRE(other.runs().front().name == "");
}

TEST_CASE("the change that made a script slower lies after the last text that was as fast as the fastest") {
    std::vector<RunRecord> runs{edited("1", "a", 1.3),  edited("2", "b", 1), edited("3", "b", 1.01),
                                edited("4", "c", 0.99), edited("5", "d", 2), edited("6", "e", 1.9)};
    const std::vector<Version> versions = versions_of(runs, runs.front().key());
    REQUIRE(versions.size() == 5u);
    REQUIRE(versions[1].runs == 2);
    const auto slow = slowdown_of(versions);
    REQUIRE(slow);
    REQUIRE(versions[slow->fastest].best.when == "4");
    REQUIRE(versions[slow->before].best.when == "4");
    REQUIRE(versions[slow->after].best.when == "5");
    REQUIRE(slow->whole.sentence == "92 % slower, beyond the spread of both");
}

TEST_CASE("texts that are wrong or were not measured are said to be unknown") {
    std::vector<RunRecord> runs{edited("1", "a", 1), edited("2", "b", 0.1), edited("3", "c", 1), edited("4", "d", 2)};
    runs[1].verdict = VerdictKind::Wrong;
    runs[2].times.reset();
    const std::vector<Version> versions = versions_of(runs, runs.front().key());
    const auto slow = slowdown_of(versions);
    REQUIRE(slow);
    REQUIRE(slow->before == 0u);
    REQUIRE(slow->after == 3u);
    REQUIRE(slow->unknown == 2);
}

TEST_CASE("what is not slower beyond the spread has no change to blame") {
    std::vector<RunRecord> runs{edited("1", "a", 1), edited("2", "b", 1.01)};
    REQUIRE(!slowdown_of(versions_of(runs, runs.front().key())));
    REQUIRE(!slowdown_of(versions_of({runs[0]}, runs.front().key())));
    REQUIRE(!slowdown_of({}));
}

TEST_CASE("a difference beyond the spread of both is said") {
    Delta delta = delta_of(run_at("b", 0.8), run_at("a", 1));
    REQUIRE(delta.change == Change::Faster);
    REQUIRE(delta.sentence == "20 % faster, beyond the spread of both");
    REQUIRE(delta_of(run_at("b", 1.5), run_at("a", 1)).change == Change::Slower);
}

TEST_CASE("a difference within the spread is no difference") {
    Delta delta = delta_of(run_at("b", 0.95, 0.05), run_at("a", 1, 0.05));
    REQUIRE(delta.change == Change::WithinSpread);
    REQUIRE(delta.sentence == "no difference beyond the spread; the medians differ by 5.0 %");
}

TEST_CASE("runs of a GPU whose clock differed, or that was slowed down, are not compared") {
    RunRecord now = run_at("b", 0.8), then = run_at("a", 1);
    now.clocks = bench::Clocks{1410, 1410, {"power limit"}};
    then.clocks = bench::Clocks{1350, 1410, {}};
    REQUIRE(delta_of(now, then).change == Change::Faster);
    then.clocks = bench::Clocks{1980, 1980, {}};
    REQUIRE(delta_of(now, then).sentence == "not compared: of the GPU, its clock was between 1410 and 1980 MHz");
    then.clocks = bench::Clocks{1410, 1410, {"temperature"}};
    REQUIRE(delta_of(now, then).sentence == "not compared: of the GPU, it was slowed down by: temperature");
    std::vector<RunRecord> read;
    REQUIRE((apply_line(line_of(then), read) && read.front().clocks->slowed_by == then.clocks->slowed_by));
}

TEST_CASE("a wrong run is not faster") {
    RunRecord wrong = run_at("b", 0.1);
    wrong.verdict = VerdictKind::Wrong;
    Delta delta = delta_of(wrong, run_at("a", 1));
    REQUIRE(delta.change == Change::NotComparable);
    REQUIRE(delta.sentence == "not compared: this run is not right");
}

TEST_CASE("few measurements and other shapes are not compared") {
    RunRecord few = run_at("b", 0.1);
    few.times->count = 3;
    REQUIRE(delta_of(few, run_at("a", 1)).sentence == "not compared: 3 measurements are too few");
    RunRecord other = run_at("b", 0.1);
    other.shapes = "f32[8, 8]";
    REQUIRE(delta_of(other, run_at("a", 1)).change == Change::NotComparable);
}

} // namespace
