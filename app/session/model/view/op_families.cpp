// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/view/op_families.h"

#include <array>

namespace hidet::session {

namespace {

struct FamilyRow {
    const char* id;
    const char* title;
};
constexpr FamilyRow rows[] = {
#define HIDET_OP_FAMILY(name, id, title) {id, title},
#include "app/session/model/view/op_families.def"
};

// What a folder of operators holds for the most part.
namespace folder {
constexpr OpFamily elementwise = OpFamily::Elementwise;
constexpr OpFamily contraction = OpFamily::Convolution;
constexpr OpFamily reduction = OpFamily::Reduction;
constexpr OpFamily transform = OpFamily::Movement;
constexpr OpFamily creation = OpFamily::Other;
constexpr OpFamily norm = OpFamily::Normalisation;
constexpr OpFamily pool = OpFamily::Pooling;
constexpr OpFamily host = OpFamily::Other;
constexpr OpFamily onnx = OpFamily::Other;
constexpr OpFamily image = OpFamily::Movement;
constexpr OpFamily attention = OpFamily::Attention;
constexpr OpFamily quant = OpFamily::Elementwise;
constexpr OpFamily user = OpFamily::Other;
} // namespace folder

constexpr std::size_t place_of(graph::OpId op) {
    return static_cast<std::size_t>(op);
}

constexpr auto families = [] {
    std::array<OpFamily, graph::op_count> out = {
#define HIDET_OP(name, family, table) folder::family,
#include "compiler/graph/core/ops.def"
#undef HIDET_OP
    };
#define HIDET_OP_IN(family, name) out[place_of(graph::OpId::name)] = OpFamily::family;
#include "app/session/model/view/op_family_members.def"
    return out;
}();

} // namespace

const char* id_of(OpFamily family) {
    return rows[static_cast<std::size_t>(family)].id;
}

const char* title_of(OpFamily family) {
    return rows[static_cast<std::size_t>(family)].title;
}

OpFamily family_of(graph::OpId op) {
    return op == graph::OpId::None ? OpFamily::Other : families[place_of(op)];
}

} // namespace hidet::session
