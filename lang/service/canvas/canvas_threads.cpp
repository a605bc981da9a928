// SPDX-License-Identifier: Apache-2.0
// How many threads ask a mapping for their tasks: mapping.on(threadIdx.x) in a kernel whose block is of a known size.
#include <charconv>

#include "lang/service/canvas/canvas_parts.h"

namespace hidet::lang::service {

namespace {

bool is_attribute(const ast::Expr* expr, std::string_view object, std::string_view name) {
    const auto* attribute = ast::as<ast::Attribute>(expr);
    if (!attribute || attribute->name.text != name)
        return false;
    const auto* of = ast::as<ast::Name>(attribute->object);
    const auto* inner = ast::as<ast::Attribute>(attribute->object);
    return (of && of->id == object) || (inner && inner->name.text == object);
}

// 0: not known.
std::int64_t number_of(const Document& document, const ast::Expr& expr) {
    if (const auto* constant = ast::as<ast::Constant>(&expr))
        return constant->what == ast::ConstantKind::Int && !constant->too_big ? constant->integer : 0;
    const Fact* fact = document.facts.find(text_range(expr));
    if (!fact || fact->values.size() != 1)
        return 0;
    const std::string& text = fact->values.front();
    std::int64_t out = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    return error == std::errc() && end == text.data() + text.size() ? out : 0;
}

// Of threads that threadIdx.x numbers: a block of one dimension.
std::int64_t block_dim_in(const Document& document, const ast::Stmt& function) {
    std::int64_t out = 0;
    ast::each_child(
        function, [](const ast::Expr&) {},
        [&](const ast::Stmt& statement) {
            const auto* assign = ast::as<ast::Assign>(&statement);
            if (assign && assign->value && assign->targets.size() == 1 &&
                is_attribute(assign->targets[0], "cuda", "block_dim"))
                out = number_of(document, *assign->value);
        });
    return out;
}

const ast::Stmt* function_around(const ast::Stmt& statement, std::uint32_t offset) {
    if (statement.span.begin > offset || statement.span.end < offset)
        return nullptr;
    const ast::Stmt* found = ast::as<ast::FunctionDef>(&statement) ? &statement : nullptr;
    ast::each_child(
        statement, [](const ast::Expr&) {},
        [&](const ast::Stmt& inner) {
            if (const ast::Stmt* nearer = function_around(inner, offset))
                found = nearer;
        });
    return found;
}

bool asks_for_thread(const ast::Expr& expr, Range mapping) {
    const auto* call = ast::as<ast::Call>(&expr);
    const auto* method = call ? ast::as<ast::Attribute>(call->callee) : nullptr;
    return method && method->name.text == "on" && text_range(expr).covers(mapping) && call->args.size() == 1 &&
           is_attribute(call->args[0], "threadIdx", "x");
}

} // namespace

std::int64_t threads_that_ask(const Document& document, const std::vector<const ast::Expr*>& around, Range mapping) {
    for (const ast::Expr* expr : around) {
        if (!asks_for_thread(*expr, mapping))
            continue;
        for (const ast::Stmt* statement : document.tree().body)
            if (const ast::Stmt* function = function_around(*statement, mapping.begin))
                return block_dim_in(document, *function);
    }
    return 0;
}

} // namespace hidet::lang::service
