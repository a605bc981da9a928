// SPDX-License-Identifier: Apache-2.0
#include "compiler/tune/share.h"

namespace hidet::tune {

// Nothing more is to be found out once all keys have been measured.
bool SharedMeasurer::is_waiting() const {
    return m_has_left || (!m_share.keys.empty() && m_measured.size() == m_share.keys.size());
}

Result<void> SharedMeasurer::measure(std::vector<Measurement>& measurements,
                                     const std::function<void(Measurement&)>& done) {
    if (!m_share.keys.empty())
        return measure_own(measurements, done);
    for (const Measurement& each : measurements)
        m_share.missing.push_back(each.keys);
    m_has_left = m_has_left || !measurements.empty();
    return {};
}

bool SharedMeasurer::keep_own(Measurement& measurement) const {
    std::vector<Variant> variants;
    std::vector<RecordKey> keys;
    for (std::size_t i = 0; i < measurement.keys.size(); ++i)
        if (m_share.keys.contains(measurement.keys[i])) {
            variants.push_back(std::move(measurement.variants[i]));
            keys.push_back(std::move(measurement.keys[i]));
        }
    measurement.variants = std::move(variants);
    measurement.keys = std::move(keys);
    return !measurement.keys.empty();
}

// Whoever asks counts on hearing of all measurements in their order: of those that are others' it hears that nothing was measured.
Result<void> SharedMeasurer::measure_own(std::vector<Measurement>& measurements,
                                         const std::function<void(Measurement&)>& done) {
    std::vector<Measurement> own;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < measurements.size(); ++i) {
        const std::size_t ways = measurements[i].keys.size();
        if (keep_own(measurements[i])) {
            m_has_left = m_has_left || measurements[i].keys.size() < ways;
            places.push_back(i);
            own.push_back(std::move(measurements[i]));
        } else {
            m_has_left = true;
        }
    }
    std::size_t next = 0;
    const auto pass_to = [&](std::size_t place) {
        for (; next < place; ++next)
            done(measurements[next]);
    };
    std::size_t count = 0;
    const auto hear = [&](Measurement& measurement) {
        pass_to(places[count++]);
        tell(measurement);
        done(measurement);
        ++next;
    };
    HIDET_TRY_TO(own.empty() ? Result<void>() : m_measurer.measure(own, hear));
    if (count == own.size()) // it was not cancelled
        pass_to(measurements.size());
    return {};
}

void SharedMeasurer::tell(const Measurement& measurement) {
    for (std::size_t i = 0; i < measurement.outcomes.size(); ++i) {
        const Measurement::Outcome& outcome = measurement.outcomes[i];
        m_measured.insert(measurement.keys[i]);
        if (m_share.measured)
            m_share.measured({measurement.keys[i], {outcome.seconds, outcome.spread, outcome.problem}});
    }
}

} // namespace hidet::tune
