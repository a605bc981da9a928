// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/intrinsic.h"

#include <algorithm>
#include <charconv>
#include <unordered_map>

#include "compiler/ir/intrinsics/intrinsic_rows.h"
#include "lang/base/check.h"
#include "lang/base/text.h"

namespace hidet::ir {

namespace rows {

#define HIDET_INTRINSIC(id, name, category, does, result, needs, sentence, ...)                                        \
    static constexpr auto parameters_of_##id = list(__VA_ARGS__);
#include "compiler/ir/intrinsics.def"

static constexpr IntrinsicInfo table[] = {
#define HIDET_INTRINSIC(id, name, category, does, result, needs, sentence, ...)                                        \
    row(IntrinsicId::id, name, IntrinsicCategory::category, Does::does, result, needs, sentence, parameters_of_##id),
#include "compiler/ir/intrinsics.def"
};

static constexpr MissingIntrinsic missing[] = {
#define HIDET_MISSING_INTRINSIC(group, name, sentence) {#group, name, sentence},
#include "compiler/ir/intrinsics.def"
};

static constexpr IntrinsicPlace places[] = {
#define HIDET_INTRINSIC_CATEGORY(name, place) IntrinsicPlace::place,
#include "compiler/ir/intrinsics.def"
};

static constexpr bool is_sound(const IntrinsicInfo& info) {
    std::string_view sentence = info.sentence;
    std::size_t attributes = 0;
    for (const IntrinsicParameter& parameter : info.parameters)
        attributes += parameter.is_attribute() ? 1 : 0;
    return sentence.size() > 2 && sentence.ends_with('.') && attributes <= IntrinsicAttr::most;
}
static_assert(std::all_of(std::begin(table), std::end(table), is_sound),
              "a row needs a sentence for readers, and no more attributes than there is room for");

} // namespace rows

// ---- words ------------------------------------------------------------------------------------------------------------

std::span<const std::string_view> words_of(ChoiceSet set) {
    static const std::vector<std::vector<std::string_view>> sets = [] {
        std::vector<std::vector<std::string_view>> out;
        auto add = [&](std::string_view list) {
            out.emplace_back();
            for (std::size_t at = 0; at < list.size();) {
                std::size_t end = std::min(list.find(',', at), list.size());
                out.back().push_back(list.substr(at, end - at));
                at = std::min(list.find_first_not_of(", ", end), list.size());
            }
        };
        out.emplace_back();
#define HIDET_MMA(name, ...) out.back().emplace_back(#name);
#include "lang/base/mma.def"
#undef HIDET_MMA
#define HIDET_CHOICES(Set, ...) add(#__VA_ARGS__);
#include "compiler/ir/intrinsics.def"
        return out;
    }();
    return sets[static_cast<std::size_t>(set)];
}

// ---- rows -------------------------------------------------------------------------------------------------------------

IntrinsicPlace place_of(IntrinsicCategory category) {
    return rows::places[static_cast<std::size_t>(category)];
}

const IntrinsicInfo& info(IntrinsicId id) {
    return rows::table[static_cast<std::size_t>(id)];
}

std::span<const IntrinsicInfo> all_intrinsics() {
    return rows::table;
}

std::span<const MissingIntrinsic> missing_intrinsics() {
    return rows::missing;
}

std::string_view IntrinsicInfo::short_name() const {
    std::string_view full = name;
    return full.substr(full.rfind('.') + 1);
}

std::optional<IntrinsicId> find_intrinsic(std::string_view name) {
    static const std::unordered_map<std::string_view, IntrinsicId> by_name = [] {
        std::unordered_map<std::string_view, IntrinsicId> map;
        for (const IntrinsicInfo& row : all_intrinsics())
            map.emplace(row.name, row.id);
        return map;
    }();
    auto found = by_name.find(name);
    if (found == by_name.end())
        return std::nullopt;
    return found->second;
}

const IntrinsicParameter& parameter_of(const IntrinsicInfo& row, std::size_t operand, std::size_t count) {
    std::size_t extra = count - static_cast<std::size_t>(row.min_args); // what optional and repeated parameters share
    for (const IntrinsicParameter& parameter : row.parameters) {
        if (!parameter.is_operand())
            continue;
        bool is_always = parameter.is_required || parameter.has_default;
        std::size_t most = parameter.most < 0 ? count : static_cast<std::size_t>(parameter.most);
        std::size_t more = std::min(extra, most - (is_always ? 1 : 0));
        std::size_t takes = more + (is_always ? 1 : 0);
        extra -= more;
        if (operand < takes)
            return parameter;
        operand -= takes;
    }
    internal_failure(__FILE__, __LINE__, "no parameter for an operand", row.name);
}

// ---- attributes -------------------------------------------------------------------------------------------------------

namespace {

// f(parameter, index of the attribute)
template <class F>
void for_each_attribute(IntrinsicId id, F&& f) {
    std::size_t index = 0;
    for (const IntrinsicParameter& parameter : info(id).parameters)
        if (parameter.is_attribute())
            f(parameter, index++);
}

template <class Test>
std::size_t find_attribute(IntrinsicId id, Test&& test) {
    std::optional<std::size_t> found;
    for_each_attribute(id, [&](const IntrinsicParameter& parameter, std::size_t index) {
        if (!found && test(parameter))
            found = index;
    });
    HIDET_CHECK(found, info(id).name);
    return *found;
}

std::optional<std::int64_t> parse_value(const IntrinsicParameter& parameter, std::string_view text) {
    std::int64_t value = 0;
    if (parameter.role == ParameterRole::Word) {
        auto words = words_of(parameter.set);
        auto found = std::find(words.begin(), words.end(), text);
        if (found == words.end())
            return std::nullopt;
        value = found - words.begin();
    } else {
        auto end = std::from_chars(text.data(), text.data() + text.size(), value);
        if (end.ec != std::errc{} || end.ptr != text.data() + text.size())
            return std::nullopt;
    }
    return parameter.allows(value) ? std::optional(value) : std::nullopt;
}

} // namespace

std::size_t attr_index(IntrinsicId id, std::string_view name) {
    return find_attribute(id, [&](const IntrinsicParameter& parameter) { return parameter.name == name; });
}

std::size_t attr_index(IntrinsicId id, ChoiceSet set) {
    return find_attribute(id, [&](const IntrinsicParameter& parameter) {
        return parameter.role == ParameterRole::Word && parameter.set == set;
    });
}

IntrinsicAttr default_attr(IntrinsicId id) {
    IntrinsicAttr out{.id = id};
    for_each_attribute(id, [&](const IntrinsicParameter& parameter, std::size_t index) {
        out.values[index] = static_cast<std::int16_t>(parameter.otherwise);
    });
    return out;
}

static std::string value_text(const IntrinsicParameter& attribute, std::int64_t value) {
    if (attribute.role == ParameterRole::Number)
        return std::to_string(value);
    return std::string(words_of(attribute.set)[static_cast<std::size_t>(value)]);
}

std::vector<std::string> attribute_texts(const IntrinsicAttr& attr) {
    std::vector<std::string> texts;
    for_each_attribute(attr.id, [&](const IntrinsicParameter& parameter, std::size_t index) {
        texts.push_back(value_text(parameter, attr.values[index]));
    });
    return texts;
}

std::vector<std::string> allowed_texts(const IntrinsicParameter& attribute) {
    std::vector<std::string> texts;
    if (attribute.role == ParameterRole::Word) {
        for (std::size_t i = 0; i < words_of(attribute.set).size(); ++i)
            if (attribute.allows(static_cast<std::int64_t>(i)))
                texts.emplace_back(words_of(attribute.set)[i]);
    } else {
        for (int i = 0; i < attribute.number_count; ++i)
            texts.push_back(std::to_string(attribute.numbers[static_cast<std::size_t>(i)]));
    }
    return texts;
}

std::string to_text(const IntrinsicAttr& attr) {
    bool is_default = true;
    for_each_attribute(attr.id, [&](const IntrinsicParameter& parameter, std::size_t index) {
        is_default = is_default && !parameter.is_required && attr.values[index] == parameter.otherwise;
    });
    return is_default ? std::string() : join(attribute_texts(attr), ".");
}

std::optional<IntrinsicAttr> parse_attr(IntrinsicId id, std::string_view text) {
    IntrinsicAttr out = default_attr(id);
    std::vector<std::string> words = text.empty() ? std::vector<std::string>{} : split(text, '.');
    std::size_t count = 0;
    bool is_right = true;
    for_each_attribute(id, [&](const IntrinsicParameter& parameter, std::size_t index) {
        count = index + 1;
        if (words.empty())
            is_right = is_right && !parameter.is_required;
        if (index >= words.size())
            return;
        auto value = parse_value(parameter, words[index]);
        is_right = is_right && value;
        out.values[index] = static_cast<std::int16_t>(value.value_or(0));
    });
    if (!is_right || (!words.empty() && words.size() != count))
        return std::nullopt;
    return out;
}

} // namespace hidet::ir
