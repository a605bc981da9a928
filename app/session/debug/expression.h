// SPDX-License-Identifier: Apache-2.0
// Expressions in the words of a script, of what one thread knows where it stands: conditions of breakpoints, and what a person asks.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/ast/ast.h"
#include "lang/base/diagnostic.h"
#include "lang/base/result.h"
#include "lang/base/source.h"

namespace hidet::session {

struct DebugNumber {
    bool is_real = false;
    bool is_bool = false;
    std::int64_t integer = 0;
    double real = 0;
    double as_real() const { return is_real ? real : static_cast<double>(integer); }
    bool is_true() const { return is_real ? real != 0 : integer != 0; }
    static DebugNumber of(std::int64_t value) { return {.integer = value}; }
    static DebugNumber of_real(double value) { return {.is_real = true, .real = value}; }
    static DebugNumber of_bool(bool value) { return {.is_bool = true, .integer = value}; }
};
std::string text_of(const DebugNumber& number);

// What names stand for. Errors say what is wrong with a name.
class DebugNames {
public:
    virtual ~DebugNames() = default;
    virtual Result<DebugNumber> number(const std::string& name) const = 0; // "i", "threadIdx.x"
    virtual Result<DebugNumber> element(const std::string& tensor, const std::vector<std::int64_t>& index) const = 0;
};

class DebugExpression {
public:
    static Result<DebugExpression> parse(const std::string& text);
    Result<void> computable() const; // whether it has only what can be computed, whatever its names are
    Result<DebugNumber> value(const DebugNames& names) const { return value_of(*m_root, names); }
    struct Element { // smem[3, 4]
        std::string tensor;
        std::vector<const lang::ast::Expr*> index;
    };
    std::optional<Element> element() const; // that it is; nothing: it is something else
    // What is in last_writer(smem[3, 4]). Its tensor is empty: it is no such call.
    Result<Element> written_element() const;
    Result<DebugNumber> value_of(const lang::ast::Expr& part, const DebugNames& names) const;
    std::string name() const; // of a plain name; empty: it is more than that

private:
    struct Text {
        SourceMap sources;
        DiagnosticSink sink;
        lang::ast::Module module;
    };
    std::shared_ptr<const Text> m_text; // which the tree refers to
    const lang::ast::Expr* m_root = nullptr;
};

} // namespace hidet::session
