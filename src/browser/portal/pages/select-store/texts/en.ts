import { pluralsIn } from '../../../texts/plurals.ts'

const { counted } = pluralsIn('en')

export const texts = {
  heading: 'Choose a store',
  operator: 'Operator of this installation',
  operatorPages: 'To the operator’s pages',
  yours: 'Your stores',
  all: 'All stores',
  filter: 'Filter by name',
  suspended: 'Suspended',
  lastUsed: (ago: string) => `Last used ${ago}`,
  products: (count: string) => counted(count, 'product', 'products'),
  none: 'You belong to no store yet. Its owner can invite you.',
  noneFits: 'No store has this in its name.',
  roles: { owner: 'Owner', admin: 'Admin', developer: 'Developer', viewer: 'Viewer' },
  signOut: 'Sign out',
}
export type Texts = typeof texts
