/** The most used passwords of leaks, folded; loaded when the first password is chosen. */
let known: Promise<ReadonlySet<string>> | undefined

async function load(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  return new Set(dictionary['passwords-common'].map((password) => password.toLowerCase()))
}

/**
 * Whether a password is one of some 49,000 that everybody tries first (the list of zxcvbn).
 *
 * @param password in lower case.
 */
export async function isCommonPassword(password: string): Promise<boolean> {
  known ??= load()
  return (await known).has(password)
}
