// SPDX-License-Identifier: Apache-2.0
// Names of the typing module, and subscripted built-in types: accepted wherever a type is written, without a meaning
// in host code.
#pragma once

#include <string>

#include "lang/host/boxed.h"

namespace hidet::lang {

class TypingForm : public NativeObject {
public:
    explicit TypingForm(std::string name, Value subscripts = Value())
        : subscripts(std::move(subscripts)), m_name(std::move(name)) {}
    const std::string& name() const { return m_name; }
    std::string type_name() const override { return "typing form"; }
    std::string repr() const override { return "typing." + m_name; }
    std::unique_ptr<Value> subscript(Evaluator&, const Value& index, Span) override {
        return boxed(new_extension<TypingForm>(m_name, index));
    }
    // TypeVar('T'), NewType(...), cast(T, x): the last argument is what a value would be.
    std::unique_ptr<Value> call(Evaluator&, Args& args, Span) override {
        if (m_name == "cast" && args.positional.size() == 2)
            return boxed(args.positional[1]);
        return boxed(new_extension<TypingForm>(m_name));
    }

    const Value subscripts; // of tuple[int, float]: both; None

private:
    std::string m_name;
};

bool is_not_implemented(const Value& value); // NotImplemented

} // namespace hidet::lang
