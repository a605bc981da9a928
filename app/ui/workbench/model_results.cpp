// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/workbench/model_results.h"

#include <utility>

#include "app/ui/workbench/model_setup.h"

namespace hidet::ui {

ModelResults::ModelResults(const ModelSetup& setup, QObject* parent) : QObject(parent), m_setup(setup) {}

bool ModelResults::isStale() const {
    return m_revision != m_setup.revision();
}

void ModelResults::setBench(std::shared_ptr<const session::ModelBenchResult> result, quint64 revision) {
    forgetOthers(revision);
    m_findings.bench = std::move(result);
    emit findingsChanged();
}

void ModelResults::setComparison(std::shared_ptr<const session::ModelRunResult> result, quint64 revision) {
    forgetOthers(revision);
    m_findings.comparison = std::move(result);
    emit findingsChanged();
}

void ModelResults::setNumbers(std::shared_ptr<const session::NumberFile> numbers) {
    m_findings.numbers = std::move(numbers);
    emit findingsChanged();
}

void ModelResults::forgetOthers(quint64 revision) {
    if (revision != m_revision)
        m_findings = {nullptr, nullptr, m_findings.numbers};
    m_revision = revision;
}

} // namespace hidet::ui
