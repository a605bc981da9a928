// SPDX-License-Identifier: Apache-2.0
// Functions under other names, with all that calls and launches them. Functions that have no other name keep theirs.
#pragma once

#include <map>
#include <string>

#include "compiler/ir/rewrite.h"

namespace hidet::ir {

class FunctionRenamer : public Rewriter {
public:
    explicit FunctionRenamer(std::map<std::string, std::string> names) : m_names(std::move(names)) {}

protected:
    using Rewriter::visit;
    ExprRef visit(const Call& expr) override { return renamed(expr, &Call::callee); }
    StmtRef visit(const LaunchStmt& stmt) override { return renamed(stmt, &LaunchStmt::kernel); }
    FunctionRef visit(const Function& function) override { return renamed(function, &Function::name); }

private:
    template <class T>
    Ref<const T> renamed(const T& node, std::string T::*name) {
        Ref<const T> rebuilt = rebuild(node);
        const auto found = m_names.find(node.*name);
        if (found == m_names.end())
            return rebuilt;
        T copy = *rebuilt;
        copy.*name = found->second;
        return make<T>(std::move(copy));
    }

    const std::map<std::string, std::string> m_names;
};

} // namespace hidet::ir
