/** Tokenizers in the form of each family, with vocabularies of true size made from the words of the bundled model. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const BUNDLED = join(import.meta.dir, '../../../models/lookalike-clip-v1')

interface BundledTokenizer {
  added_tokens: unknown[]
  model: { vocab: Record<string, number>; merges: [string, string][] } & Record<string, unknown>
}

const readBundled = (): BundledTokenizer => JSON.parse(readFileSync(join(BUNDLED, 'tokenizer.json'), 'utf8'))

/** Whole words of letters that the bundled vocabulary has, the most frequent first. */
function listWords(): string[] {
  const words = Object.entries(readBundled().model.vocab).sort(([, a], [, b]) => a - b)
  return words.flatMap(([word]) => /^([a-z]{2,})<\/w>$/.exec(word)?.[1] ?? [])
}

export interface TokenizerFiles {
  tokenizer: unknown
  config: Record<string, unknown>
}

/** CLIP's own vocabulary. A small one keeps its bytes and first merges, and moves the two special tokens behind them. */
export function makeClipTokenizer(words: number, window: number, pad: string): TokenizerFiles {
  const [start, end] = ['<|startoftext|>', '<|endoftext|>']
  const tokenizer = readBundled()
  const { vocab, merges } = tokenizer.model
  const config = {
    tokenizer_class: 'CLIPTokenizer',
    model_max_length: window,
    do_lower_case: true,
    add_prefix_space: false,
    errors: 'replace',
    bos_token: start,
    eos_token: end,
    pad_token: pad,
    unk_token: end,
  }
  const full = Object.keys(vocab).length
  if (words === full) return { tokenizer, config }
  const moved = (id: number) => (id >= full - 2 ? words - (full - id) : id)
  const kept = Object.entries(vocab).filter(([, id]) => id < words - 2 || id >= full - 2)
  const small = Object.fromEntries(kept.map(([word, id]) => [word, moved(id)]))
  const isKept = ([a, b]: [string, string]) =>
    small[a] !== undefined && small[b] !== undefined && small[a + b] !== undefined
  const json = JSON.stringify({
    ...tokenizer,
    model: { ...tokenizer.model, vocab: small, merges: merges.filter(isKept) },
  })
  const renumbered = json
    .replaceAll(`"id":${full - 2},`, `"id":${words - 2},`)
    .replaceAll(`"id":${full - 1},`, `"id":${words - 1},`)
    .replaceAll(`"${end}",${full - 1}`, `"${end}",${words - 1}`)
    .replaceAll(`"${start}",${full - 2}`, `"${start}",${words - 2}`)
  return { tokenizer: JSON.parse(renumbered), config }
}

const special = (id: number, content: string, isTrimmed: boolean) => ({
  id,
  content,
  single_word: false,
  lstrip: isTrimmed,
  rstrip: isTrimmed,
  normalized: false,
  special: true,
})

const closeWith = (token: string, id: number) => ({
  type: 'TemplateProcessing',
  single: [{ Sequence: { id: 'A', type_id: 0 } }, { SpecialToken: { id: token, type_id: 0 } }],
  pair: [{ Sequence: { id: 'A', type_id: 0 } }, { Sequence: { id: 'B', type_id: 0 } }],
  special_tokens: { [token]: { id: token, ids: [id], tokens: [token] } },
})

/**
 * Lower case, without punctuation, as the export of SigLIP's sentencepiece tokenizer has it.
 *
 * @param extra tokens after the vocabulary that the model has no rows for; the tokenizer of T5 has a hundred.
 */
export function makeUnigramTokenizer(words: number, window: number, extra = 0): TokenizerFiles {
  const letters = [...'abcdefghijklmnopqrstuvwxyz0123456789äöüßéèàçñółżąę', '▁']
  const pieces: [string, number][] = [
    ['<pad>', 0],
    ['</s>', 0],
    ['<unk>', 0],
    ...letters.map((letter) => [letter, -12] as [string, number]),
  ]
  const endings = ['s', 'ed', 'ing', 'er', 'ly']
  const known = new Set(pieces.map(([piece]) => piece))
  const add = (piece: string) => {
    if (pieces.length >= words || known.has(piece)) return
    known.add(piece)
    pieces.push([piece, -4 - Math.log2(pieces.length) / 2])
  }
  const list = listWords()
  for (const ending of endings) add(ending)
  for (const word of list) add(`▁${word}`)
  for (const ending of endings) for (const word of list) add(`▁${word}${ending}`)
  const extras = Array.from({ length: extra }, (_, i) => `<extra_id_${extra - 1 - i}>`)
  const more = extras.map((piece, i) => special(pieces.length + i, piece, false))
  pieces.push(...extras.map((piece) => [piece, 0] as [string, number]))
  return {
    tokenizer: {
      version: '1.0',
      truncation: null,
      padding: null,
      added_tokens: [special(1, '</s>', true), special(2, '<unk>', true), ...more],
      normalizer: {
        type: 'Sequence',
        normalizers: [
          { type: 'Lowercase' },
          {
            type: 'Replace',
            pattern: { Regex: '[!"#$%&\'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~]' },
            content: '',
          },
          { type: 'Replace', pattern: { Regex: '\\s+' }, content: ' ' },
          { type: 'Strip', strip_left: true, strip_right: true },
        ],
      },
      pre_tokenizer: {
        type: 'Metaspace',
        replacement: '▁',
        add_prefix_space: true,
        prepend_scheme: 'always',
      },
      post_processor: closeWith('</s>', 1),
      decoder: { type: 'Metaspace', replacement: '▁', add_prefix_space: true, prepend_scheme: 'always' },
      model: { type: 'Unigram', unk_id: 2, vocab: pieces, byte_fallback: false },
    },
    config: {
      clean_up_tokenization_spaces: true,
      do_lower_case: true,
      eos_token: '</s>',
      model_input_names: ['input_ids'],
      model_max_length: window,
      pad_token: '</s>',
      processor_class: 'SiglipProcessor',
      tokenizer_class: 'SiglipTokenizer',
      unk_token: '<unk>',
    },
  }
}

/** Pairs that follow each other join in their order, with bytes for what no piece covers, as in Gemma's vocabulary. */
export function makeGemmaTokenizer(words: number): TokenizerFiles {
  const vocab = new Map<string, number>()
  const add = (piece: string) => {
    if (!vocab.has(piece) && vocab.size < words) vocab.set(piece, vocab.size)
    return vocab.has(piece)
  }
  for (const piece of ['<pad>', '<eos>', '<bos>', '<unk>']) add(piece)
  for (let byte = 0; byte < 256; byte++) add(`<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`)
  for (const letter of '▁abcdefghijklmnopqrstuvwxyz0123456789.,-äöüßéèàçñółżąę') add(letter)
  const merges: string[][] = []
  const join = (left: string, right: string) => {
    if (vocab.has(left + right) || !add(left + right)) return
    merges.push([left, right])
  }
  const list = listWords()
  const grow = (word: string) => {
    for (let i = 1; i < word.length; i++) join(word.slice(0, i), word[i] as string)
  }
  for (const word of list) grow(word)
  for (const word of list) join('▁', word)
  for (const ending of ['s', 'ed', 'ing', 'er', 'ly']) for (const word of list) join(word, ending)
  // Gemma's list has every way to make a piece of two others.
  for (const piece of vocab.keys()) {
    for (let i = 1; i < piece.length - 1; i++) {
      const [left, right] = [piece.slice(0, i), piece.slice(i)]
      if (vocab.has(left) && vocab.has(right)) merges.push([left, right])
    }
  }
  return {
    tokenizer: {
      version: '1.0',
      truncation: null,
      padding: null,
      added_tokens: ['<pad>', '<eos>', '<bos>', '<unk>'].map((piece, id) => special(id, piece, false)),
      normalizer: { type: 'Replace', pattern: { String: ' ' }, content: '▁' },
      pre_tokenizer: {
        type: 'Split',
        pattern: { String: ' ' },
        behavior: 'MergedWithPrevious',
        invert: false,
      },
      post_processor: closeWith('<eos>', 1),
      decoder: { type: 'Sequence', decoders: [{ type: 'Replace', pattern: { String: '▁' }, content: ' ' }] },
      model: {
        type: 'BPE',
        dropout: null,
        unk_token: '<unk>',
        continuing_subword_prefix: null,
        end_of_word_suffix: null,
        fuse_unk: true,
        byte_fallback: true,
        ignore_merges: false,
        vocab: Object.fromEntries(vocab),
        merges,
      },
    },
    config: {
      add_bos_token: false,
      add_eos_token: true,
      bos_token: '<bos>',
      clean_up_tokenization_spaces: false,
      do_lower_case: true,
      eos_token: '<eos>',
      // The library writes this where a tokenizer names no length.
      model_max_length: 1e30,
      pad_token: '<pad>',
      processor_class: 'SiglipProcessor',
      tokenizer_class: 'GemmaTokenizer',
      unk_token: '<unk>',
    },
  }
}
