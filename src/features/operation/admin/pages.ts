import { CursorId, createCursors } from '../../../http/paging.ts'
import { PAGE_DEFAULT } from './schema.ts'

interface PageQuery {
  limit?: number | undefined
  cursor?: string | undefined
}

/**
 * Makes the reader of a list that shows the newest rows first, and goes on after the id of the last one.
 *
 * @param list names the list in its cursors.
 */
export function createPages(list: string) {
  const cursors = createCursors({ list }, { id: CursorId })

  /** @param find reads rows that are older than an id, newest first. @throws ApiError `invalid_cursor`. */
  return <Row extends { id: string }>(
    { limit = PAGE_DEFAULT, cursor }: PageQuery,
    find: (beforeId: string | null, limit: number) => readonly Row[],
  ) => cursors.page(find(cursors.read(cursor)?.id ?? null, limit + 1), limit, ({ id }) => ({ id }))
}
