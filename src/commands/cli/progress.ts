import type { JobSummary } from '../../features/catalogue/jobs/schema.ts'

const BAR_CHARS = 24
/** How often a line is added where no terminal can replace it. */
const LINE_MS = 10_000

/** How far a piece of work is. */
export type ProgressState = Pick<JobSummary, 'progress' | 'processed' | 'total' | 'failed' | 'eta_seconds'>

/** A part of the work that is counted in something else than products. */
export interface ProgressPart {
  /** Such as `downloading`. */
  what: string
  done: number
  total: number
  /** null while nobody knows it. */
  secondsLeft: number | null
  /** Writes an amount; by default as a number. */
  format?: ((amount: number) => string) | undefined
}

export interface Progress {
  /** @param notes further facts for the end of the line. */
  show(state: ProgressState, notes?: readonly string[]): void
  showPart(part: ProgressPart): void
  /** Shows words in the place of the bar, on a terminal alone. */
  say(text: string): void
  /** Leaves what was shown last, or removes it. */
  end(): void
}

/** Shows progress on stderr: a bar on a terminal, otherwise a line now and then. */
export function createProgress(out: Pick<NodeJS.WriteStream, 'isTTY' | 'write'> = process.stderr): Progress {
  let shownAt = performance.now()

  function draw(share: number, text: string): void {
    if (out.isTTY) out.write(`\r\x1b[K${formatBar(share)} ${text}`)
    else if (performance.now() - shownAt >= LINE_MS) {
      shownAt = performance.now()
      out.write(`${text}\n`)
    }
  }

  return {
    show: (state, notes = []) => draw(state.progress, [formatProgress(state), ...notes].join(', ')),
    showPart: (part) => draw(part.total === 0 ? 1 : part.done / part.total, formatPart(part)),
    say(text) {
      if (out.isTTY) out.write(`\r\x1b[K${text}`)
    },
    end() {
      if (out.isTTY) out.write('\r\x1b[K')
    },
  }
}

function formatBar(progress: number): string {
  const full = Math.min(BAR_CHARS, Math.round(progress * BAR_CHARS))
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

/** Formats `downloading: 12.5 MB of 155 MB (8 %), 40 s left`. */
export function formatPart({ what, done, total, secondsLeft, format = String }: ProgressPart): string {
  const share = total === 0 ? 100 : Math.floor((done / total) * 100)
  const left =
    secondsLeft !== null && secondsLeft > 0 && done < total ? `, ${formatDuration(secondsLeft)} left` : ''
  return `${what}: ${format(done)} of ${format(total)} (${share} %)${left}`
}

function formatDuration(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`
  if (seconds < 3_600) return `${Math.ceil(seconds / 60)} min`
  return `${Math.floor(seconds / 3_600)} h ${Math.ceil((seconds % 3_600) / 60)} min`
}
