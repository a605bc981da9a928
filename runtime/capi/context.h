// SPDX-License-Identifier: Apache-2.0
// What hidet_context is.
#pragma once

#include "runtime/capi/device.h"
#include "runtime/capi/package.h"

namespace hidet::capi {

class Context {
public:
    // Null: the problem says why.
    static Context* create(Package& package, const hidet_context_options& options, Problem& problem);
    void destroy();

    const package::Plan& plan() const { return *m_plan; }
    const Device& device() const { return m_device; }
    bool bind(const hidet_tensor* inputs, std::size_t count, Problem& problem);
    bool run(void* stream, Problem& problem);
    bool input_info(std::size_t input, hidet_value_info& info, Problem& problem) const;
    bool output_info(std::size_t output, hidet_value_info& info, Problem& problem) const;
    bool output(std::size_t output, hidet_tensor& tensor, Problem& problem);
    bool copy_output(std::size_t output, const hidet_tensor& to, Problem& problem);
    bool read_output(std::size_t output, void* to, std::size_t bytes, Problem& problem);
    bool wait(Problem& problem) { return m_device.wait(m_device.backend.self, problem); }

private:
    struct Info {
        const char* name = nullptr;
        hidet_dtype dtype{};
        package::List<std::int64_t> shape, extents; // -1 where it depends on the inputs; of the last run
    };
    Context(Package& package, hidet_device device) : m_package(package), m_at(device) {}
    ~Context();
    bool open(const hidet_context_options& options, Problem& problem);
    bool choose(const hidet_context_options& options, Problem& problem);
    static bool info_of(const package::List<Info>& infos, const char* what, std::size_t which, hidet_value_info& info,
                        Problem& problem);
    bool make_infos(Problem& problem);
    bool make_info(package::Row value, Info& info, Problem& problem);
    bool take_input(std::size_t input, const hidet_tensor& given, package::TensorValue& value, Problem& problem);
    bool made(std::size_t output, package::Address& address, std::uint64_t& bytes, Problem& problem);

    Package& m_package;
    const hidet_device m_at;
    const package::Plan* m_plan = nullptr;
    package::Memory m_memory;
    Device m_device;
    package::List<Info> m_inputs, m_outputs;
    struct Given {
        package::TensorValue value; // its extents are those below
        package::List<std::int64_t> extents;
    };
    bool is_as_before(const Given& given, const package::TensorValue& value) const;
    package::List<Given> m_given; // of what is bound
    package::List<package::TensorValue> m_taken;
    package::Execution* m_execution = nullptr;
    bool m_is_bound = false, m_has_run = false;
};

} // namespace hidet::capi
