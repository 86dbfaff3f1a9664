import type { PeopleQueries } from '../../stores/people/queries.ts'
import type { StoreService } from '../../stores/stores/service.ts'

export interface RevokeDeps {
  people: Pick<PeopleQueries, 'listSoleStoreIds'>
  stores: Pick<StoreService, 'replaceSecret'>
  /** Call these in a transaction. */
  credentials: {
    removeTwoFactor(userId: string): void
    removeApiKeys(storeId: string): void
    removeWidgetKeys(storeId: string): void
    removeIpAllowlist(storeId: string): void
  }
}

/**
 * Creates the function that gives an account to its rightful owner. The function ends every way in except the password:
 * the second factor of the person, and the keys, the client secret and the IP list of the stores that have no other
 * member. Call it in a transaction.
 */
export const createRevokeCredentials =
  ({ people, stores, credentials }: RevokeDeps) =>
  (userId: string): void => {
    credentials.removeTwoFactor(userId)
    for (const storeId of people.listSoleStoreIds(userId)) {
      credentials.removeApiKeys(storeId)
      credentials.removeWidgetKeys(storeId)
      credentials.removeIpAllowlist(storeId)
      // Nobody knows this secret.
      stores.replaceSecret(storeId)
    }
  }
