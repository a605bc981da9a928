// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/palette/palette.h"

#include <QAbstractListModel>
#include <QApplication>
#include <QKeyEvent>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QTextLayout>

#include "app/ui/core/icons.h"
#include "app/ui/core/theme.h"
#include "app/ui/live/live_pipeline.h"
#include "app/ui/widgets/parts.h"

namespace hidet::ui {

class PaletteModel : public QAbstractListModel {
    Q_OBJECT
public:
    using QAbstractListModel::QAbstractListModel;

    void show(PaletteItems items) {
        beginResetModel();
        m_items = std::move(items);
        endResetModel();
    }

    const PaletteItems& items() const { return m_items; }

    int rowCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : int(m_items.size()); }

    QVariant data(const QModelIndex& index, int role) const override {
        if (!index.isValid())
            return {};
        const PaletteItem& item = m_items[static_cast<std::size_t>(index.row())];
        switch (role) {
        case Qt::DisplayRole: return item.text;
        case Qt::ToolTipRole: return item.help;
        case Qt::AccessibleTextRole: return item.keys.isEmpty() ? item.text : item.text + ", " + item.keys;
        case Qt::AccessibleDescriptionRole: return item.help;
        default: return {};
        }
    }

    Qt::ItemFlags flags(const QModelIndex& index) const override {
        return index.isValid() ? Qt::ItemIsSelectable | Qt::ItemIsEnabled : Qt::NoItemFlags;
    }

private:
    PaletteItems m_items;
};

class PaletteDelegate : public QStyledItemDelegate {
public:
    PaletteDelegate(const PaletteModel& model, const ThemeSource& themes, QObject* parent)
        : QStyledItemDelegate(parent), m_model(model), m_themes(themes) {}

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const PaletteItem& item = m_model.items()[static_cast<std::size_t>(index.row())];
        const Theme& theme = m_themes.theme();
        painter->save();
        QRect rest = option.rect;
        const bool chosen = option.state & QStyle::State_Selected;
        const QColor& behind = chosen ? theme.selection : theme.raised;
        if (chosen) {
            painter->setRenderHint(QPainter::Antialiasing);
            painter->setPen(Qt::NoPen);
            painter->setBrush(theme.selection);
            painter->drawRoundedRect(rest.adjusted(4, 0, -4, 0), 4, 4);
        }
        rest.adjust(12, 0, -12, 0);
        if (!item.icon.isEmpty()) {
            const QRect place(rest.left(), rest.center().y() - 7, 16, 16);
            icon(item.icon, theme.muted).paint(painter, place);
            rest.setLeft(rest.left() + 24);
        }
        const QColor faint = theme.stale(theme.muted), muted = theme.readable(theme.muted, behind);
        if (!item.keys.isEmpty()) {
            painter->setPen(item.possible ? muted : faint);
            painter->setFont(m_themes.smallFont());
            painter->drawText(rest, Qt::AlignRight | Qt::AlignVCenter, item.keys);
            rest.setRight(rest.right() - painter->fontMetrics().horizontalAdvance(item.keys) - 16);
        }
        QTextLayout layout(option.fontMetrics.elidedText(item.text, Qt::ElideMiddle, rest.width()), option.font);
        QList<QTextLayout::FormatRange> formats;
        for (const auto& [begin, count] : item.matches) {
            QTextLayout::FormatRange format{begin, count, {}};
            format.format.setForeground(item.possible ? theme.readable(theme.accent, behind) : faint);
            format.format.setFontWeight(QFont::DemiBold);
            formats << format;
        }
        layout.setFormats(formats);
        layout.beginLayout();
        QTextLine line = layout.createLine();
        layout.endLayout();
        painter->setPen(item.possible ? theme.text : faint);
        layout.draw(painter, QPointF(rest.left(), rest.center().y() - line.height() / 2 + 1));
        rest.setLeft(rest.left() + int(line.naturalTextWidth()) + 12);
        painter->setPen(item.possible ? muted : faint);
        painter->setFont(m_themes.smallFont());
        const QString detail = painter->fontMetrics().elidedText(item.detail, Qt::ElideMiddle, rest.width());
        painter->drawText(rest, Qt::AlignLeft | Qt::AlignVCenter, detail);
        painter->restore();
    }

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const override {
        return {option.rect.width(), std::max(28, option.fontMetrics.height() + 8)};
    }

private:
    const PaletteModel& m_model;
    const ThemeSource& m_themes;
};

namespace {

constexpr int palette_rows = 14;
constexpr int most_remembered = 12;
const QString remembered_key = QStringLiteral("palette/recent");

QString promptOf(const QString& text) {
    static const std::pair<QChar, const char*> prompts[] = {
        {'>', "Commands"}, {'@', "Names in this script"}, {':', "Line in this script"}, {'#', "Passes"}};
    for (const auto& [letter, name] : prompts)
        if (text.startsWith(letter))
            return Palette::tr(name);
    return Palette::tr("Scripts");
}

} // namespace

Palette::Palette(Studio& studio, QWidget* window)
    : QFrame(window), m_studio(studio), m_input(new QLineEdit(this)), m_list(new QListView(this)),
      m_help(new QLabel(this)), m_model(new PaletteModel(this)) {
    setObjectName("palette");
    setAttribute(Qt::WA_StyledBackground);
    m_input->setObjectName("palette.input");
    m_input->setClearButtonEnabled(false);
    m_input->installEventFilter(this);
    named(m_list, "palette.list", tr("Results"));
    m_list->setFocusPolicy(Qt::NoFocus);
    m_list->setModel(m_model);
    m_list->setItemDelegate(new PaletteDelegate(*m_model, studio.themes, this));
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setUniformItemSizes(true);
    m_help->setProperty("muted", true);
    m_help->setContentsMargins(12, 4, 12, 4);
    newColumn({0, 8, 0, 0}, 4, {newRow({8, 0, 8, 0}, -1, {m_input}), m_list, m_help}, this);
    connect(m_input, &QLineEdit::textChanged, this, &Palette::refresh);
    connect(m_list, &QListView::clicked, this, [this](const QModelIndex& index) { take(index.row()); });
    connect(&studio.requests, &ViewRequests::searchRequested, this, &Palette::open);
    connect(&studio.scripts, &LiveScripts::analysed, this, [this] {
        if (isVisible() && m_input->text().startsWith('@'))
            refresh();
    });
    connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) {
        if (isVisible() && now && now != m_input)
            hide();
    });
    window->installEventFilter(this);
    hide();
}

const PaletteItems& Palette::shown() const {
    return m_model->items();
}

void Palette::open(const QString& prefix) {
    if (!isVisible())
        m_before = QApplication::focusWidget();
    m_input->setText(prefix);
    m_input->setCursorPosition(int(prefix.size()));
    refresh();
    show();
    raise();
    m_input->setFocus(Qt::OtherFocusReason); // any other reason selects what stands there already
    m_input->deselect();
}

void Palette::close() {
    hide();
    if (m_before)
        m_before->setFocus();
    else
        emit m_studio.requests.editorRequested();
}

void Palette::refresh() {
    const QString text = m_input->text();
    const QString rest = text.mid(1);
    m_input->setAccessibleName(promptOf(text));
    m_input->setPlaceholderText(tr("Scripts; > commands, @ names, : line, # passes"));
    if (text.startsWith('>'))
        list(commandItems(m_studio), rest);
    else if (text.startsWith(':'))
        list(lineItems(m_studio, rest), {});
    else if (text.startsWith('#'))
        list(passItems(m_studio), rest);
    else if (!text.startsWith('@'))
        list(scriptItems(m_studio), text);
    else
        listNames(rest);
}

// What is known of the text as it is now; studio.scripts.analysed() says when it has read it.
void Palette::listNames(const QString& pattern) {
    const LivePipeline* known = m_studio.scripts.live();
    list(known && known->answersAreCurrent() ? symbolItems(m_studio, *known->answers()) : PaletteItems(), pattern);
}

bool Palette::isReading() const {
    const Document* document = m_studio.tabs.current();
    const LivePipeline* known = m_studio.scripts.live();
    return document && document->isScript() && !(known && known->answersAreCurrent());
}

void Palette::list(PaletteItems items, const QString& pattern) {
    const QStringList remembered = m_studio.settings.extra(remembered_key).toStringList();
    for (PaletteItem& item : items)
        item.recent = item.id.isEmpty() ? -1 : int(remembered.indexOf(item.id));
    m_model->show(ranked(std::move(items), pattern));
    select(0);
    place();
}

void Palette::select(int row) {
    const int count = m_model->rowCount();
    if (count > 0)
        m_list->setCurrentIndex(m_model->index(std::clamp(row, 0, count - 1)));
    showHelp();
}

void Palette::showHelp() {
    const int row = selected();
    QString help;
    if (row >= 0)
        help = shown()[static_cast<std::size_t>(row)].help;
    else if (m_input->text().startsWith('@') && isReading())
        help = tr("Reading the script");
    else if (!m_studio.tabs.current() && QString("@:#").contains(m_input->text().left(1)) && !m_input->text().isEmpty())
        help = tr("No script is open");
    else
        help = tr("No matches");
    m_help->setText(m_help->fontMetrics().elidedText(help, Qt::ElideRight, std::max(100, width() - 32)));
}

void Palette::place() {
    const QWidget* window = parentWidget();
    const int width = std::min(680, window->width() - 32);
    const int rows = std::min(palette_rows, m_model->rowCount());
    const int rowHeight = std::max(28, fontMetrics().height() + 8);
    m_list->setFixedHeight(std::min(rows * rowHeight, std::max(rowHeight, window->height() - 200)) + 9);
    setGeometry((window->width() - width) / 2, 48, width, sizeHint().height());
    layout()->activate();
    resize(width, sizeHint().height());
    showHelp();
}

void Palette::take(int row) {
    if (row < 0 || row >= int(shown().size()))
        return;
    const PaletteItem item = shown()[static_cast<std::size_t>(row)];
    if (!item.possible)
        return;
    if (!item.id.isEmpty()) {
        QStringList remembered = m_studio.settings.extra(remembered_key).toStringList();
        remembered.removeAll(item.id);
        remembered.prepend(item.id);
        m_studio.settings.setExtra(remembered_key, QStringList(remembered.mid(0, most_remembered)));
    }
    close();
    item.act();
}

bool Palette::eventFilter(QObject* watched, QEvent* event) {
    if (watched == parentWidget()) {
        if (event->type() == QEvent::Resize && isVisible())
            place();
        return false;
    }
    if (event->type() != QEvent::KeyPress && event->type() != QEvent::ShortcutOverride)
        return false;
    const auto& key = static_cast<const QKeyEvent&>(*event);
    const int page = palette_rows - 1;
    int row = selected();
    switch (key.key()) {
    case Qt::Key_Down:
    case Qt::Key_Tab: row = row + 1 < m_model->rowCount() ? row + 1 : 0; break;
    case Qt::Key_Up:
    case Qt::Key_Backtab: row = row > 0 ? row - 1 : m_model->rowCount() - 1; break;
    case Qt::Key_PageDown: row += page; break;
    case Qt::Key_PageUp: row -= page; break;
    case Qt::Key_Escape:
    case Qt::Key_Return:
    case Qt::Key_Enter: break;
    default: return false;
    }
    if (event->type() == QEvent::ShortcutOverride) {
        event->accept(); // Esc and the arrows are the palette's, whatever command has them
        return true;
    }
    if (key.key() == Qt::Key_Escape)
        close();
    else if (key.key() == Qt::Key_Return || key.key() == Qt::Key_Enter)
        take(selected());
    else
        select(row);
    return true;
}

} // namespace hidet::ui

#include "palette.moc"
