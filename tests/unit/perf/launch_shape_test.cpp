// SPDX-License-Identifier: Apache-2.0
// The shape of a launch is told from its IR, as far as sizes are known.
#include "compiler/perf/launch_shape.h"

#include <doctest/doctest.h>

#include "tests/unit/ir/parsed.h"

using namespace hidet;
using namespace hidet::perf;

namespace {

const char* const tiled = R"(module '' level kernel

def tiled(n: i32, a: ~f32):
    attrs.func_kind = 'cuda_kernel'
    attrs.cuda.grid_dim = n / 16, 4
    attrs.cuda.block_dim = 16, 8
    declare shared tile: f32[16, 8]
    tile[0, 0] = a[0]

def launch(n: i32, a: ~f32):
    attrs.func_kind = 'public'
    launch tiled(n, a), grid=[n / 16, 4, 1], cluster=[2, 1, 1], block=[16, 8, 1], dynamic_smem_bytes=n
)";

TEST_CASE("extents are numbers where all that they depend on has a size") {
    const ir::ModuleRef module = test::parsed_module(tiled);
    const ir::Function& kernel = *ir::find_function(*module, "tiled");
    const KnownShape known = resolve(kernel, {{"n", 64}});
    REQUIRE(known.threads() == 4.0 * 4 * 16 * 8);
    REQUIRE(known.or_else(0).grid == artifact::LaunchShape::Extents{4, 4, 1});
    REQUIRE(known.or_else(0).dynamic_shared == 0);
    REQUIRE(static_shared_bytes(kernel) == 512);
    const KnownShape unknown = resolve(kernel, {});
    REQUIRE(!unknown.threads());
    REQUIRE(unknown.or_else(0).blocks() == 0);
    REQUIRE(unknown.or_else(1).blocks() == 4);
    REQUIRE(unknown.or_else(0).threads() == 128);
}

TEST_CASE("a launch statement has the shape that its function computes") {
    const ir::ModuleRef module = test::parsed_module(tiled);
    const ir::Function& host = *ir::find_function(*module, "launch");
    const auto* stmt = ir::as<ir::LaunchStmt>(host.body);
    if (const auto* sequence = ir::as<ir::SeqStmt>(host.body))
        stmt = ir::as<ir::LaunchStmt>(sequence->stmts.front());
    REQUIRE(stmt);
    const KnownShape known = resolve(*stmt, [&](const ir::ExprRef& leaf) {
        return leaf.get() == host.params[0].get() ? std::optional<std::int64_t>(32) : std::nullopt;
    });
    REQUIRE(known.grid[0] == 2);
    REQUIRE(known.cluster[0] == 2);
    REQUIRE(known.dynamic_shared == 32);
    REQUIRE(!resolve(*stmt, [](const ir::ExprRef&) { return std::nullopt; }).dynamic_shared);
}

} // namespace
