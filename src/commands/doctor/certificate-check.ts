import { resolve } from 'node:path'
import type { Config } from '../../config.ts'
import { DAY_MS, isoTime } from '../../core/clock.ts'
import { OperatorError } from '../../core/operator-error.ts'
import { openAcmeFiles } from '../../platform/acme/files.ts'
import { readCertificate } from '../service/certificate.ts'
import { type Check, error, ok, warning } from './check.ts'

/** Whoever renews certificates does it a month before their end. */
const LEFT_MS_MIN = 14 * DAY_MS

const NAME = 'certificate'

type CertificateSettings = Pick<Config, 'TLS_CERT' | 'TLS_KEY' | 'DOMAIN' | 'DATA_DIR'>

/** @param now Unix ms. @returns undefined where the service speaks http. */
export function checkCertificate(settings: CertificateSettings, now: number): Check | undefined {
  try {
    if (settings.DOMAIN !== '') return checkDomain(settings, now)
    const certificate = readCertificate(settings, now)
    if (!certificate) return undefined
    if (certificate.startsAt > now) {
      const day = isoTime(certificate.startsAt).slice(0, 10)
      return error(
        NAME,
        `The certificate in ${settings.TLS_CERT} is not valid before ${day}, so no client accepts it`,
        'Set the clock, or name another certificate',
      )
    }
    const text = `The certificate in ${settings.TLS_CERT} ends in ${countDays(certificate.endsAt, now)} days`
    return certificate.endsAt - now < LEFT_MS_MIN
      ? warning(NAME, text, 'Renew it, and send the service SIGHUP (systemctl reload lookalike)')
      : ok(NAME, text)
  } catch (fault) {
    if (!(fault instanceof OperatorError)) throw fault
    // Most messages end with what to do.
    const message = fault.message.replace(/\.$/, '')
    const [, text = message, cure = 'Name another file'] = /^(\w+: .*): ([^:]+)$/s.exec(message) ?? []
    return error(NAME, text, cure.charAt(0).toUpperCase() + cure.slice(1))
  }
}

const countDays = (endsAt: number, now: number): number => Math.floor((endsAt - now) / DAY_MS)

/** The certificate that the service gets by itself, and why it has no newer one. */
function checkDomain({ DATA_DIR, DOMAIN }: CertificateSettings, now: number): Check {
  const files = openAcmeFiles(resolve(DATA_DIR), DOMAIN)
  const kept = readKept(files)
  const failure = files.readFailure()
  const reason = failure ? `. Last try, ${isoTime(failure.at)}: ${failure.reason}` : ''
  const cure = failure
    ? 'Mend that; the service tries again by itself, or at once with systemctl reload lookalike'
    : 'Start the service, which gets it, and read its log'
  if (!kept) return error(NAME, `There is no certificate for ${DOMAIN} yet${reason}`, cure)
  if (kept.endsAt <= now) {
    const ended = isoTime(kept.endsAt).slice(0, 10)
    return error(NAME, `The certificate for ${DOMAIN} ended on ${ended}${reason}`, cure)
  }
  const text = `The certificate for ${DOMAIN} ends in ${countDays(kept.endsAt, now)} days`
  // Some authorities give certificates for a few days only.
  const isLate = kept.endsAt - now < Math.min(LEFT_MS_MIN, (kept.endsAt - kept.startsAt) / 4)
  return failure || isLate ? warning(NAME, text + reason, cure) : ok(NAME, text)
}

function readKept(files: ReturnType<typeof openAcmeFiles>) {
  try {
    return files.read()
  } catch (fault) {
    const { code = 'unknown error' } = fault as NodeJS.ErrnoException
    throw new OperatorError(
      `DATA_DIR: ${files.certificate} cannot be read (${code}): run this as the user of the service`,
    )
  }
}
