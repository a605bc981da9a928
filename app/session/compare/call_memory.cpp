// SPDX-License-Identifier: Apache-2.0
#include "app/session/compare/call_memory.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <new>

#include "app/session/compare/compare.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace {

constexpr std::size_t band = 4096;
constexpr std::byte untouched{0xA7};

std::optional<std::int64_t> first_byte_outside(lang::Storage& guarded) {
    const std::byte* data = guarded.read();
    const auto size = static_cast<std::int64_t>(guarded.bytes), width = static_cast<std::int64_t>(band);
    for (std::int64_t i = -width; i < size + width; ++i) {
        if (i == 0)
            i = size;
        if (data[i] != untouched)
            return i;
    }
    return std::nullopt;
}

} // namespace

std::shared_ptr<lang::Storage> plain_storage(std::size_t bytes) {
    return std::make_shared<lang::Storage>(bytes);
}

Arguments copy_of(const Arguments& args, MakeStorage& make) {
    Arguments out = args;
    std::map<const lang::Storage*, std::shared_ptr<lang::Storage>> copies;
    for (lang::CallArgument& arg : out) {
        auto* tensor = std::get_if<lang::TensorRef>(&arg.value);
        if (!tensor || !*tensor)
            continue;
        lang::TensorRef copy(new lang::Tensor(**tensor));
        std::shared_ptr<lang::Storage>& storage = copies[copy->storage.get()];
        if (!storage) {
            storage = make(copy->storage->bytes);
            storage->uninitialised = copy->storage->uninitialised;
            std::memcpy(storage->write(), copy->storage->read(), storage->bytes);
        }
        copy->storage = storage;
        *tensor = copy;
    }
    return out;
}

lang::TensorRef tensor_in(const lang::CallArgument& arg) {
    const auto* tensor = std::get_if<lang::TensorRef>(&arg.value);
    return tensor ? *tensor : nullptr;
}

void poison(const Arguments& args, const std::vector<compiler::ParameterAccess>& accesses) {
    for (std::size_t i = 0; i < args.size(); ++i)
        if (lang::TensorRef tensor = tensor_in(args[i]);
            tensor && tensor->storage->uninitialised && accesses[i].written && !accesses[i].read)
            fill_with_pattern(*tensor);
}

void poison(std::byte* memory, std::size_t bytes) {
    const std::uint32_t pattern = float_pattern;
    for (std::size_t at = 0; at + sizeof pattern <= bytes; at += sizeof pattern)
        std::memcpy(memory + at, &pattern, sizeof pattern);
}

std::shared_ptr<lang::Storage> guarded_storage(std::size_t bytes) {
    auto* whole = static_cast<std::byte*>(std::aligned_alloc(band, band * 2 + (bytes + band - 1) / band * band));
    if (!whole)
        throw std::bad_alloc();
    std::fill_n(whole, band, untouched);
    std::fill_n(whole + band + bytes, band, untouched);
    std::shared_ptr<std::byte[]> inner(whole + band, [](std::byte* own) { std::free(own - band); });
    return std::make_shared<lang::Storage>(std::move(inner), bytes);
}

std::optional<WriteOutside> write_outside(const Arguments& guarded) {
    for (std::size_t i = 0; i < guarded.size(); ++i)
        if (const lang::TensorRef tensor = tensor_in(guarded[i]))
            if (const std::optional<std::int64_t> byte = first_byte_outside(*tensor->storage))
                return WriteOutside{i, *byte, tensor->storage->bytes};
    return std::nullopt;
}

std::string describe(const WriteOutside& write, const std::string& name) {
    return cat("it writes to byte ", write.byte, " of '", name, "', which has ", write.bytes);
}

} // namespace hidet::session
