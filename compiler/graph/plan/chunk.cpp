// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/plan/chunk.h"

#include <algorithm>

#include "compiler/ir/function_renamer.h"

namespace hidet::graph {

std::string merged_name(const std::string& name, std::size_t program) {
    return name + "_" + std::to_string(program);
}

ir::ModuleRef merged(const std::vector<PlannedProgram>& programs, std::size_t first, std::size_t end) {
    ir::Module out;
    out.name = "programs_" + std::to_string(first);
    out.level = programs[first].module->level;
    out.options = programs[first].module->options; // all of a plan have the same
    for (std::size_t i = first; i < end; ++i) {
        std::map<std::string, std::string> names;
        for (const ir::FunctionRef& each : programs[i].module->functions)
            names[each->name] = merged_name(each->name, i);
        const ir::ModuleRef module = ir::FunctionRenamer(std::move(names)).rewrite(programs[i].module);
        HIDET_CHECK(module->level == out.level, module->name);
        out.globals.insert(out.globals.end(), module->globals.begin(), module->globals.end());
        for (const ir::VarRef& each : module->externs)
            if (std::ranges::none_of(out.externs, [&](const ir::VarRef& known) { return known->name == each->name; }))
                out.externs.push_back(each);
        out.functions.insert(out.functions.end(), module->functions.begin(), module->functions.end());
    }
    return ir::make<ir::Module>(std::move(out));
}

} // namespace hidet::graph
