// SPDX-License-Identifier: Apache-2.0
// The format: eight bytes "\x93NUMPY" and version, the length of the header (2 bytes in version 1, 4 afterwards), and the
// header, a dict of Python: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }. The elements follow.
#include "runtime/tool/npy.h"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>
#include <string_view>

#include "lang/base/files.h"
#include "runtime/tool/dtypes.h"
#include "runtime/tool/stop.h"

namespace hidet::tool {

namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t most_header = 1 << 16;
constexpr std::size_t most_dimensions = 32;
constexpr std::size_t most_bytes = std::size_t(1) << 40;

struct Header {
    std::string descr, order;
    std::vector<std::int64_t> shape;
};

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
    throw Stop{exit_wrong, "'" + path + "' " + why};
}

// What follows `'key':` in the header, up to one of the characters, which is not part of it.
std::optional<std::string_view> value_of(std::string_view header, std::string_view key, std::string_view ends) {
    std::size_t at = header.find("'" + std::string(key) + "'");
    at = at == header.npos ? at : header.find(':', at + key.size() + 2);
    at = at == header.npos ? at : header.find_first_not_of(' ', at + 1);
    const std::size_t end = at == header.npos ? at : header.find_first_of(ends, at);
    if (end == header.npos)
        return std::nullopt;
    return header.substr(at, end - at);
}

bool read_shape(std::string_view text, std::vector<std::int64_t>& shape) {
    if (text.empty() || text.front() != '(')
        return false;
    text.remove_prefix(1);
    while (text.find_first_not_of(" ,") != text.npos) {
        text.remove_prefix(text.find_first_not_of(" ,"));
        std::int64_t extent = 0;
        auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), extent);
        if (error != std::errc() || extent < 0 || shape.size() == most_dimensions)
            return false;
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
        shape.push_back(extent);
    }
    return true;
}

bool read_header(std::string_view text, Header& header) {
    auto descr = value_of(text, "descr", ",}"), order = value_of(text, "fortran_order", ",}"),
         shape = value_of(text, "shape", ")");
    if (!descr || descr->size() < 2 || !order || !shape)
        return false;
    header.descr = descr->substr(1, descr->size() - 2);
    header.order = *order;
    return read_shape(*shape, header.shape);
}

std::string header_bytes(std::FILE* file, const std::string& path) {
    unsigned char start[12] = {};
    if (std::fread(start, 1, 10, file) != 10 || std::memcmp(start, magic.data(), magic.size()) != 0 || start[6] < 1 ||
        start[6] > 3)
        refuse(path, "is no .npy file");
    std::size_t length = start[8] | std::size_t(start[9]) << 8;
    if (start[6] > 1) {
        if (std::fread(start + 10, 1, 2, file) != 2)
            refuse(path, "is no .npy file: its header is damaged");
        length |= std::size_t(start[10]) << 16 | std::size_t(start[11]) << 24;
    }
    std::string text(length <= most_header ? length : 0, '\0');
    if (text.empty() || std::fread(text.data(), 1, length, file) != length)
        refuse(path, "is no .npy file: its header is damaged");
    return text;
}

hidet_dtype dtype_of(const Header& header, const std::string& path, hidet_dtype wanted) {
    const char order = header.descr.empty() ? '\0' : header.descr[0];
    if (order == '>')
        refuse(path, "has its bytes in big-endian order ('" + header.descr + "'); little-endian is read");
    const std::string kind = header.descr.substr(std::min<std::size_t>(1, header.descr.size()));
    const DType* row = find_dtype(wanted);
    if (row && kind == row->descr)
        return wanted;
    for (const DType& each : all_dtypes())
        if (kind == each.descr && kind[0] != 'V')
            return each.dtype;
    refuse(path, "has elements of type '" + header.descr + "', which no model takes");
}

} // namespace

std::optional<std::size_t> bytes_of(hidet_dtype dtype, std::span<const std::int64_t> shape) {
    std::size_t bytes = dtype.bits / 8;
    for (std::int64_t extent : shape)
        if (extent < 0 || __builtin_mul_overflow(bytes, static_cast<std::size_t>(extent), &bytes) || bytes > most_bytes)
            return std::nullopt;
    return bytes;
}

Array read_npy(const std::string& path, hidet_dtype wanted) {
    Result<InputFile> input = InputFile::open(path);
    if (!input)
        throw Stop{exit_usage, input.error().message};
    const auto size = static_cast<std::size_t>(input.value().bytes());
    InputFile opened = std::move(input).value();
    const std::unique_ptr<std::FILE, CloseStream> file(::fdopen(opened.descriptor(), "rb"));
    if (!file)
        throw Stop{exit_environment, "cannot read '" + path + "': " + std::strerror(errno)};
    static_cast<void>(opened.release());
    Header header;
    if (!read_header(header_bytes(file.get(), path), header))
        refuse(path, "is no .npy file: its header is damaged");
    if (header.order != "False")
        refuse(path, "is in Fortran order; write numpy.ascontiguousarray(x)");
    Array array = {dtype_of(header, path, wanted), header.shape, {}};
    const std::optional<std::size_t> bytes = bytes_of(array.dtype, array.shape);
    const auto begin = static_cast<std::size_t>(std::ftell(file.get()));
    if (!bytes || size < begin || *bytes > size - begin)
        refuse(path, "ends before its last element");
    array.bytes.resize(*bytes);
    if (std::fread(array.bytes.data(), 1, *bytes, file.get()) != *bytes)
        refuse(path, "cannot be read to its end");
    return array;
}

void write_npy(const std::string& path, const Array& array) {
    const DType* row = find_dtype(array.dtype);
    const bool has_order = array.dtype.bits > 8;
    std::string shape;
    for (std::int64_t extent : array.shape)
        shape += std::to_string(extent) + (array.shape.size() == 1 ? "," : ", ");
    if (array.shape.size() > 1)
        shape.resize(shape.size() - 2);
    std::string header = std::string("{'descr': '") + (has_order ? '<' : '|') + (row ? row->descr : "V1") +
                         "', 'fortran_order': False, 'shape': (" + shape + "), }";
    // The elements begin at a multiple of 64 bytes, and the header ends with a line feed.
    header.resize((header.size() + 11 + 63) / 64 * 64 - 11, ' ');
    header += '\n';
    const std::size_t length = header.size();
    const char start[] = {1, 0, static_cast<char>(length & 0xff), static_cast<char>(length >> 8)};
    const auto written = [&]() -> Result<void> {
        HIDET_TRY(FileReplacement file, FileReplacement::begin(path));
        const std::string head = std::string(magic) + std::string(start, sizeof start) + header;
        if (Result<void> done = file.write(head); !done)
            return done;
        const std::string_view elements(reinterpret_cast<const char*>(array.bytes.data()), array.bytes.size());
        if (Result<void> done = file.write(elements); !done)
            return done;
        return file.commit();
    }();
    if (!written)
        throw Stop{exit_environment, written.error().message};
}

} // namespace hidet::tool
