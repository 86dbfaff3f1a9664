import { address, addressOf, type PageProps, readDetail } from '../../shell/routes.ts'
import { useSignal } from '../../signal.ts'
import { JobList } from './job-list.tsx'
import { JobView } from './job-view.tsx'
import { OpenFailures } from './open-failures.tsx'
import { t } from './texts/texts.ts'

/** The work of the store: all of it, or one job. */
export function Page({ store, can }: PageProps) {
  const id = readDetail(useSignal(address), 'jobs')
  const mayChange = can('products:bulk')
  if (id !== null)
    return (
      <>
        <p>
          <a href={addressOf(store, 'jobs')}>{t.all}</a>
        </p>
        <JobView key={id} {...{ id, store, mayChange }} />
      </>
    )
  return (
    <div class="jobs">
      <h1>{t.heading}</h1>
      <OpenFailures {...{ store, mayChange }} />
      <JobList store={store} canImport={mayChange} />
    </div>
  )
}
