import type { Row } from '../../../core/row-lines.ts'
import { readBundle } from '../../../platform/archives/bundle-reader.ts'
import { writeBundle } from '../../../platform/archives/bundle-writer.ts'
import { findHashInUse, listModels, registerModel } from '../../../platform/db/models.ts'
import { schemaVersion } from '../../../platform/db/open.ts'
import { COPIED_TABLES } from '../../../platform/db/store-copy/plan.ts'
import { atOneMoment, readRows } from '../../../platform/db/store-copy/reading.ts'
import {
  createRowWriter,
  holdKeptPicture,
  releaseKeptPictures,
} from '../../../platform/db/store-copy/writing.ts'
import { createStoreRows } from '../../../platform/db/store-rows.ts'
import { createSecretBox, type SecretBox } from '../../../platform/secret-box.ts'
import { version } from '../../../version.ts'
import type { Base, Module } from '../../module.ts'
import type { PeopleQueries } from '../people/queries.ts'
import type { SettingsService } from '../settings/service.ts'
import type { StoreQueries } from '../stores/queries.ts'
import type { InviteService } from '../team/invites.ts'
import { type ArrivalDeps, createArrivals, createOpener } from './arrivals.ts'
import { awaitedQueries } from './awaited-queries.ts'
import { createExport, type SigningSecrets } from './export.ts'
import { createImport } from './import.ts'
import { storeFileQueries } from './queries.ts'
import { createRowCheck } from './row-rules.ts'
import { createSealing } from './sealing.ts'

const SECOND_MS = 1_000

export interface StoreFileNeeds {
  storeRows: StoreQueries
  people: PeopleQueries
  invites: InviteService
  signing: SigningSecrets
  secretBox: SecretBox
  settings: SettingsService
}

/**
 * Wires the file of one store, by which a store moves to another install. `platform/db/store-copy/plan.ts` says of each table
 * what becomes of its rows.
 *
 * The file holds one part with rows for each table, kept pictures, the addresses of people, and the secrets, sealed.
 * A store arrives hidden, as one that is being erased: its rows come in small steps beside a running service, and an import
 * that dies is cleared away by `stores/erasure`. Once all is there, the running service reads its products into the index
 * and opens it (`arrivals.ts`), or the command does where none runs.
 */
export function buildStoreFiles(base: Base, needs: StoreFileNeeds) {
  const { db, ids } = base
  const queries = storeFileQueries(db)
  const common = {
    ...base,
    ...needs,
    queries,
    tables: COPIED_TABLES,
    listModels: () => listModels(db),
    version,
    schema: schemaVersion,
  }
  const open = createOpener(common)
  const sealing = createSealing({ ids, createSecretBox: (secret) => createSecretBox(secret, ids) })
  return {
    rows: queries,
    service: {
      write: createExport({
        ...common,
        atOneMoment: (work) => atOneMoment(db, work),
        readRows: (table, storeId, fill) => readRows(db, table, storeId, fill),
        sealSecrets: sealing.seal,
        writeBundle,
      }),
      read: createImport({
        ...common,
        rows: createStoreRows(db),
        createWriter: (storeId, adapt) => createRowWriter(db, storeId, ids, adapt),
        registerModel: (model, now) => void registerModel(db, model, now),
        holdKeptPicture: (address) => holdKeptPicture(db, address),
        releaseKeptPictures: (storeId) => releaseKeptPictures(db, storeId),
        openSecrets: sealing.open,
        readBundle,
        open,
      }),
      /** Opens a store that is whole, where no service runs that would. */
      open,
      /** The hash of the model that made the newest vectors here. */
      findModelHash: (): string | undefined => findHashInUse(db) ?? listModels(db).at(-1)?.hash,
      isArriving: queries.isArriving,
      /** Checks one row as those of a file. @throws UnreadableFile for a row that the API would refuse. */
      checkRow: (table: string, row: Row): void => createRowCheck(needs.settings)(table, row),
    },
  } satisfies Module<object>
}

/** Wires the memory of people whom stores from files await, as far as others need it. */
export const buildAwaited = ({ db }: Pick<Base, 'db'>) => ({ rows: awaitedQueries(db) })

/** Wires the opening of stores that commands bring in beside a running service. */
export function buildArrivals(
  { log }: Pick<Base, 'log'>,
  { rows, service }: Pick<ReturnType<typeof buildStoreFiles>, 'rows' | 'service'>,
  needs: Pick<ArrivalDeps, 'loadIndex'>,
) {
  const run = createArrivals({ queries: rows, open: service.open, log, ...needs })
  return {
    service: undefined,
    chores: [{ name: 'opening stores that were brought in', everyMs: SECOND_MS, reach: 'none', run }],
  } satisfies Module<undefined>
}
