import type { Clock } from '../../../core/clock.ts'
import { ApiError } from '../../../core/errors.ts'
import { type ItemDeps, readItems } from './items.ts'
import { describeLosses, noLosses } from './mapping/losses.ts'
import type { Plan } from './mapping/mapping.ts'
import { listSamples } from './mapping/sample.ts'
import { createPreviews, listLosses, type PreviewDeps } from './preview.ts'
import type { Finding, ImportPreview } from './schema.ts'
import type { ImportRequest, ReadingTurn } from './service.ts'
import type { ImportSource } from './source.ts'
import type { KeptUpload } from './uploads.ts'
import { describeBare, describeHidden, listTexts } from './warnings.ts'

export interface DryRunDeps extends ItemDeps, PreviewDeps {
  clock: Pick<Clock, 'now' | 'monotonic'>
  /** Opens the file of a request, does the work and closes it. */
  withSource<Result>(
    storeId: string,
    request: ImportRequest,
    work: (source: ImportSource, plan: Plan, findings: Finding[], turn: ReadingTurn) => Promise<Result>,
  ): Promise<Result>
}

export interface DryRunRequest extends ImportRequest {
  /** Products that are shown with their pictures. */
  sample: number
  /** Keeps the file for the import that follows. @returns undefined if there is no room. */
  keep(): Promise<KeptUpload | undefined>
}

type Findings = Omit<ImportPreview, 'upload_id' | 'upload_expires_at' | 'warnings'>

/** Creates the dry run of an import. */
export function createDryRuns(deps: DryRunDeps) {
  const { checkProduct, findPrecomputed, withSource, clock } = deps
  const previews = createPreviews(deps)

  const look = (storeId: string, request: DryRunRequest): Promise<Findings> =>
    withSource(storeId, request, async (source, plan, findings, { pace, end, sample }) => {
      const reading = { losses: noLosses(), now: clock.now() }
      const options = { storeId, checkProduct, findPrecomputed, pace, bringsPictures: false, reading }
      const items = readItems(source, plan, options)
      const { first, findings: stopped, ...counts } = await previews.inspect(storeId, items, request.sample)
      const { format, encoding, columns } = source.table
      const samples = await listSamples(sample, columns)
      // Its pictures come from other servers, which is no reading.
      end()
      return {
        dry_run: true,
        ...{ format, encoding, columns, samples, packing: source.packing, platform: plan.platform },
        mapping: Object.fromEntries(
          Object.entries(plan.mapping).map(([field, names = []]) => [field, [...names]]),
        ),
        unmapped_columns: plan.unmapped,
        columns_you_may_want: plan.mayWant,
        losses: listLosses(plan, sample),
        ...counts,
        findings: [
          ...findings,
          ...stopped,
          ...describeBare(source, plan, counts.total),
          ...previews.warnOfDeadEnds(storeId, plan, first),
          ...describeLosses(reading.losses),
          ...describeHidden(counts.hidden),
        ],
        products: await previews.showAll(storeId, first, source),
      }
    })

  return async (storeId: string, request: DryRunRequest): Promise<ImportPreview> => {
    try {
      const found = await look(storeId, { ...request, isDryRun: true })
      const kept = await request.keep()
      const findings = kept ? found.findings : [...found.findings, NOT_KEPT]
      return {
        ...found,
        ...(kept ?? { upload_id: null, upload_expires_at: null }),
        ...{ findings, warnings: listTexts(findings) },
      }
    } catch (error) {
      if (!(error instanceof ApiError) || !isAboutColumns(error)) throw error
      // Another mapping may read the same file.
      const { code, message, extras } = error
      throw new ApiError(code, message, { details: { ...extras.details, ...(await request.keep()) } })
    }
  }
}

const isAboutColumns = ({ extras }: ApiError): boolean => extras.details?.['samples'] !== undefined

const NOT_KEPT: Finding = {
  code: 'file_not_kept',
  text: 'The file was not kept, because the service has no room for it at present: send it again to import it',
  data: {},
}
