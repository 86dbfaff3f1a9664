import { listPictures } from '../../platform/backup/contents.ts'
import type { Db } from '../../platform/db/open.ts'

/** A webhook or a feed that fails, by its store. */
export interface Failing {
  slug: string
  id: string
  url: string
  /** Unix ms; null where it is not known. */
  since: number | null
}

export interface BackupFacts {
  /** When the last backup that counts was made, in Unix ms. */
  lastGoodAt: number | null
  /** Why the newest one failed; null if it did not. */
  failure: string | null
  /** When the first store was made, in Unix ms; before that there is nothing to keep. */
  beganAt: number | null
}

export interface CopyFacts {
  /** The moment of the newest backup that has a copy elsewhere, in Unix ms; null before the first one. */
  lastCopiedAt: number | null
  /** Why the newest copy failed; null if it did not. */
  failure: string | null
}

/** A model with the place where it was last. */
export interface ChosenModel {
  name: string
  hash: string
  dir: string | null
}

export interface VectorFacts {
  pictures: number
  /** Pictures without a vector, and vectors without a picture. */
  missing: number
  orphans: number
}

/** A free share of the disk, 0 to 1, on a day (days since 1970). */
export interface DiskSample {
  day: number
  freeShare: number
}

export type InstallQueries = ReturnType<typeof installQueries>

/**
 * What the doctor reads of an install. The database may be of an older version of the program, which lacks tables.
 *
 * @param db opened for reading alone.
 */
export function installQueries(db: Db) {
  const hasTable = (name: string): boolean =>
    db.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?").get(name) !== undefined

  const hasColumn = (table: string, name: string): boolean =>
    db.prepare('SELECT 1 FROM pragma_table_info(?) WHERE name = ?').get(table, name) !== undefined

  const count = (sql: string): number => (db.prepare(sql).get() as { rows: number }).rows

  return {
    schemaVersion: (): number => db.pragma('user_version', { simple: true }) as number,

    /** The model that the operator has chosen; undefined where the bundled one is meant. */
    findChosenModel: (): ChosenModel | undefined =>
      db
        .prepare<[], ChosenModel>(`
          SELECT name, hash, dir FROM model_state JOIN models ON models.id = in_use WHERE is_chosen = 1`)
        .get(),

    /** Hashes of the pictures that are kept for stores. */
    listKeptPictures: (): string[] => (hasTable('kept_pictures') ? listPictures(db) : []),

    /** Compares pictures with the vectors of their models. It reads every row of both. */
    compareVectors(): VectorFacts {
      const models = db.prepare<[], { id: number }>('SELECT id FROM models').all()
      const second = hasColumn('pictures', 'second_model') ? 'coalesce(second_model, 0)' : '0'
      let missing = 0
      let orphans = 0
      for (const { id } of models) {
        // The table behind vec0, which is an ordinary one.
        const rows = `vectors_${Number(id)}_rowids`
        if (!hasTable(rows)) {
          missing += count(`SELECT count(*) AS rows FROM pictures WHERE ${Number(id)} IN (model, ${second})`)
          continue
        }
        missing += count(`SELECT count(*) AS rows FROM pictures WHERE ${Number(id)} IN (model, ${second})
          AND NOT EXISTS (SELECT 1 FROM ${rows} AS v WHERE v.rowid = pictures.id)`)
        orphans += count(`SELECT count(*) AS rows FROM ${rows} AS v
          WHERE NOT EXISTS (SELECT 1 FROM pictures WHERE id = v.rowid AND ${Number(id)} IN (model, ${second}))`)
      }
      return { pictures: count('SELECT count(*) AS rows FROM pictures'), missing, orphans }
    },

    /** Webhooks whose last delivery failed, and those that were switched off for that. */
    listFailingWebhooks: (): Failing[] =>
      db
        .prepare<[], Failing>(`
          SELECT slug, webhooks.id, url, failing_since AS since FROM webhooks JOIN stores ON stores.id = store_id
          WHERE webhooks.deleted_at IS NULL AND suspended_at IS NULL AND failing_since IS NOT NULL
            AND (enabled = 1 OR disabled_reason IN ('receiver_gone', 'always_failing'))
          ORDER BY failing_since, webhooks.id`)
        .all(),

    /** Feeds whose last run failed, without paused ones. */
    listFailingFeeds: (): (Failing & { problem: string | null })[] =>
      db
        .prepare<[], Failing & { problem: string | null }>(`
          SELECT slug, feeds.id, url, NULL AS since, run ->> '$.error.error' AS problem
          FROM feeds JOIN stores ON stores.id = store_id
          WHERE feeds.deleted_at IS NULL AND suspended_at IS NULL AND consecutive_failures > 0
          ORDER BY slug, feeds.id`)
        .all(),

    /** Addresses of feeds and webhooks that are in use, each once. */
    listAddresses: (): { feeds: string[]; webhooks: string[] } => {
      const list = (sql: string) =>
        db
          .prepare<[], { url: string }>(sql)
          .all()
          .map(({ url }) => url)
      return {
        feeds: list("SELECT DISTINCT url FROM feeds WHERE deleted_at IS NULL AND url <> ''"),
        webhooks: list('SELECT DISTINCT url FROM webhooks WHERE deleted_at IS NULL AND enabled = 1'),
      }
    },

    /** Undefined for a program that made no backups. */
    readBackups(): BackupFacts | undefined {
      if (!hasTable('backups')) return undefined
      const newest = db
        .prepare<[], { state: string; error: string | null }>(
          "SELECT state, error FROM backups WHERE state <> 'running' ORDER BY id DESC LIMIT 1",
        )
        .get()
      const good = db
        .prepare<[], { at: number | null }>(
          "SELECT max(made_at) AS at FROM backups WHERE state = 'completed'",
        )
        .get()
      const first = db.prepare<[], { at: number | null }>('SELECT min(created_at) AS at FROM stores').get()
      return {
        lastGoodAt: good?.at ?? null,
        failure: newest?.state === 'failed' ? (newest.error ?? 'unknown') : null,
        beganAt: first?.at ?? null,
      }
    },

    readCopies(): CopyFacts {
      const copied = db
        .prepare<[], { at: number | null }>(
          "SELECT max(made_at) AS at FROM backups WHERE copy_state = 'copied'",
        )
        .get()
      const newest = db
        .prepare<[], { state: string; error: string | null }>(
          `SELECT copy_state AS state, copy_error AS error FROM backups
           WHERE copy_state IN ('copied', 'failed') ORDER BY id DESC LIMIT 1`,
        )
        .get()
      return {
        lastCopiedAt: copied?.at ?? null,
        failure: newest?.state === 'failed' ? (newest.error ?? 'unknown') : null,
      }
    },

    /** Oldest first. */
    listDiskSamples: (): DiskSample[] =>
      hasTable('disk_samples')
        ? db
            .prepare<[], DiskSample>('SELECT day, free_share AS freeShare FROM disk_samples ORDER BY day')
            .all()
        : [],
  }
}
