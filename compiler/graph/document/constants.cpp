// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/document/constants.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "compiler/graph/document/json_pieces.h"
#include "compiler/graph/document/write_parts.h"
#include "compiler/graph/text/contents.h"
#include "lang/base/text.h"
#include "lang/tensor/elements.h"

namespace hidet::graph {

namespace {

std::vector<double> sample_of(const lang::Tensor& constant) {
    const std::int64_t count = constant.count();
    const std::int64_t step = std::max<std::int64_t>(1, (count + most_looked_at - 1) / most_looked_at);
    std::vector<double> sample;
    for (std::int64_t i = 0; i < count; i += step)
        sample.push_back(ir::is_float(constant.dtype) ? lang::element_double(constant, i)
                                                      : static_cast<double>(lang::element_integer(constant, i)));
    return sample;
}

Json six_digits(double value) { // six digits tell what a person wants to know, and are the same on every machine
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", value);
    return std::strtod(text, nullptr);
}

Json json_of(const ConstantFacts& facts) {
    Json json = {{"elements", facts.count}};
    if (facts.looked_at < facts.count)
        json["looked_at"] = facts.looked_at;
    json["zeros"] = facts.zeros;
    if (facts.not_finite > 0)
        json["not_finite"] = facts.not_finite;
    if (facts.not_finite == facts.looked_at)
        return json;
    json["least"] = six_digits(facts.least);
    json["greatest"] = six_digits(facts.greatest);
    json["mean"] = six_digits(facts.mean);
    json["deviation"] = six_digits(facts.deviation);
    json["histogram"] = facts.histogram;
    return json;
}

} // namespace

ConstantFacts facts_of(const lang::Tensor& constant) {
    const std::vector<double> sample = sample_of(constant);
    ConstantFacts facts;
    facts.count = constant.count();
    facts.looked_at = static_cast<std::int64_t>(sample.size());
    facts.least = HUGE_VAL;
    facts.greatest = -HUGE_VAL;
    double sum = 0, squares = 0;
    for (const double each : sample) {
        facts.zeros += each == 0;
        if (!std::isfinite(each)) {
            ++facts.not_finite;
            continue;
        }
        facts.least = std::min(facts.least, each);
        facts.greatest = std::max(facts.greatest, each);
        sum += each;
    }
    const auto finite = static_cast<double>(facts.looked_at - facts.not_finite);
    if (finite == 0)
        return facts;
    facts.mean = sum / finite;
    const double width = facts.greatest - facts.least;
    for (const double each : sample)
        if (std::isfinite(each)) {
            squares += (each - facts.mean) * (each - facts.mean);
            const double place = width > 0 ? (each - facts.least) / width * 16 : 0;
            ++facts.histogram[static_cast<std::size_t>(std::clamp(place, 0.0, 15.0))];
        }
    facts.deviation = std::sqrt(squares / finite);
    return facts;
}

std::string json_of_constants(const Graph& graph) {
    std::map<std::string, std::string> lines; // by hash
    std::vector<bool> is_done(graph.value_slots());
    for (std::uint32_t i = 0; i < graph.node_slots(); ++i)
        for (ValueId input : graph.node(NodeId{i}).inputs) {
            const lang::TensorRef& data = graph.value(input).data;
            if (!graph.is_live({i}) || is_done[input.index] || !data || !data->has_data() ||
                data->count() <= most_inline_elements || !lang::holds_numbers(data->dtype))
                continue;
            is_done[input.index] = true;
            std::string& line = lines[content_hash(*data)];
            if (line.empty())
                line = json_of(facts_of(*data)).dump();
        }
    std::vector<std::string> rows;
    for (const auto& [hash, facts] : lines)
        rows.push_back("{\"hash\":\"" + hash + "\"," + facts.substr(1));
    return json_list(rows);
}

} // namespace hidet::graph
