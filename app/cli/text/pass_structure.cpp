// SPDX-License-Identifier: Apache-2.0
#include "app/cli/text/pass_structure.h"

#include <algorithm>

#include "app/cli/text/pass_diff.h"
#include "app/session/view/blame.h"

namespace hidet::cli {

using namespace session;

namespace {

bool has_function(const ModuleSnapshot& module, const std::string& name) {
    return std::any_of(module.functions.begin(), module.functions.end(),
                       [&](const FunctionSnapshot& function) { return function.name == name; });
}

Structure only(const std::string& function, const Structure& rows) {
    Structure out;
    bool is_inside = function.empty();
    for (const StructureRow& row : rows) {
        if (row.depth == 1 && !function.empty())
            is_inside = row.kind == StructureKind::Function && row.name == function;
        if (row.depth == 0 || is_inside)
            out.push_back(row);
    }
    return out;
}

std::string name_of(const ModuleSnapshot& module, int number) {
    for (const PassSnapshot& pass : module.passes)
        if (pass.number == number)
            return pass.name;
    return "";
}

Structure read_after(const ModuleSnapshot& module, int number) {
    const auto text = text_after(module, number);
    return text ? structure_of(text->text) : Structure();
}

} // namespace

std::vector<ModuleStructure> structures_of(const PreviewResult& result, const std::vector<std::string>& passes,
                                           const std::string& function) {
    std::vector<ModuleStructure> out;
    for (const ModuleSnapshot& module : result.modules) {
        if (module.passes.empty())
            continue;
        ModuleStructure made{module.number, "", "", {}};
        if (passes.empty()) {
            made.after = module.passes.back().name;
            made.rows = only(function, read_after(module, module.passes.back().number));
        } else {
            const int left = number_of_pass(module, passes[0]), right = number_of_pass(module, passes[1]);
            made.before = name_of(module, left);
            made.after = name_of(module, right);
            made.rows =
                structure_changes(only(function, read_after(module, left)), only(function, read_after(module, right)));
        }
        out.push_back(std::move(made));
    }
    return out;
}

void require_function(const std::string& file, const std::string& function, PreviewResult& result) {
    if (function.empty() || result.modules.empty())
        return;
    std::vector<std::string> names;
    for (const ModuleSnapshot& module : result.modules)
        for (const FunctionSnapshot& known : module.functions)
            names.push_back(known.name);
    std::erase_if(result.modules, [&](const ModuleSnapshot& module) { return !has_function(module, function); });
    if (!result.modules.empty())
        return;
    Diagnostic unknown = Diagnostic::make(DiagId::NoSuchFunction, {}, file, function).suggest({}, function, names);
    unknown.fixes.clear();
    result.diagnostics.push_back(view_of(unknown, SourceMap{}));
    result.status = Status::WrongUsage;
}

} // namespace hidet::cli
