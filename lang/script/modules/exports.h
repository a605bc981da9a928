// SPDX-License-Identifier: Apache-2.0
// The names of hidet.lang and of the modules around it, in groups that several modules share.
#pragma once

#include <initializer_list>
#include <string_view>

#include "lang/base/transformed.h"
#include "lang/host/arguments.h"
#include "lang/host/boxed.h"
#include "lang/host/modules.h"
#include "lang/script/operations.h"

namespace hidet::lang {

void export_script(HostModule& module);                           // script, script_module, symbol_var, ...
void export_dtypes(HostModule& module);                           // every data type under both names
void export_types(Evaluator& evaluator, HostModule& module);      // void_p, tensor_type, DataType, ...
void export_memory(HostModule& module);                           // tensor, shared_tensor, ...
void export_symbols(HostModule& module);                          // symbol_var
void export_loops(HostModule& module);                            // range, grid, meta
void export_expressions(HostModule& module);                      // cast, address, printf, asm, ...
void export_statements(Evaluator& evaluator, HostModule& module); // AssignStmt, ForStmt, ...
void export_nodes(Evaluator& evaluator, HostModule& module);      // Var, Constant, Add, ...
void export_builders(Evaluator& evaluator, HostModule& module);   // FunctionBuilder, StmtBuilder
void export_function_class(Evaluator& evaluator, HostModule& module);
void export_ir_module(Evaluator& evaluator, HostModule& module);
void export_declare_scope(HostModule& module);
void export_ir_utils(HostModule& module); // broadcast_indices, infer_type, ...
void export_math(HostModule& module);
void export_cuda(HostModule& module);        // everything of hidet.lang.cuda and hidet.ir.primitives.cuda
void export_bulk_copies(HostModule& module); // tensor maps, copies by them
void export_warp_group_products(HostModule& module);
void export_tensor_memory(HostModule& module);
void export_wmma(HostModule& module);               // older products of a warp
void export_packed_conversions(HostModule& module); // cvtv
void export_fast_division(HostModule& module);
void export_magic_numbers(HostModule& module); // of the host, for fast divisions

// The one class of this name in an evaluation: calling it makes an object (null: it is only asked for by isinstance), and
// `holds` says what its objects are.
Value native_class(Evaluator& evaluator, const std::string& name, NativeFunction make,
                   std::function<bool(const Value&)> holds);
Value native_class(Evaluator& evaluator, const FunctionRow& make, std::function<bool(const Value&)> holds);
// DataLayout: a class that scripts derive from, with functions that make layouts.
Value layout_class(Evaluator& evaluator, std::initializer_list<std::pair<const char*, Value>> makers);
// A layout, or an object of a class derived from DataLayout; what is none is a diagnostic.
ir::LayoutRef to_layout(Evaluator& evaluator, const Value& value, Span span);
// The type that (dtype, shape, layout) describe.
ir::TypeRef tensor_type_of(Evaluator& evaluator, Args& args, Span call);

// An object with fixed attributes: DeclareScope, meta, MmaConfig, ...
class Namespace final : public NativeObject {
public:
    Namespace(std::string name, std::vector<std::pair<std::string, Value>> members)
        : m_name(std::move(name)), m_members(std::move(members)) {}
    std::string type_name() const override { return m_name; }
    std::unique_ptr<Value> attribute(Evaluator&, std::string_view name, Span) override {
        for (const auto& [known, value] : m_members)
            if (known == name)
                return boxed(value);
        return nullptr;
    }
    std::vector<std::string> attributes() const override {
        return transformed(m_members, [&](const auto& member) { return member.first; });
    }
    void clear() override { m_members.clear(); }

private:
    std::string m_name;
    std::vector<std::pair<std::string, Value>> m_members;
};

} // namespace hidet::lang
