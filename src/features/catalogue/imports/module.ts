import type { Doors } from '../../../http/doors.ts'
import type { Spool } from '../../../http/spool.ts'
import { readSpooledForm } from '../../../http/spooled-form.ts'
import { openZip } from '../../../platform/archives/zip.ts'
import type { WorkFiles } from '../../../platform/work-files.ts'
import type { Ground, Module } from '../../module.ts'
import { type ImportRouteNeeds, importRoutes } from './routes.ts'
import { type ImportDeps, importService } from './service.ts'

export interface ImportNeeds extends Omit<ImportDeps, 'openZip'>, Pick<ImportRouteNeeds, 'checkCallbackUrl'> {
  /** Takes in the files. */
  spool: Spool
  /** Holds a file that came within a form. */
  files: Pick<WorkFiles, 'create' | 'remove'>
}

/** Wires imports: what a shop exports becomes a job. */
export function buildImports({ ids }: Ground, needs: ImportNeeds) {
  const { spool, files, checkCallbackUrl } = needs
  const imports = importService({ ...needs, openZip })
  return {
    service: imports,
    routes: (doors: Doors) =>
      importRoutes(doors, imports, {
        ...{ spool, checkCallbackUrl },
        readForm: (body, type) => readSpooledForm(body, type, { files, ids }),
      }),
  } satisfies Module<object>
}
