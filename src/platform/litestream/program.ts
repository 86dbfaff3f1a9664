import { resolve } from 'node:path'
import { OperatorError } from '../../core/operator-error.ts'
import { carriesPart, unpackedFile } from '../native/parts.ts'
import { unpackApart } from '../native/unpack-apart.ts'

/**
 * The one version that is used. Later ones write copies in another form, and what `position.ts` reads of a running one was read in the
 * sources of this one.
 */
const VERSION = 'v0.3.13'

const ANSWER_MS = 10_000

/**
 * Finds the program that copies the database.
 *
 * @param setting `LITESTREAM`; empty: the part of the executable.
 * @returns its path.
 * @throws OperatorError in one sentence.
 */
export async function findLitestream(setting: string): Promise<string> {
  if (setting === '' && !carriesPart('litestream')) {
    throw new OperatorError(
      `This executable carries no Litestream: name the path of Litestream ${VERSION.slice(1)} in LITESTREAM, or use one that was built with "bun build.ts --litestream".`,
    )
  }
  if (setting === '') {
    await unpackApart(['litestream'])
    return unpackedFile('litestream', 'litestream')
  }
  const path = resolve(setting)
  const version = await readVersion(path)
  if (version !== VERSION) {
    throw new OperatorError(
      `LITESTREAM: ${path} is ${version}, but the copies are made with Litestream ${VERSION.slice(1)} alone, because other versions write them in another form: install that version.`,
    )
  }
  return path
}

async function readVersion(path: string): Promise<string> {
  try {
    const child = Bun.spawn([path, 'version'], {
      env: {},
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: ANSWER_MS,
      killSignal: 'SIGKILL',
    })
    const said = (await new Response(child.stdout).text()).trim().slice(0, 60)
    return (await child.exited) === 0 && /^[\w.+-]+$/.test(said) ? said : 'no Litestream'
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException
    throw new OperatorError(`LITESTREAM: ${path} cannot be started (${code}): name an executable file.`)
  }
}
