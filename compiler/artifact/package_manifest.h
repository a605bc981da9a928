// SPDX-License-Identifier: Apache-2.0
// The manifest of a package (runtime/package/manifest.h) where it is made.
#pragma once

#include "compiler/artifact/launch_plan.h"
#include "runtime/package/manifest.h"

namespace hidet::artifact {

using PackageManifest = package::PackageManifest<Held>;
using PackageMember = package::PackageMember<Held>;
using PackageVariant = package::PackageVariant<Held>;
using PackageFact = package::PackageFact<Held>;

std::string to_bytes(const PackageManifest& manifest); // with its checksum behind it

} // namespace hidet::artifact
