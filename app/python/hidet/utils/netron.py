# SPDX-License-Identifier: Apache-2.0
"""Graphs for the viewer Netron."""


def dump(flow_graph, fp):
    """Writes a graph to an open file, which Netron shows."""
    fp.write(flow_graph.netron())
