// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/arguments.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdio>

#include "runtime/tool/stop.h"

namespace hidet::tool {

namespace {

std::pair<std::string, std::string> split(const std::string& text, const std::string& option, const std::string& form) {
    std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
        throw Stop{exit_usage, option + " is " + form + ", not '" + text + "'"};
    return {text.substr(0, equals), text.substr(equals + 1)};
}

// What CLI11 reads as text, and becomes something else afterwards.
struct Words {
    std::vector<std::string> inputs, dimensions;
};

void take_words(const Words& words, Arguments& arguments) {
    for (const std::string& text : words.inputs)
        arguments.inputs.push_back(split(text, "--input", "NAME=FILE.npy"));
    for (const std::string& text : words.dimensions) {
        auto [name, number] = split(text, "--dim", "NAME=NUMBER");
        std::int64_t extent = -1;
        auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), extent);
        if (error != std::errc() || end != number.data() + number.size() || extent < 0)
            throw Stop{exit_usage, "--dim is NAME=NUMBER, not '" + text + "'"};
        arguments.dimensions.emplace_back(name, extent);
    }
}

void add_common(CLI::App& app, Arguments& arguments) {
    app.add_option("PACKAGE", arguments.package, "a compiled model: x.hidet")->required();
    app.add_option(
           "--key", arguments.key,
           "only packages that are signed with this key: a file with an Ed25519 public key, 32 bytes or 64 digits")
        ->option_text("FILE");
    app.add_flag("--json", arguments.json, "one document on standard output");
}

void add_running(CLI::App& app, Arguments& arguments, Words& words) {
    app.add_option("--device", arguments.device,
                   "cpu, cuda, cuda:N, or auto: the GPU if there is one that the package has code for")
        ->option_text("DEVICE");
    app.add_option("--entry", arguments.entry, "which of the package; the first otherwise")->option_text("NAME");
    app.add_flag("--trust", arguments.trust, "CPU: machine code of the package may be loaded into this process");
    app.add_option("--threads", arguments.threads, "CPU: one for each processor otherwise")
        ->check(CLI::Range(1, 4096))
        ->option_text("N");
    app.add_option("--input", words.inputs, "the array of an input; random numbers otherwise")
        ->option_text("NAME=FILE.npy")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    app.add_option("--dim", words.dimensions, "a dimension of random inputs; 1 otherwise")
        ->option_text("NAME=N")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    app.add_option("--random", arguments.seed, "of random inputs: floats from -1 to 1, integers 0 or 1")
        ->option_text("SEED");
    app.add_flag("--profile", arguments.profile, "the time of each step, in a run that waits after each");
}

} // namespace

std::optional<Arguments> read_arguments(int argc, char** argv, int& exit) {
    Arguments arguments;
    Words words;
    CLI::App app("Runs compiled models: packages of Hidet Studio.", "hidet-run");
    app.require_subcommand(1);
    app.footer("'hidet-run VERB --help' lists the options of a verb.");
    CLI::App* describe = app.add_subcommand("describe", "what a package takes, gives, and is compiled for");
    CLI::App* verify = app.add_subcommand("verify", "compares every checksum, and reads every plan");
    CLI::App* run = app.add_subcommand("run", "runs it once, and prints or stores the results");
    CLI::App* time = app.add_subcommand("time", "measures its start, its runs and its memory");
    for (CLI::App* verb : {describe, verify, run, time})
        add_common(*verb, arguments);
    for (CLI::App* verb : {run, time})
        add_running(*verb, arguments, words);
    run->add_option("--output", arguments.output, "a folder for the results, as output_0.npy, ...")
        ->option_text("FOLDER");
    time->add_option("--runs", arguments.runs, "how many are measured; for about a second otherwise")
        ->check(CLI::Range(1, 10'000'000))
        ->option_text("N");
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp& help) {
        exit = app.exit(help);
        std::puts("");
        return std::nullopt;
    } catch (const CLI::ParseError& error) {
        std::string message =
            app.get_subcommands().empty() ? "the first argument is describe, verify, run or time" : error.what();
        throw Stop{exit_usage, message + "; --help tells more"};
    }
    take_words(words, arguments);
    arguments.verb = *describe ? Verb::Describe : *verify ? Verb::Verify : *run ? Verb::Run : Verb::Time;
    return arguments;
}

} // namespace hidet::tool
