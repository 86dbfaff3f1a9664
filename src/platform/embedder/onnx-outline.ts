import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

/** A tensor in an ONNX file, without its numbers. */
export interface OutlineTensor {
  name: string
  /** A value of `TensorProto.DataType`. */
  type: number
  shape: number[]
  /** Where its numbers lie, if not in the file itself. */
  external?: { location: string; offset: number; length: number | undefined }
}

export interface OutlinePort {
  name: string
  /** 0 for something that is no tensor. */
  type: number
  /** Undefined for a size that may vary. */
  shape: (number | undefined)[]
}

export interface OutlineNode {
  operator: string
  domain: string
  inputs: string[]
  outputs: string[]
}

/** What an ONNX file says of itself. */
export interface OnnxOutline {
  inputs: OutlinePort[]
  outputs: OutlinePort[]
  /** Of the main graph. */
  nodes: OutlineNode[]
  /** Of the main graph, those of its constants included; the name is that of the value. */
  tensors: OutlineTensor[]
  /** Operators of all graphs that are not defined in the file, as `domain:name`; the standard domain is empty. */
  operators: Set<string>
  /** Every tensor of the file whose numbers lie elsewhere. */
  external: NonNullable<OutlineTensor['external']>[]
}

/** The file is no ONNX model, or it ends too early. */
export class UnreadableOnnx extends Error {}

/** A text in a file that is longer is skipped: names of values are short. */
const TEXT_BYTES_MAX = 4096
/** Parts of a file, such as operators and tensors. The largest published towers have some ten thousand. */
const PARTS_MAX = 1_000_000
/** Graphs within operators within graphs. */
const DEPTH_MAX = 16

/**
 * Reads an ONNX file's outline and skips its numbers, so that a file of a gigabyte takes a few milliseconds. It runs before
 * onnxruntime sees the file, which would open every file that the model names.
 *
 * @throws UnreadableOnnx
 */
export function readOnnxOutline(path: string): OnnxOutline {
  const file = openSync(path, 'r')
  try {
    return new OutlineReader(file, fstatSync(file).size).read()
  } finally {
    closeSync(file)
  }
}

/** The kinds of a field's content in protobuf. */
const WIRE = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const

interface Field {
  number: number
  wire: number
  /** The number, for a varint. */
  value: number
  /** Where the content ends; it starts at the reader's place. */
  end: number
}

class OutlineReader {
  readonly #file: number
  readonly #size: number
  readonly #window = Buffer.allocUnsafe(16 * 1024)
  #windowAt = 0
  #windowLength = 0
  #at = 0
  #parts = 0
  readonly #functions = new Set<string>()
  readonly #outline: OnnxOutline = {
    inputs: [],
    outputs: [],
    nodes: [],
    tensors: [],
    operators: new Set(),
    external: [],
  }

  constructor(file: number, size: number) {
    this.#file = file
    this.#size = size
  }

  read(): OnnxOutline {
    let hasGraph = false
    this.#fields(this.#size, (field) => {
      if (field.number === 7 && field.wire === WIRE.bytes) {
        hasGraph = true
        this.#graph(field.end, 0)
      } else if (field.number === 25) this.#function(field.end)
    })
    if (!hasGraph) throw new UnreadableOnnx('it holds no graph')
    for (const name of this.#functions) this.#outline.operators.delete(name)
    return this.#outline
  }

  #graph(end: number, depth: number): void {
    if (depth > DEPTH_MAX) throw new UnreadableOnnx('its graphs are nested too deeply')
    const { inputs, outputs, tensors, nodes } = this.#outline
    const isMain = depth === 0
    this.#fields(end, (field) => {
      if (field.wire !== WIRE.bytes) return
      if (field.number === 1) {
        const node = this.#node(field.end, depth)
        if (isMain) nodes.push(node)
      } else if (field.number === 5) {
        const tensor = this.#tensor(field.end)
        if (isMain) tensors.push(tensor)
      } else if (field.number === 15) this.#sparseTensor(field.end)
      else if (isMain && field.number === 11) inputs.push(this.#port(field.end))
      else if (isMain && field.number === 12) outputs.push(this.#port(field.end))
    })
  }

  #function(end: number): void {
    let name = ''
    let domain = ''
    this.#fields(end, (field) => {
      if (field.number === 1) name = this.#text(field.end)
      else if (field.number === 10) domain = this.#text(field.end)
      else if (field.number === 7) this.#node(field.end, 1)
      else if (field.number === 11) this.#attribute(field.end, 1)
    })
    this.#functions.add(`${domain}:${name}`)
  }

  #node(end: number, depth: number): OutlineNode {
    const node: OutlineNode = { operator: '', domain: '', inputs: [], outputs: [] }
    const constants: OutlineTensor[] = []
    this.#fields(end, (field) => {
      if (field.number === 1) node.inputs.push(this.#text(field.end))
      else if (field.number === 2) node.outputs.push(this.#text(field.end))
      else if (field.number === 4) node.operator = this.#text(field.end)
      else if (field.number === 7) node.domain = this.#text(field.end)
      else if (field.number === 5) constants.push(...this.#attribute(field.end, depth))
    })
    const domain = node.domain === 'ai.onnx' ? '' : node.domain
    this.#outline.operators.add(`${domain}:${node.operator}`)
    const [constant] = constants
    if (depth === 0 && node.operator === 'Constant' && constant) {
      this.#outline.tensors.push({ ...constant, name: node.outputs[0] ?? '' })
    }
    return node
  }

  /** @returns the tensors of the attribute itself. */
  #attribute(end: number, depth: number): OutlineTensor[] {
    const tensors: OutlineTensor[] = []
    this.#fields(end, (field) => {
      if (field.wire !== WIRE.bytes) return
      if (field.number === 5 || field.number === 10) tensors.push(this.#tensor(field.end))
      else if (field.number === 6 || field.number === 11) this.#graph(field.end, depth + 1)
      else if (field.number === 22 || field.number === 23) this.#sparseTensor(field.end)
    })
    return tensors
  }

  #sparseTensor(end: number): void {
    this.#fields(end, (field) => {
      if (field.wire === WIRE.bytes && field.number <= 2) this.#tensor(field.end)
    })
  }

  #tensor(end: number): OutlineTensor {
    const tensor: OutlineTensor = { name: '', type: 0, shape: [] }
    const entries = new Map<string, string>()
    let isExternal = false
    this.#fields(end, (field) => {
      if (field.number === 1) this.#numbers(field, tensor.shape)
      else if (field.number === 2) tensor.type = field.value
      else if (field.number === 8) tensor.name = this.#text(field.end)
      else if (field.number === 14) isExternal = field.value === 1
      else if (field.number === 13) {
        isExternal = true
        const [key, value] = this.#entry(field.end)
        entries.set(key, value)
      }
    })
    if (isExternal) {
      const length = entries.get('length')
      tensor.external = {
        location: entries.get('location') ?? '',
        offset: Number(entries.get('offset') ?? 0),
        length: length === undefined ? undefined : Number(length),
      }
      this.#outline.external.push(tensor.external)
    }
    return tensor
  }

  #entry(end: number): [string, string] {
    let key = ''
    let value = ''
    this.#fields(end, (field) => {
      if (field.number === 1) key = this.#text(field.end)
      else if (field.number === 2) value = this.#text(field.end)
    })
    return [key, value]
  }

  #port(end: number): OutlinePort {
    const port: OutlinePort = { name: '', type: 0, shape: [] }
    const shape = (shapeEnd: number) =>
      this.#fields(shapeEnd, (dimension) => {
        let side: number | undefined
        this.#fields(dimension.end, (field) => {
          if (field.number === 1) side = field.value
        })
        port.shape.push(side)
      })
    const tensor = (tensorEnd: number) =>
      this.#fields(tensorEnd, (field) => {
        if (field.number === 1) port.type = field.value
        else if (field.number === 2) shape(field.end)
      })
    this.#fields(end, (field) => {
      if (field.number === 1) port.name = this.#text(field.end)
      else if (field.number === 2) {
        this.#fields(field.end, (kind) => {
          if (kind.number === 1) tensor(kind.end)
        })
      }
    })
    return port
  }

  /** Hands over each field up to `end`; what the visitor leaves unread is skipped. */
  #fields(end: number, visit: (field: Field) => void): void {
    while (this.#at < end) {
      if (++this.#parts > 16 * PARTS_MAX) throw new UnreadableOnnx('it has too many parts')
      const key = this.#varint()
      const field: Field = { number: Math.floor(key / 8), wire: key % 8, value: 0, end: this.#at }
      if (field.wire === WIRE.varint) {
        field.value = this.#varint()
        field.end = this.#at
      } else if (field.wire === WIRE.bytes) {
        const length = this.#varint()
        field.end = this.#at + length
      } else if (field.wire === WIRE.fixed64) field.end = this.#at + 8
      else if (field.wire === WIRE.fixed32) field.end = this.#at + 4
      else throw new UnreadableOnnx('it is not in the format')
      if (field.end > end) {
        throw new UnreadableOnnx(end === this.#size ? 'it ends too early' : 'it is not in the format')
      }
      visit(field)
      this.#at = field.end
    }
  }

  /** Reads sizes, which come one by one or in a row. */
  #numbers(field: Field, into: number[]): void {
    if (field.wire === WIRE.varint) into.push(field.value)
    else while (this.#at < field.end) into.push(this.#varint())
    if (into.length > 64) throw new UnreadableOnnx('a tensor has too many dimensions')
  }

  #text(end: number): string {
    const length = end - this.#at
    if (length > TEXT_BYTES_MAX) throw new UnreadableOnnx('a name in it is too long')
    if (length === 0) return ''
    if (this.#at < this.#windowAt || end > this.#windowAt + this.#windowLength) this.#fill(length)
    const from = this.#at - this.#windowAt
    this.#at = end
    return this.#window.toString('utf8', from, from + length)
  }

  /** Numbers beyond 53 bits lose their last digits; no size comes near. Negative ones become large. */
  #varint(): number {
    let value = 0
    for (let factor = 1, count = 0; count < 10; factor *= 128, count++) {
      const byte = this.#byte()
      value += (byte & 127) * factor
      if (byte < 128) return value
    }
    throw new UnreadableOnnx('it is not in the format')
  }

  #byte(): number {
    const at = this.#at - this.#windowAt
    if (at >= 0 && at < this.#windowLength) {
      this.#at++
      return this.#window[at] as number
    }
    this.#fill(1)
    this.#at++
    return this.#window[0] as number
  }

  /** Reads on at the reader's place. @throws UnreadableOnnx if fewer than `least` bytes are left. */
  #fill(least: number): void {
    this.#windowAt = this.#at
    this.#windowLength = readSync(this.#file, this.#window, 0, this.#window.length, this.#at)
    if (this.#windowLength < least) throw new UnreadableOnnx('it ends too early')
  }
}
