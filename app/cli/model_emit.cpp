// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "app/cli/model_options.h"
#include "app/cli/preview.h"
#include "app/cli/version.h"
#include "app/session/exporting/saved_stage.h"
#include "app/session/model/code.h"

namespace hidet::cli {

using namespace session;

namespace {

struct ModelEmitOptions {
    ModelOptions model;
    Form form = Form::Ir;
    ModelCodeRequest request;
    std::string arch;
    bool lines = false;
    std::string out; // "": standard output
};

bool wants_file(const ModelEmitOptions& options, std::size_t programs) {
    const FormInfo& form = info(options.form);
    if (form.content == Content::Text)
        return true;
    if (programs > 1)
        return wrong_usage(cat("'", form.name, "' is one binary file, and there are ", programs,
                               " programs; name an operator with --node"));
    return !options.out.empty() || wrong_usage(cat("'", form.name, "' is binary; name a file with --output"));
}

// The programs one after the other, each with what it computes.
std::string text_of(const ModelEmitOptions& options, const ModelCodeResult& result) {
    std::string out;
    for (const ModelProgram& program : result.programs) {
        if (program.module.forms.empty())
            continue;
        const FormSnapshot& form = *program.module.forms.front();
        if (info(options.form).content == Content::Bytes)
            return form.bytes;
        std::vector<std::string> names;
        for (const ModelOperatorLine& each : result.operators)
            if (std::ranges::find(program.nodes, each.node) != program.nodes.end() &&
                (names.empty() || names.back() != each.name))
                names.push_back(each.name);
        out += cat(out.empty() ? "" : "\n", info(options.form).comment, " program ", program.key, ": ",
                   join(names, ", "), program.uses.size() > 1 ? cat(", in ", program.uses.size(), " places") : "", "\n",
                   body_of(options.lines, form.text));
    }
    return out;
}

std::string first_comment(const ModelEmitOptions& options, const ModelCodeRequest& request) {
    SavedStage stage;
    stage.version = HIDET_VERSION;
    stage.what = info(options.form).label;
    stage.subject = options.model.request.path;
    stage.arch = depends_on_arch(options.form) ? request.arch : "";
    return comment_of(stage, info(options.form).comment);
}

int emit_code(const ModelEmitOptions& options, const Cancelled& cancelled) {
    if (options.lines && info(options.form).content != Content::Text)
        return refuse_usage(cat("'--lines' is of a text, and '", info(options.form).name, "' is none"));
    ModelCodeRequest request = options.request;
    if (!fill(options.model, cancelled, request))
        return exit_usage;
    request.forms = {options.form};
    if (!options.arch.empty())
        request.arch = options.arch;
    const ModelCodeResult result = code_of_model(request);
    if (options.model.json) {
        print_text(json_of(result));
        return end_of(result);
    }
    print_diagnostics(result.diagnostics);
    if (result.status != Status::Ok)
        return end_of(result);
    if (!wants_file(options, result.programs.size()))
        return exit_usage;
    std::string text = text_of(options, result);
    if (options.out.empty()) {
        print_text(text);
        return exit_fine;
    }
    if (info(options.form).content == Content::Text)
        text.insert(0, first_comment(options, request));
    return write_file(options.out, text) ? exit_fine : exit_environment;
}

} // namespace

void add_model_emit(Verb& model, Action& chosen) {
    auto [action, options] = add_action(model, "emit", "write the code of a model's programs", chosen, emit_code);
    add_form(action, options.form);
    action.text("--node", options.request.node, "NODE", "the program of this operator alone: its key or name");
    action.flag("--lines", options.lines, "put the operator of each line before it: its place in the printed graph");
    add_arch(action, options.arch);
    add_output(action, options.out);
}

} // namespace hidet::cli
