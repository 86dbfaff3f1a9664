/** One product of the demo catalogue. Prices are in major units of `currency`. */
export interface DemoProduct {
  readonly product_id: string
  /** Name of the picture among the drawings. */
  readonly picture: string
  readonly metadata: {
    readonly name: string
    readonly category: string
    readonly brand: string
    readonly price: number
    readonly currency: string
    readonly color_name: string
    readonly tags: readonly string[]
    readonly sku: string
    readonly in_stock: boolean
  }
}

/** A picture that is not in the catalogue, to search with; `category` is what a shopper would expect to see. */
export interface DemoQuery {
  readonly picture: string
  readonly title: string
  readonly category: string
}

type Row = readonly [
  picture: string,
  name: string,
  category: string,
  brand: string,
  price: number,
  colour: string,
  tags: string,
]

const ROWS: readonly Row[] = [
  ['mug-red', 'Ember stoneware mug', 'mugs', 'Hearth & Clay', 14.5, 'red', 'kitchen ceramic coffee'],
  ['mug-blue-striped', 'Harbour striped mug', 'mugs', 'Hearth & Clay', 16, 'blue', 'kitchen ceramic striped'],
  ['mug-black', 'Basalt conical mug', 'mugs', 'Nordlys', 18, 'black', 'kitchen ceramic coffee'],
  [
    'shirt-blue-striped',
    'Regatta striped shirt',
    'shirts',
    'Alder & Finch',
    59,
    'blue',
    'clothes cotton striped',
  ],
  [
    'shirt-red-checked',
    'Lumber checked shirt',
    'shirts',
    'Alder & Finch',
    64,
    'red',
    'clothes flannel checked',
  ],
  [
    'shirt-white',
    'Atelier white shirt',
    'shirts',
    'Maison Corvi',
    69,
    'white',
    'clothes cotton plain formal',
  ],
  ['t-shirt-white', 'Everyday T-shirt, white', 't-shirts', 'Plainweave', 19, 'white', 'clothes cotton plain'],
  ['t-shirt-black', 'Everyday T-shirt, black', 't-shirts', 'Plainweave', 19, 'black', 'clothes cotton plain'],
  [
    't-shirt-yellow',
    'Everyday T-shirt, yellow',
    't-shirts',
    'Plainweave',
    19,
    'yellow',
    'clothes cotton plain',
  ],
  ['dress-green', 'Meadow swing dress', 'dresses', 'Maison Corvi', 89, 'green', 'clothes summer plain'],
  [
    'dress-red-dotted',
    'Coquelicot dotted dress',
    'dresses',
    'Maison Corvi',
    95,
    'red',
    'clothes summer dotted',
  ],
  ['dress-blue', 'Lagoon swing dress', 'dresses', 'Maison Corvi', 109, 'blue', 'clothes plain'],
  ['sneakers-white', 'Courtline sneakers', 'shoes', 'Strida', 84, 'white', 'sneakers leather sport'],
  ['sneakers-red', 'Pier canvas sneakers', 'shoes', 'Strida', 54, 'red', 'sneakers canvas casual'],
  ['sneakers-blue', 'Tempo sneakers', 'shoes', 'Strida', 92, 'blue', 'sneakers leather sport'],
  ['backpack-black', 'Metro day pack 20 l', 'backpacks', 'Northpass', 74, 'black', 'bag school travel'],
  ['backpack-blue', 'Fjord day pack 20 l', 'backpacks', 'Northpass', 79, 'blue', 'bag school travel'],
  ['backpack-green', 'Moss day pack 20 l', 'backpacks', 'Northpass', 79, 'green', 'bag outdoor travel'],
  ['handbag-brown', 'Cordovan tote bag', 'handbags', 'Bellaria', 189, 'brown', 'bag leather'],
  ['handbag-red', 'Rubino flap handbag', 'handbags', 'Bellaria', 215, 'red', 'bag leather'],
  ['handbag-black', 'Notte tote bag', 'handbags', 'Bellaria', 215, 'black', 'bag leather evening'],
  ['chair-wooden', 'Bodega oak chair', 'chairs', 'Holm & Søn', 149, 'brown', 'furniture wood dining'],
  ['chair-white', 'Bodega chair, white', 'chairs', 'Holm & Søn', 119, 'white', 'furniture wood dining'],
  ['chair-black', 'Shell chair, black', 'chairs', 'Holm & Søn', 159, 'black', 'furniture dining modern'],
  ['sofa-grey', 'Drift three-seat sofa', 'sofas', 'Holm & Søn', 899, 'grey', 'furniture living-room'],
  ['sofa-blue', 'Drift two-seat sofa', 'sofas', 'Holm & Søn', 699, 'blue', 'furniture living-room'],
  ['lamp-yellow', 'Saffron table lamp', 'lamps', 'Lumière Douce', 79, 'yellow', 'lighting bedroom'],
  ['lamp-black', 'Angle desk lamp', 'lamps', 'Lumière Douce', 64, 'black', 'lighting office'],
  ['watch-brown', 'Meridian leather watch', 'watches', 'Quarto', 139, 'brown', 'accessory leather'],
  ['watch-silver', 'Meridian steel watch', 'watches', 'Quarto', 179, 'silver', 'accessory steel'],
  ['sunglasses-black', 'Lido sunglasses', 'sunglasses', 'Ottica Sera', 98, 'black', 'accessory summer'],
  [
    'sunglasses-brown',
    'Capri round sunglasses',
    'sunglasses',
    'Ottica Sera',
    105,
    'brown',
    'accessory summer round',
  ],
  ['vase-blue', 'Amphora vase', 'vases', 'Hearth & Clay', 45, 'blue', 'decoration ceramic'],
  ['vase-white', 'Lily vase', 'vases', 'Hearth & Clay', 39, 'white', 'decoration ceramic'],
  ['clock-wooden', 'Heartwood wall clock', 'clocks', 'Quarto', 69, 'brown', 'decoration wood round'],
  ['clock-black', 'Studio wall clock', 'clocks', 'Quarto', 49, 'black', 'decoration round'],
  ['cushion-yellow', 'Sunfield cushion', 'cushions', 'Plainweave', 29, 'yellow', 'decoration textile plain'],
  [
    'cushion-blue-striped',
    'Deckchair cushion',
    'cushions',
    'Plainweave',
    32,
    'blue',
    'decoration textile striped',
  ],
  ['umbrella-yellow', 'Canary umbrella', 'umbrellas', 'Northpass', 35, 'yellow', 'accessory rain'],
  ['umbrella-red', 'Poppy umbrella', 'umbrellas', 'Northpass', 35, 'red', 'accessory rain'],
]

/** The demo catalogue: 40 invented products in 16 categories, each with a picture drawn by our own code. */
export const DEMO_PRODUCTS: readonly DemoProduct[] = ROWS.map(
  ([picture, name, category, brand, price, color_name, tags], index) => ({
    product_id: `demo-${picture}`,
    picture,
    metadata: {
      name,
      category,
      brand,
      price,
      currency: 'EUR',
      color_name,
      tags: tags.split(' '),
      sku: `LD-${1001 + index}`,
      // A few sold-out rows make the stock filter worth trying.
      in_stock: index % 9 !== 7,
    },
  }),
)

/** Sample pictures for a search by picture: other shapes, colours, angles and backgrounds than the catalogue's. */
export const DEMO_QUERIES: readonly DemoQuery[] = [
  { picture: 'query-mug', title: 'Green round mug on a wooden table', category: 'mugs' },
  { picture: 'query-shirt', title: 'Light blue shirt on coloured paper', category: 'shirts' },
  { picture: 'query-backpack', title: 'Red backpack in a room', category: 'backpacks' },
  { picture: 'query-sneaker', title: 'Black canvas sneaker on floorboards', category: 'shoes' },
  { picture: 'query-chair', title: 'Walnut chair in a room', category: 'chairs' },
  { picture: 'query-handbag', title: 'Tan tote bag on a wooden table', category: 'handbags' },
]
