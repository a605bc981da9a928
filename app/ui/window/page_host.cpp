// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/window/page_host.h"

#include "app/ui/pages/pages.h"
#include "app/ui/workbench/live_model.h"
#include "lang/base/check.h"

namespace hidet::ui {

PageHost::PageHost(Studio& studio, QWidget* work, QWidget* parent)
    : QStackedWidget(parent), m_studio(studio), m_work(work) {
    addWidget(work);
    connect(&studio.requests, &ViewRequests::pageRequested, this, &PageHost::open);
    connect(&studio.tabs, &OpenTabs::documentAdded, this, &PageHost::close);
    connect(&studio.tabs, &OpenTabs::modelAdded, this, &PageHost::close);
    connect(&studio.requests, &ViewRequests::shown, this, &PageHost::close);
    connect(&studio.requests, &ViewRequests::editorRequested, this, &PageHost::close);
    connect(&studio.tabs, &OpenTabs::currentChanged, this, &PageHost::close);
}

void PageHost::open(const QString& id) {
    if (id != m_page)
        bring(id);
}

void PageHost::bring(const QString& id) {
    if (!m_pages.contains(id))
        for (const PageInfo& info : allPages())
            if (info.id == id) {
                QWidget* page = info.make(m_studio);
                page->setObjectName("page." + id);
                page->setAccessibleName(info.title);
                addWidget(page);
                m_pages[id] = page;
            }
    HIDET_CHECK(m_pages.contains(id), id.toStdString());
    m_page = id;
    setCurrentWidget(m_pages.value(id));
    emit pageChanged();
    m_pages.value(id)->setFocus();
}

void PageHost::close() {
    if (m_studio.tabs.all().isEmpty())
        return open("welcome");
    if (m_page.isEmpty())
        return;
    m_page.clear();
    setCurrentWidget(m_work);
    emit pageChanged();
}

} // namespace hidet::ui
