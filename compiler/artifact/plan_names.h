// SPDX-License-Identifier: Apache-2.0
// How many enumerators the enumerations of a launch plan have, and what they are called, for its readers and writers.
#pragma once

#include "compiler/artifact/launch_plan.h"

namespace hidet::artifact {

template <class T>
struct EnumInfo;

template <>
struct EnumInfo<Place> {
    static constexpr int count = 6;
    static const char* name(Place value) { return place_name(value); }
};
template <>
struct EnumInfo<ImageKind> {
    static constexpr int count = 3;
    static const char* name(ImageKind value) { return image_kind_name(value); }
};
template <>
struct EnumInfo<ArgumentKind> {
    static constexpr int count = 3;
    static const char* name(ArgumentKind value) { return argument_kind_name(value); }
};
template <>
struct EnumInfo<HostOperator> {
    static constexpr int count = static_cast<int>(HostOperator::Process) + 1;
    static const char* name(HostOperator value) { return host_operator_name(value); }
};
template <>
struct EnumInfo<AttributeKind> {
    static constexpr int count = 10;
    static const char* name(AttributeKind value) { return attribute_kind_name(value); }
};
template <>
struct EnumInfo<StepKind> {
    static constexpr int count = 6;
    static const char* name(StepKind value) { return step_kind_name(value); }
};
template <>
struct EnumInfo<Scalar> {
    static constexpr int count = static_cast<int>(Scalar::F64) + 1;
    static const char* name(Scalar value) { return scalar_name(value); }
};

} // namespace hidet::artifact
