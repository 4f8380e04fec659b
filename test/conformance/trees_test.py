"""strata.trees gives what a walk from node to node in numpy does, combined in the order of the trees: for any number of
rows and for one, groups of trees, several values a leaf."""
import numpy as np

import jagged_test
import strata
import tables

OPS = tables.ops_of_kind("TREES")
NODE, COLUMNS, LEAVES = 4, 6, 12
COMBINE = {"add": np.add, "min": np.minimum, "max": np.maximum}
FLOATS = {"f32": (np.float32, np.uint32), "f64": (np.float64, np.uint64)}


def write_threshold(numbers, at, value, element):
    dtype, bits = FLOATS[element]
    word = int(np.array([value], dtype).view(bits)[0])
    words = [0, word] if element == "f32" else [word & 0xFFFFFFFF, word >> 32]
    for i, number in enumerate(words):
        numbers[at + 2 + i] = number - (1 << 32) if number >= 1 << 31 else number


def add_tree(random, numbers, depth, element):
    """Appends a tree whose root is one node; gives its place. Children lie side by side, levels in any order."""
    root = len(numbers)
    numbers += [0] * NODE
    queue = [(root, depth)]
    while queue:
        at, left = queue.pop(random.integers(len(queue)))
        if left == 0 or random.random() < 0.2:
            numbers[at + 1] = at - NODE
            write_threshold(numbers, at, np.nan, element)
            numbers[at + 2] = int(random.integers(LEAVES))
            continue
        numbers[at:at + 2] = int(random.integers(COLUMNS)), len(numbers)
        write_threshold(numbers, at, random.integers(-3, 4), element)
        queue += [(len(numbers), left - 1), (len(numbers) + NODE, left - 1)]
        numbers += [0] * 2 * NODE
    return root


def threshold_of(numbers, at, element):
    dtype, bits = FLOATS[element]
    low, high = (n & 0xFFFFFFFF for n in numbers[at + 2:at + 4])
    return np.array([high if element == "f32" else high << 32 | low], bits).view(dtype)[0]


def walk(numbers, row, at, steps, element):
    for _ in range(steps):
        at = numbers[at + 1] + (0 if row[numbers[at]] <= threshold_of(numbers, at, element) else NODE)
    return min(numbers[at + 2] & 0xFFFFFFFF, LEAVES - 1)


def reference(x, numbers, roots, values, kind, element):
    result = np.zeros((len(x), roots.shape[0], values.shape[1]), values.dtype)
    for i, row in enumerate(x):
        for g, trees in enumerate(roots):
            leaves = [values[walk(numbers, row, *root, element)] for root in trees]
            result[i, g] = leaves[0]
            for leaf in leaves[1:]:
                result[i, g] = COMBINE[kind](result[i, g], leaf)
    return result


def dense(array):
    return str(array.tolist()).replace("nan", "0x7FC00000")


def text_of(rows, numbers, roots, values, kind, element):
    (g, t, _), (_, k) = roots.shape, values.shape
    maps = ["", ""] if rows else [f", affine_map<()[r] -> (r, {COLUMNS})>", f", affine_map<()[r] -> (r, {g}, {k})>"]
    x, y = (f"tensor<{rows or '?'}x{dims}x{element}{m}>" for dims, m in zip([COLUMNS, f"{g}x{k}"], maps))
    symbols = "" if rows else ' attributes {strata.symbols = [{name = "r", min = 1 : i64, max = 1000000 : i64}]}'
    constants = {"n": (f"tensor<{len(numbers)}xi32>", str(numbers)), "r": (f"tensor<{g}x{t}x2xi32>", dense(roots)),
                 "v": (f"tensor<{LEAVES}x{k}x{element}>", dense(values))}
    lines = [f'  %{name} = "strata.constant"() {{value = dense<{value}> : {type}}} : () -> {type}'
             for name, (type, value) in constants.items()]
    types = ", ".join(type for type, _ in constants.values())
    return "\n".join([
        f'func.func @main(%x: {x} {{strata.name = "x"}}) -> ({y} {{strata.name = "y"}}){symbols} {{', *lines,
        f'  %y = "strata.trees"(%x, %n, %r, %v) {{kind = "{kind}"}} : ({x}, {types}) -> {y}', f"  return %y : {y}", "}"])


def run_case(name, groups, n_trees, columns, kind, element, folder, target):
    random, numbers, dtype = np.random.default_rng(len(name)), [], FLOATS[element][0]
    roots = np.array([[[add_tree(random, numbers, d := int(random.integers(0, 7)), element), d + int(random.integers(3))]
                       for _ in range(n_trees)] for _ in range(groups)])
    values = (random.integers(-40, 41, (LEAVES, columns)) / 8).astype(dtype)
    for rows in [0, 1, 45] if "--target=cpu" in target else [45]:
        text = text_of(rows, numbers, roots, values, kind, element)
        library = jagged_test.compile_graph(text, folder, f"{name}_{rows}", *target)
        for count in [rows] if rows else [1, 7, 64, 139]:
            x = random.integers(-4, 5, (count, COLUMNS)).astype(dtype)
            x[random.random(x.shape) < 0.1] = np.nan
            want = reference(x, numbers, roots, values, kind, element)
            got, = jagged_test.call(library, [x], [want], [] if rows else [count])
            np.testing.assert_array_equal(got, want, err_msg=f"{name}, {count} rows")


CASES = {
    "sum": (1, 21, 1, "add", "f32"), "sum_of_doubles": (1, 10, 1, "add", "f64"), "one_tree": (1, 1, 1, "add", "f32"),
    "groups": (3, 9, 1, "add", "f32"), "least": (2, 5, 3, "min", "f32"), "most": (1, 17, 37, "max", "f32"),
    "columns_of_doubles": (1, 8, 5, "add", "f64"), "one_tree_of_groups": (5, 1, 2, "max", "f64"),
}


if __name__ == "__main__":
    strata.report_on(CASES, run_case)
