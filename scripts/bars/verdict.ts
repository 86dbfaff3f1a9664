import type { BarLine } from '../../test/robustness/bars.ts'
import type { Bar, Part } from './list.ts'

export type Verdict = 'holds' | 'fails' | 'partly' | 'not run' | 'not built'

/** A bar with what came of it, in words. */
export interface Judged {
  bar: Bar
  verdict: Verdict
  /** What was run and how often, one text a part. */
  run: string[]
  measured: string[]
}

const count = (n: number): string => n.toLocaleString('en-US')

const sum = (lines: readonly BarLine[]): number => lines.reduce((total, { n }) => total + n, 0)

/**
 * Joins a bar with the records of the tests that measure it.
 *
 * @param failed names of tests in the bar's files that failed.
 * @param isFull whether the demand's own counts are asked for, or those of the cheap set.
 */
export function judge(
  bar: Bar,
  lines: readonly BarLine[],
  failed: readonly string[],
  isFull: boolean,
): Judged {
  const linesOf = (name: string) => lines.filter(({ part }) => part === name)
  const others = [...new Set(lines.map(({ part }) => part))].filter(
    (name) => !bar.parts.some((part) => part.name === name),
  )
  const needed = ({ full, cheap = full }: Part) => (isFull ? full : cheap)
  const isComplete = (part: Part) => !part.isMissing && sum(linesOf(part.name)) >= needed(part)
  return {
    bar,
    verdict: verdict(),
    run: [
      ...bar.parts.map((part) => ranOf(part, linesOf(part.name))),
      ...others.map((name) => `${name} ${count(sum(linesOf(name)))}${where(linesOf(name))}`),
    ],
    measured: [
      ...[...bar.parts.map(({ name }) => name), ...others].flatMap((name) => [
        ...new Set(
          linesOf(name).map(({ measured, isMet }) => `${name}: ${measured}${isMet ? '' : ' (not met)'}`),
        ),
      ]),
      ...failed.map((name) => `failed: ${name}`),
    ],
  }

  function verdict(): Verdict {
    if (failed.length > 0 || lines.some(({ isMet }) => !isMet)) return 'fails'
    if (lines.length === 0) return bar.parts.every(({ isMissing }) => isMissing) ? 'not built' : 'not run'
    return bar.parts.every(isComplete) ? 'holds' : 'partly'
  }
}

function ranOf({ name, full, isMissing }: Part, lines: readonly BarLine[]): string {
  if (isMissing && lines.length === 0) return `${name}: not built`
  if (lines.length === 0) return `${name}: not run`
  const n = sum(lines)
  return `${name} ${count(n)}${n < full ? ` of ${count(full)}` : ''}${where(lines)}`
}

const where = (lines: readonly BarLine[]): string =>
  ` (${[...new Set(lines.map(({ on }) => on))].join(', ')})`

/** Failed tests by their file, out of what runs of `bun test` printed. */
export function failuresIn(...logs: string[]): Map<string, string[]> {
  const failures = new Map<string, string[]>()
  let file: string | undefined
  for (const line of logs.join('\n').split('\n')) {
    // A run ends with all its failures once more, without their files.
    if (/^\d+ tests? failed:$/.test(line)) file = undefined
    file = /^(\S+\.test\.ts):$/.exec(line)?.[1] ?? file
    const name = /^\(fail\) (.*?)(?: \[[\d.]+m?s\])?$/.exec(line)?.[1]
    if (file !== undefined && name !== undefined) failures.set(file, [...(failures.get(file) ?? []), name])
  }
  return failures
}

/** The table as plain text: a block for each bar, and the sums. */
export function asText(judged: readonly Judged[]): string {
  const blocks = judged.map(({ bar: { number, name, demand }, verdict, run, measured }) =>
    [
      `${String(number).padStart(2)}  ${name.padEnd(24)}${verdict}`,
      `    demand    ${demand}`,
      ...list('run', run),
      ...list('measured', measured),
    ].join('\n'),
  )
  return [...blocks, sums(judged)].join('\n\n')
}

const list = (title: string, lines: readonly string[]): string[] =>
  lines.map((line, n) => `    ${(n === 0 ? title : '').padEnd(10)}${line}`)

/** The same as a table in Markdown. */
export function asMarkdown(judged: readonly Judged[]): string {
  const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ')
  const rows = judged.map(({ bar: { number, name, demand }, verdict, run, measured }) =>
    [String(number), name, demand, run.join('<br>'), measured.join('<br>') || '–', verdict].map(cell),
  )
  const head = ['#', 'Bar', 'Demand', 'Run', 'Measured', 'Verdict']
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

function sums(judged: readonly Judged[]): string {
  const verdicts = ['holds', 'fails', 'partly', 'not run', 'not built'] as const
  const parts = verdicts.map((kind) => `${kind} ${judged.filter(({ verdict }) => verdict === kind).length}`)
  return `${judged.length} bars: ${parts.join(', ')}`
}
