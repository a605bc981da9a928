// SPDX-License-Identifier: Apache-2.0
#include "compiler/prove/extents.h"

#include <algorithm>

#include "lang/base/text.h"

namespace hidet::compiler::prove {

using namespace ir;

namespace {

constexpr std::int64_t most_elements = std::int64_t{1} << 24; // that are worth a number
constexpr std::size_t most_sizes = 4;                         // of which products are tried

struct Candidate {
    Term elements = nullptr;
    std::string text;
};

// The last element that any access may reach by its bounds alone.
std::optional<std::int64_t> constant_extent(const std::vector<const MemoryAccess*>& accesses, std::int64_t bytes) {
    std::int64_t end = 0;
    for (const MemoryAccess* access : accesses) {
        const auto size = Terms::constant_of(access->place.bytes);
        const Term offset = access->place.offset;
        if (!size || offset->highest == no_highest || offset->highest > most_elements * bytes)
            return std::nullopt;
        end = std::max(end, offset->highest + *size);
    }
    return (end + bytes - 1) / bytes;
}

std::vector<Candidate> candidates(Terms& terms, const KernelFacts& facts,
                                  const std::vector<const MemoryAccess*>& accesses, std::int64_t bytes) {
    std::vector<Candidate> out;
    if (const auto constant = constant_extent(accesses, bytes))
        out.push_back({terms.constant(*constant), cat(*constant)});
    std::vector<Candidate> sizes;
    for (const auto& [name, term] : facts.sizes)
        if (!term->is_condition && sizes.size() < most_sizes)
            sizes.push_back({term, name});
    out.insert(out.end(), sizes.begin(), sizes.end());
    for (std::size_t i = 0; i < sizes.size(); ++i)
        for (std::size_t j = i + 1; j < sizes.size(); ++j)
            out.push_back(
                {terms.multiply(sizes[i].elements, sizes[j].elements), cat(sizes[i].text, " * ", sizes[j].text)});
    return out;
}

} // namespace

std::optional<Extent> extent_behind(Terms& terms, const KernelFacts& facts, int object, const AskWrong& ask) {
    const Object& behind = facts.objects[static_cast<std::size_t>(object)];
    const TypeRef element = behind.var ? element_of(behind.var->type) : nullptr;
    const std::int64_t bytes = element ? size_in_bytes(element) : -1;
    std::vector<const MemoryAccess*> accesses;
    for (const MemoryAccess& access : facts.accesses)
        if (access.place.object == object && !access.is_repeated)
            accesses.push_back(&access);
    const auto is_known = [](const MemoryAccess* access) { return access->place.offset && access->place.bytes; };
    if (bytes <= 0 || accesses.empty() || !std::ranges::all_of(accesses, is_known))
        return std::nullopt;
    for (const Candidate& candidate : candidates(terms, facts, accesses, bytes)) {
        const Term end = terms.scaled(candidate.elements, bytes);
        std::vector<Term> wrong;
        for (const MemoryAccess* access : accesses) {
            const Place& place = access->place;
            const Term leaves = terms.either(terms.less(place.offset, terms.constant(0)),
                                             terms.less(end, terms.add(place.offset, place.bytes)));
            wrong.push_back(terms.both(access->when, leaves));
        }
        if (ask(terms.any(wrong)) == Can::No)
            return Extent{end, cat(candidate.text, candidate.text == "1" ? " element" : " elements")};
    }
    return std::nullopt;
}

} // namespace hidet::compiler::prove
