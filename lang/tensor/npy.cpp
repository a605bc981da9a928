// SPDX-License-Identifier: Apache-2.0
// The format: "\x93NUMPY", two bytes of version, the length of the header (2 bytes in version 1, 4 in 2 and 3), and the
// header, a Python dict as text: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }. The elements follow.
#include "lang/tensor/npy.h"

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <memory>
#include <sys/stat.h>

#include "lang/base/files.h"
#include "lang/base/text.h"

namespace hidet::lang {

using ir::DType;

namespace {

constexpr std::size_t most_header = 1 << 16; // bytes
constexpr std::size_t most_dimensions = 32;

using File = std::unique_ptr<std::FILE, CloseStream>;

struct Row {
    DType dtype;
    const char* descr; // without the byte order
};
constexpr Row rows[] = {
    {DType::Bool, "b1"}, {DType::I8, "i1"},  {DType::I16, "i2"},  {DType::I32, "i4"},    {DType::I64, "i8"},
    {DType::U8, "u1"},   {DType::U16, "u2"}, {DType::U32, "u4"},  {DType::U64, "u8"},    {DType::F16, "f2"},
    {DType::F32, "f4"},  {DType::F64, "f8"}, {DType::BF16, "V2"}, {DType::F8E4M3, "V1"}, {DType::F8E5M2, "V1"},
};

std::optional<DType> dtype_of(const std::string& descr) {
    if (descr.size() < 3 || descr[0] == '>' || descr[1] == 'V')
        return std::nullopt;
    for (const Row& row : rows)
        if (descr.compare(1, std::string::npos, row.descr) == 0)
            return row.dtype;
    return std::nullopt;
}

const char* descr_of(DType dtype) {
    for (const Row& row : rows)
        if (row.dtype == dtype)
            return row.descr;
    return dtype == DType::TF32 ? "f4" : nullptr;
}

// The dict of the header. Its keys come in any order, its blanks anywhere.
class HeaderReader {
public:
    explicit HeaderReader(std::string_view text) : m_text(text) {}

    bool read(NpyHeader& out) {
        bool has_descr = false, has_order = false, has_shape = false;
        if (!take('{'))
            return false;
        while (!take('}')) {
            std::string key;
            if (!string(key) || !take(':'))
                return false;
            if (key == "descr")
                has_descr = string(out.descr);
            else if (key == "fortran_order")
                has_order = boolean(out.fortran_order);
            else if (key == "shape")
                has_shape = tuple(out.shape);
            else
                return false;
            if (!take(',') && peek() != '}')
                return false;
        }
        return has_descr && has_order && has_shape;
    }

private:
    char peek() {
        while (m_at < m_text.size() && std::strchr(" \t\n", m_text[m_at]))
            ++m_at;
        return m_at < m_text.size() ? m_text[m_at] : '\0';
    }
    bool take(char c) {
        if (peek() != c)
            return false;
        ++m_at;
        return true;
    }
    bool string(std::string& out) {
        char mark = peek();
        if (mark != '\'' && mark != '"')
            return false;
        std::size_t end = m_text.find(mark, m_at + 1);
        if (end == std::string_view::npos)
            return false;
        out = m_text.substr(m_at + 1, end - m_at - 1);
        m_at = end + 1;
        return true;
    }
    bool boolean(bool& out) {
        peek();
        for (std::string_view word : {"True", "False"})
            if (m_text.substr(m_at).starts_with(word)) {
                out = word == "True";
                m_at += word.size();
                return true;
            }
        return false;
    }
    bool tuple(std::vector<std::int64_t>& out) {
        if (!take('('))
            return false;
        while (!take(')')) {
            peek();
            std::int64_t extent = 0;
            const char* begin = m_text.data() + m_at;
            auto [end, error] = std::from_chars(begin, m_text.data() + m_text.size(), extent);
            if (error != std::errc() || extent < 0 || out.size() == most_dimensions)
                return false;
            m_at += static_cast<std::size_t>(end - begin);
            out.push_back(extent);
            if (!take(',') && peek() != ')')
                return false;
        }
        return true;
    }

    std::string_view m_text;
    std::size_t m_at = 0;
};

Error malformed(const std::string& path) {
    return {"npy-malformed", cat("'", path, "' is no .npy file, or its header is damaged")};
}

Result<File> open(const std::string& path) {
    HIDET_TRY(InputFile input, InputFile::open(path));
    File file(::fdopen(input.descriptor(), "rb"));
    if (!file)
        return Error{"file-unreadable", cat("cannot read '", path, "': ", std::strerror(errno))};
    static_cast<void>(input.release());
    return file;
}

Result<NpyHeader> header_of(std::FILE& file, const std::string& path) {
    unsigned char start[12];
    if (std::fread(start, 1, 10, &file) != 10 || std::memcmp(start, "\x93NUMPY", 6) != 0)
        return malformed(path);
    int version = start[6];
    std::size_t length = start[8] | static_cast<std::size_t>(start[9]) << 8;
    std::size_t at = 10;
    if (version == 2 || version == 3) {
        if (std::fread(start + 10, 1, 2, &file) != 2)
            return malformed(path);
        length |= static_cast<std::size_t>(start[10]) << 16 | static_cast<std::size_t>(start[11]) << 24;
        at = 12;
    } else if (version != 1) {
        return Error{"npy-malformed",
                     cat("'", path, "' has version ", version, " of the .npy format, which is not known")};
    }
    std::string text(length <= most_header ? length : 0, '\0');
    NpyHeader header;
    if (text.empty() || std::fread(text.data(), 1, length, &file) != length || !HeaderReader(text).read(header))
        return malformed(path);
    header.data_offset = at + length;
    header.dtype = dtype_of(header.descr);
    return header;
}

// Nothing: more than 64 bits count.
std::optional<std::uint64_t> bytes_of(const std::vector<std::int64_t>& shape, DType dtype) {
    std::uint64_t bytes = static_cast<std::uint64_t>(ir::bytes_of(dtype));
    for (std::int64_t extent : shape)
        if (__builtin_mul_overflow(bytes, static_cast<std::uint64_t>(extent), &bytes))
            return std::nullopt;
    return bytes;
}

std::optional<DType> type_of_items(const NpyHeader& header, std::optional<DType> stored_as) {
    if (header.dtype || !stored_as || header.descr.size() < 3)
        return header.dtype;
    const char* descr = descr_of(*stored_as);
    bool is_untyped = descr && descr[0] == 'V' && header.descr.compare(1, std::string::npos, descr) == 0;
    return is_untyped ? stored_as : std::nullopt;
}

} // namespace

Result<NpyHeader> read_npy_header(const std::string& path) {
    HIDET_TRY(File file, open(path));
    return header_of(*file, path);
}

Result<TensorRef> read_npy(const std::string& path, std::optional<DType> stored_as, const NpyLimits& limits) {
    HIDET_TRY(File file, open(path));
    HIDET_TRY(NpyHeader header, header_of(*file, path));
    std::optional<DType> dtype = type_of_items(header, stored_as);
    if (!dtype)
        return Error{"npy-type", cat("'", path, "' holds elements of type '", header.descr,
                                     "'; bools, integers and floats in little-endian order can be read")};
    if (header.fortran_order && header.shape.size() > 1)
        return Error{"npy-order", cat("'", path,
                                      "' is stored column after column (Fortran order); save it with "
                                      "numpy.ascontiguousarray")};
    std::optional<std::uint64_t> bytes = bytes_of(header.shape, *dtype);
    if (!bytes || *bytes > limits.bytes)
        return Error{"npy-too-large", cat("'", path, "' is larger than ", limits.bytes >> 20, " MB")};
    struct stat facts = {};
    bool known = ::fstat(::fileno(file.get()), &facts) == 0;
    std::uint64_t there = known ? static_cast<std::uint64_t>(facts.st_size) : 0;
    if (there < header.data_offset || there - header.data_offset < *bytes)
        return Error{"npy-truncated",
                     cat("'", path, "' ends early: its header promises ", *bytes, " bytes of elements, and there are ",
                         there < header.data_offset ? 0 : there - header.data_offset)};
    TensorRef tensor(new Tensor);
    tensor->dtype = *dtype;
    tensor->shape = header.shape;
    tensor->is_torch = true;
    tensor->storage = std::make_shared<Storage>(static_cast<std::size_t>(*bytes));
    if (std::fread(tensor->data(), 1, static_cast<std::size_t>(*bytes), file.get()) != *bytes)
        return Error{"npy-truncated", cat("'", path, "' ends early")};
    return tensor;
}

Result<void> write_npy(const std::string& path, const Tensor& tensor) {
    const char* descr = descr_of(tensor.dtype);
    if (!descr)
        return Error{"npy-type", cat("a .npy file cannot hold elements of type ", ir::info(tensor.dtype).name)};
    std::string shape;
    for (std::int64_t extent : tensor.shape)
        shape += cat(shape.empty() ? "" : ", ", extent);
    shape += tensor.shape.size() == 1 ? "," : "";
    const char* order = descr[1] == '1' || descr[0] == 'V' ? "|" : "<";
    std::string header = cat("{'descr': '", order, descr, "', 'fortran_order': False, 'shape': (", shape, "), }");
    header.append(63 - (10 + header.size()) % 64, ' ');
    header += '\n';
    std::string start("\x93NUMPY\x01\x00", 8);
    start += static_cast<char>(header.size() & 0xFF);
    start += static_cast<char>(header.size() >> 8);
    start += header;
    auto bytes = static_cast<std::size_t>(tensor.count()) * static_cast<std::size_t>(ir::bytes_of(tensor.dtype));
    HIDET_TRY(FileReplacement file, FileReplacement::begin(path));
    if (Result<void> written = file.write(start); !written)
        return written;
    if (Result<void> written = file.write({reinterpret_cast<const char*>(tensor.read()), bytes}); !written)
        return written;
    return file.commit();
}

} // namespace hidet::lang
