import type { Tokens } from '../../../http/access-tokens.ts'
import type { Base } from '../../module.ts'
import type { StoreQueries } from '../../stores/stores/queries.ts'
import { createTokenIssuer } from './token-issuer.ts'

/** Short, because nobody revokes it: a command that works longer asks for another. */
const LIFETIME_SECONDS = 300

export interface OperatorTokenDeps extends Pick<Base, 'clock' | 'ids' | 'plans'> {
  storeRows: Pick<StoreQueries, 'findStore'>
  createTokens(secret: string): Pick<Tokens, 'sign'>
}

/** Tokens for commands that work beside a service. A command that can read the secrets of the data folder needs no client secret. */
export const operatorTokenService = ({ storeRows, plans, clock, ids, createTokens }: OperatorTokenDeps) => ({
  /**
   * Creates a token of the store's machine grant that lives for five minutes. It ends like any other when the store gets
   * a new client secret.
   *
   * @param tokenSecret what the service signs its tokens with.
   * @returns undefined if there is no such store.
   */
  async issue(storeId: string, tokenSecret: string): Promise<string | undefined> {
    const store = storeRows.findStore(storeId)
    if (!store) return undefined
    const tokens = createTokens(tokenSecret)
    const issuer = createTokenIssuer({ tokens, plans, clock, ids, lifetimeSeconds: LIFETIME_SECONDS })
    return (await issuer.issueForStore(store, issuer.createJti())).access_token
  },
})
