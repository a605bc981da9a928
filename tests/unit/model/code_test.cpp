// SPDX-License-Identifier: Apache-2.0
// The code of operators of a planned model, asked for one by one.
#include "app/session/model/model_code.h"

#include <algorithm>
#include <set>
#include <thread>

#include "app/session/model/stages.h"
#include "tests/harness/unit.h"

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
    EXPECT_EQUAL(static_cast<int>(outcome.status), static_cast<int>(Status::Fine));
    EXPECT(code != nullptr);
    return code;
}

std::uint32_t node_called(const ModelCode& code, const std::string& name) {
    for (int line = 1; code.at_line(line); ++line)
        if (code.at_line(line)->name == name)
            return code.at_line(line)->node;
    EXPECT(!"no such operator");
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
    for (const TokenOrigin& token : text.tokens)
        if (token.place.known()) {
            EXPECT_EQUAL(token.place.file, code.graph_name());
            names.insert(code.at_line(token.place.line)->name);
        }
    return names;
}

void cuda_of_an_operator() {
    const auto code = code_of("/tests/models/mlp/mlp.onnx");
    const CodeAnswer answer = code->answer(question_of(*code, "dense1", Form::Cuda));
    EXPECT(answer.code != nullptr);
    EXPECT(answer.code->text.text.find("__global__") != std::string::npos);
    EXPECT(answer.code->text.text.find("matmul_add_relu(") != std::string::npos);
    EXPECT(operators_in(*code, answer.code->text).contains("dense1"));
    EXPECT(operators_in(*code, answer.code->text).contains("relu1"));
    EXPECT(answer.module && answer.module->passes.size() > 3);
    const CodePlace place = *code->place_of(node_called(*code, "dense1"));
    EXPECT(place == *code->place_of(node_called(*code, "relu1")));
    EXPECT(code->programs()[place.program].is_cuda);
    EXPECT_EQUAL(code->programs()[place.program].uses[place.use].kernels.front(), std::string("matmul_add_relu"));
}

void ir_after_each_pass() {
    const auto code = code_of("/tests/models/mlp/mlp.onnx");
    CodeQuestion question = question_of(*code, "softmax", std::nullopt);
    const CodeAnswer last = code->answer(question);
    EXPECT(last.code && !last.code->text.text.empty());
    std::set<std::string> texts;
    for (const PassSnapshot& pass : last.module->passes) {
        question.pass = pass.number;
        const CodeAnswer answer = code->answer(question);
        EXPECT(answer.code != nullptr);
        texts.insert(answer.code->text.text);
    }
    EXPECT(texts.size() > 3);
    EXPECT(texts.contains(last.code->text.text));
}

void what_was_answered_is_known() {
    const auto code = code_of("/tests/models/mlp/mlp.onnx");
    CodeQuestion question = question_of(*code, "dense1", Form::Cuda);
    EXPECT(!code->known(question));
    const CodeAnswer answer = code->answer(question);
    EXPECT(code->known(question)->code == answer.code);
    question.form = Form::Cpp;
    EXPECT(!code->known(question));
    question = question_of(*code, "dense1", Form::Cuda);
    question.arch = "sm_80";
    EXPECT(!code->known(question));
}

void a_cancelled_question_has_no_answer() {
    const auto code = code_of("/tests/models/mlp/mlp.onnx");
    std::atomic<bool> stopped = true;
    CodeQuestion question = question_of(*code, "dense1", Form::Cuda);
    question.cancelled = &stopped;
    const CodeAnswer answer = code->answer(question);
    EXPECT_EQUAL(static_cast<int>(answer.status), static_cast<int>(Status::Cancelled));
    EXPECT(!answer.code);
    EXPECT(!code->known(question));
    stopped = false;
    EXPECT(code->answer(question).code != nullptr);
}

void an_unknown_architecture_is_a_mistake() {
    const auto code = code_of("/tests/models/mlp/mlp.onnx");
    CodeQuestion question = question_of(*code, "dense1", Form::Ptx);
    question.arch = "sm_1";
    const CodeAnswer answer = code->answer(question);
    EXPECT(!answer.code);
    EXPECT(!answer.diagnostics.empty());
    EXPECT(!answer.lacks_tool);
}

void groups_that_are_alike_share_a_program() {
    const auto code = code_of("/samples/models/encoder.onnx");
    const auto shared =
        std::ranges::find_if(code->programs(), [](const CodeProgram& program) { return program.uses.size() > 1; });
    EXPECT(shared != code->programs().end());
    const auto program = static_cast<std::uint32_t>(shared - code->programs().begin());
    for (std::uint32_t use = 0; use < shared->uses.size(); ++use) {
        EXPECT_EQUAL(shared->uses[use].nodes.size(), shared->nodes.size());
        const auto place = code->place_of(shared->uses[use].nodes.front());
        EXPECT(place && place->program == program && place->use == use);
    }
    const auto first = code->definition(CodePlace{program, 0});
    const auto second = code->definition(CodePlace{program, 1});
    EXPECT(first->text != second->text); // the names of its operators
    EXPECT_EQUAL(first->lines.size(), second->lines.size());
    for (std::size_t i = 0; i < first->lines.size(); ++i)
        EXPECT_EQUAL(first->lines[i].place.line, second->lines[i].place.line);
}

void operators_of_a_script_are_operators_too() {
    const auto code = code_of("/tests/models/custom/custom.onnx", {folder + "/samples/models/custom_operator.py"});
    const CodeAnswer answer = code->answer(question_of(*code, "rms", Form::Cuda));
    EXPECT(answer.code != nullptr);
    EXPECT(operators_in(*code, answer.code->text).contains("rms"));
    const auto definition = code->definition(node_called(*code, "rms"));
    EXPECT(definition->text.find("root_mean_square(") != std::string::npos);
    const auto site = code->site_of(node_called(*code, "rms"));
    EXPECT(site && site->file.ends_with("custom_operator.py") && site->line > 1);
    EXPECT(!code->site_of(node_called(*code, "dense")));
}

void many_ask_at_once() {
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
    EXPECT_EQUAL(made.load(), 4 * static_cast<int>(code->programs().size()));
}

} // namespace

int main(int argc, char** argv) {
    test::Suite suite(argc, argv);
    suite.run("an operator has the CUDA text of the kernel that computes it", cuda_of_an_operator);
    suite.run("its IR can be read after each pass", ir_after_each_pass);
    suite.run("what was answered once is known at once", what_was_answered_is_known);
    suite.run("a question that is cancelled has no answer, and can be asked again", a_cancelled_question_has_no_answer);
    suite.run("an architecture that does not exist is a mistake", an_unknown_architecture_is_a_mistake);
    suite.run("groups that are alike share a program", groups_that_are_alike_share_a_program);
    suite.run("what a script defines has its lines, too", operators_of_a_script_are_operators_too);
    suite.run("many may ask at once", many_ask_at_once);
    return suite.result();
}
