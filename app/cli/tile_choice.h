// SPDX-License-Identifier: Apache-2.0
// Shared tensors of a block of an emulated kernel and its registers, as the command line asks for them.
#pragma once

#include <optional>
#include <string>

#include "app/cli/options.h"
#include "app/session/kernel_bench/kernel_bench.h"
#include "app/session/work/scratch_folder.h"

namespace hidet::cli {

// "3" is a block by its number, "1,0" and "1,0,2" by its index; x counts fastest. False: it is none, which is told.
bool read_block(const std::string& text, std::array<std::int64_t, 3>& block);
bool read_tile_choice(const std::string& block, std::uint64_t line, std::optional<session::TileChoice>& out);

struct BlockTensorRequest {
    SourceOptions source;
    std::string function;                    // that is called; empty: the first that the script calls
    std::string memory;                      // "shared", "registers"
    std::string tensor;                      // its name in the script
    std::optional<session::TileChoice> tile; // nothing: of the block in which something was found, else of the first
};
struct BlockTensorFile {
    int exit = exit_fine; // where there is no tensor, which is told; or as the run ended
    std::optional<session::SavedTensor> saved;
    std::unique_ptr<session::ScratchFolder> folder; // of its files
};
// Emulates the script.
BlockTensorFile block_tensor_of(const BlockTensorRequest& request, const std::atomic<bool>& cancelled);

} // namespace hidet::cli
