// SPDX-License-Identifier: Apache-2.0
// Failing: a check in compiled code calls `fail` or `outside`, which throw. The exception unwinds the compiled frames (they are C++,
// with unwind tables), is caught around the part of a parallel loop in which it was thrown, and thrown again by the thread
// that made the call, so no code after a failed assert runs and no thread ends the process.
#include "runtime/cpu/library.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <mutex>
#include <utility>

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include "compiler/artifact/host_table.h"
#include "lang/base/check.h"
#include "lang/base/files.h"
#include "lang/base/numeric.h"
#include "lang/base/text.h"

namespace hidet::cpu {

namespace {

struct CallFailed {
    CallFailure failure;
};

CallFailed failed(std::string message) {
    return {{std::move(message), -1, {}, {}}};
}

// One call: what its host table points at.
struct Call {
    explicit Call(const CallContext& context) : context(context) {}
    ~Call() {
        for (void* block : workspaces)
            std::free(block);
    }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    const CallContext& context;
    std::mutex mutex; // compiled code may print and fail on any thread
    std::vector<void*> workspaces;
};

struct GuardedLoop {
    ThreadPool::Body body;
    void* context;
    std::mutex mutex;
    std::exception_ptr failure; // of the lowest part: every part runs, so it is always the same
    long long failed = 0;       // where that begins
};

void guarded_part(void* context, long long begin, long long end) {
    auto& loop = *static_cast<GuardedLoop*>(context);
    try {
        loop.body(loop.context, begin, end);
    } catch (...) {
        std::lock_guard lock(loop.mutex);
        if (!loop.failure || begin < loop.failed) {
            loop.failure = std::current_exception();
            loop.failed = begin;
        }
    }
}

void parallel_for(void* self, long long count, int threads, ThreadPool::Body body, void* context) {
    auto& call = *static_cast<Call*>(self);
    if (!call.context.pool) {
        if (count > 0)
            body(context, 0, count);
        return;
    }
    GuardedLoop loop{body, context, {}, nullptr, 0};
    call.context.pool->parallel_for(count, threads, guarded_part, &loop);
    if (loop.failure)
        std::rethrow_exception(loop.failure);
}

void print(void* self, const char* text, long long length) {
    auto& call = *static_cast<Call*>(self);
    std::lock_guard lock(call.mutex);
    if (call.context.print && length > 0)
        call.context.print(std::string_view(text, static_cast<std::size_t>(length)));
}

void fail(void*, int check, const char* message) {
    throw CallFailed{{message, check, {}, {}}};
}

void outside(void*, int check, int rank, const long long* index, const long long* shape) {
    throw CallFailed{{"", check, {index, index + rank}, {shape, shape + rank}}};
}

// Lives until the call ends, as a workspace of the virtual machine does.
void* workspace(void* self, long long bytes, int zeroed) {
    auto& call = *static_cast<Call*>(self);
    if (bytes < 0)
        throw failed(cat("a workspace of ", bytes, " bytes was requested"));
    std::size_t size = (static_cast<std::size_t>(bytes) + 63) / 64 * 64;
    void* block = std::aligned_alloc(64, std::max<std::size_t>(size, 64));
    if (!block)
        throw failed(cat("there is no memory for a workspace of ", bytes, " bytes"));
    if (zeroed)
        std::memset(block, 0, size);
    std::lock_guard lock(call.mutex);
    call.workspaces.push_back(block);
    return block;
}

long long symbol(void* self, const char* name) {
    auto& call = *static_cast<Call*>(self);
    return call.context.symbol ? call.context.symbol(name) : 0;
}

// A value in the bytes that its C++ type has.
union Slot {
    std::int64_t integer;
    double f64;
    float f32;
    std::uint16_t half;
    void* pointer;
};

Slot slot_of(const Argument& argument, const artifact::Parameter& parameter) {
    Slot slot{};
    if (parameter.is_pointer) {
        HIDET_CHECK(std::holds_alternative<void*>(argument), parameter.name);
        slot.pointer = std::get<void*>(argument);
        return slot;
    }
    const auto* real = std::get_if<double>(&argument);
    double number = real ? *real : static_cast<double>(std::get<std::int64_t>(argument));
    switch (parameter.type) {
    case artifact::Scalar::F64: slot.f64 = number; break;
    case artifact::Scalar::F32:
    case artifact::Scalar::TF32: slot.f32 = static_cast<float>(number); break;
    case artifact::Scalar::F16: slot.half = f32_to_f16(static_cast<float>(round_to_f16(number))); break;
    case artifact::Scalar::BF16: slot.half = f32_to_bf16(static_cast<float>(round_to_bf16(number))); break;
    default: // little-endian: the low bytes are those of the narrower type
        slot.integer = real ? static_cast<std::int64_t>(*real) : std::get<std::int64_t>(argument);
    }
    return slot;
}

Value value_of(const Slot& slot, artifact::Scalar type) {
    using artifact::Scalar;
    switch (type) {
    case Scalar::F64: return slot.f64;
    case Scalar::F32:
    case Scalar::TF32: return static_cast<double>(slot.f32);
    case Scalar::F16: return static_cast<double>(f16_to_f32(slot.half));
    case Scalar::BF16: return static_cast<double>(bf16_to_f32(slot.half));
    case Scalar::Bool: return std::int64_t{(slot.integer & 0xff) != 0};
    case Scalar::I8: return std::int64_t{static_cast<std::int8_t>(slot.integer)};
    case Scalar::I16: return std::int64_t{static_cast<std::int16_t>(slot.integer)};
    case Scalar::I32: return std::int64_t{static_cast<std::int32_t>(slot.integer)};
    case Scalar::U8: return std::int64_t{static_cast<std::uint8_t>(slot.integer)};
    case Scalar::U16: return std::int64_t{static_cast<std::uint16_t>(slot.integer)};
    case Scalar::U32: return std::int64_t{static_cast<std::uint32_t>(slot.integer)};
    default: return slot.integer;
    }
}

// dlopen() wants a file; this one has no name in any folder and is gone with its last user. It stays open as long as the
// object is loaded: dlopen() takes two objects with one path for the same, and the path has the number of the file.
Result<int> memory_file(const std::string& object) {
    int file = memfd_create("hidet-module", MFD_CLOEXEC);
    if (file < 0)
        return Error{"library-not-loaded", cat("no memory file could be made: ", std::strerror(errno))};
    if (write_all(file, object))
        return file;
    const Error error{"library-not-loaded", cat("compiled code could not be kept in memory: ", std::strerror(errno))};
    ::close(file);
    return error;
}

} // namespace

Result<std::unique_ptr<Library>> Library::load(const std::string& object, std::vector<artifact::EntryPoint> entries) {
    std::unique_ptr<Library> library(new Library);
    HIDET_TRY(library->m_file, memory_file(object));
    library->m_handle = dlopen(cat("/proc/self/fd/", library->m_file).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library->m_handle) {
        const char* reason = dlerror();
        return Error{"library-not-loaded",
                     cat("compiled code could not be loaded: ", reason ? reason : "no reason given")};
    }
    for (const artifact::EntryPoint& entry : entries) {
        void* address = dlsym(library->m_handle, entry.symbol.c_str());
        if (!address)
            return Error{"library-not-loaded", cat("compiled code has no function '", entry.symbol, "'")};
        library->m_addresses.push_back(address);
    }
    library->m_entries = std::move(entries);
    return library;
}

Library::~Library() {
    if (m_handle)
        dlclose(m_handle);
    if (m_file >= 0)
        ::close(m_file);
}

const artifact::EntryPoint* Library::find(std::string_view name) const {
    const auto found = std::ranges::find(m_entries, name, &artifact::EntryPoint::name);
    return found == m_entries.end() ? nullptr : &*found;
}

CallResult Library::call(const artifact::EntryPoint& entry, const std::vector<Argument>& args,
                         const CallContext& context) {
    HIDET_CHECK(args.size() == entry.params.size(), entry.name);
    std::vector<Slot> slots;
    slots.reserve(args.size());
    for (std::size_t i = 0; i < args.size(); ++i)
        slots.push_back(slot_of(args[i], entry.params[i]));
    std::vector<void*> pointers;
    for (Slot& slot : slots)
        pointers.push_back(&slot);
    Call call(context);
    hidet_host host{&call, parallel_for, print, fail, outside, workspace, symbol};
    using Function = void (*)(const hidet_host*, void* const*, void*);
    auto row = static_cast<std::size_t>(&entry - m_entries.data());
    HIDET_CHECK(row < m_addresses.size(), entry.name);
    auto function = reinterpret_cast<Function>(m_addresses[row]);
    CallResult result;
    Slot returned{};
    try {
        function(&host, pointers.data(), &returned);
    } catch (const CallFailed& failed) {
        result.failure = failed.failure;
        return result;
    }
    if (entry.returns_value)
        result.value = value_of(returned, entry.return_type);
    return result;
}

} // namespace hidet::cpu
