import type { Texts } from './texts.ts'

export const texts: Texts = {
  subject: (store, searches) => `${store}: ${searches} searches last week`,
  title: (store, period) => `${store}, ${period}`,
  searches: 'Searches',
  clicked: 'Searches with a click',
  revenue: 'Revenue',
  orders: (count) => `orders: ${count}`,
  before: (value) => `the week before: ${value}`,
  missed: 'Searched for and not found',
  photos: 'Photos without a close match',
  unknownPhotos: 'something that no category names',
  soldOut: 'Sold out, and wanted',
  searchedTimes: (count) => `searches: ${count}`,
  clickedTimes: (count) => `clicks: ${count}`,
  advice: 'What helps most now',
  advices: {
    'track-clicks': [
      'People searched, but no click was reported. Check that the widget, or your shop’s own code, reports clicks.',
      'Check the tracking',
    ],
    restock: [
      'People click on products that are sold out. Restock them, or pin what can take their place.',
      'Open the products',
    ],
    'name-missed': [
      'Tell the search what these words mean in your shop, or add such a product.',
      'Open the analytics',
    ],
    photos: [
      'Look at what people photograph and do not find. You may want to sell it.',
      'Open the analytics',
    ],
    'track-purchases': [
      'People click, but no purchase was reported. Report purchases to see what the search earns.',
      'See how',
    ],
    try: [
      'Nothing is amiss. Try a search as a customer would, and see whether you like what comes first.',
      'Try a search',
    ],
  },
  why: 'You get this mail on Mondays because you own this store.',
  unsubscribe: 'Unsubscribe',
}
