/** Builds the graph of a tower with random weights, at the precision of a file. */
import {
  type Attribute,
  type ElementType,
  model,
  node,
  type Part,
  type Port,
  TYPE,
  tensor,
  writeParts,
} from './onnx-writer.ts'

export type Precision = 'fp32' | 'fp16' | 'q8'

/** A file's weights are made in pieces of so many numbers. */
const PIECE = 1 << 20

/** A stream of numbers from -1 to 1 that depends on the seed alone. */
function createChance(seed: number): () => number {
  let state = seed | 0 || 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return state / 0x80000000
  }
}

const bytesOf = (array: ArrayBufferView): Uint8Array =>
  new Uint8Array(array.buffer, array.byteOffset, array.byteLength)

export class Graph {
  readonly precision: Precision
  readonly #nodes: Part[][] = []
  readonly #tensors: Part[][] = []
  readonly #inputs: Port[] = []
  readonly #outputs: Port[] = []
  readonly #constants = new Map<string, string>()
  #count = 0
  #seed: number

  constructor(precision: Precision, seed: number) {
    this.precision = precision
    this.#seed = seed
  }

  /** The type of the numbers between operators. */
  get #float(): ElementType {
    return this.precision === 'fp16' ? TYPE.float16 : TYPE.float
  }

  #name(kind: string): string {
    return `${kind}_${this.#count++}`
  }

  /** Adds an operator. @returns the name of its output. */
  op(operator: string, inputs: readonly string[], attributes: Record<string, Attribute> = {}): string {
    return this.ops(operator, inputs, 1, attributes)[0] as string
  }

  /** Adds an operator with several outputs. */
  ops(
    operator: string,
    inputs: readonly string[],
    outputs: number,
    attributes: Record<string, Attribute> = {},
  ): string[] {
    const names = Array.from({ length: outputs }, () => this.#name(operator))
    this.#nodes.push(node(operator, inputs, names, attributes))
    return names
  }

  /** Declares an input; pictures come in 32 bits into every file. */
  input(port: Port): string {
    this.#inputs.push(port)
    const isHalved = port.type === TYPE.float && this.precision === 'fp16'
    return isHalved ? this.op('Cast', [port.name], { to: TYPE.float16 }) : port.name
  }

  /** Declares an output of 32 bits. */
  output(name: string, from: string, shape: Port['shape']): void {
    const attributes = { to: TYPE.float }
    this.#nodes.push(node('Cast', [from], [name], attributes))
    this.#outputs.push({ name, type: TYPE.float, shape })
  }

  ints(...values: readonly number[]): string {
    return this.#constant(`ints ${values}`, (name) =>
      tensor(name, TYPE.int64, [values.length], bytesOf(BigInt64Array.from(values, BigInt))),
    )
  }

  int(value: number): string {
    return this.#constant(`int ${value}`, (name) =>
      tensor(name, TYPE.int64, [], bytesOf(BigInt64Array.of(BigInt(value)))),
    )
  }

  number(value: number): string {
    return this.#constant(`number ${value}`, (name) => tensor(name, this.#float, [], this.#encode([value])))
  }

  #constant(key: string, make: (name: string) => Part[]): string {
    const known = this.#constants.get(key)
    if (known !== undefined) return known
    const name = this.#name('constant')
    this.#tensors.push(make(name))
    this.#constants.set(key, name)
    return name
  }

  #encode(values: readonly number[]): Uint8Array {
    return bytesOf(this.#float === TYPE.float16 ? Float16Array.from(values) : Float32Array.from(values))
  }

  /** Numbers that are given. */
  numbers(shape: readonly number[], values: readonly number[]): string {
    const name = this.#name('values')
    this.#tensors.push(tensor(name, this.#float, shape, this.#encode(values)))
    return name
  }

  /** Random numbers around `mean`, at most `range` away from it. */
  random(shape: readonly number[], range: number, mean = 0): string {
    const name = this.#name('weight')
    const isHalf = this.#float === TYPE.float16
    const seed = ++this.#seed * 7919
    const count = shape.reduce((product, side) => product * side, 1)
    this.#tensors.push(
      tensor(name, this.#float, shape, {
        length: count * (isHalf ? 2 : 4),
        *make() {
          const next = createChance(seed)
          for (let at = 0; at < count; at += PIECE) {
            const length = Math.min(PIECE, count - at)
            const piece = isHalf ? new Float16Array(length) : new Float32Array(length)
            for (let i = 0; i < length; i++) piece[i] = mean + range * next()
            yield bytesOf(piece)
          }
        },
      }),
    )
    return name
  }

  /** The same weights as {@link random} in 8 bits, with the number that is zero. */
  #random8(shape: readonly number[]): { weights: string; zero: string } {
    const name = this.#name('weight')
    const seed = ++this.#seed * 7919
    const count = shape.reduce((product, side) => product * side, 1)
    this.#tensors.push(
      tensor(name, TYPE.uint8, shape, {
        length: count,
        *make() {
          const next = createChance(seed)
          for (let at = 0; at < count; at += PIECE) {
            const piece = new Uint8Array(Math.min(PIECE, count - at))
            for (let i = 0; i < piece.length; i++) piece[i] = Math.round(128 + 127 * next())
            yield piece
          }
        },
      }),
    )
    const zero = this.#constant('zero', (zeroName) => tensor(zeroName, TYPE.uint8, [], Uint8Array.of(128)))
    return { weights: name, zero }
  }

  /** Multiplies by random weights, which keep the spread of the numbers but for `gain`, and adds a bias. */
  linear(x: string, from: number, to: number, { hasBias = true, gain = 1 } = {}): string {
    const range = gain * Math.sqrt(3 / from)
    const product =
      this.precision === 'q8'
        ? this.#integer('MatMulInteger', x, [from, to], range)
        : this.op('MatMul', [x, this.random([from, to], range)])
    return hasBias ? this.op('Add', [product, this.random([to], 0.02)]) : product
  }

  /** Quantises the input as it comes, multiplies whole numbers and scales the product, as dynamically quantised exports do. */
  #integer(
    operator: string,
    x: string,
    shape: readonly number[],
    range: number,
    attributes: Record<string, Attribute> = {},
  ): string {
    const [quantised = '', scale = '', zeroPoint = ''] = this.ops('DynamicQuantizeLinear', [x], 3)
    const { weights, zero } = this.#random8(shape)
    const product = this.op(operator, [quantised, weights, zeroPoint, zero], attributes)
    const scales = this.op('Mul', [scale, this.numbers([1], [range / 127])])
    return this.op('Mul', [this.op('Cast', [product], { to: TYPE.float }), scales])
  }

  conv(x: string, { from, to, size, stride = 1, pad = 0, groups = 1, hasBias = true }: Conv): string {
    const shape = [to, from / groups, size, size]
    const attributes = {
      kernel_shape: [size, size],
      strides: [stride, stride],
      pads: [pad, pad, pad, pad],
      group: groups,
    }
    const range = Math.sqrt((3 * groups) / (from * size * size))
    if (this.precision === 'q8') {
      const product = this.#integer('ConvInteger', x, shape, range, attributes)
      return hasBias ? this.op('Add', [product, this.random([1, to, 1, 1], 0.02)]) : product
    }
    const weights = this.random(shape, range)
    const bias = hasBias ? [this.random([to], 0.02)] : []
    return this.op('Conv', [x, weights, ...bias], attributes)
  }

  /** Looks up rows by their number. */
  embedding(ids: string, rows: number, width: number, range: number): string {
    if (this.precision !== 'q8') return this.op('Gather', [this.random([rows, width], range), ids])
    const { weights, zero } = this.#random8([rows, width])
    const gathered = this.op('Gather', [weights, ids])
    const scale = this.#constant(`scale ${range}`, (name) =>
      tensor(name, TYPE.float, [], bytesOf(Float32Array.of(range / 127))),
    )
    return this.op('DequantizeLinear', [gathered, scale, zero])
  }

  layerNorm(x: string, width: number, epsilon: number): string {
    const inputs = [x, this.random([width], 0.1, 1), this.random([width], 0.02)]
    return this.op('LayerNormalization', inputs, { axis: -1, epsilon: { float: epsilon } })
  }

  write(path: string): void {
    writeParts(
      path,
      model({ nodes: this.#nodes, tensors: this.#tensors, inputs: this.#inputs, outputs: this.#outputs }),
    )
  }
}

export interface Conv {
  from: number
  to: number
  size: number
  stride?: number
  pad?: number
  groups?: number
  hasBias?: boolean
}
