// SPDX-License-Identifier: Apache-2.0
#include "app/session/package/module_plans.h"

#include <algorithm>

#include "app/session/execute/cpu_part.h"
#include "app/session/package/function_plan.h"
#include "app/session/work/steps.h"
#include "compiler/ir/module_options.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/rewrite.h"
#include "compiler/ir/structure.h"
#include "compiler/ir/text/print.h"
#include "lang/base/check.h"
#include "lang/base/text.h"
#include "runtime/toolchain/cache.h"

namespace hidet::session {

namespace {

// Functions for the CPU as packages call them: a plan hands on tensors and their extents. So a number that is no extent comes
// as a tensor of one element, and what a function returns goes into one.

bool is_extent(const ir::Var& number, const ir::Function& function) {
    return std::ranges::any_of(function.params, [&](const ir::VarRef& param) {
        const ir::TensorType* tensor = ir::tensor_of(param->type);
        return tensor && std::ranges::any_of(tensor->shape, [&](const ir::ExprRef& extent) {
                   return ir::as<ir::Var>(extent) == &number;
               });
    });
}

bool returns_number(const ir::Function& function) {
    return function.ret && ir::scalar_of(function.ret);
}

ir::VarRef memory_of(const std::string& name, const ir::TypeRef& number) {
    return ir::make_var(name, ir::tensor_pointer_type(ir::tensor_type(number, {ir::int_constant(1)})));
}

class ReturnsToMemory : public ir::Rewriter {
public:
    ReturnsToMemory(ir::VarRef to, ir::TypeRef type) : m_to(std::move(to)), m_type(std::move(type)) {}

protected:
    using Rewriter::visit;
    ir::StmtRef visit(const ir::ReturnStmt& statement) override {
        if (!statement.value)
            return rebuild(statement);
        return ir::make_seq(
            {ir::make_store(m_to, {ir::int_constant(0)}, ir::convert(statement.value, m_type)), ir::make_return()});
    }

private:
    const ir::VarRef m_to;
    const ir::TypeRef m_type;
};

std::string free_name(std::string name, const ir::Function& function) {
    while (std::ranges::any_of(function.params, [&](const ir::VarRef& param) { return param->name == name; }))
        name += "_";
    return name;
}

// The roles of a function's parameters as it stands.
std::vector<ParameterRole> roles_of(const ir::Function& function) {
    std::vector<ParameterRole> roles;
    for (const ir::VarRef& param : function.params)
        roles.push_back(!ir::scalar_of(param->type)   ? ParameterRole::Tensor
                        : is_extent(*param, function) ? ParameterRole::Extent
                                                      : ParameterRole::Number);
    return roles;
}

// Whether it takes or returns numbers that no shape says.
bool has_numbers(const PlannedFunction& function) {
    return returns_number(*function.callable.function) ||
           std::ranges::find(function.roles, ParameterRole::Number) != function.roles.end();
}

// The same function, in a module of its own, with such numbers in memory. It is public, and no function calls it.
PlannedFunction with_numbers_in_memory(const PlannedFunction& function) {
    const Callable& callable = function.callable;
    ir::Function changed = *callable.function;
    PlannedFunction out = function;
    ir::StmtVec body;
    for (std::size_t i = 0; i < changed.params.size(); ++i) {
        if (function.roles[i] != ParameterRole::Number)
            continue;
        const ir::VarRef number = changed.params[i];
        changed.params[i] = memory_of(number->name, number->type);
        body.push_back(ir::make_declare(number, ir::make_element(changed.params[i], {ir::int_constant(0)})));
    }
    if (returns_number(changed)) {
        const ir::VarRef result = memory_of(free_name("result", changed), changed.ret);
        changed.body = ReturnsToMemory(result, changed.ret).rewrite(changed.body);
        changed.params.push_back(result);
        changed.ret = ir::void_type();
        out.roles.push_back(ParameterRole::Result);
    }
    body.push_back(changed.body);
    changed.body = ir::make_seq(std::move(body));

    ir::Module part = *reached_part(callable.module, {callable.function->name});
    for (ir::FunctionRef& each : part.functions)
        if (each.get() == callable.function)
            each = ir::make<ir::Function>(changed);
    out.callable.module = ir::make<ir::Module>(std::move(part));
    out.callable.function = ir::find_function(*out.callable.module, callable.function->name);
    return out;
}

// Functions of one module that run on one machine: they share its code.
struct FunctionGroup {
    ir::ModuleRef module;
    bool is_on_gpu = false;
    std::vector<std::size_t> functions; // by entry
};

class ModulePlanner {
public:
    ModulePlanner(Work& work, const ImageRequest& request, const ModuleToPackage& module)
        : m_work(work), m_request(request), m_module(module) {}

    std::optional<std::vector<PackagedPlan>> run() {
        find_functions();
        if (m_functions.empty()) {
            m_work.sink.report(DiagId::BadValue, m_module.site,
                               "this module has no public function, which would be an entry of a package");
            return std::nullopt;
        }
        if (const ir::VarVec& globals = m_module.script->globals; !globals.empty() && m_functions.size() > 1) {
            m_work.sink.report(DiagId::CannotExport, m_module.site, m_module.name, "package",
                               cat("its functions share the variable '", globals.front()->name,
                                   "', and each entry of a package has memory of its own"));
            return std::nullopt;
        }
        m_out.resize(m_functions.size());
        for (const FunctionGroup& group : m_groups)
            if (!(group.is_on_gpu ? add_on_gpu(group) : add_on_cpu(group)))
                return std::nullopt;
        return std::move(m_out);
    }

private:
    void find_functions() {
        const std::vector<Callable> all = callables_of(m_module.script, 1, m_module.site);
        for (const Callable& callable : all) {
            if (!stands_for_module(callable, all))
                continue;
            PlannedFunction function{callable, roles_of(*callable.function)};
            const bool is_on_gpu = !m_module.is_for_cpu && launches_gpu_code(callable);
            if (!is_on_gpu && callable.function->func_kind == ir::FuncKind::Public && has_numbers(function))
                function = with_numbers_in_memory(function);
            add_to_group(function.callable.module, is_on_gpu);
            m_functions.push_back(std::move(function));
        }
    }
    void add_to_group(const ir::ModuleRef& module, bool is_on_gpu) {
        auto group = std::ranges::find_if(
            m_groups, [&](const FunctionGroup& each) { return each.module == module && each.is_on_gpu == is_on_gpu; });
        if (group == m_groups.end())
            group = m_groups.insert(group, {module, is_on_gpu, {}});
        group->functions.push_back(m_functions.size());
    }

    const Callable& callable(std::size_t entry) const { return m_functions[entry].callable; }
    // What the plans of the group have in common.
    artifact::LaunchPlan plan_of(const FunctionGroup& group) const {
        artifact::LaunchPlan plan;
        plan.name = m_module.name;
        plan.target = group.is_on_gpu ? "cuda" : "cpu";
        plan.modules = {{toolchain::cache_key({ir::print_module(*group.module).text})}};
        return plan;
    }
    std::string stem_of(const FunctionGroup& group) const {
        return cat(callable(group.functions.front()).name, group.is_on_gpu ? ".cuda" : ".cpu");
    }
    void take(const FunctionGroup& group, const std::string& architecture, PlanImages images,
              std::vector<artifact::PlanBody>& bodies) {
        for (std::size_t i = 0; i < bodies.size(); ++i) {
            PackagedPlan& out = m_out[group.functions[i]];
            out.entry = callable(group.functions[i]).name;
            out.architecture = architecture;
            out.images.plan = images.plan;
            static_cast<artifact::PlanBody&>(out.images.plan) = std::move(bodies[i]);
            const std::string problem = artifact::problem_of(out.images.plan);
            HIDET_CHECK(problem.empty(), problem);
        }
        m_out[group.functions.front()].images.files = std::move(images.files);
    }

    bool add_on_gpu(const FunctionGroup& group) {
        const std::optional<artifact::TargetSpec> target =
            gpu_of(*group.module, m_module.gpu, m_module.site, m_work.sink);
        if (!target)
            return false;
        m_work.enter("lowering a module for the GPU");
        ImageSource source{plan_of(group), {group.module}, {}};
        source.lowered = {lowered(m_work, group.module, compiler::LowerTo::Emulation, *target, m_work.sink)};
        if (!source.lowered.front())
            return false;
        std::vector<artifact::PlanBody> bodies;
        for (const std::size_t entry : group.functions) {
            FunctionPlan plan(m_work.sink, m_module.site, m_functions[entry]);
            if (!plan.add_parameters() || !plan.add_launches(*source.lowered.front(), source.plan.functions) ||
                !plan.finish())
                return false;
            bodies.push_back(plan.take());
        }
        const std::string architecture = artifact::architecture_name(target->arch);
        std::optional<PlanImages> images =
            compile_for_gpus(m_work, m_request, std::move(source),
                             {{architecture}, {architecture, artifact::ImageKind::Ptx}}, stem_of(group));
        if (images)
            take(group, architecture, std::move(*images), bodies);
        return images.has_value();
    }

    bool add_on_cpu(const FunctionGroup& group) {
        const std::optional<std::vector<std::string>> levels = levels_of(*group.module);
        if (!levels)
            return false;
        ImageSource source{plan_of(group), {}, {}};
        std::vector<artifact::PlanBody> bodies;
        std::vector<std::string> names;
        for (const std::size_t entry : group.functions) {
            FunctionPlan plan(m_work.sink, m_module.site, m_functions[entry]);
            if (!plan.add_parameters())
                return false;
            plan.add_call(static_cast<artifact::Row>(source.plan.functions.size()));
            source.plan.functions.push_back({0, callable(entry).callee, {}, {}});
            names.push_back(callable(entry).function->name);
            if (!plan.finish())
                return false;
            bodies.push_back(plan.take());
        }
        source.modules = {without_processor(*reached_part(group.module, names))};
        std::optional<PlanImages> images =
            compile_for_cpu(m_work, m_request, std::move(source), stem_of(group), *levels);
        if (images)
            take(group, "x86-64", std::move(*images), bodies);
        return images.has_value();
    }
    // All of them, or the one that the module was built for.
    std::optional<std::vector<std::string>> levels_of(const ir::Module& module) {
        const std::string processor = ir::options_of(module).processor;
        const std::vector<std::string> all = processor_level_names();
        if (processor.empty() || processor == "native")
            return all;
        if (std::ranges::find(all, processor) != all.end())
            return std::vector{processor};
        m_work.sink.report(DiagId::CannotExport, m_module.site, m_module.name, "package",
                           cat("it is built for '", processor,
                               "', and code for the CPU is packaged for x86-64-v2, x86-64-v3 and x86-64-v4"));
        return std::nullopt;
    }
    // Its code is made for each level.
    static ir::ModuleRef without_processor(const ir::Module& module) {
        ir::Module same = module;
        ir::ModuleOptions options = ir::options_of(module);
        options.processor.clear();
        same.options = ir::text_of(options);
        return ir::make<ir::Module>(std::move(same));
    }

    Work& m_work;
    const ImageRequest& m_request;
    const ModuleToPackage& m_module;
    std::vector<PlannedFunction> m_functions; // by entry
    std::vector<FunctionGroup> m_groups;
    std::vector<PackagedPlan> m_out;
};

} // namespace

std::optional<std::vector<PackagedPlan>> module_plans(Work& work, const ImageRequest& request,
                                                      const ModuleToPackage& module) {
    work.enter("compiling the module");
    Work::Clock clock(work, "build");
    return ModulePlanner(work, request, module).run();
}

} // namespace hidet::session
