// SPDX-License-Identifier: Apache-2.0
// What a history keeps, whoever writes to it, and what it says of two runs.
#include "app/session/kernel_bench/history.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <doctest/doctest.h>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <unistd.h>

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
        std::remove(file().c_str());
        ::rmdir(m_path.c_str());
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
    REQUIRE(history.append(compared).ok());
    REQUIRE(history.append(unchecked).ok());
    History other(folder.file());
    REQUIRE(other.load().ok());
    REQUIRE(other.runs()[0].max_absolute == 0.0);
    REQUIRE(!other.runs()[1].max_absolute);
}

TEST_CASE("what is appended is read again, in order") {
    Folder folder;
    History history(folder.file());
    RunRecord first = run_at("2025-01-01T00:00:00Z", 1e-3), second = run_at("2025-01-02T00:00:00Z", 2e-3);
    REQUIRE(history.append(first).ok());
    REQUIRE(history.append(second).ok());
    History other(folder.file());
    REQUIRE(other.load().ok());
    REQUIRE(other.runs().size() == 2u);
    REQUIRE(other.runs()[1].when == "2025-01-02T00:00:00Z");
    REQUIRE(other.runs()[1].times->median == 2e-3);
    REQUIRE(other.runs()[0].kernels.at(0).registers == 32);
    REQUIRE(other.runs()[0].verdict == VerdictKind::Correct);
    REQUIRE(other.previous(other.runs()[1])->when == "2025-01-01T00:00:00Z");
    REQUIRE(other.previous(other.runs()[0]) == nullptr);
}

TEST_CASE("runs of one instant get numbers") {
    Folder folder;
    History history(folder.file());
    RunRecord first = run_at("now", 1), second = run_at("now", 2);
    REQUIRE((history.append(first).ok() && history.append(second).ok()));
    REQUIRE(first.number == 0);
    REQUIRE(second.number == 1);
}

TEST_CASE("lines that cannot be read are skipped and counted, and a cut line swallows nothing") {
    Folder folder;
    History history(folder.file());
    RunRecord run = run_at("a", 1);
    REQUIRE(history.append(run).ok());
    std::ofstream(folder.file(), std::ios::app) << "{\"run\": {\"when\": 3}}\nnonsense\n{\"run\": {\"wh";
    RunRecord next = run_at("b", 1);
    REQUIRE(history.append(next).ok());
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
    REQUIRE((history.append(a).ok() && history.append(b).ok()));
    REQUIRE(history.pin("a", 0).value());
    REQUIRE(history.pin("b", 0).value());
    REQUIRE(!history.pin("c", 0).value());
    History other(folder.file());
    REQUIRE(other.load().ok());
    REQUIRE(other.baseline(a.key())->when == "b");
    REQUIRE(other.unpin(a.key()).ok());
    REQUIRE(other.baseline(a.key()) == nullptr);
    REQUIRE(history.load().ok());
    REQUIRE(history.baseline(a.key()) == nullptr);
}

TEST_CASE("a history that grows too large loses its older half, but no baseline") {
    Folder folder;
    History history(folder.file(), {4096});
    RunRecord first = run_at("000", 1);
    REQUIRE(history.append(first).ok());
    REQUIRE(history.pin("000", 0).value());
    for (int i = 1; i < 40; ++i) {
        RunRecord run = run_at(std::to_string(100 + i), 1);
        REQUIRE(history.append(run).ok());
    }
    REQUIRE(text_of(folder.file()).size() <= 4096 + 600);
    REQUIRE(history.baseline(first.key())->when == "000");
    REQUIRE(history.runs().back().when == "139");
    REQUIRE(history.runs().size() < 20);
    History other(folder.file());
    REQUIRE(other.load().ok());
    REQUIRE(other.runs().size() == history.runs().size());
    REQUIRE(other.note() == "");
}

TEST_CASE("writers side by side lose nothing") {
    Folder folder;
    std::vector<std::thread> writers;
    for (int t = 0; t < 4; ++t)
        writers.emplace_back([&folder] {
            History history(folder.file());
            for (int i = 0; i < 10; ++i) {
                RunRecord run = run_at("same", 1);
                (void)history.append(run).ok();
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
    REQUIRE(history.append(run).error().code == "history-unwritable");
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
