// SPDX-License-Identifier: GPL-3.0-only
// What runs of a model and files of numbers have said. What a run has said is of one revision of the model.
#pragma once

#include <memory>

#include <QObject>

#include "app/session/model/view/overlay.h"

namespace hidet::ui {

class ModelSetup;

class ModelResults : public QObject {
    Q_OBJECT
public:
    ModelResults(const ModelSetup& setup, QObject* parent);

    const session::ModelFindings& findings() const { return m_findings; }
    bool isStale() const; // they are of an older revision
    void setBench(std::shared_ptr<const session::ModelBenchResult> result, quint64 revision);
    void setComparison(std::shared_ptr<const session::ModelRunResult> result, quint64 revision);
    void setNumbers(std::shared_ptr<const session::NumberFile> numbers); // what ModelNumbers has read

signals:
    void findingsChanged(); // also: they became stale

private:
    void forgetOthers(quint64 revision);

    const ModelSetup& m_setup;
    session::ModelFindings m_findings;
    quint64 m_revision = 0;
};

} // namespace hidet::ui
