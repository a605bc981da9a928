// SPDX-License-Identifier: Apache-2.0
// What callers of an exported function see: parameters under names that every language takes, shapes and dimensions.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "app/session/exporting/functions.h"
#include "compiler/graph/plan/expressions.h"

namespace hidet::session {

class ExportWork;

bool is_keyword(const std::string& word); // of one of the languages

class SignatureMaker {
public:
    // Fills the function, which outlives this.
    SignatureMaker(ExportWork& out, const Callable& callable, ExportedFunction& function)
        : m_out(out), m_callable(callable), m_function(function), m_expressions(function.body) {}

    bool add_parameters(); // and their shapes; false: the reason is in the work's sink
    void add_symbols();    // once all are known that the code asks for; those of scalars have their names already

    graph::Expressions& expressions() { return m_expressions; }
    const std::vector<artifact::PlanArgument>& arguments() const { return m_arguments; } // parameters, to host code

private:
    bool refuse(const std::string& why);
    std::string free_name(std::string name);
    bool add_parameter(const ir::Var& var);
    bool add_shapes();
    artifact::Row symbol(const std::string& key, const std::string& text, bool is_real);
    void find_place(ExportedSymbol& symbol) const;

    ExportWork& m_out;
    const Callable& m_callable;
    ExportedFunction& m_function;
    graph::Expressions m_expressions;
    std::vector<artifact::PlanArgument> m_arguments;
    std::set<std::string> m_names;
};

} // namespace hidet::session
