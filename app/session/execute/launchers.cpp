// SPDX-License-Identifier: Apache-2.0
#include "app/session/execute/launchers.h"

#include "compiler/ir/intrinsic.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace {

using ir::IntrinsicId;

ir::IntrinsicAttr attribute_of(const artifact::PlanTensorMap& map) {
    const IntrinsicId id = map.is_of_images() ? IntrinsicId::CreateIm2colMap : IntrinsicId::CreateTensorMap;
    ir::IntrinsicAttr attr = ir::with(ir::default_attr(id), static_cast<ir::TensorMapType>(map.element));
    const auto set = [&](const char* name, std::size_t value) {
        attr.values[ir::attr_index(id, name)] = static_cast<std::int16_t>(value);
    };
    set("rank", map.extents.size());
    set("interleave", map.interleave);
    set("swizzle", map.swizzle);
    set("l2_promotion", map.l2_promotion);
    return attr;
}

} // namespace

std::string name_of(const Launcher& launcher) {
    std::string name = "launch." + launcher.kernel;
    for (const ir::IntrinsicAttr& map : launcher.maps)
        name += cat(map.id == IntrinsicId::CreateIm2colMap ? " images " : " boxes ", ir::to_text(map));
    return name;
}

Launcher launcher_of(const artifact::LaunchPlan& plan, const artifact::PlanBody& body,
                     const artifact::PlanStep& launch) {
    Launcher out{plan.functions[launch.function].name, launch.overlaps, {}};
    for (const artifact::PlanArgument& argument : launch.arguments)
        if (argument.kind == artifact::ArgumentKind::TensorMap)
            out.maps.push_back(attribute_of(body.maps[argument.map]));
    return out;
}

std::vector<std::int64_t> numbers_of(const package::PlanTensorMap<package::Flat>& map) {
    std::vector<std::int64_t> out;
    const auto add = [&](const auto& numbers) {
        for (const auto number : numbers)
            out.push_back(static_cast<std::int64_t>(number));
    };
    add(map.lower);
    add(map.upper);
    add(map.box);
    if (map.is_of_images())
        out.push_back(map.pixels);
    add(map.element_strides);
    return out;
}

} // namespace hidet::session
