import { addressOfTab } from '../../shell/routes.ts'

/** The list of stores with one of them open. */
export const hrefOfStore = (id: string): string => `${addressOfTab('stores')}?store=${encodeURIComponent(id)}`
