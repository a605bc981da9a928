// SPDX-License-Identifier: Apache-2.0
#include "app/session/explain/bounds_view.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "compiler/analysis/access/bounds.h"
#include "lang/base/finding_words.h"
#include "lang/base/ranges.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace access = compiler::access;

namespace {

constexpr std::int64_t bounds_work = 300'000; // as of access::Limits

std::string place_text(const access::Escape& escape) {
    const auto tuple = [](const std::array<std::int64_t, 3>& of) {
        return tuple_text({of.begin(), of.end()}, '(', ')');
    };
    std::string out = cat("block ", tuple(escape.block), ", thread ", tuple(escape.thread));
    for (const access::Turn& turn : escape.turns)
        out += cat(", ", turn.variable, " = ", turn.number);
    return out;
}

// "x[0, 40] is outside of its shape [6, 40] (block (0, 0, 0), thread (40, 0, 0))"
std::string escape_text(const access::BoundsCheck& check) {
    const access::Escape& escape = *check.escape;
    const std::string tensor = check.tensor.empty() ? "an address" : check.tensor;
    const std::string what =
        escape.shape.empty()
            ? cat("byte ", escape.at, " of '", tensor, "' is outside of its ", escape.size, " bytes")
            : cat(element_text(tensor, escape.index), " is outside of its shape ", tuple_text(escape.shape, '[', ']'));
    std::string out = cat(what, " (", place_text(escape), ")");
    if (escape.threads > 1)
        out += cat(", like ", escape.threads - 1, escape.threads == 2 ? " other thread" : " other threads",
                   " of the block");
    return out;
}

BoundsAccess view_of_check(const access::BoundsCheck& check, const SourceMap& sources) {
    BoundsAccess out;
    out.place = place_of(check.origin.span, sources);
    out.kind = kind_name(check.kind);
    out.memory = check.is_shared ? "shared" : "global";
    out.tensor = check.tensor;
    out.verdict = within_name(check.within);
    out.for_any_size = check.for_any_size;
    out.why = check.why;
    if (!check.escape)
        return out;
    const access::Escape& escape = *check.escape;
    out.example = escape_text(check);
    out.block.assign(escape.block.begin(), escape.block.end());
    out.thread.assign(escape.thread.begin(), escape.thread.end());
    for (const access::Turn& turn : escape.turns)
        out.turns.push_back({turn.variable, turn.number});
    out.index = escape.index, out.shape = escape.shape;
    out.threads = escape.threads;
    return out;
}

// What unrolling and vectors made of one place of the script is one access, as good as the worst of them.
std::vector<access::BoundsCheck> merged(std::vector<access::BoundsCheck> checks) {
    using Key = std::tuple<FileId, std::uint32_t, std::uint32_t, access::AccessKind, bool, std::string>;
    std::map<Key, std::size_t> known;
    std::vector<access::BoundsCheck> out;
    for (access::BoundsCheck& next : checks) {
        const Span span = next.origin.span;
        const auto [at, is_new] =
            known.try_emplace({span.file, span.begin, span.end, next.kind, next.is_shared, next.tensor}, out.size());
        if (is_new) {
            out.push_back(std::move(next));
            continue;
        }
        access::BoundsCheck& kept = out[at->second];
        const bool for_any_size = kept.for_any_size && next.for_any_size;
        if (next.within > kept.within)
            kept = std::move(next);
        kept.for_any_size = for_any_size;
    }
    return out;
}

std::string accesses_text(std::int64_t count) {
    return cat(count, count == 1 ? " access" : " accesses");
}

std::string sentence_of(const BoundsView& view, bool has_sizes) {
    const std::int64_t all = std::ssize(view.accesses);
    if (all == 0)
        return "no access to global or shared memory is known";
    if (view.leaves > 0)
        return cat(view.leaves, " of ", accesses_text(all),
                   view.leaves == 1 ? " leaves its tensor" : " leave their tensors");
    if (view.undecided > 0)
        return cat(view.proved, " of ", accesses_text(all), " proved to stay in bounds, ", view.undecided,
                   " undecided");
    std::string out =
        all == 1 ? "the access stays in bounds (proved)" : cat("all ", accesses_text(all), " stay in bounds (proved)");
    if (has_sizes && std::ranges::all_of(view.accesses, &BoundsAccess::for_any_size))
        return out + ", for all sizes";
    return view.sizes.empty() ? out : cat(out, " for ", view.sizes);
}

} // namespace

BoundsView bounds_of(const ir::Module& module, const ir::Function& kernel, const SymbolValues& sizes,
                     const SourceMap& sources, const std::atomic<bool>* cancelled) {
    BoundsView out;
    access::Limits limits{bounds_work, cancelled};
    out.sizes = join(transformed(sizes, [](const auto& size) { return cat(size.first, " = ", size.second); }), ", ");
    for (const access::BoundsCheck& check : merged(access::check_bounds(module, kernel, sizes, limits))) {
        out.accesses.push_back(view_of_check(check, sources));
        if (check.within == access::Within::Leaves)
            out.mistakes.push_back(view_of(Diagnostic::make(DiagId::EmulateOutOfBounds, check.origin.span,
                                                            cat("in kernel '", kernel.name, "' ", escape_text(check))),
                                           sources));
        (check.within == access::Within::Leaves      ? out.leaves
         : check.within == access::Within::Undecided ? out.undecided
                                                     : out.proved) += 1;
    }
    const auto rank = [](const BoundsAccess& view) {
        return view.verdict == within_name(access::Within::Leaves)      ? 0
               : view.verdict == within_name(access::Within::Undecided) ? 1
                                                                        : 2;
    };
    std::ranges::stable_sort(out.accesses, {}, rank);
    const bool has_sizes = std::ranges::any_of(kernel.params, [](const ir::VarRef& param) {
        return param->type->kind == ir::Kind::DataType && ir::is_integer(*ir::scalar_of(param->type));
    });
    out.sentence = sentence_of(out, has_sizes);
    return out;
}

} // namespace hidet::session
