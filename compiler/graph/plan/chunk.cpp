// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/plan/chunk.h"

#include <algorithm>

#include "compiler/ir/rewrite.h"

namespace hidet::graph {

namespace {

class Renamer : public ir::Rewriter {
public:
    Renamer(const ir::Module& module, std::size_t program) : m_module(module), m_program(program) {}

protected:
    using Rewriter::visit;
    ir::ExprRef visit(const ir::Call& call) override {
        ir::ExprRef same = rebuild(call);
        if (!ir::find_function(m_module, call.callee))
            return same; // an extern function
        ir::Call renamed = *ir::as<ir::Call>(same);
        renamed.callee = merged_name(call.callee, m_program);
        return ir::make<ir::Call>(std::move(renamed));
    }
    ir::StmtRef visit(const ir::LaunchStmt& launch) override {
        ir::LaunchStmt renamed = *ir::as<ir::LaunchStmt>(rebuild(launch));
        renamed.kernel = merged_name(launch.kernel, m_program);
        return ir::make<ir::LaunchStmt>(std::move(renamed));
    }
    ir::FunctionRef visit(const ir::Function& function) override {
        ir::Function renamed = *rebuild(function);
        renamed.name = merged_name(function.name, m_program);
        return ir::make<ir::Function>(std::move(renamed));
    }

private:
    const ir::Module& m_module;
    std::size_t m_program;
};

} // namespace

std::string merged_name(const std::string& name, std::size_t program) {
    return name + "_" + std::to_string(program);
}

ir::ModuleRef merged(const std::vector<PlannedProgram>& programs, std::size_t first, std::size_t end) {
    ir::Module out;
    out.name = "programs_" + std::to_string(first);
    out.level = programs[first].module->level;
    out.options = programs[first].module->options; // all of a plan have the same
    for (std::size_t i = first; i < end; ++i) {
        const ir::ModuleRef module = Renamer(*programs[i].module, i).rewrite(programs[i].module);
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
