import type { SecretBox } from '../../../platform/secret-box.ts'

/** Who gets the weekly mail of which store. */
export interface Subscription {
  storeId: string
  userId: string
}

const CONTEXT = 'weekly mail'

/** Makes and reads the links that end weekly mails. They never expire, and do nothing else. */
export const createLinks = ({ seal, open }: Pick<SecretBox, 'seal' | 'open'>) => ({
  makeToken: ({ storeId, userId }: Subscription): string =>
    seal(`${storeId} ${userId}`, CONTEXT).toString('base64url'),

  /** @returns undefined for a token that was not made here. */
  readToken(token: string): Subscription | undefined {
    const [storeId, userId] = open(Buffer.from(token, 'base64url'), CONTEXT)?.split(' ') ?? []
    return storeId && userId ? { storeId, userId } : undefined
  },
})
