// SPDX-License-Identifier: Apache-2.0
// Plans for the CPU: their functions are called in this process, on the caller's thread and a pool of others. Weights are used
// where the package has them.
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <new>

#include "compiler/artifact/host_table.h"
#include "runtime/capi/architecture.h"
#include "runtime/capi/host_operators.h"
#include "runtime/capi/package.h"
#include "runtime/package/thread_pool.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

namespace hidet::capi {

namespace {

using namespace package;

// ---- machine code of a package, in this process ----

struct LoadedObject : Shared {
    int file = -1;
    void* handle = nullptr;
};
const char object_kind = 0;

void free_object(Shared* shared) {
    auto* object = static_cast<LoadedObject*>(shared);
    if (object->handle)
        dlclose(object->handle);
    if (object->file >= 0)
        close(object->file);
    std::free(object);
}

bool write_all(int file, const Bytes& bytes) {
    for (std::uint64_t written = 0; written < bytes.count;) {
        const ssize_t count = write(file, bytes.data + written, bytes.count - written);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return false;
        written += static_cast<std::uint64_t>(count);
    }
    return true;
}

// dlopen() wants a file; this one has no name in any folder and is gone with its last user. It stays open as long as the object is
// loaded: dlopen() takes two objects with one path for the same, and the path has the number of the file.
bool load(LoadedObject& object, Text member, const Bytes& bytes, Problem& problem) {
    object.file = memfd_create("hidet-package", MFD_CLOEXEC);
    if (object.file < 0 || !write_all(object.file, bytes))
        return refuse(problem, Code::Failed, "'", member, "' could not be kept in memory: ", std::strerror(errno));
    char path[40];
    std::snprintf(path, sizeof path, "/proc/self/fd/%d", object.file);
    object.handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (object.handle)
        return true;
    const char* reason = dlerror();
    return refuse(problem, Code::Failed, "'", member, "' could not be loaded: ", reason ? reason : "no reason given");
}

// The instruction sets that code is compiled for: of two that this processor has, the higher is the better. 0: it has not.
int processor_level(Text architecture) { // "x86-64-v3": 3
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (architecture == text("x86-64-v4"))
        return __builtin_cpu_supports("x86-64-v4") ? 4 : 0;
    if (architecture == text("x86-64-v3"))
        return __builtin_cpu_supports("x86-64-v3") ? 3 : 0;
    if (architecture == text("x86-64-v2"))
        return __builtin_cpu_supports("x86-64-v2") ? 2 : 0;
    return architecture == text("x86-64") ? 1 : 0;
#else
    return architecture.empty() ? 1 : 0;
#endif
}

// The object that dlsym() takes, of an image; loaded once for a package, and gone with it. Null: the problem says why.
void* load_object(Package& package, Text member, Problem& problem) {
    Bytes bytes;
    if (!package.member(member, bytes, problem))
        return nullptr;
    const auto key = reinterpret_cast<std::uint64_t>(bytes.data);
    package.lock();
    auto* object = static_cast<LoadedObject*>(package.find(&object_kind, key));
    if (!object) {
        void* place = std::malloc(sizeof(LoadedObject));
        if (!place) {
            package.unlock();
            refuse(problem, Code::Memory, "memory for '", member, "'");
            return nullptr;
        }
        object = new (place) LoadedObject;
        object->kind = &object_kind;
        object->key = key;
        object->free = free_object;
        if (load(*object, member, bytes, problem)) {
            package.add(*object);
        } else {
            free_object(object);
            object = nullptr;
        }
    }
    package.unlock();
    return object ? object->handle : nullptr;
}

// ---- plans ----

constexpr std::size_t alignment = 64; // of what vectors are read from

struct Block { // what a package::Buffer is
    unsigned char* data = nullptr;
    std::uint64_t bytes = 0;
};
Block& block_of(Address address) {
    return *reinterpret_cast<Block*>(address.buffer);
}
unsigned char* data_of(Address address) {
    return block_of(address).data + address.offset;
}
Address address_of(Block& block) {
    return {reinterpret_cast<Buffer*>(&block), 0, block.bytes};
}

using Function = void (*)(const hidet_host* host, void* const* arguments, void* result);

class Cpu {
public:
    Cpu(Package& package, const Plan& plan, const hidet_context_options& options)
        : m_package(package), m_plan(plan), m_options(options), m_pool(options.threads),
          m_host(package, plan, m_options) {
        if (options.allocator)
            m_allocator = *options.allocator;
    }
    bool open(Device& device, Problem& problem) {
        if (!m_host.open(problem) || !load_functions(problem) || !map_weights(problem) ||
            !(m_memory.make(m_inputs, plan().inputs.size()) && m_memory.make(m_slots, most_arguments()) &&
              m_memory.make(m_pointers, most_arguments())))
            return problem.code == Code::Ok ? refuse(problem, Code::Memory, "memory for a context") : false;
        std::snprintf(m_name, sizeof m_name, "CPU, %d thread%s (x86-64%s)", m_pool.threads(),
                      m_pool.threads() == 1 ? "" : "s",
                      m_level == 4   ? "-v4"
                      : m_level == 3 ? "-v3"
                      : m_level == 2 ? "-v2"
                                     : "");
        describe(device);
        return true;
    }

private:
    const Plan& plan() const { return m_plan; }
    static Cpu& of(void* self) { return *static_cast<Cpu*>(self); }
    bool load_functions(Problem& problem);
    const PlanImage<Flat>* best_image(Row module) const;
    bool map_weights(Problem& problem);
    std::size_t most_arguments() const;
    void describe(Device& device);

    Buffer* allocate(std::uint64_t bytes, Problem& problem);
    void release(Buffer* buffer);
    void* take(std::uint64_t bytes);
    void give_back(void* data, std::uint64_t bytes);
    bool call(const FunctionCall& call, Problem& problem);
    bool host(HostStep& step, Problem& problem);
    bool run(Execution& execution, Problem& problem);

    struct Call; // what the host table of one call points at
    union Slot {
        std::int64_t integer;
        double f64;
        float f32;
        void* pointer;
    };

    Package& m_package;
    const Plan& m_plan;
    const hidet_context_options m_options;
    hidet_allocator m_allocator = {};
    ThreadPool m_pool;
    HostOperators m_host;
    Memory m_memory;
    List<Function> m_functions; // by row
    List<Block> m_weights, m_inputs;
    List<Address> m_weight_addresses;
    List<Slot> m_slots; // of one call
    List<void*> m_pointers;
    std::uint64_t m_weight_bytes = 0;
    Device* m_device = nullptr;
    int m_level = 0;
    char m_name[64] = "";
};

const PlanImage<Flat>* Cpu::best_image(Row module) const {
    const PlanImage<Flat>* best = nullptr;
    int most = 0;
    for (const PlanImage<Flat>& image : plan().images)
        if (const int level = processor_level(image.architecture);
            image.module == module && image.kind == ImageKind::CpuObject && level > most) {
            best = &image;
            most = level;
        }
    return best;
}

bool Cpu::load_functions(Problem& problem) {
    if (!m_memory.make(m_functions, plan().functions.size()))
        return refuse(problem, Code::Memory, "memory for functions");
    for (std::size_t i = 0; i < m_functions.size(); ++i) {
        const PlanFunction<Flat>& function = plan().functions[i];
        const PlanImage<Flat>* image = best_image(function.module);
        if (!image)
            return refuse(problem, Code::Unsupported, "the package has code for ",
                          architectures_of(plan(), function.module), ", which this processor does not run");
        m_level = processor_level(image->architecture);
        void* object = load_object(m_package, image->member, problem);
        char symbol[256];
        if (!object)
            return false;
        TextWriter(symbol, sizeof symbol).add(function.symbol);
        m_functions[i] = reinterpret_cast<Function>(dlsym(object, symbol));
        if (!m_functions[i])
            return refuse(problem, Code::Damaged, "the package is damaged: '", image->member, "' has no function '",
                          function.symbol, "'");
    }
    // Compiled code trusts its arguments.
    for (Row body = no_row, next = 0; next <= plan().bodies.size(); body = next++)
        for (const Step& step : plan().body(body).steps) {
            if (step.kind == StepKind::Launch)
                return refuse(problem, Code::Damaged, "the package is damaged: a plan for the CPU launches kernels");
            if (step.kind != StepKind::Call)
                continue;
            const PlanFunction<Flat>& function = plan().functions[step.function];
            if (function.parameters.size() != step.arguments.size())
                return refuse(problem, Code::Damaged, "the package is damaged: '", function.name, "' takes ",
                              function.parameters.size(), " arguments, and is given ", step.arguments.size());
            for (std::size_t i = 0; i < step.arguments.size(); ++i)
                if (function.parameters[i].is_pointer != (step.arguments[i].kind == ArgumentKind::Address))
                    return refuse(problem, Code::Damaged, "the package is damaged: '", function.parameters[i].name,
                                  "' of '", function.name, "' is given something else");
        }
    return true;
}

bool Cpu::map_weights(Problem& problem) {
    const auto& weights = plan().weights;
    if (!m_memory.make(m_weights, weights.size()) || !m_memory.make(m_weight_addresses, weights.size()))
        return refuse(problem, Code::Memory, "memory for the table of weights");
    for (std::size_t i = 0; i < weights.size(); ++i) {
        Bytes bytes;
        if (!m_package.weight(weights[i], bytes, problem))
            return false;
        // Nobody writes to weights; mapped pages would not let them.
        m_weights[i] = {const_cast<unsigned char*>(bytes.data), bytes.count};
        m_weight_addresses[i] = address_of(m_weights[i]);
        m_weight_bytes += bytes.count;
    }
    return true;
}

std::size_t Cpu::most_arguments() const {
    std::size_t most = 0;
    for (const PlanFunction<Flat>& function : plan().functions)
        most = function.parameters.size() > most ? function.parameters.size() : most;
    return most;
}

void* Cpu::take(std::uint64_t bytes) {
    if (bytes > SIZE_MAX / 2)
        return nullptr;
    const std::size_t size = (static_cast<std::size_t>(bytes) + alignment) / alignment * alignment;
    if (!m_allocator.allocate)
        return std::aligned_alloc(alignment, size);
    void* data = m_allocator.allocate(m_allocator.self, {HIDET_CPU, 0}, size, alignment, nullptr);
    if (data && reinterpret_cast<std::uintptr_t>(data) % alignment != 0) {
        give_back(data, bytes);
        return nullptr;
    }
    return data;
}

void Cpu::give_back(void* data, std::uint64_t bytes) {
    const std::size_t size = (static_cast<std::size_t>(bytes) + alignment) / alignment * alignment;
    if (m_allocator.allocate)
        m_allocator.release(m_allocator.self, {HIDET_CPU, 0}, data, size, nullptr);
    else
        std::free(data);
}

Buffer* Cpu::allocate(std::uint64_t bytes, Problem&) {
    void* place = std::malloc(sizeof(Block));
    void* data = place ? take(bytes) : nullptr;
    if (!data) {
        std::free(place);
        return nullptr; // the interpreter knows what it was for
    }
    m_device->activation_bytes += bytes;
    return reinterpret_cast<Buffer*>(new (place) Block{static_cast<unsigned char*>(data), bytes});
}

void Cpu::release(Buffer* buffer) {
    auto* block = reinterpret_cast<Block*>(buffer);
    m_device->activation_bytes -= block->bytes;
    give_back(block->data, block->bytes);
    std::free(block);
}

// Compiled code tells its host why it fails, on whatever thread, and comes back by itself.
struct Cpu::Call {
    Cpu& cpu;
    const FunctionCall& call;
    Problem& problem;
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    struct Workspace {
        Workspace* next;
        void* data;
        std::uint64_t bytes;
    };
    Workspace* workspaces = nullptr;
    bool has_failed = false;

    Call(Cpu& cpu, const FunctionCall& call, Problem& problem) : cpu(cpu), call(call), problem(problem) {}
    ~Call() {
        while (workspaces) {
            Workspace* next = workspaces->next;
            cpu.give_back(workspaces->data, workspaces->bytes);
            std::free(workspaces);
            workspaces = next;
        }
        pthread_mutex_destroy(&mutex);
    }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    Text name() const { return cpu.plan().functions[call.function].name; }
    // The first that fails says why.
    void fail(const auto&... why) {
        pthread_mutex_lock(&mutex);
        if (!has_failed)
            refuse(problem, Code::Failed, "'", name(), "' ", why...);
        has_failed = true;
        pthread_mutex_unlock(&mutex);
    }
    void* workspace(std::uint64_t bytes, bool is_zeroed) {
        void* place = std::malloc(sizeof(Workspace));
        pthread_mutex_lock(&mutex);
        void* data = place ? cpu.take(bytes) : nullptr;
        if (data)
            workspaces = new (place) Workspace{workspaces, data, bytes};
        pthread_mutex_unlock(&mutex);
        if (!data) {
            std::free(place);
            fail("found no memory for a workspace of ", bytes, " bytes");
        } else if (is_zeroed) {
            std::memset(data, 0, bytes);
        }
        return data;
    }
    long long symbol(const char* wanted) const {
        const Body& body = call.execution->body();
        for (std::size_t i = 0; i < body.symbols.size(); ++i)
            if (body.symbols[i].name == text(wanted))
                return call.execution->symbols()[i].value;
        return 0;
    }
    hidet_host table() {
        return {this,
                [](void* self, long long count, int threads, ThreadPool::Body body, void* context) {
                    static_cast<Call*>(self)->cpu.m_pool.parallel_for(count, threads, body, context);
                },
                [](void* self, const char* line, long long) {
                    static_cast<Call*>(self)->cpu.m_package.log(HIDET_LOG_INFO, line);
                },
                [](void* self, int, const char* message) { static_cast<Call*>(self)->fail(text(message)); },
                [](void* self, int, int, const long long*, const long long*) {
                    static_cast<Call*>(self)->fail("reads or writes outside of a tensor");
                },
                [](void* self, long long bytes, int zeroed) {
                    return static_cast<Call*>(self)->workspace(
                        bytes < 0 ? UINT64_MAX : static_cast<std::uint64_t>(bytes), zeroed != 0);
                },
                [](void* self, const char* name) { return static_cast<Call*>(self)->symbol(name); }};
    }
};

bool Cpu::call(const FunctionCall& given, Problem& problem) {
    const PlanFunction<Flat>& function = plan().functions[given.function];
    for (std::size_t i = 0; i < given.arguments.size(); ++i) {
        const ArgumentValue& argument = given.arguments[i];
        Slot& slot = m_slots[i];
        m_pointers[i] = &slot;
        if (argument.kind == ArgumentKind::Address) {
            slot.pointer = data_of(argument.address);
            continue;
        }
        double real = 0;
        std::memcpy(&real, &argument.scalar, sizeof real);
        const double number = is_real(argument.type) ? real : static_cast<double>(argument.scalar);
        switch (function.parameters[i].type) {
        case Scalar::F64: slot.f64 = number; break;
        case Scalar::F32: slot.f32 = static_cast<float>(number); break;
        case Scalar::F8E4M3:
        case Scalar::F8E5M2:
        case Scalar::F16:
        case Scalar::BF16:
        case Scalar::TF32:
            return refuse(problem, Code::Unsupported, "'", function.name, "' takes a number of type ",
                          scalar_name(function.parameters[i].type));
        default: slot.integer = is_real(argument.type) ? static_cast<std::int64_t>(real) : argument.scalar;
        }
    }
    Call call(*this, given, problem);
    const hidet_host host = call.table();
    Slot result{};
    m_functions[given.function](&host, m_pointers.items, &result);
    return !call.has_failed;
}

bool Cpu::host(HostStep& step, Problem& problem) {
    for (std::size_t i = 0; i < step.inputs.size(); ++i)
        m_host.operands[i] = data_of(step.inputs[i].address);
    const auto make = [](void* self, HostStep& step, std::size_t result, std::uint64_t bytes,
                         Problem& problem) -> unsigned char* {
        Buffer* made = of(self).allocate(bytes > 0 ? bytes : 1, problem);
        if (!made) {
            refuse(problem, Code::Memory, bytes, " bytes for a result of an operator");
            return nullptr;
        }
        auto& block = *reinterpret_cast<Block*>(made);
        step.results[result].address = address_of(block);
        return block.data;
    };
    return m_host.run(step, this, make, problem);
}

double microseconds_now() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) * 1e-3;
}

bool Cpu::run(Execution& execution, Problem& problem) {
    const auto elements = [](void* execution, Row value, std::uint64_t, Problem&) -> const void* {
        return data_of(static_cast<Execution*>(execution)->address(value));
    };
    if (!m_host.check_inputs(execution, &execution, elements, problem))
        return false;
    if (!m_options.profile)
        return execution.run(problem);
    for (Row row = 0; row < plan().steps.size(); ++row) {
        const double begin = microseconds_now();
        if (!execution.run_step(row, problem))
            return false;
        char name[200];
        TextWriter writer(name, sizeof name);
        const Step& step = plan().steps[row];
        for (std::size_t i = 0; i < step.kernels.size(); ++i)
            writer.add(i ? "+" : "", step.kernels[i]);
        const hidet_step_time time{name, microseconds_now() - begin};
        m_options.profile(m_options.profile_self, &time);
    }
    return true;
}

void Cpu::describe(Device& device) {
    m_device = &device;
    device.name = m_name;
    device.weights = m_weight_addresses.items;
    device.weight_bytes = m_weight_bytes;
    Backend& backend = device.backend;
    backend.self = this;
    backend.allocate = Bound<&Cpu::allocate>::call;
    backend.release = Bound<&Cpu::release>::call;
    backend.call = Bound<&Cpu::call>::call;
    backend.host = Bound<&Cpu::host>::call;
    backend.copy = [](void*, Address to, Address from, std::uint64_t bytes, Problem&) {
        std::memmove(data_of(to), data_of(from), bytes);
        return true;
    };
    backend.fill = [](void*, Address to, std::uint8_t byte, std::uint64_t bytes, Problem&) {
        std::memset(data_of(to), byte, bytes);
        return true;
    };
    backend.read = [](void*, void* to, Address from, std::uint64_t bytes, Problem&) {
        std::memcpy(to, data_of(from), bytes);
        return true;
    };
    backend.write = [](void*, Address to, const void* from, std::uint64_t bytes, Problem&) {
        std::memcpy(data_of(to), from, bytes);
        return true;
    };
    backend.is_cancelled = [](void* self) {
        const hidet_context_options& options = of(self).m_options;
        return options.is_cancelled && options.is_cancelled(options.is_cancelled_self);
    };
    device.take_input = [](void* self, std::size_t input, const hidet_tensor& tensor, std::uint64_t bytes,
                           Address& address, Problem& problem) {
        if (tensor.device.type != HIDET_CPU)
            return refuse(problem, Code::Input, "input '", of(self).plan().values[of(self).plan().inputs[input]].name,
                          "' is not on the CPU");
        Block& block =
            of(self).m_inputs[input] = {static_cast<unsigned char*>(tensor.data) + tensor.byte_offset, bytes};
        address = address_of(block);
        return true;
    };
    device.inputs_taken = [](void*, bool) {};
    device.run = [](void* self, Execution& execution, void*, Problem& problem) {
        return of(self).run(execution, problem);
    };
    device.pointer = [](Address address) -> void* { return data_of(address); };
    device.copy_out = [](void*, Address from, std::uint64_t bytes, void* to, bool, Problem&) {
        std::memmove(to, data_of(from), bytes);
        return true;
    };
    device.wait = [](void*, Problem&) { return true; };
    device.close = [](void* self) {
        of(self).~Cpu();
        std::free(self);
    };
}

} // namespace

bool open_cpu(Package& package, const Plan& plan, const hidet_context_options& options, Device& device,
              Problem& problem) {
    if (!options.runs_native_code)
        return refuse(problem, Code::Untrusted,
                      "the package has machine code for the CPU, and the caller does not allow it to run");
    void* place = std::malloc(sizeof(Cpu));
    if (!place)
        return refuse(problem, Code::Memory, "memory for a context");
    auto* cpu = new (place) Cpu(package, plan, options);
    if (cpu->open(device, problem))
        return true;
    cpu->~Cpu();
    std::free(place);
    return false;
}

} // namespace hidet::capi
