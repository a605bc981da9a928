// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/npy.h"

#include <cerrno>
#include <cstring>
#include <memory>
#include <string_view>

#include "lang/base/files.h"
#include "lang/base/npy.h"
#include "runtime/tool/dtypes.h"
#include "runtime/tool/stop.h"

namespace hidet::tool {

namespace {

constexpr std::size_t most_bytes = std::size_t(1) << 40;

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
    throw Stop{exit_wrong, "'" + path + "' " + why};
}

hidet_dtype dtype_of(const NpyStart& header, const std::string& path, hidet_dtype wanted) {
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
    NpyStart header;
    if (const NpyFault fault = read_npy_start(*file, header); fault != NpyFault::None)
        refuse(path, fault == NpyFault::Header ? "is no .npy file: its header is damaged" : "is no .npy file");
    if (header.fortran_order)
        refuse(path, "is in Fortran order; write numpy.ascontiguousarray(x)");
    Array array = {dtype_of(header, path, wanted), header.shape, {}};
    const std::optional<std::size_t> bytes = bytes_of(array.dtype, array.shape);
    const auto begin = static_cast<std::size_t>(header.data_offset);
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
    const std::string start = npy_start(std::string(1, has_order ? '<' : '|') + (row ? row->descr : "V1"), array.shape);
    const auto written = [&]() -> Result<void> {
        HIDET_TRY(FileReplacement file, FileReplacement::begin(path));
        if (Result<void> done = file.write(start); !done)
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
