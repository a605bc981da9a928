// SPDX-License-Identifier: Apache-2.0
#include "lang/tensor/npy.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <sys/stat.h>

#include "lang/base/files.h"
#include "lang/base/text.h"

namespace hidet::lang {

using ir::DType;

namespace {

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

Result<File> open(const std::string& path) {
    HIDET_TRY(InputFile input, InputFile::open(path));
    File file(::fdopen(input.descriptor(), "rb"));
    if (!file)
        return Error{"file-unreadable", cat("cannot read '", path, "': ", std::strerror(errno))};
    static_cast<void>(input.release());
    return file;
}

Result<NpyHeader> header_of(std::FILE& file, const std::string& path) {
    NpyHeader header;
    switch (read_npy_start(file, header)) {
    case NpyFault::None: break;
    case NpyFault::Version:
        return Error{"npy-malformed",
                     cat("'", path, "' has version ", header.version, " of the .npy format, which is not known")};
    default: return Error{"npy-malformed", cat("'", path, "' is no .npy file, or its header is damaged")};
    }
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
    const char* order = descr[1] == '1' || descr[0] == 'V' ? "|" : "<";
    auto bytes = static_cast<std::size_t>(tensor.count()) * static_cast<std::size_t>(ir::bytes_of(tensor.dtype));
    HIDET_TRY(FileReplacement file, FileReplacement::begin(path));
    if (Result<void> written = file.write(npy_start(cat(order, descr), tensor.shape)); !written)
        return written;
    if (Result<void> written = file.write({reinterpret_cast<const char*>(tensor.read()), bytes}); !written)
        return written;
    return file.commit();
}

} // namespace hidet::lang
