// SPDX-License-Identifier: Apache-2.0
// A search that several processes share. Each plans the same search, which is cheap, and none needs the graphs or programs of
// another: one that has no keys lists what the records lack, and each of the others measures some of that. What depends on
// what is not known yet (schedules on fusions, neighbours on schedules) is left out, so whoever gives out the work asks for a
// list again, with the new records, until it is empty.
#pragma once

#include <set>

#include "compiler/tune/search.h"

namespace hidet::tune {

struct Share {
    std::unique_ptr<Records> records = {};                 // with what is known
    std::set<RecordKey> keys = {};                         // that are measured here; none: they are listed
    std::vector<std::vector<RecordKey>> missing = {};      // found: of each measurement its ways
    std::function<void(const KeyedRecord&)> measured = {}; // at once: the process may not live to tell it together
};

class SharedMeasurer final : public Measurer {
public:
    // Both outlive it.
    SharedMeasurer(Measurer& measurer, Share& share) : m_measurer(measurer), m_share(share) {}
    Result<void> measure(std::vector<Measurement>& measurements,
                         const std::function<void(Measurement&)>& done) override;
    bool is_waiting() const override;

private:
    Result<void> measure_own(std::vector<Measurement>& measurements, const std::function<void(Measurement&)>& done);
    bool keep_own(Measurement& measurement) const; // its ways that are measured here; false: there is none
    void tell(const Measurement& measurement);

    Measurer& m_measurer;
    Share& m_share;
    std::set<RecordKey> m_measured;
    bool m_has_left = false; // something to others
};

} // namespace hidet::tune
