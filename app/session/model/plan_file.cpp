// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/plan_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "app/session/model/stages.h"
#include "app/session/package/plan_images.h"
#include "compiler/artifact/target_spec.h"
#include "lang/base/text.h"
#include "runtime/toolchain/cache.h"

namespace hidet::session {

using namespace graph;
namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t weight_alignment = 64;

class PlanFileWriter {
public:
    PlanFileWriter(Work& work, const ModelRequest& request, const CompiledGraph& compiled,
                   const PlanFileOptions& options)
        : m_work(work), m_request(request), m_compiled(compiled), m_options(options),
          m_stem(fs::path(options.path).stem().string()) {}

    bool run() {
        if (!compile())
            return false;
        m_work.enter("writing the plan");
        Work::Clock clock(m_work, "write");
        for (const PlanImages::File& file : m_images->files)
            if (!write(sibling(file.member), file.bytes))
                return false;
        if (!write_weights())
            return false;
        m_images->plan.hash = hash_of(m_images->plan);
        return write(m_options.path, to_json(m_images->plan));
    }

private:
    bool compile() {
        m_work.enter("compiling the model");
        Work::Clock clock(m_work, "build");
        const artifact::TargetSpec& target = m_compiled.plan.target;
        std::vector<GpuForm> forms;
        for (const std::string& architecture : m_options.architectures)
            forms.push_back({architecture});
        if (forms.empty())
            forms = {{artifact::architecture_name(target.arch)}};
        m_images = target.is_cuda() ? compile_for_gpus(m_work, image_request_of(m_request), m_compiled, forms, m_stem)
                                    : compile_for_cpu(m_work, image_request_of(m_request), m_compiled.plan, m_stem,
                                                      {{plan_processor()}, false});
        return m_images.has_value();
    }

    bool write_weights() {
        std::vector<artifact::PlanWeight>& weights = m_images->plan.weights;
        if (weights.empty())
            return true;
        const std::string name = m_stem + ".weights.bin";
        std::ofstream file(sibling(name), std::ios::binary);
        std::uint64_t at = 0;
        for (std::size_t i = 0; i < weights.size(); ++i) {
            artifact::PlanWeight& weight = weights[i];
            const std::string gap((weight_alignment - at % weight_alignment) % weight_alignment, '\0');
            const lang::TensorRef& tensor = m_compiled.plan.weights[i];
            file.write(gap.data(), static_cast<std::streamsize>(gap.size()));
            file.write(reinterpret_cast<const char*>(tensor->read()), static_cast<std::streamsize>(weight.bytes));
            weight.hash = hash_of(std::string_view(reinterpret_cast<const char*>(tensor->read()), weight.bytes));
            weight.member = name;
            weight.offset = at + gap.size();
            at = weight.offset + weight.bytes;
        }
        file.close();
        return file.good() || cannot_write(sibling(name));
    }

    std::string sibling(const std::string& name) const {
        return (fs::path(m_options.path).parent_path() / name).string();
    }
    bool write(const std::string& path, const std::string& bytes) {
        std::ofstream file(path, std::ios::binary);
        file << bytes;
        file.close();
        return file.good() || cannot_write(path);
    }
    bool cannot_write(const std::string& path) {
        m_work.sink.report(DiagId::FileUnwritable, {}, path, std::strerror(errno));
        m_work.status = Status::Environment;
        return false;
    }

    Work& m_work;
    const ModelRequest& m_request;
    const CompiledGraph& m_compiled;
    const PlanFileOptions& m_options;
    const std::string m_stem;
    std::optional<PlanImages> m_images;
};

} // namespace

std::string hash_of(std::string_view bytes) {
    return toolchain::cache_key({bytes});
}

std::string hash_of(artifact::LaunchPlan plan) {
    plan.hash.clear();
    return hash_of(to_bytes(plan));
}

bool write_plan(Work& work, const ModelRequest& request, const CompiledGraph& compiled,
                const PlanFileOptions& options) {
    return PlanFileWriter(work, request, compiled, options).run();
}

} // namespace hidet::session
