import type { PeopleQueries } from '../../stores/people/queries.ts'
import type { StoreService } from '../../stores/stores/service.ts'

export interface TakeOverDeps {
  people: Pick<PeopleQueries, 'listSoleStoreIds'>
  stores: Pick<StoreService, 'replaceSecret'>
  /** Call these in a transaction. */
  waysIn: {
    removeTwoFactor(userId: string): void
    removeApiKeys(storeId: string): void
    removeWidgetKeys(storeId: string): void
    removeIpList(storeId: string): void
  }
}

/**
 * Creates the function that gives an account to its rightful owner. The function ends every way in except the password:
 * the second factor of the person, and the keys, the client secret and the IP list of the stores that have no other
 * member. Call it in a transaction.
 */
export const createTakeOver =
  ({ people, stores, waysIn }: TakeOverDeps) =>
  (userId: string): void => {
    waysIn.removeTwoFactor(userId)
    for (const storeId of people.listSoleStoreIds(userId)) {
      waysIn.removeApiKeys(storeId)
      waysIn.removeWidgetKeys(storeId)
      waysIn.removeIpList(storeId)
      // Nobody knows this secret.
      stores.replaceSecret(storeId)
    }
  }
