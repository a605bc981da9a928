// SPDX-License-Identifier: Apache-2.0
#include "app/session/execute/machine_arguments.h"
#include "compiler/ir/packing.h"

#include <algorithm>

namespace hidet::session {

MachineArguments::MachineArguments(vm::Machine& machine, const ir::Function& callee, const FunctionCall& call,
                                   const TensorPlacer& placer, const TensorDescriber& describe)
    : m_machine(machine), m_placer(placer), m_describe(describe) {
    for (const auto& [name, value] : symbols_of(callee, call))
        machine.set_symbol_value(name, value);
    for (std::size_t i = 0; i < call.args.size() && !m_error; ++i)
        m_values.push_back(convert(call.args[i], callee.params[i]->type));
}

MachineArguments::~MachineArguments() {
    for (vm::Pointer pointer : m_mapped)
        m_machine.unmap(pointer);
}

vm::Argument MachineArguments::convert(const lang::CallArgument& arg, const ir::TypeRef& type) {
    if (const auto* tensor = std::get_if<lang::TensorRef>(&arg.value))
        return *tensor ? map(**tensor, arg.name) : vm::Pointer{};
    if (const auto* text = std::get_if<std::string>(&arg.value))
        return map(m_texts.emplace_back(*text), arg.name);
    if (const auto* real = std::get_if<double>(&arg.value))
        return *real;
    std::int64_t integer = std::get<std::int64_t>(arg.value);
    if (ir::is_pointer(type))
        return vm::Pointer{static_cast<std::uint64_t>(integer)};
    auto scalar = ir::scalar_of(type);
    return scalar && ir::is_float(*scalar) ? vm::Argument(static_cast<double>(integer)) : vm::Argument(integer);
}

vm::Pointer MachineArguments::map(lang::Tensor& tensor, const std::string& name) {
    const auto bytes = static_cast<std::size_t>(ir::packed_bytes(tensor.dtype, tensor.count()));
    vm::BufferInfo info;
    info.name = name;
    info.dtype = ir::info(tensor.dtype).short_name;
    info.shape = tensor.shape;
    info.device = tensor.device == Device::Cuda ? Device::Cuda : Device::Cpu;
    info.initialised = !tensor.storage->uninitialised;
    info.is_mapped = !tensor.is_torch; // hidet's tensors are, PyTorch's are not
    if (m_describe)
        m_describe(tensor, info);
    if (!m_placer || tensor.device == Device::Cpu)
        return add(tensor.data(), bytes, std::move(info));
    Result<std::uint64_t> address = m_placer(tensor, name);
    if (!address) {
        m_error = address.error();
        return {};
    }
    info.device_address = address.value();
    return add(nullptr, bytes, std::move(info));
}

vm::Pointer MachineArguments::map(std::string& text, const std::string& name) {
    vm::BufferInfo info;
    info.name = name;
    info.dtype = "i8";
    info.shape = {static_cast<std::int64_t>(text.size() + 1)};
    info.device = Device::Cpu;
    info.read_only = true;
    return add(text.data(), text.size() + 1, std::move(info));
}

vm::Pointer MachineArguments::add(void* data, std::size_t bytes, vm::BufferInfo info) {
    vm::Pointer pointer = m_machine.map(data, bytes, std::move(info));
    if (std::find(m_mapped.begin(), m_mapped.end(), pointer) == m_mapped.end())
        m_mapped.push_back(pointer);
    return pointer;
}

ReturnValue returned_by(const vm::CallResult& called) {
    if (const auto* integer = std::get_if<std::int64_t>(&called.value))
        return *integer;
    if (const auto* real = std::get_if<double>(&called.value))
        return *real;
    if (const auto* pointer = std::get_if<vm::Pointer>(&called.value))
        return static_cast<std::int64_t>(pointer->bits);
    return {};
}

} // namespace hidet::session
