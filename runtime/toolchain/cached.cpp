// SPDX-License-Identifier: Apache-2.0
#include "runtime/toolchain/cached.h"

#include <chrono>
#include <cstring>

namespace hidet::toolchain {

namespace {

// Raise it when what is stored, or how a result depends on its request, changes.
constexpr std::string_view format = "2";

class Packer {
public:
    void text(std::string_view text) {
        number(static_cast<std::int64_t>(text.size()));
        m_bytes.append(text);
    }
    void number(std::int64_t value) { m_bytes.append(reinterpret_cast<const char*>(&value), sizeof value); }
    std::string take() { return std::move(m_bytes); }

private:
    std::string m_bytes;
};

class Unpacker {
public:
    explicit Unpacker(std::string_view bytes) : m_rest(bytes) {}
    std::string text() {
        auto size = static_cast<std::size_t>(number());
        if (size > m_rest.size()) {
            m_failed = true;
            return {};
        }
        std::string text(m_rest.substr(0, size));
        m_rest.remove_prefix(size);
        return text;
    }
    std::int64_t number() {
        std::int64_t value = 0;
        if (m_rest.size() < sizeof value) {
            m_failed = true;
            return 0;
        }
        std::memcpy(&value, m_rest.data(), sizeof value);
        m_rest.remove_prefix(sizeof value);
        return value;
    }
    int small() { return static_cast<int>(number()); }
    bool failed() const { return m_failed; }
    bool is_done() const { return !m_failed && m_rest.empty(); }

private:
    std::string_view m_rest;
    bool m_failed = false;
};

constexpr int KernelFigures::*figure_members[] = {
    &KernelFigures::registers,        &KernelFigures::stack_bytes,         &KernelFigures::spill_store_bytes,
    &KernelFigures::spill_load_bytes, &KernelFigures::static_shared_bytes, &KernelFigures::constant_bytes,
    &KernelFigures::barriers};

std::string pack(const CompileResult& result) {
    Packer packer;
    packer.text(result.bytes);
    packer.text(result.log);
    packer.text(result.compiler);
    packer.number(static_cast<std::int64_t>(result.figures.size()));
    for (const KernelFigures& figures : result.figures) {
        packer.text(figures.symbol);
        for (const auto member : figure_members)
            packer.number(figures.*member);
    }
    return packer.take();
}

std::optional<CompileResult> unpack(std::string_view bytes) {
    Unpacker unpacker(bytes);
    CompileResult result;
    result.bytes = unpacker.text();
    result.log = unpacker.text();
    result.compiler = unpacker.text();
    for (std::int64_t left = unpacker.number(); left > 0 && !unpacker.failed(); --left) {
        KernelFigures figures{.symbol = unpacker.text()};
        for (const auto member : figure_members)
            figures.*member = unpacker.small();
        result.figures.push_back(std::move(figures));
    }
    return unpacker.is_done() ? std::optional(std::move(result)) : std::nullopt;
}

std::string key_of(const CompileRequest& request, const std::string& recipe) {
    std::string kind = {static_cast<char>('0' + static_cast<int>(request.language)),
                        static_cast<char>('0' + static_cast<int>(request.product))};
    std::vector<std::string_view> parts = {format, kind, request.arch, recipe, request.text};
    parts.insert(parts.end(), request.objects.begin(), request.objects.end());
    return cache_key(parts);
}

} // namespace

static std::optional<CompileResult> result_in(const std::optional<std::string>& bytes) {
    auto result = bytes ? unpack(*bytes) : std::nullopt;
    if (result)
        result->from_cache = true;
    return result;
}

std::optional<CompileResult> CachedCompiler::load(const std::string& key) {
    return result_in(m_cache.load(key));
}

std::optional<CompileResult> CachedCompiler::load_or_fetch(const std::string& key) {
    auto found = load(key);
    return found ? found : result_in(m_cache.fetch(key));
}

Result<CompileResult> CachedCompiler::compile_once(const CompileRequest& request, const std::string& key) {
    if (auto found = load(key))
        return std::move(*found);
    auto turn = m_cache.lock(key, request.cancelled);
    if (!turn && turn.error().code == "cancelled")
        return turn.error();
    // Who had the turn before may have stored it.
    if (turn)
        if (auto found = load_or_fetch(key))
            return std::move(*found);
    HIDET_TRY(CompileResult result, m_inner.compile(request));
    if (!m_cache.is_enabled())
        return result;
    if (auto stored = m_cache.store(key, pack(result)); !stored)
        result.not_stored = stored.error();
    return result;
}

Result<CompileResult> CachedCompiler::compile(const CompileRequest& request) {
    auto start = std::chrono::steady_clock::now();
    HIDET_TRY(std::string made_by, m_inner.recipe(request));
    std::string key = key_of(request, made_by);
    HIDET_TRY(CompileResult result, compile_once(request, key));
    result.key = std::move(key);
    result.ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    return result;
}

} // namespace hidet::toolchain
