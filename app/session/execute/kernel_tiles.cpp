// SPDX-License-Identifier: Apache-2.0
#include "app/session/execute/kernel_tiles.h"

#include <algorithm>
#include <cstring>

#include "compiler/analysis/shared_tensors.h"
#include "compiler/ir/func.h"
#include "compiler/ir/layout.h"
#include "compiler/ir/packing.h"
#include "compiler/ir/type.h"
#include "lang/tensor/elements.h"

namespace hidet::session {

namespace {

using compiler::SharedTensors;
using compiler::SharedTensorUse;

lang::TensorRef new_tile(ir::DType dtype, const lang::Shape& shape) {
    const lang::TensorRef out(new lang::Tensor);
    out->dtype = dtype;
    out->shape = shape;
    out->storage = std::make_shared<lang::Storage>(static_cast<std::size_t>(ir::packed_bytes(dtype, out->count())));
    return out;
}

std::optional<lang::Shape> extents_of(const ir::TensorType& type) {
    lang::Shape out;
    for (const ir::ExprRef& extent : type.shape) {
        const auto known = ir::constant_int(extent);
        if (!known || *known <= 0)
            return std::nullopt;
        out.push_back(*known);
    }
    return out;
}

bool next_index(lang::Shape& index, const lang::Shape& shape) {
    for (std::size_t dim = shape.size(); dim-- > 0;) {
        if (++index[dim] < shape[dim])
            return true;
        index[dim] = 0;
    }
    return false;
}

// Elements of a shared array in the order of their indices, wherever a layout has them.
class TileReader {
public:
    TileReader(const vm::KeptTile& tile, std::int64_t offset) : m_tile(tile), m_offset(offset) {}

    // False: its type is none that can be shown by elements, or it does not fit.
    bool read(const ir::TensorType& type) {
        const auto dtype = ir::scalar_of(type.element);
        const auto shape = extents_of(type);
        if (!dtype || !shape || !lang::holds_numbers(*dtype))
            return false;
        const std::int64_t width = ir::info(*dtype).bits / 8;
        const ir::LayoutRef layout = ir::layout_of(type);
        begin(*dtype, *shape);
        lang::Shape index(shape->size(), 0);
        do {
            const std::int64_t at = m_offset + ir::slot_of(layout, index) * width;
            if (at < 0 || at + width > static_cast<std::int64_t>(m_tile.bytes.size()))
                return false;
            take(at, width);
        } while (next_index(index, *shape));
        return true;
    }
    // As it lies in memory: of what no declaration says more.
    void read_bytes() {
        const auto count = static_cast<std::int64_t>(m_tile.bytes.size());
        begin(ir::DType::U8, {count});
        for (std::int64_t at = 0; at < count; ++at)
            take(at, 1);
    }
    KernelTile taken(const vm::KeptTiles& block, std::string name) {
        return {block.kernel, std::move(name), block.block, m_values, m_is_written ? nullptr : m_written};
    }

private:
    void begin(ir::DType dtype, const lang::Shape& shape) {
        m_values = new_tile(dtype, shape);
        m_written = new_tile(ir::DType::Bool, shape);
        m_is_written = true;
        m_next = 0;
    }
    void take(std::int64_t at, std::int64_t width) {
        const auto from = static_cast<std::size_t>(at), count = static_cast<std::size_t>(width);
        std::memcpy(m_values->data() + m_next * count, m_tile.bytes.data() + from, count);
        bool is_written = true;
        for (std::size_t i = 0; i < count && !m_tile.written.empty(); ++i)
            is_written = is_written && m_tile.written[from + i];
        m_written->data()[m_next++] = static_cast<std::byte>(is_written);
        m_is_written = m_is_written && is_written;
    }

    const vm::KeptTile& m_tile;
    const std::int64_t m_offset;
    lang::TensorRef m_values, m_written;
    bool m_is_written = true;
    std::size_t m_next = 0;
};

const SharedTensorUse* declared(const SharedTensors& tensors, const std::string& name) {
    const auto found = std::ranges::find_if(tensors.all, [&](const SharedTensorUse& tensor) {
        return !tensor.is_dynamic && tensor.declared->var->name == name;
    });
    return found == tensors.all.end() ? nullptr : &*found;
}

SharedTensors tensors_in(const ir::Module& module, const std::string& kernel) {
    const ir::Function* function = ir::find_function(module, kernel);
    return function ? compiler::shared_tensors(*function) : SharedTensors();
}

constexpr const char* dynamic_memory = "dynamic shared memory"; // as the bytecode calls it

void add_dynamic(const vm::KeptTiles& block, const vm::KeptTile& tile, const SharedTensors& script,
                 std::vector<KernelTile>& out) {
    bool has_any = false;
    for (const SharedTensorUse& tensor : script.all) {
        TileReader reader(tile, tensor.offset);
        if (!tensor.is_dynamic || !reader.read(*ir::tensor_of(tensor.declared->var->type)))
            continue;
        out.push_back(reader.taken(block, tensor.declared->var->name));
        has_any = true;
    }
    if (has_any)
        return;
    TileReader reader(tile, 0);
    reader.read_bytes();
    out.push_back(reader.taken(block, tile.name));
}

} // namespace

std::vector<KernelTile> tiles_of(const std::vector<vm::KeptTiles>& kept, const ir::Module& script,
                                 const ir::Module& lowered) {
    std::vector<KernelTile> out;
    for (const vm::KeptTiles& block : kept) {
        const SharedTensors of_script = tensors_in(script, block.kernel),
                            of_lowered = tensors_in(lowered, block.kernel);
        for (const vm::KeptTile& tile : block.tiles) {
            if (tile.bytes.empty())
                continue;
            if (tile.name == dynamic_memory) {
                add_dynamic(block, tile, of_script, out);
                continue;
            }
            const SharedTensorUse* known = declared(of_script, tile.name);
            if (!known)
                known = declared(of_lowered, tile.name);
            TileReader reader(tile, 0);
            if (!known || !reader.read(*ir::tensor_of(known->declared->var->type)))
                reader.read_bytes();
            out.push_back(reader.taken(block, tile.name));
        }
    }
    return out;
}

} // namespace hidet::session
