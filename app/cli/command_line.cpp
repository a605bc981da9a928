// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command_line.h"

#include <CLI/CLI.hpp>
#include <cstdio>

#include "app/cli/options.h"
#include "lang/base/text.h"

#ifndef HIDET_VERSION
#define HIDET_VERSION "unknown"
#endif

namespace hidet::cli {

namespace {

constexpr void (*verb_adders[])(CLI::App&, Action&) = {
    add_bench, add_try,     add_cache, add_doctor, add_run_verb, add_check,
    add_lower, add_emulate, add_emit,  add_model,  add_worker,
};

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
  hidetc try kernel.py --dim m=64 --reference plain   one kernel with these arguments: right, how fast, what limits it
  hidetc check factory.py --studio 'matmul(64, 64)'   preview a function that returns kernels

FILE may be '-' for standard input; 'lower' and 'emit' also read the text form of IR (*.ir).
Exit codes: 0 fine, 1 the script or a kernel is wrong, 2 wrong usage, 3 something is missing on this machine, 70 our bug.)";

std::vector<CLI::App*> verbs_of(CLI::App& app) {
    return app.get_subcommands([](CLI::App*) { return true; });
}

// CLI11 says "The following argument was not expected"; a misspelt verb deserves better.
bool report_unknown_verb(CLI::App& app, int argc, char** argv) {
    if (argc < 2 || argv[1][0] == '-')
        return false;
    std::vector<std::string> verbs;
    for (const CLI::App* verb : verbs_of(app))
        if (verb->get_name() == argv[1])
            return false;
        else
            verbs.push_back(verb->get_name());
    std::string near = closest(argv[1], verbs);
    std::string hint = near.empty() ? "; the verbs are " + join(verbs, ", ") : "; did you mean '" + near + "'?";
    std::fprintf(stderr, "hidetc: unknown verb '%s'%s\n", argv[1], hint.c_str());
    return true;
}

// "'bench' has no option '--arg'; 'try' has it". Empty: what was not expected is no option of a verb beside it.
std::string misplaced_option(CLI::App& app) {
    CLI::App* verb = &app;
    while (!verb->get_subcommands().empty())
        verb = verb->get_subcommands().front();
    if (verb == &app)
        return "";
    for (const std::string& word : verb->remaining()) {
        std::string name = word.substr(0, word.find('='));
        std::vector<std::string> owners;
        for (CLI::App* other : verbs_of(*verb->get_parent()))
            if (name.starts_with("--") && other->get_option_no_throw(name))
                owners.push_back(cat("'", other->get_name(), "'"));
        if (!owners.empty())
            return cat("'", verb->get_name(), "' has no option '", name, "'; ", join(owners, ", "),
                       owners.size() == 1 ? " has it" : " have it");
    }
    return "";
}

void report(CLI::App& app, const CLI::ParseError& error) {
    std::string text = dynamic_cast<const CLI::ExtrasError*>(&error) ? misplaced_option(app) : "";
    std::fprintf(stderr, "hidetc: %s\n'hidetc --help' lists the verbs, 'hidetc VERB --help' the options of one\n",
                 text.empty() ? error.what() : text.c_str());
}

} // namespace

void when_chosen(CLI::App& verb, Action& chosen, Action action) {
    verb.parse_complete_callback([&chosen, action = std::move(action)] { chosen = action; });
}

bool read_command_line(int argc, char** argv, Action& chosen, int& exit) {
    CLI::App app("hidetc: compiles, runs and examines Hidet Script.", "hidetc");
    app.set_version_flag("--version", "hidetc " HIDET_VERSION);
    app.footer(examples);
    app.require_subcommand(1);
    for (auto add : verb_adders)
        add(app, chosen);
    for (CLI::App* verb : verbs_of(app))
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
        report(app, error);
        return false;
    }
    return true;
}

} // namespace hidet::cli
