// SPDX-License-Identifier: Apache-2.0
#include "app/cli/tile_choice.h"

#include <algorithm>

#include "app/cli/output.h"
#include "app/cli/text/numbers.h"
#include "app/session/worker/run_in_worker.h"

namespace hidet::cli {

using namespace session;

bool read_block(const std::string& text, std::array<std::int64_t, 3>& block) {
    const std::vector<std::string> parts = split(text, ',');
    bool fine = !parts.empty() && parts.size() <= block.size();
    for (std::size_t d = 0; fine && d < parts.size(); ++d)
        fine = read_number(parts[d], block.at(d)) && block.at(d) >= 0;
    if (!fine)
        wrong_usage(cat("'", text, "' is not a block, such as '3', its number, or '0,1', its blockIdx in x, y, z"),
                    DiagId::TryArgumentText);
    if (fine && parts.size() == 1)
        block = {block[0], -1, -1};
    return fine;
}

bool read_tile_choice(const std::string& block, std::uint64_t line, std::optional<TileChoice>& out) {
    TileChoice choice;
    if (!read_block(block, choice.block))
        return false;
    choice.line = static_cast<int>(std::min<std::uint64_t>(line, 1u << 30));
    out = choice;
    return true;
}

namespace {

std::string name_of(const SavedTensor& tile) {
    return tile.name.substr(0, tile.name.find(" of block ")); // "tile of block (0, 0, 0) of f"
}

bool is_meant(const BlockTensorRequest& request, const SavedTensor& tensor) {
    const bool is_of_block = tensor.block && (!request.tile || tensor.is_asked);
    const bool is_of_line = request.tile && request.tile->line > 0; // not of the finding
    return is_of_block && tensor.memory == request.memory && !(is_of_line && tensor.found_at);
}

// Where the names of all that there are help.
void tell_missing(const BlockTensorRequest& request, const std::vector<SavedTensor>& tensors) {
    std::vector<std::string> names;
    for (const SavedTensor& tensor : tensors)
        if (is_meant(request, tensor) && std::ranges::count(names, name_of(tensor)) == 0)
            names.push_back(name_of(tensor));
    const bool is_shared = request.memory == "shared";
    std::string text = names.empty()
                           ? cat("no kernel with ", is_shared ? "shared memory" : "register tensors", " has this block")
                           : cat("there is no ", is_shared ? "shared" : "register", " tensor '", request.tensor,
                                 "', but ", join(names, ", "));
    if (names.empty() && request.tile && request.tile->line > 0)
        text += cat(", or none of its threads comes to line ", request.tile->line);
    print_note("error: " + text);
}

} // namespace

BlockTensorFile block_tensor_of(const BlockTensorRequest& request, const std::atomic<bool>& cancelled) {
    BlockTensorFile out;
    KernelBenchRequest bench;
    bench.run = request_of({}, request.source, cancelled);
    out.exit = open_source(request.source, bench.run.source);
    if (out.exit != exit_fine)
        return out;
    Result<std::unique_ptr<ScratchFolder>> folder = ScratchFolder::make();
    if (!folder) {
        print_note("error: " + folder.error().message);
        out.exit = exit_environment;
        return out;
    }
    out.folder = std::move(folder).value();
    bench.run.target = Target::Emulate;
    bench.run.all_checks = true;
    bench.run.print = [](std::string_view) {};
    bench.run.tiles_of = request.tile.value_or(TileChoice());
    bench.function = request.function;
    bench.save = out.folder->path();
    bench.measure = bench.figures = false;
    const KernelBenchResult result = bench_kernel_apart(bench);
    print_diagnostics(result.diagnostics);
    out.exit = exit_code(result.status);
    const auto found = std::ranges::find_if(result.tensors, [&](const SavedTensor& tensor) {
        return is_meant(request, tensor) && name_of(tensor) == request.tensor;
    });
    if (found != result.tensors.end() && !found->file.empty()) {
        out.saved = *found;
        return out;
    }
    if (found != result.tensors.end())
        print_note("error: " + found->refusal);
    else if (result.status == Status::Ok || !result.tensors.empty())
        tell_missing(request, result.tensors);
    if (result.status == Status::Ok)
        out.exit = exit_usage;
    return out;
}

} // namespace hidet::cli
