// SPDX-License-Identifier: Apache-2.0
// What callers of an exported function see: parameters under names that every language takes, shapes and dimensions.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "app/session/exporting/exporter.h"
#include "app/session/exporting/functions.h"
#include "compiler/graph/plan/expressions.h"
#include "compiler/ir/structure.h"
#include "lang/base/generated_text.h"
#include "lang/base/text.h"

namespace hidet::session {

class ExportWork;

// Of C, C++ and Python.
inline bool is_keyword(const std::string& word) {
    static const std::set<std::string> words = {
        "alignas",  "alignof",  "and",       "as",      "asm",          "assert",   "async",   "auto",
        "await",    "bool",     "break",     "case",    "catch",        "char",     "class",   "concept",
        "const",    "continue", "decltype",  "def",     "default",      "del",      "delete",  "do",
        "double",   "elif",     "else",      "enum",    "except",       "explicit", "export",  "extern",
        "false",    "finally",  "float",     "for",     "friend",       "from",     "global",  "goto",
        "if",       "import",   "in",        "inline",  "int",          "is",       "lambda",  "long",
        "main",     "mutable",  "namespace", "new",     "noexcept",     "nonlocal", "not",     "nullptr",
        "operator", "or",       "pass",      "private", "protected",    "public",   "raise",   "register",
        "requires", "restrict", "return",    "short",   "signed",       "sizeof",   "static",  "static_assert",
        "struct",   "switch",   "template",  "this",    "thread_local", "throw",    "true",    "try",
        "typedef",  "typeid",   "typename",  "union",   "unsigned",     "using",    "virtual", "void",
        "volatile", "while",    "with",      "xor",     "yield",        "False",    "None",    "True"};
    return words.contains(word);
}

class SignatureMaker {
public:
    // Fills the function, which outlives this.
    SignatureMaker(ExportWork& out, const Callable& callable, ExportedFunction& function)
        : m_out(out), m_callable(callable), m_function(function), m_expressions(function.body) {}

    // and their shapes; false: the reason is in the work's sink
    bool add_parameters() {
        const auto accesses = accesses_of(m_callable);
        for (std::size_t i = 0; i < m_callable.function->params.size(); ++i) {
            if (!add_parameter(*m_callable.function->params[i]))
                return false;
            m_function.parameters.back().is_read = !accesses || (*accesses)[i].read;
            m_function.parameters.back().is_written = !accesses || (*accesses)[i].written;
        }
        return add_shapes();
    }

    // once all are known that the code asks for; those of scalars have their names already
    void add_symbols() {
        m_function.symbol_texts.resize(m_function.body.symbols.size());
        m_function.symbol_is_real.resize(m_function.body.symbols.size());
        for (artifact::Row row = 0; row < m_function.body.symbols.size(); ++row) {
            if (!m_function.symbol_texts[row].empty())
                continue;
            ExportedSymbol found{free_name(m_function.body.symbols[row].name), row};
            m_function.symbol_texts[row] = found.name;
            find_place(found);
            m_function.symbols.push_back(std::move(found));
        }
    }

    graph::Expressions& expressions() { return m_expressions; }
    const std::vector<artifact::PlanArgument>& arguments() const { return m_arguments; } // parameters, to host code

private:
    // What functions call something of their own.
    static const std::set<std::string>& own_words() {
        static const std::set<std::string> words = {"stream", "device", "result", "arguments", "wrong",
                                                    "launch", "call",   "lines",  "names",     "extents",
                                                    "level",  "torch",  "ctypes", "args"};
        return words;
    }

    bool refuse(const std::string& why) { return m_out.refuse(m_callable.name, why, m_callable.function->origin.span); }
    std::string free_name(std::string name) {
        name = identifier_of(name);
        while (is_keyword(name) || own_words().contains(name) || !m_names.insert(name).second)
            name += "_";
        return name;
    }

    bool add_parameter(const ir::Var& var) {
        const std::optional<ir::DType> dtype = dtype_of(var);
        if (kind_of(var) == ParameterKind::Text)
            return refuse(cat("its parameter '", var.name, "' is a text"));
        if (!dtype && kind_of(var) == ParameterKind::Scalar)
            return refuse(cat("its parameter '", var.name, "' is no number and no memory"));
        ExportedParameter parameter{free_name(var.name), kind_of(var), dtype.value_or(ir::DType::U8), {}};
        artifact::PlanArgument argument{.value = static_cast<artifact::Row>(m_function.parameters.size())};
        if (parameter.kind == ParameterKind::Scalar) {
            const bool is_real = ir::is_float(*dtype);
            const std::optional<int> fraction = fraction_of_short(*dtype);
            if (!is_number_of_c(*dtype))
                return refuse(cat("its parameter '", var.name, "' is a number of type ", ir::info(*dtype).short_name,
                                  ", which C has not"));
            argument.kind = artifact::ArgumentKind::Scalar;
            argument.expression =
                symbol("." + parameter.name,
                       fraction ? cat("short_value(", parameter.name, ", ", *fraction, ")") : parameter.name, is_real);
            m_expressions.bind(var, argument.expression); // in shapes
        }
        m_arguments.push_back(argument);
        m_function.parameters.push_back(std::move(parameter));
        return true;
    }

    bool add_shapes() {
        for (std::size_t i = 0; i < m_function.parameters.size(); ++i) {
            const ir::TensorType* tensor = ir::tensor_of(m_callable.function->params[i]->type);
            if (!tensor)
                continue;
            for (const ir::ExprRef& extent : tensor->shape) {
                const auto row = m_expressions.find(extent);
                if (!row)
                    return refuse(cat("the shape of its parameter '", m_function.parameters[i].name,
                                      "' is no expression of numbers"));
                m_function.parameters[i].shape.push_back(*row);
            }
        }
        return true;
    }

    artifact::Row symbol(const std::string& key, const std::string& text, bool is_real) {
        const artifact::Row row = m_expressions.symbol(key);
        m_function.symbol_texts.resize(m_function.body.symbols.size());
        m_function.symbol_is_real.resize(m_function.body.symbols.size());
        m_function.symbol_texts[row] = text;
        m_function.symbol_is_real[row] = is_real;
        return m_expressions.expression_of({{artifact::ExprOp::Symbol, row}});
    }

    void find_place(ExportedSymbol& symbol) const {
        for (std::size_t i = 0; i < m_function.parameters.size(); ++i)
            for (std::size_t d = 0; d < m_function.parameters[i].shape.size(); ++d) {
                const auto& expression = m_function.body.expressions[m_function.parameters[i].shape[d]];
                if (symbol.is_in_a_shape || artifact::symbol_of(expression) != symbol.row)
                    continue;
                symbol.tensor = i;
                symbol.dimension = d;
                symbol.is_in_a_shape = true;
            }
    }

    ExportWork& m_out;
    const Callable& m_callable;
    ExportedFunction& m_function;
    graph::Expressions m_expressions;
    std::vector<artifact::PlanArgument> m_arguments;
    std::set<std::string> m_names;
};

} // namespace hidet::session
