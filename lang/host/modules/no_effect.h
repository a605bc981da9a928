// SPDX-License-Identifier: Apache-2.0
// A context that does nothing here, and may also decorate a function: with torch.no_grad():
#pragma once

#include "lang/host/boxed.h"
#include "lang/host/interpreter.h"

namespace hidet::lang {

struct NoEffect : NativeObject {
    std::string type_name() const override { return "context"; }
    std::unique_ptr<Value> enter(Evaluator&, Span) override { return std::make_unique<Value>(); }
    std::unique_ptr<Value> call(Evaluator&, Args& args, Span) override {
        return boxed(args.positional.empty() ? Value() : args.positional[0]);
    }
};

} // namespace hidet::lang
