import { type Config, type SettingName, toFlag } from '../config.ts'

/** What to say about a secret that was given as a flag. */
export const secretFlagWarning = (name: SettingName): string =>
  `Warning: whoever is signed in on this machine can read the value of --${toFlag(name)} in the process list. Give it as ${name} in the environment, or name a file that holds it by ${name}_FILE.`

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/i

/** What is likely to be a mistake in the settings of a service, one sentence each. */
export function warningsAbout({ HOST, BASE_URL, SMTP_URL }: Config): string[] {
  if (BASE_URL !== '') return []
  const warnings: string[] = []
  if (SMTP_URL !== '') {
    warnings.push('SMTP_URL is set and BASE_URL is empty: links in mails lead to HOST:PORT of this machine')
  }
  if (!LOOPBACK.test(HOST)) {
    warnings.push(
      `HOST is ${HOST} and BASE_URL is empty: links lead to that address, which others may not be able to open`,
    )
  }
  return warnings
}
