// SPDX-License-Identifier: Apache-2.0
// The host evaluator's words as the sources of this folder say them: a Value of its own is one of a graph.
#pragma once

#include "lang/host/arguments.h"
#include "lang/host/boxed.h"
#include "lang/host/evaluator.h"

namespace hidet::graph {

using lang::Args;
using lang::Arguments;
using lang::Evaluator;
using lang::ValueKind;
using HostValue = lang::Value;

// A method of an object, which lives as long as the method does.
template <class T>
std::unique_ptr<HostValue> method_of(T& self, std::string_view name, HostValue (*run)(T&, Evaluator&, Args&, Span)) {
    return lang::boxed(name, [held = Ref<T>(&self), run](Evaluator& evaluator, Args& args, Span span) {
        return run(*held, evaluator, args, span);
    });
}

} // namespace hidet::graph
