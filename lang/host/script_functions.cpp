// SPDX-License-Identifier: Apache-2.0
// What others call of a script after it has been evaluated: its functions, with values of their own.
#include <algorithm>

#include "lang/host/interpreter.h"

namespace hidet::lang {

namespace {

constexpr std::size_t items_looked_at = 64; // of a list, each time its name is used

bool is_decorated(const ast::Stmt& statement);

bool has_decorated(ast::Block block) {
    return std::ranges::any_of(block, [](const ast::Stmt* inner) { return is_decorated(*inner); });
}

bool is_decorated(const ast::Stmt& statement) {
    switch (statement.kind) {
    case ast::Kind::FunctionDef: return !ast::to<ast::FunctionDef>(statement).decorators.empty();
    case ast::Kind::With: return has_decorated(ast::to<ast::With>(statement).body);
    case ast::Kind::If:
        return has_decorated(ast::to<ast::If>(statement).body) || has_decorated(ast::to<ast::If>(statement).else_body);
    case ast::Kind::For: return has_decorated(ast::to<ast::For>(statement).body);
    default: return false;
    }
}

HostFunction described(const std::string& name, const FunctionObject& function) {
    HostFunction out;
    out.name = name;
    for (std::size_t i = 0; i < function.params.size(); ++i) {
        const ast::Param& param = function.params[i];
        if (param.name.text.empty())
            continue;
        if (param.what == ast::ParamKind::VarArgs || param.what == ast::ParamKind::VarKeywords) {
            out.takes_more = true;
            continue;
        }
        bool required = i >= function.defaults.size() || function.defaults[i].is(ValueKind::Unbound);
        out.params.push_back({std::string(param.name.text), required});
    }
    out.makes_kernels = function.def && has_decorated(function.def->body);
    return out;
}

bool lacks_data(const Value& value) {
    return value.is(ValueKind::Tensor) && !value.as_tensor()->has_data();
}

} // namespace

const Value* Evaluator::global(std::string_view name) const {
    auto main = m_impl->modules.find("__main__");
    return main == m_impl->modules.end() ? nullptr : main->second->table.find(name);
}

std::vector<HostFunction> Evaluator::global_functions() const {
    std::vector<HostFunction> out;
    auto main = m_impl->modules.find("__main__");
    if (main == m_impl->modules.end())
        return out;
    main->second->table.for_each([&](const std::string& name, const Value& value) {
        if (value.is(ValueKind::Function))
            out.push_back(described(name, as_function(value)));
    });
    return out;
}

void Evaluator::enter_run_mode(Engine& engine) {
    m_impl->was_previewed = m_impl->was_previewed || in_preview();
    m_impl->options.mode = Mode::Run;
    m_impl->engine = &engine;
}

std::optional<Value> Evaluator::try_call(const Value& callee, Args& args, Span span) {
    m_impl->begin_stack();
    m_impl->call_depth = 0;
    m_impl->set_meter();
    MeterScope scope(m_impl->meter);
    try {
        return m_impl->call(callee, args, span);
    } catch (const UnknownValue&) {
        return Value::unknown();
    } catch (const RaisedError& error) {
        m_impl->report(error);
    } catch (const DiagnosticError& error) {
        m_impl->report(error);
    } catch (const MeterStop& stop) {
        m_impl->report(m_impl->stopped(stop, span));
    }
    return std::nullopt;
}

// Tensors that the preview made hold nothing, and to compute with them would give zeros that look like results.
Value Evaluator::Impl::with_data(Value value, Span span) {
    if (!was_previewed || self.in_preview())
        return value;
    bool lacks = lacks_data(value);
    if (value.is(ValueKind::List) || value.is(ValueKind::Tuple)) {
        const std::vector<Value>& items = value.items();
        lacks = std::any_of(items.begin(),
                            items.begin() + static_cast<std::ptrdiff_t>(std::min(items.size(), items_looked_at)),
                            lacks_data);
    }
    if (lacks)
        fail(DiagId::TensorWithoutData, span);
    return value;
}

} // namespace hidet::lang
