import type { Row } from '../../../core/row-lines.ts'
import type { Db } from '../open.ts'
import type { Key } from './rows.ts'

/** What lies in files. */
export interface JobContents {
  /** Reads the content of an item that lies in the file of its job; undefined if the file is gone. */
  readJobContent(jobId: string, offset: number, bytes: number): string | undefined
}

/** Completes the items of jobs, whose contents may lie in the file of the job. */
export function createItemReader(db: Db, { readJobContent }: JobContents) {
  const places = db.prepare<[number, number], { offset: number | null; bytes: number | null }>(
    'SELECT file_offset AS offset, file_bytes AS bytes FROM job_items WHERE job = ? AND position = ?',
  )
  return {
    /** What an item has yet to do lies in the row itself, or in the file of its job. */
    complete(row: Row, [job, position]: Key): Row {
      const place = places.get(Number(job), Number(position))
      if (row['content'] !== null || !place || place.offset === null || row['state'] !== 'pending') return row
      const content = readJobContent(String(row['job']), place.offset, place.bytes ?? 0)
      return { ...row, content: content ?? null }
    },
  }
}
