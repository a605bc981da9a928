// SPDX-License-Identifier: Apache-2.0
#include "app/session/kernel_bench/saved_tensors.h"

#include <algorithm>

#include "lang/base/quantity.h"
#include "lang/tensor/elements.h"
#include "lang/tensor/npy.h"

namespace hidet::session {

namespace {

constexpr std::int64_t most_saved_bytes = std::int64_t{512} << 20; // of a tensor

SavedTensor saved_tensor(const std::string& folder, const std::string& name, const lang::Tensor& tensor,
                         const lang::TensorRef& wanted) {
    SavedTensor out;
    out.name = name;
    out.dtype = ir::info(tensor.dtype).short_name;
    out.shape = tensor.shape;
    const std::int64_t bytes = tensor.count() * std::max(ir::info(tensor.dtype).bits / 8, 1);
    if (bytes > most_saved_bytes) {
        out.refusal = cat("it has ", bytes_text(static_cast<double>(bytes)), ", more than the ",
                          bytes_text(static_cast<double>(most_saved_bytes)), " that are kept of a tensor");
        return out;
    }
    out.file = cat(folder, "/", name, ".npy");
    Result<void> written = lang::write_npy(out.file, tensor);
    if (written && wanted && wanted->count() == tensor.count()) {
        out.wanted_file = cat(folder, "/", name, ".wanted.npy");
        out.wanted_dtype = ir::info(wanted->dtype).short_name;
        written = lang::write_npy(out.wanted_file, *lang::view_of(wanted, tensor.shape));
    }
    if (!written) {
        out.refusal = written.error().message;
        out.file.clear();
        out.wanted_file.clear();
    }
    return out;
}

} // namespace

std::vector<SavedTensor> save_tensors(const std::string& folder, const Callable& callable,
                                      const std::vector<compiler::ParameterAccess>& accesses, const Arguments& after,
                                      const std::vector<lang::TensorRef>& expected,
                                      const std::vector<Comparison>& comparisons) {
    std::vector<SavedTensor> out;
    for (std::size_t i = 0; i < after.size(); ++i) {
        const auto* tensor = std::get_if<lang::TensorRef>(&after[i].value);
        if (!tensor || !*tensor)
            continue;
        const std::string name = callable.function->params[i]->name;
        out.push_back(saved_tensor(folder, name, **tensor, i < expected.size() ? expected[i] : nullptr));
        out.back().is_written = accesses[i].written;
        const auto found = std::ranges::find(comparisons, name, &Comparison::tensor);
        if (found == comparisons.end())
            continue;
        out.back().absolute = found->absolute;
        out.back().relative = found->relative;
    }
    return out;
}

} // namespace hidet::session
