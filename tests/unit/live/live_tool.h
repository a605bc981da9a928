// SPDX-License-Identifier: Apache-2.0
// What tests of the live pipeline need: a listener that keeps what it hears, and waits for it.
#pragma once

#include <condition_variable>
#include <doctest/doctest.h>
#include <mutex>
#include <string>
#include <vector>

#include "app/session/live/live_session.h"

namespace hidet::test {

using namespace session;

// A script of one kernel that adds `value` to what it is given.
inline std::string script(const std::string& name, const std::string& value, const std::string& more = "") {
    return "import hidet\n"
           "from hidet.lang import attrs\n"
           "from hidet.lang.types import f32\n"
           "from hidet.lang.cuda import threadIdx\n"
           "\n"
           "with hidet.script_module() as script_module:\n"
           "    @hidet.script\n"
           "    def " +
           name +
           "(a: f32[32]):\n"
           "        attrs.func_kind = 'cuda_kernel'\n"
           "        attrs.cuda.block_dim = 32\n"
           "        attrs.cuda.grid_dim = 1\n"
           "        a[threadIdx.x] = a[threadIdx.x] + " +
           value +
           "\n"
           "module = script_module.build()\n" +
           more;
}

inline LiveRequest live_request(std::uint64_t revision, std::string text) {
    return {.revision = revision,
            .source = {"kernel.py", std::move(text), {}},
            .calls = {},
            .forms = {Form::Cuda},
            .first_module = {},
            .buffers = {},
            .fault = {}};
}

class Heard {
public:
    void operator()(std::shared_ptr<const LiveSnapshot> snapshot) {
        std::lock_guard lock(m_mutex);
        m_all.push_back(std::move(snapshot));
        m_changed.notify_all();
    }
    // The last snapshot of the revision, when it is there.
    std::shared_ptr<const LiveSnapshot> complete(std::uint64_t revision) {
        return first([&](const LiveSnapshot& snapshot) { return snapshot.revision == revision && snapshot.complete; });
    }
    template <class F>
    std::shared_ptr<const LiveSnapshot> first(F&& fits) {
        std::unique_lock lock(m_mutex);
        std::shared_ptr<const LiveSnapshot> found;
        bool came = m_changed.wait_for(lock, std::chrono::seconds(60), [&] {
            for (const auto& snapshot : m_all)
                if (fits(*snapshot)) {
                    found = snapshot;
                    return true;
                }
            return false;
        });
        if (!came)
            FAIL("no such snapshot came");
        return found;
    }
    std::vector<std::shared_ptr<const LiveSnapshot>> all() {
        std::lock_guard lock(m_mutex);
        return m_all;
    }

private:
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::vector<std::shared_ptr<const LiveSnapshot>> m_all;
};

inline LiveOptions options_for(Heard& heard, std::shared_ptr<Tools> tools = nullptr) {
    return {std::move(tools), [&heard](std::shared_ptr<const LiveSnapshot> snapshot) { heard(std::move(snapshot)); }};
}

} // namespace hidet::test
