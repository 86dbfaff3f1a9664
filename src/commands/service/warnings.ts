import { type Config, type SettingName, toFlag } from '../../config.ts'

/** Formats the warning about a secret given as a flag. */
export const formatSecretFlagWarning = (name: SettingName): string =>
  `Warning: other users of this machine can read the value of --${toFlag(name)} in the process list. Set ${name} in the environment instead, or name a file that contains it with ${name}_FILE.`

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/i

/** Finds likely mistakes in the settings of a service. @returns one sentence each. */
export function findWarnings({ HOST, BASE_URL, SMTP_URL, ...config }: Config): string[] {
  const warnings = findStripeWarnings(config)
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

function findStripeWarnings({
  OFFLINE,
  STRIPE_SECRET_KEY,
  STRIPE_API_BASE,
}: Pick<Config, 'OFFLINE' | 'STRIPE_SECRET_KEY' | 'STRIPE_API_BASE'>): string[] {
  if (STRIPE_SECRET_KEY === '') return []
  const warnings: string[] = []
  if (OFFLINE) {
    warnings.push(
      'OFFLINE is 1 and STRIPE_SECRET_KEY is set: Stripe cannot be reached unless FETCH_ALLOW_CIDRS holds its address',
    )
  }
  const base = STRIPE_API_BASE === '' ? undefined : new URL(STRIPE_API_BASE)
  if (base?.protocol === 'http:' && !LOOPBACK.test(base.hostname.replace(/^\[|\]$/g, ''))) {
    warnings.push(
      'STRIPE_API_BASE is an http address: everyone on the way can read STRIPE_SECRET_KEY. Use https, except on one machine',
    )
  }
  return warnings
}
