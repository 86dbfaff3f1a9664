/** A client that only searches by words, one search after the other with a pause, and measures how long each takes. */
import { workApart } from './apart.ts'
import { openCaller } from './caller.ts'
import { rawRequest } from './load.ts'
import { freshWords } from './words.ts'

export interface SearchJob {
  address: string
  token: string
  count: number
  pauseMs: number
  /** Tells these words from those of other clients. */
  name: string
}

await workApart<SearchJob, number[]>(async ({ address, token, count, pauseMs, name }, begin, told) => {
  const caller = await openCaller(address)
  const search = (n: number) =>
    caller.call(
      rawRequest(
        'POST',
        '/v1/search/text',
        { authorization: `Bearer ${token}` },
        JSON.stringify({ query: freshWords(name, n) }),
      ),
    )
  for (let n = 0; n < 5; n++) await search(-1 - n)
  begin()
  const times: number[] = []
  for (let n = 0; n < count && !told.aborted; n++) {
    times.push(await search(n))
    await Bun.sleep(pauseMs)
  }
  caller.close()
  return times
})
