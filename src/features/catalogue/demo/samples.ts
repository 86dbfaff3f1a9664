import { sha256 } from '../../../core/hash.ts'
import type { DemoQuery } from './catalogue.ts'
import type { Samples } from './schema.ts'

/** Hex digits of the name of a sample: 128 bits of a SHA-256 over its bytes. */
const NAME_DIGITS = 32

export interface SampleDeps {
  queries: readonly Pick<DemoQuery, 'picture' | 'title'>[]
  /** The encoded picture of a sample query. */
  readPicture(name: string): Promise<Uint8Array>
}

export type SampleService = ReturnType<typeof sampleService>

/** The sample pictures for a first search by picture. They come with the program, so they are read and named once. */
export function sampleService({ queries, readPicture }: SampleDeps) {
  let named: Promise<Map<string, { title: string; bytes: Uint8Array }>> | undefined

  async function load() {
    const samples = queries.map(async ({ picture, title }) => {
      const bytes = await readPicture(picture)
      const hash = (await sha256(bytes)).toString('hex').slice(0, NAME_DIGITS)
      return [`${hash}.webp`, { title, bytes }] as const
    })
    return new Map(await Promise.all(samples))
  }

  const all = () => {
    named ??= load().catch((error) => {
      named = undefined
      throw error
    })
    return named
  }

  return {
    /** GET /samples. */
    async list(): Promise<Samples> {
      return [...(await all())].map(([file, { title }]) => ({ name: title, url: `/samples/${file}` }))
    },
    /** GET /samples/{file}; undefined for a name that no sample has. */
    find: async (file: string): Promise<Uint8Array | undefined> => (await all()).get(file)?.bytes,
  }
}
