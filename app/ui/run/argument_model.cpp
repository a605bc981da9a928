// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/run/argument_model.h"
#include "app/ui/core/words.h"

#include <QComboBox>
#include <QDir>
#include <QLineEdit>
#include <QPainter>

namespace hidet::ui {

namespace {

using session::Fill;
using session::ParameterKind;

constexpr const char* pointer_types[] = {"f16", "bf16", "f32", "f64", "i8", "i16", "i32", "i64", "u8", "u32", "bool"};

} // namespace

QString fillLabel(Fill fill) {
    switch (fill) {
    case Fill::Default: return ArgumentModel::tr("automatic");
    case Fill::FromScript: return ArgumentModel::tr("from the script");
    case Fill::File: return ArgumentModel::tr("a .npy file");
    default: break;
    }
    for (const session::FillInfo& info : session::all_fills())
        if (info.fill == fill)
            return info.name;
    return {};
}

bool ArgumentModel::Row::operator==(const Row& other) const {
    if (name != other.name || isDimension != other.isDimension || fill != other.fill ||
        parameter.kind != other.parameter.kind)
        return false;
    for (int column = 0; column < ColumnCount; ++column)
        if (typed[column] != other.typed[column] || text[column] != other.text[column] ||
            reason[column] != other.reason[column])
            return false;
    return true;
}

ArgumentModel::ArgumentModel(Studio& studio, QObject* parent)
    : QAbstractTableModel(parent), m_studio(studio), m_runs(*studio.runs) {
    connect(&m_runs, &RunController::planChanged, this, &ArgumentModel::refresh);
    connect(&m_runs, &RunController::signaturesChanged, this, &ArgumentModel::refresh);
    connect(&studio.themes, &ThemeSource::changed, this, [this] {
        if (!m_rows.empty())
            emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
    });
    refresh();
}

std::vector<ArgumentModel::Row> ArgumentModel::made() const {
    std::vector<Row> out;
    const session::FunctionSignature* function = m_runs.function();
    Document* document = m_studio.tabs.current();
    if (!function || !document)
        return out;
    const RunPlan& plan = m_runs.plans().plan(*document);
    const PlanProblems problems = m_runs.problems();
    for (const std::string& dimension : function->dimensions) {
        Row row;
        row.name = QString::fromStdString(dimension);
        row.isDimension = true;
        row.text[Name] = row.name;
        row.text[Type] = tr("dimension");
        row.text[Value] = effectiveDimension(plan, *function, row.name);
        row.typed[Value] = plan.dimensions.contains(row.name);
        row.reason[Value] = reasonFor(problems, row.name + ".dimension");
        if (plan.sweeps() && plan.sweepName == row.name)
            row.text[Value] = tr("swept");
        out.push_back(std::move(row));
    }
    for (const session::ParameterView& parameter : function->parameters) {
        Row row;
        row.name = QString::fromStdString(parameter.name);
        row.parameter = parameter;
        const EffectiveArgument argument = effective(plan, *function, parameter);
        const ArgumentPlan* typed = plan.argument(row.name);
        row.fill = argument.fill;
        row.text[Name] = row.name;
        row.text[Type] = (parameter.kind == ParameterKind::Pointer ? "~" : "") +
                         (argument.dtype.isEmpty() ? tr("text") : argument.dtype);
        row.typed[Type] = typed && !typed->dtype.isEmpty();
        const bool memory = parameter.kind == ParameterKind::Tensor || parameter.kind == ParameterKind::Pointer;
        row.text[Shape] = memory ? argument.shape : QString();
        row.typed[Shape] = typed && !typed->shape.isEmpty();
        row.reason[Shape] = reasonFor(problems, row.name + ".shape");
        if (memory) {
            row.text[Value] = argument.fill == Fill::File && typed ? typed->file : fillLabel(argument.fill);
            if (argument.fill == Fill::Default)
                row.text[Value] = parameter.read || !parameter.written ? tr("random") : tr("empty");
            row.typed[Value] = typed && typed->fill.has_value();
            row.reason[Value] = reasonFor(problems, row.name + ".file");
            if (row.reason[Value].isEmpty())
                row.reason[Value] = reasonFor(problems, row.name + ".fill");
        } else {
            row.text[Value] = plan.sweeps() && plan.sweepName == row.name ? tr("swept") : argument.value;
            row.typed[Value] = typed && !typed->value.isEmpty();
            row.reason[Value] = reasonFor(problems, row.name + ".value");
        }
        out.push_back(std::move(row));
    }
    return out;
}

// Rows that stay keep their editors, the selection and the keyboard.
void ArgumentModel::refresh() {
    std::vector<Row> rows = made();
    bool same = rows.size() == m_rows.size();
    for (std::size_t i = 0; same && i < rows.size(); ++i)
        same = rows[i].name == m_rows[i].name && rows[i].isDimension == m_rows[i].isDimension;
    if (!same) {
        beginResetModel();
        m_rows = std::move(rows);
        endResetModel();
        return;
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i] == m_rows[i])
            continue;
        m_rows[i] = std::move(rows[i]);
        emit dataChanged(index(int(i), 0), index(int(i), ColumnCount - 1));
    }
}

int ArgumentModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(m_rows.size());
}

int ArgumentModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

bool ArgumentModel::isMemory(int row) const {
    const Row& of = m_rows[std::size_t(row)];
    return !of.isDimension &&
           (of.parameter.kind == ParameterKind::Tensor || of.parameter.kind == ParameterKind::Pointer);
}

bool ArgumentModel::isPointer(int row) const {
    const Row& of = m_rows[std::size_t(row)];
    return !of.isDimension && of.parameter.kind == ParameterKind::Pointer;
}

Fill ArgumentModel::fillOf(int row) const {
    return m_rows[std::size_t(row)].fill;
}

QVariant ArgumentModel::data(const QModelIndex& index, int role) const {
    const Row& row = m_rows[std::size_t(index.row())];
    const int column = index.column();
    const Theme& theme = m_studio.themes.theme();
    switch (role) {
    case Qt::DisplayRole:
    case Qt::EditRole: return row.text[column];
    case TypedRole: return row.typed[column];
    case ReasonRole: return row.reason[column];
    case FillRole: return int(row.fill);
    case Qt::ForegroundRole:
        if (!row.reason[column].isEmpty())
            return theme.error;
        return column == Name || row.typed[column] ? theme.text : theme.muted;
    case Qt::ToolTipRole:
    case Qt::AccessibleDescriptionRole:
        if (!row.reason[column].isEmpty())
            return row.reason[column];
        if (column == Value && isMemory(index.row()))
            for (const session::FillInfo& info : session::all_fills())
                if (info.fill == row.fill)
                    return sentence(info.summary);
        return row.typed[column] ? QVariant() : column == Name ? QVariant() : tr("As the script has it");
    case Qt::AccessibleTextRole: {
        const QString what = headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
        QString text =
            tr("%1 of %2: %3").arg(what, row.name, row.text[column].isEmpty() ? tr("none") : row.text[column]);
        return row.reason[column].isEmpty() ? text : text + ", " + row.reason[column];
    }
    case Qt::TextAlignmentRole: return int(Qt::AlignVCenter | Qt::AlignLeft);
    default: return {};
    }
}

QVariant ArgumentModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return int(Qt::AlignVCenter | Qt::AlignLeft);
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Name: return tr("Argument");
    case Type: return tr("Type");
    case Shape: return tr("Shape");
    default: return tr("Value");
    }
}

Qt::ItemFlags ArgumentModel::flags(const QModelIndex& index) const {
    if (!index.isValid())
        return Qt::NoItemFlags;
    Qt::ItemFlags out = Qt::ItemIsEnabled | Qt::ItemIsSelectable;
    const bool editable = index.column() == Value || (index.column() == Shape && isMemory(index.row())) ||
                          (index.column() == Type && isPointer(index.row()));
    return editable ? out | Qt::ItemIsEditable : out;
}

bool ArgumentModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    Document* document = m_studio.tabs.current();
    if (role != Qt::EditRole || !document)
        return false;
    const Row& row = m_rows[std::size_t(index.row())];
    const QString text = value.toString().trimmed();
    if (text == row.text[index.column()])
        return false;
    RunPlan plan = m_runs.plans().plan(*document);
    if (row.isDimension) {
        plan.dimensions[row.name] = text;
    } else {
        ArgumentPlan& argument = plan.argumentFor(row.name);
        if (index.column() == Type)
            argument.dtype = text;
        else if (index.column() == Shape)
            argument.shape = text;
        else
            argument.value = text;
        // The script's own data do not take another shape or type.
        if (index.column() != Value && argument.fill == Fill::FromScript)
            argument.fill.reset();
    }
    m_runs.plans().change(*document, plan, QString("%1.%2").arg(row.name).arg(index.column()),
                          tr("change '%1'").arg(row.name));
    return true;
}

void ArgumentModel::setFill(int row, Fill fill, const QString& file) {
    Document* document = m_studio.tabs.current();
    if (!document)
        return;
    const QString name = m_rows[std::size_t(row)].name;
    RunPlan plan = m_runs.plans().plan(*document);
    ArgumentPlan& argument = plan.argumentFor(name);
    argument.fill = fill;
    argument.file = fill == Fill::File ? file : QString();
    const session::FunctionSignature* function = m_runs.function();
    if (fill == Fill::FromScript || (fill == Fill::Default && function && !function->called))
        argument.fill = fill == Fill::FromScript ? std::nullopt : argument.fill;
    m_runs.plans().change(*document, plan, name + ".fill", tr("fill '%1'").arg(name));
}

ArgumentDelegate::ArgumentDelegate(Studio& studio, ArgumentModel& model, QObject* parent)
    : QStyledItemDelegate(parent), m_studio(studio), m_model(model) {}

QWidget* ArgumentDelegate::createEditor(QWidget* parent, const QStyleOptionViewItem& option,
                                        const QModelIndex& index) const {
    auto* self = const_cast<ArgumentDelegate*>(this);
    const QString name = index.data(Qt::AccessibleTextRole).toString();
    const bool fills = index.column() == ArgumentModel::Value && m_model.isMemory(index.row());
    if (!fills && index.column() != ArgumentModel::Type) {
        QWidget* line = QStyledItemDelegate::createEditor(parent, option, index);
        line->setAccessibleName(name);
        line->setStyleSheet("QLineEdit { border-radius: 0; padding: 0 3px; }");
        return line;
    }
    auto* box = new QComboBox(parent);
    box->setAccessibleName(name);
    box->setStyleSheet("QComboBox { border-radius: 0; padding: 0 3px; }");
    if (fills) {
        const session::FunctionSignature* function = m_studio.runs->function();
        for (const session::FillInfo& info : session::all_fills()) {
            if (info.fill == Fill::FromScript && !(function && function->called))
                continue;
            box->addItem(info.fill == Fill::File ? tr("from a .npy file...") : fillLabel(info.fill), int(info.fill));
            box->setItemData(box->count() - 1, sentence(info.summary), Qt::ToolTipRole);
        }
    } else {
        for (const char* type : pointer_types)
            box->addItem(type, QString(type));
    }
    connect(box, &QComboBox::activated, self, [self, box] {
        emit self->commitData(box);
        emit self->closeEditor(box);
    });
    return box;
}

void ArgumentDelegate::setEditorData(QWidget* editor, const QModelIndex& index) const {
    auto* box = qobject_cast<QComboBox*>(editor);
    if (!box)
        return QStyledItemDelegate::setEditorData(editor, index);
    const bool fills = index.column() == ArgumentModel::Value;
    QString type = index.data().toString();
    type.remove('~');
    box->setCurrentIndex(std::max(0, box->findData(fills ? index.data(ArgumentModel::FillRole) : QVariant(type))));
}

void ArgumentDelegate::setModelData(QWidget* editor, QAbstractItemModel* model, const QModelIndex& index) const {
    auto* box = qobject_cast<QComboBox*>(editor);
    if (!box)
        return QStyledItemDelegate::setModelData(editor, model, index);
    if (index.column() == ArgumentModel::Type) {
        model->setData(index, box->currentData(), Qt::EditRole);
        return;
    }
    const auto fill = static_cast<Fill>(box->currentData().toInt());
    if (fill != Fill::File) {
        if (fill != m_model.fillOf(index.row()))
            m_model.setFill(index.row(), fill);
        return;
    }
    // The list has closed when the chooser opens.
    auto* self = const_cast<ArgumentDelegate*>(this);
    QMetaObject::invokeMethod(
        self,
        [self, row = index.row()] {
            Document* document = self->m_studio.tabs.current();
            if (!document)
                return;
            const QStringList chosen =
                self->m_studio.dialogs.open(qobject_cast<QWidget*>(self->parent()), tr("Choose the data"),
                                            document->folder(), tr("NumPy arrays (*.npy)"));
            if (chosen.isEmpty())
                return;
            const QString inside = QDir(document->folder()).relativeFilePath(chosen.first());
            self->m_model.setFill(row, Fill::File,
                                  document->folder().isEmpty() || inside.startsWith("..") ? chosen.first() : inside);
        },
        Qt::QueuedConnection);
}

void ArgumentDelegate::updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option,
                                            const QModelIndex&) const {
    editor->setGeometry(option.rect);
}

// A cell that is wrong has a mark as well as a colour.
void ArgumentDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    QStyledItemDelegate::paint(painter, option, index);
    if (index.data(ArgumentModel::ReasonRole).toString().isEmpty())
        return;
    painter->save();
    painter->setPen(QPen(m_studio.themes.theme().error, 1));
    painter->drawRect(QRectF(option.rect).adjusted(0.5, 0.5, -1.5, -1.5));
    painter->restore();
}

} // namespace hidet::ui
