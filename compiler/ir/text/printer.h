// SPDX-License-Identifier: Apache-2.0
// The state of printing: what of a node is written where. print_types.cpp, print_exprs.cpp, and print.cpp for the rest.
#pragma once

#include "compiler/ir/names.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/text/print.h"

namespace hidet::ir {

class Printer {
public:
    explicit Printer(const Module* module = nullptr) : m_module(module) {
        if (module)
            for (const VarVec* vars : {&module->globals, &module->externs})
                for (const VarRef& var : *vars)
                    m_names.add_global(*var);
    }
    PrintedText take() { return {std::move(m_out), std::move(m_origins), std::move(m_tokens)}; }

    void type(const TypeRef& type);
    void layout(const LayoutRef& layout);
    void mapping(const MappingRef& mapping);
    void expr(const ExprRef& expr, Precedence place = Precedence::Or);
    void stmt(const StmtRef& stmt);
    void function(const Function& f);
    void module(const Module& m);
    void node(const Node& node);

private:
    void put(std::string_view text) { m_out += text; }
    void begin_line(Origin origin);
    void end_line();
    // What is printed while it lives has this origin, unless that is unknown.
    class At {
    public:
        At(Printer& printer, Origin origin) : m_printer(printer), m_outer(printer.m_origin) {
            if (origin.known())
                printer.go_to(origin);
        }
        ~At() { m_printer.go_to(m_outer); }
        At(const At&) = delete;

    private:
        Printer& m_printer;
        Origin m_outer;
    };
    void go_to(Origin origin);
    void end_range();
    void line(Origin origin, std::string_view text);
    void block(const StmtRef& body);
    void list(const ExprVec& exprs);
    void more(const ExprVec& exprs);
    void call(std::string_view name, const ExprVec& args);
    void integers(const std::vector<std::int64_t>& values);
    void definition(const Var& var);

    void prefixed(std::string_view mark, const TypeRef& base);
    // A type whose text may not be followed by a suffix or preceded by a prefix is parenthesised.
    void atom_type(const TypeRef& type);
    void tensor_type(const TensorType& t);
    void func_type(const FuncType& t);
    void opaque_type(const OpaqueType& t);
    void pair(std::string_view name, const LayoutRef& a, const LayoutRef& b);
    void strides_layout(const LayoutRef& layout);
    void ranks(const std::vector<std::int64_t>& ranks, bool is_first);
    void repeat_mapping(const RepeatMapping& m);

    void symbol(const SymbolVar& e);
    static std::string number(const ConstantValue& value, bool is_f32);
    void constant(const Constant& e);
    void enclosed(const ExprRef& e, bool in_parentheses);
    void unary(const Unary& e, Precedence place);
    void binary(const Binary& e, Precedence place);
    void prefixed(std::string_view mark, const ExprRef& operand, Precedence place);
    void element(const ExprRef& base, const ExprVec& indices, bool is_protected);
    void slice(const TensorSlice& e);
    // Whether a reader of the module can tell the type of a plain call.
    bool has_known_type(const Call& e) const;
    static bool is_closed(const TypeRef& type);
    void function_call(const Call& e);
    void intrinsic(const Intrinsic& e);

    void declare(const DeclareStmt& s);
    void loop_var(const Var& var);
    void for_loop(const ForStmt& s);
    void for_mapping(const ForMappingStmt& s);
    void if_else(const IfStmt& s);
    void labels(const std::vector<std::string>& labels);
    void assembly(const AsmStmt& s);
    void comment(const std::string& text);
    void launch(const LaunchStmt& s);

    // So that a type that mentions a later parameter does not name it first.
    void name_params(const Function& f);
    void attribute(const Function& f, std::string_view name);
    void dims(const Function& f, std::string_view name, const ExprVec& dims);

    const Module* m_module;
    NameTable m_names;
    std::string m_out;
    std::vector<Origin> m_origins;
    std::vector<TokenOrigin> m_tokens;
    Origin m_origin;         // of what is printed now
    std::size_t m_begin = 0; // of the range that is being printed
    int m_indent = 0;
};

} // namespace hidet::ir
