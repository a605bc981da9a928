// SPDX-License-Identifier: Apache-2.0
#include "app/cli/kernel_options.h"

#include "app/cli/output.h"
#include "app/cli/text/numbers.h"

namespace hidet::cli {

using namespace session;

namespace {

bool read_tolerance(const std::string& text, Tolerance& out) {
    if (text.empty())
        return true;
    double absolute = 0, relative = 0;
    if (!read_bounds(text, absolute, relative))
        return wrong_usage(cat("'", text, "' is not a tolerance (absolute, relative), such as '1e-5,1e-3'"),
                           DiagId::TryArgumentText);
    out = {absolute, relative};
    return true;
}

// "m=64" is a value, "m=1,2,4" a sweep.
bool read_dimension(const std::string& text, KernelBenchRequest& request) {
    std::size_t equals = text.find('=');
    std::vector<std::int64_t> values;
    bool fine = equals != std::string::npos && equals > 0;
    for (const std::string& part : fine ? split(text.substr(equals + 1), ',') : std::vector<std::string>()) {
        fine = fine && read_number(part, values.emplace_back()) && values.back() >= 0;
    }
    if (!fine || values.empty())
        return wrong_usage(cat("'", text, "' is not a dimension, such as 'm=64', or 'm=16,32,64' for several sizes"),
                           DiagId::TryArgumentText);
    std::string name = text.substr(0, equals);
    if (values.size() == 1) {
        request.dimensions.push_back({name, values[0]});
        return true;
    }
    if (request.vary)
        return wrong_usage(cat("'", request.vary->name, "' and '", name, "' both have several values; one can vary"),
                           DiagId::TryArgumentText);
    request.vary = Sweep{name, values};
    return true;
}

// NAME, FUNCTION@2, @2, other.py, other.py:FUNCTION, none, emulator, checks; nothing: what there is
bool read_reference(const KernelOptions& options, Reference& out, int& exit) {
    const std::string& text = options.reference;
    if (text.empty() || text == "none") {
        out.kind = text.empty() ? ReferenceKind::Automatic : ReferenceKind::None;
        return true;
    }
    if (text == "emulator" || text == "checks") {
        out.kind = text == "emulator" ? ReferenceKind::Emulator : ReferenceKind::ScriptChecks;
        return true;
    }
    if (std::size_t at = text.find('@'); at != std::string::npos) {
        out.kind = ReferenceKind::Variant;
        out.function = text.substr(0, at);
        return read_number(std::string_view(text).substr(at + 1), out.module) && out.module > 0
                   ? true
                   : wrong_usage(cat("'", text, "' is not a reference, such as 'matmul@2': a function of module 2"),
                                 DiagId::TryArgumentText);
    }
    std::size_t suffix = text.find(".py");
    bool is_file = suffix != std::string::npos && (suffix + 3 == text.size() || text[suffix + 3] == ':');
    if (!is_file) {
        out.kind = ReferenceKind::ScriptFunction;
        out.function = text;
        return true;
    }
    out.kind = ReferenceKind::Variant;
    out.function = suffix + 3 < text.size() ? text.substr(suffix + 4) : "";
    SourceOptions other = options.source;
    other.file = text.substr(0, suffix + 3);
    const int opened = open_source(other, out.script.emplace());
    exit = opened == exit_fine ? exit : opened; // what is read after it may still be wrong usage
    return opened == exit_fine;
}

} // namespace

void add_kernel_options(Verb& verb, KernelOptions& options) {
    add_source(verb, options.source);
    verb.text("--function", options.request.function, "F", "call this one (the first that the script calls)");
    add_preview(verb, options.request.calls, options.request.module);
    verb.texts("--arg", options.arguments, "NAME=...", "an argument: a=f32[64,80]:random, a=:zeros, a=data.npy, n=64");
    verb.texts("--dim", options.dimensions, "NAME=N,...",
               "a dimension, m=64, or a sweep over several sizes, m=16,32,64");
    verb.text(
        "--reference", options.reference, "REF",
        "compare with: a function of the script, emulator, checks (its own asserts), FUNCTION@N of module "
        "N, other.py, none (the script's asserts of its own call, else a function that is called a reference, else, "
        "on a device, the emulator)");
    verb.text("--tolerance", options.tolerance, "ABS,REL", "of each element, absolute and relative: 1e-5,1e-3");
}

bool read_kernel_options(const KernelOptions& options, KernelBenchRequest& request, int& exit) {
    exit = exit_usage;
    for (const std::string& text : options.arguments) {
        Result<ArgumentSpec> spec = parse_argument(text);
        if (!spec)
            return wrong_usage(spec.error().message, DiagId::TryArgumentText);
        request.arguments.push_back(spec.value());
    }
    for (const std::string& text : options.dimensions)
        if (!read_dimension(text, request))
            return false;
    return read_tolerance(options.tolerance, request.tolerance) && read_reference(options, request.reference, exit);
}

} // namespace hidet::cli
