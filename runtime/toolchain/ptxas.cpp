// SPDX-License-Identifier: Apache-2.0
#include "runtime/toolchain/ptxas.h"

#include "lang/base/files.h"
#include "lang/base/text.h"
#include "runtime/process/run.h"
#include "runtime/toolchain/confinement.h"
#include "runtime/toolchain/figures.h"
#include "runtime/toolchain/files.h"
#include "runtime/toolchain/ptx_text.h"
#include "runtime/toolchain/words.h"

namespace hidet::toolchain {

namespace {

constexpr const char* standard_input = "/dev/stdin";
constexpr double most_seconds = 600;

// "ptxas /dev/stdin, line 25; error   : Unknown modifier" becomes "/hidet/kernel.ptx(25): error   : Unknown modifier".
std::string at_lines_of_text(std::string_view log) {
    const std::string place = cat("ptxas ", standard_input, ", line");
    std::string out;
    for (const std::string& line : split(log, '\n')) {
        std::string_view words = line;
        int number = -1;
        if (take(words, place))
            number = take_number(words);
        if (number > 0 && take(words, ";"))
            out += cat("/hidet/kernel.ptx(", number, "): ", trimmed(words), "\n");
        else
            out += line + "\n";
    }
    return out;
}

Error failure_of(const process::Outcome& outcome, const std::string& arch) {
    if (outcome.end == process::Outcome::End::Cancelled)
        return {"cancelled", "the compilation was cancelled"};
    const std::string log = at_lines_of_text(cat(outcome.output, outcome.errors));
    if (outcome.end != process::Outcome::End::Exited || trimmed(log).empty())
        return {"compiler-broken", std::string(trimmed(cat("ptxas ", outcome.story(), "\n", log)))};
    if (log.find("No space left on device") != std::string::npos)
        return {"disk-full", "ptxas found no space for its files"};
    if (log.find("is not defined for option 'gpu-name'") != std::string::npos)
        return {"arch-unknown", cat("ptxas does not know '", arch, "'")};
    return {"compile-failed", log};
}

} // namespace

Result<std::shared_ptr<const Ptxas>> Ptxas::load(const std::string& path) {
    const process::Command question{
        .words = {path, "--version"}, .seconds = 20, .confinement = confinement_of(path, "")};
    HIDET_TRY(process::Outcome answer, process::run_to_end(question, "ptxas-missing"));
    if (!answer.succeeded())
        return Error{"ptxas-missing", cat("'", path, " --version' ", answer.story())};
    auto ptxas = std::make_shared<Ptxas>();
    ptxas->m_path = path;
    ptxas->m_version = release_in(answer.output, "Ptx optimizing assembler");
    if (ptxas->m_version.empty())
        return Error{"ptxas-missing", cat("'", path, "' is not ptxas")};
    return std::shared_ptr<const Ptxas>(std::move(ptxas));
}

std::vector<std::string> Ptxas::options(const CompileRequest& request) {
    std::vector<std::string> options = {"-arch", request.arch, "-v", "-lineinfo"};
    options.insert(options.end(), request.options.begin(), request.options.end());
    return options;
}

Result<CompileResult> Ptxas::compile(const CompileRequest& request) const {
    HIDET_CHECK(request.product == Product::Cubin, "PTX becomes a cubin");
    HIDET_TRY(std::unique_ptr<TemporaryFolder> folder, TemporaryFolder::make());
    const std::string cubin = folder->path() + "/kernel.cubin";
    process::Command command{.words = {m_path},
                             .input = with_own_lines(request.text),
                             .seconds = most_seconds,
                             .cancelled = request.cancelled};
    command.variables.push_back("TMPDIR=" + folder->path());
    command.confinement = confinement_of(m_path, folder->path());
    for (std::string& option : options(request))
        command.words.push_back(std::move(option));
    for (const char* word : {"-o", cubin.c_str(), standard_input})
        command.words.emplace_back(word);
    HIDET_TRY(process::Outcome outcome, process::run_to_end(command, "ptxas-missing"));
    if (!outcome.succeeded())
        return failure_of(outcome, request.arch);
    auto bytes = read_file(cubin);
    if (!bytes)
        return Error{"compiler-broken", cat("ptxas wrote no file: ", bytes.error().message)};
    PtxasLog log = read_ptxas_log(cat(outcome.output, outcome.errors));
    CompileResult result;
    result.bytes = std::move(bytes).value();
    result.log = at_lines_of_text(log.rest);
    result.figures = std::move(log.figures);
    result.compiler = "ptxas " + m_version;
    return result;
}

} // namespace hidet::toolchain
