// SPDX-License-Identifier: Apache-2.0
// Operators, comparison, hashing and text of host values.
#pragma once

#include <string>
#include <string_view>

#include "lang/host/evaluator.h"
#include "lang/host/value.h"

namespace hidet::lang {

std::uint64_t hash_value(Evaluator& evaluator, const Value& value, Span span);
bool identical(const Value& a, const Value& b);                                 // `is`
bool same_key(Evaluator& evaluator, const Value& a, const Value& b, Span span); // identical or equal
bool equal(Evaluator& evaluator, const Value& a, const Value& b, Span span);    // `==` as a decision
bool less(Evaluator& evaluator, const Value& a, const Value& b, Span span);     // `<` as a decision
Value compare(Evaluator& evaluator, ast::CompareOp op, const Value& a, const Value& b, Span a_span, Span b_span);
Value unary(Evaluator& evaluator, ast::UnaryOp op, const Value& a, Span span);
Value binary(Evaluator& evaluator, ast::BinaryOp op, const Value& a, const Value& b, Span a_span, Span b_span,
             bool in_place = false);
bool contains(Evaluator& evaluator, const Value& item, const Value& container, Span item_span, Span container_span);
Value int_power(std::int64_t base, std::int64_t exponent, Span span);
std::int64_t floor_div(std::int64_t a, std::int64_t b, Span span);
std::int64_t floor_mod(std::int64_t a, std::int64_t b, Span span);
double floor_mod(double a, double b, Span span);

// ---- text ----
std::string python_float(double value); // repr(value)
// format(value, spec): the format mini-language.
std::string format_value(Evaluator& evaluator, const Value& value, std::string_view spec, Span span);
// 'a %d b' % args
std::string percent_format(Evaluator& evaluator, std::string_view format, const Value& args, Span span);
// 'a {} b'.format(args)
std::string brace_format(Evaluator& evaluator, std::string_view format, const Args& args, Span span);

// ---- strings are UTF-8; positions are counted in code points ----
bool is_ascii(std::string_view text);
std::int64_t code_point_count(std::string_view text);
std::size_t byte_offset(std::string_view text, std::int64_t code_point);
std::u32string decode(std::string_view text);
std::string encode(std::u32string_view text);
void append_code_point(std::string& out, char32_t code);

// Work on the tree of an IR value, so many steps for eight of its nodes.
void charge_tree(Evaluator& evaluator, const Value& value, std::uint64_t steps, Span span);

} // namespace hidet::lang
