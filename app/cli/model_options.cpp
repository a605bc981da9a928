// SPDX-License-Identifier: Apache-2.0
#include "app/cli/model_options.h"

#include <CLI/CLI.hpp>

#include "app/session/snapshot/forms.h"
#include "app/session/snapshot/targets.h"

namespace hidet::cli {

namespace {

CLI::App& add_action(CLI::App& model, ModelOptions& options, const char* name, const char* what) {
    CLI::App& action = *model.add_subcommand(name, what);
    action.parse_complete_callback([&options, name] { options.action = name; });
    action
        .add_option("MODEL", options.file,
                    "an ONNX file, or a graph document (*.json); 'run' also takes a plan (*.json)")
        ->required();
    action.add_flag("--json", options.json, "one JSON document on standard output");
    action.add_option("--target", options.target.target, "where it runs: " + target_choices())
        ->check(CLI::IsMember(session::target_names()))
        ->type_name("TARGET");
    action.add_option("--dim", options.dimensions, "the value of a dynamic dimension: batch=4")
        ->type_name("NAME=N")
        ->take_all();
    action.add_option("--off", options.off, "a pass or rule that shall not run")->type_name("NAME")->take_all();
    action.add_option("--on", options.on, "a rule that is off by default and shall run")->type_name("NAME")->take_all();
    action.add_option("--with", options.with, "a script with operators and rules of your own")
        ->type_name("SCRIPT")
        ->take_all();
    action.add_flag("--no-fusion", options.no_fusion, "each operator is a kernel of its own");
    action.add_option("--precision", options.precision, "compute in float16, bfloat16 or float32")
        ->check(CLI::IsMember({"float16", "bfloat16", "float32"}))
        ->type_name("DTYPE");
    action.add_option("--choices", options.choices, "decisions about fusions, rewrites and precisions")
        ->type_name("FILE");
    action.add_option("--fault", options.fault, "raise an internal error in this stage")->group("");
    return action;
}

void add_inputs(CLI::App& action, ModelOptions& options) {
    action.add_option("--data", options.data, "a folder with input_0.pb, ..., compared with its output_0.pb, ...")
        ->type_name("DIR");
    action.add_option("--input", options.inputs, "an input from a file (.npy, .pb): x=x.npy; the others are random")
        ->type_name("NAME=FILE")
        ->take_all();
    action.add_option("--seed", options.seed, "of random inputs")->type_name("N");
    action
        .add_option("--timeout", options.target.timeout,
                    "seconds after which a kernel on the GPU counts as endless; 0: never")
        ->check(CLI::Range(0.0, 1e6))
        ->type_name("SECONDS");
}

} // namespace

void add_model(CLI::App& app, Action& chosen) {
    CLI::App& verb = *app.add_subcommand("model", "whole models: show, compile, run, bench");
    ModelOptions& options = options_for(verb, chosen, model);
    verb.require_subcommand(1);
    CLI::App& show = add_action(verb, options, "show", "print the graph of a model after the passes");
    CLI::Option* after =
        show.add_option("--after", options.after, "after this pass; 'import': before all of them")->type_name("PASS");
    show.add_flag("--all", options.all, "after every pass that changed something")->excludes(after);
    show.add_flag("--verbose", options.verbose, "with what each operator computes");
    show.add_flag("--fused", options.fused, "operators that share a kernel as one");
    show.add_flag("--kernels", options.kernels, "also what runs, in order, and where its results lie");
    show.add_option("--format", options.format, "text, dot (Graphviz) or netron")
        ->check(CLI::IsMember({"text", "dot", "netron"}))
        ->type_name("FORMAT");
    show.add_flag("--measure", options.measure, "with --json: also how long each kernel takes, on random inputs");
    add_action(verb, options, "compile", "compile a model, and say how long each stage took")
        .add_option("-o,--output", options.out,
                    "write the launch plan to this file, weights and compiled functions beside it")
        ->type_name("PLAN.json");
    CLI::App& emit = add_action(verb, options, "emit", "write the code of a model's programs");
    std::vector<std::string> forms;
    for (const session::FormInfo& form : session::all_forms())
        forms.emplace_back(form.name);
    emit.add_option("--kind", options.kind, "ir, cuda, ptx, cubin, sass, cpp or bytecode")
        ->type_name("KIND")
        ->check(CLI::IsMember(forms))
        ->required();
    emit.add_option("--node", options.node, "the program of this operator alone: its key or name")->type_name("NODE");
    emit.add_flag("--lines", options.lines, "put the operator of each line before it: its place in the printed graph");
    emit.add_option("--arch", options.arch, "the GPU to compile for (sm_90a where there is none)")->type_name("ARCH");
    emit.add_option("-o,--output", options.out, "write to this file instead of standard output")->type_name("OUT");
    CLI::App& run = add_action(verb, options, "run", "run a model");
    add_inputs(run, options);
    run.add_option("--output", options.out, "write output_0.npy, ... to this folder")->type_name("DIR");
    run.add_option("--trace", options.trace, "write a Chrome trace of one run to this file")->type_name("FILE");
    run.add_option("--tolerance", options.tolerance, "of recorded results, absolute and relative: 1e-5,1e-3")
        ->type_name("ABS,REL");
    run.add_flag("--compare", options.compare, "each operator with an unfused run in float64");
    add_inputs(add_action(verb, options, "bench", "measure a model and its kernels"), options);
}

} // namespace hidet::cli
