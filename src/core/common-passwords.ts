/** The most common leaked passwords in lower case, loaded on first use. */
let known: Promise<ReadonlySet<string>> | undefined

async function load(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  return new Set(dictionary['passwords-common'].map((password) => password.toLowerCase()))
}

/**
 * Whether a password is on zxcvbn's list of about 49,000 common passwords.
 *
 * @param password in lower case.
 */
export async function isCommonPassword(password: string): Promise<boolean> {
  known ??= load()
  return (await known).has(password)
}
