// SPDX-License-Identifier: Apache-2.0
// Calls of one built module that come again with tensors of the same shapes and with the same numbers, as those of a model do:
// what they launch is recorded once and from then on launched at once.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include <tvm/ffi/any.h>

#include "app/python/lib/python_session.h"
#include "app/session/execute/launch_record.h"

namespace hidet::python {

class RecordedCalls {
public:
    using Arguments = std::span<const tvm::ffi::AnyView>;
    // Launches what the call does. False: it is to be made as usual. Throws a RuntimeError where the driver refuses.
    bool launch(PythonSession& session, Arguments args);
    // Makes the call as usual, by `call`, and records it when it came before.
    void make(PythonSession& session, Arguments args, const std::function<void()>& call);

private:
    using Key = std::vector<std::int64_t>; // what the launches follow from
    struct Entry {
        int times = 0; // that it was made as usual
        std::unique_ptr<session::LaunchRecord> record;
    };
    static bool describe(Arguments args, Key& out);
    void add(const Key& key, const session::ScriptEngine::KeptCall& call, Arguments args);

    std::map<Key, Entry> m_entries;
    Key m_key; // of the call that is looked for, and its addresses: kept for their memory
    std::vector<std::uint64_t> m_addresses;
};

} // namespace hidet::python
