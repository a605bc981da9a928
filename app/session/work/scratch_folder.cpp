// SPDX-License-Identifier: Apache-2.0
#include "app/session/work/scratch_folder.h"

#include "runtime/toolchain/files.h"

namespace hidet::session {

namespace {

class TemporaryScratch : public ScratchFolder {
public:
    explicit TemporaryScratch(std::unique_ptr<toolchain::TemporaryFolder> folder) : m_folder(std::move(folder)) {}
    const std::string& path() const override { return m_folder->path(); }

private:
    std::unique_ptr<toolchain::TemporaryFolder> m_folder;
};

} // namespace

Result<std::unique_ptr<ScratchFolder>> ScratchFolder::make() {
    HIDET_TRY(std::unique_ptr<toolchain::TemporaryFolder> folder, toolchain::TemporaryFolder::make());
    return std::unique_ptr<ScratchFolder>(std::make_unique<TemporaryScratch>(std::move(folder)));
}

} // namespace hidet::session
