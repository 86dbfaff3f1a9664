import type { Db } from '../../../platform/db/open.ts'

export function diskGrowthQueries(db: Db) {
  const write = db.prepare<[day: bigint, freeShare: number]>(
    'INSERT INTO disk_samples (day, free_share) VALUES (?, ?) ON CONFLICT (day) DO NOTHING',
  )
  const forget = db.prepare<[before: bigint]>('DELETE FROM disk_samples WHERE day < ?')

  return {
    /** Keeps the first sample of a day. */
    write: (day: number, freeShare: number): void => void write.run(BigInt(day), freeShare),
    forgetBefore: (day: number): void => void forget.run(BigInt(day)),
  }
}
