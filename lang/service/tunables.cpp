// SPDX-License-Identifier: Apache-2.0
#include "lang/service/tunables.h"

#include <algorithm>
#include <map>
#include <set>

#include "lang/ast/walk.h"
#include "lang/base/text.h"
#include "lang/service/document.h"

namespace hidet::lang::service {

namespace {

constexpr std::size_t most_tunables = 12;

bool lies_in(Range inner, Range outer) {
    return inner.begin >= outer.begin && inner.end <= outer.end;
}

Range whole_range(const ast::Node& node) {
    return {node.span.begin, node.span.end};
}

bool is_scripted(const ast::FunctionDef& def) {
    return std::ranges::any_of(def.decorators, [](const ast::Expr* decorator) {
        if (const auto* attribute = ast::as<ast::Attribute>(decorator))
            return attribute->name.text == "script";
        const auto* name = ast::as<ast::Name>(decorator);
        return name && name->id == "script";
    });
}

class Tunables {
public:
    explicit Tunables(const Document& document) : m_document(document) {}

    std::vector<TunableNumber> take() {
        for (const ast::Stmt* statement : m_document.tree().body)
            follow(*statement, false);
        find_relevant();
        for (const Assigned& each : m_assigned)
            if (m_relevant.contains(each.binding))
                add(m_document.names().bindings[static_cast<std::size_t>(each.binding)].name, *each.value);
        std::ranges::stable_sort(m_out, {}, [](const TunableNumber& each) { return each.literal.begin; });
        std::map<std::string, int> seen;
        for (TunableNumber& each : m_out)
            each.number = seen[each.name]++;
        m_out.resize(std::min(m_out.size(), most_tunables));
        return std::move(m_out);
    }

private:
    struct Assigned {
        int binding = -1;
        const ast::Expr* value = nullptr;
    };

    void follow(const ast::Stmt& statement, bool is_in_kernel) {
        const auto* def = ast::as<ast::FunctionDef>(&statement);
        if (def && is_scripted(*def)) {
            m_kernels.push_back(whole_range(*def));
            for (const ast::Param& param : def->params)
                if (param.annotation)
                    m_annotations.push_back(whole_range(*param.annotation));
            is_in_kernel = true;
        }
        if (const auto* assign = ast::as<ast::Assign>(&statement); assign && assign->value)
            for (const ast::Expr* target : assign->targets)
                is_in_kernel ? take_block(*target, *assign->value) : take_pair(*target, *assign->value);
        ast::each_child(
            statement, [](const ast::Expr&) {}, [&](const ast::Stmt& inner) { follow(inner, is_in_kernel); });
    }

    void take_pair(const ast::Expr& target, const ast::Expr& value) {
        const auto* targets = ast::as<ast::Tuple>(&target);
        const auto* values = ast::as<ast::Tuple>(&value);
        if (targets && values && targets->items.size() == values->items.size())
            for (std::size_t i = 0; i < targets->items.size(); ++i)
                take_pair(*targets->items[i], *values->items[i]);
        if (!ast::as<ast::Name>(&target))
            return;
        const Occurrence* use = m_document.names().occurrence_at(target.span.begin);
        if (use && use->binding >= 0)
            m_assigned.push_back({use->binding, &value});
    }

    // attrs.cuda.block_dim = 32, 8
    void take_block(const ast::Expr& target, const ast::Expr& value) {
        const auto* attribute = ast::as<ast::Attribute>(&target);
        if (!attribute || attribute->name.text != "block_dim")
            return;
        const auto* dims = ast::as<ast::Tuple>(&value);
        if (!dims)
            return add("block_dim", value);
        for (std::size_t d = 0; d < std::min<std::size_t>(dims->items.size(), 3); ++d)
            add(cat("block_dim.", "xyz"[d]), *dims->items[d]);
    }

    // What kernels use, and what that is computed from.
    void find_relevant() {
        const std::vector<Binding>& bindings = m_document.names().bindings;
        const auto is_used_in = [&](const Binding& binding, const std::vector<Range>& ranges) {
            return std::ranges::any_of(binding.uses, [&](const Use& use) {
                return std::ranges::any_of(ranges, [&](Range range) { return lies_in(use.range, range); });
            });
        };
        std::vector<Range> where = m_kernels;
        while (!where.empty()) {
            std::vector<Range> next;
            for (const Assigned& each : m_assigned) {
                const Binding& binding = bindings[static_cast<std::size_t>(each.binding)];
                if (m_relevant.contains(each.binding) || is_used_in(binding, m_annotations) ||
                    !is_used_in(binding, where))
                    continue;
                m_relevant.insert(each.binding);
                next.push_back(whole_range(*each.value));
            }
            where = std::move(next);
        }
    }

    void add(const std::string& name, const ast::Expr& value) {
        const auto* constant = ast::as<ast::Constant>(&value);
        const Range literal = whole_range(value);
        if (constant && constant->what == ast::ConstantKind::Int && !constant->too_big && constant->integer > 0 &&
            literal.end <= m_document.text().size())
            m_out.push_back({name, constant->integer, literal});
    }

    const Document& m_document;
    std::vector<Range> m_kernels, m_annotations;
    std::vector<Assigned> m_assigned;
    std::set<int> m_relevant; // bindings
    std::vector<TunableNumber> m_out;
};

} // namespace

std::vector<TunableNumber> tunable_numbers(const Document& document) {
    return quietly<std::vector<TunableNumber>>(document, [&] { return Tunables(document).take(); });
}

} // namespace hidet::lang::service
