import type { PreTrainedTokenizer } from '@huggingface/transformers'
import { type ModelLayout, UnusableModel } from '../model-layout.ts'
import type { OnnxOutline } from '../onnx-outline.ts'

/** Operators between the input and the look-up of embeddings that change no token. */
const PASSING: ReadonlySet<string> = new Set([
  'Cast',
  'Reshape',
  'Flatten',
  'Identity',
  'Unsqueeze',
  'Squeeze',
])
/** Operators between the table of embeddings and the look-up that keep its rows. */
const KEEPING: ReadonlySet<string> = new Set(['Cast', 'DequantizeLinear', 'Identity', 'Mul'])
/** Tables are often a little longer than the vocabulary, so that their size is round. */
const SPARE_SHARE = 0.1
const SPARE_ROWS = 1024

/** The tokenizer's own parts, of which the library's types tell nothing. */
interface Inner {
  _tokenizer?: { model?: { merges?: unknown } }
  _tokenizerJSON?: {
    model?: { vocab?: unknown; merges?: unknown }
    added_tokens?: { id: number; content: string; special?: boolean }[]
  }
  _tokenizerConfig?: { do_lower_case?: unknown }
  pad_token_id?: number
}

/**
 * Checks that a tokenizer belongs to a text model: a token beyond its table ends an inference, and a much longer table is of another
 * vocabulary.
 *
 * @returns the length of every text, if the model takes one length alone, and the token that fills texts up.
 * @throws UnusableModel
 */
export function checkTokenizer(
  tokenizer: PreTrainedTokenizer,
  outline: OnnxOutline,
  { towers }: ModelLayout,
): { fixedLength: number | undefined; padding: bigint } {
  const inner = tokenizer as unknown as Inner
  const rows = countRows(outline)
  const tokens = countTokens(inner)
  const ids = tokenizer.encode('')
  const padding = inner.pad_token_id ?? ids.at(-1) ?? 0
  const most = Math.max(tokens, padding + 1, ...ids.map((id) => id + 1))
  if (rows !== undefined && (most > rows || rows - most > Math.max(SPARE_ROWS, rows * SPARE_SHARE))) {
    throw new UnusableModel(
      `tokenizer.json has ${most} tokens and ${towers.text.path} knows ${rows}: they belong to different models, so take both from one export`,
    )
  }
  const length = outline.inputs.find(({ name }) => name === 'input_ids')?.shape[1]
  return { fixedLength: length, padding: BigInt(padding) }
}

/**
 * Lets go of the file that a tokenizer was made from; it has tables of its own. The file of Gemma's vocabulary takes more than 100 MB of
 * memory.
 */
export function forgetFile(tokenizer: PreTrainedTokenizer): void {
  const { _tokenizer: made, _tokenizerJSON: json } = tokenizer as unknown as Inner
  if (json?.model) Object.assign(json.model, { vocab: [], merges: [] })
  if (made?.model?.merges) made.model.merges = []
}

/** Sentencepiece tokenizers keep capitals where the model was trained without; CLIP's lowers them itself. */
export function lowersCase(tokenizer: PreTrainedTokenizer, { family }: ModelLayout): boolean {
  const isAsked = (tokenizer as unknown as Inner)._tokenizerConfig?.do_lower_case === true
  // The first exports of SigLIP 2 do not say it, and it was trained so.
  return family === 'siglip2' || (family === 'siglip' && isAsked)
}

/**
 * The highest ordinary token and one. Special tokens do not count: T5's vocabulary, which SigLIP has, ends with a hundred of them that
 * the model has no rows for.
 */
function countTokens({ _tokenizerJSON: json }: Inner): number {
  const special = new Set(json?.added_tokens?.flatMap(({ content, special }) => (special ? [content] : [])))
  const vocab = json?.model?.vocab
  let highest = -1
  if (Array.isArray(vocab)) {
    for (let id = vocab.length - 1; id >= 0 && highest < 0; id--) {
      const [piece] = vocab[id] as [string, number]
      if (!special.has(piece) && !piece.startsWith('<extra_id_')) highest = id
    }
  } else {
    const pieces = (vocab ?? {}) as Record<string, number>
    for (const piece in pieces) {
      const id = pieces[piece] as number
      if (id > highest && !special.has(piece)) highest = id
    }
  }
  return highest + 1
}

/** The rows of the table that the tokens are looked up in; undefined for a graph that hides it. */
function countRows({ nodes, tensors }: OnnxOutline): number | undefined {
  const shapes = new Map(tensors.map(({ name, shape }) => [name, shape]))
  const makers = new Map(nodes.flatMap((node) => node.outputs.map((output) => [output, node] as const)))
  const tokens = new Set(['input_ids'])
  for (const { operator, inputs, outputs } of nodes) {
    const [first = '', second = ''] = inputs
    if (PASSING.has(operator) && tokens.has(first)) for (const output of outputs) tokens.add(output)
    if (operator !== 'Gather' || !tokens.has(second)) continue
    let table = first
    for (let step = 0; step < 4 && !shapes.has(table); step++) {
      const maker = makers.get(table)
      if (!maker || !KEEPING.has(maker.operator)) break
      table = maker.inputs[0] ?? ''
    }
    const shape = shapes.get(table)
    if (shape?.length === 2) return shape[0]
  }
  return undefined
}
