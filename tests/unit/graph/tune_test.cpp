// SPDX-License-Identifier: Apache-2.0
// The search for schedules, with a template of one small space and times that the test makes up: what is tried, measured,
// remembered and chosen.
#include <doctest/doctest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "compiler/graph/names/keys.h"
#include "compiler/graph/script/schedule_text.h"
#include "compiler/graph/script/template_provider.h"
#include "compiler/ir/text/print.h"
#include "compiler/tune/fusions.h"
#include "lang/base/text.h"
#include "tests/unit/graph/interpret.h"

using namespace hidet;
using namespace hidet::graph;
using namespace hidet::test;

namespace {

const std::string script = R"(
import hidet
from hidet import tune
from hidet.lang import attrs, f32
from hidet.lang.cuda import blockIdx, threadIdx


@hidet.template('Softmax')
@tune.space(1, threads=[32, 48, 64, 96, 128, 160, 192, 224, 256, 1, 2])
@tune.space(2, threads=[32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448, 480, 512], twice=[True, False])
def rows(task, target, threads=128, twice=False):
    tune.check(threads >= 32, 'a warp has 32 threads')
    tune.metric('read_bytes', 1024 * threads)
    m, n = task.inputs[0].shape
    with hidet.script_module() as script_module:

        @hidet.script
        def kernel(x: f32[m, n], y: f32[m, n]):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = m
            attrs.cuda.block_dim = threads * (2 if twice else 1)
            if threadIdx.x < n:
                y[blockIdx.x, threadIdx.x] = x[blockIdx.x, threadIdx.x]

    return script_module
)";

// Seconds by the number of threads.
class MadeUpTimes : public tune::Measurer {
public:
    std::map<std::string, double> seconds;
    std::map<std::string, std::string> problems;
    std::vector<std::string> measured; // in order
    int most_trials = 1000;            // then the device is gone

    Result<void> measure(std::vector<tune::Measurement>& measurements,
                         const std::function<void(tune::Measurement&)>& done) override {
        for (tune::Measurement& measurement : measurements) {
            if (most_trials-- == 0)
                return Error{"device-lost", "it is gone"};
            for (const tune::Variant& variant : measurement.variants) {
                std::string schedule = variant.name; // in the middle of others: with their number
                if (measurement.reference.groups.size() > 1)
                    schedule += " of " + std::to_string(variant.groups.size());
                measured.push_back(schedule);
                const auto problem = problems.find(schedule);
                const auto known = seconds.find(schedule);
                measurement.outcomes.push_back({known == seconds.end() ? 1.0 : known->second, 0.1,
                                                problem == problems.end() ? "" : problem->second});
            }
            done(measurement);
        }
        return {};
    }
};

class Setting {
public:
    explicit Setting(const std::string& text = script, const graph::OpInfo& middle = op_info::Softmax())
        : m_templates(m_sources, m_sink, {{"rows.py", text}}),
          folder(std::filesystem::temp_directory_path() / "hidet-tune-XXXXXX") {
        std::string name = folder;
        REQUIRE(::mkdtemp(name.data()));
        folder = name;
        m_target = artifact::default_gpu();
        const ValueId x = m_graph.add_input("x", {ir::DType::F32, shape_of({6, 30})});
        const ValueId y = m_graph.add_one(op_info::Softmax(), {x}, {{"axis", std::int64_t(1)}});
        const ValueId z = m_graph.add_one(middle, {y}, {{"axis", std::int64_t(1)}});
        m_graph.set_outputs({m_graph.add_one(op_info::Softmax(), {z}, {{"axis", std::int64_t(1)}})});
        REQUIRE_MESSAGE(m_sink.all().empty(), render(m_sink.all(), m_sources));
        partition = graph::partition(m_graph);
    }
    ~Setting() { std::filesystem::remove_all(folder); }

    std::unique_ptr<tune::Records> records() {
        auto opened = tune::Records::open(folder + "/tuning.db");
        REQUIRE_MESSAGE(opened, opened.error().message);
        return std::move(opened).value();
    }
    tune::SearchOptions options(tune::Records& records, int level = 1) {
        return {.level = level, .target = m_target, .templates = m_templates, .records = records, .version = "1"};
    }
    tune::Search search(const tune::SearchOptions& options) { return tune::Search(m_graph, partition, options); }

private:
    SourceMap m_sources;
    DiagnosticSink m_sink;
    ScriptTemplates m_templates;
    artifact::TargetSpec m_target;
    Graph m_graph;

public:
    std::string folder;
    Partition partition;
};

const tune::Candidate& candidate(const tune::Search& search, const std::string& schedule) {
    const tune::Candidate* found = search.operators().front().find(schedule);
    REQUIRE(found);
    return *found;
}

} // namespace

TEST_CASE("the fastest schedule is chosen for all kernels that are alike") {
    Setting setting;
    const auto records = setting.records();
    MadeUpTimes times;
    times.seconds = {{"rows(threads=64)", 0.5}};
    tune::Search search = setting.search(setting.options(*records));
    REQUIRE(search.run(times));
    REQUIRE(search.operators().size() == 1);
    CHECK(search.operators().front().uses == 3);
    CHECK(search.operators().front().best == "rows(threads=64)");
    CHECK(search.is_complete());
    for (const Group& group : search.chosen(setting.partition).groups)
        CHECK(group.schedule == "rows(threads=64)");
}

TEST_CASE("at level 1 nobody's choice and the seven that are predicted to be fastest are measured") {
    Setting setting;
    const auto records = setting.records();
    MadeUpTimes times;
    tune::Search search = setting.search(setting.options(*records));
    REQUIRE(search.run(times));
    CHECK(times.measured.size() == 8);
    CHECK(times.measured.front() == "rows");
    const tune::Operator& op = search.operators().front();
    CHECK(op.candidates.size() == 9); // 128 threads are what nobody chose
    CHECK(op.candidates.back().discarded == "not measured: it is not among the first 8 by prediction");
    for (std::size_t i = 2; i < op.candidates.size(); ++i)
        CHECK(op.candidates[i - 1].predicted <= op.candidates[i].predicted);
}

TEST_CASE("what a template refuses is told with the reason, and what says the same in other words") {
    Setting setting;
    const auto records = setting.records();
    tune::Search search = setting.search(setting.options(*records));
    const std::vector<tune::Candidate>& refused = search.operators().front().refused;
    REQUIRE(refused.size() == 3);
    CHECK(refused[0].schedule == "rows(threads=128)");
    CHECK(refused[0].discarded == "the same as rows");
    CHECK(refused[1].discarded == "a warp has 32 threads");
}

TEST_CASE("nothing is measured twice, and the same records give the same choice") {
    Setting setting;
    const auto records = setting.records();
    MadeUpTimes times;
    times.seconds = {{"rows(threads=96)", 0.25}};
    REQUIRE(setting.search(setting.options(*records)).run(times));
    const auto other = setting.records();
    tune::Search again = setting.search(setting.options(*other));
    times.measured.clear();
    REQUIRE(again.run(times));
    CHECK(times.measured.empty());
    CHECK(again.operators().front().best == "rows(threads=96)");
    CHECK(candidate(again, "rows(threads=96)").is_recorded);
}

TEST_CASE("a search that ended in the middle goes on where it was") {
    Setting setting;
    const auto records = setting.records();
    MadeUpTimes times;
    times.most_trials = 2;
    tune::Search first = setting.search(setting.options(*records, 2));
    CHECK(first.run(times).error().code == "device-lost");
    const std::vector<std::string> before = times.measured;
    CHECK(before.size() == 16);
    times.most_trials = 1000;
    times.measured.clear();
    tune::Search second = setting.search(setting.options(*records, 2));
    REQUIRE(second.run(times));
    CHECK(!times.measured.empty());
    for (const std::string& schedule : times.measured)
        CHECK(std::ranges::find(before, schedule) == before.end());
}

TEST_CASE("a schedule that takes its process down is found out and not tried again") {
    Setting setting;
    const auto records = setting.records();
    const pid_t child = ::fork();
    if (child == 0) { // measures as the parent does, and is gone
        MadeUpTimes times;
        times.most_trials = 0;
        const auto own = tune::Records::open(setting.folder + "/tuning.db");
        tune::Search search = setting.search(setting.options(*own.value()));
        static_cast<void>(search.run(times));
        ::_exit(0);
    }
    ::waitpid(child, nullptr, 0);
    MadeUpTimes times;
    tune::Search search = setting.search(setting.options(*records));
    times.most_trials = 1; // and the first that is tried alone takes this one down
    CHECK(search.run(times).error().code == "device-lost");
    CHECK(times.measured.size() == 1);
}

TEST_CASE("what is wrong or does not compile is never chosen") {
    Setting setting;
    const auto records = setting.records();
    MadeUpTimes times;
    times.seconds = {{"rows(threads=64)", 0.5}, {"rows(threads=32)", 0.75}};
    times.problems = {{"rows(threads=64)", "its results are wrong"}};
    tune::Search search = setting.search(setting.options(*records));
    REQUIRE(search.run(times));
    CHECK(search.operators().front().best == "rows(threads=32)");
    CHECK(candidate(search, "rows(threads=64)").discarded == "its results are wrong");
}

TEST_CASE("nobody's choice stays where another is hardly faster") {
    Setting setting;
    const auto records = setting.records();
    MadeUpTimes times;
    times.seconds = {{"rows(threads=64)", 0.995}};
    tune::Search search = setting.search(setting.options(*records));
    REQUIRE(search.run(times));
    CHECK(search.operators().front().best == "rows");
}

TEST_CASE(
    "what is not measured is chosen by the prediction that a search is given, and what it cannot predict is refused") {
    Setting setting;
    const auto records = setting.records();
    tune::SearchOptions options = setting.options(*records);
    options.predict = [](const ir::ModuleRef& module) -> Result<double> {
        const std::string text = ir::print_module(*module).text;
        if (text.find("block_dim = 64") != std::string::npos)
            return Error{"not-lowered", "too many threads"};
        return text.find("block_dim = 96") != std::string::npos ? 1e-6 : 2e-6;
    };
    tune::Search search = setting.search(options);
    REQUIRE(search.recall());
    CHECK(search.operators().front().best == "rows(threads=96)");
    CHECK(std::ranges::any_of(search.operators().front().refused, [](const tune::Candidate& each) {
        return each.schedule == "rows(threads=64)" && each.discarded == "too many threads";
    }));
    MadeUpTimes times;
    times.seconds = {{"rows(threads=32)", 0.5}};
    REQUIRE(search.run(times));
    CHECK(search.operators().front().best == "rows(threads=32)");
}

TEST_CASE("the fastest of the schedules that are asked about is told from the records alone") {
    Setting setting;
    const auto records = setting.records();
    const tune::RecordKey automatic{"op", "machine", "source", "rows"};
    const auto key = [&](const std::string& schedule) {
        tune::RecordKey other = automatic;
        other.schedule = schedule;
        return other;
    };
    const std::vector<std::string> all = {"rows", "fast", "wrong", "close"};
    CHECK(tune::fastest_recorded(*records, automatic, all).value().empty());
    REQUIRE(records->store(automatic, {2e-6, 0.1, ""}));
    REQUIRE(records->store(key("close"), {1.99e-6, 0.1, ""}));
    REQUIRE(records->store(key("gone"), {1e-7, 0.1, ""}));
    REQUIRE(records->store(key("wrong"), {std::nullopt, 0, "its results are wrong"}));
    CHECK(tune::fastest_recorded(*records, automatic, all).value() == "rows");
    REQUIRE(records->store(key("fast"), {1e-6, 0.1, ""}));
    CHECK(tune::fastest_recorded(*records, automatic, all).value() == "fast");
    tune::RecordKey edited = automatic;
    edited.source = "another";
    CHECK(tune::fastest_recorded(*records, edited, all).value().empty());
}

TEST_CASE("measurements of another text of the template count no more") {
    Setting setting;
    const auto records = setting.records();
    MadeUpTimes times;
    REQUIRE(setting.search(setting.options(*records)).run(times));
    Setting edited(script + "\n# another word\n");
    times.measured.clear();
    REQUIRE(edited.search(edited.options(*records)).run(times));
    CHECK(times.measured.size() == 8);
}

TEST_CASE("at level 2 the search ends where the last 32 were no better") {
    Setting setting;
    const auto records = setting.records();
    MadeUpTimes times;
    times.seconds = {{"rows", 0.5}};
    tune::Search search = setting.search(setting.options(*records, 2));
    REQUIRE(search.run(times));
    CHECK(search.operators().front().candidates.size() > times.measured.size() - 1);
    CHECK(times.measured.size() <= 40);
    CHECK(search.operators().front().best == "rows");
}

TEST_CASE("a search that is cancelled keeps what it has measured") {
    Setting setting;
    const auto records = setting.records();
    std::atomic<bool> cancelled = true;
    MadeUpTimes times;
    tune::SearchOptions options = setting.options(*records);
    options.cancelled = &cancelled;
    tune::Search search = setting.search(options);
    REQUIRE(search.run(times));
    CHECK(!search.is_complete());
    CHECK(times.measured.empty());
}

TEST_CASE("candidates that were not measured because it was cancelled are measured by the next process") {
    class Stopped : public tune::Measurer {
        Result<void> measure(std::vector<tune::Measurement>&, const std::function<void(tune::Measurement&)>&) override {
            return {};
        }
    };
    Setting setting;
    const pid_t child = ::fork();
    if (child == 0) {
        const auto records = setting.records();
        Stopped stopped;
        ::_exit(setting.search(setting.options(*records)).run(stopped) ? 0 : 1);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    REQUIRE(status == 0);
    const auto records = setting.records();
    tune::Search search = setting.search(setting.options(*records));
    const tune::Operator& op = search.operators().front();
    CHECK(records->unfinished(op.key, tune::machine_text(artifact::default_gpu())).value().empty());
    MadeUpTimes times;
    REQUIRE(search.run(times));
    CHECK(times.measured.size() == 8);
}

TEST_CASE("records travel as text, in any order of merging") {
    Setting setting;
    const auto a = setting.records();
    const tune::RecordKey key{"op", "machine", "source", "rows"};
    REQUIRE(a->store(key, {2e-6, 0.1, ""}));
    REQUIRE(a->store({"op", "machine", "source", "slow"}, {std::nullopt, 0, "it does not compile"}));
    const std::string first = a->text().value();
    Setting elsewhere;
    const auto b = elsewhere.records();
    REQUIRE(b->store(key, {1e-6, 0.2, ""}));
    const std::string second = b->text().value();
    CHECK(b->merge(first).value() == 2);
    CHECK(a->merge(second).value() == 1);
    CHECK(a->text().value() == b->text().value());
    CHECK(*a->load("op", "machine").value().at({"source", "rows"}).seconds == 1e-6);
    CHECK(a->merge("{\"operator\": 1}").error().message == "line 1 is no record of tuning");
}

TEST_CASE("schedules are written and read back") {
    for (const char* text : {"rows", "a.b(n=64)", "m(a=-1, b=2.5, c=True, d=None, e='nhwc', f=(1, 2), g=(1,), h=())"}) {
        const auto read = read_schedule(text);
        REQUIRE(read);
        CHECK(write_schedule(*read) == text);
    }
    for (const char* text : {"", "a(", "a(b)", "a(b=)", "a(b=1", "a(b=1))", "a(b=one)", "a(b='c)", "a b"})
        CHECK(!read_schedule(text));
}

TEST_CASE(
    "schedules that are nearly as fast alone are measured beside their neighbours, and the fastest there is taken") {
    Setting setting;
    const auto records = setting.records();
    MadeUpTimes times;
    times.seconds = {{"rows(threads=64)", 10.0e-6},
                     {"rows(threads=96)", 10.2e-6},
                     {"rows(threads=64) of 2", 30e-6},
                     {"rows(threads=96) of 2", 25e-6}};
    tune::Search search = setting.search(setting.options(*records));
    REQUIRE(search.run(times));
    CHECK(search.operators().front().best == "rows(threads=96)");
    CHECK(candidate(search, "rows(threads=96)").beside == 25e-6);
    CHECK(!candidate(search, "rows").beside);

    tune::Search again = setting.search(setting.options(*records));
    REQUIRE(again.recall());
    CHECK(again.operators().front().best == "rows(threads=96)");
    MadeUpTimes none;
    tune::Search third = setting.search(setting.options(*records));
    REQUIRE(third.run(none));
    CHECK(none.measured.empty());
}

TEST_CASE("a neighbour of which every schedule is refused stays as it is") {
    const std::string refused = R"(
@hidet.template('LogSoftmax')
def never(task, target):
    tune.check(False, 'it is for nothing')
)";
    Setting setting(std::string(script) + refused, op_info::LogSoftmax());
    const auto records = setting.records();
    MadeUpTimes times;
    times.seconds = {{"rows.rows(threads=64)", 10.0e-6},
                     {"rows.rows(threads=96)", 10.2e-6},
                     {"rows.rows(threads=64) of 2", 30e-6},
                     {"rows.rows(threads=96) of 2", 25e-6}};
    tune::Search search = setting.search(setting.options(*records));
    REQUIRE(search.run(times));
    CHECK(search.operators().back().candidates.empty());
    CHECK(search.operators().front().best == "rows.rows(threads=96)");
}

namespace {

// Each row of a table and an exponential of a row that all share.
struct Shared {
    explicit Shared(std::int64_t rows) {
        const ValueId x = graph.add_input("x", {ir::DType::F32, shape_of({4096})});
        const ValueId table = graph.add_input("table", {ir::DType::F32, shape_of({rows, 4096})});
        const ValueId e = graph.add_one(op_info::Exp(), {x}, {});
        graph.set_outputs({graph.add_one(op_info::Add(), {table, e}, {})});
        choices.target = artifact::default_gpu();
        partition = graph::partition(graph, choices);
    }
    Graph graph;
    FusionChoices choices;
    Partition partition;
};

} // namespace

TEST_CASE("an operator that is predicted to be better apart is fused where that is measured to be faster") {
    Setting setting;
    Shared model(2048);
    REQUIRE(model.partition.groups.size() == 2);
    REQUIRE(model.partition.blockers.front().reason == FusionBlocker::Recomputed);
    CHECK(model.partition.blockers.front().text.find("(predicted: ") != std::string::npos);
    const auto records = setting.records();
    MadeUpTimes times;
    times.seconds = {{"as one kernel of 1", 0.5}};
    tune::FusionSearch search(model.graph, model.partition, model.choices, setting.options(*records));
    REQUIRE(search.run(times));
    REQUIRE(search.questions().size() == 1);
    CHECK(search.questions().front().taken() == true);
    CHECK(search.decided(model.partition).groups.size() == 1);

    tune::FusionSearch again(model.graph, model.partition, model.choices, setting.options(*records));
    MadeUpTimes none;
    REQUIRE(again.run(none));
    CHECK(none.measured.empty());
    CHECK(again.decided(model.partition).groups.size() == 1);
}

TEST_CASE("an operator that is predicted to be better fused stays apart where that is measured to be faster") {
    Setting setting;
    Shared model(700);
    REQUIRE(model.partition.groups.size() == 1);
    const auto records = setting.records();
    MadeUpTimes times;
    times.seconds = {{"apart", 0.5}, {"apart of 2", 0.5}};
    tune::FusionSearch search(model.graph, model.partition, model.choices, setting.options(*records));
    REQUIRE(search.run(times));
    const Partition decided = search.decided(model.partition);
    REQUIRE(decided.groups.size() == 2);
    CHECK(decided.blockers.front().reason == FusionBlocker::Slower);
    CHECK(decided.blockers.front().text.find(" as one kernel, 500 ms apart)") != std::string::npos);
}

TEST_CASE("what somebody decided of an edge is not measured") {
    Setting setting;
    Shared model(700);
    const NodeKeys keys(model.graph);
    const Node& add = model.graph.node(model.partition.groups.front().anchor);
    model.choices.edges = {
        {keys.of(model.graph.value(add.inputs[1]).producer), keys.of(model.partition.groups.front().anchor), true}};
    const auto records = setting.records();
    tune::FusionSearch search(model.graph, model.partition, model.choices, setting.options(*records));
    CHECK(search.questions().empty());
}
