// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iomanip>
#include <iterator>
#include <limits>
#include <sstream>
#include <type_traits>

#include "app/cli/options.h"
#include "app/cli/output.h"
#include "app/cli/text/numbers.h"
#include "app/cli/verbs.h"
#include "app/cli/version.h"
#include "app/mcp/tools.h"
#include "lang/base/text.h"

namespace hidet::cli {

namespace {

constexpr void (*verb_adders[])(Verb&, Action&) = {
#define HIDET_VERB(name) add_##name,
#define HIDET_MODEL_VERB(name)
#include "app/cli/verbs.def"
};

struct Example {
    std::string_view command;
    std::string_view what;
};
constexpr Example examples[] = {
#define HIDET_EXAMPLE(command, what) {command, what},
#include "app/cli/examples.def"
#undef HIDET_EXAMPLE
};

constexpr const char* conventions = R"(

FILE may be '-' for standard input; 'lower' and 'emit' also read the text form of IR (*.ir).
Exit codes: 0 fine, 1 the script or a kernel is wrong, 2 wrong usage, 3 something is missing on this machine, 70 our bug, 124 --timeout.)";

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

std::string plain(double value) {
    std::ostringstream text;
    text << std::setprecision(10) << value;
    return text.str();
}

// CLI11 itself takes -1 for an unsigned number, 1.5 for a whole one and "nan" for one of any range.
template <class T>
CLI::Option& add_number(CLI::App& app, const char* name, T& into, const char* type, const std::string& what) {
    auto refusal = [](const std::string& text) {
        T value = 0;
        if (read_number(text, value) && std::isfinite(static_cast<double>(value)))
            return std::string();
        if constexpr (!std::is_integral_v<T>)
            return cat("'", text, "' is not a number");
        const auto least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
        return cat("'", text, "' is not an integer from ", least, " to ", most);
    };
    return *app.add_option(name, into, what)->type_name(type)->check(refusal, "");
}

void report(CLI::App& app, const CLI::ParseError& error) {
    std::string text = dynamic_cast<const CLI::ExtrasError*>(&error) ? misplaced_option(app) : "";
    std::fprintf(stderr, "hidetc: %s\n'hidetc --help' lists the verbs, 'hidetc VERB --help' the options of one\n",
                 text.empty() ? error.what() : text.c_str());
}

} // namespace

Argument& Argument::required() {
    m_option->required();
    return *this;
}

Argument& Argument::hidden() {
    m_option->group("");
    return *this;
}

Argument& Argument::between(double least, double most) {
    auto refusal = [least, most](const std::string& text) {
        double value = 0;
        const bool fits = read_number(text, value) && value >= least && value <= most;
        return fits ? std::string() : cat("'", text, "' is not between ", plain(least), " and ", plain(most));
    };
    m_option->check(refusal, cat(plain(least), " to ", plain(most)));
    return *this;
}

Argument& Argument::one_of(const std::vector<std::string>& values) {
    m_option->check(CLI::IsMember(values));
    return *this;
}

Argument& Argument::takes(int count) {
    m_option->multi_option_policy(CLI::MultiOptionPolicy::Throw)->expected(count);
    return *this;
}

Argument& Argument::excludes(const Argument& other) {
    m_option->excludes(other.m_option);
    return *this;
}

Argument& Argument::needs(const Argument& other) {
    m_option->needs(other.m_option);
    return *this;
}

Verb Verb::add_verb(const char* name, const std::string& what) {
    return Verb(*m_app->add_subcommand(name, what));
}

void Verb::require_verb() {
    m_app->require_subcommand(1);
}

void Verb::when_chosen(std::function<void()> then) {
    m_app->parse_complete_callback(std::move(then));
}

Argument Verb::file(const char* name, std::string& into, const std::string& what) {
    return Argument(*m_app->add_option(name, into, what)).required();
}

Argument Verb::files(const char* name, std::vector<std::string>& into, const std::string& what) {
    return Argument(*m_app->add_option(name, into, what)).required();
}

Argument Verb::flag(const char* name, bool& into, const std::string& what) {
    return Argument(*m_app->add_flag(name, into, what));
}

Argument Verb::text(const char* name, std::string& into, const char* type, const std::string& what) {
    return Argument(*m_app->add_option(name, into, what)->type_name(type));
}

Argument Verb::texts(const char* name, std::vector<std::string>& into, const char* type, const std::string& what) {
    return Argument(*m_app->add_option(name, into, what)->type_name(type)->take_all());
}

Argument Verb::number(const char* name, int& into, const char* type, const std::string& what) {
    return Argument(add_number(*m_app, name, into, type, what));
}

Argument Verb::number(const char* name, std::uint64_t& into, const char* type, const std::string& what) {
    return Argument(add_number(*m_app, name, into, type, what));
}

Argument Verb::number(const char* name, double& into, const char* type, const std::string& what) {
    return Argument(add_number(*m_app, name, into, type, what));
}

Argument Verb::choice(const char* name, std::vector<std::string> words, std::function<void(std::size_t)> chosen,
                      const char* type, const std::string& what) {
    std::vector<std::string> others(words.begin(), words.end() - 1);
    const std::string summary = cat(what, ": ", join(others, ", "), " or ", words.back());
    auto take = [words, chosen = std::move(chosen)](const std::string& word) {
        chosen(static_cast<std::size_t>(std::ranges::find(words, word) - words.begin()));
    };
    return Argument(*m_app->add_option_function<std::string>(name, take, summary)
                         ->type_name(type)
                         ->check(CLI::IsMember(std::move(words))));
}

static std::string text_of(const std::vector<Example>& shown) {
    std::size_t width = 0;
    for (const Example& each : shown)
        width = std::max(width, each.command.size());
    std::string text = shown.empty() ? "" : "\nExamples:";
    for (const Example& each : shown)
        text += cat("\n  hidetc ", each.command, std::string(width + 2 - each.command.size(), ' '), each.what);
    return text;
}

// Of a verb and of those below it, whose names follow `before`; made when they are asked for.
static void add_examples(CLI::App& verb, const std::string& before) {
    const std::string path = cat(before, verb.get_name(), " ");
    verb.footer([path] {
        std::vector<Example> own;
        std::ranges::copy_if(examples, std::back_inserter(own),
                             [&](const Example& each) { return each.command.starts_with(path); });
        return text_of(own);
    });
    for (CLI::App* below : verbs_of(verb))
        add_examples(*below, path);
}

// The first of each verb.
static std::string overview() {
    std::vector<Example> first;
    const auto verb = [](const Example& each) { return each.command.substr(0, each.command.find(' ')); };
    for (const Example& each : examples)
        if (std::ranges::none_of(first, [&](const Example& known) { return verb(known) == verb(each); }))
            first.push_back(each);
    return text_of(first) + conventions;
}

static mcp::OptionShape shape_of(const CLI::Option& option) {
    mcp::OptionShape out;
    out.is_positional = option.get_positional();
    out.name = out.is_positional ? option.get_name(true) : option.get_lnames().front();
    out.what = option.get_description();
    out.is_flag = !out.is_positional && option.get_items_expected_max() == 0;
    out.type = out.is_flag ? "" : option.get_type_name();
    out.is_list = option.get_items_expected_max() > 1;
    out.is_required = option.get_required();
    return out;
}

static void add_shapes(CLI::App& app, const std::vector<std::string>& before, std::vector<mcp::VerbShape>& out) {
    for (CLI::App* verb : verbs_of(app)) {
        mcp::VerbShape shape{before, verb->get_description(), {}};
        shape.words.push_back(verb->get_name());
        for (const CLI::Option* option : verb->get_options())
            if (option != verb->get_help_ptr() && !option->get_group().empty())
                shape.options.push_back(shape_of(*option));
        add_shapes(*verb, shape.words, out);
        if (verbs_of(*verb).empty())
            out.push_back(std::move(shape));
    }
}

std::vector<mcp::VerbShape> verb_shapes() {
    CLI::App app;
    Action ignored;
    Verb program(app);
    for (auto add : verb_adders)
        add(program, ignored);
    std::vector<mcp::VerbShape> out;
    add_shapes(app, {}, out);
    return out;
}

bool read_command_line(int argc, char** argv, Action& chosen, int& exit) {
    CLI::App app("hidetc: compiles, runs and examines Hidet Script.", "hidetc");
    app.set_version_flag("--version", "hidetc " HIDET_VERSION);
    app.require_subcommand(1);
    Verb program(app);
    for (auto add : verb_adders)
        add(program, chosen);
    app.footer(overview);
    for (CLI::App* verb : verbs_of(app)) {
        add_examples(*verb, "");
        verb->add_flag_callback(
                "--version", [] { throw CLI::CallForVersion("hidetc " HIDET_VERSION, 0); }, "")
            ->group("");
    }
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
        std::ostringstream text;
        app.exit(success, text, text);
        print_text(text.str());
        return false;
    } catch (const CLI::ParseError& error) {
        report(app, error);
        return false;
    }
    return true;
}

} // namespace hidet::cli
