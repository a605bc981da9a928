// SPDX-License-Identifier: Apache-2.0
#include "runtime/cuda/launch_log.h"

#include <algorithm>
#include <bit>
#include <cstdio>

#include "lang/base/numeric.h"
#include "lang/base/text.h"

namespace hidet::cuda {

namespace {

using artifact::Scalar;

std::string three(const LaunchShape::Extents& dims) {
    return cat("(", dims[0], ", ", dims[1], ", ", dims[2], ")");
}

std::string number_text(double value) {
    char text[40];
    std::snprintf(text, sizeof text, "%.6g", value);
    return text;
}

std::string scalar_text(Scalar type, std::uint64_t bits) {
    switch (type) {
    case Scalar::Bool: return bits ? "true" : "false";
    case Scalar::I8:
    case Scalar::I16:
    case Scalar::I32: return cat(static_cast<std::int32_t>(bits));
    case Scalar::I64: return cat(static_cast<std::int64_t>(bits));
    case Scalar::F16: return number_text(static_cast<double>(f16_to_f32(static_cast<std::uint16_t>(bits))));
    case Scalar::BF16: return number_text(static_cast<double>(bf16_to_f32(static_cast<std::uint16_t>(bits))));
    case Scalar::F8E4M3: return number_text(static_cast<double>(e4m3_to_f32(static_cast<std::uint8_t>(bits))));
    case Scalar::F8E5M2: return number_text(static_cast<double>(e5m2_to_f32(static_cast<std::uint8_t>(bits))));
    case Scalar::TF32:
    case Scalar::F32: return number_text(static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits))));
    case Scalar::F64: return number_text(std::bit_cast<double>(bits));
    default: return cat(bits);
    }
}

std::string argument_text(const artifact::Parameter& param, std::uint64_t bits, const TensorNote& tensor) {
    if (!param.is_pointer)
        return cat(param.name, " = ", scalar_text(param.type, bits));
    if (!bits)
        return param.name + " = null";
    if (!tensor.dtype)
        return cat(param.name, ": ", artifact::scalar_name(param.type), "*");
    std::vector<std::string> extents;
    for (std::int64_t extent : tensor.shape)
        extents.push_back(cat(extent));
    return cat(param.name, ": ", tensor.dtype, "[", join(extents, ", "), "]");
}

} // namespace

std::string launch_text(const KernelSignature& kernel, const LaunchShape& shape, std::span<const std::uint64_t> args,
                        std::span<const TensorNote> tensors) {
    std::string text = cat("kernel '", kernel.name, "' <<<", three(shape.grid), ", ", three(shape.block));
    if (shape.dynamic_shared)
        text += cat(", ", shape.dynamic_shared);
    text += ">>>";
    if (shape.cluster_blocks() != 1)
        text += " in clusters of " + three(shape.cluster);
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < args.size() && i < kernel.params.size(); ++i)
        parts.push_back(argument_text(kernel.params[i], args[i], i < tensors.size() ? tensors[i] : TensorNote{}));
    return cat(text, " (", join(parts, ", "), ")");
}

std::string suspects_text(const std::vector<std::string>& launches) {
    constexpr std::size_t named = 4;
    if (launches.size() == 1)
        return launches.front();
    std::vector<std::string> first(launches.begin(),
                                   launches.begin() + static_cast<std::ptrdiff_t>(std::min(named, launches.size())));
    std::string more = launches.size() > named ? cat(" and ", launches.size() - named, " others") : "";
    return cat("one of the kernels that were launched since the last wait (", join(first, ", "), more, ")");
}

LaunchLog::Entry& LaunchLog::next(StreamHandle stream) {
    Entry& entry = m_ring[m_next % capacity];
    entry.is_pending = true;
    entry.stream = stream;
    entry.number = m_next++;
    return entry;
}

void LaunchLog::add(const std::shared_ptr<const KernelSignature>& kernel, const LaunchShape& shape, StreamHandle stream,
                    std::span<const std::uint64_t> args, std::span<const TensorNote> tensors) {
    std::lock_guard lock(m_mutex);
    Entry& entry = next(stream);
    entry.kernel = kernel;
    entry.text = nullptr;
    entry.shape = shape;
    entry.args.resize(args.size());
    for (std::size_t i = 0; i < args.size(); ++i) {
        Argument& argument = entry.args[i];
        argument.bits = args[i];
        argument.rank = -1;
        if (i >= tensors.size() || !tensors[i].dtype || tensors[i].shape.size() > std::size(argument.extents))
            continue;
        std::snprintf(argument.dtype, sizeof argument.dtype, "%s", tensors[i].dtype);
        argument.rank = static_cast<int>(tensors[i].shape.size());
        std::copy(tensors[i].shape.begin(), tensors[i].shape.end(), argument.extents);
    }
}

void LaunchLog::add(std::shared_ptr<const std::string> text, StreamHandle stream) {
    std::lock_guard lock(m_mutex);
    next(stream).text = std::move(text);
}

std::uint64_t LaunchLog::now() const {
    std::lock_guard lock(m_mutex);
    return m_next;
}

std::vector<std::string> LaunchLog::withdraw(std::uint64_t from) {
    std::lock_guard lock(m_mutex);
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < capacity; ++i) {
        Entry& entry = m_ring[(m_next + i) % capacity];
        if (!entry.is_pending || entry.number < from)
            continue;
        texts.push_back(text_of(entry));
        entry.is_pending = false;
    }
    return texts;
}

void LaunchLog::confirm(StreamHandle stream, std::uint64_t up_to) {
    std::lock_guard lock(m_mutex);
    for (Entry& entry : m_ring)
        if (entry.stream == stream && entry.number < up_to)
            entry.is_pending = false;
}

std::string LaunchLog::text_of(const Entry& entry) {
    if (entry.text)
        return *entry.text;
    std::vector<std::uint64_t> bits;
    std::vector<TensorNote> tensors;
    for (const Argument& argument : entry.args) {
        bits.push_back(argument.bits);
        TensorNote note;
        if (argument.rank >= 0)
            note = {argument.dtype, {argument.extents, static_cast<std::size_t>(argument.rank)}};
        tensors.push_back(note);
    }
    return launch_text(*entry.kernel, entry.shape, bits, tensors);
}

std::vector<std::string> LaunchLog::pending() const {
    std::lock_guard lock(m_mutex);
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < capacity; ++i)
        if (const Entry& entry = m_ring[(m_next + i) % capacity]; entry.is_pending)
            if (std::string text = text_of(entry); std::ranges::find(texts, text) == texts.end())
                texts.push_back(std::move(text));
    return texts;
}

} // namespace hidet::cuda
