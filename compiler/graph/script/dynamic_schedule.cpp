// SPDX-License-Identifier: Apache-2.0
// The size of a task is the product of its extents that are not known. Sizes go up by factors of two, and from where waves of
// blocks begin to count by half of that; two neighbours with one schedule are one case, and the border between two others lies
// in the middle, as factors have it. Beyond the last size nothing changes: all multiprocessors are at work.
#include "compiler/graph/script/dynamic_schedule.h"

#include <algorithm>
#include <vector>

#include "compiler/ir/ops.h"
#include "compiler/ir/text/print.h"

namespace hidet::graph {

namespace {

constexpr std::int64_t largest_size = 16'384;
constexpr std::int64_t first_fine_size = 32;
// The last symbol where there are several, (batch, sequence), is at most the first of these. Schedules that are right only on a
// condition leave the rest to others, which are chosen for the next: longer ones, and those without even runs. What has no
// condition is taken for the longest.
constexpr std::int64_t usual_sequences[] = {128, 256, 512, 1024, 125};
constexpr std::int64_t longest_sequence = 1024;

struct Sizes {
    std::vector<Dim> extents; // that are not known, each once, from the first axis on
    Dim size;
};

Sizes sizes_of(const AnchorTask& task) {
    const Node& node = task.graph.node(task.node);
    Sizes sizes;
    const auto add = [&](ValueId value) {
        for (const Dim& extent : task.graph.value(value).spec.shape) {
            const auto is_same = [&](const Dim& known) { return same_dim(known, extent); };
            if (!constant_of(extent) && std::ranges::none_of(sizes.extents, is_same))
                sizes.extents.push_back(extent);
        }
    };
    for (const ValueId value : node.outputs)
        add(value);
    if (sizes.extents.empty())
        for (const ValueId value : node.inputs)
            add(value);
    sizes.size = simplified(element_count(sizes.extents));
    return sizes;
}

// With the product `size`, or near it.
SymbolValues typical_values(const std::vector<std::string>& symbols, std::int64_t size, std::int64_t sequence) {
    SymbolValues values;
    std::int64_t rest = size;
    for (std::size_t i = symbols.size(); i-- > 0;) {
        const std::int64_t most = i == 0 ? rest : i + 1 == symbols.size() ? sequence : 1;
        std::int64_t value = std::max<std::int64_t>(std::min(rest, most), 1);
        while (rest % value != 0)
            --value;
        values[symbols[i]] = value;
        rest /= value;
    }
    return values;
}

// 1, 2, 4, ... 32, 48, 64, 96, ...
std::int64_t next_size(std::int64_t size, bool is_fine) {
    const bool is_power = (size & (size - 1)) == 0;
    return !is_fine || size < first_fine_size ? size * 2 : is_power ? size / 2 * 3 : size / 3 * 4;
}

// Of the sizes for which a schedule is taken that was chosen for this one.
std::int64_t largest_near(std::int64_t size, bool is_fine) {
    return !is_fine || size < first_fine_size ? size * 3 / 2 : size * 6 / 5;
}

// In the order of their axes: a batch comes before a sequence.
std::vector<std::string> symbols_in_order(const AnchorTask& task, const Sizes& sizes) {
    std::vector<std::string> symbols;
    const auto add = [&](const Dim& extent) {
        for (std::string& symbol : symbols_of({extent}))
            if (std::ranges::find(symbols, symbol) == symbols.end())
                symbols.push_back(std::move(symbol));
    };
    std::ranges::for_each(sizes.extents, add);
    for (const ValueId input : task.graph.node(task.node).inputs)
        std::ranges::for_each(task.graph.value(input).spec.shape, add);
    return symbols;
}

std::string print(const AnchorSchedule& schedule) {
    std::string text = ir::print_module(*schedule.module).text;
    if (schedule.condition)
        text += text_of(schedule.condition);
    for (const auto& order : schedule.orders) {
        text += "|";
        for (const std::int64_t axis : order.value_or(Ints{}))
            text += std::to_string(axis) + " ";
    }
    return text;
}

struct Case {
    std::int64_t largest = 0; // for which it is taken; 0: for all
    AnchorSchedule schedule;
    std::string text;
};

Dim at_most(const Dim& size, std::int64_t limit, const Dim& also) {
    const Dim is_small = ir::make_binary(ir::BinOp::Le, size, dim(limit));
    return also ? ir::make_binary(ir::BinOp::And, is_small, also) : is_small;
}

} // namespace

bool has_dynamic_extents(const AnchorTask& task) {
    const Node& node = task.graph.node(task.node);
    const auto is_dynamic = [&](ValueId value) { return !constant_shape(task.graph.value(value).spec.shape); };
    return std::ranges::any_of(node.inputs, is_dynamic) || std::ranges::any_of(node.outputs, is_dynamic);
}

std::optional<AnchorSchedule>
schedule_by_size(const AnchorTask& task,
                 const std::function<std::optional<AnchorSchedule>(const AnchorTask&)>& choose) {
    if (!has_dynamic_extents(task))
        return choose(task);
    const Sizes sizes = sizes_of(task);
    const std::vector<std::string> symbols = symbols_in_order(task, sizes);
    std::vector<Case> cases;
    for (const std::int64_t sequence : usual_sequences) {
        const std::size_t before = cases.size();
        const bool is_first = before == 0;
        const bool is_middle = !is_first && sequence > usual_sequences[0] && sequence < longest_sequence;
        bool is_last_taken = false;
        for (std::int64_t size = is_first ? 1 : sequence; size <= largest_size; size = next_size(size, is_first)) {
            AnchorTask typical = task;
            typical.typical = typical_values(symbols, size, sequence);
            auto schedule = choose(typical);
            is_last_taken = schedule && !(is_middle && !schedule->condition);
            if (!is_last_taken)
                continue;
            std::string text = print(*schedule);
            const auto known = std::ranges::find(cases, text, &Case::text);
            if (known == cases.end())
                cases.push_back({largest_near(size, is_first), std::move(*schedule), std::move(text)});
            else if (known + 1 == cases.end())
                known->largest = largest_near(size, is_first);
        }
        if (cases.size() > before && is_last_taken)
            cases.back().largest = 0;
        if (cases.empty() || !cases.back().schedule.condition)
            break;
    }
    std::shared_ptr<const AnchorSchedule> chosen;
    for (std::size_t i = cases.size(); i-- > 0;) {
        AnchorSchedule schedule = std::move(cases[i].schedule);
        if (cases[i].largest > 0)
            schedule.condition = at_most(sizes.size, cases[i].largest, schedule.condition);
        schedule.otherwise = std::move(chosen);
        chosen = std::make_shared<const AnchorSchedule>(std::move(schedule));
    }
    return chosen ? std::optional(*chosen) : std::nullopt;
}

} // namespace hidet::graph
