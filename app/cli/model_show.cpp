// SPDX-License-Identifier: Apache-2.0
#include "app/cli/model_options.h"
#include "app/session/model/view/number_table.h"

namespace hidet::cli {

using namespace session;

namespace {

struct ModelShowOptions {
    ModelOptions model;
    ModelShowRequest request;
    std::string numbers;
};

// What has no effect on the form that is asked for; empty: all has.
std::string option_of_other(const ModelShowOptions& options) {
    if (options.request.measure && !options.model.json)
        return "'--measure' is with '--json'";
    if (options.model.json && options.request.form != ModelForm::Text)
        return "'--format' is of a text, and '--json' is none";
    if (options.numbers.empty())
        return "";
    const std::string of_graph = first_given({{options.request.verbose, "--verbose"},
                                              {options.request.fused, "--fused"},
                                              {options.request.kernels, "--kernels"},
                                              {options.request.measure, "--measure"},
                                              {options.request.form != ModelForm::Text, "--format"}});
    return of_graph.empty() ? ""
                            : cat("'", of_graph, "' is of the graph, and '--numbers' shows a table of its operators");
}

int show_numbers(const ModelShowOptions& options, const Cancelled& cancelled) {
    NumberTableRequest request;
    if (!fill(options.model, cancelled, request))
        return exit_usage;
    request.numbers = options.numbers;
    request.after = options.request.after;
    const NumberTable table = numbers_of_model(request);
    if (!table.refusal.empty())
        print_note("error: " + table.refusal);
    return report(options.model, table, [&] {
        if (!table.rows.empty())
            print_text(number_table_text(table));
    });
}

int show_graph(const ModelShowOptions& options, const Cancelled& cancelled) {
    if (const std::string misused = option_of_other(options); !misused.empty())
        return refuse_usage(misused);
    if (!options.numbers.empty())
        return show_numbers(options, cancelled);
    ModelShowRequest request = options.request;
    if (!fill(options.model, cancelled, request))
        return exit_usage;
    if (options.model.json)
        request.form = ModelForm::Document;
    const ModelShowResult result = show_model(request);
    const bool is_document = options.model.json && result.status != Status::Ok;
    print_text(is_document ? json_of_refusal(result) : result.text);
    if (!is_document)
        print_diagnostics(result.diagnostics);
    return end_of(result);
}

} // namespace

void add_model_show(Verb& model, Action& chosen) {
    auto [action, options] =
        add_action(model, "show", "print the graph of a model after the passes", chosen, show_graph);
    add_processes(action, options.model);
    const Argument after =
        action.text("--after", options.request.after, "PASS", "after this pass; 'import': before all of them");
    const Argument all =
        action.flag("--all", options.request.every, "after every pass that changed something").excludes(after);
    action.flag("--verbose", options.request.verbose, "with what each operator computes");
    action.flag("--fused", options.request.fused, "fused operators as one");
    action.flag("--kernels", options.request.kernels, "also what runs, in order, and where its results lie");
    action
        .text("--numbers", options.numbers, "FILE",
              "its operators with the numbers that a file has for them: 'name,value' in CSV, or JSON")
        .excludes(all);
    constexpr ModelForm forms[] = {ModelForm::Text, ModelForm::Dot, ModelForm::Netron};
    action.choice(
        "--format", {"text", "dot", "netron"},
        [&options = options, forms](std::size_t which) { options.request.form = forms[which]; }, "FORMAT",
        "of the graph; dot is that of Graphviz");
    action.flag("--measure", options.request.measure, "with --json: also how long each kernel takes, on random inputs");
}

} // namespace hidet::cli
