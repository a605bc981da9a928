// SPDX-License-Identifier: Apache-2.0
#include "app/session/kernel_bench/saved_tensors.h"

#include <algorithm>

#include "app/session/kernel_bench/owners.h"
#include "lang/base/quantity.h"
#include "lang/base/ranges.h"
#include "lang/tensor/elements.h"
#include "lang/tensor/npy.h"

namespace hidet::session {

namespace {

constexpr std::int64_t most_saved_bytes = std::int64_t{512} << 20; // of a tensor

SavedTensor saved_tensor(const std::string& path, const std::string& name, const lang::Tensor& tensor,
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
    out.file = path + ".npy";
    Result<void> written = lang::write_npy(out.file, tensor);
    if (written && wanted && wanted->count() == tensor.count()) {
        out.wanted_file = path + ".wanted.npy";
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

// Who wrote the elements, beside the file.
static void save_owners(SavedTensor& saved, const std::string& path, const vm::OwnerMap& owners) {
    const std::string file = path + ".owners.npy";
    if (saved.file.empty() || !lang::write_npy(file, *owner_tensor(owners, saved.shape)))
        return;
    saved.owner_file = file;
    saved.owner_launches = launches_of(owners);
}

std::vector<SavedTensor> save_tensors(const std::string& folder, const CallTensors& call) {
    std::vector<SavedTensor> out;
    for (std::size_t i = 0; i < call.args.size(); ++i) {
        const auto* tensor = std::get_if<lang::TensorRef>(&call.args[i].value);
        if (!tensor || !*tensor)
            continue;
        const std::string name = call.callable.function->params[i]->name;
        out.push_back(saved_tensor(cat(folder, "/", name), name, **tensor,
                                   i < call.expected.size() ? call.expected[i] : nullptr));
        out.back().is_written = call.accesses[i].written;
        if (i < call.owners.size() && call.owners[i])
            save_owners(out.back(), cat(folder, "/", name), *call.owners[i]);
        const auto found = std::ranges::find(call.comparisons, name, &Comparison::tensor);
        if (found == call.comparisons.end())
            continue;
        out.back().absolute = found->absolute;
        out.back().relative = found->relative;
    }
    return out;
}

// A name of the script's is an identifier, that of dynamic shared memory has blanks.
static std::string file_name_of(const std::string& name) {
    std::string out = name;
    std::ranges::replace(out, ' ', '_');
    return out;
}

static std::vector<std::string> texts_of(const std::array<std::int64_t, 3>& block) {
    return transformed(block, [](const std::int64_t each) { return cat(each); });
}

std::vector<SavedTensor> save_tiles(const std::string& folder, const std::vector<KernelTile>& tiles) {
    std::vector<SavedTensor> out;
    for (const KernelTile& tile : tiles) {
        const bool is_found = tile.found.known();
        const std::string path = cat(folder, "/", tile.kernel, ".", file_name_of(tile.name), ".block_",
                                     join(texts_of(tile.block), "_"), is_found ? ".found" : "");
        const std::string name = cat(tile.name, " of block (", join(texts_of(tile.block), ", "), ") of ", tile.kernel,
                                     is_found ? cat(", as of the finding at line ", tile.found.line) : "");
        out.push_back(saved_tensor(path, name, *tile.values, nullptr));
        SavedTensor& saved = out.back();
        saved.block = tile.block;
        saved.is_asked = tile.is_asked;
        saved.memory = tile.is_registers ? "registers" : "shared";
        if (is_found)
            saved.found_at = tile.found.line;
        if (tile.written && !saved.file.empty() && lang::write_npy(path + ".written.npy", *tile.written))
            saved.written_file = path + ".written.npy";
    }
    return out;
}

} // namespace hidet::session
