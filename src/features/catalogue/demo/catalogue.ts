/** One product of the demo catalogue. Prices are in major units of `currency`. */
export interface DemoProduct {
  readonly product_id: string
  /** Name of the drawing. */
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

/** A picture to search with that is not in the catalogue. A shopper would expect products of `category`. */
export interface DemoQuery {
  readonly picture: string
  readonly title: string
  readonly category: string
}

/** A text query, with the products of which one must come first. */
export interface DemoTextQuery {
  readonly query: string
  readonly fits: readonly string[]
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

const fits = (query: string, ...pictures: string[]): DemoTextQuery => ({
  query,
  fits: pictures.map((picture) => `demo-${picture}`),
})

/** What visitors type, with the products that answer it. Every colour and kind of the catalogue is here. */
export const DEMO_TEXT_QUERIES: readonly DemoTextQuery[] = [
  fits('mug', 'mug-red', 'mug-blue-striped', 'mug-black'),
  fits('red mug', 'mug-red'),
  fits('blue mug', 'mug-blue-striped'),
  fits('striped mug', 'mug-blue-striped'),
  fits('blue striped mug', 'mug-blue-striped'),
  fits('black mug', 'mug-black'),
  fits('shirt', 'shirt-blue-striped', 'shirt-red-checked', 'shirt-white'),
  fits('blue shirt', 'shirt-blue-striped'),
  fits('striped shirt', 'shirt-blue-striped'),
  fits('blue striped shirt', 'shirt-blue-striped'),
  fits('red shirt', 'shirt-red-checked'),
  fits('checked shirt', 'shirt-red-checked'),
  fits('red checked shirt', 'shirt-red-checked'),
  fits('white shirt', 'shirt-white'),
  fits('t-shirt', 't-shirt-white', 't-shirt-black', 't-shirt-yellow'),
  fits('white t-shirt', 't-shirt-white'),
  fits('black t-shirt', 't-shirt-black'),
  fits('yellow t-shirt', 't-shirt-yellow'),
  fits('dress', 'dress-green', 'dress-red-dotted', 'dress-blue'),
  fits('green dress', 'dress-green'),
  fits('red dress', 'dress-red-dotted'),
  fits('dotted dress', 'dress-red-dotted'),
  fits('red dotted dress', 'dress-red-dotted'),
  fits('blue dress', 'dress-blue'),
  fits('sneakers', 'sneakers-white', 'sneakers-red', 'sneakers-blue'),
  fits('white sneakers', 'sneakers-white'),
  fits('red sneakers', 'sneakers-red'),
  fits('blue sneakers', 'sneakers-blue'),
  fits('backpack', 'backpack-black', 'backpack-blue', 'backpack-green'),
  fits('black backpack', 'backpack-black'),
  fits('blue backpack', 'backpack-blue'),
  fits('green backpack', 'backpack-green'),
  fits('handbag', 'handbag-brown', 'handbag-red', 'handbag-black'),
  fits('brown handbag', 'handbag-brown'),
  fits('red handbag', 'handbag-red'),
  fits('black handbag', 'handbag-black'),
  fits('chair', 'chair-wooden', 'chair-white', 'chair-black'),
  fits('wooden chair', 'chair-wooden'),
  fits('white chair', 'chair-white'),
  fits('black chair', 'chair-black'),
  fits('sofa', 'sofa-grey', 'sofa-blue'),
  fits('grey sofa', 'sofa-grey'),
  fits('blue sofa', 'sofa-blue'),
  fits('table lamp', 'lamp-yellow', 'lamp-black'),
  fits('yellow table lamp', 'lamp-yellow'),
  fits('black table lamp', 'lamp-black'),
  fits('watch', 'watch-brown', 'watch-silver'),
  fits('brown watch', 'watch-brown'),
  fits('silver watch', 'watch-silver'),
  fits('sunglasses', 'sunglasses-black', 'sunglasses-brown'),
  fits('black sunglasses', 'sunglasses-black'),
  fits('brown sunglasses', 'sunglasses-brown'),
  fits('vase', 'vase-blue', 'vase-white'),
  fits('blue vase', 'vase-blue'),
  fits('white vase', 'vase-white'),
  fits('wall clock', 'clock-wooden', 'clock-black'),
  fits('wooden wall clock', 'clock-wooden'),
  fits('black wall clock', 'clock-black'),
  fits('cushion', 'cushion-yellow', 'cushion-blue-striped'),
  fits('yellow cushion', 'cushion-yellow'),
  fits('blue cushion', 'cushion-blue-striped'),
  fits('striped cushion', 'cushion-blue-striped'),
  fits('blue striped cushion', 'cushion-blue-striped'),
  fits('umbrella', 'umbrella-yellow', 'umbrella-red'),
  fits('yellow umbrella', 'umbrella-yellow'),
  fits('red umbrella', 'umbrella-red'),
  fits('coffee mug', 'mug-red', 'mug-blue-striped', 'mug-black'),
  fits('running shoes', 'sneakers-white', 'sneakers-red', 'sneakers-blue'),
  fits('brown leather handbag', 'handbag-brown'),
  fits('leather bag', 'handbag-brown', 'handbag-red', 'handbag-black'),
  fits('couch', 'sofa-grey', 'sofa-blue'),
  fits('desk lamp', 'lamp-black', 'lamp-yellow'),
  fits('black desk lamp', 'lamp-black'),
  fits('wrist watch', 'watch-brown', 'watch-silver'),
  fits('flower vase', 'vase-blue', 'vase-white'),
  fits('clock', 'clock-wooden', 'clock-black'),
  fits('pillow', 'cushion-yellow', 'cushion-blue-striped'),
  fits('school bag', 'backpack-black', 'backpack-blue', 'backpack-green'),
  fits('red shoes', 'sneakers-red'),
  fits('furniture', 'chair-wooden', 'chair-white', 'chair-black', 'sofa-grey', 'sofa-blue'),
  fits('photo of a red mug', 'mug-red'),
  fits('round sunglasses', 'sunglasses-brown'),
]
