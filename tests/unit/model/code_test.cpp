// SPDX-License-Identifier: Apache-2.0
// The code of operators of a planned model, asked for one by one.
#include "app/session/model/model_code.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <set>
#include <string>
#include <thread>

#include "app/session/model/stages.h"

using namespace hidet;
using namespace hidet::session;

namespace {

const std::string folder = HIDET_SOURCE_FOLDER;

std::shared_ptr<const ModelCode> code_of(const std::string& path, const std::vector<std::string>& with = {}) {
    ModelRequest request;
    request.path = folder + path;
    request.target = Target::Emulate;
    request.with = with;
    std::shared_ptr<const ModelCode> code;
    const auto outcome = answer<Outcome>(request, "view", [&](Work& work, Outcome&) {
        ModelStages stages(work, request);
        if (!stages.import() || !stages.optimise())
            return;
        ModelCodeMaker maker(work, stages, request.path);
        if (stages.plan())
            code = maker.take();
    });
    REQUIRE(static_cast<int>(outcome.status) == static_cast<int>(Status::Ok));
    REQUIRE(code != nullptr);
    return code;
}

std::uint32_t node_called(const ModelCode& code, const std::string& name) {
    for (int line = 1; code.at_line(line); ++line)
        if (code.at_line(line)->name == name)
            return code.at_line(line)->node;
    REQUIRE(!"no such operator");
    return 0;
}

CodeQuestion question_of(const ModelCode& code, const std::string& name, std::optional<Form> form) {
    CodeQuestion question;
    question.program = code.place_of(node_called(code, name))->program;
    question.form = form;
    return question;
}

std::set<std::string> operators_in(const ModelCode& code, const TextSnapshot& text) {
    std::set<std::string> names;
    for (const TokenView& token : text.tokens)
        if (token.origin.place.known()) {
            REQUIRE(token.origin.place.file == code.graph_name());
            names.insert(code.at_line(token.origin.place.line)->name);
        }
    return names;
}

TEST_CASE("an operator has the CUDA text of the kernel that computes it") {
    const auto code = code_of("/tests/models/mlp/mlp.onnx");
    const CodeAnswer answer = code->answer(question_of(*code, "dense1", Form::Cuda));
    REQUIRE(answer.code != nullptr);
    REQUIRE(answer.code->text.text.find("__global__") != std::string::npos);
    REQUIRE(answer.code->text.text.find("matmul_add_relu(") != std::string::npos);
    REQUIRE(operators_in(*code, answer.code->text).contains("dense1"));
    REQUIRE(operators_in(*code, answer.code->text).contains("relu1"));
    REQUIRE((answer.module && answer.module->passes.size() > 3));
    const CodePlace place = *code->place_of(node_called(*code, "dense1"));
    REQUIRE(place == *code->place_of(node_called(*code, "relu1")));
    REQUIRE(code->programs()[place.program].is_cuda);
    REQUIRE(code->programs()[place.program].uses[place.use].kernels.front() == std::string("matmul_add_relu"));
}

TEST_CASE("its IR can be read after each pass") {
    const auto code = code_of("/tests/models/mlp/mlp.onnx");
    CodeQuestion question = question_of(*code, "softmax", std::nullopt);
    const CodeAnswer last = code->answer(question);
    REQUIRE((last.code && !last.code->text.text.empty()));
    std::set<std::string> texts;
    for (const PassSnapshot& pass : last.module->passes) {
        question.pass = pass.number;
        const CodeAnswer answer = code->answer(question);
        REQUIRE(answer.code != nullptr);
        texts.insert(answer.code->text.text);
    }
    REQUIRE(texts.size() > 3);
    REQUIRE(texts.contains(last.code->text.text));
}

TEST_CASE("what was answered once is known at once") {
    const auto code = code_of("/tests/models/mlp/mlp.onnx");
    CodeQuestion question = question_of(*code, "dense1", Form::Cuda);
    REQUIRE(!code->known(question));
    const CodeAnswer answer = code->answer(question);
    REQUIRE(code->known(question)->code == answer.code);
    question.form = Form::Cpp;
    REQUIRE(!code->known(question));
    question = question_of(*code, "dense1", Form::Cuda);
    question.arch = "sm_80";
    REQUIRE(!code->known(question));
}

TEST_CASE("a question that is cancelled has no answer, and can be asked again") {
    const auto code = code_of("/tests/models/mlp/mlp.onnx");
    std::atomic<bool> stopped = true;
    CodeQuestion question = question_of(*code, "dense1", Form::Cuda);
    question.cancelled = &stopped;
    const CodeAnswer answer = code->answer(question);
    REQUIRE(static_cast<int>(answer.status) == static_cast<int>(Status::Cancelled));
    REQUIRE(!answer.code);
    REQUIRE(!code->known(question));
    stopped = false;
    REQUIRE(code->answer(question).code != nullptr);
}

TEST_CASE("an architecture that does not exist is a mistake") {
    const auto code = code_of("/tests/models/mlp/mlp.onnx");
    CodeQuestion question = question_of(*code, "dense1", Form::Ptx);
    question.arch = "sm_1";
    const CodeAnswer answer = code->answer(question);
    REQUIRE(!answer.code);
    REQUIRE(!answer.diagnostics.empty());
    REQUIRE(!answer.lacks_tool);
}

TEST_CASE("groups that are alike share a program") {
    const auto code = code_of("/samples/models/encoder.onnx");
    const auto shared =
        std::ranges::find_if(code->programs(), [](const CodeProgram& program) { return program.uses.size() > 1; });
    REQUIRE(shared != code->programs().end());
    const auto program = static_cast<std::uint32_t>(shared - code->programs().begin());
    for (std::uint32_t use = 0; use < shared->uses.size(); ++use) {
        REQUIRE(shared->uses[use].nodes.size() == shared->nodes.size());
        const auto place = code->place_of(shared->uses[use].nodes.front());
        REQUIRE((place && place->program == program && place->use == use));
    }
    const auto first = code->definition(CodePlace{program, 0});
    const auto second = code->definition(CodePlace{program, 1});
    REQUIRE(first->text != second->text); // the names of its operators
    REQUIRE(first->lines.size() == second->lines.size());
    for (std::size_t i = 0; i < first->lines.size(); ++i)
        REQUIRE(first->lines[i].place.line == second->lines[i].place.line);
}

TEST_CASE("what a script defines has its lines, too") {
    const auto code = code_of("/tests/models/custom/custom.onnx", {folder + "/samples/models/custom_operator.py"});
    const CodeAnswer answer = code->answer(question_of(*code, "rms", Form::Cuda));
    REQUIRE(answer.code != nullptr);
    REQUIRE(operators_in(*code, answer.code->text).contains("rms"));
    const auto definition = code->definition(node_called(*code, "rms"));
    REQUIRE(definition->text.find("root_mean_square(") != std::string::npos);
    const auto site = code->site_of(node_called(*code, "rms"));
    REQUIRE((site && site->file.ends_with("custom_operator.py") && site->line > 1));
    REQUIRE(!code->site_of(node_called(*code, "dense")));
}

TEST_CASE("many may ask at once") {
    const auto code = code_of("/samples/models/encoder.onnx");
    std::vector<std::thread> threads;
    std::atomic<int> made = 0;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] {
            for (std::uint32_t program = 0; program < code->programs().size(); ++program) {
                CodeQuestion question;
                question.program = program;
                question.form = Form::Cuda;
                made += code->answer(question).code != nullptr;
            }
        });
    for (std::thread& thread : threads)
        thread.join();
    REQUIRE(made.load() == 4 * static_cast<int>(code->programs().size()));
}

} // namespace
