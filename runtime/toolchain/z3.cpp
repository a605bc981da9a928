// SPDX-License-Identifier: Apache-2.0
#include "runtime/toolchain/z3.h"

#include <chrono>

#include "lang/base/text.h"
#include "runtime/toolchain/library.h"

namespace hidet::toolchain {

namespace {

constexpr const char* most_megabytes = "1024";
constexpr int most_work = 1'000'000;      // in the solver's unit
constexpr int most_milliseconds = 30'000; // should that be wrong by far

} // namespace

// The part of Z3's C interface that is used.
struct Z3::Functions {
    using Config = struct ConfigState*;
    using Context = struct ContextState*;
    Config (*make_config)() = nullptr;
    void (*delete_config)(Config config) = nullptr;
    Context (*make_context)(Config config) = nullptr;
    void (*delete_context)(Context context) = nullptr;
    const char* (*evaluate)(Context context, const char* text) = nullptr;
    void (*set_parameter)(const char* name, const char* value) = nullptr;
    const char* (*full_version)() = nullptr;
    void (*set_error_handler)(Context context, void (*handler)(Context, int)) = nullptr;

    bool bind(const Library& library) {
        return library.bind(make_config, "Z3_mk_config") && library.bind(delete_config, "Z3_del_config") &&
               library.bind(make_context, "Z3_mk_context") && library.bind(delete_context, "Z3_del_context") &&
               library.bind(evaluate, "Z3_eval_smtlib2_string") && library.bind(set_parameter, "Z3_global_param_set") &&
               library.bind(full_version, "Z3_get_full_version") &&
               library.bind(set_error_handler, "Z3_set_error_handler");
    }
};

Result<std::shared_ptr<Z3>> Z3::open(const std::string& path) {
    HIDET_TRY(Library library, Library::open(path));
    auto functions = std::make_shared<Functions>();
    if (!functions->bind(library))
        return Error{"solver-too-old", cat("'", path, "' lacks functions of Z3 4.8")};
    functions->set_parameter("memory_max_size", most_megabytes);
    auto out = std::make_shared<Z3>();
    out->m_functions = std::move(functions);
    return out;
}

std::string Z3::version() const {
    const std::string full = m_functions->full_version(); // "Z3 4.8.12.0"
    return full.substr(full.find(' ') + 1);
}

std::string Z3::recipe() const {
    return cat(version(), ", ", most_work, ", ", most_megabytes);
}

SolverAnswer Z3::ask(const std::string& question) const {
    const Functions::Config config = m_functions->make_config();
    const Functions::Context context = m_functions->make_context(config);
    m_functions->delete_config(config);
    m_functions->set_error_handler(context, [](Functions::Context, int) {}); // else it ends the process
    const auto start = std::chrono::steady_clock::now();
    const std::string text =
        cat("(set-option :rlimit ", most_work, ")\n(set-option :timeout ", most_milliseconds, ")\n", question);
    const char* const printed = m_functions->evaluate(context, text.c_str());
    std::string out = printed ? printed : "";
    m_functions->delete_context(context);
    if (out.starts_with("sat") || out.starts_with("unsat"))
        return {std::move(out)};
    const auto passed = std::chrono::steady_clock::now() - start;
    return {"", passed > std::chrono::milliseconds(most_milliseconds - 1000)};
}

} // namespace hidet::toolchain
