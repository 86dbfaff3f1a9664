/** The towers of each family, operator by operator as the exports of transformers.js have them. */
import { Graph, type Precision } from './graph.ts'
import { TYPE } from './onnx-writer.ts'

export interface Transformer {
  width: number
  layers: number
  heads: number
  inner: number
}

type Activation = 'gelu' | 'gelu_tanh' | 'quick_gelu'

interface Layers extends Transformer {
  activation: Activation
  epsilon: number
  /** What is added to the attention of each pair of tokens. */
  mask?: string
}

function activate(g: Graph, x: string, kind: Activation): string {
  if (kind === 'quick_gelu') {
    return g.op('Mul', [x, g.op('Sigmoid', [g.op('Mul', [x, g.number(1.702)])])])
  }
  const half = g.op('Mul', [x, g.number(0.5)])
  if (kind === 'gelu') {
    const erf = g.op('Erf', [g.op('Div', [x, g.number(Math.SQRT2)])])
    return g.op('Mul', [half, g.op('Add', [erf, g.number(1)])])
  }
  const cube = g.op('Mul', [g.op('Pow', [x, g.number(3)]), g.number(0.044715)])
  const inner = g.op('Mul', [g.op('Add', [x, cube]), g.number(Math.sqrt(2 / Math.PI))])
  return g.op('Mul', [half, g.op('Add', [g.op('Tanh', [inner]), g.number(1)])])
}

/** Attention of `query` to `memory`; `mask` is added to the weights. */
function attend(g: Graph, query: string, memory: string, { width, heads, mask }: AttentionShape): string {
  const head = width / heads
  const split = (x: string, order: number[]) =>
    g.op('Transpose', [g.op('Reshape', [x, g.ints(0, -1, heads, head)])], { perm: order })
  // Sharp, as trained attention is: with random weights alone every token would see the mean of all.
  const q = split(g.linear(query, width, width, { gain: 4 }), [0, 2, 1, 3])
  const k = split(g.linear(memory, width, width), [0, 2, 3, 1])
  const v = split(g.linear(memory, width, width), [0, 2, 1, 3])
  const scaled = g.op('Mul', [q, g.number(1 / Math.sqrt(head))])
  const scores = g.op('MatMul', [scaled, k])
  const weights = g.op('Softmax', [mask ? g.op('Add', [scores, mask]) : scores], { axis: -1 })
  const joined = g.op('Transpose', [g.op('MatMul', [weights, v])], { perm: [0, 2, 1, 3] })
  return g.linear(g.op('Reshape', [joined, g.ints(0, -1, width)]), width, width)
}

interface AttentionShape {
  width: number
  heads: number
  mask?: string | undefined
}

function feedForward(g: Graph, x: string, width: number, inner: number, activation: Activation): string {
  return g.linear(activate(g, g.linear(x, width, inner), activation), inner, width)
}

function transform(g: Graph, x: string, shape: Layers): string {
  const { width, inner, activation, epsilon } = shape
  let hidden = x
  for (let layer = 0; layer < shape.layers; layer++) {
    const normed = g.layerNorm(hidden, width, epsilon)
    hidden = g.op('Add', [hidden, attend(g, normed, normed, shape)])
    const again = g.layerNorm(hidden, width, epsilon)
    hidden = g.op('Add', [hidden, feedForward(g, again, width, inner, activation)])
  }
  return hidden
}

/** Cuts the picture into patches. @returns one row for each. */
function embedPatches(g: Graph, pixels: string, width: number, patch: number, hasBias: boolean): string {
  const grid = g.conv(pixels, { from: 3, to: width, size: patch, stride: patch, hasBias })
  return g.op('Transpose', [g.op('Reshape', [grid, g.ints(0, width, -1)])], { perm: [0, 2, 1] })
}

const pixelsPort = {
  name: 'pixel_values',
  type: TYPE.float,
  shape: ['batch_size', 'num_channels', 'height', 'width'],
} as const

export interface VisionShape extends Transformer {
  dimension: number
  size: number
  patch: number
}

export interface TextShape extends Transformer {
  dimension: number
  words: number
  window: number
}

export function writeClipVision(path: string, precision: Precision, seed: number, shape: VisionShape): void {
  const { width, size, patch, dimension } = shape
  const g = new Graph(precision, seed)
  const patches = embedPatches(g, g.input(pixelsPort), width, patch, false)
  const batch = g.op('Gather', [g.op('Shape', [patches]), g.ints(0)])
  const target = g.op('Concat', [batch, g.ints(1, width)], { axis: 0 })
  const start = g.op('Expand', [g.random([1, 1, width], 0.5), target])
  const rows = g.op('Concat', [start, patches], { axis: 1 })
  const count = (size / patch) ** 2 + 1
  const placed = g.op('Add', [rows, g.random([1, count, width], 0.5)])
  const epsilon = 1e-5
  const normed = g.layerNorm(placed, width, epsilon)
  const hidden = transform(g, normed, { ...shape, activation: 'quick_gelu', epsilon })
  const first = g.op('Gather', [hidden, g.int(0)], { axis: 1 })
  const pooled = g.layerNorm(first, width, epsilon)
  g.output('image_embeds', g.linear(pooled, width, dimension, { hasBias: false }), ['batch_size', dimension])
  g.write(path)
}

/** Embeds tokens with their places. @returns rows, and the number of tokens. */
function embedTokens(
  g: Graph,
  { words, width, window }: TextShape,
): { ids: string; rows: string; length: string } {
  const ids = g.input({ name: 'input_ids', type: TYPE.int64, shape: ['batch_size', 'sequence_length'] })
  const length = g.op('Gather', [g.op('Shape', [ids]), g.ints(1)])
  const places = g.op('Slice', [g.random([window, width], 0.2), g.ints(0), length, g.ints(0)])
  return { ids, rows: g.op('Add', [g.embedding(ids, words, width, 1), places]), length }
}

/** The row at the highest token of each text, which is the end token in the vocabulary of CLIP. */
function poolAtEnd(g: Graph, ids: string, hidden: string): string {
  const at = g.op('ArgMax', [ids], { axis: 1, keepdims: 1 })
  const batch = g.op('Gather', [g.op('Shape', [ids]), g.int(0)])
  const range = g.op('Unsqueeze', [g.op('Range', [g.int(0), batch, g.int(1)]), g.ints(1)])
  return g.op('GatherND', [hidden, g.op('Concat', [range, at], { axis: 1 })])
}

export function writeClipText(path: string, precision: Precision, seed: number, shape: TextShape): void {
  const { width, window, dimension } = shape
  const g = new Graph(precision, seed)
  const { ids, rows, length } = embedTokens(g, shape)
  const later = Array.from({ length: window * window }, (_, i) =>
    i % window > Math.floor(i / window) ? -65_504 : 0,
  )
  const ends = g.op('Concat', [length, length], { axis: 0 })
  const mask = g.op('Slice', [g.numbers([window, window], later), g.ints(0, 0), ends, g.ints(0, 1)])
  const epsilon = 1e-5
  const hidden = transform(g, rows, { ...shape, activation: 'quick_gelu', epsilon, mask })
  const pooled = poolAtEnd(g, ids, g.layerNorm(hidden, width, epsilon))
  g.output('text_embeds', g.linear(pooled, width, dimension, { hasBias: false }), ['batch_size', dimension])
  g.write(path)
}

export interface OutputName {
  /** Marqo's exports say `image_embeds` and `text_embeds` for what others call `pooler_output`. */
  output: string
}

export function writeSiglipVision(
  path: string,
  precision: Precision,
  seed: number,
  { output, ...shape }: VisionShape & OutputName,
): void {
  const { width, heads, inner, size, patch } = shape
  const g = new Graph(precision, seed)
  const patches = embedPatches(g, g.input(pixelsPort), width, patch, true)
  const count = (size / patch) ** 2
  const placed = g.op('Add', [patches, g.random([1, count, width], 0.5)])
  const [activation, epsilon] = ['gelu_tanh', 1e-6] as const
  const hidden = transform(g, placed, { ...shape, activation, epsilon })
  const normed = g.layerNorm(hidden, width, epsilon)
  // The head: one learned row attends to all patches.
  const batch = g.op('Gather', [g.op('Shape', [normed]), g.ints(0)])
  const target = g.op('Concat', [batch, g.ints(1, width)], { axis: 0 })
  const probe = g.op('Expand', [g.random([1, 1, width], 0.5), target])
  const seen = attend(g, probe, normed, { width, heads })
  const thought = feedForward(g, g.layerNorm(seen, width, epsilon), width, inner, activation)
  const pooled = g.op('Gather', [g.op('Add', [seen, thought]), g.int(0)], { axis: 1 })
  if (output === 'pooler_output') g.output('last_hidden_state', normed, ['batch_size', count, width])
  g.output(output, pooled, ['batch_size', width])
  g.write(path)
}

export function writeSiglipText(
  path: string,
  precision: Precision,
  seed: number,
  { output, ...shape }: TextShape & OutputName,
): void {
  const { width, dimension } = shape
  const g = new Graph(precision, seed)
  const { rows } = embedTokens(g, shape)
  const [activation, epsilon] = ['gelu_tanh', 1e-6] as const
  const normed = g.layerNorm(transform(g, rows, { ...shape, activation, epsilon }), width, epsilon)
  const last = g.op('Gather', [normed, g.int(-1)], { axis: 1 })
  if (output === 'pooler_output') {
    g.output('last_hidden_state', normed, ['batch_size', 'sequence_length', width])
  }
  g.output(output, g.linear(last, width, dimension), ['batch_size', dimension])
  g.write(path)
}

/** Text of MobileCLIP-S0: no token is hidden from another, so it depends on the padding, and its length is fixed. */
export function writeMobileText(path: string, precision: Precision, seed: number, shape: TextShape): void {
  const { words, width, window, dimension } = shape
  const g = new Graph(precision, seed)
  const ids = g.input({ name: 'input_ids', type: TYPE.int64, shape: ['batch_size', window] })
  const rows = g.op('Add', [g.embedding(ids, words, width, 1), g.random([1, window, width], 0.2)])
  const [activation, epsilon] = ['gelu', 1e-5] as const
  const hidden = transform(g, rows, { ...shape, activation, epsilon })
  const pooled = poolAtEnd(g, ids, g.layerNorm(hidden, width, epsilon))
  g.output('text_embeds', g.linear(pooled, width, dimension, { hasBias: false }), ['batch_size', dimension])
  g.write(path)
}

export interface MobileShape {
  dimension: number
  size: number
  /** Width of each stage and its blocks; the last stage has attention. */
  widths: readonly number[]
  blocks: readonly number[]
  ratio: number
}

/** The picture tower of MobileCLIP-S0 as it is after its branches are folded: convolutions, and attention in the last stage. */
export function writeMobileVision(
  path: string,
  precision: Precision,
  seed: number,
  shape: MobileShape,
): void {
  const { widths, blocks, ratio, dimension } = shape
  const g = new Graph(precision, seed)
  const depthwise = (x: string, width: number, size: number) =>
    g.conv(x, { from: width, to: width, size, pad: size >> 1, groups: width })
  const mix = (x: string, width: number) => {
    const inner = g.conv(depthwise(x, width, 7), { from: width, to: width * ratio, size: 1 })
    return g.op('Add', [x, g.conv(activate(g, inner, 'gelu'), { from: width * ratio, to: width, size: 1 })])
  }
  const first = widths[0] as number
  let x = g.input(pixelsPort)
  x = activate(g, g.conv(x, { from: 3, to: first, size: 3, stride: 2, pad: 1 }), 'gelu')
  x = activate(g, g.conv(x, { from: first, to: first, size: 3, stride: 2, pad: 1, groups: first }), 'gelu')
  x = activate(g, g.conv(x, { from: first, to: first, size: 1 }), 'gelu')
  for (const [stage, width] of widths.entries()) {
    if (stage > 0) {
      const from = widths[stage - 1] as number
      x = g.conv(x, { from, to: width, size: 7, stride: 2, pad: 3, groups: from })
      x = activate(g, g.conv(x, { from: width, to: width, size: 1 }), 'gelu')
    }
    const isLast = stage === widths.length - 1
    for (let block = 0; block < (blocks[stage] as number); block++) {
      x = mix(isLast ? attendGrid(g, x, width) : depthwise(x, width, 3), width)
    }
  }
  const last = widths.at(-1) as number
  x = activate(g, g.conv(x, { from: last, to: last * 2, size: 3, pad: 1, groups: last }), 'gelu')
  const pooled = g.op('Flatten', [g.op('GlobalAveragePool', [x])], { axis: 1 })
  g.output('image_embeds', g.linear(pooled, last * 2, dimension, { hasBias: false }), [
    'batch_size',
    dimension,
  ])
  g.write(path)
}

function attendGrid(g: Graph, x: string, width: number): string {
  const rows = g.op('Transpose', [g.op('Reshape', [x, g.ints(0, width, -1)])], { perm: [0, 2, 1] })
  const normed = g.layerNorm(rows, width, 1e-5)
  const seen = attend(g, normed, normed, { width, heads: Math.max(1, width / 32) })
  const grid = g.op('Reshape', [g.op('Transpose', [seen], { perm: [0, 2, 1] }), g.op('Shape', [x])])
  return g.op('Add', [x, grid])
}
