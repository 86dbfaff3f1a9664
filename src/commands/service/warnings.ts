import { type Config, type SettingName, toFlag } from '../../config.ts'

/** Formats the warning about a secret given as a flag. */
export const formatSecretFlagWarning = (name: SettingName): string =>
  `Warning: other users of this machine can read the value of --${toFlag(name)} in the process list. Set ${name} in the environment instead, or name a file that contains it with ${name}_FILE.`

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/i

/** Finds likely mistakes in the settings of a service. @returns one sentence each. */
export function findWarnings({ HOST, BASE_URL, SMTP_URL, OFFLINE, STRIPE_SECRET_KEY }: Config): string[] {
  const warnings: string[] = []
  if (OFFLINE && STRIPE_SECRET_KEY !== '') {
    warnings.push(
      'OFFLINE is 1 and STRIPE_SECRET_KEY is set: Stripe cannot be reached unless FETCH_ALLOW_CIDRS holds its address',
    )
  }
  if (BASE_URL !== '') return warnings
  if (SMTP_URL !== '') {
    warnings.push('SMTP_URL is set and BASE_URL is empty: links in mails lead to HOST:PORT of this machine')
  }
  if (!LOOPBACK.test(HOST)) {
    warnings.push(
      `HOST is ${HOST} and BASE_URL is empty: links lead to that address, which other machines may not reach`,
    )
  }
  return warnings
}
