// SPDX-License-Identifier: Apache-2.0
// Patterns such as "b (h d) ... -> (b h) ... d". Each side is a list of groups, one for each dimension of its tensor; the tensor is
// reshaped to one dimension for each axis of the left side, permuted, and reshaped to the groups of the right side.
#include <algorithm>
#include <map>

#include "compiler/graph/script/composer.h"
#include "lang/host/arguments.h"

namespace hidet::graph {

namespace {

using Axes = std::vector<std::string>; // of a group; none for "1"

constexpr std::string_view ellipsis = "...", merged = "(...)"; // in parentheses it is one dimension

std::vector<std::string> einops_tokens(const Composer& c, std::string_view side) {
    std::vector<std::string> tokens;
    for (std::size_t i = 0; i < side.size();) {
        const auto is_word = [&] {
            return i < side.size() && (std::isalnum(static_cast<unsigned char>(side[i])) || side[i] == '_');
        };
        if (side[i] == ' ') {
            ++i;
        } else if (side[i] == '(' || side[i] == ')') {
            tokens.emplace_back(1, side[i++]);
        } else if (side.substr(i).starts_with(ellipsis)) {
            tokens.emplace_back(ellipsis);
            i += ellipsis.size();
        } else if (is_word()) {
            const std::size_t begin = i;
            while (is_word())
                ++i;
            tokens.emplace_back(side.substr(begin, i - begin));
        } else {
            c.refuse(cat("'", side.substr(i, 1), "' in a pattern of axes"));
        }
    }
    return tokens;
}

void check_axis(const Composer& c, const std::string& name) {
    if (std::isdigit(static_cast<unsigned char>(name[0])) || name.front() == '_' || name.back() == '_')
        c.refuse(
            cat("'", name, "' is no axis: a name begins with a letter and ends with no underscore, and a number is 1"));
}

std::vector<Axes> groups_of(const Composer& c, std::string_view side) {
    std::vector<Axes> groups;
    Axes seen;
    bool is_open = false;
    for (const std::string& token : einops_tokens(c, side)) {
        if (token == "(" || token == ")") {
            if (is_open == (token == "("))
                c.refuse(cat("the parentheses of '", side, "' do not match"));
            is_open = !is_open;
            if (is_open)
                groups.emplace_back();
            continue;
        }
        if (!is_open)
            groups.emplace_back();
        if (token == "1")
            continue;
        if (token != ellipsis)
            check_axis(c, token);
        if (std::ranges::find(seen, token) != seen.end())
            c.refuse(cat("'", token, "' twice in '", side, "'"));
        seen.push_back(token);
        groups.back().push_back(token == ellipsis && is_open ? std::string(merged) : token);
    }
    if (is_open)
        c.refuse(cat("the parentheses of '", side, "' do not match"));
    return groups;
}

// The ellipsis as so many axes.
std::vector<Axes> without_ellipsis(const std::vector<Axes>& groups, std::size_t count) {
    std::vector<Axes> out;
    for (const Axes& group : groups) {
        Axes axes;
        for (const std::string& axis : group) {
            const bool is_rest = axis == ellipsis || axis == merged;
            for (std::size_t i = 0; i < (is_rest ? count : 1); ++i)
                axes.push_back(is_rest ? cat(ellipsis, i) : axis);
        }
        if (group == Axes{std::string(ellipsis)})
            for (const std::string& axis : axes)
                out.push_back({axis});
        else
            out.push_back(std::move(axes));
    }
    return out;
}

class Lengths {
public:
    Lengths(const Composer& c, const Args& args) : m_composer(c) {
        for (const auto& [name, value] : args.keywords)
            if (name != "x" && name != "pattern")
                m_lengths.emplace(name, value);
    }

    // That of at most one axis of the group follows from those of the others.
    void divide(const Axes& group, const HostValue& extent) {
        const auto is_open = [&](const std::string& axis) { return !m_lengths.contains(axis); };
        const auto open = std::ranges::find_if(group, is_open);
        const HostValue known = product(group);
        if (open == group.end())
            return same(known, extent, group);
        if (std::any_of(open + 1, group.end(), is_open))
            m_composer.refuse(cat("the lengths of two axes of (", join(group, " "), ") are not known"));
        const bool are_ints = known.is(ValueKind::Int) && extent.is(ValueKind::Int);
        if (known.is(ValueKind::Int) && known.as_int() < 1)
            m_composer.refuse("the length of an axis is at least 1");
        if (are_ints && extent.as_int() % known.as_int() != 0)
            m_composer.refuse(cat("an extent of ", extent.as_int(), " is not divided by ", known.as_int()));
        const bool is_alone = known.is(ValueKind::Int) && known.as_int() == 1;
        m_lengths.emplace(*open, is_alone ? extent : binary(lang::ast::BinaryOp::FloorDiv, extent, known));
    }
    // Of the axes whose lengths are known.
    HostValue product(const Axes& group) const {
        HostValue out = HostValue::integer(1);
        for (const std::string& axis : group)
            if (const auto length = m_lengths.find(axis); length != m_lengths.end())
                out = binary(lang::ast::BinaryOp::Mul, out, length->second);
        return out;
    }
    void refuse_unused(const Axes& axes) const {
        for (const auto& [name, value] : m_lengths)
            if (std::ranges::find(axes, name) == axes.end())
                m_composer.refuse(cat("'", name, "' is no axis of the pattern"));
    }

private:
    HostValue binary(lang::ast::BinaryOp op, const HostValue& a, const HostValue& b) const {
        if (op == lang::ast::BinaryOp::Mul && a.is(ValueKind::Int) && a.as_int() == 1)
            return b;
        return m_composer.evaluator().binary(op, a, b, m_composer.span(), m_composer.span());
    }
    void same(const HostValue& known, const HostValue& extent, const Axes& group) const {
        if (known.is(ValueKind::Int) && extent.is(ValueKind::Int) && known.as_int() != extent.as_int())
            m_composer.refuse(
                cat("(", join(group, " "), ") has ", known.as_int(), " elements, and the extent is ", extent.as_int()));
    }

    const Composer& m_composer;
    std::map<std::string, HostValue> m_lengths;
};

Axes flat(const std::vector<Axes>& groups) {
    Axes out;
    for (const Axes& group : groups)
        out.insert(out.end(), group.begin(), group.end());
    return out;
}

bool is_plain(const std::vector<Axes>& groups) {
    return std::ranges::all_of(groups, [](const Axes& group) { return group.size() == 1; });
}

std::pair<std::vector<Axes>, std::vector<Axes>> sides_of(const Composer& c, const std::string& pattern,
                                                         std::size_t rank) {
    const std::size_t arrow = pattern.find("->");
    if (arrow == std::string::npos)
        c.refuse("a pattern has two sides, 'b c -> c b'");
    std::vector<Axes> left = groups_of(c, std::string_view(pattern).substr(0, arrow));
    std::vector<Axes> right = groups_of(c, std::string_view(pattern).substr(arrow + 2));
    for (const Axes& group : left)
        if (std::ranges::find(group, merged) != group.end())
            c.refuse("the ellipsis of the left side stands outside of parentheses");
    const bool has_rest = std::ranges::find(left, Axes{std::string(ellipsis)}) != left.end();
    const std::size_t fixed = left.size() - (has_rest ? 1 : 0);
    if (has_rest ? rank < fixed : rank != fixed)
        c.refuse(cat("the pattern is of ", fixed, has_rest ? " dimensions or more" : " dimensions",
                     ", and the tensor has ", rank));
    left = without_ellipsis(left, rank - fixed);
    right = without_ellipsis(right, rank - fixed);
    Axes from = flat(left), to = flat(right);
    std::ranges::sort(from);
    std::ranges::sort(to);
    if (from != to)
        c.refuse("both sides of a pattern have the same axes");
    return {std::move(left), std::move(right)};
}

} // namespace

HostValue einops_rearrange(const Composer& c, Args& args) {
    const lang::Arguments a(args, c.span(), "einops_rearrange", {"x", "pattern", "**"});
    const Composer::Values shape = c.shape_of(a[0]);
    const auto [left, right] = sides_of(c, a.str(1), shape.size());
    Lengths lengths(c, args);
    const Axes axes = flat(left);
    lengths.refuse_unused(axes);
    for (std::size_t i = 0; i < left.size(); ++i)
        lengths.divide(left[i], shape[i]);
    const auto reshaped = [&](const HostValue& x, const std::vector<Axes>& groups) {
        Composer::Values extents;
        for (const Axes& group : groups)
            extents.push_back(lengths.product(group));
        return c.op("reshape", {x, c.list(std::move(extents))});
    };
    HostValue x = a[0];
    if (!is_plain(left)) {
        std::vector<Axes> each;
        for (const std::string& axis : axes)
            each.push_back({axis});
        x = reshaped(x, each);
    }
    Ints order =
        transformed(flat(right), [&](const std::string& axis) { return std::ranges::find(axes, axis) - axes.begin(); });
    if (!std::ranges::is_sorted(order))
        x = c.op("permute_dims", {x, c.ints(order)});
    return is_plain(right) ? x : reshaped(x, right);
}

} // namespace hidet::graph
