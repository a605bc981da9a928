// SPDX-License-Identifier: GPL-3.0-only
#include "tests/ui/model_contract.h"

#include <string_view>
#include <typeinfo>

#include <QAbstractItemModelTester>
#include <QAbstractItemView>
#include <QAbstractProxyModel>
#include <QEvent>

namespace hidet::ui::test {

namespace {

// The tester looks at all rows after every change; models of this many are looked at by tests of their own.
constexpr int most_rows = 2000;

// Models of Qt's item widgets have children below every column, which the tester does not allow.
bool isOurs(const QAbstractItemModel& model) {
    return std::string_view(typeid(model).name()).find("5hidet") != std::string_view::npos;
}

void ask(QAbstractItemModel* model) {
    if (auto* proxy = qobject_cast<QAbstractProxyModel*>(model))
        if (proxy->sourceModel())
            ask(proxy->sourceModel());
    if (!isOurs(*model) || model->property("underContract").toBool() || model->rowCount() > most_rows)
        return;
    model->setProperty("underContract", true);
    new QAbstractItemModelTester(model, QAbstractItemModelTester::FailureReportingMode::QtTest, model);
}

} // namespace

bool isUnderContract(const QAbstractItemModel& model) {
    const auto* proxy = qobject_cast<const QAbstractProxyModel*>(&model);
    return (!isOurs(model) || model.property("underContract").toBool()) &&
           (!proxy || !proxy->sourceModel() || isUnderContract(*proxy->sourceModel()));
}

bool ModelContract::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Paint)
        if (auto* view = qobject_cast<QAbstractItemView*>(watched->parent()); view && view->model())
            ask(view->model());
    return false;
}

} // namespace hidet::ui::test
