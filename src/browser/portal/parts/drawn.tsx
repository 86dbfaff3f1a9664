import type { Samples } from '#generated/api.ts'
import { send } from '../api/transport.ts'
import { Picture } from './picture.tsx'
import { useLoad } from './use-load.ts'

/** The pictures that come with the program. They are asked for once; without an answer a page does without them. */
let samples: Promise<string[]> | undefined

const loadSamples = (): Promise<string[]> =>
  (samples ??= send('GET', '/samples').then(
    (answer) => (answer as Samples).map(({ url }) => new URL(url, location.origin).pathname),
    () => [],
  ))

/** One of the drawn pictures, where a list has none of its own yet. @param which of them. */
export function Drawn({ which }: { which: number }) {
  const [loaded] = useLoad(loadSamples, [])
  const src = loaded.state === 'there' ? loaded.value[which] : undefined
  // Its place is kept until it comes.
  return src === undefined ? <span class="picture" aria-hidden="true" /> : <Picture src={src} name="" />
}
