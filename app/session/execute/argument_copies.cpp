// SPDX-License-Identifier: Apache-2.0
#include "app/session/execute/argument_copies.h"

#include <algorithm>

#include "lang/base/check.h"
#include "lang/base/text.h"

namespace hidet::session {

Result<std::unique_ptr<ArgumentCopies>> ArgumentCopies::make(Gpu& gpu, const std::vector<lang::CallArgument>& args,
                                                             int most) {
    std::unique_ptr<ArgumentCopies> made(new ArgumentCopies);
    HIDET_TRY_TO(made->find_parts(gpu, args));
    made->choose_copied();
    HIDET_TRY(std::size_t count, made->wanted(gpu, most));
    while (made->count() < count)
        HIDET_TRY_TO(made->copy(gpu));
    return made;
}

Result<void> ArgumentCopies::find_parts(Gpu& gpu, const std::vector<lang::CallArgument>& args) {
    for (const lang::CallArgument& arg : args) {
        const auto* tensor = std::get_if<lang::TensorRef>(&arg.value);
        if (!tensor || !*tensor || (*tensor)->device != Device::Cuda)
            continue;
        const lang::Storage* storage = (*tensor)->storage.get();
        auto part = std::find_if(m_parts.begin(), m_parts.end(), [&](const Part& p) { return p.storage == storage; });
        if (part == m_parts.end()) {
            Result<std::uint64_t> address = place_on_device(gpu, **tensor, arg.name);
            if (!address)
                return address.error();
            m_parts.push_back({storage, {}, address.value() - (*tensor)->offset, storage->bytes, false});
            part = m_parts.end() - 1;
        }
        part->names.push_back(arg.name);
    }
    return {};
}

void ArgumentCopies::choose_copied() {
    std::size_t largest = 0;
    for (const Part& part : m_parts)
        largest = std::max(largest, part.bytes);
    for (Part& part : m_parts) {
        part.is_copied = part.bytes > 0 && part.bytes >= largest / 4;
        m_bytes_each += part.is_copied ? part.bytes : 0;
    }
}

Result<std::size_t> ArgumentCopies::wanted(Gpu& gpu, int most) {
    if (m_bytes_each == 0)
        return std::size_t{1};
    const auto twice_the_cache = static_cast<std::size_t>(2 * gpu.device().spec.l2_bytes);
    HIDET_TRY(cuda::MemoryUse memory, cuda::memory_use(gpu.backend.stream()->context()));
    const std::size_t needed = twice_the_cache / m_bytes_each + 2, fit = memory.free / 2 / m_bytes_each + 1;
    const std::size_t count = std::min({needed, fit, static_cast<std::size_t>(std::max(most, 1))});
    m_leave_cache = count >= needed;
    return count;
}

Result<void> ArgumentCopies::copy(Gpu& gpu) {
    std::vector<cuda::DeviceBuffer> buffers(m_parts.size());
    for (std::size_t i = 0; i < m_parts.size(); ++i) {
        const Part& part = m_parts[i];
        if (!part.is_copied)
            continue;
        const std::shared_ptr<cuda::Stream>& stream = gpu.backend.stream();
        const std::string what = cat("a copy of '", part.names.front(), "'");
        HIDET_TRY(buffers[i], cuda::DeviceBuffer::allocate(stream, part.bytes, what));
        HIDET_TRY_TO(cuda::copy_on_device(*stream, buffers[i].address(), part.address, part.bytes));
    }
    m_copies.push_back(std::move(buffers));
    return {};
}

std::vector<std::string> ArgumentCopies::names(bool copied) const {
    std::vector<std::string> out;
    for (const Part& part : m_parts)
        if (part.is_copied == copied)
            out.insert(out.end(), part.names.begin(), part.names.end());
    return out;
}

std::size_t ArgumentCopies::part_of(const lang::Tensor& tensor) const {
    for (std::size_t i = 0; i < m_parts.size(); ++i)
        if (m_parts[i].storage == tensor.storage.get())
            return i;
    throw InternalError("a tensor that is none of the arguments");
}

bool ArgumentCopies::is_copied(const lang::Tensor& tensor) const {
    return m_parts[part_of(tensor)].is_copied;
}

std::uint64_t ArgumentCopies::address(const lang::Tensor& tensor, std::size_t copy) const {
    const std::size_t i = part_of(tensor);
    const bool is_first = copy == 0 || !m_parts[i].is_copied;
    return (is_first ? m_parts[i].address : m_copies[copy - 1][i].address()) + tensor.offset;
}

TensorPlacer ArgumentCopies::placer(std::size_t copy) const {
    return [this, copy](lang::Tensor& tensor, const std::string&) -> Result<std::uint64_t> {
        return address(tensor, copy);
    };
}

} // namespace hidet::session
