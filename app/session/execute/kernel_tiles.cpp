// SPDX-License-Identifier: Apache-2.0
#include "app/session/execute/kernel_tiles.h"

#include <algorithm>
#include <cstring>

#include "compiler/analysis/layout_workers.h"
#include "compiler/analysis/shared_tensors.h"
#include "compiler/ir/func.h"
#include "compiler/ir/layout.h"
#include "compiler/ir/packing.h"
#include "compiler/ir/rewrite.h"
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

// Elements of an array in the order of their indices, wherever a layout has them: of a local array whichever thread, too.
class TileReader {
public:
    TileReader(const vm::KeptTile& tile, std::int64_t offset)
        : m_tile(tile), m_offset(offset), m_threads(std::max<std::int64_t>(tile.threads, 1)),
          m_bytes(static_cast<std::int64_t>(tile.bytes.size()) / m_threads) {}

    // False: its type is none that can be shown by elements, or it does not fit.
    bool read(const ir::TensorType& type) {
        const auto dtype = ir::scalar_of(type.element);
        const auto shape = extents_of(type);
        if (!dtype || !shape || !lang::holds_numbers(*dtype))
            return false;
        const std::int64_t width = ir::info(*dtype).bits / 8;
        const ir::LayoutRef layout = ir::layout_of(type);
        const auto slots = ir::constant_int(ir::size_of(layout));
        if (m_tile.threads > 0 && (!slots || *slots * width != m_bytes))
            return false;
        const std::int64_t workers = compiler::worker_count(layout).value_or(0);
        if (m_tile.threads > 0 && (workers == 0 || m_threads % workers != 0)) {
            read_slots(*dtype, width);
            return true;
        }
        return read_parts(layout, *shape, {*dtype, width, std::max<std::int64_t>(workers, 1)});
    }
    // As it lies in memory: of what no declaration says more.
    void read_bytes() { read_slots(ir::DType::U8, 1); }
    KernelTile taken(const vm::KeptTiles& block, std::string name) {
        return {block.kernel,      std::move(name), block.block, m_values, m_is_written ? nullptr : m_written,
                m_tile.threads > 0};
    }

private:
    struct Element {
        ir::DType dtype{};
        std::int64_t width = 0;   // bytes
        std::int64_t workers = 1; // that a layout spreads elements over
    };
    // Threads that have elements of their own, beyond those that the layout spreads one tensor over, are a first dimension.
    bool read_parts(const ir::LayoutRef& layout, const lang::Shape& shape, const Element& element) {
        const std::int64_t parts = m_threads / element.workers;
        lang::Shape whole = shape;
        if (parts > 1)
            whole.insert(whole.begin(), parts);
        begin(element.dtype, whole);
        for (std::int64_t part = 0; part < parts; ++part) {
            lang::Shape index(shape.size(), 0);
            do {
                const std::int64_t at = m_offset + ir::slot_of(layout, index) * element.width;
                if (at < 0 || at + element.width > m_bytes)
                    return false;
                const std::int64_t worker = element.workers > 1 ? compiler::worker_of(layout, index) : 0;
                take((part * element.workers + worker) * m_bytes + at, element.width);
            } while (next_index(index, shape));
        }
        return true;
    }
    void read_slots(ir::DType dtype, std::int64_t width) {
        const std::int64_t slots = m_bytes / width;
        begin(dtype, m_tile.threads > 0 ? lang::Shape{m_threads, slots} : lang::Shape{slots});
        for (std::int64_t thread = 0; thread < m_threads; ++thread)
            for (std::int64_t slot = 0; slot < slots; ++slot)
                take(thread * m_bytes + slot * width, width);
    }
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
    const std::int64_t m_offset, m_threads, m_bytes; // bytes of a thread
    lang::TensorRef m_values, m_written;
    bool m_is_written = true;
    std::size_t m_next = 0;
};

KernelTile bytes_of_tile(const vm::KeptTiles& block, const vm::KeptTile& tile) {
    TileReader reader(tile, 0);
    reader.read_bytes();
    return reader.taken(block, tile.name);
}

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
    if (!has_any)
        out.push_back(bytes_of_tile(block, tile));
}

// Tensors that threads hold for themselves.
class LocalTensors : public ir::Walker {
public:
    std::vector<ir::VarRef> found;

protected:
    using ir::Walker::visit;
    void visit(const ir::DeclareStmt& stmt) override {
        const bool is_own = stmt.scope == ir::Scope::Register || stmt.scope == ir::Scope::Default;
        if (is_own && ir::tensor_of(stmt.var->type))
            found.push_back(stmt.var);
        walk_children(stmt);
    }
};

std::vector<ir::VarRef> local_tensors(const ir::Module& module, const std::string& kernel) {
    LocalTensors walker;
    if (const ir::Function* function = ir::find_function(module, kernel); function && function->body)
        walker.walk(function->body);
    return std::move(walker.found);
}

// The script's own declarations know layouts, those of the lowered kernel what was inlined.
struct LocalDeclarations {
    std::vector<ir::VarRef> script, lowered;
};

// Other local arrays are variables whose address is taken.
void add_registers(const vm::KeptTiles& block, const vm::KeptTile& tile, const LocalDeclarations& declared,
                   std::vector<KernelTile>& out) {
    bool is_tensor = false;
    for (const std::vector<ir::VarRef>* vars : {&declared.script, &declared.lowered})
        for (const ir::VarRef& var : *vars) {
            if (var->name != tile.name)
                continue;
            is_tensor = true;
            if (TileReader reader(tile, 0); reader.read(*ir::tensor_of(var->type)))
                return out.push_back(reader.taken(block, tile.name));
        }
    if (is_tensor)
        out.push_back(bytes_of_tile(block, tile));
}

} // namespace

std::vector<KernelTile> tiles_of(const std::vector<vm::KeptTiles>& kept, const ir::Module& script,
                                 const ir::Module& lowered) {
    std::vector<KernelTile> out;
    for (const vm::KeptTiles& block : kept) {
        const SharedTensors of_script = tensors_in(script, block.kernel),
                            of_lowered = tensors_in(lowered, block.kernel);
        const LocalDeclarations locals{local_tensors(script, block.kernel), local_tensors(lowered, block.kernel)};
        for (const vm::KeptTile& tile : block.tiles) {
            if (tile.bytes.empty())
                continue;
            if (tile.threads > 0) {
                add_registers(block, tile, locals, out);
                continue;
            }
            if (tile.name == dynamic_memory) {
                add_dynamic(block, tile, of_script, out);
                continue;
            }
            const SharedTensorUse* known = declared(of_script, tile.name);
            if (!known)
                known = declared(of_lowered, tile.name);
            TileReader reader(tile, 0);
            const bool is_read = known && reader.read(*ir::tensor_of(known->declared->var->type));
            out.push_back(is_read ? reader.taken(block, tile.name) : bytes_of_tile(block, tile));
        }
    }
    return out;
}

} // namespace hidet::session
