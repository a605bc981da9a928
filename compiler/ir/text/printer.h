// SPDX-License-Identifier: Apache-2.0
// The state of printing: what of a node is written where. print_types.cpp, print_exprs.cpp, and print.cpp for the rest.
#pragma once

#include <utility>

#include "compiler/ir/names.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/text/print.h"

namespace hidet::ir {

// Lines of text that know the origins of their parts.
class OriginWriter {
protected:
    // What is written while it lives has this origin, unless that is unknown.
    class At {
    public:
        At(OriginWriter& writer, Origin origin) : m_writer(writer), m_outer(writer.m_origin) {
            if (origin.known())
                writer.go_to(origin);
        }
        ~At() { m_writer.go_to(m_outer); }
        At(const At&) = delete;

    private:
        OriginWriter& m_writer;
        Origin m_outer;
    };

    void put(std::string_view text) { m_text.text += text; }
    void begin_line(Origin origin);
    void end_line();
    void line(Origin origin, std::string_view text);

    PrintedText m_text;
    int m_indent = 0;

private:
    void go_to(Origin origin);
    void end_range();

    Origin m_origin;         // of what is written now
    std::size_t m_begin = 0; // of the range that is being written
};

class Printer : OriginWriter {
public:
    explicit Printer(const Module* module = nullptr) : m_module(module) {
        if (module)
            for (const VarVec* vars : {&module->globals, &module->externs})
                for (const VarRef& var : *vars)
                    m_names.add_global(*var);
    }
    PrintedText take() { return std::move(m_text); }

    void type(const TypeRef& type);
    void layout(const LayoutRef& layout);
    void mapping(const MappingRef& mapping);
    void expr(const ExprRef& expr, Precedence place = Precedence::Or);
    void stmt(const StmtRef& stmt);
    void function(const Function& f);
    void module(const Module& m);
    void node(const Node& node);

private:
    void block(const StmtRef& body);
    // With commas between what `print` prints of each.
    template <class Range, class F>
    void separated(const Range& range, F&& print) {
        std::string_view comma;
        for (const auto& each : range)
            put(std::exchange(comma, ", ")), print(each);
    }
    void list(const ExprVec& exprs);
    void call(std::string_view name, const ExprVec& args);
    void integers(const std::vector<std::int64_t>& values);
    void name(const std::string& name);
    void definition(const Var& var);
    void own_definition(const Var& var); // of a let or a declaration

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
    void constant(const Constant& e);
    void enclosed(const ExprRef& e, bool in_parentheses);
    void unary(const Unary& e, Precedence place);
    void binary(const Binary& e, Precedence place);
    void prefixed(std::string_view mark, const ExprRef& operand, Precedence place);
    void element(const ExprRef& base, const ExprVec& indices, bool is_protected);
    void slice(const TensorSlice& e);
    // Whether a reader of the module can tell the type of a plain call.
    bool has_known_type(const Call& e) const;
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

    void attribute(const Function& f, std::string_view name);
    void dims(const Function& f, std::string_view name, const ExprVec& dims);

    const Module* m_module;
    const Function* m_function = nullptr;         // that is printed
    const Function* m_with_temporaries = nullptr; // the last that has some
    NameTable m_names;
};

} // namespace hidet::ir
