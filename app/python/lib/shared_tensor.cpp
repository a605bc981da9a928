// SPDX-License-Identifier: Apache-2.0
#include "app/python/lib/shared_tensor.h"

#include <algorithm>
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/c_env_api.h>

#include "compiler/ir/dtype.h"
#include "lang/base/text.h"

namespace hidet::python {

namespace ffi = tvm::ffi;

namespace {

struct Code {
    ir::DType dtype;
    std::uint8_t code, bits;
};
constexpr Code codes[] = {
    {ir::DType::Bool, kDLBool, 8},          {ir::DType::I8, kDLInt, 8},
    {ir::DType::I16, kDLInt, 16},           {ir::DType::I32, kDLInt, 32},
    {ir::DType::I64, kDLInt, 64},           {ir::DType::U8, kDLUInt, 8},
    {ir::DType::U16, kDLUInt, 16},          {ir::DType::U32, kDLUInt, 32},
    {ir::DType::U64, kDLUInt, 64},          {ir::DType::F16, kDLFloat, 16},
    {ir::DType::F32, kDLFloat, 32},         {ir::DType::F64, kDLFloat, 64},
    {ir::DType::BF16, kDLBfloat, 16},       {ir::DType::F8E4M3, kDLFloat8_e4m3fn, 8},
    {ir::DType::F8E5M2, kDLFloat8_e5m2, 8},
};

[[noreturn]] void refuse(const char* kind, const std::string& why) {
    throw ffi::Error(kind, why, "");
}

ir::DType dtype_of(const DLDataType& type) {
    for (const Code& each : codes)
        if (each.code == type.code && each.bits == type.bits && type.lanes == 1)
            return each.dtype;
    refuse("TypeError", cat("hidet has no dtype of DLPack's code ", int{type.code}, " with ", int{type.bits}, " bits"));
}

template <class T>
T checked(Result<T> result) {
    if (!result)
        refuse("RuntimeError", result.error().message);
    return std::move(result.value());
}

void checked(const Result<void>& result) {
    if (!result)
        refuse("RuntimeError", result.error().message);
}

session::SharedDevice& device_of(PythonSession& session, const DLDevice& device) {
    session::SharedDevice* own = session.device();
    if (!own)
        refuse("ValueError", "a tensor on a GPU is given, and hidet computes on none: HIDET_TARGET=cuda says why");
    if (device.device_id != own->ordinal())
        refuse("ValueError",
               cat("a tensor on cuda:", device.device_id, " is given, and hidet computes on cuda:", own->ordinal()));
    return *own;
}

std::shared_ptr<lang::Storage> storage_of(PythonSession& session, const ffi::Tensor& given, std::size_t bytes) {
    const DLTensor& tensor = *given.GetDLTensorPtr();
    auto* data = static_cast<std::byte*>(tensor.data) + tensor.byte_offset;
    if (tensor.device.device_type == kDLCUDA || tensor.device.device_type == kDLCUDAManaged) {
        session::SharedDevice& device = device_of(session, tensor.device);
        follow_caller(device);
        return device.borrow(reinterpret_cast<std::uintptr_t>(data), bytes, std::make_shared<ffi::Tensor>(given));
    }
    if (tensor.device.device_type != kDLCPU && tensor.device.device_type != kDLCUDAHost)
        refuse("ValueError", "only tensors in memory of the host or of a GPU of NVIDIA are shared");
    std::shared_ptr<std::byte[]> shared(data, [given](std::byte*) {}); // which keeps the tensor
    return std::make_shared<lang::Storage>(std::move(shared), bytes);
}

} // namespace

bool is_dense(const DLTensor& tensor) {
    if (std::find(tensor.shape, tensor.shape + tensor.ndim, 0) != tensor.shape + tensor.ndim)
        return true;
    std::int64_t step = 1;
    for (int i = tensor.ndim - 1; i >= 0; --i) {
        if (tensor.strides && tensor.shape[i] != 1 && tensor.strides[i] != step)
            return false;
        step *= tensor.shape[i];
    }
    return true;
}

void follow_caller(session::SharedDevice& device) {
    checked(device.follow(TVMFFIEnvGetStream(kDLCUDA, device.ordinal())));
}

lang::TensorRef shared_tensor(PythonSession& session, const ffi::Tensor& given) {
    const DLTensor& tensor = *given.GetDLTensorPtr();
    if (!is_dense(tensor))
        refuse("ValueError", "a tensor that is shared is dense and row-major: make it contiguous()");
    lang::TensorRef out(new lang::Tensor);
    out->dtype = dtype_of(tensor.dtype);
    out->shape.assign(tensor.shape, tensor.shape + tensor.ndim);
    const auto bytes = static_cast<std::size_t>(out->count()) * tensor.dtype.bits / 8;
    out->storage = storage_of(session, given, bytes);
    if (out->storage->device_copy())
        out->device = Device::Cuda;
    return out;
}

namespace {

struct Exported { // what DLPack's consumer holds
    DLManagedTensor managed{};
    lang::TensorRef tensor;
    std::vector<std::int64_t> shape;
};

} // namespace

ffi::Tensor exported_tensor(PythonSession& session, const lang::TensorRef& tensor) {
    if (!tensor->has_data())
        refuse("ValueError", "the tensor has a shape and no data");
    const Code* found = nullptr;
    for (const Code& each : codes)
        if (each.dtype == tensor->dtype)
            found = &each;
    if (!found)
        refuse("TypeError", cat("DLPack has no dtype for '", ir::info(tensor->dtype).name, "'"));
    auto own = std::make_unique<Exported>();
    Exported* out = own.get();
    out->tensor = tensor;
    out->shape = tensor->shape;
    DLTensor& dl = out->managed.dl_tensor;
    session::SharedDevice* device = tensor->device == Device::Cuda ? session.device() : nullptr;
    if (device) {
        dl.data = reinterpret_cast<void*>(checked(device->lend(*tensor)));
        dl.device = {kDLCUDA, device->ordinal()};
    } else {
        dl.data = tensor->data();
        dl.device = {kDLCPU, 0};
    }
    dl.ndim = static_cast<int>(out->shape.size());
    dl.dtype = {found->code, found->bits, 1};
    dl.shape = out->shape.data();
    out->managed.manager_ctx = out;
    out->managed.deleter = [](DLManagedTensor* self) { delete static_cast<Exported*>(self->manager_ctx); };
    own.release();                          // the tensor's now
    tensor->storage->uninitialised = false; // as far as we can know
    return ffi::Tensor::FromDLPack(&out->managed);
}

} // namespace hidet::python
