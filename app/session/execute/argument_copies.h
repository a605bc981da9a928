// SPDX-License-Identifier: Apache-2.0
// The arguments of a call several times over on a GPU, so that launches that follow each other find their data outside of the
// second-level cache, as the layers of a model find their weights. What a model hands from layer to layer stays in that
// cache, and so do tensors here that are less than a quarter as large as the largest: all launches share them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/session/execute/gpu_repeat.h"

namespace hidet::session {

class ArgumentCopies {
public:
    // The first copy is the tensors themselves. There are as many that the others hold more than twice the cache whenever
    // one is used again, but no more than `most`, nor than fit into half of the memory that is free.
    static Result<std::unique_ptr<ArgumentCopies>> make(Gpu& gpu, const std::vector<lang::CallArgument>& args,
                                                        int most);

    std::size_t count() const { return m_copies.size() + 1; }
    std::size_t bytes_each() const { return m_bytes_each; }
    bool leave_cache() const { return m_leave_cache; }
    std::vector<std::string> names(bool copied) const; // of the parameters

    bool is_copied(const lang::Tensor& tensor) const; // a tensor of the arguments
    std::uint64_t address(const lang::Tensor& tensor, std::size_t copy) const;
    TensorPlacer placer(std::size_t copy) const; // lives no longer than this

private:
    struct Part { // the bytes that one or several arguments lie in
        const lang::Storage* storage = nullptr;
        std::vector<std::string> names;
        std::uint64_t address = 0;
        std::size_t bytes = 0;
        bool is_copied = false;
    };
    ArgumentCopies() = default;
    Result<void> find_parts(Gpu& gpu, const std::vector<lang::CallArgument>& args);
    void choose_copied();
    Result<std::size_t> wanted(Gpu& gpu, int most);
    Result<void> copy(Gpu& gpu);
    std::size_t part_of(const lang::Tensor& tensor) const;

    std::vector<Part> m_parts;
    std::vector<std::vector<cuda::DeviceBuffer>> m_copies; // beside the first; by part, empty where it is shared
    std::size_t m_bytes_each = 0;
    bool m_leave_cache = false;
};

} // namespace hidet::session
