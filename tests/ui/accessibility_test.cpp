// SPDX-License-Identifier: GPL-3.0-only
// Every control can be named by a screen reader and reached by keyboard, and every command is complete.
#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QAccessible>
#include <QComboBox>
#include <QDockWidget>
#include <QLineEdit>
#include <QSet>

#include "app/ui/docks/docks.h"
#include "app/ui/pages/pages.h"
#include "app/ui/window/page_host.h"
#include "app/ui/workbench/live_model.h"
#include "tests/ui/fixture/studio_fixture.h"

using namespace hidet::ui;
using hidet::ui::test::StudioFixture;

namespace {

bool isControl(const QWidget* widget) {
    return qobject_cast<const QAbstractButton*>(widget) || qobject_cast<const QComboBox*>(widget) ||
           qobject_cast<const QLineEdit*>(widget) || qobject_cast<const QAbstractSpinBox*>(widget) ||
           qobject_cast<const QAbstractItemView*>(widget) || qobject_cast<const QsciScintilla*>(widget);
}

// Parts that Qt makes inside of a control are the control's business.
bool isPartOfControl(const QWidget* widget) {
    for (const QWidget* above = widget->parentWidget(); above; above = above->parentWidget())
        if (qobject_cast<const QComboBox*>(above) || qobject_cast<const QAbstractSpinBox*>(above) ||
            qobject_cast<const QAbstractItemView*>(above) || qobject_cast<const QTabBar*>(above) ||
            qobject_cast<const QLineEdit*>(above) || above->inherits("QDockWidgetTitleButton"))
            return true;
    return widget->inherits("QDockWidgetTitleButton") || widget->objectName().startsWith("qt_");
}

QString described(const QWidget* widget) {
    QString out = widget->metaObject()->className();
    for (const QWidget* at = widget; at && !at->isWindow(); at = at->parentWidget())
        if (!at->objectName().isEmpty() || !at->accessibleName().isEmpty())
            out += " in " + at->objectName() + "/" + at->accessibleName();
    return out;
}

QList<QWidget*> controlsOf(QWidget& window) {
    QList<QWidget*> out;
    for (QWidget* widget : window.findChildren<QWidget*>())
        if (widget->isVisible() && isControl(widget) && !isPartOfControl(widget))
            out << widget;
    return out;
}

} // namespace

class Accessibility : public QObject {
    Q_OBJECT
private slots:
    void everyControlHasAName_data() { views(); }
    void everyControlHasAName() {
        StudioFixture studio;
        QVERIFY(show(studio));
        QStringList unnamed;
        for (QWidget* widget : controlsOf(studio.window())) {
            QAccessibleInterface* seen = QAccessible::queryAccessibleInterface(widget);
            if (!seen || seen->text(QAccessible::Name).trimmed().isEmpty())
                unnamed << described(widget);
        }
        QVERIFY2(unnamed.isEmpty(), qPrintable(unnamed.join("\n")));
    }

    // By Tab along the chain of the window, or as the stop of a key that a command has.
    void everyControlIsReachedByKeyboard_data() { views(); }
    void everyControlIsReachedByKeyboard() {
        StudioFixture studio;
        QVERIFY(show(studio));
        QStringList unreached;
        for (QWidget* widget : controlsOf(studio.window())) {
            const QWidget* target = widget->focusProxy() ? widget->focusProxy() : widget;
            if (!(target->focusPolicy() & Qt::TabFocus) && widget->isEnabled())
                unreached << described(widget);
        }
        QVERIFY2(unreached.isEmpty(), qPrintable(unreached.join("\n")));
    }

    // A page that takes the keyboard gives all of it to Tab: from one control to the next, and none is a trap.
    void tabGoesThroughEveryControlOfAPage_data() { pages(); }
    void tabGoesThroughEveryControlOfAPage() {
        QFETCH(QString, view);
        StudioFixture studio;
        QVERIFY(show(studio));
        auto* page = studio.window().findChild<QWidget*>("page." + view.mid(5));
        QVERIFY(page && page->isVisible());
        QSet<const QWidget*> left;
        for (QWidget* control : controlsOf(*page))
            if (control->isEnabled() && !control->focusProxy() && !qobject_cast<QsciScintilla*>(control))
                left << control;
        page->setFocus();
        for (int steps = 0; steps < 400 && !left.isEmpty(); ++steps) {
            left.remove(QApplication::focusWidget());
            QWidget* at = QApplication::focusWidget();
            QTest::keyClick(at ? at : page, Qt::Key_Tab);
        }
        QStringList unreached;
        for (const QWidget* control : left)
            unreached << described(control);
        QVERIFY2(unreached.isEmpty(), qPrintable(unreached.join("\n")));
    }

    void everyCommandIsComplete() {
        StudioFixture studio;
        QSet<QString> ids;
        QHash<QKeySequence, QString> keys;
        QStringList wrong;
        for (const QAction* action : studio.studio().commands.all()) {
            const QString id = Commands::idOf(action);
            if (id.isEmpty() || ids.contains(id))
                wrong << "twice or without an id: " + id;
            ids << id;
            if (action->text().isEmpty() || Commands::helpOf(action).isEmpty() || Commands::menuOf(action).isEmpty())
                wrong << id + " lacks a text, a help or a menu";
            for (const QKeySequence& key : action->shortcuts()) {
                if (key.isEmpty())
                    wrong << id + " has a key that cannot be read";
                else if (keys.contains(key))
                    wrong << id + " and " + keys.value(key) + " share " + key.toString();
                keys[key] = id;
            }
        }
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join("\n")));
    }

private:
    static void pages() {
        QTest::addColumn<QString>("view");
        for (const PageInfo& page : allPages())
            QTest::newRow(qPrintable(page.id)) << "page:" + page.id;
    }
    static void views() {
        pages();
        for (const char* mode : {"view.mode_edit", "view.mode_lower", "view.mode_run"})
            QTest::newRow(mode) << mode;
        for (const DockInfo& dock : allDocks())
            if (dock.modes.contains('g') || dock.area == DockArea::bottom)
                QTest::newRow(qPrintable("model:" + dock.id)) << "model:" + dock.id;
    }
    // A mode with a script, a model with a dock in front and something selected, or a page.
    static bool show(StudioFixture& studio) {
        QFETCH(QString, view);
        if (!studio.openSample("softmax") || !studio.settle())
            return false;
        if (view.startsWith("model:"))
            return showModel(studio, view.mid(6));
        if (!view.startsWith("page:"))
            return studio.trigger(view);
        studio.studio().requests.showPage(view.mid(5));
        return QTest::qWaitFor([&] { return !controlsOf(studio.window()).isEmpty(); });
    }
    static bool showModel(StudioFixture& studio, const QString& dock) {
        const LiveModel* model = studio.studio().tabs.openModel(HIDET_SAMPLES "/models/encoder.onnx");
        if (!QTest::qWaitFor([&] { return !model->graphs().isBusy(); }, 30'000) || !model->graphs().shown())
            return false;
        studio.studio().tabs.model()->selection().select(GraphItem::ofNode(model->graphs().shown()->nodes.front()->id));
        return studio.trigger("dock." + dock);
    }
};

HIDET_UI_TEST_MAIN(Accessibility)
#include "accessibility_test.moc"
