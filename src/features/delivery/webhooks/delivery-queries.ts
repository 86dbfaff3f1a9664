import type { Db } from '../../../platform/db/open.ts'
import type { DeliveryState } from './schema.ts'

/** One message to one address. */
export interface DeliveryRow {
  id: string
  storeId: string
  /** The webhook, or the job of a callback. */
  endpoint: string
  /** null: the address of the webhook. */
  callbackUrl: string | null
  event: string
  changeNumber: number | null
  isTest: boolean
  /** Unix ms. */
  createdAt: number
  state: DeliveryState
  /** Failed attempts since it was last made due by hand. */
  step: number
  attempts: number
  nextAttemptAt: number | null
  lastAttemptAt: number | null
  lastStatus: number | null
  lastError: string | null
  lastAnswer: string | null
  lastMs: number | null
  /** When it happened, in Unix ms, and its data as JSON; null if the change is kept no longer. */
  happenedAt: number | null
  data: string | null
}

/** A delivery to add: of a change, or of data of its own. */
export type NewDelivery = Pick<DeliveryRow, 'id' | 'storeId' | 'endpoint' | 'event' | 'createdAt'> &
  Partial<Pick<DeliveryRow, 'callbackUrl' | 'changeNumber' | 'isTest' | 'data'>> & {
    /** When to send it, in Unix ms; by default at once. */
    dueAt?: number
  }

/** The result of one attempt. */
export type Attempted = Pick<
  DeliveryRow,
  | 'state'
  | 'step'
  | 'attempts'
  | 'nextAttemptAt'
  | 'lastAttemptAt'
  | 'lastStatus'
  | 'lastError'
  | 'lastAnswer'
  | 'lastMs'
>

type Stored = Omit<DeliveryRow, 'isTest'> & { isTest: number }

/** An endpoint with deliveries that wait. */
export interface WaitingEndpoint {
  endpoint: string
  storeId: string
  /** Unix ms of the first. */
  dueAt: number
}

export type DeliveryQueries = ReturnType<typeof deliveryQueries>

/** The data of a change is stored in the change log only. */
const DELIVERY = `d.id, d.store_id AS storeId, d.endpoint, d.callback_url AS callbackUrl, d.event,
  d.change_number AS changeNumber, d.is_test AS isTest, d.created_at AS createdAt, d.state, d.step, d.attempts,
  d.next_attempt_at AS nextAttemptAt, d.last_attempt_at AS lastAttemptAt, d.last_status AS lastStatus,
  d.last_error AS lastError, d.last_answer AS lastAnswer, d.last_ms AS lastMs`

const DELIVERIES = `SELECT ${DELIVERY},
  iif(d.change_number IS NULL, d.created_at, changes.created_at) AS happenedAt,
  iif(d.change_number IS NULL, d.data, changes.data) AS data
  FROM deliveries AS d LEFT JOIN changes ON changes.store_id = d.store_id AND changes.number = d.change_number`

const INSERT = `INSERT INTO deliveries
    (id, store_id, endpoint, callback_url, event, change_number, data, is_test, created_at, next_attempt_at)
  VALUES (@id, @storeId, @endpoint, @callbackUrl, @event, @changeNumber, @data, @isTest, @createdAt, @dueAt)`

/** All SQL about deliveries. */
export function deliveryQueries(db: Db) {
  const insert = db.prepare(INSERT)
  // Failed deliveries are sent again; delivered and waiting ones stay as they are.
  const recover = db.prepare(`${INSERT}
    ON CONFLICT (store_id, change_number, endpoint) WHERE change_number IS NOT NULL
    DO UPDATE SET state = 'pending', step = 0, next_attempt_at = excluded.next_attempt_at WHERE state = 'failed'`)
  const byId = db.prepare<[storeId: string, id: string], Stored>(
    `${DELIVERIES} WHERE d.store_id = ? AND d.id = ?`,
  )
  const log = db.prepare<Record<string, unknown>, Stored>(`
    ${DELIVERIES} WHERE d.endpoint = @endpoint AND d.store_id = @storeId AND d.id < @beforeId
      AND d.state = @state
    ORDER BY d.id DESC LIMIT @limit`)
  const ofStore = db.prepare<[storeId: string, limit: bigint], Stored>(
    `${DELIVERIES} WHERE d.store_id = ? ORDER BY d.id DESC LIMIT ?`,
  )
  const ofAll = (state: boolean) =>
    db.prepare<Record<string, unknown>, Omit<Stored, 'happenedAt' | 'data'> & { row: number; slug: string }>(`
      SELECT ${DELIVERY}, d.row, stores.slug
      FROM deliveries AS d ${state ? 'INDEXED BY deliveries_unsettled' : ''} JOIN stores ON stores.id = d.store_id
      WHERE d.row < @beforeRow ${state ? `AND d.state = @state AND d.state <> 'delivered'` : ''}
      ORDER BY d.row DESC LIMIT @limit`)
  const pagesOfAll = { all: ofAll(false), some: ofAll(true) }
  const next = db.prepare<[endpoint: string, limit: bigint], { id: string; nextAttemptAt: number }>(`
    SELECT id, next_attempt_at AS nextAttemptAt FROM deliveries INDEXED BY deliveries_due
    WHERE state = 'pending' AND endpoint = ? ORDER BY next_attempt_at, id LIMIT ?`)
  // Jumps from endpoint to endpoint, so that a long line of one of them costs no more than a short one.
  const waiting = db.prepare<[], WaitingEndpoint>(`
    WITH RECURSIVE line (endpoint) AS (
      SELECT min(endpoint) FROM deliveries INDEXED BY deliveries_due WHERE state = 'pending'
      UNION ALL
      SELECT (SELECT min(endpoint) FROM deliveries INDEXED BY deliveries_due
        WHERE state = 'pending' AND endpoint > line.endpoint)
      FROM line WHERE line.endpoint IS NOT NULL)
    SELECT line.endpoint, d.store_id AS storeId, d.next_attempt_at AS dueAt FROM line JOIN deliveries AS d ON d.row = (
      SELECT row FROM deliveries INDEXED BY deliveries_due WHERE state = 'pending' AND endpoint = line.endpoint
      ORDER BY next_attempt_at, id LIMIT 1)`)
  const update = db.prepare(`
    UPDATE deliveries SET state = @state, step = @step, attempts = @attempts, next_attempt_at = @nextAttemptAt,
      last_attempt_at = @lastAttemptAt, last_status = @lastStatus, last_error = @lastError, last_answer = @lastAnswer,
      last_ms = @lastMs
    WHERE store_id = @storeId AND id = @id`)
  const makeDue = db.prepare(`
    UPDATE deliveries SET state = 'pending', step = 0, next_attempt_at = ? WHERE store_id = ? AND id = ?`)
  const oldest = db.prepare<[limit: bigint], { row: number; createdAt: number }>(
    'SELECT row, created_at AS createdAt FROM deliveries ORDER BY row LIMIT ?',
  )
  const removeUpTo = db.prepare('DELETE FROM deliveries WHERE row <= ?')
  const removeSome = db.prepare(`
    DELETE FROM deliveries WHERE row IN (
      SELECT row FROM deliveries WHERE endpoint = ? AND store_id = ? LIMIT ?)`)
  const changesSince = db.prepare<
    [storeId: string, after: bigint, limit: bigint],
    { number: number; event: string; origin: string; createdAt: number }
  >(`
    SELECT number, event, origin, created_at AS createdAt FROM changes
    WHERE store_id = ? AND number > ? ORDER BY number LIMIT ?`)
  const bounds = db.prepare<[storeId: string], { oldest: number | null; last: number | null }>(
    'SELECT min(number) AS oldest, max(number) AS last FROM changes WHERE store_id = ?',
  )
  const timeOf = db.prepare<[storeId: string, number: bigint], { createdAt: number }>(
    'SELECT created_at AS createdAt FROM changes WHERE store_id = ? AND number = ?',
  )
  const untold = db.prepare<
    [storeId: string, after: bigint],
    { number: number; event: string; origin: string; createdAt: number; data: string }
  >(`
    SELECT number, event, origin, created_at AS createdAt, data FROM changes AS c WHERE store_id = ? AND number > ?
      AND NOT EXISTS (SELECT 1 FROM deliveries WHERE store_id = c.store_id AND change_number = c.number)
    ORDER BY number DESC`)

  return {
    add: (delivery: NewDelivery): void => void insert.run(columns(delivery)),
    /** Adds the delivery of a change, or makes a failed one due again. @returns whether there is something to send. */
    addOrRepeat: (delivery: NewDelivery): boolean => recover.run(columns(delivery)).changes > 0,
    find: (storeId: string, id: string) => optional(byId.get(storeId, id)),
    /** Lists the deliveries to an endpoint in some states, newest first. @param beforeId only older ones. */
    listLog: (
      storeId: string,
      endpoint: string,
      { beforeId, states, limit }: { beforeId: string; states: readonly DeliveryState[]; limit: number },
    ): DeliveryRow[] =>
      // Each state is a range of the index, so that a rare one among many others is found as fast.
      states
        .flatMap((state) => log.all({ storeId, endpoint, beforeId, state, limit: BigInt(limit) }))
        .sort((a, b) => (a.id < b.id ? 1 : -1))
        .slice(0, limit)
        .map(read),
    /** The deliveries of all stores, newest first. @param beforeRow only older ones. */
    listOfAll(state: 'pending' | 'failed' | undefined, beforeRow: number | undefined, limit: number) {
      const values = { beforeRow: BigInt(beforeRow ?? Number.MAX_SAFE_INTEGER), limit: BigInt(limit) }
      const rows =
        state === undefined ? pagesOfAll.all.all(values) : pagesOfAll.some.all({ ...values, state })
      return rows.map((row) => ({ ...row, isTest: row.isTest === 1 }))
    },
    /** Lists the newest deliveries of a store. */
    listNewest: (storeId: string, limit: number): DeliveryRow[] =>
      ofStore.all(storeId, BigInt(limit)).map(read),
    /** The first waiting deliveries of an endpoint, in the order in which they are due. */
    listWaiting: (endpoint: string, limit: number) => next.all(endpoint, BigInt(limit)),
    /** Lists every endpoint, of all stores, with deliveries that wait. */
    listWaitingEndpoints: () => waiting.all(),
    recordAttempt: (storeId: string, id: string, attempted: Attempted): void =>
      void update.run({ ...attempted, storeId, id }),
    makeDue: (storeId: string, id: string, now: number): void => void makeDue.run(BigInt(now), storeId, id),

    /** Deletes deliveries of all stores from the oldest on, up to the first that is young enough. @returns how many. */
    prune(before: number, limit: number): number {
      const rows = oldest.all(BigInt(limit))
      const young = rows.findIndex(({ createdAt }) => createdAt >= before)
      const last = rows[young === -1 ? rows.length - 1 : young - 1]
      return last ? removeUpTo.run(BigInt(last.row)).changes : 0
    },
    /** Deletes some deliveries to an endpoint. @returns how many. */
    removeSome: (storeId: string, endpoint: string, limit: number): number =>
      removeSome.run(endpoint, storeId, BigInt(limit)).changes,

    listChangesAfter: (storeId: string, number: number, limit: number) =>
      changesSince.all(storeId, BigInt(number), BigInt(limit)),
    findChangeBounds: (storeId: string) => bounds.get(storeId) ?? { oldest: null, last: null },
    findChangeTime: (storeId: string, number: number) => timeOf.get(storeId, BigInt(number))?.createdAt,
    /** Lists the changes after a number that no delivery tells of, newest first. */
    listUntold: (storeId: string, after: number) => untold.all(storeId, BigInt(after)),
  }
}

const read = (row: Stored): DeliveryRow => ({ ...row, isTest: row.isTest === 1 })

const optional = (row: Stored | undefined) => row && read(row)

const columns = (delivery: NewDelivery) => ({
  ...delivery,
  callbackUrl: delivery.callbackUrl ?? null,
  changeNumber: delivery.changeNumber == null ? null : BigInt(delivery.changeNumber),
  data: delivery.data ?? null,
  isTest: delivery.isTest ? 1 : 0,
  createdAt: BigInt(delivery.createdAt),
  dueAt: BigInt(delivery.dueAt ?? delivery.createdAt),
})
