/** What people call a kind of product. */
export interface KindWords {
  german: string
  french: string
  /** Another English word, which no product of the sets has. */
  other?: string
  /** A need that it meets, without a word for it. */
  need?: string
}

const words = (german: string, french: string, other?: string, need?: string): KindWords => ({
  ...{ german, french },
  ...(other !== undefined && { other }),
  ...(need !== undefined && { need }),
})

/** The words for the kinds of the sets. They were written before any ranking of them was seen. */
export const KIND_WORDS: Readonly<Record<string, KindWords>> = {
  mug: words('Tasse', 'tasse', 'cup', 'something to drink hot coffee from'),
  plate: words('Teller', 'assiette', 'dish', 'what I serve dinner on'),
  vase: words('Blumenvase', 'vase', 'flower holder', 'I want to put a bunch of roses in water'),
  bottle: words('Flasche', 'bouteille', 'flask', 'to carry water on a hike'),
  lamp: words('Leuchte', 'lampe', 'light', 'my room is too dark in the evening'),
  chair: words('Stuhl', 'chaise', 'seat', 'something to sit on at my desk'),
  table: words('Tisch', 'table', 'desk', 'where the family eats together'),
  sofa: words('Couch', 'canapé', 'couch', 'to lie down while watching television'),
  bed: words('Bett', 'lit', 'sleeping furniture', 'to sleep well at night'),
  clock: words('Uhr', 'horloge', 'timepiece', 'to see what time it is from across the room'),
  shirt: words('Hemd', 'chemise', 'blouse', 'something smart to wear to the office'),
  dress: words('Kleid', 'robe', 'gown', 'what to wear to a summer wedding'),
  trousers: words('Hose', 'pantalon', 'pants', 'to keep my legs warm'),
  skirt: words('Rock', 'jupe', 'kilt', 'something short for a summer party'),
  shoe: words('Schuh', 'chaussure', 'sneaker', 'for running in the park'),
  boot: words('Stiefel', 'botte', 'footwear', 'to walk through snow and mud'),
  hat: words('Hut', 'chapeau', 'cap', 'to keep the sun off my face'),
  backpack: words('Rucksack', 'sac à dos', 'rucksack', 'to carry books to school'),
  handbag: words('Handtasche', 'sac à main', 'purse', 'for keys, phone and lipstick at a party'),
  umbrella: words('Regenschirm', 'parapluie', 'brolly', 'to stay dry in the rain'),
  sunglasses: words('Sonnenbrille', 'lunettes de soleil', 'shades', 'to protect my eyes at the beach'),
  guitar: words('Gitarre', 'guitare', 'stringed instrument', 'I want to play music at the campfire'),
  pillow: words('Kissen', 'coussin', 'cushion', 'to rest my head on'),
  pot: words('Kochtopf', 'casserole', 'saucepan', 'to cook soup for six people'),
  scarf: words('Schal', 'écharpe', 'shawl', 'to keep my neck warm'),
  jacket: words('Jacke', 'veste', 'coat', 'for cold and windy days outside'),
  sock: words('Socke', 'chaussette', 'hosiery', 'my feet are cold in bed'),
  teapot: words('Teekanne', 'théière', 'tea jug', 'to brew and pour a hot drink for guests'),
  wineglass: words('Weinglas', 'verre à vin', 'goblet', 'to toast with red wine'),
  spoon: words('Löffel', 'cuillère', 'cutlery', 'to eat soup with'),
  knife: words('Messer', 'couteau', 'blade', 'to cut vegetables'),
  pan: words('Pfanne', 'poêle', 'skillet', 'to fry eggs'),
  candle: words('Kerze', 'bougie', 'wax light', 'something to burn for a romantic evening'),
  mirror: words('Spiegel', 'miroir', 'looking glass', 'to see myself when I dress'),
  watch: words('Armbanduhr', 'montre', 'wristwatch', 'to tell the time on my arm'),
  necklace: words('Halskette', 'collier', 'pendant', 'jewellery for a birthday present'),
  bicycle: words('Fahrrad', 'vélo', 'bike', 'to ride to work'),
  ball: words('Ball', 'ballon', 'football', 'to play with in the garden'),
  book: words('Buch', 'livre', 'novel', 'something to read on holiday'),
  basket: words('Korb', 'panier', 'hamper', 'to carry a picnic'),
  suitcase: words('Koffer', 'valise', 'luggage', 'to pack my clothes for a flight'),
  headphones: words('Kopfhörer', 'casque audio', 'earphones', 'to listen to music on the train'),
  stool: words('Hocker', 'tabouret', 'bar seat', 'a place to sit at the kitchen counter'),
  planter: words('Pflanzgefäß', 'jardinière', 'flowerpot', 'to grow herbs on the balcony'),
}

/** The colours of the sets, and how shops abbreviate them. */
export const COLOUR_WORDS: Readonly<Record<string, { german: string; french: string; code: string }>> = {
  red: { german: 'rot', french: 'rouge', code: 'RD' },
  blue: { german: 'blau', french: 'bleu', code: 'BL' },
  green: { german: 'grün', french: 'vert', code: 'GN' },
  yellow: { german: 'gelb', french: 'jaune', code: 'YE' },
  black: { german: 'schwarz', french: 'noir', code: 'BK' },
  white: { german: 'weiß', french: 'blanc', code: 'WH' },
}
