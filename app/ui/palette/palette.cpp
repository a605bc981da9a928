// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/palette/palette.h"

#include <QApplication>
#include <QKeyEvent>
#include <QVBoxLayout>

#include "app/ui/live/live_pipeline.h"
#include "app/ui/palette/palette_model.h"

namespace hidet::ui {

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
    m_list->setObjectName("palette.list");
    m_list->setAccessibleName(tr("Results"));
    m_list->setFocusPolicy(Qt::NoFocus);
    m_list->setModel(m_model);
    m_list->setItemDelegate(new PaletteDelegate(*m_model, studio.themes, this));
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setUniformItemSizes(true);
    m_help->setProperty("muted", true);
    m_help->setContentsMargins(12, 4, 12, 4);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 8, 0, 0);
    column->setSpacing(4);
    auto* inputRow = new QHBoxLayout;
    inputRow->setContentsMargins(8, 0, 8, 0);
    inputRow->addWidget(m_input);
    column->addLayout(inputRow);
    column->addWidget(m_list);
    column->addWidget(m_help);
    connect(m_input, &QLineEdit::textChanged, this, &Palette::refresh);
    connect(m_list, &QListView::clicked, this, [this](const QModelIndex& index) { take(index.row()); });
    connect(&studio, &Studio::searchRequested, this, &Palette::open);
    connect(&studio, &Studio::analysed, this, [this] {
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
        emit m_studio.editorRequested();
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

// What is known of the text as it is now; studio.analysed() says when it has read it.
void Palette::listNames(const QString& pattern) {
    const LivePipeline* known = m_studio.live();
    list(known && known->answersAreCurrent() ? symbolItems(m_studio, *known->answers()) : PaletteItems(), pattern);
}

bool Palette::isReading() const {
    const Document* document = m_studio.current();
    const LivePipeline* known = m_studio.live();
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
    else if (!m_studio.current() && QString("@:#").contains(m_input->text().left(1)) && !m_input->text().isEmpty())
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
    case Qt::Key_Down: row = row + 1 < m_model->rowCount() ? row + 1 : 0; break;
    case Qt::Key_Up: row = row > 0 ? row - 1 : m_model->rowCount() - 1; break;
    case Qt::Key_Tab: row = row + 1 < m_model->rowCount() ? row + 1 : 0; break;
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
