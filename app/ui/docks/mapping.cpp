// SPDX-License-Identifier: GPL-3.0-only
// The mapping canvas: the task mapping, the layout or the matrix instruction at the caret as a picture, its factors with
// numbers that can be dragged, and what they change written back to the script.
#include <algorithm>

#include <QHash>
#include <QStackedLayout>

#include "app/ui/core/latest_task.h"
#include "app/ui/docks/docks.h"
#include "app/ui/editor/symbols.h"
#include "app/ui/mapping/factor_bar.h"
#include "app/ui/mapping/mapping_bar.h"
#include "app/ui/mapping/mapping_maker.h"
#include "app/ui/mapping/mapping_view.h"
#include "app/ui/mapping/mapping_writer.h"
#include "app/ui/widgets/elided_label.h"
#include "app/ui/widgets/empty_state.h"
#include "app/ui/widgets/parts.h"
#include "app/ui/workbench/picture_saver.h"

namespace hidet::ui {

namespace {

class MappingDock : public DockWidget {
public:
    explicit MappingDock(Studio& studio) : m_studio(studio) {
        setFocusProxy(m_view);
        setNames("mapping", m_view, "view", m_empty, "empty");
        m_view->setAccessibleName(tr("Mapping"));
        makeContent();
        m_stack->addWidget(m_empty);
        m_stack->addWidget(m_content);
        listen();
        take(nullptr);
    }
    QSize sizeHint() const override { return {460, 320}; } // as wide as it is at first

private:
    void shown() override { refresh(); } // a dock that is not seen has not followed the caret

    void makeContent() {
        auto* saver = new PictureSaver(
            m_studio, *this, [this] { return m_data != nullptr; }, [this] { return picture(); });
        QToolButton* save = saver->newButton(m_content);
        save->setObjectName("mapping.save");
        auto* first = newRow({8, 4, 8, 0}, usual_spacing, {{m_factors, 1}, {save, 0, Qt::AlignTop}});
        m_said->setObjectName("mapping.sentence");
        newColumn(m_content, {first,
                              m_bar,
                              {m_view, 1},
                              newRow({8, 2, 8, 0}, usual_spacing, {m_said}),
                              new MappingLegend(m_studio.themes, *m_view, m_content)});
    }

    void listen() {
        m_studio.scripts.follow({&LiveScripts::analysed}, this, &MappingDock::refresh);
        connect(&m_studio.tabs, &OpenTabs::currentChanged, this, [this] {
            m_writer->forget();
            take(nullptr);
            refresh();
        });
        connect(&m_studio.scripts, &LiveScripts::caretMoved, this, [this](Document* document, int offset) {
            m_carets[document] = offset;
            refresh();
        });
        connect(&m_studio.tabs, &OpenTabs::documentClosing, this,
                [this](Document* document) { m_carets.remove(document); });
        m_studio.themes.follow(this, &MappingDock::applyTheme);
        listenToBars();
    }

    void applyTheme() {
        constexpr int lines = 2; // always, so that nothing moves as the sentence changes
        const QFont font = m_studio.themes.smallFont();
        m_said->setFont(font);
        m_said->setMostLines(lines);
        m_said->setAlignment(Qt::AlignLeft | Qt::AlignTop);
        m_said->setFixedHeight(lines * QFontMetrics(font).lineSpacing());
    }

    void listenToBars() {
        connect(m_view, &MappingView::sentenceChanged, this, &MappingDock::say);
        connect(m_bar, &MappingBar::lookChosen, m_view, &MappingView::setLook);
        connect(m_bar, &MappingBar::pictureChosen, this, [this](int picture) {
            m_picture = picture;
            m_slice.reset();
            make();
        });
        connect(m_bar, &MappingBar::sliceChosen, this, [this] {
            m_slice = m_bar->slice();
            make();
        });
        connect(&m_bar->steps(), &StepPlayer::stepChanged, this, [this](int step) {
            m_view->setStep(step);
            say();
        });
        connect(m_factors, &FactorBar::numberChanged, m_writer, &MappingWriter::changeNumber);
        connect(m_factors, &FactorBar::pointedAt, m_view, &MappingView::pointAtFactor);
        connect(m_factors, &FactorBar::swapped, m_writer, &MappingWriter::swap);
        connect(m_factors, &FactorBar::removed, m_writer, &MappingWriter::remove);
        connect(m_factors, &FactorBar::added, m_writer, &MappingWriter::add);
        connect(m_factors, &FactorBar::refused, this,
                [this](const QString& reason) { m_studio.notices.showStatus(reason); });
        connect(m_factors, &FactorBar::dragged, this, [this](bool begins) {
            m_studio.requests.groupFixes(begins);
            if (!begins && m_writer->isCurrent())
                m_factors->show(m_data->canvas);
        });
        connect(m_writer, &MappingWriter::refused, this, [this] { m_factors->show(m_data->canvas); });
    }

    // ---- what is shown ------------------------------------------------------------------------------------------

    void refresh() {
        if (!isVisible())
            return;
        const LivePipeline* live = m_studio.scripts.live();
        if (!live || !live->answers()) {
            m_making.cancel();
            return take(nullptr);
        }
        if (live->valuesAreCurrent())
            make(); // else what is seen stays until the text has been evaluated
    }

    void make() {
        const LivePipeline* live = m_studio.scripts.live();
        if (!live || !live->answers())
            return;
        MappingQuery query{live->answers(), quint32(m_carets.value(m_studio.tabs.current())), m_data, m_picture,
                           m_slice};
        m_making.run([query = std::move(query)](const std::atomic<bool>&) { return makeMapping(query); },
                     [this](MappingDataPtr made) { arrived(std::move(made)); });
    }

    void arrived(MappingDataPtr made) {
        const LivePipeline* live = m_studio.scripts.live();
        if (!live || !live->valuesAreCurrent())
            return;
        const QString mistake = mistakeOf(*live, made);
        m_reason = m_data ? mistake : QString();
        m_view->setStale(!m_reason.isEmpty());
        if (m_reason.isEmpty())
            take(std::move(made));
        else
            say();
        m_writer->takeWaiting();
    }

    // A mistake in the lines that the picture is of, or the first one where there is no picture any more.
    QString mistakeOf(const LivePipeline& live, const MappingDataPtr& made) const {
        if (!live.latest())
            return {};
        int line = 0;
        if (made)
            line = placeIn(live, m_studio.tabs.current()->name(), made->canvas.range).line;
        const auto offset = std::min<qsizetype>(m_carets.value(m_studio.tabs.current()), live.answeredText().size());
        const int caretLine = 1 + static_cast<int>(live.answeredText().left(offset).count('\n'));
        for (const session::DiagnosticView& view : live.latest()->diagnostics) {
            const bool isHere = !made || view.place.line == line || view.place.line == caretLine;
            if (view.severity == Severity::Error && isHere)
                return tr("line %1: %2").arg(view.place.line).arg(QString::fromStdString(view.message));
        }
        return {};
    }

    void take(MappingDataPtr made) {
        const bool isSame = made && m_data && isSameSubject(*m_data, *made);
        if (!isSame) {
            m_picture = 0;
            m_slice.reset();
        }
        m_data = std::move(made);
        m_writer->show(m_data, isSame);
        m_view->show(m_data);
        m_stack->setCurrentWidget(m_data ? m_content : static_cast<QWidget*>(m_empty));
        if (!m_data) {
            m_bar->steps().rewind();
            return sayEmpty();
        }
        m_factors->show(m_data->canvas);
        m_bar->show(*m_data);
        if (!isSame)
            m_bar->steps().rewind();
        say();
    }

    void sayEmpty() {
        m_empty->say(tr("Who has which element"),
                     m_studio.tabs.current()
                         ? tr("Appears here when the caret is on a task mapping, a layout, a tensor with a "
                              "layout or a matrix instruction")
                         : tr("Appears here when a script with task mappings or layouts is open"));
    }

    void say() {
        if (!m_data)
            return;
        QString text = m_view->sentence();
        const int step = m_bar->steps().step();
        if (!m_reason.isEmpty())
            text = tr("As it was before a mistake in %1").arg(m_reason);
        else if (step > 0)
            text = tr("Task %1 of %2 of each worker").arg(step - 1).arg(m_bar->steps().count()) + "; " + text;
        m_said->setText(text);
        m_view->setAccessibleDescription(text);
    }

    SavedPicture picture() const {
        const auto take = [cells = m_view->cells(), &theme = m_studio.themes.theme(),
                           font = m_studio.themes.smallFont()](auto make) {
            return [=, &theme] { return make(cells, theme, font); };
        };
        return {"mapping",
                take([](const MappingCells& cells, const Theme& theme, const QFont& font) {
                    return pngOf(mappingImage(cells, theme, font));
                }),
                take(mappingSvg),
                {}};
    }

    Studio& m_studio;
    QWidget* m_content = new QWidget(this);
    FactorBar* m_factors = new FactorBar(m_studio.themes, m_content);
    MappingBar* m_bar = new MappingBar(m_studio.themes, m_content);
    MappingView* m_view = new MappingView(m_studio.themes, m_content);
    ElidedLabel* m_said = new ElidedLabel(m_content);
    EmptyState* m_empty = new EmptyState(this);
    QStackedLayout* m_stack = new QStackedLayout(this);
    MappingWriter* m_writer = new MappingWriter(m_studio, this);
    QHash<Document*, int> m_carets;
    MappingDataPtr m_data;
    QString m_reason; // why the picture is an old one
    int m_picture = 0;
    std::optional<session::TensorSlice> m_slice;
    LatestTask m_making;
};

} // namespace

DockWidget* makeMappingDock(Studio& studio) {
    return new MappingDock(studio);
}

} // namespace hidet::ui
