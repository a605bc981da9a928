// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/tensors/tensor_data.h"

#include <QRegularExpression>

namespace hidet::ui {

QString TensorEntry::title() const {
    return QString("%1  %2%3").arg(name, dtype, shape);
}

QString TensorEntry::key() const {
    static const QRegularExpression block(" of block \\([^)]*\\)");
    return isTile ? QString(name).remove(block) : name;
}

bool TensorEntry::isSameTensor(const TensorEntry& other) const {
    if (held || other.held)
        return held && other.held && held->is_same(*other.held);
    return file == other.file;
}

namespace {

// What is known of each element; null: nothing is.
session::StoredTensorPtr openBeside(const QString& file, const session::StoredTensor& tensor) {
    if (file.isEmpty())
        return nullptr;
    const auto opened = session::StoredTensor::open(file.toStdString());
    return opened && opened.value()->shape() == tensor.shape() ? opened.value() : nullptr;
}

void open(TensorData& data) {
    const TensorEntry& entry = data.entry;
    if (entry.held) {
        data.got = entry.held;
        return;
    }
    if (entry.file.isEmpty()) {
        data.refusal = entry.refusal;
        return;
    }
    const auto opened = session::StoredTensor::open(entry.file.toStdString(), entry.dtype.toStdString());
    if (!opened) {
        data.refusal = QString::fromStdString(opened.error().message);
        return;
    }
    data.got = opened.value();
    data.written = openBeside(entry.writtenFile, *data.got);
    data.owners = openBeside(entry.ownersFile, *data.got);
    if (entry.wantedFile.isEmpty())
        return;
    const auto wanted = session::StoredTensor::open(entry.wantedFile.toStdString(), entry.wantedDtype.toStdString());
    if (wanted && wanted.value()->shape() == data.got->shape())
        data.wanted = wanted.value();
}

} // namespace

TensorDataPtr makeTensorData(const TensorQuery& query, const std::atomic<bool>& stopped) {
    auto data = std::make_shared<TensorData>();
    const bool isKnown = query.before && query.before->entry.isSameTensor(query.entry) && query.before->got;
    if (isKnown)
        *data = *query.before;
    data->entry = query.entry;
    if (!isKnown)
        open(*data);
    if (!data->got)
        return data;
    const session::StoredTensor& got = *data->got;
    data->slice = query.slice.value_or(session::usual_slice(got.shape()));
    data->values = session::map_of(got, nullptr, {}, data->slice, &stopped);
    if (data->wanted)
        data->errors = session::map_of(got, data->wanted.get(), query.entry.tolerance, data->slice, &stopped);
    if (data->wanted && data->owners)
        data->ownersOfWorst =
            session::map_of_worst(*data->owners, {got, *data->wanted, query.entry.tolerance}, data->slice, &stopped);
    if (!isKnown) {
        data->statistics = session::statistics_of(got, &stopped, data->written.get());
        if (data->wanted)
            data->difference = session::difference_of(got, *data->wanted, query.entry.tolerance, &stopped);
    }
    return stopped ? nullptr : data;
}

} // namespace hidet::ui
