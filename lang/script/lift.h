// SPDX-License-Identifier: Apache-2.0
// Host values as pieces of IR, and back. Every failure is a diagnostic at the span that is passed in.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/ops.h"
#include "lang/base/check.h"
#include "lang/host/evaluator.h"

namespace hidet::lang {

// Numbers, strings and IR expressions. Integers become i32, or i64 where they do not fit; floats become f32.
ir::ExprRef to_expr(const Value& value, Span span);
// A text of a kernel: a format, the message of an assert. One that is too long to show is refused.
std::string kernel_text(std::string text, Span span);
bool can_be_expr(const Value& value);
// A type object, a declaration, Python's int, float and bool, or the name of a data type.
ir::TypeRef to_type(const Value& value, Span span);
std::optional<ir::TypeRef> try_type(const Value& value);
ir::DType to_dtype(const Value& value, Span span);
std::int64_t to_int(const Value& value, Span span, std::string_view what);
bool to_bool(const Value& value, Span span, std::string_view what);
std::string to_text(const Value& value, Span span, std::string_view what);
// One extent or a sequence of them; integers that are not negative, constant or not.
ir::ExprVec to_shape(const Value& value, Span span);
std::string extents_text(const ir::ExprVec& shape); // "[3, n]"
// The shape of a tensor, unless no memory holds that many elements.
ir::ExprVec of_a_tensor(ir::ExprVec shape, Span span);
// Extents of a task mapping, or of those that one is composed of: refused where their product is beyond counting.
void want_countable_tasks(const ir::ExprVec& extents, Span span);
ir::ExprRef to_extent(const Value& value, Span span);
std::vector<std::int64_t> to_ints(const Value& value, Span span, std::string_view what);
bool is_sequence(const Value& value);
inline constexpr int most_nested_sequences = 1000; // within each other, of what is converted: one may hold itself

// Constant integers of 32 or 64 bits become host integers, everything else stays an expression.
Value from_expr(const ir::ExprRef& expr);
Value from_exprs(const ir::ExprVec& exprs);

// "int", "float", "bool", "str", ... when the value is that built-in of Python, else empty.
std::string python_type_name(const Value& value);
// How a message calls a value: an 'i32' value, a 'list', a layout, ...
std::string describe(const Value& value);
std::string count_of(std::size_t count, std::string_view one, std::string_view several); // "1 value", "2 values"
std::string type_text(const ir::TypeRef& type);

// The failure of an IR maker that a user's program can cause.
bool is_too_deep(const InternalError& error);

// Runs `make`, turning a type mistake into a diagnostic at `span`; the result gets the origin of the span.
template <class F>
auto typed(Span span, F&& make) {
    try {
        auto node = make();
        ir::set_origin(ir::NodeRef(node), {span, 0});
        return node;
    } catch (const ir::TypeError& error) {
        fail(DiagId::ScriptTypeMismatch, span, error.what());
    } catch (const InternalError& error) {
        if (is_too_deep(error))
            fail(DiagId::ScriptTooDeep, span);
        throw;
    }
}

// A new variable that comes from the span.
ir::VarRef var_at(Span span, std::string name, ir::TypeRef type);

// A diagnostic at the span: what is made there cannot be called so.
void need_name(std::string_view name, Span span);
// A diagnostic at the span: scripts may not call a function of that name outside of their module.
void need_extern_function(std::string_view name, Span span);

// Conversion on assignment, initialisation, argument passing and return.
ir::ExprRef convert_to(const ir::ExprRef& value, const ir::TypeRef& type, Span span, DiagnosticSink& sink);

} // namespace hidet::lang
