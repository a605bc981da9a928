// SPDX-License-Identifier: Apache-2.0
#include "app/session/tensor/stored_tensor.h"

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <optional>

#include <unistd.h>

#include "lang/base/files.h"
#include "lang/base/numeric.h"
#include "lang/base/text.h"
#include "lang/tensor/elements.h"
#include "lang/tensor/npy.h"

namespace hidet::session {

using ir::DType;

namespace {

template <class T>
T item_at(const char* data, std::size_t i) {
    T out;
    std::memcpy(&out, data + i * sizeof out, sizeof out);
    return out;
}

double converted(DType dtype, const char* data, std::size_t i) {
    switch (dtype) {
    case DType::Bool: return static_cast<double>(item_at<std::uint8_t>(data, i) != 0);
    case DType::I8: return static_cast<double>(item_at<std::int8_t>(data, i));
    case DType::I16: return static_cast<double>(item_at<std::int16_t>(data, i));
    case DType::I32: return static_cast<double>(item_at<std::int32_t>(data, i));
    case DType::I64: return static_cast<double>(item_at<std::int64_t>(data, i));
    case DType::U8: return static_cast<double>(item_at<std::uint8_t>(data, i));
    case DType::U16: return static_cast<double>(item_at<std::uint16_t>(data, i));
    case DType::U32: return static_cast<double>(item_at<std::uint32_t>(data, i));
    case DType::U64: return static_cast<double>(item_at<std::uint64_t>(data, i));
    case DType::F16: return static_cast<double>(f16_to_f32(item_at<std::uint16_t>(data, i)));
    case DType::BF16: return static_cast<double>(bf16_to_f32(item_at<std::uint16_t>(data, i)));
    case DType::F8E4M3: return static_cast<double>(e4m3_to_f32(item_at<std::uint8_t>(data, i)));
    case DType::F8E5M2: return static_cast<double>(e5m2_to_f32(item_at<std::uint8_t>(data, i)));
    case DType::F64: return static_cast<double>(item_at<double>(data, i));
    default: return static_cast<double>(item_at<float>(data, i)); // f32, tf32
    }
}

std::optional<DType> stored_as(const lang::NpyHeader& header, const std::string& name) {
    if (header.dtype)
        return header.dtype;
    const std::optional<DType> named = ir::find_dtype(name);
    if (named && header.descr.size() > 1 && header.descr[header.descr.size() - 2] == 'V' &&
        ir::info(*named).bits == 8 * (header.descr.back() - '0'))
        return named;
    return std::nullopt;
}

} // namespace

Result<StoredTensorPtr> StoredTensor::open(const std::string& path, const std::string& dtype) {
    HIDET_TRY(const lang::NpyHeader header, lang::read_npy_header(path));
    const std::optional<DType> as = stored_as(header, dtype);
    if (!as)
        return Error{"npy-type",
                     cat("'", path, "' holds items of the type '", header.descr, "', which are no numbers here")};
    if (header.fortran_order)
        return Error{"npy-order", cat("'", path, "' has its elements column by column")};
    std::shared_ptr<StoredTensor> out(new StoredTensor);
    out->m_path = path;
    out->m_dtype = *as;
    out->m_shape = header.shape;
    out->m_offset = header.data_offset;
    out->m_count = 1;
    std::int64_t bytes = ir::info(*as).bits / 8;
    bool fits = true;
    for (std::int64_t extent : header.shape)
        fits = fits && extent >= 0 && !__builtin_mul_overflow(out->m_count, extent, &out->m_count);
    fits = fits && !__builtin_mul_overflow(out->m_count, bytes, &bytes);
    HIDET_TRY(InputFile file, InputFile::open(path));
    const auto size = static_cast<std::uint64_t>(file.bytes());
    out->m_file = file.release();
    if (!fits || size < header.data_offset + static_cast<std::uint64_t>(bytes))
        return Error{"npy-truncated", cat("'", path, "' ends before its last element")};
    return StoredTensorPtr(std::move(out));
}

Result<StoredTensorPtr> StoredTensor::of(lang::TensorRef tensor, const std::string& name) {
    if (!tensor || !tensor->has_data())
        return Error{"wrong-usage", cat("the values of '", name, "' are not in the file")};
    if (!lang::holds_values(tensor->dtype))
        return Error{"wrong-usage", cat("'", name, "' holds '", ir::info(tensor->dtype).name, "', which is no number")};
    std::shared_ptr<StoredTensor> out(new StoredTensor);
    out->m_path = name;
    out->m_dtype = tensor->dtype;
    out->m_shape = tensor->shape;
    out->m_count = tensor->count();
    out->m_tensor = std::move(tensor);
    return StoredTensorPtr(std::move(out));
}

bool StoredTensor::is_same(const StoredTensor& other) const {
    return m_tensor || other.m_tensor ? m_tensor.get() == other.m_tensor.get() : m_path == other.m_path;
}

Result<void> StoredTensor::write(const std::string& path) const {
    if (m_tensor)
        return lang::write_npy(path, *m_tensor);
    HIDET_TRY(const InputFile file, InputFile::open(m_path));
    HIDET_TRY(FileReplacement out, FileReplacement::begin(path));
    HIDET_TRY_TO(out.copy(file));
    return out.commit();
}

StoredTensor::~StoredTensor() {
    if (m_file >= 0)
        ::close(m_file);
}

std::string StoredTensor::dtype_name() const {
    return ir::info(m_dtype).short_name;
}

bool StoredTensor::read_bytes(std::int64_t first, std::int64_t count, std::vector<char>& out) const {
    const std::int64_t bytes = ir::info(m_dtype).bits / 8;
    if (first < 0 || count < 0 || first > m_count - count)
        return false;
    out.resize(static_cast<std::size_t>(count * bytes));
    std::size_t done = 0;
    while (done < out.size()) {
        const ssize_t got = ::pread(m_file, out.data() + done, out.size() - done,
                                    static_cast<off_t>(m_offset + static_cast<std::uint64_t>(first * bytes) + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        done += static_cast<std::size_t>(got);
    }
    return true;
}

bool StoredTensor::read(std::int64_t first, std::span<double> out) const {
    if (m_tensor)
        return read_memory(first, out);
    std::vector<char> bytes;
    if (!read_bytes(first, static_cast<std::int64_t>(out.size()), bytes))
        return false;
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = converted(m_dtype, bytes.data(), i);
    return true;
}

bool StoredTensor::read_memory(std::int64_t first, std::span<double> out) const {
    if (first < 0 || first > m_count - static_cast<std::int64_t>(out.size()))
        return false;
    if (lang::holds_numbers(m_dtype)) {
        const auto bytes = static_cast<std::size_t>(ir::info(m_dtype).bits / 8);
        const char* data = reinterpret_cast<const char*>(m_tensor->read()) + static_cast<std::size_t>(first) * bytes;
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = converted(m_dtype, data, i);
        return true;
    }
    for (std::size_t i = 0; i < out.size(); ++i) // less than a byte each
        out[i] = static_cast<double>(lang::element_integer(*m_tensor, first + static_cast<std::int64_t>(i)));
    return true;
}

std::string element_text(double value, bool is_float, const TensorFormatting& how) {
    if (std::isnan(value))
        return "nan";
    if (std::isinf(value))
        return value < 0 ? "-inf" : "inf";
    // Whatever the language of the machine: no snprintf.
    char text[400];
    const bool is_hexadecimal = how.format == TensorFormat::Hexadecimal;
    const std::chars_format format = is_hexadecimal                           ? std::chars_format::hex
                                     : how.format == TensorFormat::Fixed      ? std::chars_format::fixed
                                     : how.format == TensorFormat::Scientific ? std::chars_format::scientific
                                                                              : std::chars_format::general;
    const double size = std::fabs(value);
    std::to_chars_result end{};
    if (!is_float && is_hexadecimal)
        end = std::to_chars(text, text + sizeof text, static_cast<std::uint64_t>(size), 16);
    else if (!is_float)
        end = std::to_chars(text, text + sizeof text, size, std::chars_format::fixed, 0);
    else if (is_hexadecimal)
        end = std::to_chars(text, text + sizeof text, size, format);
    else
        end = std::to_chars(text, text + sizeof text, size, format, how.digits);
    return cat(std::signbit(value) && (is_float || value < 0) ? "-" : "", is_hexadecimal ? "0x" : "",
               std::string_view(text, static_cast<std::size_t>(end.ptr - text)));
}

} // namespace hidet::session
