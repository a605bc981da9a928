// SPDX-License-Identifier: GPL-3.0-only
// The files of an export before they are written: their names and sizes, and what is in the one that is chosen.
#pragma once

#include <QFileInfo>
#include <QHeaderView>
#include <QLabel>
#include <QSplitter>
#include <QTreeWidget>
#include <algorithm>

#include "app/session/exporting/file_view.h"
#include "app/ui/code/code_view.h"
#include "app/ui/core/figures.h"
#include "app/ui/core/latest_task.h"
#include "app/ui/core/words.h"
#include "app/ui/widgets/parts.h"

namespace hidet::ui {

inline Language languageOfFile(const QString& path) {
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

class ExportFiles : public QWidget {
    Q_OBJECT
public:
    explicit ExportFiles(ThemeSource& themes, QWidget* parent = nullptr) : QWidget(parent), m_themes(themes) {
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

    // keeps the file that is chosen, by its name
    void show(std::shared_ptr<const session::ExportResult> result) {
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

    using QWidget::show;
    // until others are shown
    void setStale() {
        m_looking.cancel();
        m_view->setStale(true);
    }

    // that would be overwritten
    void markExisting(const QStringList& names) {
        for (int i = 0; i < m_list->topLevelItemCount(); ++i) {
            QTreeWidgetItem* item = m_list->topLevelItem(i);
            const bool isThere = names.contains(item->text(NameColumn));
            item->setText(StateColumn, isThere ? tr("replaces the one that is there") : QString());
            item->setForeground(StateColumn, m_themes.theme().warning);
        }
    }

    CodeView& view() { return *m_view; }
    bool isSettled() const { return !m_looking.busy(); }

private:
    enum Column { NameColumn, SizeColumn, StateColumn };
    static QString aboutText(const QString& path, const session::FileView& view) {
        const QString size = bytesText(double(view.size));
        if (view.is_whole())
            return QObject::tr("%1, %2").arg(path, size);
        return view.is_text ? QObject::tr("%1, the first %2 of %3").arg(path, bytesText(double(view.shown)), size)
                            : QObject::tr("%1, the first %2 bytes of %3").arg(path).arg(view.shown).arg(size);
    }

    void showFile() {
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

    ThemeSource& m_themes;
    QTreeWidget* m_list = new QTreeWidget;
    QLabel* m_about = new QLabel;
    CodeView* m_view = new CodeView(m_themes, Language::Plain);
    std::shared_ptr<const session::ExportResult> m_result;
    QString m_wanted; // the file that was chosen
    LatestTask m_looking;
};

} // namespace hidet::ui
