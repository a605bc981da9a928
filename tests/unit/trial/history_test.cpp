// SPDX-License-Identifier: Apache-2.0
// What a history keeps, whoever writes to it, and what it says of two runs.
#include "app/session/trial/history.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>
#include <unistd.h>

#include "tests/harness/unit.h"

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

void keeping(hidet::test::Suite& suite) {
    suite.run("a missing file is an empty history", [] {
        Folder folder;
        History history(folder.file());
        EXPECT(history.load().ok());
        EXPECT_EQUAL(history.runs().size(), 0u);
        EXPECT_EQUAL(history.note(), "");
    });
    suite.run("what is appended is read again, in order", [] {
        Folder folder;
        History history(folder.file());
        RunRecord first = run_at("2025-01-01T00:00:00Z", 1e-3), second = run_at("2025-01-02T00:00:00Z", 2e-3);
        EXPECT(history.append(first).ok());
        EXPECT(history.append(second).ok());
        History other(folder.file());
        EXPECT(other.load().ok());
        EXPECT_EQUAL(other.runs().size(), 2u);
        EXPECT_EQUAL(other.runs()[1].when, "2025-01-02T00:00:00Z");
        EXPECT_EQUAL(other.runs()[1].times->median, 2e-3);
        EXPECT_EQUAL(other.runs()[0].kernels.at(0).registers, 32);
        EXPECT(other.runs()[0].verdict == VerdictKind::Correct);
        EXPECT_EQUAL(other.previous(other.runs()[1])->when, "2025-01-01T00:00:00Z");
        EXPECT(other.previous(other.runs()[0]) == nullptr);
    });
    suite.run("runs of one instant get numbers", [] {
        Folder folder;
        History history(folder.file());
        RunRecord first = run_at("now", 1), second = run_at("now", 2);
        EXPECT(history.append(first).ok() && history.append(second).ok());
        EXPECT_EQUAL(first.number, 0);
        EXPECT_EQUAL(second.number, 1);
    });
    suite.run("lines that cannot be read are skipped and counted, and a cut line swallows nothing", [] {
        Folder folder;
        History history(folder.file());
        RunRecord run = run_at("a", 1);
        EXPECT(history.append(run).ok());
        std::ofstream(folder.file(), std::ios::app) << "{\"run\": {\"when\": 3}}\nnonsense\n{\"run\": {\"wh";
        RunRecord next = run_at("b", 1);
        EXPECT(history.append(next).ok());
        History other(folder.file());
        EXPECT(other.load().ok());
        EXPECT_EQUAL(other.runs().size(), 2u);
        EXPECT_EQUAL(other.runs()[1].when, "b");
        EXPECT_EQUAL(other.note(), "3 lines of '" + folder.file() + "' could not be read");
    });
    suite.run("a baseline is one run of its key, and another pin replaces it", [] {
        Folder folder;
        History history(folder.file());
        RunRecord a = run_at("a", 1), b = run_at("b", 1);
        EXPECT(history.append(a).ok() && history.append(b).ok());
        EXPECT(history.pin("a", 0).value());
        EXPECT(history.pin("b", 0).value());
        EXPECT(!history.pin("c", 0).value());
        History other(folder.file());
        EXPECT(other.load().ok());
        EXPECT_EQUAL(other.baseline(a.key())->when, "b");
        EXPECT(other.unpin(a.key()).ok());
        EXPECT(other.baseline(a.key()) == nullptr);
        EXPECT(history.load().ok());
        EXPECT(history.baseline(a.key()) == nullptr);
    });
    suite.run("a history that grows too large loses its older half, but no baseline", [] {
        Folder folder;
        History history(folder.file(), {4096});
        RunRecord first = run_at("000", 1);
        EXPECT(history.append(first).ok());
        EXPECT(history.pin("000", 0).value());
        for (int i = 1; i < 40; ++i) {
            RunRecord run = run_at(std::to_string(100 + i), 1);
            EXPECT(history.append(run).ok());
        }
        EXPECT(text_of(folder.file()).size() <= 4096 + 600);
        EXPECT_EQUAL(history.baseline(first.key())->when, "000");
        EXPECT_EQUAL(history.runs().back().when, "139");
        EXPECT(history.runs().size() < 20);
        History other(folder.file());
        EXPECT(other.load().ok());
        EXPECT_EQUAL(other.runs().size(), history.runs().size());
        EXPECT_EQUAL(other.note(), "");
    });
    suite.run("writers side by side lose nothing", [] {
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
        EXPECT(history.load().ok());
        EXPECT_EQUAL(history.runs().size(), 40u);
        std::vector<bool> seen(40);
        for (const RunRecord& run : history.runs())
            seen.at(static_cast<std::size_t>(run.number)) = true;
        EXPECT(std::find(seen.begin(), seen.end(), false) == seen.end());
        EXPECT_EQUAL(history.note(), "");
    });
    suite.run("a file that cannot be written is an error, not an exception", [] {
        History history("/nonexistent/folder/history.jsonl");
        RunRecord run = run_at("a", 1);
        EXPECT_EQUAL(history.append(run).error().code, "history-unwritable");
    });
}

void comparing(hidet::test::Suite& suite) {
    suite.run("a difference beyond the spread of both is said", [] {
        Delta delta = delta_of(run_at("b", 0.8), run_at("a", 1));
        EXPECT(delta.change == Change::Faster);
        EXPECT_EQUAL(delta.sentence, "20.0 % less time, beyond the spread of both");
        EXPECT(delta_of(run_at("b", 1.5), run_at("a", 1)).change == Change::Slower);
    });
    suite.run("a difference within the spread is no difference", [] {
        Delta delta = delta_of(run_at("b", 0.95, 0.05), run_at("a", 1, 0.05));
        EXPECT(delta.change == Change::WithinSpread);
        EXPECT_EQUAL(delta.sentence, "no difference beyond the spread; the medians differ by 5.0 %");
    });
    suite.run("a wrong run is not faster", [] {
        RunRecord wrong = run_at("b", 0.1);
        wrong.verdict = VerdictKind::Wrong;
        Delta delta = delta_of(wrong, run_at("a", 1));
        EXPECT(delta.change == Change::NotComparable);
        EXPECT_EQUAL(delta.sentence, "not compared: this run is not right");
    });
    suite.run("few measurements and other shapes are not compared", [] {
        RunRecord few = run_at("b", 0.1);
        few.times->count = 3;
        EXPECT_EQUAL(delta_of(few, run_at("a", 1)).sentence, "not compared: 3 measurements are too few");
        RunRecord other = run_at("b", 0.1);
        other.shapes = "f32[8, 8]";
        EXPECT(delta_of(other, run_at("a", 1)).change == Change::NotComparable);
    });
}

} // namespace

int main(int argc, char** argv) {
    hidet::test::Suite suite(argc, argv);
    keeping(suite);
    comparing(suite);
    return suite.result();
}
