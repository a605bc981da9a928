// SPDX-License-Identifier: Apache-2.0
// A size is a dynamic dimension, or an integer parameter that an extent is equal to, or a product of several. Sizes of one
// value are changed together, since nothing says which of them an extent is.
#include "app/session/kernel_bench/other_size.h"

#include <algorithm>
#include <map>

#include "app/session/kernel_bench/other_memory.h"
#include "lang/base/ranges.h"

namespace hidet::session {

namespace {

constexpr std::int64_t least_tile = 512; // what halves of large sizes stay multiples of

using Changes = std::map<std::int64_t, std::int64_t>; // from what to what

bool is_number(const std::string& text) {
    return !text.empty() && std::ranges::all_of(text, [](char each) { return each >= '0' && each <= '9'; });
}

const Dimension* find_size(const std::vector<Dimension>& sizes, const std::string& name) {
    const auto found = std::ranges::find(sizes, name, &Dimension::name);
    return found == sizes.end() ? nullptr : &*found;
}

// Up to three of them whose product is the extent, the fewest first; none: it is made of something else.
std::vector<std::int64_t> factors_of(std::int64_t extent, const std::vector<std::int64_t>& values, int most) {
    if (std::ranges::find(values, extent) != values.end())
        return {extent};
    if (most <= 1)
        return {};
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i] < 2 || extent % values[i] != 0)
            continue;
        const std::vector<std::int64_t> others(values.begin() + static_cast<std::ptrdiff_t>(i) + 1, values.end());
        if (std::vector<std::int64_t> rest = factors_of(extent / values[i], others, most - 1); !rest.empty()) {
            rest.push_back(values[i]);
            return rest;
        }
    }
    return {};
}

class SizeFinder {
public:
    SizeFinder(const ArgumentPlan& plan, const Arguments& args) : m_plan(plan), m_args(args) {}

    std::vector<Dimension> run() {
        for (std::size_t i = 0; i < m_args.size(); ++i)
            add_dimensions(i);
        std::vector<Dimension> numbers;
        for (std::size_t i = 0; i < m_args.size(); ++i)
            if (const auto* value = std::get_if<std::int64_t>(&m_args[i].value);
                value && *value > 1 && !find_size(m_sizes, view(i).name))
                numbers.push_back({view(i).name, *value});
        for (const std::int64_t value : values_in_extents(numbers))
            for (const Dimension& number : numbers)
                if (number.value == value && !find_size(m_sizes, number.name))
                    m_sizes.push_back(number);
        return m_sizes;
    }

private:
    ParameterView view(std::size_t i) const {
        return view_of(*m_plan.callable.function->params[i], m_plan.accesses[i]);
    }
    void add_dimensions(std::size_t i) {
        const lang::TensorRef tensor = tensor_in(m_args[i]);
        const std::vector<std::string> names = view(i).shape;
        for (std::size_t d = 0; tensor && d < names.size() && d < tensor->shape.size(); ++d)
            if (names[d] != "?" && !is_number(names[d]) && tensor->shape[d] > 0 && !find_size(m_sizes, names[d]))
                m_sizes.push_back({names[d], tensor->shape[d]});
    }
    std::vector<std::int64_t> values_in_extents(const std::vector<Dimension>& numbers) const {
        std::vector<std::int64_t> found;
        for (std::size_t i = 0; i < m_args.size(); ++i)
            if (const lang::TensorRef tensor = tensor_in(m_args[i]); tensor && view(i).kind == ParameterKind::Pointer)
                for (const std::int64_t extent : tensor->shape)
                    for (const std::int64_t value : factors_of(extent, transformed(numbers, &Dimension::value), 3))
                        found.push_back(value);
        return found;
    }

    const ArgumentPlan& m_plan;
    const Arguments& m_args;
    std::vector<Dimension> m_sizes;
};

double work_of(const Changes& changes, const std::vector<Dimension>& sizes) {
    double work = 1;
    for (const Dimension& size : sizes)
        if (const auto change = changes.find(size.value); change != changes.end())
            work *= static_cast<double>(change->second) / static_cast<double>(size.value);
    return work;
}

// The largest first, to half of what it is, then to less; false: there is none left.
bool make_less(Changes& changes) {
    for (auto change = changes.rbegin(); change != changes.rend(); ++change) {
        auto& [from, to] = *change;
        const std::int64_t before = std::min(to, from);
        const std::int64_t after = before % (2 * least_tile) == 0 ? before / 2 : before;
        if (after == to)
            continue;
        to = after;
        return true;
    }
    return false;
}

void add(std::vector<OtherSize>& out, Changes changes, const std::vector<Dimension>& sizes, double most) {
    while (work_of(changes, sizes) > most)
        if (!make_less(changes))
            return;
    OtherSize made{sizes, work_of(changes, sizes)};
    for (Dimension& size : made.sizes)
        if (const auto change = changes.find(size.value); change != changes.end())
            size.value = change->second;
    const bool is_other = !std::ranges::equal(made.sizes, sizes, {}, &Dimension::value, &Dimension::value);
    const bool is_new = std::ranges::none_of(out, [&](const OtherSize& known) {
        return std::ranges::equal(known.sizes, made.sizes, {}, &Dimension::value, &Dimension::value);
    });
    if (is_other && is_new)
        out.push_back(std::move(made));
}

std::vector<std::string> shape_at(const std::vector<std::int64_t>& shape, const std::vector<Dimension>& before,
                                  const std::vector<Dimension>& after) {
    const std::vector<std::int64_t> values = transformed(before, &Dimension::value);
    return transformed(shape, [&](std::int64_t extent) {
        for (const std::int64_t value : factors_of(extent, values, 3))
            extent = extent / value *
                     after[static_cast<std::size_t>(std::ranges::find(values, value) - values.begin())].value;
        return cat(extent);
    });
}

} // namespace

std::string size_text(const OtherSize& size) {
    return join(transformed(size.sizes, [](const Dimension& each) { return cat(each.name, " = ", each.value); }), ", ");
}

std::vector<OtherSize> other_sizes(const ArgumentPlan& plan, const Arguments& args, double most) {
    std::vector<OtherSize> out;
    for (std::size_t i = 0; i < args.size(); ++i)
        if (fill_of(plan, i) == Fill::File)
            return out;
    const std::vector<Dimension> sizes = SizeFinder(plan, args).run();
    Changes all;
    for (const Dimension& size : sizes)
        all[size.value] = 2 * size.value;
    add(out, all, sizes, most);
    for (const auto& [from, to] : all)
        add(out, {{from, to}}, sizes, most);
    return out;
}

ArgumentPlan plan_at(const OtherSize& size, const ArgumentPlan& plan, const Arguments& args,
                     std::vector<ArgumentSpec>& specs) {
    const std::vector<Dimension> before = SizeFinder(plan, args).run();
    std::vector<bool> redrawn(args.size(), true);
    for (std::size_t i = 0; i < args.size(); ++i) {
        const ParameterView view = view_of(*plan.callable.function->params[i], plan.accesses[i]);
        const auto known = std::ranges::find(plan.specs, view.name, &ArgumentSpec::name);
        const Dimension* changed = find_size(size.sizes, view.name);
        if (known == plan.specs.end() && !changed && !std::holds_alternative<lang::TensorRef>(args[i].value))
            continue;
        ArgumentSpec spec;
        if (known != plan.specs.end())
            spec = *known;
        spec.name = view.name;
        if (const lang::TensorRef tensor = tensor_in(args[i])) {
            spec.fill = view.written && !view.read ? Fill::Empty : fill_of(plan, i);
            spec.dtype = view.kind == ParameterKind::Pointer ? ir::info(tensor->dtype).short_name : "";
            spec.shape = view.kind == ParameterKind::Pointer ? shape_at(tensor->shape, before, size.sizes)
                                                             : std::vector<std::string>();
        } else if (changed) {
            spec.value = cat(changed->value);
        } else if (spec.value.empty()) {
            spec.value = "None";
        }
        specs.push_back(std::move(spec));
    }
    ArgumentPlan out{plan.callable, plan.accesses,    specs,       size.sizes,
                     plan.script,   plan.script_name, plan.folder, plan.seed + 1};
    out.redrawn = std::move(redrawn);
    for (const Dimension& dimension : plan.dimensions)
        if (!find_size(size.sizes, dimension.name) && !axis_of(dimension.name))
            out.dimensions.push_back(dimension);
    return out;
}

} // namespace hidet::session
