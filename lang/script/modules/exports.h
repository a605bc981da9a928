// SPDX-License-Identifier: Apache-2.0
// The names of hidet.lang and of the modules around it, in groups that several modules share.
#pragma once

#include <initializer_list>
#include <string_view>

#include "lang/host/modules.h"
#include "lang/script/operations.h"

namespace hidet::lang {

void export_script(HostModule& module);      // script, script_module, symbol_var, ...
void export_dtypes(HostModule& module);      // every data type under both names
void export_types(HostModule& module);       // void_p, tensor_type, DataType, ...
void export_memory(HostModule& module);      // tensor, shared_tensor, ...
void export_loops(HostModule& module);       // range, grid, meta
void export_expressions(HostModule& module); // cast, address, printf, asm, ...
void export_statements(HostModule& module);  // BlackBoxStmt, AssignStmt, ...
void export_mappings(HostModule& module);
void export_layouts(HostModule& module);
void export_math(HostModule& module);
void export_cuda(HostModule& module); // everything of hidet.lang.cuda and hidet.ir.primitives.cuda
void export_cuda_contexts(HostModule& module);
void export_cpu(HostModule& module);
void export_runtime(HostModule& module);

// Value::extension with the reference count of a fresh object.
template <class T, class... Arguments>
Value new_extension(Arguments&&... arguments) {
    return Value::extension(Ref<NativeObject>(new T(std::forward<Arguments>(arguments)...)));
}

// An object with fixed attributes: DeclareScope, meta, MmaConfig, ...
class Namespace final : public NativeObject {
public:
    Namespace(std::string name, std::vector<std::pair<std::string, Value>> members)
        : m_name(std::move(name)), m_members(std::move(members)) {}
    std::string type_name() const override { return m_name; }
    std::unique_ptr<Value> attribute(Evaluator&, std::string_view name, Span) override {
        for (const auto& [known, value] : m_members)
            if (known == name)
                return std::make_unique<Value>(value);
        return nullptr;
    }
    std::vector<std::string> attributes() const override {
        std::vector<std::string> names;
        for (const auto& member : m_members)
            names.push_back(member.first);
        return names;
    }
    void clear() override { m_members.clear(); }

private:
    std::string m_name;
    std::vector<std::pair<std::string, Value>> m_members;
};

} // namespace hidet::lang
