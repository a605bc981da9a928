# SPDX-License-Identifier: Apache-2.0
"""What the marks in a kernel have to say of the times of a block: that they ascend, lie in the block's time, and that this lies in
the kernel's."""

GRAIN_NS = 1100  # a step of the GPU's timer: 32 on an H200, 1000 and a little on others
SLOWER = 2  # the marked launch than the median of later ones, at most; its block took 0.6 to 0.95 of that on an H200
STAGES = {"hopper_matmul": 4, "multistage_matmul": 4, "tensor_core_matmul": 3}  # rows of stages of these samples


def wrong(sample, summary, target):
    """Of a run with marks: what is wrong; empty: nothing."""
    timelines = summary.get("timelines") or []
    if not timelines:
        return "there is no pipeline"
    for timeline in timelines:
        found = wrong_block(timeline) or wrong_stages(timeline, STAGES.get(sample)) or (wrong_clock(timeline) if target == "cuda" else "")
        if found:
            return f"{timeline.get('kernel')}: {found}"
    return ""


def wrong_stages(timeline, wanted):
    stages = timeline["slots"]
    return "" if wanted in (None, stages) else f"{stages} stages, and it has {wanted}"


def wrong_block(timeline):
    spans = timeline.get("spans") or []
    missing = {"copy", "wait", "compute", "store"} - {span["kind"] for span in spans}
    if missing:
        return f"no {' and no '.join(sorted(missing))}"
    if timeline["dropped"]:
        return f"{timeline['dropped']} marks found no place"
    ends = {}
    for span in spans:
        if not 0 <= span["begin"] <= span["end"] <= timeline["steps"]:
            return f"{span['begin']} to {span['end']} of warp {span['warp']} is not in the block's {timeline['steps']}"
        if span["begin"] < ends.get(span["warp"], 0):
            return f"warp {span['warp']} begins something at {span['begin']}, before the end of what it did"
        if not span.get("line"):
            return "a time has no line"
        ends[span["warp"]] = span["end"]
    return ""


def wrong_clock(timeline):
    block, kernel = timeline["nanoseconds"], timeline["secondsWithMarks"] * 1e9
    if timeline["unit"] != "cycle" or not timeline["source"].startswith("measured on "):
        return f"it was not measured: {timeline['source']}"
    if not kernel or not timeline["secondsWithoutMarks"]:
        return "what marks cost is not known"
    if block > SLOWER * kernel + GRAIN_NS:
        return f"the block took {block} ns of a kernel's {kernel:.0f}"
    if block > 20 * GRAIN_NS and not 0.2 < timeline["steps"] / block < 4:
        return f"{timeline['steps']} cycles in {block} ns"
    return ""


def note(summary):
    timeline = summary["timelines"][0]
    return f"{timeline['steps']} {timeline['unit']}s, {timeline['source']}"
