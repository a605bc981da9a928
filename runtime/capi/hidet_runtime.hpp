// SPDX-License-Identifier: Apache-2.0
// Runs compiled models from C++20: hidet_runtime.h with owners, spans and results. Header only; link libhidet_runtime.
//
//     namespace hr = hidet::runtime;
//     hr::Model model = hr::Package::open("model.hidet").value().create({.runs_native_code = true}).value();
//     std::vector<float> image(3 * 224 * 224);
//     hr::Tensor inputs[] = {hr::Tensor(std::span(image), {1, 3, 224, 224})};
//     model.run(inputs).value();
//     std::vector<float> scores = model.read<float>(0).value();
//
// Nothing here throws but Result::value(), where there is an error and the program has exceptions, and what allocates memory.
// Threads are as in hidet_runtime.h: a package serves many, a model one at a time.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "hidet_runtime.h"

namespace hidet::runtime {

// ---- results ----

struct Error {
    hidet_status status = HIDET_OK;
    std::string message; // a lower-case sentence
};

class Failure : public std::runtime_error {
public:
    explicit Failure(const Error& error) : std::runtime_error(error.message), m_status(error.status) {}
    hidet_status status() const { return m_status; }

private:
    hidet_status m_status;
};

// A value, or why there is none. `*` and `->` are for who has looked; value() looks, and throws a Failure.
template <class T>
class [[nodiscard]] Result {
public:
    Result(T value) : m_state(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : m_state(std::in_place_index<1>, std::move(error)) {}

    bool has_value() const { return m_state.index() == 0; }
    explicit operator bool() const { return has_value(); }
    const Error& error() const { return *std::get_if<1>(&m_state); }
    T& operator*() & { return *std::get_if<0>(&m_state); }
    const T& operator*() const& { return *std::get_if<0>(&m_state); }
    // By value: a result that nobody named is gone before what it held is used.
    T operator*() && { return std::move(*std::get_if<0>(&m_state)); }
    T* operator->() { return &**this; }
    const T* operator->() const { return &**this; }
#ifdef __cpp_exceptions
    T& value() & {
        return check(), **this;
    }
    const T& value() const& {
        return check(), **this;
    }
    T value() && {
        check();
        return std::move(*std::get_if<0>(&m_state));
    }
#endif

private:
#ifdef __cpp_exceptions
    void check() const {
        if (!has_value())
            throw Failure(error());
    }
#endif
    std::variant<T, Error> m_state;
};

template <>
class [[nodiscard]] Result<void> {
public:
    Result() = default;
    Result(Error error) : m_error(std::move(error)) {}

    bool has_value() const { return !m_error; }
    explicit operator bool() const { return has_value(); }
    const Error& error() const { return *m_error; }
#ifdef __cpp_exceptions
    void value() const {
        if (m_error)
            throw Failure(*m_error);
    }
#endif

private:
    std::optional<Error> m_error;
};

// ---- tensors ----

// The dtype that has this type of C++: bool, integers, float, double. What is stored as something else (float16, bfloat16) says so.
template <class T>
    requires std::is_arithmetic_v<T>
constexpr hidet_dtype dtype_of() {
    using Plain = std::remove_cv_t<T>;
    std::uint8_t code = std::is_same_v<Plain, bool>       ? HIDET_BOOL
                        : std::is_floating_point_v<Plain> ? HIDET_FLOAT
                        : std::is_signed_v<Plain>         ? HIDET_INT
                                                          : HIDET_UINT;
    return {code, std::uint8_t(8 * sizeof(T)), 1};
}
inline constexpr hidet_dtype float16 = {HIDET_FLOAT, 16, 1};
inline constexpr hidet_dtype bfloat16 = {HIDET_BFLOAT, 16, 1};

constexpr bool is_same(hidet_dtype a, hidet_dtype b) {
    return a.code == b.code && a.bits == b.bits && a.lanes == b.lanes;
}
constexpr bool is_same(hidet_device a, hidet_device b) {
    return a.type == b.type && a.id == b.id;
}
inline constexpr hidet_device cpu = {HIDET_CPU, 0};
constexpr hidet_device cuda(int id = 0) {
    return {HIDET_CUDA, id};
}

// Memory of somebody else, row after row, and what lies in it.
class Tensor {
public:
    // `data` has room for exactly the elements of the shape, or the tensor is refused when it is bound.
    template <class T>
        requires std::is_arithmetic_v<T> Tensor(std::span<T> data, std::vector<std::int64_t> shape)
            : Tensor(data.data(), dtype_of<T>(), std::move(shape)) {
            m_room = data.size_bytes();
        }
        // Memory on a device, or of dtypes that C++ has no type for.
        Tensor(const void* data, hidet_dtype dtype, std::vector<std::int64_t> shape, hidet_device device = cpu)
            : m_data(const_cast<void*>(data)), m_device(device), m_dtype(dtype), m_shape(std::move(shape)) {}

        void* data() const {
            return m_data;
        }
        hidet_device device() const {
            return m_device;
        }
        hidet_dtype dtype() const {
            return m_dtype;
        }
        const std::vector<std::int64_t>& shape() const {
            return m_shape;
        }
        std::uint64_t elements() const {
            std::uint64_t count = 1;
            for (std::int64_t extent : m_shape)
                count *= extent > 0 ? std::uint64_t(extent) : 0;
            return count;
        }
        std::uint64_t bytes() const {
            return elements() * m_dtype.lanes * ((m_dtype.bits + 7) / 8);
        }
        // Whether the span it was made of has as many bytes as its shape says.
        bool fits() const {
            return !m_room || *m_room == bytes();
        }
        // As long as the tensor lives, and stays where it is.
        hidet_tensor view() const {
            return {m_data,  m_device, std::int32_t(m_shape.size()), m_dtype, const_cast<std::int64_t*>(m_shape.data()),
                    nullptr, 0};
        }

    private:
        void* m_data;
        hidet_device m_device;
        hidet_dtype m_dtype;
        std::vector<std::int64_t> m_shape;
        std::optional<std::uint64_t> m_room;
};

struct ValueInfo {
    std::string name;
    hidet_dtype dtype = {};
    std::vector<std::int64_t> shape; // -1: it depends on the inputs
};

// ---- packages and models ----

struct OpenOptions {
    // On the thread that calls; kept as long as the package and its models.
    std::function<void(int level, const std::string& message)> log = {};
    // Whether the signature of the manifest is one that the caller trusts; without it signatures are not looked at.
    std::function<bool(std::span<const std::byte> manifest, std::span<const std::byte> signature)> verify = {};
};

struct Allocator {
    std::function<void*(hidet_device device, std::size_t bytes, std::size_t alignment, void* stream)> allocate = {};
    std::function<void(hidet_device device, void* data, std::size_t bytes, void* stream)> release = {};
};

struct ModelOptions {
    std::string entry = {}; // empty: the first
    hidet_device device = cpu;
    bool runs_native_code = false; // CPU: machine code of the package may be loaded into this process
    int threads = 0;               // CPU: 0: one for each processor that this process may use
    bool copies_inputs = false;    // CUDA: so that inputs at other addresses need no other graph
    bool trusts_indices = false;   // CUDA: they are not looked at before a run
    Allocator allocator = {};      // empty: aligned_alloc, cuMemAlloc
    std::function<void(const std::string& name, double microseconds)> profile = {};
    std::function<bool()> is_cancelled = {};
    void* stream = nullptr; // CUDA
    // Of an entry "NAME.rankN": exchanges with the other processes, in a run. Where it cannot, it says why.
    std::function<hidet_status(const hidet_exchange& exchange, std::string& why)> exchange = {};
    bool exchanges_on_gpu = false; // tensors are given to it where they are
};

namespace detail {

inline Error error_of(hidet_status status, const hidet_error& error) {
    return {status, error.message};
}

// What the C library calls back stays where it is; what a callback throws ends here.
template <class Return, class Function, class... Arguments>
Return guarded(Return otherwise, const Function& function, Arguments&&... arguments) {
#ifdef __cpp_exceptions
    try {
        return function(std::forward<Arguments>(arguments)...);
    } catch (...) {
        return otherwise;
    }
#else
    (void)otherwise;
    return function(std::forward<Arguments>(arguments)...);
#endif
}

struct OpenPackage {
    OpenOptions options;
    hidet_package* package = nullptr;

    OpenPackage() = default;
    OpenPackage(const OpenPackage&) = delete;
    OpenPackage& operator=(const OpenPackage&) = delete;
    ~OpenPackage() { hidet_close(package); }

    hidet_open_options view() {
        hidet_open_options view = {};
        view.size = sizeof view;
        view.log_self = view.verify_self = this;
        if (options.log)
            view.log = [](void* self, int level, const char* message) {
                auto log = [&] { return static_cast<OpenPackage*>(self)->options.log(level, message), true; };
                guarded(false, log);
            };
        if (options.verify)
            view.verify = [](void* self, const void* manifest, std::size_t manifest_bytes, const void* signature,
                             std::size_t signature_bytes) -> int {
                return guarded(false, static_cast<OpenPackage*>(self)->options.verify,
                               std::span(static_cast<const std::byte*>(manifest), manifest_bytes),
                               std::span(static_cast<const std::byte*>(signature), signature_bytes));
            };
        return view;
    }
};

struct OpenModel {
    std::shared_ptr<OpenPackage> package; // whose callbacks live as long as the model
    ModelOptions options;
    hidet_allocator allocator = {};
    hidet_context* context = nullptr;

    OpenModel() = default;
    OpenModel(const OpenModel&) = delete;
    OpenModel& operator=(const OpenModel&) = delete;
    ~OpenModel() { hidet_destroy(context); }

    static OpenModel& of(void* self) { return *static_cast<OpenModel*>(self); }

    static hidet_status exchange(void* self, const hidet_exchange* what, hidet_error* error) {
        std::string why;
        const hidet_status status = guarded(HIDET_FAILED, of(self).options.exchange, *what, why);
        const std::size_t bytes = why.copy(error->message, sizeof error->message - 1);
        error->message[bytes] = '\0';
        error->status = status;
        return status;
    }

    hidet_context_options view() {
        hidet_context_options view = {};
        view.size = sizeof view;
        view.entry = options.entry.empty() ? nullptr : options.entry.c_str();
        view.device = options.device;
        view.runs_native_code = options.runs_native_code;
        view.threads = options.threads;
        view.copies_inputs = options.copies_inputs;
        view.trusts_indices = options.trusts_indices;
        view.stream = options.stream;
        view.profile_self = view.is_cancelled_self = this;
        if (options.allocator.allocate && options.allocator.release)
            view.allocator = take_allocator();
        if (options.profile)
            view.profile = [](void* self, const hidet_step_time* step) {
                auto tell = [&] { return of(self).options.profile(step->name, step->microseconds), true; };
                guarded(false, tell);
            };
        view.exchange_self = this;
        if (options.exchange)
            view.exchange = &exchange;
        view.exchanges_on_gpu = options.exchanges_on_gpu;
        if (options.is_cancelled)
            view.is_cancelled = [](void* self) -> int { return guarded(true, of(self).options.is_cancelled); };
        return view;
    }

private:
    const hidet_allocator* take_allocator() {
        allocator.self = this;
        allocator.allocate = [](void* self, hidet_device device, std::size_t bytes, std::size_t alignment,
                                void* stream) {
            return guarded<void*>(nullptr, of(self).options.allocator.allocate, device, bytes, alignment, stream);
        };
        allocator.release = [](void* self, hidet_device device, void* data, std::size_t bytes, void* stream) {
            auto release = [&] { return of(self).options.allocator.release(device, data, bytes, stream), true; };
            guarded(false, release);
        };
        return &allocator;
    }
};

} // namespace detail

// An entry of a package, ready to run on a device.
class Model {
public:
    std::vector<ValueInfo> inputs() const { return infos(hidet_input_count(get()), hidet_input_info); }
    std::vector<ValueInfo> outputs() const { return infos(hidet_output_count(get()), hidet_output_info); }

    // Their memory is read at every run until others are bound.
    Result<void> bind(std::span<const Tensor> inputs) {
        std::vector<hidet_tensor> views;
        for (const Tensor& input : inputs) {
            if (!input.fits())
                return Error{HIDET_BAD_INPUT, "input " + std::to_string(views.size()) +
                                                  " has another number of elements than its shape"};
            views.push_back(input.view());
        }
        return call(hidet_bind, views.data(), views.size());
    }
    // On the CPU it has ended when this returns; on a GPU the work is in the model's own stream, or in the one that is named.
    Result<void> run() { return run_on(nullptr); }
    Result<void> run(std::span<const Tensor> inputs) { return run_on(nullptr, inputs); }
    Result<void> run_on(void* stream) { return call(hidet_run, stream); }
    Result<void> run_on(void* stream, std::span<const Tensor> inputs) {
        if (Result<void> bound = bind(inputs); !bound)
            return bound;
        return run_on(stream);
    }
    Result<void> wait() { return call(hidet_wait); }

    // Where it lies on the model's device, until the next bind; the next run writes there again.
    Result<Tensor> output(std::size_t index) const {
        hidet_tensor tensor = {};
        if (Result<void> found = call(hidet_output, index, &tensor); !found)
            return found.error();
        std::vector<std::int64_t> shape(tensor.shape, tensor.shape + tensor.ndim);
        return Tensor(static_cast<const char*>(tensor.data) + tensor.byte_offset, tensor.dtype, std::move(shape),
                      tensor.device);
    }
    // A copy of all elements, once the run has ended.
    template <class T>
        requires std::is_arithmetic_v<T> Result<std::vector<T>> read(std::size_t index)
    const {
        static_assert(!std::is_same_v<T, bool>, "a vector of bool has no memory to copy to: read into a span");
        Result<Tensor> tensor = output(index);
        if (!tensor)
            return tensor.error();
        std::vector<T> elements(std::size_t(tensor->elements()));
        if (Result<void> done = copy(index, *tensor, std::span(elements)); !done)
            return done.error();
        return elements;
    }
    template <class T>
        requires std::is_arithmetic_v<T> Result<void> read(std::size_t index, std::span<T> to)
    const {
        Result<Tensor> tensor = output(index);
        return tensor ? copy(index, *tensor, to) : Result<void>(tensor.error());
    }
    // Of whatever dtype, to memory of the CPU.
    Result<void> read_bytes(std::size_t index, std::span<std::byte> to) const {
        return call(hidet_read_output, index, to.data(), to.size());
    }
    // To memory on the CPU or the model's device, of the same dtype and shape.
    Result<void> copy_output(std::size_t index, const Tensor& to) const {
        hidet_tensor view = to.view();
        return call(hidet_copy_output, index, &view);
    }

    hidet_memory_use memory() const {
        hidet_memory_use use = {};
        hidet_memory(get(), &use);
        return use;
    }
    std::string runs_on() const { return hidet_runs_on(get()); }
    hidet_context* get() const { return m_open->context; }

private:
    friend class Package;
    explicit Model(std::unique_ptr<detail::OpenModel> open) : m_open(std::move(open)) {}

    template <class Function, class... Arguments>
    Result<void> call(Function function, Arguments... arguments) const {
        hidet_error error = {};
        hidet_status status = function(get(), arguments..., &error);
        return status == HIDET_OK ? Result<void>() : detail::error_of(status, error);
    }
    template <class T>
    Result<void> copy(std::size_t index, const Tensor& tensor, std::span<T> to) const {
        bool is_bits = std::is_unsigned_v<T> && tensor.dtype().bits == 8 * sizeof(T); // of float16, bfloat16
        if (!is_same(tensor.dtype(), dtype_of<T>()) && !is_bits)
            return Error{HIDET_BAD_ARGUMENT, "output " + std::to_string(index) + " has another dtype"};
        return read_bytes(index, std::as_writable_bytes(to));
    }
    template <class Function>
    std::vector<ValueInfo> infos(std::size_t count, Function function) const {
        std::vector<ValueInfo> infos;
        for (std::size_t i = 0; i < count; ++i)
            if (hidet_value_info info = {}; function(get(), i, &info, nullptr) == HIDET_OK)
                infos.push_back({info.name, info.dtype, {info.shape, info.shape + info.ndim}});
        return infos;
    }

    std::unique_ptr<detail::OpenModel> m_open;
};

// Opening runs nothing of it. Copies are the same package; models keep what they need of it.
class Package {
public:
    static Result<Package> open(const std::string& path, OpenOptions options = {}) {
        return open_by(std::move(options),
                       [&](const hidet_open_options* view, hidet_package** made, hidet_error* error) {
                           return hidet_open_file(path.c_str(), view, made, error);
                       });
    }
    // The bytes stay where they are, and as they are, until the package and all its models are gone.
    static Result<Package> open(std::span<const std::byte> bytes, OpenOptions options = {}) {
        return open_by(std::move(options),
                       [&](const hidet_open_options* view, hidet_package** made, hidet_error* error) {
                           return hidet_open_memory(bytes.data(), bytes.size(), view, made, error);
                       });
    }

    // All checksums, of weights and code too, and every plan.
    Result<void> verify() const {
        hidet_error error = {};
        hidet_status status = hidet_verify(get(), &error);
        return status == HIDET_OK ? Result<void>() : detail::error_of(status, error);
    }
    // JSON; lives as long as the package.
    const char* describe() const { return hidet_describe(get()); }

    Result<Model> create(ModelOptions options = {}) const {
        auto open = std::make_unique<detail::OpenModel>();
        open->package = m_open;
        open->options = std::move(options);
        hidet_context_options view = open->view();
        hidet_error error = {};
        if (hidet_status status = hidet_create(get(), &view, &open->context, &error); status != HIDET_OK)
            return detail::error_of(status, error);
        return Model(std::move(open));
    }
    hidet_package* get() const { return m_open->package; }

private:
    explicit Package(std::shared_ptr<detail::OpenPackage> open) : m_open(std::move(open)) {}

    template <class Function>
    static Result<Package> open_by(OpenOptions options, Function function) {
        auto open = std::make_shared<detail::OpenPackage>();
        open->options = std::move(options);
        hidet_open_options view = open->view();
        hidet_error error = {};
        if (hidet_status status = function(&view, &open->package, &error); status != HIDET_OK)
            return detail::error_of(status, error);
        return Package(std::move(open));
    }

    std::shared_ptr<detail::OpenPackage> m_open;
};

} // namespace hidet::runtime
