import type { JobSummary } from '#generated/api.ts'
import { callRaw } from './client.ts'

/** The service ends a stream after a quarter of an hour; the next one begins after this pause. */
const RECONNECT_MS = 3_000

/** Reads the data of each event of a stream. A browser's `EventSource` cannot send a token. */
async function* readEvents(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  const reader = stream.getReader()
  let text = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    text += decoder.decode(value, { stream: true })
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const data = /^data: (.*)$/m.exec(text.slice(0, end))?.[1]
      if (data !== undefined) yield data
      text = text.slice(end + 2)
    }
  }
}

/** Tells of every change of a job until its end, or until the signal. @throws CallError when no stream begins. */
export async function followJob(
  id: string,
  onChange: (job: JobSummary) => void,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    const { body } = await callRaw(
      'GET /v1/jobs/{job_id}/events',
      { path: { job_id: id }, signal },
      'text/event-stream',
    )
    if (!body) return
    for await (const data of readEvents(body)) {
      const job = JSON.parse(data) as JobSummary
      onChange(job)
      if (job.status !== 'processing') return
    }
    await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS))
    if (signal.aborted) return
  }
}
