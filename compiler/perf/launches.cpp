// SPDX-License-Identifier: Apache-2.0
#include "compiler/perf/launches.h"

#include <algorithm>
#include <utility>

#include "compiler/ir/evaluate.h"
#include "compiler/ir/rewrite.h"
#include "lang/base/transformed.h"

namespace hidet::perf {

using namespace ir;

namespace {

constexpr std::ptrdiff_t most_sizes = 16;        // of a launch, that are told apart
constexpr std::int64_t most_walked_trips = 4096; // of the loops of a function, that are walked one by one

class Finder : public Walker {
public:
    Finder(const KnownValues& known, const SymbolValues& symbols, const Module& module)
        : m_known(known), m_symbols(symbols), m_module(module) {}
    std::vector<Launch> found;

protected:
    using Walker::visit;

    void visit(const DeclareStmt& stmt) override {
        define(*stmt.var, stmt.init);
        walk_children(stmt);
    }
    void visit(const AssignStmt& stmt) override { define(*stmt.var, stmt.value); }

    void visit(const ForStmt& loop) override {
        const auto extent = value(loop.extent);
        if (extent && (m_trips += *extent) <= most_walked_trips) {
            for (std::int64_t trip = 0; trip < *extent; ++trip) {
                m_known[loop.var.get()] = trip;
                walk(loop.body);
            }
            return;
        }
        m_known.erase(loop.var.get());
        repeat(loop.body, extent);
    }
    void visit(const WhileStmt& loop) override { repeat(loop.body, std::nullopt); }

    void visit(const IfStmt& branch) override {
        if (const auto condition = value(branch.condition)) {
            walk(*condition ? branch.then_body : branch.else_body);
            return;
        }
        const bool is_at_most = std::exchange(m_is_at_most, true);
        walk(branch.then_body);
        walk(branch.else_body);
        m_is_at_most = is_at_most;
    }

    void visit(const LaunchStmt& stmt) override {
        SymbolValues sizes = sizes_of(stmt);
        const auto is_same = [&](const Launch& known) { return known.stmt == &stmt && known.sizes == sizes; };
        auto launch = std::ranges::find_if(found, is_same);
        if (launch == found.end() && std::ranges::count(found, &stmt, &Launch::stmt) >= most_sizes)
            launch = std::ranges::find(found, &stmt, &Launch::stmt);
        if (launch == found.end())
            launch = found.insert(launch, {&stmt, std::move(sizes), roots_of(stmt), 0});
        launch->times += m_times;
        launch->is_at_most |= m_is_at_most;
        launch->is_at_least |= m_is_at_least;
    }

private:
    // `trips`: nothing, and it counts once.
    void repeat(const StmtRef& body, std::optional<std::int64_t> trips) {
        const double times = std::exchange(m_times, m_times * static_cast<double>(trips.value_or(1)));
        const bool is_at_least = std::exchange(m_is_at_least, m_is_at_least || !trips);
        const KnownValues known = m_known;
        walk(body);
        // What the body assigns has another value in the next turn, and behind the loop.
        std::erase_if(m_known, [&](const auto& each) {
            const auto before = known.find(each.first);
            return before == known.end() || before->second != each.second;
        });
        m_times = times, m_is_at_least = is_at_least;
    }

    void define(const Var& var, const ExprRef& init) {
        if (const auto known = init ? value(init) : std::nullopt)
            m_known[&var] = *known;
        else
            m_known.erase(&var);
        if (init && is_pointer(var.type))
            m_roots[&var] = root_of(init);
    }

    SymbolValues sizes_of(const LaunchStmt& stmt) const {
        SymbolValues out = m_symbols;
        const Function* kernel = find_function(m_module, stmt.kernel);
        for (std::size_t i = 0; kernel && i < std::min(stmt.args.size(), kernel->params.size()); ++i)
            if (const auto known = value(stmt.args[i]))
                out[kernel->params[i]->name] = *known;
        return out;
    }

    std::vector<const Var*> roots_of(const LaunchStmt& stmt) const {
        return transformed(stmt.args, [&](const ExprRef& arg) { return root_of(arg); });
    }

    const Var* root_of(const ExprRef& expr) const {
        if (const auto* var = as<Var>(expr)) {
            const auto known = m_roots.find(var);
            return known == m_roots.end() ? var : known->second;
        }
        if (const auto* cast = as<Cast>(expr))
            return root_of(cast->a);
        if (const auto* address = as<Address>(expr))
            return root_of(address->place);
        if (const auto* element = as<TensorElement>(expr))
            return root_of(element->base);
        if (const auto* place = as<Deref>(expr))
            return root_of(place->pointer);
        if (const auto* sum = as<Binary>(expr); sum && is_pointer(sum->type))
            return root_of(is_pointer(sum->a->type) ? sum->a : sum->b);
        return nullptr;
    }

    std::optional<std::int64_t> value(const ExprRef& expr) const {
        return evaluate_whole(expr, [this](const ExprRef& leaf) { return known_leaf(leaf, m_known, m_symbols); });
    }

    KnownValues m_known;
    const SymbolValues& m_symbols;
    const Module& m_module;
    std::unordered_map<const Var*, const Var*> m_roots; // of pointers
    std::int64_t m_trips = 0;
    double m_times = 1;
    bool m_is_at_most = false, m_is_at_least = false;
};

} // namespace

std::vector<Launch> launches_in(const Function& host, const KnownValues& known, const SymbolValues& symbols,
                                const Module& module) {
    Finder finder(known, symbols, module);
    finder.walk(host.body);
    return std::move(finder.found);
}

} // namespace hidet::perf
