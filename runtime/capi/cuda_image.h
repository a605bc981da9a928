// SPDX-License-Identifier: Apache-2.0
// Machine code of a plan: which of a module's images a GPU runs, and what of their bytes is looked at before the driver is
// given them.
#pragma once

#include "runtime/capi/device.h"
#include "runtime/capi/package.h"

namespace hidet::capi {

// Of the module; null: none of them runs there.
const package::PlanImage<package::Flat>* best_image(const package::Plan& plan, package::Row module,
                                                    const Capability& gpu);

// What the driver may be given: it is told no size, and believes what the bytes say.
class ImageBytes {
public:
    ImageBytes() = default;
    ~ImageBytes();
    ImageBytes(const ImageBytes&) = delete;
    ImageBytes& operator=(const ImageBytes&) = delete;

    bool open(Bytes bytes, package::Text member, Problem& problem); // which live as long as this
    const void* data() const { return m_data; }

private:
    const void* m_data = nullptr;
    char* m_copy = nullptr;
};

} // namespace hidet::capi
