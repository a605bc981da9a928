// SPDX-License-Identifier: Apache-2.0
// Editing of choices files: the same decisions are the same text, what is broken is refused with its place, and what a model
// says of its choices stands at each of them.
#include "app/session/model/tune/choice_edit.h"

#include "app/session/model/tune/what_if.h"

#include <doctest/doctest.h>
#include <string>

using namespace hidet;
using namespace hidet::session;

namespace {

const ModelChoice apart = ModelChoice::fusion("conv1", "relu1", false);
const ModelChoice shared = ModelChoice::fusion("relu2", "pool", true);
const ModelChoice half = ModelChoice::precision("dense1", "float16");

std::string with_all(std::string text, const std::vector<ModelChoice>& choices) {
    for (const ModelChoice& choice : choices)
        text = with_choice(text, choice);
    return text;
}

SnapshotPtr viewed(const std::string& model, const std::string& choices) {
    ModelViewRequest request;
    request.path = std::string(HIDET_SOURCE_FOLDER "/tests/models/") + model + "/" + model + ".onnx";
    request.target = Target::Cpu;
    request.tools = open_tools({nullptr, false});
    request.choices_text = choices;
    return view_model(request);
}

const GraphNode* called(const ModelGraph& graph, const std::string& key) {
    for (const auto& node : graph.nodes)
        if (node->key == key)
            return node.get();
    return nullptr;
}

TEST_CASE("no choices are no text") {
    REQUIRE(without_choice(with_choice("", apart), apart) == "");
    REQUIRE(text_of_choices({}) == "");
    REQUIRE(choices_in("").empty());
}

TEST_CASE("the order in which choices are made does not show") {
    const ModelChoice rule = ModelChoice::without_rule("bn1", "scale-into-convolution");
    const ModelChoice off = ModelChoice::switched("recognise-gelu", false);
    REQUIRE(with_all("", {apart, shared, half, rule, off}) == with_all("", {off, half, rule, shared, apart}));
    REQUIRE(choices_in(with_all("", {off, apart, half})).size() == 3u);
}

TEST_CASE("one decision takes the place of another on the same subject") {
    const std::string text = with_all("", {apart, ModelChoice::fusion("conv1", "relu1", true)});
    REQUIRE(choices_in(text).size() == 1u);
    REQUIRE(choice_about(text, apart)->is_on);
    const std::string rules =
        with_all("", {ModelChoice::switched("drop-cast", false), ModelChoice::switched("drop-cast", true)});
    REQUIRE(choices_in(rules).size() == 1u);
}

TEST_CASE("the precision of the model and that of an operator are two decisions") {
    const std::string text = with_all("", {half, ModelChoice::precision("", "bfloat16")});
    REQUIRE(choices_in(text).size() == 2u);
    REQUIRE(choices_in(text)[0].what == "bfloat16");
    REQUIRE(without_choice(text, ModelChoice::precision("", "")) == with_choice("", half));
}

TEST_CASE("keys may hold anything") {
    const ModelChoice odd = ModelChoice::fusion("a \"b\"\n\xC3\xA9", "\\", false);
    REQUIRE(choices_in(with_choice("", odd)) == std::vector<ModelChoice>{odd});
}

TEST_CASE("every choice can be said in words") {
    REQUIRE(words_of(apart) == "don't fuse 'conv1' and 'relu1'");
    REQUIRE(words_of(shared) == "fuse 'relu2' and 'pool'");
    REQUIRE(words_of(half) == "compute 'dense1' in float16");
    REQUIRE(words_of(ModelChoice::precision("", "float16")) == "compute the whole model in float16");
    REQUIRE(words_of(ModelChoice::without_rule("bn1", "drop-cast")) == "do not apply rule 'drop-cast' to 'bn1'");
    REQUIRE(words_of(ModelChoice::switched("drop-cast", false)) == "switch 'drop-cast' off");
}

TEST_CASE("a file is read in the form of edits, and what is broken says where") {
    const std::string text = "{\"format\": \"hidet-choices\", \"version\": 1, \"off\": [\"drop-cast\"],\n"
                             " \"fusion\": [{\"producer\": \"conv1\", \"consumer\": \"relu1\"}]}";
    REQUIRE(read_choices_file("a.json", text).text == with_all("", {apart, ModelChoice::switched("drop-cast", false)}));
    const ChoicesFile broken = read_choices_file("a.json", "{\"format\": \"hidet-choices\", \"version\": 1,\n"
                                                           "\"fusion\": [{\"producer\": 1}]}");
    REQUIRE(broken.mistake.has_value());
    REQUIRE(broken.mistake->place.line == 2);
    REQUIRE(read_choices_file("a.json", "[").mistake.has_value());
    REQUIRE(read_choices_file("a.json", "").mistake.has_value());
    REQUIRE(read_choices_file("a.json", "{\"format\": \"hidet-choices\", \"precision\": 1}").mistake.has_value());
    REQUIRE(!read_choices_file("a.json", "{\"format\": \"hidet-choices\"}").mistake.has_value());
}

TEST_CASE("what a model says of a choice stands at that choice") {
    const std::string text =
        with_all("", {ModelChoice::fusion("h1", "relu1", false), ModelChoice::fusion("nothing", "relu1", false),
                      ModelChoice::switched("drop-cast", false), ModelChoice::switched("no-such-rule", false)});
    const auto listed = listed_choices(text, viewed("mlp", text)->diagnostics);
    REQUIRE(listed.size() == 4u);
    for (const ListedChoice& each : listed) {
        const bool is_wrong = each.choice.node == "nothing" || each.choice.what == "no-such-rule";
        REQUIRE(!each.problem.empty() == is_wrong);
        REQUIRE(each.is_mistake == (each.choice.what == "no-such-rule"));
    }
}

TEST_CASE("an edge that is kept apart costs a kernel, and the change says so") {
    const SnapshotPtr before = viewed("mlp", "");
    const ModelGraph& graph = *before->last();
    const GraphNode* relu = called(graph, "relu1");
    REQUIRE(relu != nullptr);
    const auto choice = fusion_of_edge(*before, relu->inputs[0], relu->id, false);
    REQUIRE(choice.has_value());
    const SnapshotPtr after = viewed("mlp", with_choice("", *choice));
    const ModelChange change = change_between(before->totals, after->totals);
    REQUIRE(change.kernels >= 0);
    REQUIRE(change.bytes >= 0);
    REQUIRE(change_between(before->totals, before->totals).is_nothing());
    REQUIRE(!fusion_of_edge(*before, relu->inputs[0], no_id, false));
}

TEST_CASE("each choice has a change of its own") {
    ModelViewRequest request;
    request.path = HIDET_SOURCE_FOLDER "/tests/models/residual/residual.onnx";
    request.target = Target::Cpu;
    request.tools = open_tools({nullptr, false});
    request.choices_text = with_all(
        "", {ModelChoice::switched("scale-into-convolution", false), ModelChoice::switched("recognise-gelu", false)});
    const SnapshotPtr with_them = viewed("residual", request.choices_text);
    std::vector<std::pair<std::string, bool>> found;
    changes_by_choice(request, with_them->totals, [&](const ModelChoice& choice, const ModelChange& change) {
        found.emplace_back(choice.what, change.is_nothing());
    });
    REQUIRE(found.size() == 2u);
    for (const auto& [rule, is_nothing] : found)
        REQUIRE(is_nothing == (rule == "recognise-gelu"));
}

TEST_CASE("a rule can be kept from what it replaced, and is then not applied there") {
    const SnapshotPtr before = viewed("residual", "");
    std::size_t tried = 0;
    for (std::size_t i = 1; i < before->graphs.size(); ++i)
        for (const GraphMatch& match : before->graphs[i]->matches) {
            if (match.rule != "scale-into-convolution" || match.after.empty())
                continue;
            const auto choices = choices_against_rule(*before, before->graphs.size() - 1, match.after.front());
            if (choices.empty())
                continue;
            ++tried;
            const SnapshotPtr after = viewed("residual", with_all("", choices));
            for (const auto& graph : after->graphs)
                for (const GraphMatch& now : graph->matches)
                    REQUIRE(now.rule != match.rule);
            REQUIRE(!choices_about_node(*before, with_all("", choices), match.after.front()).empty());
        }
    REQUIRE(tried > 0);
}

TEST_CASE("an operator of the last graph is given a precision by what it was made of") {
    const SnapshotPtr before = viewed("residual", "");
    std::size_t places = before->graphs.size() - 1;
    std::size_t known = 0;
    for (const auto& node : before->last()->nodes)
        for (const ModelChoice& choice : precisions_of_node(*before, places, node->id, "float16")) {
            const SnapshotPtr after = viewed("residual", with_choice("", choice));
            for (const DiagnosticView& each : after->diagnostics)
                REQUIRE(each.message.find("no operator") == std::string::npos);
            ++known;
        }
    REQUIRE(known > 0);
}

TEST_CASE("the whole model takes a precision") {
    const SnapshotPtr after = viewed("residual", with_choice("", ModelChoice::precision("", "float16")));
    REQUIRE(after->status == Status::Ok);
    bool is_half = false;
    for (const auto& value : after->last()->values)
        is_half |= value->dtype == "float16";
    REQUIRE(is_half);
    REQUIRE(viewed("mlp", with_choice("", ModelChoice::precision("", "int8")))->status != Status::Ok);
}

TEST_CASE("passes and rules are listed with what they did, and can be switched") {
    const SnapshotPtr snapshot = viewed("residual", "");
    const auto rows = switch_rows(snapshot.get(), "");
    const auto row_of = [](const std::vector<SwitchRow>& list, const std::string& name) {
        for (const SwitchRow& row : list)
            if (row.name == name)
                return row;
        throw std::runtime_error("there is no row " + name);
    };
    REQUIRE(row_of(rows, "scale-into-convolution").matches > 0);
    REQUIRE(row_of(rows, "fuse-operator").pass.empty());
    REQUIRE(!row_of(rows, "check-indices").is_on);
    const std::string off = with_switch("", row_of(rows, "scale-into-convolution"), false);
    REQUIRE(!row_of(switch_rows(nullptr, off), "scale-into-convolution").is_on);
    REQUIRE(with_switch(off, row_of(rows, "scale-into-convolution"), true) == "");
    const std::string on = with_switch("", row_of(rows, "check-indices"), true);
    REQUIRE(row_of(switch_rows(nullptr, on), "check-indices").is_on);
    REQUIRE(with_switch(on, row_of(rows, "check-indices"), false) == "");
    REQUIRE(blocker_kinds().size() > 10);
}

} // namespace
