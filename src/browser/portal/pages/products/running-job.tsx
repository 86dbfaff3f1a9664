import { useEffect, useState } from 'preact/hooks'
import type { JobSummary } from '#generated/api.ts'
import { call } from '../../api/client.ts'
import { JobLine } from '../../parts/job-line.tsx'
import { t } from './texts/texts.ts'

const EVERY_MS = 2_000

/** The work that runs now, if any. It asks again only as long as something runs. */
export function RunningJob({ onEnd }: { onEnd(): void }) {
  const [job, setJob] = useState<JobSummary | null>(null)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let hasRun = false
    const stop = new AbortController()
    async function look() {
      const { jobs } = await call('GET /v1/jobs', {
        query: { status: 'processing', limit: 1 },
        signal: stop.signal,
      })
      if (stop.signal.aborted) return
      const [running = null] = jobs
      setJob(running)
      if (running) timer = setTimeout(follow, EVERY_MS)
      else if (hasRun) onEnd()
      hasRun ||= running !== null
    }
    // A line about other work is not worth a failure on this page: the next visit looks again.
    const follow = () => look().catch(() => {})
    follow()
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [])
  return job && <JobLine job={job} label={t.jobs[job.type]} />
}
