// SPDX-License-Identifier: GPL-3.0-only
// Qt's contract of item models (indices, parents, roles, the signals around every change), asked of every model of ours
// that a view shows in a test: whatever a journey does with a table, the table is checked while it does it.
#pragma once

#include <QAbstractItemModel>
#include <QObject>

namespace hidet::ui::test {

// For the application; it sees a model when its view is first painted with it.
class ModelContract : public QObject {
public:
    using QObject::QObject;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
};

// The tester watches it, and what it stands on; or it is Qt's own.
bool isUnderContract(const QAbstractItemModel& model);

} // namespace hidet::ui::test
