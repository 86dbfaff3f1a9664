import { resolve } from 'node:path'
import type { Config } from '../../config.ts'
import { systemClock } from '../../core/clock.ts'
import { checkMailServer, MailError } from '../../platform/mail/mailer.ts'
import { countMissingBytes } from '../../platform/native/parts.ts'
import { findRunningService } from '../service/data-folder.ts'
import { createLog } from '../service/log.ts'
import { createConfiguredEmbedder, openEgresses } from '../service/open-ports.ts'
import { partsOf } from '../service/parts.ts'
import { findWarnings } from '../service/warnings.ts'
import { type Check, failed, ok, warning } from './check.ts'
import { checkClock, checkDataFolder, checkDisk, checkPort, checkService, toFault } from './host-checks.ts'
import { findNearSettings } from './near-settings.ts'
import { findRegistrationDoubts } from './registration.ts'

/**
 * Looks through an install, and at the service if one runs on it. It changes nothing, and creates no install.
 *
 * @param variables the names of the environment's variables.
 * @param address where the service answers that asks this of itself; by default, a running one is looked for.
 */
export async function* examine(
  config: Config,
  variables: readonly string[],
  address?: string,
): AsyncGenerator<Check> {
  const dataDir = resolve(config.DATA_DIR)
  yield* checkSettings(config, variables)
  const folder = checkDataFolder(dataDir)
  yield folder
  yield await checkDisk(dataDir, countMissingBytes(partsOf(config)))
  const running = address ?? findService(config, folder)
  if (typeof running === 'object') yield running
  if (typeof running === 'string') yield await checkService(running)
  else {
    yield checkPort(config.HOST, config.PORT)
    yield await checkModel(config)
  }
  yield checkClock(dataDir, systemClock.now())
  yield await checkMail(config)
}

/** A public address without TLS. */
const OPEN = /^http:\/\/(?!localhost|127\.|\[::1\])/

/** The values have been checked when the command line was read. */
function checkSettings(config: Config, variables: readonly string[]): Check[] {
  const doubts = [
    ...findNearSettings(variables).map(
      ({ given, meant }) => `${given} is set, but no setting has that name; did you mean ${meant}?`,
    ),
    ...findWarnings(config),
    ...findRegistrationDoubts(config),
    ...(OPEN.test(config.BASE_URL)
      ? ['BASE_URL begins with http: passwords and tokens travel unencrypted']
      : []),
  ]
  if (doubts.length === 0) return [ok('settings', 'Every setting has a valid value')]
  return doubts.map((text) => warning('settings', text))
}

/** @returns the address of the service on this folder, undefined if none runs, or what is wrong. */
function findService(config: Config, folder: Check): string | Check | undefined {
  if (folder.state === 'failed') return undefined
  try {
    return findRunningService(config)
  } catch (error) {
    return folder.text.includes('no install') ? undefined : toFault('service', error)
  }
}

/** How long the model may take to load, and the pause between two looks. */
const MODEL_WAIT_MS = 60_000
const MODEL_LOOK_MS = 50

/** Starts the model, whose processes compare known pictures and words with known vectors first. */
async function checkModel(config: Config): Promise<Check> {
  let embedder: ReturnType<typeof createConfiguredEmbedder>
  try {
    embedder = createConfiguredEmbedder(config, createLog('silent'))
  } catch (error) {
    return toFault('model', error)
  }
  try {
    const until = systemClock.monotonic() + MODEL_WAIT_MS
    let status = embedder.status()
    while (status.state === 'starting' && systemClock.monotonic() < until) {
      await Bun.sleep(MODEL_LOOK_MS)
      status = embedder.status()
    }
    if (status.state === 'ready') return ok('model', `${embedder.model.id} has passed its self-test`)
    const reason = status.state === 'failed' ? status.reason : 'it does not get ready'
    return failed('model', `${embedder.model.id}: ${reason}`)
  } finally {
    await embedder.close()
  }
}

async function checkMail(config: Config): Promise<Check> {
  const { SMTP_URL: smtpUrl, MAIL_FROM: from } = config
  if (smtpUrl === '')
    return ok('mail', 'No mail server is set (SMTP_URL): mails wait, and "lookalike outbox" shows them')
  try {
    await checkMailServer({ smtpUrl, from, egress: openEgresses(config).main })
    return ok('mail', 'The mail server takes mails')
  } catch (error) {
    if (error instanceof MailError) return failed('mail', `${error.message} (${error.reason})`)
    throw error
  }
}
