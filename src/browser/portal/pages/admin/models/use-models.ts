import { useEffect, useRef, useState } from 'preact/hooks'
import type { AdminModels } from '#generated/api.ts'
import { call } from '../../../api/client.ts'
import { toCallError } from '../../../api/errors.ts'
import type { Loaded } from '../../../parts/use-load.ts'

/** While something moves, the page looks this often. */
const LOOK_MS = 2_000
/** After a look that failed: the service may be starting again. */
const PAUSE_MS = 10_000

const isMoving = ({ move, fetch }: AdminModels): boolean =>
  move?.state === 'running' || fetch?.state === 'running'

/**
 * Reads the models, and follows them as long as something moves. A hidden page asks nothing; when it is shown again, it asks once,
 * because a command or another operator may have begun something.
 *
 * @returns what is known, and a function that looks again now.
 */
export function useModels(): [Loaded<AdminModels>, () => void] {
  const [loaded, setLoaded] = useState<Loaded<AdminModels>>({ state: 'loading' })
  const look = useRef(() => {})

  useEffect(() => {
    let stop = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined

    function lookAfter(ms: number): void {
      if (!document.hidden) timer = setTimeout(read, ms)
    }

    async function read(): Promise<void> {
      clearTimeout(timer)
      stop.abort()
      stop = new AbortController()
      const { signal } = stop
      try {
        const value = await call('GET /v1/admin/models', { signal })
        if (signal.aborted) return
        setLoaded({ state: 'there', value })
        if (isMoving(value)) lookAfter(LOOK_MS)
      } catch (thrown) {
        if (signal.aborted) return
        const error = toCallError(thrown)
        setLoaded((before) => (before.state === 'there' ? before : { state: 'failed', error }))
        lookAfter(PAUSE_MS)
      }
    }

    function onVisibility(): void {
      clearTimeout(timer)
      if (!document.hidden) read()
    }

    look.current = read
    read()
    document.addEventListener('visibilitychange', onVisibility)
    return () => {
      document.removeEventListener('visibilitychange', onVisibility)
      clearTimeout(timer)
      stop.abort()
    }
  }, [])

  return [loaded, () => look.current()]
}
