// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/text/contents.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "lang/base/text.h"
#include "lang/base/text_hash.h"
#include "lang/tensor/elements.h"

namespace hidet::graph {

namespace {

constexpr std::int64_t worth_remembering = 4096;

std::string hexadecimal(XXH128_hash_t hash) {
    XXH128_canonical_t bytes;
    XXH128_canonicalFromHash(&bytes, hash);
    return hex_digits({reinterpret_cast<const char*>(bytes.digest), sizeof bytes.digest});
}

std::size_t byte_count(const lang::Tensor& tensor) {
    const ir::DTypeInfo& dtype = ir::info(tensor.dtype);
    return (static_cast<std::size_t>(tensor.count()) * static_cast<std::size_t>(dtype.bits) + 7) / 8;
}

} // namespace

std::string content_hash(const lang::Tensor& tensor) {
    XXH3_state_t state;
    XXH3_128bits_reset(&state);
    const std::string head = std::string(ir::info(tensor.dtype).name) + lang::shape_text(tensor.shape);
    XXH3_128bits_update(&state, head.data(), head.size());
    if (tensor.has_data())
        XXH3_128bits_update(&state, tensor.read(), byte_count(tensor));
    return hexadecimal(XXH3_128bits_digest(&state));
}

const std::string& ContentHashes::of(const lang::TensorRef& tensor) {
    if (tensor->count() < worth_remembering) {
        m_latest = content_hash(*tensor);
        return m_latest;
    }
    auto& [held, hash] = m_known[tensor.get()];
    if (!held) {
        held = tensor; // or another tensor could come to stand at its address
        hash = content_hash(*tensor);
    }
    return hash;
}

std::string short_contents(const lang::Tensor& tensor, std::int64_t at_most) {
    if (!tensor.has_data() || tensor.count() > at_most || !lang::holds_numbers(tensor.dtype))
        return {};
    std::string text = "[";
    const auto put = [&](const std::string& item) { text += (text.size() > 1 ? ", " : "") + item; };
    if (tensor.dtype == ir::DType::F32)
        for (double value : lang::read_doubles(tensor))
            put(shortest_float(static_cast<float>(value)));
    else if (ir::is_float(tensor.dtype))
        for (double value : lang::read_doubles(tensor))
            put(shortest(value));
    else
        for (std::int64_t value : lang::read_integers(tensor))
            put(tensor.dtype == ir::DType::U64 ? std::to_string(static_cast<std::uint64_t>(value))
                                               : std::to_string(value));
    return text + "]";
}

} // namespace hidet::graph
