// SPDX-License-Identifier: Apache-2.0
// A tensor in a .npy file, read part by part: whoever looks at some of its elements waits for those alone, however large it
// is. Or one in memory, which nobody changes. May be read on any thread, on several at once.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "compiler/ir/dtype.h"
#include "lang/base/result.h"
#include "lang/tensor/tensor.h"

namespace hidet::session {

class StoredTensor;
using StoredTensorPtr = std::shared_ptr<const StoredTensor>;

class StoredTensor {
public:
    // `dtype`, "bf16", is that of items without a type of their own; else it is not looked at. Errors: those of
    // lang/tensor/npy.h.
    static Result<StoredTensorPtr> open(const std::string& path, const std::string& dtype = "");
    // "wrong-usage": it has no data, or none that are numbers.
    static Result<StoredTensorPtr> of(lang::TensorRef tensor, const std::string& name);
    ~StoredTensor();
    StoredTensor(const StoredTensor&) = delete;
    StoredTensor& operator=(const StoredTensor&) = delete;

    const std::string& path() const { return m_path; } // of one in memory what it is called
    bool is_same(const StoredTensor& other) const;
    // As a .npy file, whichever it was. Errors: those of lang::write_npy, and "file-unreadable".
    Result<void> write(const std::string& path) const;
    std::string dtype_name() const; // "f32"
    bool is_float() const { return ir::is_float(m_dtype); }
    const std::vector<std::int64_t>& shape() const { return m_shape; }
    std::int64_t count() const { return m_count; }

    // The elements from `first` on, row-major; integers of more than 53 bits are rounded. False: the file has changed or cannot be read any more.
    bool read(std::int64_t first, std::span<double> out) const;

private:
    StoredTensor() = default;
    bool read_memory(std::int64_t first, std::span<double> out) const;
    bool read_bytes(std::int64_t first, std::int64_t count, std::vector<char>& out) const;

    std::string m_path;
    ir::DType m_dtype = ir::DType::F32;
    std::vector<std::int64_t> m_shape;
    std::int64_t m_count = 0;
    std::uint64_t m_offset = 0; // of the elements in the file
    int m_file = -1;
    lang::TensorRef m_tensor; // in memory; null: in the file
};

// An element as text: "1.25", "nan", "-3".
enum class TensorFormat : std::uint8_t { General, Fixed, Scientific, Hexadecimal };
struct TensorFormatting {
    TensorFormat format = TensorFormat::General;
    int digits = 5; // that count, or behind the point
};
std::string element_text(double value, bool is_float, const TensorFormatting& how);

} // namespace hidet::session
