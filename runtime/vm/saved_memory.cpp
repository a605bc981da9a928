// SPDX-License-Identifier: Apache-2.0
#include "runtime/vm/saved_memory.h"

#include <algorithm>

namespace hidet::vm {

namespace {

// Copies that combine are not looked at as other writes are.
bool may_write_all(const LaunchContext& context) {
    return context.global->tracks_all || std::ranges::any_of(context.kernel->code, [](const artifact::Instr& i) {
               return i.op == Op::BulkReduce || i.op == Op::TensorReduce;
           });
}

} // namespace

SavedMemory::SavedMemory(const LaunchContext& context) {
    const bool writes_all = may_write_all(context);
    for (std::uint32_t id = 1; id < first_shared_id && context.memory->was(id); ++id) {
        const Allocation* allocation = context.memory->find(id);
        if (allocation && allocation->info.written)
            m_written.emplace_back(allocation->info.written, allocation->info.written->words());
        const bool may_be_written = writes_all || std::ranges::count(context.global->tracked, id) > 0;
        const bool is_reached =
            allocation && allocation->data && (allocation->info.device == Device::Cuda || allocation->info.is_mapped);
        if (!is_reached || allocation->info.read_only || !may_be_written)
            continue;
        m_bytes += allocation->bytes;
        if (fits())
            m_copies.push_back({allocation->data, {allocation->data, allocation->data + allocation->bytes}});
    }
    for (OwnerMap* owners : context.owners)
        m_owners.emplace_back(owners, owners->words());
}

void SavedMemory::restore() const {
    for (const Copy& copy : m_copies)
        std::ranges::copy(copy.bytes, copy.place);
    for (const auto& [written, words] : m_written)
        written->restore(words);
    for (const auto& [owners, words] : m_owners)
        owners->restore(words);
}

} // namespace hidet::vm
