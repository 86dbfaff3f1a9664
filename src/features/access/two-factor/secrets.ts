import type { SecretBox } from '../../../platform/secret-box.ts'
import type { Base } from '../../module.ts'
import type { TwoFactorRow } from './queries.ts'

export interface SecretDeps extends Pick<Base, 'log'> {
  box: Pick<SecretBox, 'open'>
}

/** Opens the sealed secret of an authenticator. @returns undefined if it was sealed with another data secret. */
export type OpenSecret = (userId: string, row: Pick<TwoFactorRow, 'sealedSecret'>) => string | undefined

export const createSecretOpener =
  ({ box, log }: SecretDeps): OpenSecret =>
  (userId, { sealedSecret }) => {
    const secret = box.open(sealedSecret, userId)
    if (secret === undefined) {
      log.error({ user_id: userId }, 'a TOTP secret cannot be decrypted: was the data secret replaced?')
    }
    return secret
  }
