// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/exporting/export_files.h"

#include <algorithm>

#include <QFileInfo>
#include <QHeaderView>
#include <QSplitter>

#include "app/ui/core/figures.h"
#include "app/ui/core/words.h"
#include "app/ui/widgets/parts.h"

namespace hidet::ui {

namespace {

enum Column { NameColumn, SizeColumn, StateColumn };

QString aboutText(const QString& path, const session::FileView& view) {
    const QString size = bytesText(double(view.size));
    if (view.is_whole())
        return QObject::tr("%1, %2").arg(path, size);
    return view.is_text ? QObject::tr("%1, the first %2 of %3").arg(path, bytesText(double(view.shown)), size)
                        : QObject::tr("%1, the first %2 bytes of %3").arg(path).arg(view.shown).arg(size);
}

} // namespace

Language languageOfFile(const QString& path) {
    const QString ending = QFileInfo(path).suffix();
    if (ending == "cu")
        return Language::Cuda;
    if (ending == "ptx")
        return Language::Ptx;
    if (ending == "c" || ending == "h" || ending == "cpp" || ending == "hpp")
        return Language::Cpp;
    if (ending == "py")
        return Language::Script;
    return Language::Plain;
}

ExportFiles::ExportFiles(ThemeSource& themes, QWidget* parent) : QWidget(parent), m_themes(themes) {
    setNames("export", m_list, "files", m_about, "about", m_view, "view");
    m_list->setAccessibleName(tr("Files"));
    m_list->setRootIsDecorated(false);
    m_list->setUniformRowHeights(true);
    m_list->setHeaderLabels({tr("File"), tr("Size"), {}});
    m_list->headerItem()->setTextAlignment(SizeColumn, Qt::AlignRight | Qt::AlignVCenter);
    m_list->header()->setStretchLastSection(true);
    m_list->header()->setSectionResizeMode(NameColumn, QHeaderView::ResizeToContents);
    m_list->header()->setSectionResizeMode(SizeColumn, QHeaderView::ResizeToContents);
    m_list->setMinimumHeight(64);
    m_about->setProperty("muted", true);
    m_about->setContentsMargins(12, 4, 12, 4);
    m_view->setAccessibleName(tr("What is in the file"));
    m_view->setReadOnly(true);
    auto* below = new QWidget;
    newColumn(below, {m_about, {m_view, 1}});
    auto* splitter = new QSplitter(Qt::Vertical);
    splitter->setChildrenCollapsible(false);
    splitter->addWidget(m_list);
    splitter->addWidget(below);
    splitter->setStretchFactor(1, 1);
    splitter->setSizes({150, 400});
    newColumn(this, {splitter});
    connect(m_list, &QTreeWidget::currentItemChanged, this, [this](const QTreeWidgetItem* item) {
        if (!item)
            return;
        m_wanted = item->text(NameColumn);
        showFile();
    });
}

void ExportFiles::show(std::shared_ptr<const session::ExportResult> result) {
    m_result = std::move(result);
    const QString wanted = m_wanted;
    {
        const QSignalBlocker quiet(m_list);
        m_list->clear();
        for (const session::ExportedFile& file : m_result->files) {
            auto* item = new QTreeWidgetItem(m_list, {text(file.path), bytesText(double(file.bytes.size())), {}});
            item->setTextAlignment(SizeColumn, Qt::AlignRight | Qt::AlignVCenter);
            if (item->text(NameColumn) == wanted)
                m_list->setCurrentItem(item);
        }
        if (!m_list->currentItem())
            m_list->setCurrentItem(m_list->topLevelItem(0));
    }
    showFile();
}

void ExportFiles::setStale() {
    m_looking.cancel();
    m_view->setStale(true);
}

void ExportFiles::markExisting(const QStringList& names) {
    for (int i = 0; i < m_list->topLevelItemCount(); ++i) {
        QTreeWidgetItem* item = m_list->topLevelItem(i);
        const bool isThere = names.contains(item->text(NameColumn));
        item->setText(StateColumn, isThere ? tr("replaces the one that is there") : QString());
        item->setForeground(StateColumn, m_themes.theme().warning);
    }
}

void ExportFiles::showFile() {
    const int row = m_list->indexOfTopLevelItem(m_list->currentItem());
    if (row < 0 || row >= static_cast<int>(m_result->files.size()))
        return;
    const QString path = m_list->currentItem()->text(NameColumn);
    m_looking.run([result = m_result,
                   row](const std::atomic<bool>&) { return view_of(result->files[static_cast<std::size_t>(row)]); },
                  [this, path](const session::FileView& view) {
                      m_about->setText(aboutText(path, view));
                      m_view->setReadOnly(false);
                      m_view->setLanguage(view.is_text ? languageOfFile(path) : Language::Plain);
                      m_view->showText(QByteArray::fromStdString(view.text));
                      m_view->setStale(false);
                      m_view->setFirstLine(0);
                      m_view->setReadOnly(true);
                  });
}

} // namespace hidet::ui
