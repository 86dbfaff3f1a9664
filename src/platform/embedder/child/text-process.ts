import { releaseStartMemory } from '../../native/start-memory.ts'
import type { EmbedRequest } from '../messages.ts'
import { readModelLayout } from '../model-layout.ts'
import { nextTurn, type ProcessTask, toBytes } from './channel.ts'
import { loadTextModel, type Tokens } from './model.ts'
import { testTexts, tryOnce } from './self-test.ts'

interface Waiting {
  id: number
  text: string
  tokens: Tokens
}

/** Embeds texts until the pipe closes, one at a time, searches first. */
export async function runTextProcess({ modelDir, isTested, channel }: ProcessTask): Promise<void> {
  // One thread: a query of a few words took 0.59 ms with one and 0.76 ms with two.
  const model = await loadTextModel(modelDir, 1)
  const embed = async (tokens: Tokens) => {
    const [vector] = await model.embed([tokens])
    if (!vector) throw new Error('The model gave no vector')
    return vector
  }
  const worstCosine = isTested ? null : await testTexts(modelDir, (text) => embed(model.tokenize(text)))
  if (!isTested && worstCosine === null) {
    const { path } = readModelLayout(modelDir).towers.text
    await tryOnce(path, () => embed(model.tokenize('red shoes')))
  }
  // Frees about 15 MB of garbage from loading.
  Bun.gc(true)
  channel.send({ kind: 'ready', readyMs: Math.round(performance.now()), worstCosine })
  releaseStartMemory()

  const waiting: Record<EmbedRequest['priority'], Waiting[]> = { search: [], index: [] }
  let isRunning = false

  const run = async () => {
    if (isRunning) return
    isRunning = true
    for (let next = take(); next; next = take()) {
      const { id, text, tokens } = next
      channel.send({ kind: 'begun', id })
      try {
        const vector = await embed(tokens)
        const known = await model.look(text)
        channel.send({ kind: 'embedded', id, isTruncated: tokens.isTruncated, ...known }, toBytes(vector))
      } catch (error) {
        channel.send({ kind: 'refused', id, code: 'internal_error', message: String(error), details: {} })
      }
      await nextTurn()
    }
    isRunning = false
  }

  const take = (): Waiting | undefined => waiting.search.shift() ?? waiting.index.shift()

  await channel.read((request, body) => {
    const text = new TextDecoder().decode(body)
    waiting[request.priority].push({ id: request.id, text, tokens: model.tokenize(text) })
    void run()
  })
}
