/**
 * Packs the list of tokens that occurred in the training of a model into its folder, as `seen_tokens.json`.
 *
 * `bun scripts/model/seen-tokens.ts LIST.json models/<name>`: the list is `{"tokens": [ids]}`, which the training writes
 * (scripts/model/train/README.md).
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { packTokens, readSeenTokens } from '../../src/platform/embedder/seen-tokens.ts'

const [list, modelDir] = process.argv.slice(2)
if (list === undefined || modelDir === undefined) throw new Error('Usage: seen-tokens.ts LIST.json MODEL_DIR')
const { tokens } = JSON.parse(readFileSync(list, 'utf8')) as { tokens: number[] }
const what = 'A bit for each token of the vocabulary, in base64, lowest first: 1 if it occurred in training.'
writeFileSync(join(modelDir, 'seen_tokens.json'), `${JSON.stringify({ what, bits: packTokens(tokens) })}\n`)
const seen = readSeenTokens(modelDir)
if (!seen || tokens.some((id) => !seen.has(id))) throw new Error('The packed list differs from the list')
process.stdout.write(`${tokens.length} tokens\n`)
