// SPDX-License-Identifier: Apache-2.0
#include "runtime/vm/machine.h"

#include <cstring>

#include "runtime/vm/host.h"
#include "runtime/vm/kept_clusters.h"

namespace hidet::vm {

double number_of(Scalar type, std::uint64_t bits) {
    std::uint64_t single = bits;
    if (type != Scalar::F32 && type != Scalar::TF32 && type != Scalar::F64)
        find_scalar(Op::Convert, Scalar::F32, static_cast<int>(type))(&single, &bits, nullptr, nullptr);
    if (type == Scalar::F64) {
        double d = 0;
        std::memcpy(&d, &bits, sizeof d);
        return d;
    }
    float f = 0;
    std::memcpy(&f, &single, sizeof f);
    return f;
}

namespace {

using Value = std::variant<std::monostate, std::int64_t, double, Pointer>;

std::uint64_t bits_of(Scalar type, double number) {
    std::uint64_t in = 0, out = 0;
    std::memcpy(&in, &number, sizeof in);
    if (type == Scalar::F64)
        return in;
    find_scalar(Op::Convert, type, static_cast<int>(Scalar::F64))(&out, &in, nullptr, nullptr);
    return out;
}

[[noreturn]] void bad_call(std::string_view function, const std::string& text) {
    Finding finding;
    finding.kind = FindingKind::BadCall;
    finding.function = function;
    finding.message = "function '" + std::string(function) + "' " + text;
    throw FindingError{std::move(finding)};
}

std::uint64_t argument_bits(const Function& function, const artifact::Parameter& param, const Argument& argument) {
    const auto* pointer = std::get_if<Pointer>(&argument);
    const auto* integer = std::get_if<std::int64_t>(&argument);
    const auto* number = std::get_if<double>(&argument);
    if (param.is_pointer) {
        if (pointer)
            return pointer->bits;
        if (integer && *integer == 0)
            return 0;
        bad_call(function.name, "wants a tensor or a pointer for '" + param.name + "'");
    }
    if (pointer && param.type != Scalar::U64)
        bad_call(function.name, "wants a number for '" + param.name + "'");
    if (pointer)
        return pointer->bits;
    if (artifact::is_real(param.type))
        return bits_of(param.type, integer ? static_cast<double>(*integer) : *number);
    if (number)
        bad_call(function.name, "wants an integer for '" + param.name + "'");
    return static_cast<std::uint64_t>(artifact::wrapped(param.type, *integer));
}

Value result_value(const Function& function, std::uint64_t bits) {
    if (!function.returns_value)
        return std::monostate{};
    if (artifact::is_real(function.return_type))
        return number_of(function.return_type, bits);
    return static_cast<std::int64_t>(bits);
}

} // namespace

struct Machine::Impl {
    // What the calls of a program need again and again.
    struct Loaded {
        std::vector<std::uint64_t> globals;
        std::vector<std::unique_ptr<HostRunner>> runners; // by function; null: not called yet
        std::vector<KernelCode> kernels;
        KeptClusters kept;
    };
    MachineOptions options;
    Memory memory;
    SymbolValues symbols;
    std::map<const artifact::Program*, Loaded> programs;
    std::vector<std::uint64_t> args;
    Orders orders;

    Loaded& load(const artifact::Program& program) {
        auto [it, is_new] = programs.try_emplace(&program);
        Loaded& loaded = it->second;
        if (!is_new)
            return loaded;
        for (const artifact::GlobalVariable& variable : program.globals) {
            BufferInfo info{.name = variable.name, .dtype = artifact::scalar_name(variable.element), .shape = {}};
            loaded.globals.push_back(memory.allocate(static_cast<std::size_t>(variable.bytes), std::move(info)));
        }
        loaded.runners.resize(program.functions.size());
        loaded.kernels.resize(program.functions.size());
        return loaded;
    }

    HostRunner& runner(const artifact::Program& program, int row) {
        Loaded& loaded = load(program);
        std::unique_ptr<HostRunner>& runner = loaded.runners[static_cast<std::size_t>(row)];
        if (!runner)
            runner = std::make_unique<HostRunner>(HostContext{&program, &memory, &options, &loaded.globals, &symbols,
                                                              &loaded.kernels, &loaded.kept, &orders},
                                                  program.functions[static_cast<std::size_t>(row)]);
        return *runner;
    }
};

Machine::Machine(MachineOptions options) : m_impl(std::make_unique<Impl>()) {
    m_impl->options = std::move(options);
    m_impl->orders = {m_impl->options.orders, m_impl->options.order_steps};
}
Machine::~Machine() = default;

Pointer Machine::map(void* data, std::size_t bytes, BufferInfo info) {
    return {m_impl->memory.map(static_cast<std::byte*>(data), bytes, std::move(info))};
}

void Machine::unmap(Pointer pointer) {
    m_impl->memory.unmap(pointer.bits);
}

void Machine::set_symbol_value(const std::string& name, std::int64_t value) {
    m_impl->symbols[name] = value;
}

CallResult Machine::call(const artifact::Program& program, std::string_view name, const std::vector<Argument>& args) {
    CallResult result;
    try {
        int row = artifact::function_index(program, name);
        const Function* function = row < 0 ? nullptr : &program.functions[static_cast<std::size_t>(row)];
        if (!function)
            bad_call(name, "does not exist in this program");
        if (function->kind == artifact::FunctionKind::Kernel)
            bad_call(name, "is a kernel; it is launched by a host function");
        if (args.size() != function->params.size())
            bad_call(name, "wants " + std::to_string(function->params.size()) + " arguments, not " +
                               std::to_string(args.size()));
        std::vector<std::uint64_t>& bits = m_impl->args;
        bits.clear();
        for (std::size_t i = 0; i < args.size(); ++i)
            bits.push_back(argument_bits(*function, function->params[i], args[i]));
        HostRunner& runner = m_impl->runner(program, row);
        result.value = result_value(*function, runner.run(bits, result.statistics));
        result.ok = true;
    } catch (FindingError& error) {
        result.findings = std::move(error.earlier);
        result.findings.push_back(std::move(error.finding));
    }
    return result;
}

} // namespace hidet::vm
