import { pluralsIn } from '../../../texts/plurals.ts'

const { counted } = pluralsIn('en')

export const texts = {
  fact: (searches: string, clicks: string) =>
    `${counted(searches, 'search', 'searches')} in 7 days, ${counted(clicks, 'click', 'clicks')}`,
  quiet: 'No searches in the last 7 days',
  empty: 'Your store is ready',
  searches: 'Searches',
  clicks: 'Clicks',
  orders: 'Orders',
  revenue: 'Revenue',
  products: 'Products',
  before: (value: string) => `${value} the week before`,
  plot: 'Searches by day',
  plotText: (now: string, before: string) =>
    `${counted(now, 'search', 'searches')} in the last 7 days, ${before} in the 7 days before.`,
  thisWeek: 'These 7 days',
  lastWeek: '7 days before',
  noticed: 'We noticed',
  allWell: 'Nothing needs you.',
  latest: 'Latest searches',
  noneYet: 'Searches appear here as they come. Try one in the playground.',
  tryOne: 'Try a search',
  byPicture: 'A picture',
  bySimilar: 'Similar to a product',
  found: (count: string) => `${count} found`,
  nothing: 'nothing found',
  checklist: 'Next steps',
  steps: {
    products: 'Add products',
    first_search: 'Make a first search',
    shop_address: 'Say where your shop is',
    widget_seen: 'Put the search into your shop',
    first_click: 'See the first click',
    second_factor: 'Protect your sign-in with a second factor',
  },
  done: 'done',
  todo: 'to do',
  noRights: 'You may not see the numbers of this store. Its owner can give you the right to.',
}
export type Texts = typeof texts
