// SPDX-License-Identifier: Apache-2.0
#include "compiler/artifact/target_spec.h"
#include "lang/base/quantity.h"
#include "lang/base/text.h"

namespace hidet::artifact {

namespace {

class Description {
public:
    explicit Description(const TargetSpec& target) : m_target(target) {}

    std::vector<SpecRow> rows() {
        add("kind", target_kind_name(m_target.kind));
        if (m_target.is_cuda())
            add_gpu();
        else
            add_cpu();
        bytes("memory", m_target.memory_bytes);
        add_speeds();
        return std::move(m_rows);
    }

private:
    void add(const char* what, std::string value) { m_rows.push_back({what, std::move(value)}); }
    void count(const char* what, std::int64_t value, const char* unit = "") {
        if (value > 0)
            add(what, cat(value, unit));
    }
    void bytes(const char* what, std::int64_t value) {
        if (value > 0)
            add(what, bytes_text(static_cast<double>(value)));
    }

    void add_gpu() {
        add("architecture", architecture_name(m_target.arch));
        std::vector<std::string> features;
        for (const FeatureInfo& feature : all_features())
            if (m_target.has(feature.feature))
                features.push_back(feature.text);
        if (!features.empty())
            add("features", join(features, ", "));
        count("multiprocessors", m_target.multiprocessors);
        count("clock", m_target.clock_mhz, " MHz");
        count("threads of a block", m_target.threads_per_block);
        count("blocks of a cluster", m_target.cluster_blocks);
        bytes("shared memory of a block", m_target.shared_per_block);
        bytes("with opting in", m_target.shared_per_block_optin);
        count("warps of a multiprocessor", m_target.warps);
        count("blocks of a multiprocessor", m_target.blocks);
        count("registers of a multiprocessor", m_target.registers);
        bytes("shared memory of a multiprocessor", m_target.shared_bytes);
        bytes("L1 and shared memory", m_target.l1_bytes);
        bytes("L2 cache", m_target.l2_bytes);
    }
    void add_cpu() {
        count("cores", m_target.cores);
        count("vectors", m_target.vector_bytes * 8, " bits");
        bytes("L1 cache of a core", m_target.l1_bytes);
        bytes("L2 cache of a core", m_target.l2_bytes);
        bytes("L3 cache", m_target.l3_bytes);
    }
    void add_speeds() {
        const std::string measured = m_target.is_measured ? ", measured" : "";
        if (m_target.bytes_per_second > 0)
            add("memory bandwidth", si_text(m_target.bytes_per_second, "B/s") + measured);
        for (std::size_t i = 0; i < arithmetic_count; ++i)
            if (m_target.peaks[i] > 0)
                add(arithmetic_name(static_cast<Arithmetic>(i)), si_text(m_target.peaks[i], "OP/s") + measured);
    }

    const TargetSpec& m_target;
    std::vector<SpecRow> m_rows;
};

} // namespace

std::vector<SpecRow> describe(const TargetSpec& target) {
    return Description(target).rows();
}

} // namespace hidet::artifact
