"""Makes a failing graph small: fewer outputs, then values cut to inputs, then fewer options."""
import check


def _windows(graph):
    """The graph of only the last nodes, of more and more of them."""
    for size in (1, 2, 3, 4, 6, 8, 12, 16):
        kept = graph.nodes[-size:]
        made = {name for node in kept for name in node.outputs}
        yield graph.cut(graph.outputs, [name for node in kept for name in node.inputs
                                        if name and name not in made and name not in graph.constants])


def _cuts(graph):
    """One value more is given."""
    made = [name for node in graph.nodes for name in node.outputs if name and name not in graph.outputs]
    for name in reversed(made):
        if name in graph.kinds and graph.kinds[name] not in ("i4", "u4"):
            yield graph.cut(graph.outputs, [name])


def _fewer_outputs(graph):
    if len(graph.outputs) > 1:
        for name in graph.outputs:
            yield graph.cut([name])
        for name in graph.outputs:
            yield graph.cut([other for other in graph.outputs if other != name])


def _fewer_options(graph):
    for option in graph.options:
        other = graph.cut(graph.outputs)
        other.options = [each for each in graph.options if each != option]
        yield other


def shrink(graph, mode, seed, kind, most=120):
    """The smallest graph found that fails in the same way, after |most| compiles."""
    def fails(other):
        nonlocal most
        most -= 1
        finding = check.finding_of(other, mode, seed)
        return finding is not None and finding.kind == kind

    def first(candidates):
        return next((other for other in candidates if most > 0 and other.nodes and fails(other)), None)

    for way in (_fewer_outputs, _windows, _cuts, _fewer_outputs, _fewer_options):
        smaller = first(way(graph))
        while smaller is not None:
            graph, smaller = smaller, None if way is _windows else first(way(smaller))
    return graph
