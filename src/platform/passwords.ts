import { type Algorithm, hash, verify } from '@node-rs/argon2'

/** The library's `Algorithm.Argon2id`, a const enum that is not there at run time. */
const ARGON2ID: Algorithm = 2

/** What a hash costs: KiB of memory, and passes over it. */
export interface PasswordCost {
  memoryCost: number
  timeCost: number
}

/** OWASP's second recommendation for argon2id: 19 MiB, two passes, one lane. */
export const PASSWORD_COST: PasswordCost = { memoryCost: 19_456, timeCost: 2 }

/** Makes an argon2id hash in PHC form, with its own salt. */
export const hashPassword = (password: string, cost: PasswordCost = PASSWORD_COST): Promise<string> =>
  hash(password, { algorithm: ARGON2ID, parallelism: 1, ...cost })

/** Whether the password belongs to the hash; false also for a hash that cannot be read. */
export async function verifyPassword(passwordHash: string, password: string): Promise<boolean> {
  try {
    return await verify(passwordHash, password)
  } catch {
    return false
  }
}
