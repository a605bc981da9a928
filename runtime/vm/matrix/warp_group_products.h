// SPDX-License-Identifier: Apache-2.0
// Products of warp groups: what they compute (wgmma.cpp), and what they hold until somebody has waited (products.cpp).
#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/vm/core/block_view.h"
#include "runtime/vm/matrix/wgmma.h"

namespace hidet::vm {

class WarpGroupProducts : BlockView {
public:
    explicit WarpGroupProducts(const BlockView& view);
    void begin();
    void multiply_group(Group& group, const Step& step);
    void sync_products(Group& group, const Step& step);
    void touch_products(Group& group, const Step& step);

private:
    const std::byte* shared_bytes(Group& group, std::int64_t place, int bytes);
    TilePlan& tile_plan(Group& group, std::uint64_t descriptor, const WgmmaForm& form, bool is_a);
    TilePlan& plan_of_a(Group& group, ProductChain::Product& product, int w);
    TilePlan& plan_of_b(Group& group, ProductChain::Product& product, int w);
    bool starts_at(const Group& group, const ProductChain::Product& product, int w) const;
    const WgmmaPlan& wgmma_plan(const Step& step);
    void finish_chain(Group& group);
    void spread_chain_b(int first_warp);
    void spread_b(const WgmmaForm& form, const TilePlan& places, std::uint32_t* out);
    void spread_a(const ProductChain::Product& product, int w, std::uint32_t* out);
    void multiply_chain(int first_warp);
    void check_products(Group& group, ProductChain::Product& product);
    void check_operand(Group& group, TilePlan& plan, const Visit& visit, Actor readers, std::vector<Conflict>& found);
    Actor warp_group_set(const Group& group, int w);
    void hold_registers(Group& group, const WgmmaPlan& plan, bool starts, int first_lane);
    void touch_product(Group& group, std::int32_t reg, const Mask& lanes, bool writes);
    void report_product(Group& group, FindingKind kind, std::int32_t reg, int lane, const std::string& text);

    std::array<Actor, max_threads / 32> m_warp_group_sets{};
    std::unordered_map<std::uint64_t, TilePlan> m_tile_plans;
    std::array<KnownPlan, 256> m_known_plans;              // that were asked for last
    std::vector<std::unique_ptr<WgmmaPlan>> m_wgmma_plans; // by row of operands
    ProductChain m_chain;
    std::map<int, Actor> m_product_units;         // by the first thread of a warp group
    std::vector<std::uint8_t> m_held, m_unfenced; // of each register: warp groups whose products have it, that wrote it
    std::vector<std::uint32_t> m_held_by;         // and the instruction
    std::map<int, Products> m_products;           // by the first lane of a warp group
};

} // namespace hidet::vm
