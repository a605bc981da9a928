// SPDX-License-Identifier: Apache-2.0
#include "runtime/capi/describe.h"

#include "runtime/capi/json.h"
#include "runtime/package/plan_names.h"
#include "runtime/package/words.h"

namespace hidet::capi {

namespace {

using namespace package;

Text text_of(const auto& words) {
    return {words.data(), static_cast<std::uint32_t>(words.size())};
}

// Extents that depend on the inputs are -1, and have names.
void write_values(Json& json, const char* key, const Body& body, const List<Row>& rows) {
    json.key(key).begin('[');
    for (const Row row : rows) {
        const Value& value = body.values[row];
        json.begin('{').key("name").text(value.name).key("dtype").text(value.dtype).key("shape").begin('[');
        bool is_dynamic = false;
        for (const Row extent : value.shape) {
            const List<ExprWord>& expression = body.expressions[extent];
            const bool is_constant = expression.size() == 1 && expression[0].op == ExprOp::Constant;
            is_dynamic |= !is_constant;
            json.number(is_constant ? expression[0].operand : -1);
        }
        json.end(']');
        if (is_dynamic) {
            json.key("dimensions").begin('[');
            for (const Row extent : value.shape)
                json.text(text_of(expression_words(body, extent)));
            json.end(']');
        }
        json.end('}');
    }
    json.end(']');
}

// Each kind of code once, up to a number that no compiler reaches.
void write_code(Json& json, const List<PlanImage<Flat>>& images) {
    constexpr std::size_t most = 64;
    const PlanImage<Flat>* written[most];
    std::size_t count = 0;
    json.key("code").begin('[');
    for (const PlanImage<Flat>& image : images) {
        bool is_new = count < most;
        for (std::size_t i = 0; i < count; ++i)
            is_new = is_new && !(written[i]->kind == image.kind && written[i]->architecture == image.architecture);
        if (!is_new)
            continue;
        written[count++] = &image;
        json.begin('{').key("kind").text(text(enum_name(image.kind)));
        json.key("architecture").text(image.architecture).end('}');
    }
    json.end(']');
}

std::int64_t size_of(const auto& list) {
    return static_cast<std::int64_t>(list.size());
}

void write_target(Json& json, const PackageVariant<Flat>& variant, const Plan& plan) {
    std::uint64_t bytes = 0;
    for (const PlanWeight<Flat>& weight : plan.weights)
        bytes += weight.bytes;
    json.begin('{').key("target").text(variant.target).key("architecture").text(variant.architecture);
    json.key("steps").number(size_of(plan.steps)).key("weightBytes").number(static_cast<std::int64_t>(bytes));
    write_code(json, plan.images);
    json.end('}');
}

void write_entries(Json& json, const Manifest& manifest, const List<Plan>& plans) {
    json.key("entries").begin('[');
    for (std::size_t i = 0; i < manifest.variants.size(); ++i) {
        const Text entry = manifest.variants[i].entry;
        if (i > 0 && manifest.variants[i - 1].entry == entry)
            continue;
        json.begin('{').key("name").text(entry);
        write_values(json, "inputs", plans[i], plans[i].inputs);
        write_values(json, "outputs", plans[i], plans[i].outputs);
        json.key("targets").begin('[');
        for (std::size_t k = i; k < manifest.variants.size() && manifest.variants[k].entry == entry; ++k)
            write_target(json, manifest.variants[k], plans[k]);
        json.end(']').end('}');
    }
    json.end(']');
}

} // namespace

void describe(Json& json, const Manifest& manifest, const List<Plan>& plans, bool is_signed) {
    json.begin('{').key("format").number(std::int64_t{manifest.version}).key("name").text(manifest.name);
    json.key("writer").text(manifest.writer).key("signed").boolean(is_signed);
    write_entries(json, manifest, plans);
    json.key("facts").begin('{');
    for (const PackageFact<Flat>& fact : manifest.facts)
        json.key(fact.name).text(fact.value);
    json.end('}').key("members").begin('[');
    for (const PackageMember<Flat>& member : manifest.members)
        json.begin('{')
            .key("name")
            .text(member.name)
            .key("bytes")
            .number(static_cast<std::int64_t>(member.bytes))
            .end('}');
    json.end(']').end('}');
}

} // namespace hidet::capi
