// SPDX-License-Identifier: Apache-2.0
// Packages that scripts load as modules: each entry is a function, which is called as those of modules are that a script builds.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>

#include "app/session/execute/executor.h"
#include "app/session/package/package_run.h"
#include "compiler/ir/structure.h"
#include "lang/base/text.h"
#include "lang/tensor/elements.h"
#include "runtime/capi/hidet_runtime.h"

struct hidet_error;

namespace hidet::session {

// Runs the functions of packages, which it takes from files.
class PackageExecutor : public Executor {
public:
    PackageExecutor(Work& work, const RunRequest& request) : m_work(work), m_request(request) {}

    // All entries of the file that `options` name, and whoever wants it by `name`; there is no choice of an entry. Those that cannot run here refuse to when
    // they are called. Null: none can, and the error says why.
    Ref<Executable> load(const PackageOptions& options, const std::string& name, hidet_error& error) {
        Ref<PackageModule> module(new PackageModule(*this, nullptr));
        module->file = name;
        ir::Module functions;
        functions.name = "package";
        bool can_run = false;
        for (PackageEntry& entry : PackageRun::entries(options.path, error)) {
            const ir::FunctionRef function = FunctionReader(entry).run();
            if (!function) {
                error = {HIDET_BAD_ARGUMENT, {}};
                cat("'", name, "' is the package of a graph: hidet.load_compiled_graph() loads it")
                    .copy(error.message, sizeof error.message - 1);
                return nullptr;
            }
            functions.functions.push_back(function);
            PackageOptions asked = options;
            asked.entry = entry.name;
            hidet_error refused = {};
            std::unique_ptr<PackageRun> run = PackageRun::open(std::move(asked), refused);
            can_run |= run != nullptr;
            if (!run && error.status == HIDET_OK)
                error = refused;
            module->functions.push_back({std::move(entry), std::move(run), refused});
        }
        if (!can_run)
            return nullptr;
        module->module = ir::make<ir::Module>(std::move(functions));
        return module;
    }

    // What it runs was built before.
    Ref<Executable> build(const ir::ModuleRef&, Span, DiagnosticSink&) override { return nullptr; }
    bool call(Executable& executable, const FunctionCall& call, ReturnValue& result, DiagnosticSink& sink) override {
        auto& module = static_cast<PackageModule&>(executable);
        PackageModule::Function& function = module.find(call.function);
        const auto refuse = [&](const hidet_error& error) {
            report_package(m_work, sink, error, module.file, call.site);
            return false;
        };
        if (!function.run)
            return refuse(function.error);
        if (!is_on_its_device(function.run->is_on_gpu(), m_request.target, call, sink))
            return false;
        PackageCall prepared(function, call);
        if (const std::string* name = prepared.shared()) {
            sink.report(DiagId::BadValue, call.site,
                        cat("'", call.function, "' writes '", *name,
                            "', which shares memory with another argument: what a package runs works on copies"));
            return false;
        }
        hidet_error error = {};
        if (!prepared.run(result, error))
            return refuse(error);
        mark_written(call.args);
        return true;
    }

    std::unique_ptr<Repeat> prepare(Executable& module, const FunctionCall& call) override {
        return std::make_unique<PackageRepeat>(static_cast<PackageModule&>(module), call);
    }

    void add_to(RunSummary&) const override {}
    std::string name() const override { return "packages"; }

private:
    using PlanValue = artifact::PlanValue;
    using Row = artifact::Row;
    static ir::DType element_of(const PlanValue& value) { return ir::find_dtype(value.dtype).value_or(ir::DType::U8); }
    static Row find_value(const artifact::LaunchPlan& plan, const std::vector<Row>& rows, const std::string& name) {
        const auto found = std::ranges::find_if(rows, [&](Row row) { return plan.values[row].name == name; });
        return found == rows.end() ? artifact::no_row : *found;
    }

    // The function that a plan was made of (function_plan.h), as far as calls of it need it.
    class FunctionReader {
    public:
        explicit FunctionReader(const PackageEntry& entry) : m_entry(entry), m_plan(entry.plan) {}

        ir::FunctionRef run() { // null: it is none
            ir::Function function;
            function.name = m_entry.name;
            function.func_kind = ir::FuncKind::Public;
            if (is_kernel())
                function.func_kind = m_plan.target == "cuda" ? ir::FuncKind::CudaKernel : ir::FuncKind::CpuKernel;
            for (const PlanValue& value : m_plan.values)
                if (value.place == artifact::Place::Input && !is_tensor(value))
                    m_numbers.push_back(ir::make_var(value.name, ir::data_type(element_of(value))));
            std::size_t number = 0;
            for (const PlanValue& value : m_plan.values)
                if (value.place == artifact::Place::Input)
                    function.params.push_back(is_tensor(value) ? ir::make_var(value.name, tensor_of(value))
                                                               : m_numbers[number++]);
            function.ret = ir::void_type();
            for (const Row row : m_plan.outputs)
                if (const PlanValue& value = m_plan.values[row]; !is_parameter(value)) {
                    if (!value.shape.empty() || !ir::as<ir::VoidType>(function.ret))
                        return nullptr;
                    function.ret = ir::data_type(element_of(value));
                }
            return ir::make<ir::Function>(std::move(function));
        }

    private:
        bool is_kernel() const {
            std::size_t launches = 0;
            bool is_named = false;
            for (const artifact::PlanStep& step : m_plan.steps)
                if (step.kind == artifact::StepKind::Launch || step.kind == artifact::StepKind::Call) {
                    ++launches;
                    is_named = step.kernels == std::vector{m_entry.name};
                }
            return launches == 1 && is_named;
        }
        bool is_parameter(const PlanValue& value) const {
            return find_value(m_plan, m_plan.inputs, value.name) != artifact::no_row;
        }
        // Else a number, which lies in memory or is an extent.
        bool is_tensor(const PlanValue& value) const {
            return is_parameter(value) &&
                   (!value.shape.empty() || find_value(m_plan, m_plan.outputs, value.name) != artifact::no_row);
        }
        ir::TypeRef tensor_of(const PlanValue& value) const {
            ir::ExprVec shape;
            for (const Row extent : value.shape)
                shape.push_back(dimension(extent));
            return ir::tensor_pointer_type(ir::tensor_type(ir::data_type(element_of(value)), std::move(shape)));
        }
        // What is computed of others is looked at when the package is run; here equal ones are equal.
        ir::ExprRef dimension(Row extent) const {
            if (const auto number = artifact::constant_of(m_plan.expressions[extent]))
                return ir::int_constant(*number, ir::DType::I64);
            const std::string name = artifact::text_of(m_plan.expressions, extent, symbol_names(m_plan));
            const auto found =
                std::ranges::find_if(m_numbers, [&](const ir::VarRef& each) { return each->name == name; });
            if (found != m_numbers.end())
                return *found;
            return ir::make_symbol(name, ir::data_type(ir::DType::I32));
        }

        const PackageEntry& m_entry;
        const artifact::LaunchPlan& m_plan;
        std::vector<ir::VarRef> m_numbers;
    };
    class PackageModule : public Executable {
    public:
        using Executable::Executable;
        struct Function {
            PackageEntry entry;
            std::unique_ptr<PackageRun> run; // null: the error says why
            hidet_error error = {};
        };
        // `launch` is the only kernel where there is no such function.
        Function& find(const std::string& name) {
            const auto found =
                std::ranges::find_if(functions, [&](const Function& each) { return each.entry.name == name; });
            return found == functions.end() ? functions.front() : *found;
        }
        std::string source() const override {
            return cat("// Machine code, loaded from '", file, "': ", functions.front().entry.plan.name, ".\n");
        }

        std::string file;
        std::vector<Function> functions;
    };
    // A call of a function, on the memory of its arguments.
    class PackageCall {
    public:
        PackageCall(PackageModule::Function& function, const FunctionCall& call)
            : m_run(*function.run), m_plan(function.entry.plan), m_call(call) {
            for (Row row = 0; row < m_plan.values.size() && m_inputs.size() < m_plan.inputs.size(); ++row) {
                const PlanValue& value = m_plan.values[row];
                if (value.place != artifact::Place::Input)
                    continue;
                const lang::CallArgument& argument = call.args[m_names.size()];
                m_names.push_back(value.name);
                if (std::ranges::find(m_plan.inputs, row) != m_plan.inputs.end())
                    m_inputs.push_back(tensor_of(argument, element_of(value)));
            }
        }

        // A function writes where others read or write only if it is called so, which a package, that copies, cannot do.
        const std::string* shared() const {
            for (const Row output : m_plan.outputs) {
                const lang::TensorRef result = argument_of(m_plan.values[output].name);
                if (result)
                    for (const lang::TensorRef& input : m_inputs)
                        if (input.get() != result.get() ? overlap(*input, *result)
                                                        : std::ranges::count(m_inputs, result) > 1)
                            return &m_plan.values[output].name;
            }
            return nullptr;
        }
        bool run(ReturnValue& result, hidet_error& error) {
            if (!m_run.bind(m_inputs, error) || !m_run.run(error))
                return false;
            const std::optional<Tensors> made = m_run.outputs(error);
            for (std::size_t i = 0; made && i < made->size(); ++i)
                take(*(*made)[i], argument_of(m_plan.values[m_plan.outputs[i]].name), result);
            return made.has_value();
        }

    private:
        static lang::TensorRef tensor_of(const lang::CallArgument& argument, ir::DType dtype) {
            if (const auto* tensor = std::get_if<lang::TensorRef>(&argument.value))
                return *tensor;
            lang::TensorRef number(new lang::Tensor());
            number->dtype = dtype;
            number->storage = std::make_shared<lang::Storage>(16);
            if (const auto* real = std::get_if<double>(&argument.value))
                lang::write_doubles(*number, {*real});
            else
                lang::write_integers(*number, {std::get<std::int64_t>(argument.value)});
            return number;
        }
        static bool overlap(const lang::Tensor& a, const lang::Tensor& b) {
            const auto end = [](const lang::Tensor& tensor) {
                return tensor.offset + static_cast<std::size_t>(tensor.count()) * ir::info(tensor.dtype).bits / 8;
            };
            return a.storage == b.storage && a.offset < end(b) && b.offset < end(a);
        }
        // Null: there is none of this name.
        lang::TensorRef argument_of(const std::string& name) const {
            const auto found = std::ranges::find(m_names, name);
            if (found == m_names.end())
                return nullptr;
            return std::get<lang::TensorRef>(m_call.args[static_cast<std::size_t>(found - m_names.begin())].value);
        }
        static void take(const lang::Tensor& made, const lang::TensorRef& to, ReturnValue& result) {
            if (to)
                std::memcpy(to->data(), made.read(),
                            static_cast<std::size_t>(made.count()) * ir::info(made.dtype).bits / 8);
            else if (ir::is_float(made.dtype))
                result = lang::element_double(made, 0);
            else
                result = lang::element_integer(made, 0);
        }

        PackageRun& m_run;
        const artifact::LaunchPlan& m_plan;
        const FunctionCall& m_call;
        Tensors m_inputs;
        std::vector<std::string> m_names; // of parameters
    };
    class PackageRepeat : public Repeat {
    public:
        PackageRepeat(PackageModule& module, const FunctionCall& call)
            : m_module(&module), m_function(call.function), m_args(call.args), m_site(call.site) {}
        Result<void> once() override {
            PackageModule::Function& function = m_module->find(m_function);
            hidet_error error = function.error;
            ReturnValue result;
            if (function.run && PackageCall(function, {m_function, m_args, m_site}).run(result, error))
                return {};
            return Error{"call-failed", message_of(error)};
        }

    private:
        const Ref<PackageModule> m_module;
        const std::string m_function;
        const std::vector<lang::CallArgument> m_args;
        const Span m_site;
    };
    // A kernel on a GPU reads memory of the GPU, and compiled code for the CPU that of the CPU.
    static bool is_on_its_device(bool is_on_gpu, Target target, const FunctionCall& call, DiagnosticSink& sink) {
        for (const lang::CallArgument& argument : call.args) {
            const auto* tensor = std::get_if<lang::TensorRef>(&argument.value);
            if (!tensor || !*tensor || ((*tensor)->device == Device::Cuda) == is_on_gpu ||
                (is_on_gpu ? !(*tensor)->is_torch : target == Target::Cpu))
                continue;
            sink.report(DiagId::ArgumentDevice, argument.span, argument.name, call.function,
                        device_name(is_on_gpu ? Device::Cuda : Device::Cpu), device_name((*tensor)->device));
            return false;
        }
        return true;
    }

    Work& m_work;
    const RunRequest& m_request;
};

} // namespace hidet::session
