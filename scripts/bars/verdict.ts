import type { BarLine } from '../../test/robustness/bars.ts'
import type { Bar, Part } from './list.ts'

export type Verdict = 'holds' | 'fails' | 'partly' | 'not run' | 'not built'

/** A bar and its result, in words. */
export interface Judged {
  bar: Bar
  verdict: Verdict
  /** What ran and how often, one text per part. */
  run: string[]
  measured: string[]
}

const count = (n: number): string => n.toLocaleString('en-US')

const sum = (lines: readonly BarLine[]): number => lines.reduce((total, { n }) => total + n, 0)

/**
 * Judges a bar by the records of the tests that measure it.
 *
 * @param failed names of the failed tests in the bar's files.
 * @param isFull whether to require the counts of the demand instead of the cheap ones.
 */
export function judge(
  bar: Bar,
  lines: readonly BarLine[],
  failed: readonly string[],
  isFull: boolean,
): Judged {
  const listLines = (name: string) => lines.filter(({ part }) => part === name)
  const others = [...new Set(lines.map(({ part }) => part))].filter(
    (name) => !bar.parts.some((part) => part.name === name),
  )
  const needed = ({ full, cheap = full }: Part) => (isFull ? full : cheap)
  const isComplete = (part: Part) => !part.isMissing && sum(listLines(part.name)) >= needed(part)
  return {
    bar,
    verdict: decide(),
    run: [
      ...bar.parts.map((part) => describeRun(part, listLines(part.name))),
      ...others.map((name) => `${name} ${count(sum(listLines(name)))}${where(listLines(name))}`),
    ],
    measured: [
      ...[...bar.parts.map(({ name }) => name), ...others].flatMap((name) => [
        ...new Set(
          listLines(name).map(({ measured, isMet }) => `${name}: ${measured}${isMet ? '' : ' (not met)'}`),
        ),
      ]),
      ...failed.map((name) => `failed: ${name}`),
    ],
  }

  function decide(): Verdict {
    if (failed.length > 0 || lines.some(({ isMet }) => !isMet)) return 'fails'
    if (lines.length === 0) return bar.parts.every(({ isMissing }) => isMissing) ? 'not built' : 'not run'
    return bar.parts.every(isComplete) ? 'holds' : 'partly'
  }
}

function describeRun({ name, full, isMissing }: Part, lines: readonly BarLine[]): string {
  if (isMissing && lines.length === 0) return `${name}: not built`
  if (lines.length === 0) return `${name}: not run`
  const n = sum(lines)
  return `${name} ${count(n)}${n < full ? ` of ${count(full)}` : ''}${where(lines)}`
}

const where = (lines: readonly BarLine[]): string =>
  ` (${[...new Set(lines.map(({ on }) => on))].join(', ')})`

/** Reads the failed tests from the output of `bun test`, by file. */
export function readFailures(...logs: string[]): Map<string, string[]> {
  const failures = new Map<string, string[]>()
  let file: string | undefined
  for (const line of logs.join('\n').split('\n')) {
    // A run repeats all its failures at the end, without their files.
    if (/^\d+ tests? failed:$/.test(line)) file = undefined
    file = /^(\S+\.test\.ts):$/.exec(line)?.[1] ?? file
    const name = /^\(fail\) (.*?)(?: \[[\d.]+m?s\])?$/.exec(line)?.[1]
    if (file !== undefined && name !== undefined) failures.set(file, [...(failures.get(file) ?? []), name])
  }
  return failures
}

/** Formats the table as plain text: one block per bar, then the totals. */
export function formatText(judged: readonly Judged[]): string {
  const blocks = judged.map(({ bar: { number, name, demand }, verdict, run, measured }) =>
    [
      `${String(number).padStart(2)}  ${name.padEnd(24)}${verdict}`,
      `    demand    ${demand}`,
      ...list('run', run),
      ...list('measured', measured),
    ].join('\n'),
  )
  return [...blocks, formatTotals(judged)].join('\n\n')
}

const list = (title: string, lines: readonly string[]): string[] =>
  lines.map((line, n) => `    ${(n === 0 ? title : '').padEnd(10)}${line}`)

/** Formats the table in Markdown. */
export function formatMarkdown(judged: readonly Judged[]): string {
  const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ')
  const rows = judged.map(({ bar: { number, name, demand }, verdict, run, measured }) =>
    [String(number), name, demand, run.join('<br>'), measured.join('<br>') || '–', verdict].map(cell),
  )
  const head = ['#', 'Bar', 'Demand', 'Run', 'Measured', 'Verdict']
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

function formatTotals(judged: readonly Judged[]): string {
  const verdicts = ['holds', 'fails', 'partly', 'not run', 'not built'] as const
  const parts = verdicts.map((kind) => `${kind} ${judged.filter(({ verdict }) => verdict === kind).length}`)
  return `${judged.length} bars: ${parts.join(', ')}`
}
