// SPDX-License-Identifier: Apache-2.0
// Packages that several processes share: each runs the entry of its rank, and they exchange tensors as hidet.distributed does.
#pragma once

#include <functional>
#include <memory>

#include "app/session/package/package_run.h"
#include "lang/host/engine.h"

namespace hidet::session {

struct Gpu;

class PackageSharing {
public:
    // `gpu` gives null: there is none, or kernels are emulated.
    PackageSharing(lang::Engine& engine, std::function<Gpu*()> gpu) : m_engine(engine), m_gpu(std::move(gpu)) {}

    // As PackageRun::open(), in one of several processes where the entry is shared; all of them open the same package. Null in
    // all of them where it fails in one.
    std::unique_ptr<PackageRun> open(PackageOptions options, hidet_error& error);

private:
    PackageGroup group_of(Target target, int size) const;
    bool agree(const package::Checksum& own, hidet_error& error) const;

    lang::Engine& m_engine;
    std::function<Gpu*()> m_gpu;
};

} // namespace hidet::session
