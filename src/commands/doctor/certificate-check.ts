import type { Config } from '../../config.ts'
import { DAY_MS } from '../../core/clock.ts'
import { OperatorError } from '../../core/operator-error.ts'
import { readCertificate } from '../service/certificate.ts'
import { type Check, error, ok, warning } from './check.ts'

/** Whoever renews certificates does it a month before their end. */
const LEFT_MS_MIN = 14 * DAY_MS

/** @param now Unix ms. @returns undefined where the service speaks http. */
export function checkCertificate(
  settings: Pick<Config, 'TLS_CERT' | 'TLS_KEY'>,
  now: number,
): Check | undefined {
  const name = 'certificate'
  try {
    const certificate = readCertificate(settings, now)
    if (!certificate) return undefined
    const days = Math.floor((certificate.endsAt - now) / DAY_MS)
    const text = `The certificate in ${settings.TLS_CERT} ends in ${days} days`
    return certificate.endsAt - now < LEFT_MS_MIN
      ? warning(name, text, 'Renew it, and send the service SIGHUP (systemctl reload lookalike)')
      : ok(name, text)
  } catch (fault) {
    if (!(fault instanceof OperatorError)) throw fault
    // Most messages end with what to do.
    const message = fault.message.replace(/\.$/, '')
    const [, text = message, cure = 'Name another file'] = /^(\w+: .*): ([^:]+)$/s.exec(message) ?? []
    return error(name, text, cure.charAt(0).toUpperCase() + cure.slice(1))
  }
}
