// SPDX-License-Identifier: Apache-2.0
#include "app/session/preview/lowering.h"

#include <algorithm>
#include <optional>

#include "app/session/forms/maker.h"
#include "app/session/work/read_ir.h"
#include "app/session/work/steps.h"
#include "compiler/ir/func.h"
#include "compiler/ir/structure.h"
#include "compiler/ir/text/print.h"
#include "compiler/transform/pass.h"
#include "lang/base/check.h"
#include "lang/base/diagnostic.h"
#include "lang/base/source.h"
#include "lang/base/text.h"
#include "lang/host/evaluator.h"

namespace hidet::session {

namespace {

// The launch function that a script module of several kernels lacks, as a fix of its diagnostic: a function behind the last
// kernel that takes what the kernels take and launches them in their order.

struct Parameter {
    std::string name;
    std::string annotation; // with its colon
};

// A kernel as the script writes it.
struct Written {
    std::string decorator; // its line, without the indentation
    std::string indent;
    std::string attributes; // what `.func_kind` stands behind
    std::string name;
    std::vector<Parameter> params;
    std::size_t end = 0; // of the last line of its body
};

std::string_view line_at(std::string_view text, std::size_t offset) {
    std::size_t begin = text.rfind('\n', offset == 0 ? 0 : offset - 1);
    begin = offset == 0 || begin == std::string_view::npos ? 0 : begin + 1;
    return text.substr(begin, std::min(text.find('\n', begin), text.size()) - begin);
}

std::size_t offset_of(std::string_view text, std::string_view part) {
    return static_cast<std::size_t>(part.data() - text.data());
}

std::string_view blanks_of(std::string_view line) {
    return line.substr(0, std::min(line.find_first_not_of(" \t"), line.size()));
}

struct InBracket {
    std::vector<std::string_view> parts; // between commas of its own
    std::size_t close = 0;
};

// From the bracket at `open` to its partner; nothing: it has none.
std::optional<InBracket> read_bracket(std::string_view text, std::size_t open) {
    InBracket out;
    std::size_t begin = open + 1;
    int depth = 0;
    for (std::size_t at = open; at < text.size(); ++at) {
        const char c = text[at];
        if (c == '#' || c == '\'' || c == '"')
            return {};
        depth += c == '(' || c == '[' || c == '{' ? 1 : 0;
        depth -= c == ')' || c == ']' || c == '}' ? 1 : 0;
        if (depth > 0 && !(c == ',' && depth == 1))
            continue;
        if (const std::string_view part = trimmed(text.substr(begin, at - begin)); !part.empty())
            out.parts.push_back(part);
        if (depth == 0) {
            out.close = at;
            return out;
        }
        begin = at + 1;
    }
    return {};
}

// Behind the last line that is deeper than the `def`, which ends in the line at `head`.
std::size_t end_of_body(std::string_view text, std::size_t head, std::size_t indent) {
    const std::string_view last = line_at(text, head);
    std::size_t end = offset_of(text, last) + last.size();
    for (std::size_t at = end; at < text.size();) {
        const std::string_view line = line_at(text, at + 1);
        const bool blank = trimmed(line).empty();
        if (!blank && blanks_of(line).size() <= indent)
            break;
        at = offset_of(text, line) + line.size();
        if (!blank)
            end = at;
    }
    return end;
}

std::optional<Written> read(std::string_view text, const ir::Function& kernel) {
    const Span name = kernel.origin.span;
    if (name.end > text.size() || text.substr(name.begin, name.end - name.begin) != kernel.name)
        return {};
    const std::string_view def = line_at(text, name.begin);
    const std::size_t begin = offset_of(text, def);
    const auto bracket = read_bracket(text, text.find('(', name.end));
    if (begin == 0 || !bracket || !trimmed(def).starts_with("def "))
        return {};
    Written out;
    out.decorator = trimmed(line_at(text, begin - 1));
    out.indent = blanks_of(def);
    out.name = kernel.name;
    out.end = end_of_body(text, bracket->close, out.indent.size());
    for (std::string_view part : bracket->parts) {
        const std::size_t colon = part.find(':');
        if (colon == std::string_view::npos)
            return {};
        out.params.push_back({std::string(trimmed(part.substr(0, colon))), std::string(part.substr(colon))});
    }
    const std::string_view body = text.substr(name.end, out.end - name.end);
    const std::size_t kind = body.find(".func_kind");
    if (!out.decorator.starts_with('@') || kind == std::string_view::npos)
        return {};
    out.attributes = trimmed(line_at(body, kind).substr(0, kind - offset_of(body, line_at(body, kind))));
    return out;
}

// What two kernels call the same and mean differently gets a name of its own.
std::string argument(const Written& kernel, const Parameter& wanted, std::vector<Parameter>& params) {
    std::string name = wanted.name;
    for (bool taken = true; taken;) {
        auto same = std::find_if(params.begin(), params.end(), [&](const Parameter& p) { return p.name == name; });
        if (same == params.end()) {
            params.push_back({name, wanted.annotation});
            return name;
        }
        taken = same->annotation != wanted.annotation;
        if (taken)
            name = name == wanted.name ? cat(kernel.name, "_", wanted.name) : name + "_";
    }
    return name;
}

template <class Items, class F>
std::string joined(const Items& items, F&& text_of) {
    std::string out;
    for (const auto& item : items)
        out += (out.empty() ? "" : ", ") + text_of(item);
    return out;
}

std::string launch_of(const std::vector<Written>& kernels) {
    const Written& first = kernels.front();
    const std::string inner = first.indent + "    ";
    std::vector<Parameter> params;
    std::string body;
    for (const Written& kernel : kernels)
        body += cat("\n", inner, kernel.name, "(",
                    joined(kernel.params, [&](const Parameter& p) { return argument(kernel, p, params); }), ")");
    const std::string taken = joined(params, [](const Parameter& p) { return p.name + p.annotation; });
    return cat("\n\n", first.indent, first.decorator, "\n", first.indent, "def launch(", taken, "):\n", inner,
               first.attributes, ".func_kind = 'public'", body);
}

// Adds nothing where the script does not write its kernels as a person would.
void offer_launch(Diagnostic& missing, const ir::Module& module, const SourceMap& sources) {
    std::vector<Written> kernels;
    const FileId file = missing.span.file;
    std::size_t end = 0;
    for (const ir::FunctionRef& function : module.functions) {
        if (function->func_kind != ir::FuncKind::CudaKernel)
            continue;
        if (!function->origin.known() || function->origin.span.file != file)
            return;
        std::optional<Written> kernel = read(sources.file(file).text(), *function);
        if (!kernel)
            return;
        end = std::max(end, kernel->end);
        kernels.push_back(std::move(*kernel));
    }
    if (kernels.empty())
        return;
    const auto place = static_cast<std::uint32_t>(end);
    missing.fixes.push_back(
        {{file, place, place}, launch_of(kernels), "write a function 'launch' that launches them in turn"});
}

std::shared_ptr<const TextSnapshot> print(const Work& work, const PreviewRequest& request, const ir::Module& module) {
    const ir::Function* function = request.function.empty() ? nullptr : ir::find_function(module, request.function);
    if (!function && !request.function.empty())
        return std::make_shared<TextSnapshot>();
    ir::PrintedText printed = function ? ir::print_function(*function) : ir::print_module(module);
    return std::make_shared<TextSnapshot>(snapshot_of(work, std::move(printed)));
}

// Keeps a snapshot of each pass as it ends, and tells the work which stage it is in.
class PassRecorder : public compiler::PassInstrument {
public:
    PassRecorder(Work& work, const PreviewRequest& request, ModuleSnapshot& snapshot)
        : m_work(work), m_request(request), m_snapshot(snapshot) {}

    void before(const compiler::PassInfo& pass, const ir::Module&) override {
        m_work.enter(cat("lowering (pass '", pass.name, "')"));
    }

    void after(const compiler::PassInfo& pass, const ir::Module& before, const ir::Module& after, double ms) override {
        PassSnapshot out;
        out.number = static_cast<int>(m_snapshot.passes.size());
        out.name = pass.name;
        out.summary = pass.summary;
        out.changed = &before != &after;
        out.ms = ms;
        if (m_request.texts == Keep::Everything && out.changed)
            out.module = print(m_work, m_request, after);
        m_snapshot.passes.push_back(std::move(out));
    }

private:
    Work& m_work;
    const PreviewRequest& m_request;
    ModuleSnapshot& m_snapshot;
};

compiler::LowerOptions lower_options(const Work& work, const PreviewRequest& request, const ir::Module& module) {
    compiler::LowerOptions options;
    options.target = request.for_cpu ? artifact::default_cpu() : target_of(request, module);
    options.stop_after = request.stop_after;
    options.cancelled = work.cancelled;
    options.launch_rule = compiler::LaunchRule::NotAsked;
    return options;
}

ir::ModuleRef run_one_pass(Work& work, const PreviewRequest& request, const ir::ModuleRef& module,
                           PassRecorder& recorder) {
    const compiler::PassInfo* pass = compiler::find_pass(request.only_pass);
    HIDET_CHECK(pass, request.only_pass);
    if (module->level < pass->in) {
        work.sink.report(DiagId::PassLevel, {}, pass->name, ir::level_name(pass->in), ir::level_name(module->level));
        return nullptr;
    }
    return compiler::run_pass(*pass, module, lower_options(work, request, *module), work.sink, {&recorder});
}

LoweredModule lowered(Work& work, const PreviewRequest& request, const ir::ModuleRef& module, PassRecorder& recorder) {
    if (!request.lower)
        return {module, nullptr};
    if (!request.only_pass.empty())
        return {run_one_pass(work, request, as_written(module), recorder), nullptr};
    Work::Clock clock(work, "lower");
    compiler::LowerOptions options = lower_options(work, request, *module);
    if (!request.stop_after.empty())
        return {compiler::lower(module, options, work.sink, {&recorder}), nullptr};
    options.to = compiler::LowerTo::Emulation;
    ir::ModuleRef emulated = compiler::lower(module, options, work.sink, {&recorder});
    if (!emulated)
        return {};
    options.from = compiler::LowerFrom::Emulation;
    options.to = compiler::LowerTo::Kernel;
    return {compiler::lower(emulated, options, work.sink, {&recorder}), emulated};
}

// A module is shown without the function; building it is what needs one. Where something is wrong with the script that
// function may be there, and be what is wrong.
void report_missing_launch(Work& work, const RecordedSite& recorded) {
    if (recorded.state == lang::ModuleState::Defined && work.sink.has_errors())
        return;
    std::optional<Diagnostic> missing = compiler::missing_launch(*recorded.module);
    if (!missing)
        return;
    if (recorded.state == lang::ModuleState::Defined)
        missing->severity = Severity::Warning;
    offer_launch(*missing, *recorded.module, work.sources);
    work.sink.report(std::move(*missing));
}

} // namespace

LoweredModule run_passes(Work& work, const PreviewRequest& request, const RecordedSite& recorded,
                         ModuleSnapshot& snapshot) {
    work.enter("printing the script's IR");
    PassSnapshot script;
    script.name = "script";
    script.summary = "as the script made it";
    script.changed = true;
    if (request.texts == Keep::Everything || (request.texts == Keep::Last && !request.lower))
        script.module = print(work, request, *as_written(recorded.module));
    snapshot.passes.push_back(std::move(script));
    PassRecorder recorder(work, request, snapshot);
    if (request.lower)
        report_missing_launch(work, recorded);
    if (request.arch.empty() && !gpu_of(*recorded.module, artifact::default_gpu(), recorded.site, work.sink))
        return {};
    work.enter("lowering");
    LoweredModule result = lowered(work, request, recorded.module, recorder);
    snapshot.lowered = result.end && request.lower;
    if (result.end && request.texts == Keep::Last && request.lower) {
        work.enter("printing the lowered IR");
        snapshot.passes.back().module = print(work, request, *result.end);
    }
    return result;
}

LoweredModule lower_to_snapshot(Work& work, const PreviewRequest& request, const RecordedSite& recorded,
                                ModuleSnapshot& snapshot) {
    LoweredModule result = run_passes(work, request, recorded, snapshot);
    if (result.end && !request.forms.empty()) {
        FormContext context(work, request, recorded.module, request.lower ? result.end : nullptr, result.emulated);
        make_forms(context, snapshot);
    }
    return result;
}

} // namespace hidet::session
