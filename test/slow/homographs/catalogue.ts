import sharp from 'sharp'
import { drawCatalogue } from '../../../src/commands/model-proof/drawn.ts'

/** What stands in a picture: a kind and a colour of the drawn catalogue, or a shape of our own. */
type Look =
  | `${string} ${'red' | 'blue' | 'green' | 'yellow' | 'black' | 'white'}`
  | `own ${keyof typeof SHAPES} #${string}`

const SHAPES = {
  /** A plain box: what people can only tell by its name. */
  box: '<rect x="40" y="50" width="120" height="110" rx="8" fill="F"/><path d="M40 80h120" stroke="#0003" stroke-width="4"/>',
  glass: '<path d="M60 40h80l-12 130H72z" fill="#dde8ee"/><path d="M63 70h74l-10 96H73z" fill="F"/>',
  phone:
    '<rect x="65" y="20" width="70" height="160" rx="16" fill="F"/><circle cx="85" cy="42" r="9" fill="#0006"/>',
  jacket:
    '<path d="M60 40l40 12 40-12 44 30-18 70-22-8v52H56v-52l-22 8-18-70z" fill="F"/><path d="M100 52v132" stroke="#0008" stroke-width="4"/>',
  shade: '<path d="M70 60h60l30 80H40z" fill="F"/>',
  rack: '<path d="M30 40v140M170 40v140M30 70h140M30 115h140M30 160h140" stroke="F" stroke-width="8"/>',
  basket:
    '<ellipse cx="100" cy="130" rx="80" ry="34" fill="F"/><ellipse cx="100" cy="118" rx="56" ry="20" fill="#fff8"/>',
  rug: '<rect x="20" y="60" width="160" height="90" fill="F"/><path d="M20 72h160M20 138h160" stroke="#fff8" stroke-width="5"/>',
  flower:
    '<path d="M100 110v75" stroke="#2f8a4b" stroke-width="7"/><circle cx="100" cy="75" r="38" fill="F"/><circle cx="100" cy="75" r="18" fill="#0002"/>',
  fish: '<path d="M30 105q50-55 110-10l34-26v62l-34-26q-60 48-110 0z" fill="F"/><circle cx="62" cy="98" r="5" fill="#222"/>',
} as const

/** id · name · category · colour · what its picture shows · brand */
export const PRODUCTS: readonly (readonly [string, string, string, string, Look, string?])[] = [
  ['shirt-orange', 'Linen shirt orange', 'Shirts', 'orange', 'shirt yellow'],
  ['shirt-orange-2', 'Casual shirt orange', 'Shirts', 'orange', 'shirt yellow'],
  ['shirt-men', "Men's shirt Oxford", 'Shirts', 'blue', 'shirt blue'],
  ['shirt-women', "Women's blouse Oxford", 'Shirts', 'blue', 'shirt blue'],
  ['shirt-navy', 'Polo shirt', 'Shirts', 'navy', 'shirt blue'],
  ['shirt-xl', 'T-Shirt Basic XL', 'Shirts', 'white', 'shirt white'],
  ['shirt-s', 'T-Shirt Basic S', 'Shirts', 'white', 'shirt white'],
  ['juice', 'Orange juice 1 l', 'Drinks', '', 'own glass #f59a1f'],
  ['juice-apple', 'Apple juice 1 l', 'Drinks', '', 'own glass #d9c04a'],
  ['jacket-light', 'Light jacket Breeze', 'Jackets', 'blue', 'own jacket #5b86b8'],
  ['jacket-winter', 'Winter parka', 'Jackets', 'black', 'own jacket #26262a'],
  ['jacket-men', "Men's rain jacket", 'Jackets', 'green', 'own jacket #3b7a4a'],
  ['jacket-women', "Women's rain jacket", 'Jackets', 'red', 'own jacket #b0303a'],
  ['lamp-table', 'Table lamp Nora', 'Lamps', 'white', 'lamp white'],
  ['lamp-floor', 'Floor lamp Nora', 'Lamps', 'black', 'lamp black'],
  ['lamp-shade', 'Lamp shade linen', 'Lamp shades', 'white', 'own shade #efe6d6'],
  ['light-ceiling', 'Ceiling light Orbit', 'Lamps', 'white', 'lamp white'],
  ['table-dining', 'Dining table oak', 'Tables', '', 'table yellow'],
  ['table-coffee', 'Coffee table walnut', 'Tables', '', 'table black'],
  ['table-cloth', 'Tablecloth linen', 'Table linen', 'white', 'own rug #f1f0ec'],
  ['coffee', 'Coffee beans Arabica', 'Food', '', 'own box #5b3a24'],
  ['chair', 'Dining chair oak', 'Chairs', '', 'chair yellow'],
  ['chair-cushion', 'Chair cushion', 'Cushions', 'red', 'pillow red'],
  ['bed-double', 'Double bed Lund', 'Beds', 'white', 'bed white'],
  ['bed-single', 'Single bed Lund', 'Beds', 'black', 'bed black'],
  ['bed-dog', 'Dog bed plush', 'Pets', 'blue', 'own basket #8a99a8'],
  ['bed-linen', 'Bed linen set', 'Bedding', 'white', 'pillow white'],
  ['sofa', 'Sofa three seats', 'Sofas', 'blue', 'sofa blue'],
  ['sofa-bed', 'Sofa bed Duo', 'Sofas', 'green', 'sofa green'],
  ['phone', 'Smartphone X12', 'Phones', 'black', 'own phone #222222'],
  ['phone-case', 'Phone case silicone', 'Phone accessories', 'red', 'own phone #c62630'],
  ['phone-2', 'Phone Mini 8', 'Phones', 'white', 'own phone #eeeeee'],
  ['shoe-running', 'Running shoes Pace', 'Shoes', 'blue', 'shoe blue'],
  ['shoe-42', 'Sneaker Court 42', 'Shoes', 'white', 'shoe white'],
  ['shoe-38', 'Sneaker Court 38', 'Shoes', 'white', 'shoe white'],
  ['shoe-women', "Women's running shoes", 'Shoes', 'red', 'shoe red'],
  ['shoe-men', "Men's running shoes", 'Shoes', 'black', 'shoe black'],
  ['shoe-rack', 'Shoe rack steel', 'Storage', 'black', 'own rack #333333'],
  ['boot', 'Leather boots', 'Shoes', 'black', 'boot black'],
  ['rose', 'Artificial rose', 'Decoration', 'red', 'own flower #c62630'],
  ['dress-rose', 'Summer dress', 'Dresses', 'rose', 'dress red'],
  ['dress-navy', 'Evening dress navy', 'Dresses', 'navy', 'dress blue'],
  ['salmon', 'Smoked salmon 200 g', 'Food', '', 'own fish #f28c6a'],
  ['skirt-salmon', 'Pleated skirt', 'Skirts', 'salmon', 'skirt red'],
  ['mug', 'Stoneware mug', 'Mugs', 'blue', 'mug blue'],
  ['mug-rack', 'Mug rack', 'Storage', '', 'own rack #8a6a45'],
  ['pot-10', 'Flower pot 10 inch', 'Pots', 'white', 'pot white'],
  ['pot-6', 'Flower pot 6 inch', 'Pots', 'white', 'pot white'],
  ['pan', 'Cooking pot steel', 'Cookware', '', 'pot black'],
  ['vase', 'Vase tall', 'Vases', 'white', 'vase white'],
  ['bottle-water', 'Water bottle steel', 'Bottles', 'green', 'bottle green'],
  ['bottle-wine', 'Red wine Rioja', 'Wine', '', 'bottle black'],
  ['wine-rack', 'Wine rack oak', 'Storage', '', 'own rack #a07a45'],
  ['clock', 'Wall clock', 'Clocks', 'black', 'clock black'],
  ['backpack', 'City backpack', 'Bags', 'black', 'backpack black', 'Orange Mountain'],
  ['handbag', 'Handbag leather', 'Bags', 'red', 'handbag red', 'Apple & Sons'],
  ['umbrella', 'Umbrella automatic', 'Umbrellas', 'yellow', 'umbrella yellow'],
  ['glasses', 'Sunglasses round', 'Glasses', 'black', 'sunglasses black'],
  ['glass-wine', 'Wine glass set', 'Glasses', '', 'own glass #c9d6dd'],
  ['hat', 'Straw hat', 'Hats', 'yellow', 'hat yellow'],
  ['trousers', 'Chino trousers', 'Trousers', 'green', 'trousers green'],
  ['guitar', 'Acoustic guitar', 'Instruments', 'yellow', 'guitar yellow'],
  ['guitar-stand', 'Guitar stand', 'Instruments', 'black', 'own rack #222222'],
  ['tischlampe', 'Tischlampe Fjord', 'Leuchten', 'weiß', 'lamp white'],
  ['lampentisch', 'Lampentisch Eiche', 'Tische', '', 'table yellow'],
  ['schuhregal', 'Schuhregal Buche', 'Regale', '', 'own rack #b08a55'],
  ['hausschuh', 'Hausschuhe Filz', 'Schuhe', 'grau', 'shoe black'],
  ['handtasche', 'Handtasche Leder', 'Taschen', 'schwarz', 'handbag black'],
  ['taschenlampe', 'Taschenlampe LED', 'Leuchten', 'schwarz', 'own box #333333'],
  ['plate', 'Dinner plate', 'Plates', 'white', 'plate white'],
]

/** Draws the products' pictures. */
export async function drawProducts(): Promise<Map<string, Uint8Array<ArrayBuffer>>> {
  const drawn = new Map<string, Uint8Array>()
  for (const { category, color, shop } of await drawCatalogue()) drawn.set(`${category} ${color}`, shop)
  const pictures = new Map<string, Uint8Array<ArrayBuffer>>()
  for (const [id, , , , look] of PRODUCTS) {
    const [own, shape, hex = ''] = look.split(' ')
    const picture = own === 'own' ? await draw(SHAPES[shape as keyof typeof SHAPES], hex) : drawn.get(look)
    if (!picture) throw new Error(`nothing is drawn for ${look}`)
    pictures.set(id, new Uint8Array(picture))
  }
  return pictures
}

const draw = (shapes: string, hex: string) =>
  sharp(
    Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 200" width="320" height="320"><rect width="200" height="200" fill="#fff"/>${shapes.replaceAll('"F"', `"${hex}"`)}</svg>`,
    ),
  )
    .jpeg({ quality: 90 })
    .toBuffer()
