// SPDX-License-Identifier: GPL-3.0-only
#include "tests/ui/window_structure.h"

#include <algorithm>
#include <cxxabi.h>
#include <typeinfo>

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractProxyModel>
#include <QComboBox>
#include <QDockWidget>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QRegularExpression>
#include <QSpinBox>
#include <QTabBar>
#include <QTableView>
#include <QTextDocumentFragment>
#include <QTreeView>
#include <Qsci/qsciscintilla.h>

#include "tests/ui/widget_parts.h"

namespace hidet::ui::test {

namespace {

constexpr int most_letters = 60; // of a text; what comes after them is of no layout's making
constexpr int shown_rows = 3;    // of a table

// Parts whose text or rows are about this machine or a measurement, whatever they say.
bool speaksOfMachine(const QWidget& widget) {
    static const QStringList names = {"about.folders",  "about.tools",       "about.versions",    "code.state",
                                      "history.table",  "latency",           "model_run.facts",   "model_run.words",
                                      "numerics.table", "steps.figures",     "verdict.delta",     "verdict.rate",
                                      "verdict.roof",   "diff.left_figures", "diff.right_figures"};
    return names.contains(widget.objectName());
}

QString shortened(QString text) {
    text = withoutVolatile(text.simplified());
    return text.size() > most_letters ? text.left(most_letters) + "..." : text;
}

QString classOfModel(const QAbstractItemModel& model) {
    int status = 0;
    char* plain = abi::__cxa_demangle(typeid(model).name(), nullptr, nullptr, &status);
    const QString name = QString(plain).section("::", -1);
    std::free(plain);
    if (const auto* proxy = qobject_cast<const QAbstractProxyModel*>(&model); proxy && proxy->sourceModel())
        return name + " of " + classOfModel(*proxy->sourceModel());
    return name;
}

const QHeaderView* headerOf(const QAbstractItemView& view) {
    const QHeaderView* header = nullptr;
    if (const auto* table = qobject_cast<const QTableView*>(&view))
        header = table->horizontalHeader();
    if (const auto* tree = qobject_cast<const QTreeView*>(&view))
        header = tree->header();
    return header && !header->isHidden() ? header : nullptr;
}

// Whose cells are figures of a measurement, of which the title has the unit.
bool isMeasured(const QString& title) {
    static const QRegularExpression unit("(^|, )(ns|µs|ms|s|%)$");
    return title.contains(unit);
}

QString cellOf(const QAbstractItemView& view, int row, int column) {
    const QString title = view.model()->headerData(column, Qt::Horizontal).toString();
    static const QRegularExpression suited("(^|, )(ns|µs|ms|s)$");
    if (row < 0)
        return shortened(title).replace(suited, "\\1s");
    const QString text = shortened(view.model()->index(row, column, view.rootIndex()).data().toString());
    return isMeasured(title.trimmed()) && !text.isEmpty() ? "#" : text;
}

QStringList cellsOf(const QAbstractItemView& view, int row) {
    const QHeaderView* header = headerOf(view);
    QStringList out;
    for (int at = 0; at < (header ? header->count() : 1); ++at) {
        const int column = header ? header->logicalIndex(at) : 0;
        if (!header || !header->isSectionHidden(column))
            out << cellOf(view, row, column);
    }
    return out;
}

QStringList rowsOf(const QAbstractItemView& view) {
    QStringList out;
    if (headerOf(view))
        out << "columns " + cellsOf(view, -1).join(" | ");
    const int rows = speaksOfMachine(view) ? 0 : view.model()->rowCount(view.rootIndex());
    for (int row = 0; row < std::min(shown_rows, rows); ++row)
        out << "row " + cellsOf(view, row).join(" | ");
    return out;
}

QString textOf(const QWidget& widget) {
    if (const auto* label = qobject_cast<const QLabel*>(&widget))
        return label->pixmap().isNull() ? QTextDocumentFragment::fromHtml(label->text()).toPlainText() : QString();
    if (const auto* button = qobject_cast<const QAbstractButton*>(&widget))
        return button->text().isEmpty() ? button->accessibleName() : button->text();
    if (const auto* box = qobject_cast<const QComboBox*>(&widget))
        return box->currentText();
    if (const auto* field = qobject_cast<const QLineEdit*>(&widget))
        return field->text().isEmpty() ? "(" + field->placeholderText() + ")" : field->text();
    if (const auto* spin = qobject_cast<const QAbstractSpinBox*>(&widget))
        return spin->text();
    if (const auto* dock = qobject_cast<const QDockWidget*>(&widget))
        return dock->windowTitle();
    if (const auto* code = qobject_cast<const QsciScintilla*>(&widget))
        return code->accessibleName();
    QStringList tabs;
    if (const auto* bar = qobject_cast<const QTabBar*>(&widget))
        for (int i = 0; i < bar->count(); ++i)
            if (bar->isTabVisible(i))
                tabs << (i == bar->currentIndex() ? "[" + bar->tabText(i) + "]" : bar->tabText(i));
    return tabs.join(" ");
}

bool follows(const QList<QRect>& places, int (QRect::*begin)() const, int (QRect::*end)() const) {
    for (qsizetype i = 1; i < places.size(); ++i)
        if ((places[i].*begin)() <= (places[i - 1].*end)())
            return false;
    return true;
}

// Sorts the parts as they are read, and says how they lie.
QString arrange(QList<QWidget*>& parts) {
    if (parts.size() < 2)
        return {};
    using Edge = int (QRect::*)() const;
    const std::tuple<const char*, Edge, Edge> ways[] = {{"row", &QRect::left, &QRect::right},
                                                        {"column", &QRect::top, &QRect::bottom}};
    for (const auto& [name, begin, end] : ways) {
        QList<QWidget*> sorted = parts;
        std::stable_sort(sorted.begin(), sorted.end(), [edge = begin](const QWidget* a, const QWidget* b) {
            return (a->geometry().*edge)() < (b->geometry().*edge)();
        });
        QList<QRect> places;
        for (const QWidget* part : sorted)
            places << part->geometry();
        if (!follows(places, begin, end))
            continue;
        parts = sorted;
        return name;
    }
    for (qsizetype i = 0; i < parts.size(); ++i)
        for (qsizetype j = i + 1; j < parts.size(); ++j)
            if (parts[i]->geometry().intersects(parts[j]->geometry()))
                return "layers";
    return "grid";
}

void write(const QWidget& widget, int depth, QString& out) {
    QList<QWidget*> parts = partsOf(widget);
    QStringList words = {classOf(widget)};
    if (!widget.objectName().isEmpty())
        words << "#" + shortened(widget.objectName());
    if (const QString text = speaksOfMachine(widget) ? "..." : shortened(textOf(widget)); !text.isEmpty())
        words << '"' + text + '"';
    if (!widget.isEnabled() && widget.parentWidget() && widget.parentWidget()->isEnabled())
        words << "disabled";
    if (const auto* button = qobject_cast<const QAbstractButton*>(&widget); button && button->isChecked())
        words << "checked";
    if (const QString how = arrange(parts); !how.isEmpty())
        words << how;
    const QString indent(2 * depth, ' ');
    const auto* view = qobject_cast<const QAbstractItemView*>(&widget);
    if (view && view->model())
        words << "model=" + classOfModel(*view->model());
    out += indent + words.join(' ') + '\n';
    if (view && view->model())
        for (const QString& row : rowsOf(*view))
            out += indent + "  " + row + '\n';
    for (const QWidget* part : parts)
        write(*part, depth + 1, out);
}

} // namespace

QString withoutVolatile(QString text) {
    struct Rule {
        QRegularExpression what;
        QString instead;
    };
    static const Rule rules[] = {
        // Figures: with a fraction, or with a unit.
        {QRegularExpression(R"(\d[\d,]*\.\d+(e[-+]?\d+)?|\d+e[-+]?\d+|\d[\d,]*(?= ?±))"), "#"},
        {QRegularExpression(R"([\d#][\d,]*( ?)(ns|us|µs|μs|ms|s|min)(?!\w))"), "#\\1s"}, // in the unit that suits it
        {QRegularExpression(
             R"([\d#][\d,]*( ?)(%|[kMGT]?i?B/s|[kKMGT]i?B|[kMGT]?FLOP/s|[kMGT]?FLOP|x|×|cores?|threads?|processors?|bytes)(?!\w))"),
         "#\\1\\2"},
        {QRegularExpression(R"(\d\d\d\d-\d\d-\d\d|\b\d\d?:\d\d(:\d\d)?)"), "#"},
        {QRegularExpression(R"(x86-64-v\d)"), "x86-64"},
        {QRegularExpression(R"((/[\w.-]+)+/)"), ".../"}, // folders
    };
    for (const Rule& rule : rules)
        text.replace(rule.what, rule.instead);
    return text;
}

QString structureOf(const QWidget& window) {
    QString out;
    write(window, 0, out);
    return out;
}

} // namespace hidet::ui::test
