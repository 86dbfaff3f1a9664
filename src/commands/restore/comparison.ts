import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isoTime } from '../../core/clock.ts'
import { groupThousands } from '../../core/text.ts'
import type { BundleManifest } from '../../platform/archives/bundle.ts'
import { countFileRows } from '../../platform/backup/facts.ts'
import { DATABASE_FILE } from '../../platform/db/open.ts'
import { formatTable } from '../cli/table.ts'

/** What people compare before they replace one state by another. */
export interface StateFacts {
  /** When it was changed last, or backed up. */
  at?: string
  madeBy?: string
  schema?: number
  counts?: Readonly<Record<string, number>>
}

const SHOWN = [
  ['stores', 'stores'],
  ['people', 'users'],
  ['products', 'products'],
  ['kept pictures', 'kept_pictures'],
  ['single searches', 'searches'],
] as const

/** The facts of the state in a folder; undefined if there is none, and no facts if it cannot be read. */
export function readPresent(folder: string): StateFacts | undefined {
  const path = join(folder, DATABASE_FILE)
  if (!existsSync(path)) return undefined
  const changed = [path, `${path}-wal`].map((file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0)
  const at = isoTime(Math.max(...changed))
  const tables = SHOWN.map(([, table]) => table)
  // A damaged state is a reason to restore.
  return { at, ...countFileRows(path, tables) }
}

export const describeBackup = ({ made_at, version, schema, counts }: BundleManifest): StateFacts => ({
  ...{ at: made_at, madeBy: version, schema, counts },
})

/** Shows what is replaced by what. */
export function formatComparison(folder: string, before: StateFacts | undefined, after: StateFacts): string {
  const show = (facts: StateFacts | undefined, value: number | string | undefined): string => {
    if (!facts) return '-'
    if (value === undefined) return 'cannot be read'
    return typeof value === 'number' ? groupThousands(value) : value
  }
  const row = (name: string, pick: (facts: StateFacts) => number | string | undefined): string[] => [
    name,
    show(before, before && pick(before)),
    show(after, pick(after)),
  ]
  return formatTable([
    [folder, before ? 'NOW' : 'NOW (nothing)', 'THEN'],
    row('state of', ({ at }) => at),
    ...(after.madeBy === undefined ? [] : [['made by lookalike', '', after.madeBy]]),
    row('schema', ({ schema }) => schema),
    ...SHOWN.map(([name, table]) => row(name, ({ counts }) => counts?.[table])),
  ])
}
