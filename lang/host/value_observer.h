// SPDX-License-Identifier: Apache-2.0
// Who watches an evaluation: a service that tells an editor what a name is. It sees values while they live and keeps
// what it makes of them; it changes nothing, and an evaluation without one costs a pointer test an expression.
#pragma once

#include "compiler/ir/stmt.h"
#include "lang/host/value.h"

namespace hidet::lang {

class ValueObserver {
public:
    virtual ~ValueObserver() = default;
    virtual void evaluated(const ast::Expr& expr, const Value& value) = 0; // of host code and of script functions
    virtual void bound(Span name, const Value& value) = 0; // assignments, parameters, loop variables, defs
    virtual void declared(Span name, ir::Scope scope) = 0; // after bound(): where a variable lives
};

} // namespace hidet::lang
