/**
 * Writes ONNX files without a library. The numbers of fields are those of `onnx.proto`. Weights are made while the file is written,
 * so that a model of a gigabyte needs no gigabyte of memory.
 */
import { closeSync, openSync, writeSync } from 'node:fs'

/** A part of a file: its bytes, or their number and what makes them in pieces. */
export type Part = Uint8Array | { length: number; make(): Iterable<Uint8Array> }

/** Values of `TensorProto.DataType`. */
export const TYPE = { float: 1, uint8: 2, int64: 7, float16: 10 } as const
export type ElementType = (typeof TYPE)[keyof typeof TYPE]

/** A field's number with its content: text and parts have a length, numbers are varints. */
type Field = readonly [number: number, content: string | number | bigint | Part | readonly Part[]]

export type Attribute = number | string | readonly number[] | { float: number } | { tensor: Part[] }

export interface Port {
  name: string
  type: ElementType
  /** A text is the name of a size that may vary. */
  shape: readonly (number | string)[]
}

export interface OnnxModel {
  nodes: readonly Part[][]
  tensors: readonly Part[][]
  inputs: readonly Port[]
  outputs: readonly Port[]
  /** Domains of operators and their versions. */
  domains?: Readonly<Record<string, number>>
}

const encodeText = (text: string): Uint8Array => new TextEncoder().encode(text)

function encodeVarint(value: number | bigint): number[] {
  const bytes: number[] = []
  let rest = BigInt.asUintN(64, BigInt(value))
  while (rest > 127n) {
    bytes.push(Number(rest & 127n) | 128)
    rest >>= 7n
  }
  bytes.push(Number(rest))
  return bytes
}

const sum = (parts: readonly Part[]): number => parts.reduce((total, part) => total + part.length, 0)

const isParts = (content: Part | readonly Part[]): content is readonly Part[] => Array.isArray(content)

/** Encodes a message of protobuf. */
function message(...fields: readonly Field[]): Part[] {
  const parts: Part[] = []
  for (const [number, content] of fields) {
    if (typeof content === 'number' || typeof content === 'bigint') {
      parts.push(Uint8Array.from([...encodeVarint(number << 3), ...encodeVarint(content)]))
      continue
    }
    const inner = typeof content === 'string' ? [encodeText(content)] : isParts(content) ? content : [content]
    parts.push(Uint8Array.from([...encodeVarint((number << 3) | 2), ...encodeVarint(sum(inner))]), ...inner)
  }
  return parts
}

/** Encodes a tensor whose bytes lie in the file. */
export const tensor = (name: string, type: ElementType, shape: readonly number[], raw: Part): Part[] =>
  message(...shape.map((side) => [1, side] as const), [2, type], [8, name], [9, raw])

/** Encodes a tensor whose bytes lie in a file beside the model. */
export function externalTensor(
  name: string,
  type: ElementType,
  shape: readonly number[],
  place: { location: string; offset: number; length: number },
): Part[] {
  const entries = Object.entries(place).map(
    ([key, value]) => [13, message([1, key], [2, String(value)])] as const,
  )
  return message(...shape.map((side) => [1, side] as const), [2, type], [8, name], ...entries, [14, 1])
}

function attribute(name: string, value: Attribute): Part[] {
  if (typeof value === 'number') return message([1, name], [3, value], [20, 2])
  if (typeof value === 'string') return message([1, name], [4, value], [20, 3])
  if (Array.isArray(value)) {
    return message([1, name], ...value.map((item: number) => [8, item] as const), [20, 7])
  }
  if ('tensor' in value) return message([1, name], [5, value.tensor], [20, 4])
  const { float } = value as { float: number }
  const bytes = new Uint8Array([(2 << 3) | 5, ...new Uint8Array(Float32Array.of(float).buffer)])
  return [...message([1, name]), bytes, ...message([20, 1])]
}

/** Encodes an operator with its inputs and outputs by name. */
export function node(
  operator: string,
  inputs: readonly string[],
  outputs: readonly string[],
  attributes: Readonly<Record<string, Attribute>> = {},
  domain = '',
): Part[] {
  return message(
    ...inputs.map((input) => [1, input] as const),
    ...outputs.map((output) => [2, output] as const),
    [4, operator],
    ...Object.entries(attributes).map(([name, value]) => [5, attribute(name, value)] as const),
    [7, domain],
  )
}

function port({ name, type, shape }: Port): Part[] {
  const sides = shape.map((side) => [1, message(typeof side === 'number' ? [1, side] : [2, side])] as const)
  return message([1, name], [2, message([1, message([1, type], [2, message(...sides)])])])
}

/** Encodes a whole model. */
export function model({ nodes, tensors, inputs, outputs, domains = { '': 17 } }: OnnxModel): Part[] {
  const graph = message(
    ...nodes.map((part) => [1, part] as const),
    [2, 'main'],
    ...tensors.map((part) => [5, part] as const),
    ...inputs.map((part) => [11, port(part)] as const),
    ...outputs.map((part) => [12, port(part)] as const),
  )
  const versions = Object.entries(domains).map(
    ([domain, version]) => [8, message([1, domain], [2, version])] as const,
  )
  return message([1, 8], [2, 'lookalike'], [7, graph], ...versions)
}

/** Writes a file part by part. */
export function writeParts(path: string, parts: readonly Part[]): void {
  const file = openSync(path, 'w')
  try {
    let pending: Uint8Array[] = []
    let size = 0
    const flush = () => {
      writeWhole(file, Buffer.concat(pending))
      pending = []
      size = 0
    }
    for (const part of parts) {
      for (const bytes of part instanceof Uint8Array ? [part] : part.make()) {
        pending.push(bytes)
        size += bytes.length
        if (size > 1 << 22) flush()
      }
    }
    flush()
  } finally {
    closeSync(file)
  }
}

function writeWhole(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
}
