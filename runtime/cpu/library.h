// SPDX-License-Identifier: Apache-2.0
// A shared object of compiled C++, loaded, and its functions called with values and addresses of this process.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "compiler/artifact/source.h"
#include "lang/base/result.h"
#include "runtime/package/thread_pool.h"

namespace hidet::cpu {

using package::ThreadPool;
using package::usable_processors;

using Argument = std::variant<std::int64_t, double, void*>;
using Value = std::variant<std::monostate, std::int64_t, double, void*>;

// Why a call ended early.
struct CallFailure {
    std::string message; // the predicate of a sentence about the function; empty: an index was outside
    int check = -1;      // a row of the source's checks; -1: of none
    std::vector<std::int64_t> index, shape; // of the access
};

struct CallResult {
    Value value;
    std::optional<CallFailure> failure; // nothing: fine
};

// What a call of compiled code may ask of its surroundings.
struct CallContext {
    ThreadPool* pool = nullptr; // null: loops are not parallel
    std::function<void(std::string_view)> print;
    std::function<std::int64_t(const std::string&)> symbol; // the value of a dynamic dimension
};

class Library {
public:
    // `object` is an ELF shared object; the entries are those of the source it was made from.
    // Error codes: "library-not-loaded".
    static Result<std::unique_ptr<Library>> load(const std::string& object, std::vector<artifact::EntryPoint> entries);
    ~Library();
    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;

    const artifact::EntryPoint* find(std::string_view name) const;

    // As many arguments as the entry has parameters; what they point at must live until the call returns.
    CallResult call(const artifact::EntryPoint& entry, const std::vector<Argument>& args, const CallContext& context);

private:
    Library() = default;
    int m_file = -1;
    void* m_handle = nullptr;
    std::vector<artifact::EntryPoint> m_entries;
    std::vector<void*> m_addresses; // of the entries
};

} // namespace hidet::cpu
