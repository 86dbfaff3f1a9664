import { useEffect, useState } from 'preact/hooks'
import type { Job, JobSummary } from '#generated/api.ts'
import { call } from '../../api/client.ts'
import { type CallError, toCallError } from '../../api/errors.ts'
import { followJob } from '../../api/job-events.ts'

/** A job as it stands now. Events leave out who started it and what failed. */
export interface FollowedJob {
  job: Job | null
  error: CallError | null
  /** Changes with everything that may have changed the list of failures. */
  round: number
  /** Reads the job again, and follows it while it runs. */
  reload(): void
}

/** Reads a job and follows it by its events until its end. */
export function useJob(id: string): FollowedJob {
  const [job, setJob] = useState<Job | null>(null)
  const [error, setError] = useState<CallError | null>(null)
  const [asked, setAsked] = useState(0)
  const [round, setRound] = useState(0)

  useEffect(() => {
    const stop = new AbortController()
    const { signal } = stop
    const read = async () => {
      const found = await call('GET /v1/jobs/{job_id}', { path: { job_id: id }, signal })
      if (signal.aborted) return false
      setJob(found)
      setRound((n) => n + 1)
      return found.status === 'processing'
    }
    async function follow() {
      setError(null)
      if (!(await read())) return
      const onChange = ({ started_by: _, ...change }: JobSummary) =>
        setJob((before) => before && { ...before, ...change })
      await followJob(id, onChange, signal)
      await read()
    }
    follow().catch((thrown) => signal.aborted || setError(toCallError(thrown)))
    return () => stop.abort()
  }, [id, asked])

  return { job, error, round, reload: () => setAsked((n) => n + 1) }
}
