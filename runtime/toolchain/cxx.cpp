// SPDX-License-Identifier: Apache-2.0
#include "runtime/toolchain/cxx.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <unistd.h>

#include "lang/base/files.h"
#include "lang/base/text.h"
#include "runtime/process/run.h"
#include "runtime/toolchain/confinement.h"
#include "runtime/toolchain/files.h"
#include "runtime/toolchain/words.h"

namespace hidet::toolchain {

namespace {

// What the text is called in messages, for which the compiler says "<stdin>".
constexpr std::string_view text_name = "/hidet/functions.cpp";
constexpr const char* only_of_gcc[] = {"-fno-tree-loop-distribute-patterns", "-fno-thread-jumps"};

// "g++ (Debian 12.2.0-14) 12.2.0", "Debian clang version 14.0.6".
std::string name_in(std::string_view version_text) {
    std::string_view line = trimmed(version_text.substr(0, version_text.find('\n')));
    constexpr std::string_view clang = "clang version ";
    if (std::size_t at = line.find(clang); at != std::string_view::npos) {
        line.remove_prefix(at + clang.size());
        return cat("clang++ ", line.substr(0, line.find(' ')));
    }
    std::string_view number = line.substr(line.rfind(' ') + 1);
    bool is_number = !number.empty() && std::isdigit(static_cast<unsigned char>(number.front()));
    return is_number ? cat("g++ ", number) : std::string(line);
}

std::string readable_log(std::string_view errors) {
    constexpr std::string_view input = "<stdin>";
    std::string log;
    for (std::size_t at = errors.find(input); at != std::string_view::npos; at = errors.find(input)) {
        log.append(errors.substr(0, at)).append(text_name);
        errors.remove_prefix(at + input.size());
    }
    return log.append(errors);
}

bool is_architecture_name(std::string_view arch) {
    return !arch.empty() && std::ranges::all_of(arch, [](unsigned char c) {
        return std::isalnum(c) || c == '-' || c == '_' || c == '.' || c == '+';
    });
}

// Zig's driver of Clang, which people can install without rights. Its own runtime libraries, which it would compile first, are left
// out: the text includes nothing, and what throws it finds in the C++ library of the system.
bool is_zig(const std::vector<std::string>& command) {
    return command.size() == 2 && command.back() == "c++" && std::filesystem::path(command.front()).filename() == "zig";
}

std::vector<std::string> for_zig(std::vector<std::string> options) {
    for (std::string& option : options)
        if (constexpr std::string_view arch = "-march="; option.starts_with(arch))
            std::replace(option.begin() + arch.size(), option.end(), '-', '_');
    std::erase(options, "-Wl,--exclude-libs,ALL"); // which it does not know: no archive is linked
    for (const char* option : {"-nostdlib", "-nostdlib++", "-Wl,-z,undefs", "-Wno-unused-command-line-argument"})
        options.emplace_back(option);
    return options;
}

// It may write to the folder alone, also what Zig keeps.
void confine(process::Command& command, const std::string& program, const std::string& folder) {
    command.confinement = confinement_of(program, folder);
    for (const char* variable : {"ZIG_GLOBAL_CACHE_DIR=", "ZIG_LOCAL_CACHE_DIR="})
        command.variables.push_back(variable + folder);
}

std::string runtime_library() {
    for (const char* folder : {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"})
        if (std::string path = cat(folder, "/libstdc++.so.6"); access(path.c_str(), R_OK) == 0)
            return path;
    return {};
}

Error failure(const std::string& name, const process::Outcome& outcome, const std::string& arch) {
    std::string log = readable_log(outcome.errors);
    if (outcome.end == process::Outcome::End::Cancelled)
        return {"cancelled", "the compilation was cancelled"};
    if (outcome.end != process::Outcome::End::Exited)
        return {"compiler-broken", cat(name, " ", outcome.story(), log.empty() ? "" : "\n", log)};
    if (log.empty())
        return {"compiler-broken", cat(name, " ", outcome.story(), " and says nothing of it")};
    if (log.find("No space left on device") != std::string::npos)
        return {"disk-full", cat(name, " found no space for its files")};
    bool is_about_architecture =
        log.find("-march=") != std::string::npos || log.find("target CPU") != std::string::npos;
    if (is_about_architecture && log.find(text_name) == std::string::npos)
        return {"arch-unknown", cat(name, " does not know '", arch, "'")};
    return {"compile-failed", log};
}

} // namespace

std::vector<std::string> command_words(const std::string& command) {
    if (access(command.c_str(), X_OK) == 0)
        return {command};
    std::vector<std::string> words;
    for (std::string& word : split(command, ' '))
        if (!word.empty())
            words.push_back(std::move(word));
    return words;
}

const std::string& CxxCompiler::program() const {
    return is_zig(m_command) ? m_command.front() : m_command.back(); // others may be launched: "ccache g++"
}

std::string native_architecture() {
    std::ifstream in("/proc/cpuinfo");
    std::string description;
    for (std::string line; std::getline(in, line) && !line.empty();)
        for (const char* key : {"vendor_id", "cpu family", "model\t", "flags", "CPU part", "Features"})
            if (line.starts_with(key))
                description += line + "\n";
    return description;
}

Result<std::shared_ptr<const CxxCompiler>> CxxCompiler::load(const std::string& command) {
    auto compiler = std::make_shared<CxxCompiler>();
    compiler->m_command = command_words(command);
    if (compiler->m_command.empty())
        return Error{"compiler-missing", "no C++ compiler is named"};
    process::Command question{.words = compiler->m_command, .seconds = 20};
    question.words.push_back("--version");
    HIDET_TRY(std::unique_ptr<TemporaryFolder> folder, TemporaryFolder::make());
    confine(question, compiler->program(), folder->path());
    HIDET_TRY(process::Outcome answer, process::run_to_end(question, "compiler-missing"));
    if (!answer.succeeded())
        return Error{"compiler-missing", cat("'", command, " --version' ", answer.story())};
    compiler->m_name = name_in(answer.output);
    return std::shared_ptr<const CxxCompiler>(std::move(compiler));
}

std::vector<std::string> CxxCompiler::options(const CompileRequest& request) {
    // Floats round after every operation, as the virtual machine computes them, and memory may be read as another type;
    // errno and traps are nobody's concern. A loop that never ends is one that the user can stop, and not, as C++ has it,
    // proof that its condition becomes false. The text itself says where integers wrap: with -fwrapv the index of an element
    // would be arithmetic that may wrap too, and loops over elements would not be vectorised. Functions call each other
    // directly though they can be seen from outside. GCC 12 mixes up the masks of conditional loads when it has unrolled a
    // short inner loop before it makes vectors of the outer one, so it only unrolls the shortest ones. What copies the sums of a
    // tile is no call of memcpy, which has GCC keep them in memory where the widest vectors have 256 bits; and what follows a
    // clamped value is not computed once for each way in which it can be clamped, as vectors take all ways.
    std::vector<std::string> options = {"-std=c++20",
                                        "-O3",
                                        "-march=" + request.arch,
                                        "-fPIC",
                                        request.product == Product::Object ? "-c" : "-shared",
                                        "-pipe",
                                        "-fno-strict-aliasing",
                                        "-ffp-contract=off",
                                        "-fno-math-errno",
                                        "-fno-trapping-math",
                                        "-fno-finite-loops",
                                        "-fno-semantic-interposition",
                                        "--param=max-completely-peeled-insns=16",
                                        "-fdiagnostics-color=never"};
#if defined(__x86_64__)
    // Schedules cut tiles for the widest vectors that there are, and GCC would take two registers for each.
    options.emplace_back("-mprefer-vector-width=512");
#endif
    options.insert(options.end(), std::begin(only_of_gcc), std::end(only_of_gcc));
    options.insert(options.end(), request.options.begin(), request.options.end());
    return options;
}

Result<CompileResult> CxxCompiler::compile(const CompileRequest& request) const {
    const bool is_linked = request.product == Product::SharedObject;
    HIDET_CHECK(is_linked || (request.product == Product::Object && request.objects.empty()), "C++ becomes an object");
    if (!is_architecture_name(request.arch))
        return Error{"arch-unknown", cat("'", request.arch, "' is not the name of a processor")};
    HIDET_TRY(std::unique_ptr<TemporaryFolder> folder, TemporaryFolder::make());
    std::string object = folder->path() + "/functions.so";
    process::Command command{.words = m_command, .input = request.text, .seconds = 600, .cancelled = request.cancelled};
    command.variables.push_back("TMPDIR=" + folder->path()); // what it leaves behind when it is killed goes with ours
    command.variables.push_back("CCACHE_DISABLE=1");         // ours stands in front
    command.variables.emplace_back("LD_PRELOAD="); // a sanitizer's runtime does not start where it sees nothing
    confine(command, program(), folder->path());
    const bool zig = is_zig(m_command);
    std::vector<std::string> options = zig ? for_zig(this->options(request)) : this->options(request);
    if (m_name.starts_with("clang++"))
        std::erase_if(options, [](const std::string& option) { return std::ranges::count(only_of_gcc, option) > 0; });
    std::ranges::move(options, std::back_inserter(command.words));
    for (std::size_t i = 0; i < request.objects.size(); ++i) {
        command.words.push_back(cat(folder->path(), "/", i, ".o"));
        HIDET_TRY_TO(replace_file(command.words.back(), request.objects[i]));
    }
    for (const char* word : {"-o", object.c_str(), "-x", "c++", "-"})
        command.words.push_back(word);
    if (const std::string library = zig && is_linked ? runtime_library() : ""; !library.empty())
        for (const std::string& word : {std::string("-x"), std::string("none"), library})
            command.words.push_back(word);
    HIDET_TRY(process::Outcome outcome, process::run_to_end(command, "compiler-missing"));
    if (!outcome.succeeded())
        return failure(m_name, outcome, request.arch);
    auto bytes = read_file(object);
    if (!bytes)
        return Error{"compiler-broken", cat(m_name, " wrote no file: ", readable_log(outcome.errors))};
    CompileResult result;
    result.bytes = std::move(bytes).value();
    result.log = readable_log(outcome.errors);
    result.compiler = m_name;
    return result;
}

} // namespace hidet::toolchain
