// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/run/plan_store.h"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QSaveFile>
#include <QUndoCommand>

namespace hidet::ui {

namespace {

constexpr qsizetype most_files = 200;

QHash<QString, RunPlan> plansOf(const QJsonValue& saved) {
    QHash<QString, RunPlan> out;
    const QJsonObject plans = saved.toObject();
    for (auto it = plans.begin(); it != plans.end(); ++it)
        out[it.key()] = planFrom(it.value().toObject());
    return out;
}

QJsonObject stateOf(const RunPlan& plan, const QHash<QString, RunPlan>& plans) {
    QJsonObject others, out;
    for (auto it = plans.begin(); it != plans.end(); ++it)
        if (!it->isDefault())
            others[it.key()] = toJson(*it);
    if (plan != RunPlan())
        out["plan"] = toJson(plan);
    if (!others.isEmpty())
        out["others"] = others;
    return out;
}

// Arguments in temporary files, such as Python passes along (hidet.studio), are gone when the window is.
bool isPassing(const RunPlan& plan) {
    return std::ranges::any_of(
        plan.arguments, [](const ArgumentPlan& argument) { return argument.file.startsWith(QDir::tempPath() + '/'); });
}

double usedAt(const QJsonValue& saved) {
    return saved.toObject().value("used").toDouble();
}

} // namespace

class PlanStore::Step : public QUndoCommand {
public:
    Step(PlanStore& store, const Document& document, RunPlan plan, QString field, const QString& what)
        : QUndoCommand(what), m_store(store), m_document(document), m_before(store.kept(document).plan),
          m_after(std::move(plan)), m_field(std::move(field)) {}
    void redo() override { m_store.set(m_document, m_after); }
    void undo() override { m_store.set(m_document, m_before); }
    int id() const override { return 1; }
    bool mergeWith(const QUndoCommand* other) override {
        const auto* next = static_cast<const Step*>(other);
        if (m_field.isEmpty() || next->m_field != m_field)
            return false;
        m_after = next->m_after;
        return true;
    }

private:
    PlanStore& m_store;
    const Document& m_document;
    RunPlan m_before, m_after;
    QString m_field;
};

PlanStore::PlanStore(QString file, QObject* parent) : QObject(parent), m_file(std::move(file)) {}

void PlanStore::load() {
    if (m_isLoaded)
        return;
    m_isLoaded = true;
    QFile file(m_file);
    if (file.open(QIODevice::ReadOnly))
        m_saved = QJsonDocument::fromJson(file.read(4 << 20)).object();
}

PlanStore::Kept& PlanStore::kept(const Document& document) {
    const auto found = m_kept.find(&document);
    if (found != m_kept.end())
        return found->second;
    load();
    Kept& out = m_kept[&document];
    out.undo = std::make_unique<QUndoStack>();
    const QJsonObject saved = document.path().isEmpty() ? QJsonObject() : m_saved[document.path()].toObject();
    out.plan = planFrom(saved["plan"].toObject());
    out.others = plansOf(saved["others"]);
    return out;
}

void PlanStore::change(Document& document, const RunPlan& plan, const QString& field, const QString& what) {
    RunPlan tidy = plan;
    tidy.tidy();
    if (tidy != kept(document).plan)
        kept(document).undo->push(new Step(*this, document, tidy, field, what));
}

void PlanStore::choose(Document& document, int module, const QString& function) {
    Kept& here = kept(document);
    RunPlan next;
    next.module = module;
    next.function = function;
    if (here.plan.key() == next.key())
        return;
    const auto before = here.others.constFind(next.key());
    if (before != here.others.constEnd())
        next = *before;
    here.undo->push(new Step(*this, document, next, {}, tr("choose '%1'").arg(function)));
}

void PlanStore::set(const Document& document, const RunPlan& plan) {
    Kept& here = kept(document);
    here.others[here.plan.key()] = here.plan;
    here.plan = plan;
    here.others.remove(plan.key());
    save(document);
    emit changed(&document);
}

// Of one that is being closed too, and has been forgotten: nothing is made for it.
QJsonObject PlanStore::state(const Document& document) {
    if (const auto found = m_kept.find(&document); found != m_kept.end())
        return stateOf(found->second.plan, found->second.others);
    load();
    const QJsonObject saved = document.path().isEmpty() ? QJsonObject() : m_saved[document.path()].toObject();
    return stateOf(planFrom(saved["plan"].toObject()), plansOf(saved["others"]));
}

void PlanStore::restore(Document& document, const QJsonObject& state) {
    Kept& here = kept(document);
    here.others = plansOf(state["others"]);
    const RunPlan plan = planFrom(state["plan"].toObject());
    if (plan != here.plan)
        here.undo->push(new Step(*this, document, plan, {}, tr("restore arguments")));
}

void PlanStore::save(const Document& document) {
    if (document.path().isEmpty() || isPassing(kept(document).plan))
        return;
    QJsonObject saved = state(document);
    saved["used"] = QDateTime::currentSecsSinceEpoch();
    m_saved[document.path()] = saved;
    while (m_saved.size() > most_files) {
        QString oldest;
        for (auto it = m_saved.begin(); it != m_saved.end(); ++it)
            if (oldest.isEmpty() || usedAt(it.value()) < usedAt(m_saved.value(oldest)))
                oldest = it.key();
        m_saved.remove(oldest);
    }
    QSaveFile file(m_file);
    // Not being able to keep them is no reason to bother anybody: they are there until the window closes.
    if (file.open(QIODevice::WriteOnly)) {
        file.write(QJsonDocument(m_saved).toJson(QJsonDocument::Compact));
        file.commit();
    }
}

void PlanStore::forget(const Document& document) {
    m_kept.erase(&document);
}

} // namespace hidet::ui
