// SPDX-License-Identifier: Apache-2.0
#include "app/cli/options.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <functional>

#include "app/cli/target.h"
#include "app/session/session.h"
#include "lang/base/text.h"

#ifndef HIDET_VERSION
#define HIDET_VERSION "unknown"
#endif

namespace hidet::cli {

namespace {

constexpr const char* examples = R"(
Examples:
  hidetc run samples/kernels/naive_matmul.py          run a script; kernels are emulated where there is no GPU
  hidetc check kernel.py                              what is wrong with it, without running it
  hidetc lower kernel.py --function matmul --lines    the lowered IR, and the script line behind each line
  hidetc lower kernel.py --passes                     the passes, what they changed and how long they took
  hidetc lower kernel.py --after expand-task-mapping  the IR after one pass
  hidetc lower kernel.py --diff script inline-let     what passes changed between two places
  hidetc emulate kernel.py --checks all               find out-of-bounds accesses and races
  hidetc emit kernel.py --kind cuda --lines           the CUDA C++, and the script line behind each line
  hidetc emit kernel.py --kind sass --arch sm_80      machine code for one GPU; needs none
  hidetc check factory.py --studio 'matmul(64, 64)'   preview a function that returns kernels

FILE may be '-' for standard input; 'lower' and 'emit' also read the text form of IR (*.ir).
Exit codes: 0 fine, 1 the script or a kernel is wrong, 2 wrong usage, 3 something is missing on this machine, 70 our bug.)";

void add_common(CLI::App& verb, Options& options) {
    verb.add_option("FILE", options.file, "the script, or '-' for standard input")->required();
    verb.add_flag("--json", options.json, "one JSON document on standard output: output, diagnostics and results");
    verb.add_option("--fault", options.fault, "raise an internal error in this stage")->group("");
}

void add_preview(CLI::App& verb, Options& options) {
    verb.add_option("--studio", options.studio, "call this kernel factory, e.g. 'matmul(1024, 1024, 1024)'")
        ->type_name("CALL")
        ->take_all();
    verb.add_option("--module", options.module, "only the Nth module that the script builds")
        ->type_name("N")
        ->check(CLI::Range(1, 1'000'000));
}

void add_text(CLI::App& verb, Options& options) {
    verb.add_option("--function", options.function, "only this function")->type_name("F");
    verb.add_flag("--lines", options.lines, "put the origin of each line before it: file:line:column and pass");
    verb.add_option("--only", options.only, "run this pass and no other (input in IR form)")->type_name("PASS");
}

void add_run(CLI::App& verb, Options& options) {
    verb.add_option("--seed", options.seed, "of random tensors and of the emulator's order")->type_name("N");
    verb.add_option("--max-steps", options.max_steps, "instructions of a block before its loops count as endless")
        ->type_name("N");
}

void add_target(CLI::App& verb, Options& options) {
    verb.add_option("--timeout", options.timeout, "seconds after which a kernel on the GPU counts as endless; 0: never")
        ->check(CLI::Range(0.0, 1e6))
        ->type_name("SECONDS");
    verb.add_option("--target", options.target, "where kernels run: " + target_choices())
        ->check(CLI::IsMember(session::target_names()))
        ->type_name("TARGET");
}

void add_doctor(CLI::App& app, Options& options) {
    CLI::App& doctor = *app.add_subcommand("doctor", "say what this machine has, what is missing, and how to get it");
    doctor.add_flag("--json", options.json, "one JSON document on standard output");
    doctor.add_flag("--all", options.all, "also where each thing was looked for");
    doctor.add_flag("--machines", options.machines, "the machines that are known instead, with their figures");
}

void add_cache(CLI::App& app, Options& options) {
    CLI::App& cache = *app.add_subcommand("cache", "where compilations are kept, and how much there is");
    cache.add_flag("--json", options.json, "one JSON document on standard output");
    cache.add_flag("--clear", options.clear, "remove all of them");
}

void add_worker(CLI::App& app, Options& options) {
    CLI::App& worker = *app.add_subcommand(
        "worker", "do what another program asks for on standard input; remotely: 'ssh HOST hidetc worker'");
    worker.add_flag("--no-gpu", options.no_gpu, "as if there was no GPU: kernels are emulated");
    worker.add_option("--memory", options.memory, "MiB of address space, to see what happens without")->group("");
}

void add_trial(CLI::App& bench, Options& options) {
    const char* group = "One function with chosen arguments";
    bench.add_option("--function", options.function, "call this one (the first that the script calls)")
        ->type_name("F")
        ->group(group);
    bench.add_option("--module", options.module, "of the Nth module that the script builds")
        ->type_name("N")
        ->check(CLI::Range(1, 1'000'000))
        ->group(group);
    bench.add_option("--studio", options.studio, "call this kernel factory first; {m} is the dimension m")
        ->type_name("CALL")
        ->take_all()
        ->group(group);
    bench.add_option("--arg", options.arguments, "an argument: a=f32[64,80]:random, a=:zeros, a=data.npy, n=64")
        ->type_name("NAME=...")
        ->take_all()
        ->group(group);
    bench.add_option("--dim", options.dimensions, "a dimension, m=64, or a sweep over several sizes, m=16,32,64")
        ->type_name("NAME=N,...")
        ->take_all()
        ->group(group);
    bench
        .add_option(
            "--reference", options.reference,
            "compare with: a function of the script, emulator, checks (its own asserts), FUNCTION@N of module N, "
            "other.py")
        ->type_name("REF")
        ->group(group);
    bench.add_option("--tolerance", options.tolerance, "of each element, absolute and relative: 1e-5,1e-3")
        ->type_name("ABS,REL")
        ->group(group);
    bench.add_flag("--check-only", options.check_only, "call it and check it, measure nothing")->group(group);
    bench.add_option("--arch", options.arch, "the GPU that registers and occupancy are of")
        ->type_name("ARCH")
        ->group(group);
}

void add_bench(CLI::App& app, Options& options) {
    CLI::App& bench = *app.add_subcommand("bench", "run a script, then measure what it calls");
    add_common(bench, options);
    add_run(bench, options);
    add_target(bench, options);
    bench.add_option("--against", options.against, "measure in turns with this: cublas, openblas, or another script")
        ->type_name("PEER");
    add_trial(bench, options);
}

void add_verbs(CLI::App& app, Options& options) {
    add_bench(app, options);
    add_cache(app, options);
    add_doctor(app, options);
    CLI::App& run = *app.add_subcommand("run", "run a script as a program");
    add_common(run, options);
    add_run(run, options);
    add_target(run, options);

    CLI::App& check = *app.add_subcommand("check", "say what is wrong with a script, without running its kernels");
    add_common(check, options);
    add_preview(check, options);

    CLI::App& lower = *app.add_subcommand("lower", "print the IR of a script's modules after the passes");
    add_common(lower, options);
    add_preview(lower, options);
    add_text(lower, options);
    CLI::Option* after = lower.add_option("--after", options.after, "stop after this pass")->type_name("PASS");
    lower.add_flag("--all", options.all, "after every pass that changed something")->excludes(after);
    lower.add_flag("--passes", options.passes, "list the passes with time and change marks");
    lower.add_option("--diff", options.diff, "what changed from after one pass to after another; 'script': before all")
        ->type_name("PASS PASS")
        ->expected(2)
        ->excludes(after);

    CLI::App& emulate =
        *app.add_subcommand("emulate", "run a script on the emulator and report what its kernels do wrong");
    add_common(emulate, options);
    add_run(emulate, options);
    emulate.add_option("--checks", options.checks, "bounds or all")
        ->check(CLI::IsMember({"bounds", "all"}))
        ->type_name("CHECKS");

    CLI::App& emit = *app.add_subcommand("emit", "write one form of a script's modules");
    add_common(emit, options);
    add_preview(emit, options);
    add_text(emit, options);
    emit.add_option("--kind", options.kind, "ir, cuda, ptx, cubin, sass, cpp or bytecode")
        ->type_name("KIND")
        ->required();
    emit.add_option("--arch", options.arch, "the GPU to compile for (sm_90a where there is none)")->type_name("ARCH");
    emit.add_option("-o,--output", options.out, "write to this file instead of standard output")->type_name("OUT");

    add_model(app, options);
    add_worker(app, options);
}

// CLI11 says "The following argument was not expected"; a misspelt verb deserves better.
bool report_unknown_verb(const CLI::App& app, int argc, char** argv) {
    if (argc < 2 || argv[1][0] == '-')
        return false;
    std::vector<std::string> verbs;
    for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; }))
        if (verb->get_name() == argv[1])
            return false;
        else
            verbs.push_back(verb->get_name());
    std::string near = closest(argv[1], verbs);
    std::string hint = near.empty() ? "; the verbs are " + join(verbs, ", ") : "; did you mean '" + near + "'?";
    std::fprintf(stderr, "hidetc: unknown verb '%s'%s\n", argv[1], hint.c_str());
    return true;
}

} // namespace

bool parse_options(int argc, char** argv, Options& options, int& exit) {
    CLI::App app("hidetc: compiles, runs and examines Hidet Script.", "hidetc");
    app.set_version_flag("--version", "hidetc " HIDET_VERSION);
    app.footer(examples);
    app.require_subcommand(1);
    add_verbs(app, options);
    for (CLI::App* verb : app.get_subcommands([](CLI::App*) { return true; }))
        verb->add_flag_callback(
                "--version", [] { throw CLI::CallForVersion("hidetc " HIDET_VERSION, 0); }, "")
            ->group("");
    exit = exit_usage;
    if (argc < 2) {
        std::fputs(app.help().c_str(), stderr);
        return false;
    }
    if (report_unknown_verb(app, argc, argv))
        return false;
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& success) {
        exit = exit_fine;
        app.exit(success);
        return false;
    } catch (const CLI::ParseError& error) {
        std::fprintf(stderr, "hidetc: %s\n'hidetc --help' lists the verbs, 'hidetc VERB --help' the options of one\n",
                     error.what());
        return false;
    }
    options.verb = app.get_subcommands().front()->get_name();
    return true;
}

} // namespace hidet::cli
