// SPDX-License-Identifier: Apache-2.0
// Candidates of operators as they are shown and chosen from, made by hand and looked up for a model; copies of templates.
#include <doctest/doctest.h>

#include "app/session/model/model_code.h"
#include "app/session/model/tune/candidates.h"
#include "app/session/model/tune/choice_edit.h"
#include "app/session/model/view/model_view.h"
#include "app/session/tune/tuning.h"
#include "lang/base/text.h"
#include "tests/unit/toolchain/scratch.h"

using namespace hidet;
using namespace hidet::session;
using hidet::test::Scratch;

namespace {

TunedOperator product() {
    TunedOperator op;
    op.name = "dense1";
    op.keys = {"dense1", "dense2"};
    op.anchors = {4, 9};
    op.uses = 2;
    op.candidates.push_back({"mm", "s", 5e-6, 6e-6, 0.1, true, ""});
    op.candidates.push_back({"mm(n=64)", "s", 4e-6, 3e-6, 0.1, true, ""});
    op.candidates.push_back({"mm(n=128)", "s", 3e-6, 2e-6, 0.1, true, "its results are wrong"});
    op.candidates.push_back({"mm(n=256)", "s", 2e-6, std::nullopt, 0, false, ""});
    op.refused.push_back({"mm(n=8)", "s", 0, std::nullopt, 0, false, "a warp has 32 threads"});
    op.best = "mm(n=64)";
    return op;
}

std::vector<std::string> schedules(const CandidateTable& table) {
    std::vector<std::string> out;
    for (const CandidateRow& row : table.rows)
        out.push_back(row.schedule);
    return out;
}

ModelRequest mlp() {
    ModelRequest request;
    request.path = std::string(HIDET_SOURCE_FOLDER) + "/tests/models/mlp/mlp.onnx";
    request.target = Target::Emulate;
    request.dims = {{"batch", 2}};
    request.space = 1;
    return request;
}

} // namespace

TEST_CASE("what was measured stands first, then what was not, then what cannot be taken") {
    const CandidateTable table = candidate_table(product(), "");
    CHECK(schedules(table) == std::vector<std::string>{"mm(n=64)", "mm", "mm(n=256)", "mm(n=128)", "mm(n=8)"});
    CHECK(table.measured == 2);
    CHECK(table.open == 1);
    CHECK(table.discarded == 1);
    CHECK(table.refused == 1);
    CHECK(table.rows[0].is_fastest);
    CHECK(table.rows[1].is_used);
    CHECK(table.rows[1].is_automatic);
    CHECK_FALSE(table.is_chosen);
    CHECK(table.rows[4].note == "a warp has 32 threads");
    CHECK_FALSE(table.rows[4].predicted);
}

TEST_CASE("a schedule is chosen for all kernels that are alike, and nobody's choice takes that back") {
    const TunedOperator op = product();
    const std::string chosen = with_schedule("", op, "mm(n=256)");
    CHECK(choices_in(chosen).size() == 2);
    const CandidateTable table = candidate_table(op, chosen);
    REQUIRE(table.used);
    CHECK(table.rows[*table.used].schedule == "mm(n=256)");
    CHECK(table.is_chosen);
    CHECK(with_schedule(chosen, op, "").empty());
}

TEST_CASE("the fastest schedules are choices where they are not nobody's, and other choices stay") {
    const std::string other = with_choice("", ModelChoice::switched("recognise-gelu", false));
    const FastestChoices fastest = with_fastest(other, {product()});
    CHECK(fastest.operators == 1);
    CHECK(fastest.before == doctest::Approx(12e-6));
    CHECK(fastest.now == doctest::Approx(6e-6));
    CHECK(without_schedules(fastest.choices) == other);
    CHECK(with_fastest(fastest.choices, {product()}).operators == 0);
    TunedOperator as_it_was = product();
    as_it_was.best = "mm";
    CHECK(with_fastest(fastest.choices, {as_it_was}).choices == other);
}

TEST_CASE("candidates of a model are looked up without a GPU, for one operator or for all") {
    const Scratch folder;
    ModelRequest request = mlp();
    request.records = folder.path("tuning.db");
    const ModelTuneResult all = recall_tuning(request);
    REQUIRE(all.status == Status::Ok);
    CHECK(all.operators.size() == 3);
    CHECK_FALSE(all.can_measure);
    CHECK(all.diagnostics.empty());
    request.tuned = {"dense2"};
    const ModelTuneResult one = recall_tuning(request);
    REQUIRE(one.operators.size() == 1);
    CHECK(one.operators[0].keys == std::vector<std::string>{"dense2"});
    request.tuned = {"dense3"};
    const ModelTuneResult none = recall_tuning(request);
    CHECK(none.status == Status::WrongUsage);
    REQUIRE(none.diagnostics.size() == 1);
    CHECK(none.diagnostics[0].message == "the model has no operator 'dense3'; did you mean 'dense1'?");
}

TEST_CASE(
    "records that name the operator, the machine and the text of the template are measured times of a candidate") {
    const Scratch folder;
    ModelRequest request = mlp();
    request.records = folder.path("tuning.db");
    request.tuned = {"dense1"};
    const ModelTuneResult before = recall_tuning(request);
    REQUIRE(before.operators.size() == 1);
    const TunedOperator& op = before.operators[0];
    const TunedCandidate& second = op.candidates[1];
    std::string signature;
    for (const char c : op.signature)
        signature += c == '\n' ? std::string("\\n") : std::string(1, c);
    REQUIRE(merge_records(request.records, cat("{\"operator\":\"", signature, "\",\"machine\":\"", before.where,
                                               "\",\"source\":\"", second.source, "\",\"schedule\":\"", second.schedule,
                                               "\",\"seconds\":1e-06,\"spread\":0.1,\"problem\":\"\"}\n")));
    const ModelTuneResult after = recall_tuning(request);
    REQUIRE(after.operators.size() == 1);
    CHECK(after.operators[0].best == second.schedule);
    const CandidateTable table = candidate_table(after.operators[0], "");
    CHECK(table.measured == 1);
    CHECK(table.rows[0].schedule == second.schedule);
    CHECK(table.rows[0].seconds == doctest::Approx(1e-6));
}

TEST_CASE("a model says which script scheduled an operator, and a copy of it takes its place") {
    ModelViewRequest request;
    static_cast<ModelRequest&>(request) = mlp();
    const SnapshotPtr ours = view_model(request);
    REQUIRE(ours->code);
    const ModelGraph& last = *ours->last();
    const std::uint32_t node = last.kernels.front().anchor;
    const auto place = ours->code->place_of(node);
    REQUIRE(place);
    const auto before = ours->code->template_of(*place);
    REQUIRE(before);
    CHECK(before->is_ours);
    CHECK(before->file == before->name.substr(0, before->name.find('.')) + ".py");
    CHECK(before->text.find("@hidet.template") != std::string::npos);
    CHECK(before->line > 1);
    CHECK(last.kernels.front().schedule == before->name);

    const Scratch folder;
    request.with = {folder.write(before->file, "# mine\n" + before->text)};
    const SnapshotPtr edited = view_model(request);
    REQUIRE(edited->code);
    const auto after = edited->code->template_of(*edited->code->place_of(node));
    REQUIRE(after);
    CHECK_FALSE(after->is_ours);
    CHECK(after->file == folder.path(before->file));
    CHECK(after->line == before->line + 1);
    CHECK(after->name == before->name);
    const Scratch records;
    request.records = records.path("tuning.db");
    const ModelTuneResult tuned = recall_tuning(request);
    REQUIRE(tuned.status == Status::Ok);
    for (const TunedOperator& op : tuned.operators) // ours of the same name are no candidates beside it
        for (const TunedCandidate& refused : op.refused)
            CHECK(refused.discarded.find("the same as " + refused.schedule) == std::string::npos);
}
