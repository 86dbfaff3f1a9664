import type { JobSummary } from '../../features/catalogue/jobs/schema.ts'

const BAR_CHARS = 24
/** How often a line is added where no terminal can replace it. */
const LINE_MS = 10_000

/** How far a piece of work is. */
export type ProgressState = Pick<JobSummary, 'progress' | 'processed' | 'total' | 'failed' | 'eta_seconds'>

export interface Progress {
  show(state: ProgressState): void
  /** Shows words in the place of the bar, on a terminal alone. */
  say(text: string): void
  /** Leaves what was shown last, or removes it. */
  end(): void
}

/** Shows progress on stderr: a bar on a terminal, otherwise a line now and then. */
export function createProgress(out: Pick<NodeJS.WriteStream, 'isTTY' | 'write'> = process.stderr): Progress {
  let shownAt = performance.now()
  return {
    show(state) {
      if (out.isTTY) out.write(`\r\x1b[K${formatBar(state.progress)} ${formatProgress(state)}`)
      else if (performance.now() - shownAt >= LINE_MS) {
        shownAt = performance.now()
        out.write(`${formatProgress(state)}\n`)
      }
    },
    say(text) {
      if (out.isTTY) out.write(`\r\x1b[K${text}`)
    },
    end() {
      if (out.isTTY) out.write('\r\x1b[K')
    },
  }
}

function formatBar(progress: number): string {
  const full = Math.round(progress * BAR_CHARS)
  return `[${'#'.repeat(full)}${'-'.repeat(BAR_CHARS - full)}]`
}

/** Formats `120 of 3,000 products (4 %), 12 a second, 4 min left, 3 failed`. */
export function formatProgress({ processed, total, failed, eta_seconds: eta }: ProgressState): string {
  const number = (value: number) => value.toLocaleString('en')
  const share = total === 0 ? 100 : Math.floor((processed / total) * 100)
  const parts = [`${number(processed)} of ${number(total)} products (${share} %)`]
  if (eta !== null && eta > 0 && processed < total) {
    parts.push(`${number(Math.round(((total - processed) / eta) * 10) / 10)} a second`)
    parts.push(`${formatDuration(eta)} left`)
  }
  if (failed > 0) parts.push(`${number(failed)} failed`)
  return parts.join(', ')
}

function formatDuration(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`
  if (seconds < 3_600) return `${Math.ceil(seconds / 60)} min`
  return `${Math.floor(seconds / 3_600)} h ${Math.ceil((seconds % 3_600) / 60)} min`
}
