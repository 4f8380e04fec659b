"""What a case is, and a writer of graphs in the strata dialect. Needs neither numpy nor PyTorch."""
import collections

# text: the graph. inputs: (shape, type, spread) each; outputs: (shape, type). flops, bytes: what has to be computed and
# moved at least. torch, jax: the same function, given the package and the inputs. reference: it in double, where the
# function for torch cannot be given wider inputs. options: for the compiler. precision: torch's for products of f32.
Case = collections.namedtuple("Case", "name group text inputs outputs flops bytes torch jax options reference precision")

BITS = {"f64": 64, "f32": 32, "f16": 16, "bf16": 16, "f8E4M3FN": 8, "i8": 8, "i32": 32, "i64": 64}


def tensor(shape, dtype):
    return "tensor<" + "".join(f"{size}x" for size in shape) + dtype + ">"


def affine(dims, *maps):
    """maps of a contraction: each a text of results over the named dims."""
    return "maps = [" + ", ".join(f"affine_map<({dims}) -> ({results})>" for results in maps) + "]"


class Graph:
    """Writes func.func @main a value at a time. Inputs are (shape, type) or (shape, type, standard deviation)."""

    def __init__(self, *inputs):
        self.inputs, self.lines, self.types = [(*item, 1.0)[:3] for item in inputs], [], {}
        for i, (shape, dtype, _) in enumerate(self.inputs):
            self.types[f"%in{i}"] = (tuple(shape), dtype)

    def __getitem__(self, number):
        if number >= len(self.inputs):
            raise IndexError(number)  # which ends an iteration over the inputs
        return f"%in{number}"

    def op(self, mnemonic, operands, shape, dtype, attributes=""):
        name = f"%{len(self.lines)}"
        self.types[name] = (tuple(shape), dtype)
        types = ", ".join(tensor(*self.types[operand]) for operand in operands)
        self.lines.append(f'  {name} = "strata.{mnemonic}"({", ".join(operands)}) {{{attributes}}} : ({types}) -> '
                          f'{tensor(shape, dtype)}')
        return name

    def like(self, mnemonic, *operands, attributes=""):
        """An op whose result has the type of its first operand."""
        return self.op(mnemonic, operands, *self.types[operands[0]], attributes=attributes)

    def splat(self, value, like):
        shape, dtype = self.types[like]
        return self.op("constant", [], shape, dtype, f"value = dense<{value:e}> : {tensor(shape, dtype)}")

    def broadcast(self, operand, shape, dims):
        """dims[i] is the dim of |shape| that dim i of the operand becomes."""
        names = ", ".join(f"d{i}" for i in range(len(shape)))
        kept = ", ".join(f"d{i}" for i in dims)
        return self.op("broadcast", [operand], shape, self.types[operand][1],
                       f"map = affine_map<({names}) -> ({kept})>")

    def convert(self, operand, dtype):
        shape, given = self.types[operand]
        return operand if given == dtype else self.op("convert", [operand], shape, dtype)

    def reshape(self, operand, shape):
        return self.op("reshape", [operand], shape, self.types[operand][1])

    def contract(self, left, right, shape, dtype, maps, sums="f32", padded=False, origin="matmul"):
        """The sum of products, accumulated in |sums| and rounded to |dtype|."""
        attributes = f'{maps}, zero_pad = {str(padded).lower()}, origin = "{origin}"'
        return self.convert(self.op("contract", [left, right], shape, sums, attributes), dtype)

    def add_along(self, operand, vector):
        """operand + vector along the last dim."""
        shape, _ = self.types[operand]
        return self.like("add", operand, self.broadcast(vector, shape, [len(shape) - 1]))

    def layer_norm(self, operand, scale, bias):
        last = len(self.types[operand][0]) - 1
        return self.like("layer_norm", operand, scale, bias,
                         attributes=f"axes = array<i64: {last}>, epsilon = 1.0e-05 : f64")

    def text(self, *results):
        arguments = ", ".join(f'%in{i}: {tensor(*self.types[f"%in{i}"])} {{strata.name = "x{i}"}}'
                              for i in range(len(self.inputs)))
        types = [tensor(*self.types[result]) for result in results]
        named = ", ".join(f'{t} {{strata.name = "y{i}"}}' for i, t in enumerate(types))
        body = "".join(line + "\n" for line in self.lines)
        return (f"func.func @main({arguments}) -> ({named}) {{\n{body}"
                f"  return {', '.join(results)} : {', '.join(types)}\n}}\n")

    def case(self, name, group, results, flops, moved, torch, jax=None, options=(), reference=None, precision="high"):
        return Case(name, group, self.text(*results), self.inputs, [self.types[result] for result in results], flops,
                    moved, torch, jax, options, reference, precision)
