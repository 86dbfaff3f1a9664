import clothing from './clothing.tsv' with { type: 'text' }
import electronicsComputersPhones from './electronics-computers-phones.tsv' with { type: 'text' }
import homeFurniture from './home-furniture.tsv' with { type: 'text' }
import kitchenTableware from './kitchen-tableware.tsv' with { type: 'text' }
import modifiers from './modifiers.tsv' with { type: 'text' }
import shoesBagsAccessories from './shoes-bags-accessories.tsv' with { type: 'text' }
import sportsOutdoorBikes from './sports-outdoor-bikes.tsv' with { type: 'text' }
import textilesDecorLighting from './textiles-decor-lighting.tsv' with { type: 'text' }
import toysKidsBabyBooks from './toys-kids-baby-books.tsv' with { type: 'text' }

/** The files of the dictionary, by name. Of two meanings of a word that of the earlier file counts. */
export const DICTIONARY_FILES: Readonly<Record<string, string>> = {
  clothing: clothing,
  'electronics-computers-phones': electronicsComputersPhones,
  'home-furniture': homeFurniture,
  'kitchen-tableware': kitchenTableware,
  'shoes-bags-accessories': shoesBagsAccessories,
  'sports-outdoor-bikes': sportsOutdoorBikes,
  'textiles-decor-lighting': textilesDecorLighting,
  'toys-kids-baby-books': toysKidsBabyBooks,
  modifiers: modifiers,
}
