"""Level 3 of attention as docs/gpu.md would have it: softmax(q k^T * scale + mask) v with the state of an online softmax.
q, k and v are (batch, sequence, heads, dim) in buffers of their own, the mask one value a (batch, column), the result
lies as q does. Blocks of columns are taken from right to left, so that what hangs over comes first. With "causal", row i
has columns 0 to i. Prints the module.

    attention_kernel.py BATCH HEADS ROWS COLUMNS DIM VALUE_DIM TYPE THREADS TILE_COLUMNS BLOCKS [mask | causal]
"""
import sys

TEXT = """
#q = affine_map<(d0, d1)[s0, s1, s2] -> (s0, d0 + s2 * {rows}, s1, d1)>
#k = affine_map<(d0, d1)[s0, s1, s2] -> (s0, d0 + s2 * {columns}, s1, d1)>
#v = affine_map<(d0, d1)[s0, s1, s2] -> (s0, d1 + s2 * {columns}, s1, d0)>
#bias = affine_map<(d0)[s0, s1] -> (s0, d0 + s1 * {columns})>
#rows = affine_set<(d0, d1)[s0, s1, s2] : (-d0 - s2 * {rows} + {last_row} >= 0)>
#kcols = affine_set<(d0, d1)[s0, s1, s2] : (-d0 - s2 * {columns} + {last_column} >= 0)>
#vcols = affine_set<(d0, d1)[s0, s1, s2] : (-d1 - s2 * {columns} + {last_column} >= 0)>
#bcols = affine_set<(d0)[s0, s1] : (-d0 - s1 * {columns} + {last_column} >= 0)>
#left = affine_map<(d0) -> (d0 * -{columns} + {n_columns})>
#mk = affine_map<(d0, d1, d2) -> (d0, d2)>
#nk = affine_map<(d0, d1, d2) -> (d1, d2)>
#mn = affine_map<(d0, d1, d2) -> (d0, d1)>
module {{
func.func private @attention(%q: {Q}, %k: {K}, %v: {V}, %mask: {M}, %o: {O}) attributes {{strata.schedule = {{
    blocks = {blocks} : i64, group = {threads} : i64, kind = "attention", mma = "wgmma.{type}", producers = 128 : i64,
    slots = {slots} : i64, threads = {threads} : i64, tile = array<i64: {rows}, {columns}, {dim}>}}}} {{
  scf.forall (%t) in ({tasks}) {{
    %b = affine.apply affine_map<(d0) -> (d0 floordiv {per_batch})>(%t)
    %h = affine.apply affine_map<(d0) -> ((d0 floordiv {row_blocks}) mod {heads})>(%t)
    %i = affine.apply affine_map<(d0) -> (d0 mod {row_blocks})>(%t)
    %rows = "tile.load"(%q, %b, %h, %i) {{map = #q, mask = #rows}} : ({Q}, index, index, index) -> vector<{rows}x{dim}x{type}>
    %lowest = arith.constant -3.40282347E+38 : f32
    %m0 = vector.broadcast %lowest : f32 to vector<{rows}xf32>
    %zero = arith.constant 0.0 : f32
    %l0 = vector.broadcast %zero : f32 to vector<{rows}xf32>
    %o0 = vector.broadcast %zero : f32 to vector<{rows}x{vdim}xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
{bound}
    %r:3 = scf.for %j = %c0 to %steps step %c1 iter_args(%m = %m0, %l = %l0, %w = %o0) -> (vector<{rows}xf32>, vector<{rows}xf32>, vector<{rows}x{vdim}xf32>) {{
{block}
      %keys = "tile.load"(%k, %b, %h, %c) {{map = #k, mask = #kcols}} : ({K}, index, index, index) -> vector<{columns}x{dim}x{type}>
      %start = vector.broadcast %zero : f32 to {S}
      %s = vector.contract {{indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}} %rows, %keys, %start {{tile.mma = "wgmma.{type}"}} : vector<{rows}x{dim}x{type}>, vector<{columns}x{dim}x{type}> into {S}
{chain}
      %l1 = arith.mulf %l, %alpha fastmath<contract> : vector<{rows}xf32>
      %l2 = vector.multi_reduction <add>, %p, %l1 [1] : {S} to vector<{rows}xf32>
      %weights = arith.truncf %p : {S} to vector<{rows}x{columns}x{type}>
      %values = "tile.load"(%v, %b, %h, %c) {{map = #v, mask = #vcols}} : ({V}, index, index, index) -> vector<{vdim}x{columns}x{type}>
      %f0 = vector.broadcast %alpha : vector<{rows}xf32> to vector<{vdim}x{rows}xf32>
      %f1 = vector.transpose %f0, [1, 0] : vector<{vdim}x{rows}xf32> to vector<{rows}x{vdim}xf32>
      %w1 = arith.mulf %w, %f1 fastmath<contract> : vector<{rows}x{vdim}xf32>
      %w2 = vector.contract {{indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}} %weights, %values, %w1 {{tile.mma = "wgmma.{type}"}} : vector<{rows}x{columns}x{type}>, vector<{vdim}x{columns}x{type}> into vector<{rows}x{vdim}xf32>
      scf.yield %m1, %l2, %w2 : vector<{rows}xf32>, vector<{rows}xf32>, vector<{rows}x{vdim}xf32>
    }} {{tile.pipeline{most}}}
    %one = arith.constant dense<1.0> : vector<{rows}xf32>
    %inverse = arith.divf %one, %r#1 fastmath<arcp> : vector<{rows}xf32>
    %i0 = vector.broadcast %inverse : vector<{rows}xf32> to vector<{vdim}x{rows}xf32>
    %i1 = vector.transpose %i0, [1, 0] : vector<{vdim}x{rows}xf32> to vector<{rows}x{vdim}xf32>
    %y = arith.mulf %r#2, %i1 : vector<{rows}x{vdim}xf32>
    %z = arith.truncf %y : vector<{rows}x{vdim}xf32> to vector<{rows}x{vdim}x{type}>
    "tile.store"(%z, %o, %b, %h, %i) {{map = #q, mask = #rows}} : (vector<{rows}x{vdim}x{type}>, {O}, index, index, index) -> ()
  }}
  return
}}
}}
"""
# Nothing but a factor: p = exp2(s * f - max(s) * f).
PLAIN = """{hanging}
      %m1 = vector.multi_reduction <maximumf>, %s1, %m [1] : {S} to vector<{rows}xf32>
      %f = arith.constant {factor} : f32
      %fr = vector.broadcast %f : f32 to vector<{rows}xf32>
      %fs = vector.broadcast %f : f32 to {S}
      %mf = arith.mulf %m1, %fr fastmath<contract> : vector<{rows}xf32>
      %mb = vector.broadcast %mf : vector<{rows}xf32> to vector<{columns}x{rows}xf32>
      %mt = vector.transpose %mb, [1, 0] : vector<{columns}x{rows}xf32> to {S}
      %sf = arith.mulf %s1, %fs fastmath<contract> : {S}
      %d = arith.subf %sf, %mt fastmath<contract> : {S}
      %p = math.exp2 %d fastmath<afn> : {S}
      %dm = arith.subf %m, %m1 : vector<{rows}xf32>
      %dmf = arith.mulf %dm, %fr : vector<{rows}xf32>
      %alpha = math.exp2 %dmf fastmath<afn> : vector<{rows}xf32>"""
# p = exp2((s * scale + mask - max) * log2(e)).
MASKED = """
      %scale = arith.constant {scale} : f32
      %sc = vector.broadcast %scale : f32 to {S}
      %s00 = arith.mulf %s, %sc fastmath<contract> : {S}
      %bias = "tile.load"(%mask, %b, %c) {{map = #bias, mask = #bcols}} : ({M}, index, index) -> vector<{columns}xf32>
      %bb = vector.broadcast %bias : vector<{columns}xf32> to {S}
      %s0 = arith.addf %s00, %bb fastmath<contract> : {S}
{hanging}
      %m1 = vector.multi_reduction <maximumf>, %s1, %m [1] : {S} to vector<{rows}xf32>
      %mb = vector.broadcast %m1 : vector<{rows}xf32> to vector<{columns}x{rows}xf32>
      %mt = vector.transpose %mb, [1, 0] : vector<{columns}x{rows}xf32> to {S}
      %d = arith.subf %s1, %mt fastmath<contract> : {S}
      %f = arith.constant 1.44269502 : f32
      %fr = vector.broadcast %f : f32 to vector<{rows}xf32>
      %fs = vector.broadcast %f : f32 to {S}
      %df = arith.mulf %d, %fs fastmath<contract> : {S}
      %p = math.exp2 %df fastmath<afn> : {S}
      %dm = arith.subf %m, %m1 : vector<{rows}xf32>
      %dmf = arith.mulf %dm, %fr : vector<{rows}xf32>
      %alpha = math.exp2 %dmf fastmath<afn> : vector<{rows}xf32>"""
HANGING = """      %at = vector.step : vector<{columns}xindex>
      %left = affine.apply #left(%c)
      %ends = vector.broadcast %left : index to vector<{columns}xindex>
      %is = arith.cmpi slt, %at, %ends : vector<{columns}xindex>
      %isb = vector.broadcast %is : vector<{columns}xi1> to vector<{rows}x{columns}xi1>
      %never = arith.constant 0xFF800000 : f32
      %nv = vector.broadcast %never : f32 to {S}
      %s1 = arith.select %isb, {source}, %nv : vector<{rows}x{columns}xi1>, {S}"""


CAUSAL = """
      %at = vector.step : vector<{columns}xindex>
      %row = vector.step : vector<{rows}xindex>
      %distance = affine.apply affine_map<(d0, d1) -> (d0 * {rows} - d1 * {columns})>(%i, %c)
      %ds = vector.broadcast %distance : index to vector<{rows}xindex>
      %ends = arith.addi %row, %ds : vector<{rows}xindex>
      %e0 = vector.broadcast %ends : vector<{rows}xindex> to vector<{columns}x{rows}xindex>
      %e1 = vector.transpose %e0, [1, 0] : vector<{columns}x{rows}xindex> to vector<{rows}x{columns}xindex>
      %a0 = vector.broadcast %at : vector<{columns}xindex> to vector<{rows}x{columns}xindex>
      %isb = arith.cmpi sle, %a0, %e1 : vector<{rows}x{columns}xindex>
      %never = arith.constant 0xFF800000 : f32
      %nv = vector.broadcast %never : f32 to {S}
      %s1 = arith.select %isb, {source}, %nv : vector<{rows}x{columns}xi1>, {S}"""
CONSTANT = ("    %steps = arith.constant {steps} : index",
            "      %c = affine.apply affine_map<(d0) -> ({steps} - d0 - 1)>(%j)")
FEWER = ("    %steps = affine.apply affine_map<(d0) -> ({reach})>(%i)",
         "      %c = affine.apply affine_map<(d0, d1) -> ({reach} - d1 - 1)>(%i, %j)")


def kernel(batch, heads, n_rows, n_columns, dim, vdim, type_, threads, columns, blocks, options):
    rows = threads // 2
    row_blocks, steps = -(-n_rows // rows), -(-n_columns // columns)
    f = {"batch": batch, "heads": heads, "dim": dim, "vdim": vdim, "type": type_, "threads": threads,
         "columns": columns, "rows": rows, "row_blocks": row_blocks, "steps": steps, "blocks": blocks,
         "tasks": batch * heads * row_blocks, "per_batch": heads * row_blocks, "last_row": n_rows - 1,
         "last_column": n_columns - 1, "n_columns": n_columns, "slots": 2,
         "scale": f"{dim ** -0.5:.9e}", "factor": f"{dim ** -0.5 * 1.4426950408889634:.9e}",
         "S": f"vector<{rows}x{columns}xf32>", "Q": f"memref<{batch}x{n_rows}x{heads}x{dim}x{type_}>",
         "K": f"memref<{batch}x{n_columns}x{heads}x{dim}x{type_}>",
         "V": f"memref<{batch}x{n_columns}x{heads}x{vdim}x{type_}>", "M": f"memref<{batch}x{n_columns}xf32>",
         "O": f"memref<{batch}x{n_rows}x{heads}x{vdim}x{type_}>"}
    is_masked, is_causal = "mask" in options, "causal" in options
    hangs = n_columns % columns != 0 or is_causal
    source = "%s0" if is_masked else "%s"
    chain = MASKED if is_masked else PLAIN
    f["source"] = source
    f["hanging"] = (CAUSAL if is_causal else HANGING).format(**f) if hangs else ""
    f["reach"] = "d0 + 1" if rows == columns else f"(d0 * {rows} + {rows}) ceildiv {columns}"
    f["bound"], f["block"] = (text.format(**f) for text in (FEWER if is_causal else CONSTANT))
    f["most"] = f", tile.most = {steps} : i64" if is_causal else ""
    chain = chain.format(**f)
    f["chain"] = chain if hangs else chain.replace("%s1,", source + ",")
    return TEXT.format(**f)


if __name__ == "__main__":
    *numbers, = sys.argv[1:7]
    print(kernel(*map(int, numbers), sys.argv[7], *map(int, sys.argv[8:11]), sys.argv[11:]))
