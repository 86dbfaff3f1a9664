import type { CallerStore } from '../../../core/actor.ts'
import type { Clock } from '../../../core/clock.ts'
import { ApiError } from '../../../core/errors.ts'
import { UnreadableFile } from '../../../core/unreadable-file.ts'
import { validationError } from '../../../http/validation.ts'
import type { Base } from '../../module.ts'
import type { JobAuthor, JobItem, JobSource, NewJob } from '../jobs/item.ts'
import type { JobStarted } from '../jobs/schema.ts'
import { createDryRuns } from './dry-run.ts'
import { describeAnswer, ForeignFile } from './formats/foreign-file.ts'
import { type ItemDeps, readItems } from './items.ts'
import { explainColumns } from './mapping/advice.ts'
import { describeLosses, noLosses } from './mapping/losses.ts'
import { FIELDS, type Mapping, type Plan } from './mapping/mapping.ts'
import { listUnknownColumns, planImport } from './mapping/plan.ts'
import { listSamples, NO_SAMPLE, readSample, type Sample } from './mapping/sample.ts'
import { type MissingDeps, withMissing } from './missing.ts'
import { createPace, type Pace } from './pace.ts'
import type { PreviewDeps } from './preview.ts'
import type { ReadingGate } from './reading-gate.ts'
import type { Finding, MappingBody } from './schema.ts'
import { type ImportFile, type ImportSource, type OpenZip, openSource } from './source.ts'
import {
  describeBare,
  describeEncoding,
  describeHidden,
  describeStale,
  describeUnknown,
  listTexts,
} from './warnings.ts'

export interface ImportDeps extends Pick<Base, 'log'>, ItemDeps, PreviewDeps, MissingDeps {
  openZip: OpenZip
  startJob(store: CallerStore, job: NewJob): Promise<JobStarted>
  clock: Pick<Clock, 'now' | 'monotonic'>
  /** The mapping that the store has saved. */
  findMapping(storeId: string): MappingBody | null
  gate: ReadingGate
}

export interface ImportRequest {
  file: ImportFile
  /** Goes before the saved one, field by field. */
  mapping?: MappingBody | undefined
  callbackUrl?: string | null
  /** Aborts when nobody waits for the answer any more. */
  signal?: AbortSignal | undefined
  /** The feed whose file it is: no client waits for it. */
  feedId?: string | undefined
  /** A refusal of the columns then shows what they hold. */
  isDryRun?: boolean | undefined
  /** Whether to delete the products of the store that the file does not name; `forced` however many they are. */
  deletesMissing?: boolean | 'forced'
  /** Where the file came from. */
  source?: JobSource | undefined
}

/** The turn in which a file is read. */
export interface ReadingTurn {
  pace: Pace
  /** Lets another file be read. */
  end(): void
  /** The first rows of the table. */
  sample: Sample
}

/** Products of one file: each is a row until its job is forgotten. */
const PRODUCTS_MAX = 200_000

export type ImportService = ReturnType<typeof importService>

/** Products from the files that shops export (contract 2.12). */
export function importService(deps: ImportDeps) {
  const { checkProduct, findPrecomputed, openZip, startJob, findMapping, gate, log, clock } = deps

  const checks = { checkProduct, findPrecomputed }

  /** Opens the file, does the work and closes it. What is wrong with the file becomes an answer. */
  async function withSource<Result>(
    storeId: string,
    { file, mapping, signal, feedId, isDryRun = false }: ImportRequest,
    work: (source: ImportSource, plan: Plan, findings: Finding[], turn: ReadingTurn) => Promise<Result>,
  ): Promise<Result> {
    const own = { ...toMapping(findMapping(storeId) ?? {}), ...toMapping(mapping ?? {}) }
    const end = await gate.enter(storeId, { signal, isPatient: feedId !== undefined })
    try {
      // An operator of a service that stands still must be able to see whose file it reads.
      log.info({ store: storeId, feed: feedId, file: file.name }, 'a file of products is begun')
      const pace = createPace(clock, signal)
      const source = await openSource(file, openZip, undefined, pace)
      try {
        const { columns, format } = source.table
        if (format === 'ndjson') {
          const turn = { pace, end, sample: NO_SAMPLE }
          return await work(source, planImport([]), describeEncoding(source), turn)
        }
        const sample = await readSample(source)
        const plan = planImport(columns, own, sample)
        const unknown = listUnknownColumns(columns, toMapping(mapping ?? {}))
        const problems = explainColumns(plan, columns, sample)
        if (problems.length > 0) {
          const refusal = validationError([...unknown.map(toUnknownColumn), ...problems])
          throw isDryRun ? withColumns(refusal, columns, await listSamples(sample, columns)) : refusal
        }
        const findings = [...describeEncoding(source), ...unknown.map(describeUnknown), ...plan.findings]
        return await work(source, plan, findings, { pace, end, sample })
      } finally {
        source.close()
      }
    } catch (error) {
      if (!(error instanceof UnreadableFile)) throw error
      const isAnswer = feedId !== undefined && error instanceof ForeignFile
      const message = isAnswer ? describeAnswer(error) : error.message
      const problem = { in: 'body', pointer: '/file', code: 'unreadable', message } as const
      throw validationError([problem])
    } finally {
      end()
    }
  }

  /**
   * Reads the products of a file as the items of a job.
   *
   * @throws ApiError `validation_error` for a file that cannot be read to its end or lacks a column, and whatever `work`
   *   throws, where an UnreadableFile becomes a `validation_error`, too.
   */
  const read = <Result>(
    storeId: string,
    request: ImportRequest,
    work: (found: Required<Pick<NewJob, 'items' | 'warnings'>>) => Promise<Result>,
  ): Promise<Result> =>
    withSource(storeId, request, async (source, plan, findings, { pace }) => {
      let hidden = 0
      let count = 0
      let stale = 0
      const reading = { losses: noLosses(), now: clock.now() }
      async function* items(): AsyncGenerator<JobItem> {
        for await (const item of readItems(source, plan, {
          ...checks,
          storeId,
          pace,
          bringsPictures: true,
          reading,
        })) {
          if (++count > PRODUCTS_MAX) throw tooMany()
          if (item.kind === 'put' && item.hasOtherVectors) stale++
          if (item.kind === 'hidden') hidden++
          else {
            // Writing it down is work of the job.
            pace.pause()
            yield item
            pace.resume()
          }
        }
      }
      return work({
        items: items(),
        warnings: () =>
          listTexts([
            ...findings,
            ...describeBare(source, plan, count - hidden),
            ...describeLosses(reading.losses),
            ...describeHidden(hidden),
            ...describeStale(stale),
          ]),
      })
    })

  return {
    read,

    /** Checks a mapping before it is saved. @throws ApiError `validation_error` for fields that no product has. */
    checkMapping: (mapping: MappingBody): void => void toMapping(mapping),

    /**
     * Starts a job that writes the products of a file, and deletes those that it lacks where that is asked for.
     *
     * @throws ApiError `validation_error` for a file that cannot be read to its end or lacks a column, `conflict` where too
     *   many products would go, and as starting a job does. Nothing is written then.
     */
    start: (store: CallerStore, request: ImportRequest, author?: JobAuthor): Promise<JobStarted> =>
      read(store.id, request, ({ items, warnings }) =>
        startJob(store, {
          ...{ type: 'import', author, source: request.source, warnings },
          items: request.deletesMissing
            ? withMissing(deps, store.id, items, { isForced: request.deletesMissing === 'forced' })
            : items,
          callbackUrl: () => request.callbackUrl ?? null,
        }),
      ),

    /** Says what an import would do, with the first products and their pictures. Writes nothing. @throws ApiError as `start`. */
    preview: createDryRuns({ ...deps, withSource }),
  }
}

const isTarget = (field: string): boolean =>
  (FIELDS as readonly string[]).includes(field) || /^metadata\.[^.].{0,63}$/.test(field)

/** @throws ApiError `validation_error` for fields that no product has. */
function toMapping(body: MappingBody): Mapping {
  const unknown = Object.keys(body).filter((field) => !isTarget(field))
  if (unknown.length > 0) {
    const message = `must be one of ${FIELDS.join(', ')}, or metadata.<key>`
    throw validationError(
      unknown.map((field) => ({ in: 'body', pointer: `/mapping/${field}`, code: 'unknown_field', message })),
    )
  }
  return Object.fromEntries(
    Object.entries(body).map(([field, columns]) => [
      field,
      typeof columns === 'string' ? [columns] : columns,
    ]),
  )
}

const tooMany = () =>
  new UnreadableFile(`The file has more than ${PRODUCTS_MAX} products: split it into several`)

const toUnknownColumn = (column: string) =>
  ({
    in: 'body',
    pointer: '/mapping',
    code: 'column_unknown',
    message: describeUnknown(column).text,
  }) as const

/** A refusal of the columns of a dry run, with what a person needs in order to name the right ones. */
const withColumns = (
  { code, message, extras }: ApiError,
  columns: readonly string[],
  samples: Readonly<Record<string, string[]>>,
): ApiError => new ApiError(code, message, { details: { ...extras.details, columns, samples } })
